"""Truth and bits: logical and bitwise operations, shifts, membership, and whether two tensors are close."""

# The decorated bodies compute one element, where their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import resolved
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.binary import binary
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.promotion import as_number_array, check_devices, result_dtype
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.scalars import arithmetic as scalars
from tensorkit.kernels.scalars import questions
from tensorkit.ops.shared.copy import deliver_into
from tensorkit.ops.shared.to import host_array, to_device, to_dtype
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.tensor import Array, Number, Tensor, fresh

_BOOL: dtype = dtypes.bool
_BROKEN = tuple(kind for kind in dtypes.ALL if kind.category >= 2)


# -- truth --------------------------------------------------------------------------------------------------------

_TRUE: Any = {"result": "bool", "inplace_derivative": Rule("unseen"), "out_recording": "silent"}


@binary(numpy.logical_and, questions.LOGICAL_AND, **_TRUE)
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether both are true, element by element; whatever is not zero is true.

    Returns:
        A bool tensor of the broadcast size.

    >>> tk.logical_and(tk.tensor([0, 1, 2]), tk.tensor([0, 0, 3]))
    tensor([False, False,  True])
    """
    return bool(input) and bool(other)


@binary(numpy.logical_or, questions.LOGICAL_OR, **_TRUE)
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether at least one is true, element by element; whatever is not zero is true.

    Returns:
        A bool tensor of the broadcast size.

    >>> tk.logical_or(tk.tensor([0, 1, 2]), tk.tensor([0, 0, 3]))
    tensor([False,  True,  True])
    """
    return bool(input) or bool(other)


@binary(numpy.logical_xor, questions.LOGICAL_XOR, **_TRUE)
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether just one of the two is true, element by element; whatever is not zero is true.

    Returns:
        A bool tensor of the broadcast size.

    >>> tk.logical_xor(tk.tensor([0, 1, 2]), tk.tensor([0, 0, 3]))
    tensor([False,  True, False])
    """
    return bool(input) != bool(other)


# -- bits ---------------------------------------------------------------------------------------------------------

_OF_BITS: Any = {"mixed": True, "overloaded": True, "number_out": False}


def _operators(short: str) -> tuple[str, ...]:
    return f"__{short}__", f"__r{short}__", f"__i{short}__"


@binary(numpy.bitwise_and, scalars.AND, lacks=_BROKEN, operators=_operators("and"), **_OF_BITS)
def bitwise_and(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The bits that both have, element by element; of bools the logical operation.

    Raises:
        NotImplementedError: for floating point and complex numbers.

    >>> tk.tensor([12, 10]) & 6
    tensor([4, 2])
    """
    return input & other


@binary(numpy.bitwise_or, scalars.OR, lacks=_BROKEN, operators=_operators("or"), **_OF_BITS)
def bitwise_or(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The bits that one of the two has, element by element; of bools the logical operation.

    Raises:
        NotImplementedError: for floating point and complex numbers.

    >>> tk.tensor([12, 10]) | 6
    tensor([14, 14])
    """
    return input | other


@binary(numpy.bitwise_xor, scalars.XOR, lacks=_BROKEN, operators=_operators("xor"), **_OF_BITS)
def bitwise_xor(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The bits that just one has, element by element; of bools the logical operation.

    Raises:
        NotImplementedError: for floating point and complex numbers.

    >>> tk.tensor([12, 10]) ^ 6
    tensor([10, 12])
    """
    return input ^ other


@binary(
    numpy.left_shift,
    scalars.LEFT_SHIFT,
    kernel="lshift_cpu",
    lacks=(*LIMITED, _BOOL, *_BROKEN),
    operators=_operators("lshift"),
    **_OF_BITS,
)
def bitwise_left_shift(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Shift bits to the left by that many places.

    Args:
        other: the number of places; more than the dtype has bits, or fewer than none, shifts everything out.

    Raises:
        NotImplementedError: for bools, floating point and complex numbers.

    >>> tk.tensor([1, -6]) << 1
    tensor([  2, -12])
    """
    return input << other


@binary(
    numpy.right_shift,
    scalars.RIGHT_SHIFT,
    kernel="rshift_cpu",
    lacks=(*LIMITED, _BOOL, *_BROKEN),
    operators=_operators("rshift"),
    **_OF_BITS,
)
def bitwise_right_shift(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Shift bits to the right, the sign kept by that many places.

    Args:
        other: the number of places; more than the dtype has bits, or fewer than none, shifts everything out.

    Raises:
        NotImplementedError: for bools, floating point and complex numbers.

    >>> tk.tensor([1, -6]) >> 1
    tensor([ 0, -3])
    """
    return input >> other


# -- closeness ----------------------------------------------------------------------------------------------------


def _check_close(input: Tensor, other: Tensor, rtol: float, atol: float) -> None:
    if input._dtype is not other._dtype:
        raise RuntimeError(f"{input._dtype.label} did not match {other._dtype.label}")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")


@op(strict=True, kind="reduce")
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether two tensors are close, element by element: ``|input - other| <= atol + rtol * |other|``.

    Args:
        equal_nan: whether nan counts as close to nan.

    Raises:
        RuntimeError: when the dtypes differ, or a tolerance is negative.

    >>> tk.isclose(tk.tensor([1.0, 2.0]), tk.tensor([1.0 + 1e-7, 2.1]))
    tensor([ True, False])
    """
    _check_close(input, other, rtol, atol)
    a: Any = input.detach()
    b: Any = other.detach()
    close = a.eq(b)
    if equal_nan and a._dtype.category >= 2:
        close.__ior__(a.ne(a).__iand__(b.ne(b)))
    if rtol == 0 and atol == 0:
        return close
    if a._dtype.category < 2:
        a, b = (to_dtype(t, dtypes.get_default_dtype()) for t in (a, b))
    rtol, atol = float(rtol), float(atol)  # also an integer that no tensor holds
    allowed, actual = (b * rtol).abs() + atol, (a - b).abs()
    return close.__ior__(actual.lt(math.inf).__iand__(actual <= allowed))


@op(strict=True, kind="reduce")
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all elements of two tensors are close; see `isclose`.

    >>> tk.allclose(tk.tensor([1.0, 2.0]), tk.tensor([1.0, 2.0 + 1e-6]))
    True
    """
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


# -- membership ---------------------------------------------------------------------------------------------------

_NO_MEMBERS = (_BOOL, dtypes.complex64, dtypes.complex128)


def _members(value: Any, kind: dtype) -> Array:
    array = host_array(value) if isinstance(value, Tensor) else as_number_array(value, kind)
    return kernels.cast(kernels.cast(array, kind), dtypes.float32 if kernels.is_half(kind) else kind)


def _check_members(*operands: Any) -> None:
    for operand in operands:
        kind = operand._dtype if isinstance(operand, Tensor) else dtypes.of_number(operand)
        if kind in _NO_MEMBERS:
            raise RuntimeError(f"Unsupported input type encountered for isin(): {kind.label}")


@op(strict=True, kind="reduce", methods=(), library="NumPy")
@shortened("isin")
@takes(
    "(Tensor elements, Tensor test_elements, *, bool assume_unique = False, bool invert = False, Tensor out = None)",
    "(Number element, Tensor test_elements, *, bool assume_unique = False, bool invert = False, Tensor out = None)",
    "(Tensor elements, Number test_element, *, bool assume_unique = False, bool invert = False, Tensor out = None)",
)
def isin(
    elements: Any = None,
    test_elements: Any = None,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    out: Tensor | None = None,
    element: Any = None,
    test_element: Any = None,
) -> Tensor:
    """Whether each element is among others.

    Args:
        elements, test_elements: tensors; one of the two may be a number (``element=``, ``test_element=``).
        assume_unique: says that no element occurs twice, which saves time.
        invert: whether to ask which elements are *not* among the others.

    Returns:
        A bool tensor of the size of `elements`.

    Raises:
        RuntimeError: for bools and complex numbers.

    >>> tk.isin(tk.tensor([[1, 2], [3, 4]]), tk.tensor([2, 3]))
    tensor([[False,  True],
            [ True, False]])
    """
    first = elements if element is None else element
    second = test_elements if test_element is None else test_element
    if not isinstance(first, Tensor) and not isinstance(second, Tensor):
        raise TypeError
    if not isinstance(first, (Tensor, *NUMBERS)) or not isinstance(second, (Tensor, *NUMBERS)):
        raise TypeError
    _check_members(first, second)
    if out is not None and out._dtype is not _BOOL:
        raise RuntimeError(f"Expected out tensor to have dtype bool, but got {cpp_name(out._dtype)} instead")
    place, kind = check_devices((first, second)), result_dtype(first, second)
    if isinstance(second, Tensor):
        _check_path(first, resolved(second), kind)
    found = numpy.isin(_members(first, kind), _members(second, kind), assume_unique, invert)
    result = to_device(fresh(numpy.asarray(found), _BOOL), place)
    return result if out is None else deliver_into(result, out)


def _check_path(elements: Any, others: Tensor, kind: dtype) -> None:
    """Where the others are few, PyTorch looks at each: it must be able to line them up, and lacks some dtypes."""
    count = elements.numel() if isinstance(elements, Tensor) else 1
    if count and others.numel() < int(10 * count**0.145):
        to_dtype(others, kind).view(-1)  # a copy of another dtype may lie in one row
        if kind in LIMITED and (others.numel() or not isinstance(elements, Tensor)):
            raise missing_kernel("isin_default_cpu", kind.label)


# -- questions ----------------------------------------------------------------------------------------------------


@op(kind="reduce")
def is_nonzero(input: Tensor) -> bool:
    """Whether the one element of a tensor is not zero.

    Raises:
        RuntimeError: when there is more than one element, or none.

    >>> tk.is_nonzero(tk.tensor([0.0])), tk.is_nonzero(tk.tensor([False]) | True)
    (False, True)
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"is_nonzero(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    return bool(input)


@op(kind="reduce")
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same size.

    >>> tk.is_same_size(tk.zeros(2, 3), tk.zeros(3, 2))
    False
    """
    return input._lay().size == other._lay().size
