"""Complex numbers: conjugates, the bit that stands for one, and directions."""

# The decorated bodies compute one element, although their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import CONJ, NEG
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.unary import unary
from tensorkit.kernels.cpu import elementwise, loops, strided_2d, tiny, ufuncs
from tensorkit.kernels.scalars.elementary import ANGLE, CONJUGATE
from tensorkit.kernels.scalars.questions import SIGN
from tensorkit.kernels.sizes import IN_PYTHON, SMALL
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.scalar_arithmetic import times
from tensorkit.tensor import Array, Tensor


def _of_complex(arguments: dict[str, Any]) -> bool:
    """Whether there is something to conjugate: real numbers are given back as they are."""
    return bool(arguments["input"]._dtype.is_complex)


_conjugate = Pointwise(
    "conj_physical", numpy.conjugate, CONJUGATE, kernel="conj_cpu", exact_out=True, like_first="always"
)


@op(
    kind="pointwise",
    inplace=True,
    derivative=Rule("ConjPhysicalBackward0", applies=_of_complex, input=lambda g, c: g.conj_physical()),
    inplace_derivative=Rule("ConjPhysicalBackward1", input=lambda g, c: g.conj_physical()),
    out_error="aten::conj_physical",
    out_overlap="before resizing",
)
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugate of every element, written out; a tensor of real numbers is given back itself.

    >>> tk.conj_physical(tk.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    if not input._dtype.is_complex and (out is None or out is IN_PLACE):
        if out is not None:
            input._bump()
        return input
    return apply(_conjugate, (input,), out=out)


@op(kind="view", derivative=Rule("ConjBackward0", applies=_of_complex, input=lambda g, c: g.conj()))
def conj(input: Tensor) -> Tensor:
    """The complex conjugate of every element, as a view: nothing is computed until the elements are read.

    A tensor of real numbers is given back itself.

    >>> z = tk.tensor([1 + 2j])
    >>> z.conj(), z.conj().is_conj(), z.conj().data_ptr() == z.data_ptr()
    (tensor([1.-2.j]), True, True)
    """
    if not input._dtype.is_complex:
        return input
    out = input._view(input._lay())
    out._bits = input._bits ^ CONJ
    return out


@op()
def is_conj(input: Tensor) -> bool:
    """Whether the tensor is a view that stands for the conjugates of what is stored.

    >>> tk.ones(1, dtype=tk.cfloat).conj().is_conj()
    True
    """
    return bool(input._bits & CONJ)


@op(kind="copy")
def resolve_conj(input: Tensor) -> Tensor:
    """A tensor whose elements are stored as they are: a copy of a view of conjugates, else the tensor itself.

    >>> tk.tensor([1 + 2j]).conj().resolve_conj().is_conj()
    False
    """
    return input.clone() if input._bits & CONJ else input


@op(strict=True, kind="view", derivative=Rule("NegViewBackward0", input=lambda g, c: g.neg()))
def _neg_view(input: Tensor) -> Tensor:
    """The negatives of the elements, as a view: nothing is computed until the elements are read.

    What ``x.conj().imag`` is made of; as in PyTorch it has no public name.

    >>> x = tk.tensor([1.0, -2.0])
    >>> x._neg_view(), x._neg_view().data_ptr() == x.data_ptr()
    (tensor([-1.,  2.]), True)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.resolve_neg.html
    """
    out = input._view(input._lay())
    out._bits = input._bits ^ NEG
    return out


@op()
def is_neg(input: Tensor) -> bool:
    """Whether the tensor is a view that stands for the negatives of what is stored.

    The imaginary parts of conjugates are such a view: what is written to it is stored with the other sign.

    >>> z = tk.tensor([1 + 2j])
    >>> z.imag.is_neg(), z.conj().imag.is_neg()
    (False, True)
    >>> z.conj().imag.fill_(5), z
    (tensor([5.]), tensor([1.-5.j]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_neg.html
    """
    if not isinstance(input, Tensor):
        raise TypeError  # the caller says it in PyTorch's words
    return bool(input._bits & NEG)


@op(strict=True, kind="copy")
def resolve_neg(input: Tensor) -> Tensor:
    """A tensor whose elements are stored as they are: a copy of a view of negatives, else the tensor itself.

    >>> imaginary = tk.tensor([1 + 2j]).conj().imag
    >>> imaginary.resolve_neg(), imaginary.resolve_neg().is_neg()
    (tensor([-2.]), False)
    """
    return input.clone() if input._bits & NEG else input


# -- directions ---------------------------------------------------------------------------------------------------


@elementwise.hundreds(ufuncs.sign, strided_2d.sign)
def _sgn(a: Array) -> Array:
    if a.dtype.kind == "b":
        return a.copy()
    if a.dtype.kind == "c":
        length = numpy.abs(a)
        return numpy.where(length == 0, a.dtype.type(0), a / length)
    if a.dtype.char in "fd" and a.size == 1:
        return tiny.each(_sign_of_one, a)
    if a.dtype.char in "fd" and a.size <= SMALL:
        signs = numpy.sign(a)
        flat = signs.ravel("K")
        return signs if flat.dot(flat) >= 0 else numpy.where(a == a, signs, a.dtype.type(0))
    # One byte an element until the end: twice as fast as subtracting floating numbers.
    return numpy.subtract((a > 0).view(numpy.int8), (a < 0).view(numpy.int8)).astype(a.dtype)


def _sgn_back(g: Any, c: Any) -> Any:
    """A sign never changes; of a complex number it is the direction, which turns."""
    if not c.out.is_complex():
        return g.new_zeros(g.size())
    size = c.input.abs()
    return ((g - c.out * c.out * g.conj()) / times(size, 2)).masked_fill_(size.eq(0), 0)


def _sign_of_one(a: Any) -> Any:
    return (a > 0) - (a < 0)


@unary(_sgn, SIGN, kernel="sign_cpu", exact_out=True, derivative=Rule("SgnBackward0", input=_sgn_back))
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sign of every element, and of a complex number its direction: the number of length 1 that way.

    >>> tk.sgn(tk.tensor([3 + 4j, 0j]))
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
    """
    return input / abs(input) if input else input


def _no_complex_sign(input: Tensor) -> None:
    if input._dtype.is_complex:
        raise NotImplementedError(
            "Unlike NumPy, tensorkit.sign is not intended to support complex numbers. Please use tensorkit.sgn instead."
        )


elementwise.with_loop(_sgn, loops.sign)


@unary(
    _sgn,
    SIGN,
    check=_no_complex_sign,
    exact_out=True,
    derivative=Rule("SignBackward0", input=lambda g, c: g.new_zeros(g.size())),
)
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1: the sign of every element; 0 for nan. Complex numbers have `sgn`.

    >>> tk.sign(tk.tensor([-2.5, 0.0, 7.0]))
    tensor([-1.,  0.,  1.])
    """
    return (input > 0) - (input < 0)


def _half_turn(value: float) -> float:
    return value if value != value else math.pi if value < 0 else 0.0


def _angle(a: Array) -> Array:
    if a.dtype.kind == "c":
        return numpy.arctan2(a.imag, a.real)
    if a.size <= IN_PYTHON and a.dtype.char in "fd":
        return tiny.each(_half_turn, a)
    turned = numpy.asarray(numpy.multiply(a < 0, a.dtype.type(numpy.pi), dtype=a.dtype))
    numpy.copyto(turned, a, where=numpy.isnan(a))
    return turned


def _angle_back(g: Any, c: Any) -> Any:
    if not c.input.is_complex():
        return g.new_zeros(g.size())
    return where(c.input.eq(0), 0, times(g * c.input / c.input.abs().pow(2), 1j))


@unary(
    _angle,
    ANGLE,
    result="real float",
    lacks=(),
    inplace=False,
    derivative=Rule("AngleBackward0", input=_angle_back),
    rounded=1,
)
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of every complex number with the positive real axis, in radians: 0 or pi for real ones.

    >>> tk.angle(tk.tensor([1j, -1 + 0j])), tk.angle(tk.tensor([-2.0, 2.0]))
    (tensor([1.5708, 3.1416]), tensor([3.1416, 0.0000]))
    """
    return math.atan2(input.imag, input.real)
