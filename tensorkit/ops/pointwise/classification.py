"""What kind of number each element is, and replacements for some: nan, infinities, negative ones."""

# The decorated bodies compute one element, where their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import Any

import ml_dtypes
import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dispatch.recording import differentiable
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.output import resize_out
from tensorkit.elementwise.unary import unary
from tensorkit.kernels.cpu import elementwise, loops, strided_2d, ufuncs
from tensorkit.kernels.jit import rowwise
from tensorkit.kernels.scalars import questions
from tensorkit.kernels.scalars.arithmetic import INVERT
from tensorkit.kernels.scalars.forms import Scalar
from tensorkit.kernels.sizes import LARGE
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.tensor import Array, Tensor

_INEXACT = tuple(kind for kind in dtypes.ALL if kind.category >= 2)


def _asks(
    name: str, question: Any, scalar: Scalar, *, whole: bool = False, check: Any = None, like_first: str = ""
) -> Pointwise:
    """A question about each element; of integers the answer is always the same."""

    def answer(a: Array) -> Array:
        return question(a) if a.dtype.kind in "fc" else numpy.full(a.shape, whole)

    return Pointwise(name, answer, scalar, result="bool", lacks=(), check=check, like_first=like_first)


@unary(_asks("isnan", numpy.isnan, questions.IS_NAN), inplace=False)
def isnan(input: Tensor) -> Tensor:
    """Whether each element is not a number.

    Returns:
        A bool tensor of the same size.

    >>> tk.isnan(tk.tensor([1.0, float("nan"), float("inf"), -float("inf")]))
    tensor([False,  True, False, False])
    """
    return input != input


@unary(_asks("isinf", numpy.isinf, questions.IS_INF, like_first="whole"), inplace=False)
def isinf(input: Tensor) -> Tensor:
    """Whether each element is infinite.

    Returns:
        A bool tensor of the same size.

    >>> tk.isinf(tk.tensor([1.0, float("nan"), float("inf"), -float("inf")]))
    tensor([False, False,  True,  True])
    """
    return abs(input) == math.inf


_finite = _asks("isfinite", numpy.isfinite, questions.IS_FINITE, whole=True, like_first="whole")


@op(kind="pointwise")
def isfinite(input: Tensor) -> Tensor:
    """Whether each element is neither infinite nor nan; of a complex number, both of its parts.

    >>> tk.isfinite(tk.tensor([1.0, float("nan"), float("inf")]))
    tensor([ True, False, False])
    """
    result = apply(_finite, (_tensor(input),))
    if input._dtype.is_complex:
        result._bump()  # PyTorch asks of one part, and writes the other's answer over that
    return result


_real = _asks("isreal", numpy.isreal, questions.IS_REAL, whole=True, like_first="always")


@op(kind="pointwise")
def isreal(input: Tensor) -> Tensor:
    """Whether each element is real: without an imaginary part.

    >>> tk.isreal(tk.tensor([1 + 1j, 2 + 0j]))
    tensor([False,  True])
    """
    return _tensor(input).imag.eq(0) if _tensor(input)._dtype.is_complex else apply(_real, (input,))


def _tensor(input: Any) -> Tensor:
    if not isinstance(input, Tensor):
        raise TypeError  # the caller says it in PyTorch's words
    return input


def _no_complex(name: str) -> Any:
    def check(input: Tensor) -> None:
        if input._dtype.is_complex:
            raise RuntimeError(f"{name} does not support complex inputs.")

    return check


def _only_bool(name: str, refuse: Any) -> Any:
    def check(input: Tensor, out: Tensor) -> None:
        refuse(input)
        if out._dtype is not dtypes.bool:
            raise RuntimeError(f"{name} does not support non-boolean outputs.")

    return check


def _isposinf(a: Array) -> Array:
    return numpy.equal(a, numpy.inf)


def _isneginf(a: Array) -> Array:
    return numpy.equal(a, -numpy.inf)


@unary(
    _asks("isposinf", _isposinf, questions.IS_POSITIVE_INF, check=_no_complex("isposinf")),
    inplace=False,
    out_check=_only_bool("isposinf", _no_complex("isposinf")),
)
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is plus infinity.

    Returns:
        A bool tensor of the same size.

    >>> tk.isposinf(tk.tensor([1.0, float("nan"), float("inf"), -float("inf")]))
    tensor([False, False,  True, False])
    """
    return input == math.inf


@unary(
    _asks("isneginf", _isneginf, questions.IS_NEGATIVE_INF, check=_no_complex("isneginf")),
    inplace=False,
    out_check=_only_bool("isneginf", _no_complex("isneginf")),
)
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is minus infinity.

    Returns:
        A bool tensor of the same size.

    >>> tk.isneginf(tk.tensor([1.0, float("nan"), float("inf"), -float("inf")]))
    tensor([False, False, False,  True])
    """
    return input == -math.inf


def _signbit(a: Array) -> Array:
    return numpy.signbit(a) if a.dtype.kind == "f" else numpy.less(a, 0)


def _no_complex_signbit(input: Tensor) -> None:
    if input._dtype.is_complex:
        raise NotImplementedError("signbit is not implemented for complex tensors.")


@unary(
    _signbit,
    questions.SIGNBIT,
    result="bool",
    lacks=(),
    check=_no_complex_signbit,
    inplace=False,
    out_check=_only_bool("signbit", _no_complex_signbit),
)
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element carries a minus sign, zeros and nan included.

    >>> tk.signbit(tk.tensor([-1.0, -0.0, 0.0]))
    tensor([ True,  True, False])
    """
    return math.copysign(1, input) < 0


# -- not ----------------------------------------------------------------------------------------------------------


def _kernel_of_not(input: Tensor, out: Tensor) -> None:
    for kind in (input._dtype, out._dtype):
        if kind in LIMITED:
            raise missing_kernel("logical_not_cpu", kind.label)


@unary(
    numpy.logical_not,
    questions.LOGICAL_NOT,
    result="bool",
    out_check=_kernel_of_not,
    inplace_derivative=Rule("unseen"),
)
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is zero.

    >>> tk.logical_not(tk.tensor([0, 2]))
    tensor([ True, False])
    """
    return not input


@unary(numpy.invert, INVERT, kernel="bitwise_not_cpu", lacks=(*LIMITED, *_INEXACT), exact_out=True)
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Every bit of every element turned round: ``-1 - input`` of integers, not of bools. It serves ``~``.

    >>> ~tk.tensor([0, 5]), ~tk.tensor([True, False])
    (tensor([-1, -6]), tensor([False,  True]))
    """
    return ~input


@op(name="__invert__", kind="pointwise", function=False)
def _invert(input: Tensor) -> Tensor:
    """``~t``: the bits of integers turned round, bools negated.

    Raises:
        TypeError: for floating point and complex numbers.

    >>> ~tk.tensor([True, False]), ~tk.tensor([0, 5])
    (tensor([False,  True]), tensor([-1, -6]))
    """
    if input._dtype.category > 1:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not(input)


# -- one number for another ---------------------------------------------------------------------------------------


def _no_bool_or_complex(input: Tensor) -> None:
    if input._dtype is dtypes.bool:
        raise RuntimeError("Boolean inputs not supported for relu")
    if input._dtype.is_complex:
        raise NotImplementedError("clamp is not supported for complex types")


@elementwise.hundreds(ufuncs.relu, strided_2d.relu)
def _relu(a: Array) -> Array:
    zero = _ZEROS.get(a.dtype.char)
    # NumPy takes the second of two equal numbers, -0.0 and 0.
    return numpy.maximum(a.dtype.type(0) if zero is None else zero, a)


_ZEROS = {char: numpy.zeros((), char) for char in "fd"}


elementwise.with_loop(_relu, loops.relu)

# An operation of its own: what it gives wants a gradient itself, one of zeros.
_relu_back: Any = differentiable(
    lambda grad_output, output: grad_output.where(output.le(0).logical_not(), 0),
    Rule(
        "ThresholdBackwardBackward0",
        grad_output=lambda g, c: _relu_back(g, c.output),
        output=lambda g, c: g.new_zeros(g.size()),
    ),
    "threshold_backward",
    "pointwise",
)


@unary(
    _relu,
    questions.RELU,
    kernel="clamp_min_scalar_cpu",
    check=_no_bool_or_complex,
    derivative=Rule("ReluBackward0", input=lambda g, c: _relu_back(g, c.out)),
)
def relu(input: Tensor) -> Tensor:
    """Every element, but 0 instead of negative ones: the rectified linear unit.

    >>> tk.relu(tk.tensor([-1.5, 2.0]))
    tensor([0., 2.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.relu.html
    """
    return 0 if input < 0 else input


def _named(arguments: dict[str, Any]) -> str:
    if arguments["input"]._dtype.is_complex:
        raise RuntimeError(
            "nan_to_num does not support automatic differentiation for outputs with complex dtype."
        )
    return "NanToNumBackward0"


@lru_cache
def _edges(kind: dtype) -> tuple[float, float]:
    """The smallest and the largest number of a dtype: of complex numbers, those of their parts."""
    if kind.category < 2:
        return 0.0, 0.0
    info = ml_dtypes.finfo(kind.to_real().numpy)  # type: ignore[no-untyped-call]
    return float(info.min), float(info.max)


def replaced(a: Array, nan: float, posinf: float | None, neginf: float | None, limits: Any) -> Array:
    if a.dtype.kind == "c":
        parts = (
            a.view(a.real.dtype)
            if a.flags.c_contiguous and a.ndim
            else numpy.ascontiguousarray(a).view(a.real.dtype)
        )
        return replaced(parts, nan, posinf, neginf, limits).view(a.dtype).reshape(a.shape)
    if a.dtype.kind != "f":
        return a.copy()
    if numpy.isfinite(a).all():
        return a.copy()
    low, high = limits
    out = numpy.where(numpy.isnan(a), a.dtype.type(nan), a)
    numpy.copyto(out, a.dtype.type(high if posinf is None else posinf), where=a == numpy.inf)
    numpy.copyto(out, a.dtype.type(low if neginf is None else neginf), where=a == -numpy.inf)
    return out


NUMBERED = Pointwise("nan_to_num", replaced, questions.NAN_TO_NUM, lacks=(), like_first="always")


@op(
    kind="pointwise",
    inplace=True,
    derivative=Rule(_named, input=lambda g, c: g * c.input.isfinite()),
    inplace_derivative=Rule("NanToNumBackward0", input=lambda g, c: g * c.input.isfinite()),
    out_overlap="before resizing",
)
@shortened("nan_to_num")
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Replace nan and the infinities by numbers.

    Args:
        nan: what stands for nan; 0 if not given.
        posinf, neginf: what stands for the infinities; the largest and the smallest number of the dtype if not given.

    >>> tk.nan_to_num(tk.tensor([float("nan"), float("inf"), 1.0]), posinf=9)
    tensor([0., 9., 1.])
    """
    nan, posinf, neginf = [plain_number(n) for n in (nan, posinf, neginf)]
    if not isinstance(input, Tensor) or not all(
        isinstance(n, (int, float, type(None))) for n in (nan, posinf, neginf)
    ):
        raise TypeError  # the caller says it in PyTorch's words
    if isinstance(out, Tensor) and out._dtype is not input._dtype:
        raise RuntimeError(
            f"nan_to_num: dtype of out: {out._dtype.label} should be same as input: {input._dtype.label}"
        )
    if out is IN_PLACE and input._dtype.category < 2:
        input._bump()  # there is nothing to replace; counted as a write all the same
        return input
    if isinstance(out, Tensor) and input._dtype.category < 2:
        resize_out(out, input._lay().size)  # row by row: there is nothing to replace, and PyTorch copies
    limits = _edges(input._dtype)
    nan = 0.0 if nan is None else nan
    body: Any = partial(replaced, nan=nan, posinf=posinf, neginf=neginf, limits=limits)
    low, high = limits
    numbers = (nan, high if posinf is None else posinf, low if neginf is None else neginf)
    if input._dtype.category == 2 and input.numel() >= LARGE:
        body = rowwise.CompiledFunction(loops.nan_to_num, lambda a, *_, whole=body: whole(a), extra=numbers)
    return apply(NUMBERED, (input,), out=out, by=body, numbers=numbers)
