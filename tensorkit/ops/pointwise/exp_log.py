"""Functions of one number: roots, exponentials and logarithms, and what is made of them."""

# The decorated bodies compute one element, where their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.unary import unary
from tensorkit.kernels.cpu import elementwise, elementwise_compiled, loops, strided_2d, tiny, ufuncs
from tensorkit.kernels.cpu.pow import half_rsqrt
from tensorkit.kernels.scalars import elementary as scalars
from tensorkit.kernels.scalars.arithmetic import RECIPROCAL
from tensorkit.kernels.sizes import IN_PYTHON
from tensorkit.ops.pointwise.power import pow
from tensorkit.ops.shared.scalar_arithmetic import plus, times
from tensorkit.tensor import Array, Tensor, attach

_LN2, _LN10 = math.log(2), math.log(10)


def _into(ufunc: Any, values: Any) -> Any:
    """The function of an array without other references, written over it; a single number gives a new one."""
    return ufunc(values, out=values) if isinstance(values, numpy.ndarray) else ufunc(values)


# -- roots --------------------------------------------------------------------------------------------------------


def _reciprocal(a: Array) -> Array:
    return numpy.divide(1, a, dtype=a.dtype)


@unary(
    _reciprocal,
    RECIPROCAL,
    result="float",
    lacks=(),
    derivative=Rule("ReciprocalBackward0", input=lambda g, c: -g * (c.out * c.out).conj()),
)
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / input``, element by element; integers give floating point numbers.

    >>> tk.reciprocal(tk.tensor([2, 4]))
    tensor([0.5000, 0.2500])
    """
    return 1 / input


@unary(
    numpy.sqrt,
    scalars.SQRT,
    result="float",
    lacks=(),
    derivative=Rule("SqrtBackward0", input=lambda g, c: g / times(c.out.conj(), 2)),
    rounded=1,
)
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square root of every element; of a negative real number it is nan.

    >>> tk.sqrt(tk.tensor([4.0, -1.0])), tk.sqrt(tk.tensor([-1 + 0j]))
    (tensor([2., nan]), tensor([0.+1.j]))
    """
    return numpy.sqrt(input)


@elementwise.hundreds(ufuncs.rsqrt, strided_2d.rsqrt)
def _rsqrt(a: Array) -> Any:
    if a.dtype.itemsize == 2:
        return half_rsqrt(a)
    root = numpy.sqrt(a)
    if not isinstance(root, numpy.ndarray):
        return 1 / root
    if root.dtype.kind == "c":  # of which NumPy's reciprocal has other digits
        return numpy.divide(1, root, out=root)
    # NumPy takes three times as long to write one element over itself.
    return numpy.reciprocal(root) if root.size == 1 else numpy.reciprocal(root, root)


elementwise.with_loop(_rsqrt, loops.rsqrt)


@unary(
    _rsqrt,
    scalars.RSQRT,
    result="float",
    lacks=(),
    exact_half=True,
    derivative=Rule("RsqrtBackward0", input=lambda g, c: times(g, -0.5) * c.out.pow(3).conj()),
    rounded=1,
)
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The reciprocal of the square root of every element.

    >>> tk.rsqrt(tk.tensor([4.0, 0.0]))
    tensor([0.5000,    inf])
    """
    return 1 / numpy.sqrt(input)


@op(kind="pointwise", out_error="pow", out_overlap="before resizing")
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square of every element: ``input ** 2``, and recorded as such.

    >>> tk.square(tk.tensor([-3, 2]))
    tensor([9, 4])
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"square(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    return pow(input, 2) if out is None else pow(input, 2, out=out)


def _square_(input: Tensor) -> Tensor:
    """In-place form of ``square``: the result is written into this tensor."""
    return input.pow_(2)


attach("square_", traced_method("square_", differentiable(_square_, None, "square_", "inplace")))

# -- exponentials -------------------------------------------------------------------------------------------------


@unary(
    elementwise.rounded_once(numpy.exp, math.exp),
    scalars.EXP,
    result="float",
    lacks=(),
    derivative=Rule("ExpBackward0", input=lambda g, c: g * c.out.conj()),
    rounded=1,
)
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e to the power of every element.

    >>> tk.exp(tk.tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])
    """
    return numpy.exp(input)


_TWO_TO = elementwise.rounded_once(numpy.exp2, math.exp2)


def _exp2(a: Array) -> Array:
    if a.dtype.kind != "c":
        return _TWO_TO(a)
    # NumPy's loop for complex numbers loses digits; times a complex number, an infinite part would spoil the other.
    scaled = numpy.empty_like(a)
    scaled.real, scaled.imag = a.real * _LN2, a.imag * _LN2
    return numpy.exp(scaled)


@unary(
    _exp2,
    scalars.EXP2,
    result="float",
    lacks=(),
    derivative=Rule("Exp2Backward0", input=lambda g, c: times(g * c.out.conj(), _LN2)),
    rounded=1,
)
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of every element.

    >>> tk.exp2(tk.tensor([0, 3, -1]))
    tensor([1.0000, 8.0000, 0.5000])
    """
    return 2**input


@unary(
    elementwise.rounded_once(numpy.expm1, math.expm1),
    scalars.EXPM1,
    result="float",
    lacks=(),
    derivative=Rule("Expm1Backward0", input=lambda g, c: g * plus(c.out.conj(), 1)),
    rounded=1,
)
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(input) - 1``, exact near 0 too.

    >>> tk.expm1(tk.tensor([0.0, 1e-10]))
    tensor([0.0000e+00, 1.0000e-10])
    """
    return numpy.expm1(input)


@elementwise.hundreds(ufuncs.sigmoid)
def _sigmoid(a: Array) -> Array:
    if a.size <= IN_PYTHON and a.dtype.char in "fd":
        try:
            return tiny.sigmoid(a)
        except OverflowError:
            pass  # NumPy has an infinity for that
    below = _into(numpy.exp, numpy.negative(a))
    below += 1
    return numpy.divide(1, below, out=below) if isinstance(below, numpy.ndarray) else 1 / below


elementwise.with_loop(_sigmoid, loops.sigmoid, "f")

# An operation of its own in the graph of the second derivative.
_sigmoid_back: Any = differentiable(
    lambda grad_output, output: grad_output * (1 - output.conj()) * output.conj(),
    Rule(
        "SigmoidBackwardBackward0",
        grad_output=lambda g, c: _sigmoid_back(g, c.output.conj()),
        output=lambda g, c: g.conj() * c.grad_output * (-2 * c.output.conj() + 1),
    ),
    "sigmoid_backward",
    "pointwise",
)


@unary(
    _sigmoid,
    scalars.SIGMOID,
    result="float",
    lacks=(),
    derivative=Rule("SigmoidBackward0", input=lambda g, c: _sigmoid_back(g, c.out)),
    rounded=1,
)
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logistic function ``1 / (1 + exp(-input))`` of every element: from 0 to 1, 0.5 at 0.

    >>> tk.sigmoid(tk.tensor([-1.0, 0.0, 1.0]))
    tensor([0.2689, 0.5000, 0.7311])
    """
    return 1 / (1 + numpy.exp(-input))


# -- logarithms ---------------------------------------------------------------------------------------------------


@unary(
    elementwise.rounded_once(numpy.log, math.log),
    scalars.LOG,
    result="float",
    lacks=(),
    derivative=Rule("LogBackward0", input=lambda g, c: g / c.input.conj()),
    rounded=1,
)
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm of every element; of 0 it is -inf, of a negative real number nan.

    >>> tk.log(tk.tensor([1.0, 0.0, -1.0]))
    tensor([0., -inf, nan])
    """
    return numpy.log(input)


@unary(
    elementwise.rounded_once(numpy.log2, math.log2),
    scalars.LOG2,
    result="float",
    lacks=(),
    derivative=Rule("Log2Backward0", input=lambda g, c: g / times(c.input.conj(), _LN2)),
    rounded=1,
)
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 2 of every element.

    >>> tk.log2(tk.tensor([8, 1]))
    tensor([3., 0.])
    """
    return numpy.log2(input)


@elementwise.looped(f=elementwise_compiled.tenths)
def _log10(a: Array) -> Array:
    if a.dtype != numpy.float32:
        return numpy.log10(a)
    # NumPy's loop for float32 makes 2.9999998 of log10(1000); PyTorch's makes 3.
    return (numpy.log(a, dtype=numpy.float64) * (1 / _LN10)).astype(numpy.float32)


@unary(
    _log10,
    scalars.LOG10,
    result="float",
    lacks=(),
    derivative=Rule("Log10Backward0", input=lambda g, c: g / times(c.input.conj(), _LN10)),
    rounded=1,
)
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 10 of every element.

    >>> tk.log10(tk.tensor([1000, 1]))
    tensor([3., 0.])
    """
    return numpy.log10(input)


_LOG1P = elementwise.rounded_once(numpy.log1p, math.log1p)


def _log1p(a: Array) -> Array:
    """NumPy's is not exact near 0 for complex numbers; this is Kahan's, with the quotient as PyTorch takes it."""
    if a.dtype.kind != "c":
        return _LOG1P(a)
    above = a + 1
    rest, whole = above - 1, numpy.log(above)
    corrected = numpy.where(rest == a, whole, whole * (a * (1 / rest)))
    return numpy.where(above == 1, a, corrected)


@unary(
    _log1p,
    scalars.LOG1P,
    result="float",
    lacks=(),
    derivative=Rule("Log1PBackward0", input=lambda g, c: g / plus(c.input, 1).conj()),
    rounded=1,
)
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + input)``, exact near 0 too.

    >>> tk.log1p(tk.tensor([0.0, 1e-10]))
    tensor([0.0000e+00, 1.0000e-10])
    """
    return numpy.log1p(input)
