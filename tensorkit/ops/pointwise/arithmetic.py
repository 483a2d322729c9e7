"""Arithmetic and comparison, element by element.

One block an operation: its NumPy function, its scalar body (the CUDA kernels are compiled from that), its rule for the
result's dtype, what PyTorch refuses, its spellings, samples and documentation. ``elementwise`` derives the rest.
"""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.autograd.node import not_implemented
from tensorkit.device import CPU, META
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import unmatched
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable, recorded_call, wants_grad
from tensorkit.dispatch.registry import sample
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.build import binary, unary
from tensorkit.elementwise.iterator import (
    NUMBERS,
    Pointwise,
    apply,
    check_devices,
    check_memory,
    empty_strided,
    place_of,
    placed,
    prepare_out,
    result_dtype,
    seen_layout,
)
from tensorkit.errors import MissingKernelError, warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import elementwise_compiled, loops, strided_2d, ufuncs
from tensorkit.kernels.cpu.pow import complex_power, half_power
from tensorkit.kernels.jit import rowwise
from tensorkit.number_range import check_number, holds
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.scalar_arithmetic import over, times
from tensorkit.ops.shared.to import host_array, to_device, to_dtype
from tensorkit.strides.output import iterator_strides
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Array, Tensor, attach, fresh

__all__ = [
    "absolute",
    "add",
    "conjugated",
    "div",
    "eq",
    "equal",
    "floor_divide",
    "ge",
    "gt",
    "le",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "ne",
    "neg",
    "pow",
    "refuse_zero",
    "remainder",
    "sub",
    "true_divide",
    "where",
]

_COMPLEX = (dtypes.complex64, dtypes.complex128)
_BOOL: dtype = dtypes.bool
_BOOLS = (dtypes.bool, bool)
_PAIRS = (
    ("a, b", {"a": (2, 3), "b": (2, 3)}),
    ("a, b", {"a": (2, 1), "b": (3,)}),
    ("a, b", {"a": (0, 3), "b": (1, 3)}),
    ("a, b", {"a": (), "b": (3,)}),
    ("a, 2", {"a": (2, 3)}),
    ("a, b", {"a": (2,), "b": (3,)}),
    ("a, 'x'", {"a": (2,)}),
)


def _samples(name: str, *more: str) -> tuple[Any, ...]:
    pairs = [sample(f"tk.{name}({operands})", **sizes) for operands, sizes in _PAIRS]
    return (*pairs, *(sample(call, a=(2, 3), b=(2, 3)) for call in more))


# -- helpers of derivatives ---------------------------------------------------------------------------------------


def conjugated(value: Any) -> Any:
    """The complex conjugate of a tensor or a number; real numbers are their own."""
    if isinstance(value, Tensor):
        return value.conj() if value._dtype.is_complex else value
    return value.conjugate() if isinstance(value, complex) else value


# -- choosing -----------------------------------------------------------------------------------------------------

_ABSENT: Any = type("_ABSENT", (), {"__repr__": lambda self: "..."})()
_WHERE_FUNCTION = ("Tensor condition", "Tensor condition, Tensor input, Tensor other, *, Tensor out = None")
_WHERE_METHOD = ("Tensor condition, Tensor other", "Tensor condition, Number other")


def _refuse_where(given: tuple[Any, ...], forms: tuple[str, ...]) -> None:
    raise unmatched("where", [value for value in given if value is not _ABSENT], {}, forms)


def _as_mask(condition: Tensor) -> Array:
    """The elements of a condition as truth values."""
    if condition._dtype is dtypes.uint8:
        warn(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
            "version of PyTorch. Use a boolean condition instead."
        )
    elif condition._dtype is not _BOOL:
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition._dtype.label}"
        )
    return host_array(condition) if condition._device != META else numpy.empty(0, bool)


def _choice(value: Any, kind: dtype) -> Array:
    """An operand's elements in the dtype of the result."""
    if isinstance(value, Tensor):
        return kernels.cast(host_array(value), kind)
    one = empty_strided((), (), kind, CPU)
    write_number(one, value)
    return one._nd()


def _pick(mask: Array, first: Array, second: Array, out: Array) -> None:
    """Write `first` where the mask says so, `second` elsewhere, into an array that none of them lies in."""
    if out.size >= kernels.MANY and out.itemsize <= 8:
        kernels.choose(mask.astype(bool, copy=False), first, second, out)
        return
    numpy.copyto(out, second)
    numpy.copyto(out, first, where=mask.astype(bool, copy=False))


def _where_target(operands: tuple[Any, ...], kind: dtype, out: Tensor | None) -> Tensor:
    place = check_devices(operands)
    size = broadcast_sizes(*(o._lay().size for o in operands if isinstance(o, Tensor)))
    condition, *choices = operands
    seen = [condition._lay(), *(seen_layout(o, kind) for o in choices)]
    stride = iterator_strides(size, seen)
    if out is None:
        return empty_strided(size, stride, kind, place)
    if out._dtype is not kind:
        raise RuntimeError(f"Expected out type to be {kind.label} but got {out._dtype.label}")
    check_memory(out, operands)
    return prepare_out(out, size, stride, kind, place)


#: Of fewer elements in the mask and the first of the two, no loop is asked for.
_SEVERAL = 64


def _where_by_loop(condition: Tensor, input: Tensor, other: Tensor) -> Tensor | None:
    """The choice between tensors of one dtype, of some hundreds of elements, by a compiled loop; None for others."""
    mask, first, second, kind = condition._array, input._array, other._array, input._dtype
    if mask is None or first is None or second is None or kind is not other._dtype:
        return None
    if condition._dtype is not _BOOL or mask.size >= kernels.MANY or mask.size + first.size < _SEVERAL:
        return None
    if condition._solid and input._solid and other._solid and mask.shape == first.shape == second.shape:
        choose = ufuncs.choose.of(first)
        return None if choose is None else fresh(choose(mask, first, second), kind)
    lies = place_of((condition, input, other), kind) if mask.ndim and first.ndim and second.ndim else None
    if lies is None:
        return None
    if lies.plane and kind.numpy.char in strided_2d.choose.signatures:
        made = numpy.empty(lies.layout.size, kind.numpy)
        if strided_2d.choose.into(made, mask, first, second):
            return fresh(made, kind)
    choose = ufuncs.choose.of(first)
    return None if choose is None else placed(choose(mask, first, second), kind, lies)


def _where_quickly(condition: Tensor, input: Any, other: Any) -> Tensor | None:
    """The choice between two tensors of one dtype, or one and a number, of few elements; None for all others."""
    if input.__class__ is other.__class__ is Tensor:
        found = _where_by_loop(condition, input, other)
        if found is not None:
            return found
    if condition._dtype is not _BOOL or condition._device is not CPU:
        return None
    mask = condition._nd()
    if mask.size >= kernels.MANY or not mask.ndim:
        return None
    kind: Any = None
    arrays: list[Any] = [mask]
    solid = condition._solid or mask.size == 1
    for value in (input, other):
        if value.__class__ is Tensor:
            if kind is None:
                kind = value._dtype
            elif kind is not value._dtype:
                return None
            if value._device is not CPU or value._bits:
                return None
            array = value._nd()
            if not array.ndim:
                return None
            solid = solid and (value._solid or array.size == 1) and array.shape == mask.shape
            arrays.append(array)
        else:
            arrays.append(value)
    if kind is None:
        return None
    for place, value in ((1, input), (2, other)):
        if value.__class__ is not Tensor:
            if (
                kind.category == 0
                or kind.category < 2 <= dtypes.of_number(value).category
                or not holds(kind, value)
            ):
                return None
            arrays[place] = numpy.array(value, kind.numpy)
    if solid and mask.size == 1 and input.__class__ is other.__class__:
        return fresh(arrays[1 if mask.item() else 2].copy(), kind)
    swift = ufuncs.choose.of(arrays[1 if input.__class__ is Tensor else 2])
    choose = numpy.where if swift is None else swift
    if solid:
        return fresh(choose(*arrays), kind)
    lies = place_of((condition, input, other), kind)
    if lies is None:
        return None
    for place in lies.packed if swift is None else ():
        arrays[place] = arrays[place].copy("K")
    return placed(choose(*arrays), kind, lies)


def _where_body(condition: Tensor, input: Any, other: Any, out: Tensor | None = None) -> Tensor:
    if out is None and (quick := _where_quickly(condition, input, other)) is not None:
        return quick
    kind = result_dtype(input, other)
    mask = _as_mask(condition)
    target = _where_target((condition, input, other), kind, out)
    if target._device == META:
        if not (isinstance(input, Tensor) and isinstance(other, Tensor)):
            raise MissingKernelError("Cannot copy out of meta tensor; no data!")
        return target
    first, second = _choice(input, kind), _choice(other, kind)
    if target._device == CPU and out is None:
        _pick(mask, first, second, target._nd())
    else:
        chosen = fresh(numpy.ascontiguousarray(numpy.where(mask, first, second)), kind)
        copy_into(target, to_device(chosen, target._device))
    if out is not None:
        target._bump()
    return target


def _where_input(g: Any, c: Any) -> Any:
    return where(c.condition, g, 0)


def _where_other(g: Any, c: Any) -> Any:
    return where(c.condition, 0, g)


_where_recorded = differentiable(
    _where_body,
    Rule(
        "WhereBackward0",
        numbers_count=True,
        input=_where_input,
        other=_where_other,
    ),
    "where",
    "pointwise",
)


def _where_at_once(condition: Any = None, input: Any = None, other: Any = None, *more: Any) -> Tensor | None:
    if more or not condition.__class__ is input.__class__ is other.__class__ is Tensor:
        return None
    return None if wants_grad(input) or wants_grad(other) else _where_by_loop(condition, input, other)


@op(
    samples=(
        sample("tk.where(a > 0, a, b)", a=(2, 3), b=(2, 3)),
        sample("tk.where(a.ne(0), b, a)", a=(2, 1), b=(3,)),
        sample("tk.where(a.eq(a), 2, b)", a=(2, 3), b=(3,)),
        sample("tk.where(a.ne(2), b, 0.5)", a=(2, 3), b=(2, 1)),
        sample("tk.where(a.ne(2), 1, 0)", a=(2, 3)),
        sample("a.where(b.ne(0), 3)", a=(2, 3), b=(3,)),
        sample("a.where(b.ne(1), b)", a=(2, 3), b=(2, 3)),
        sample("a.where(condition=b.ne(0), other=a)", a=(3,), b=(3,)),
        sample("tk.where(a, a, b)", a=(2, 3), b=(3,)),
        sample("tk.where(a.ne(0), b, a)", a=(2,), b=(3,)),
        sample("tk.where(a.ne(0), a, b, out=tk.empty(0))", a=(2,), b=(2,)),
        sample("tk.where(a.ne(0), a)", a=(2,)),
        sample("tk.where(a.ne(0), a, 'x')", a=(2,)),
        sample("a.where(2, a)", a=(2,)),
    ),
    kind="pointwise",
    methods=(),
    first=_where_at_once,
)
def where(
    condition: Any = _ABSENT, input: Any = _ABSENT, other: Any = _ABSENT, *, out: Tensor | None = None
) -> Any:
    """`input` where the condition holds, `other` elsewhere: unlike a product it lets no nan or inf through.

    Args:
        condition: a bool tensor.
        input, other: tensors of sizes that broadcast with it, or numbers; without them, the indices of the elements
            that are not zero are returned, one tensor for each dimension.
        out: a tensor to write the result into.

    Returns:
        A tensor of the broadcast size and the dtype that `input` and `other` promote to.

    Raises:
        RuntimeError: when the condition is not of bool, or the sizes do not broadcast.

    >>> import tensorkit as tk
    >>> t = tk.tensor([-1.5, 0.5, 2.0])
    >>> tk.where(t > 0, t, 0)
    tensor([0.0000, 0.5000, 2.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.where.html
    """
    if not isinstance(condition, Tensor):
        _refuse_where((condition, input, other), _WHERE_FUNCTION)
    if input is _ABSENT and other is _ABSENT:
        return condition.nonzero(as_tuple=True)
    if not isinstance(input, (Tensor, *NUMBERS)) or not isinstance(other, (Tensor, *NUMBERS)):
        _refuse_where((condition, input, other), _WHERE_FUNCTION)
    if out is None:
        return _where_recorded(condition, input, other)
    for value, label, place in ((input, "input", 2), (other, "other", 3)):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"where(): argument '{label}' (position {place}) must be Tensor, not {type_name(value)}"
            )
    if not isinstance(out, Tensor):
        raise TypeError(f"where(): argument 'out' must be Tensor, not {type_name(out)}")
    return _where_recorded(condition, input, other, out=out)


def _where_method(input: Tensor, condition: Any = _ABSENT, other: Any = _ABSENT) -> Tensor:
    """This tensor's elements where the condition holds, those of `other` elsewhere; see ``tensorkit.where``."""
    if not isinstance(condition, Tensor) or not isinstance(other, (Tensor, *NUMBERS)):
        _refuse_where((condition, other), _WHERE_METHOD)
    return _where_recorded(condition, input, other)  # type: ignore[no-any-return]


attach("where", traced_method("where", _where_method))


def _scaled(g: Any, alpha: Any) -> Any:
    return g if alpha == 1 else times(g, alpha.conjugate() if isinstance(alpha, complex) else alpha)


def _by_number(stem: str, tensor: int, number: int) -> Any:
    """A node name that tells whether the second operand was a tensor or a number."""

    def name(arguments: dict[str, Any]) -> str:
        other = arguments.get("other", arguments.get("exponent"))
        return f"{stem}{tensor if isinstance(other, Tensor) else number}"

    return name


# -- arithmetic ---------------------------------------------------------------------------------------------------

add = binary(
    Pointwise("add", numpy.add, lambda a, b: a + b, kernel="add_stub", alpha=True),
    operators=("__add__", "__radd__", "__iadd__"),
    derivative=Rule(
        "AddBackward0", numbers_count=True, input=lambda g, c: g, other=lambda g, c: _scaled(g, c.alpha)
    ),
    samples=_samples(
        "add",
        "tk.add(a, b, alpha=2)",
        "a + b",
        "a + 1.5",
        "a + 0.1",
        "2 + a",
        "a.add_(b)",
        "a.add_(1.5)",
        "tk.add(a, b, out=tk.empty(0))",
    ),
    doc="""Add, element by element: ``input + alpha * other``.

    Args:
        input, other: tensors of sizes that broadcast together, or a tensor and a number.
        alpha: a factor for `other`. out: a tensor to write the result into.

    Returns:
        A tensor of the broadcast size and the promoted dtype.

    Raises:
        RuntimeError: when the sizes do not broadcast, or the tensors live on different devices.

    >>> import tensorkit as tk
    >>> tk.tensor([1, 2]) + tk.tensor([[10], [20]])
    tensor([[11, 12],
            [21, 22]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.add.html
    """,
)


def _no_bools(*operands: Any) -> None:
    for operand in operands:
        if (operand._dtype if operand.__class__ is Tensor else operand.__class__) in _BOOLS:
            break
    else:
        return
    kinds = [o._dtype is _BOOL if isinstance(o, Tensor) else isinstance(o, bool) for o in operands]
    if all(kinds):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if any(kinds):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )


def _sub_name(arguments: dict[str, Any]) -> str:
    return "SubBackward0" if isinstance(arguments["input"], Tensor) else "RsubBackward1"


sub = binary(
    Pointwise("sub", numpy.subtract, lambda a, b: a - b, kernel="add_stub", alpha=True, check=_no_bools),
    aliases=("subtract",),
    operators=("__sub__", "__rsub__", "__isub__"),
    derivative=Rule(
        _sub_name, numbers_count=True, input=lambda g, c: g, other=lambda g, c: _scaled(-g, c.alpha)
    ),
    samples=_samples("sub", "tk.sub(a, b, alpha=2)", "a - b", "5 - a", "a.sub_(b)"),
    doc="""Subtract, element by element: ``input - alpha * other``. Refused for bool, as in PyTorch.

    >>> import tensorkit as tk
    >>> 5 - tk.arange(3)
    tensor([5, 4, 3])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sub.html
    """,
)

mul = binary(
    Pointwise("mul", numpy.multiply, lambda a, b: a * b, kernel="mul_cpu", lacks=(), exact_divisor=True),
    aliases=("multiply",),
    operators=("__mul__", "__rmul__", "__imul__"),
    derivative=Rule(
        "MulBackward0",
        numbers_count=True,
        input=lambda g, c: g * conjugated(c.other),
        other=lambda g, c: g * conjugated(c.input),
    ),
    samples=_samples("mul", "a * b", "a * 0.1", "3 * a", "a.mul_(b)", "a.mul_(0.5)"),
    doc="""Multiply, element by element.

    >>> import tensorkit as tk
    >>> tk.arange(3) * 0.5
    tensor([0.0000, 0.5000, 1.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.mul.html
    """,
)


def _integers(a: Array) -> bool:
    return a.dtype.kind in "iub"


def refuse_zero(divisor: Array) -> None:
    if not (divisor.all() if divisor.ndim else divisor):
        raise RuntimeError("ZeroDivisionError")


@kernels.looped(f=elementwise_compiled.floored, d=elementwise_compiled.wide_floored)
def _floor_divide(a: Array, b: Array) -> Array:
    if _integers(a):
        refuse_zero(b)
    return _half_floored(a, b) if a.dtype.itemsize == 2 and not _integers(a) else numpy.floor_divide(a, b)


def _half_floored(a: Array, b: Array) -> Array:
    """C's way to divide and round down, in 16-bit numbers: PyTorch rounds to 16 bits after every step."""
    rest = numpy.fmod(a, b)
    quotient = (a - rest) / b
    quotient = numpy.where((rest != 0) & ((b < 0) != (rest < 0)), quotient - 1, quotient)
    whole = numpy.floor(quotient)
    whole = numpy.where(quotient - whole > 0.5, whole + 1, whole)
    plain = a / b
    whole = numpy.where(quotient != 0, whole, numpy.copysign(numpy.zeros((), a.dtype), plain))
    return numpy.where(b == 0, plain, whole)


@kernels.looped(f=elementwise_compiled.cut_quotient, d=elementwise_compiled.cut_quotient)
def _trunc_divide(a: Array, b: Array) -> Array:
    if not _integers(a):
        return numpy.trunc(numpy.divide(a, b))
    refuse_zero(b)
    quotient = numpy.floor_divide(a, b)
    inexact = quotient * b != a
    return quotient + (inexact & ((a < 0) != (b < 0))).astype(quotient.dtype)  # type: ignore[no-any-return]


@kernels.looped(f=elementwise_compiled.signed_rest, d=elementwise_compiled.wide_signed_rest)
def _remainder(a: Array, b: Array) -> Array:
    """The remainder with the divisor's sign. A zero keeps the sign that C's ``fmod`` gives it, as in PyTorch."""
    if _integers(a):
        refuse_zero(b)
        return numpy.remainder(a, b)
    rest = numpy.fmod(a, b)
    return numpy.where((rest != 0) & ((b < 0) != (rest < 0)), rest + b, rest)


def _quotient(g: Any, c: Any) -> Any:
    if c.arguments.get("rounding_mode") is not None:
        return g.new_zeros(g.size())
    return g / conjugated(c.other)


def _quotient_other(g: Any, c: Any) -> Any:
    if c.arguments.get("rounding_mode") is not None:
        return g.new_zeros(g.size())
    return -g * conjugated((c.input / c.other) / c.other)


def _div_name(arguments: dict[str, Any]) -> str:
    return "DivBackward0" if arguments.get("rounding_mode") is None else "DivBackward2"


_DIVIDED = Rule(_div_name, numbers_count=True, input=_quotient, other=_quotient_other)


_true_divide: Pointwise = Pointwise(
    "div",
    numpy.true_divide,
    lambda a, b: a / b,
    result="float",
    kernel="div_true_cpu",
    lacks=(),
    exact_divisor=True,
)
_floored = Pointwise(
    "div",
    _floor_divide,
    lambda a, b: a // b,
    kernel="div_floor_cpu",
    lacks=(*LIMITED, *_COMPLEX, _BOOL),
    exact_half=True,
    exact_divisor=True,
)
_truncated = Pointwise(
    "div",
    _trunc_divide,
    None,
    kernel="div_trunc_cpu",
    lacks=(*LIMITED, *_COMPLEX, _BOOL),
    exact_half=True,
    exact_divisor=True,
)

true_divide = binary(
    Pointwise(
        "true_divide",
        numpy.true_divide,
        lambda a, b: a / b,
        result="float",
        kernel="div_true_cpu",
        lacks=(),
        overloaded=True,
        exact_divisor=True,
    ),
    operators=("__truediv__", "__itruediv__", "__div__", "__idiv__"),
    derivative=_DIVIDED,
    samples=_samples("true_divide", "a / b", "a / 2", "1 / a", "a.true_divide_(b)"),
    doc="""Divide, element by element; integers give floating point numbers.

    >>> import tensorkit as tk
    >>> tk.tensor([1, 2]) / 4
    tensor([0.2500, 0.5000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.true_divide.html
    """,
)

_ROUNDED = {None: _true_divide, "floor": _floored, "trunc": _truncated}


def _rounded(mode: Any) -> Pointwise:
    if mode not in _ROUNDED:
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{mode}'"
        )
    return _ROUNDED[mode]


def _check_divisor(other: Any, position: int) -> None:
    if not isinstance(other, (Tensor, *NUMBERS)):
        raise TypeError(
            f"div(): argument 'other' (position {position}) must be Tensor, not {type_name(other)}"
        )


@op(
    samples=_samples(
        "div",
        "tk.div(a, b, rounding_mode='floor')",
        "a.div(b, rounding_mode='trunc')",
        "tk.div(a, b, rounding_mode='x')",
    ),
    kind="pointwise",
    aliases=("divide",),
    methods=(),
    derivative=_DIVIDED,
)
def div(input: Any, other: Any, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """Divide, element by element.

    Args:
        rounding_mode: ``None`` gives floating point numbers; ``"floor"`` rounds down, ``"trunc"`` towards zero.

    Raises:
        RuntimeError: for another mode, and ``ZeroDivisionError`` when integers are rounded after dividing by zero.

    >>> import tensorkit as tk
    >>> tk.div(tk.tensor([-7, 7]), 2, rounding_mode="trunc")
    tensor([-3,  3])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.div.html
    """
    _check_divisor(other, 2)
    if not isinstance(input, (Tensor, *NUMBERS)):
        raise TypeError  # said in PyTorch's words by whoever wraps the operation
    return apply(_rounded(rounding_mode), (input, other), out=out)


def _method_div(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Divide, element by element; see the function of the same name."""
    _check_divisor(other, 1)
    return div(input, other, rounding_mode=rounding_mode)


def _method_div_(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """In-place form of ``div``: the result is written into this tensor."""
    _check_divisor(other, 1)
    arguments = {"input": input, "other": other, "rounding_mode": rounding_mode}

    def body() -> Tensor:
        return apply(_rounded(rounding_mode), (input, other), inplace=True)

    if wants_grad(input) or wants_grad(other):
        return recorded_call(_DIVIDED, "div_", arguments, body, "inplace")  # type: ignore[no-any-return]
    return body()


floor_divide = binary(
    Pointwise(
        "floor_divide",
        _floor_divide,
        lambda a, b: a // b,
        overloaded=True,
        kernel="div_floor_cpu",
        lacks=(*LIMITED, *_COMPLEX, _BOOL),
        exact_half=True,
        exact_divisor=True,
    ),
    operators=("__floordiv__", "__rfloordiv__", "__ifloordiv__"),
    derivative=not_implemented("floor_divide"),
    inplace_derivative=not_implemented("floor_divide_"),
    samples=_samples("floor_divide", "a // b", "a // 2", "7 // a", "a.floor_divide_(b)"),
    doc="""Divide and round down, element by element.

    Raises:
        RuntimeError: ``ZeroDivisionError`` for integers divided by zero.

    >>> import tensorkit as tk
    >>> tk.tensor([-7, 7]) // 2
    tensor([-4,  3])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.floor_divide.html
    """,
)

remainder = binary(
    Pointwise(
        "remainder",
        _remainder,
        lambda a, b: a % b,
        overloaded=True,
        kernel="remainder_cpu",
        lacks=(*LIMITED, *_COMPLEX, _BOOL),
    ),
    operators=("__mod__", "__rmod__", "__imod__"),
    first="mixed",
    derivative=Rule(
        _by_number("RemainderBackward", 1, 0),
        input=lambda g, c: g,
        other=lambda g, c: -g * div(c.input, c.other, rounding_mode="floor"),
    ),
    samples=_samples("remainder", "a % b", "a % 3", "7 % a", "a.remainder_(b)"),
    doc="""The remainder of a division rounded down: it has the sign of the divisor, as Python's ``%``.

    >>> import tensorkit as tk
    >>> tk.tensor([-7, 7]) % 3
    tensor([2, 1])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.remainder.html
    """,
)


def _cube(base: Any) -> Any:
    result = numpy.multiply(base, base)
    return numpy.multiply(result, base)


_HALVES = (dtypes.float16.numpy, dtypes.bfloat16.numpy)


def _known_power(base: Any, exponent: Any) -> bool:
    """Whether PyTorch copies the base or writes ones: the exponent is the number 0 or 1, or the base is 1."""
    if isinstance(base, Tensor):
        return not isinstance(exponent, Tensor) and exponent in (0, 1)
    return base is not True and base == 1


def _power(base: Array, exponent: Array) -> Any:
    if base.dtype.kind == "b":
        return base | ~exponent
    if base.dtype.kind == "c":
        return complex_power(base, exponent)
    if base.dtype in _HALVES:
        return half_power(base, exponent)
    if exponent.ndim == 0 and exponent in (2, 3):
        return numpy.square(base) if exponent == 2 else _cube(base)
    if not _integers(base):
        if exponent.ndim == 0 and exponent == -0.5:
            return numpy.divide(1, numpy.sqrt(base), dtype=base.dtype)  # of -0.0 and -inf it is not the power
        few = base.dtype.char == "f" and max(base.size, exponent.size) <= kernels.BY_EYE
        return numpy.power(base, exponent, dtype="d").astype("f") if few else numpy.power(base, exponent)
    negative = exponent < 0
    if not negative.any():
        return numpy.power(base, exponent)
    # C has no fractions of integers: only 1 and -1 have integer reciprocals, all else becomes 0.
    whole = numpy.power(base, numpy.where(negative, 0, exponent).astype(base.dtype))
    odd = numpy.where(exponent % 2 == 0, 1, -1)
    reciprocal = numpy.where(base == 1, 1, numpy.where(base == -1, odd, 0))
    return numpy.where(negative, reciprocal, whole).astype(base.dtype)


def _check_power(*operands: Any) -> None:
    base, exponent = operands
    whole = isinstance(base, Tensor) and base._dtype.category < 2
    if whole and isinstance(exponent, int) and exponent < 0 and result_dtype(*operands).category < 2:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if isinstance(base, Tensor) and isinstance(exponent, (int, float)):
        kind = result_dtype(*operands)
        if kind is not dtypes.float32:  # whose exponent PyTorch keeps as a double
            check_number(exponent, kind, narrow=True)


_NUMBERS = (bool, int, float, complex)


def _pow_name(arguments: dict[str, Any]) -> str:
    if not isinstance(arguments["exponent"], Tensor):
        return "PowBackward0"
    return "PowBackward1" if isinstance(arguments["input"], Tensor) else "PowBackward2"


def _pow_base(g: Any, c: Any) -> Any:
    base, exponent = c.input, c.exponent
    if not isinstance(exponent, Tensor):
        if exponent == 0:
            return base.new_zeros(g.size())
        return g * conjugated(times(base.pow(exponent - 1), exponent))
    _ = (
        c.out
    )  # PyTorch keeps the power for the exponent's sake, and asks whether it is unwritten for the base's too
    steep = g * conjugated(exponent * base.pow(exponent - 1))
    return where(exponent.eq(0), 0, steep)


def _log(number: Any, out: Any) -> Any:
    """The logarithm of a number that is not 0, as a factor of the power that it was raised to."""
    if isinstance(number, complex) or out.is_complex():
        return cmath.log(number)
    return math.log(number) if number > 0 else math.nan


def _pow_exponent(g: Any, c: Any) -> Any:
    base = c.input
    if not isinstance(base, Tensor):
        if base != 0:
            return g * conjugated(times(c.out, _log(base, c.out)))
        base = c.exponent.new_full((), base)
    real = c.exponent.real if c.exponent.is_complex() else c.exponent
    flat = base.eq(0) * real.ge(0)
    if c.exponent.is_complex():
        flat = flat * c.exponent.imag.eq(0)
    return g * where(flat, 0, conjugated(c.out * base.to(c.out.dtype).log()))


_CUBE = rowwise.Swift(loops.cube, _cube)


def _as_product(inputs: Any, out: Array) -> Any:
    base, exponent = inputs
    if numpy.ndim(exponent) or exponent not in (2, 3) or out.dtype.kind == "c" or out.dtype in _HALVES:
        return None
    return (numpy.square if exponent == 2 else _CUBE), (base,)


kernels.shortcut(_power, _as_product)
_power.apart = {2: strided_2d.APART[numpy.square]}.get  # type: ignore[attr-defined]

pow = binary(
    Pointwise(
        "pow",
        _power,
        lambda a, b: a**b,
        kernel="pow",
        lacks=(*LIMITED, _BOOL),
        spared=_known_power,
        check=_check_power,
        overloaded=True,
        numbers_apart=True,
        exact_half=True,
    ),
    operators=("__pow__", "__rpow__", "__ipow__"),
    second="exponent",
    first="mixed",
    derivative=Rule(
        _pow_name,
        unread=lambda given: frozenset(("out",) if isinstance(given.get("exponent"), _NUMBERS) else ()),
        input=_pow_base,
        exponent=_pow_exponent,
    ),
    rounded=1,
    samples=_samples("pow", "a ** b", "a ** 2", "2 ** a", "a.pow_(2)", "a ** -1"),
    doc="""Raise to a power, element by element.

    Raises:
        RuntimeError: for integers with a negative integer exponent.

    >>> import tensorkit as tk
    >>> 2 ** tk.arange(4)
    tensor([1, 2, 4, 8])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.pow.html
    """,
)


def _no_bool_negation(*operands: Any) -> None:
    if operands[0]._dtype is _BOOL:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )


neg = unary(
    Pointwise("neg", numpy.negative, lambda a: -a, kernel="neg_cpu", check=_no_bool_negation, exact_out=True),
    aliases=("negative",),
    operators=("__neg__",),
    derivative=Rule("NegBackward0", input=lambda g, c: -g),
    samples=(
        sample("tk.neg(a)", a=(2, 3)),
        sample("-a", a=()),
        sample("a.neg_()", a=(2,)),
        sample("tk.neg(a, out=tk.empty(0))", a=(3,)),
    ),
    doc="""Change the sign of every element. Refused for bool.

    >>> import tensorkit as tk
    >>> -tk.arange(3)
    tensor([ 0, -1, -2])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.neg.html
    """,
)


def _no_complex_abs(input: Tensor) -> None:
    if input._dtype.is_complex:
        raise RuntimeError("In-place abs is not supported for complex tensors.")


absolute = unary(
    Pointwise(
        "abs",
        numpy.absolute,
        lambda a: abs(a),
        result="real",
        kernel="abs_cpu",
        lacks=(*LIMITED, _BOOL),
        exact_out=True,
        inplace_check=_no_complex_abs,
    ),
    aliases=("absolute",),
    operators=("__abs__",),
    derivative=Rule("AbsBackward0", input=lambda g, c: g * c.input.sgn()),
    samples=(sample("tk.abs(a)", a=(2, 3)), sample("abs(a)", a=(2,)), sample("a.abs_()", a=(2,))),
    doc="""The absolute value of every element; of a complex number, its length.

    >>> import tensorkit as tk
    >>> tk.abs(tk.tensor([-1.5, 2]))
    tensor([1.5000, 2.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.abs.html
    """,
)


def _no_complex(name: str) -> Any:
    def check(*operands: Any) -> None:
        if any(isinstance(o, Tensor) and o._dtype.is_complex for o in operands):
            raise RuntimeError(f"{name} not implemented for complex tensors.")

    return check


def _shared(g: Any, a: Any, b: Any, loses: Any) -> Any:
    """Nothing of the gradient to the loser; half to each of two equals; of nan nobody knows, so both get all."""
    return where(a.eq(b), over(g, 2), g).masked_fill_(loses, 0)


maximum = binary(
    Pointwise(
        "maximum",
        numpy.maximum,
        lambda a, b: a if a != a or a > b else b,
        kernel="maximum_cpu",
        check=_no_complex("maximum"),
    ),
    inplace=False,
    numbers=False,
    first="tensor",
    derivative=Rule(
        "MaximumBackward0",
        input=lambda g, c: _shared(g, c.input, c.other, c.input.lt(c.other)),
        other=lambda g, c: _shared(g, c.input, c.other, c.other.lt(c.input)),
    ),
    samples=_samples("maximum")[:4],
    doc="""The larger of two tensors, element by element; nan wins.

    >>> import tensorkit as tk
    >>> tk.maximum(tk.tensor([1, 5]), tk.tensor([3, 2]))
    tensor([3, 5])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.maximum.html
    """,
)

minimum = binary(
    Pointwise(
        "minimum",
        numpy.minimum,
        lambda a, b: a if a != a or a < b else b,
        kernel="minimum_cpu",
        check=_no_complex("minimum"),
    ),
    inplace=False,
    numbers=False,
    first="tensor",
    derivative=Rule(
        "MinimumBackward0",
        input=lambda g, c: _shared(g, c.input, c.other, c.input.gt(c.other)),
        other=lambda g, c: _shared(g, c.input, c.other, c.other.gt(c.input)),
    ),
    samples=_samples("minimum")[:4],
    doc="""The smaller of two tensors, element by element; nan wins.

    >>> import tensorkit as tk
    >>> tk.minimum(tk.tensor([1, 5]), tk.tensor([3, 2]))
    tensor([1, 2])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.minimum.html
    """,
)

# -- comparison ---------------------------------------------------------------------------------------------------


def _comparison(name: str, ufunc: Any, body: Any, *, ordered: bool) -> Pointwise:
    lacks = (*LIMITED, *_COMPLEX) if ordered else ()
    return Pointwise(name, ufunc, body, result="bool", kernel=f"{name}_cpu", lacks=lacks, overloaded=True)


def _constant(name: str) -> Rule:
    """Of a comparison written into a tensor of floats: zeros and ones, that do not change with the operands."""
    return Rule(
        _by_number(f"{name.capitalize()}Backward", 1, 0),
        input=lambda g, c: g.new_zeros(g.size()),
        other=lambda g, c: g.new_zeros(g.size()),
    )


_COMPARED = """{sentence}, element by element.

    Returns:
        A bool tensor of the broadcast size.

    >>> import tensorkit as tk
    >>> tk.tensor([1, 2, 3]) {symbol} 2
    tensor([{answer}])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """

eq = binary(
    _comparison("eq", numpy.equal, lambda a, b: a == b, ordered=False),
    inplace_derivative=_constant("eq"),
    first="tensor",
    operators=("__eq__",),
    samples=_samples("eq", "a == b", "a == 1", "a == 'x'", "a.eq_(b)"),
    doc=_COMPARED.format(
        sentence="Whether the two are equal", symbol="==", answer="False,  True, False", name="eq"
    ),
)
ne = binary(
    _comparison("ne", numpy.not_equal, lambda a, b: a != b, ordered=False),
    inplace_derivative=_constant("ne"),
    first="tensor",
    aliases=("not_equal",),
    operators=("__ne__",),
    samples=_samples("ne", "a != b", "a != 1"),
    doc=_COMPARED.format(
        sentence="Whether the two differ", symbol="!=", answer=" True, False,  True", name="ne"
    ),
)
lt = binary(
    _comparison("lt", numpy.less, lambda a, b: a < b, ordered=True),
    inplace_derivative=_constant("lt"),
    first="tensor",
    aliases=("less",),
    operators=("__lt__",),
    samples=_samples("lt", "a < b", "1 < a", "a < 1.5"),
    doc=_COMPARED.format(
        sentence="Whether the first is smaller", symbol="<", answer=" True, False, False", name="lt"
    ),
)
le = binary(
    _comparison("le", numpy.less_equal, lambda a, b: a <= b, ordered=True),
    inplace_derivative=_constant("le"),
    first="tensor",
    aliases=("less_equal",),
    operators=("__le__",),
    samples=_samples("le", "a <= b"),
    doc=_COMPARED.format(
        sentence="Whether the first is at most the second",
        symbol="<=",
        answer=" True,  True, False",
        name="le",
    ),
)
gt = binary(
    _comparison("gt", numpy.greater, lambda a, b: a > b, ordered=True),
    inplace_derivative=_constant("gt"),
    first="tensor",
    aliases=("greater",),
    operators=("__gt__",),
    samples=_samples("gt", "a > b", "a > 3"),
    doc=_COMPARED.format(
        sentence="Whether the first is larger", symbol=">", answer="False, False,  True", name="gt"
    ),
)
ge = binary(
    _comparison("ge", numpy.greater_equal, lambda a, b: a >= b, ordered=True),
    inplace_derivative=_constant("ge"),
    first="tensor",
    aliases=("greater_equal",),
    operators=("__ge__",),
    samples=_samples("ge", "a >= b"),
    doc=_COMPARED.format(
        sentence="Whether the first is at least the second",
        symbol=">=",
        answer="False,  True,  True",
        name="ge",
    ),
)


_FEW = 16  # elements, which Python compares faster than NumPy begins to


@op(
    samples=(
        sample("tk.equal(a, b)", a=(2, 3), b=(2, 3)),
        sample("a.equal(a)", a=(2,)),
        sample("tk.equal(a, b)", a=(2,), b=(3,)),
        sample("tk.equal(a, 2)", a=(2,)),
    ),
    kind="reduce",
)
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same size and equal elements.

    >>> import tensorkit as tk
    >>> m = tk.tensor([[3, 1, 2], [4, 1, 7]])
    >>> tk.equal(m.t(), m.transpose(0, 1))
    True

    Source: https://docs.pytorch.org/docs/stable/generated/torch.equal.html
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"equal(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    if not isinstance(other, Tensor):
        raise TypeError(f"equal(): argument 'other' (position 2) must be Tensor, not {type_name(other)}")
    x, y = input._array, other._array
    if x is not None and y is not None and input._dtype is other._dtype and x.size < _FEW:
        return x.shape == y.shape and bool(x.tolist() == y.tolist())
    check_devices((input, other))
    if input._lay().size != other._lay().size:
        return False
    kind = dtypes.promote_types(input._dtype, other._dtype)
    a, b = to_dtype(input, kind), to_dtype(other, kind)
    return bool(numpy.array_equal(host_array(a), host_array(b)))


def _divide_number(self: Tensor, other: Any) -> Any:
    """``number / tensor``: the reciprocals, times the number, as PyTorch does it."""
    return self.reciprocal() * other if isinstance(other, (*NUMBERS, Tensor)) else NotImplemented


def _attach_division() -> None:
    for name in ("__rtruediv__", "__rdiv__"):
        attach(name, traced_method(name, _divide_number))
    from_function = (
        ("div", _method_div),
        ("divide", _method_div),
        ("div_", _method_div_),
        ("divide_", _method_div_),
    )
    for name, body in from_function:
        attach(name, traced_method(name, body))


_attach_division()
