"""Angles: trigonometric and hyperbolic functions, their inverses, degrees and radians."""

# The decorated bodies compute one element, where their signatures say `Tensor`.
# mypy: disable-error-code="return-value, operator, arg-type, no-any-return, comparison-overlap"

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable
from tensorkit.elementwise.apply import apply
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.unary import unary
from tensorkit.kernels.cpu import elementwise
from tensorkit.kernels.scalars import elementary as scalars
from tensorkit.kernels.scalars.arithmetic import MULTIPLY
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.scalar_arithmetic import less_from, minus, plus, times
from tensorkit.tensor import Array, Tensor

# -- trigonometric ------------------------------------------------------------------------------------------------


@unary(
    elementwise.rounded_once(numpy.sin, math.sin),
    scalars.SIN,
    result="float",
    lacks=(),
    derivative=Rule("SinBackward0", input=lambda g, c: g * c.input.cos().conj()),
    rounded=1,
)
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine of every element, in radians.

    >>> tk.sin(tk.tensor([0.0, 1.5708]))
    tensor([0., 1.])
    """
    return numpy.sin(input)


@unary(
    elementwise.rounded_once(numpy.cos, math.cos),
    scalars.COS,
    result="float",
    lacks=(),
    derivative=Rule("CosBackward0", input=lambda g, c: g * -c.input.sin().conj()),
    rounded=1,
)
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine of every element, in radians.

    >>> tk.cos(tk.tensor([0.0, 1.0]))
    tensor([1.0000, 0.5403])
    """
    return numpy.cos(input)


@unary(
    elementwise.rounded_once(numpy.tan, math.tan),
    scalars.TAN,
    result="float",
    lacks=(),
    derivative=Rule("TanBackward0", input=lambda g, c: g * plus(c.out.pow(2), 1).conj()),
    rounded=1,
)
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tangent of every element, in radians.

    >>> tk.tan(tk.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5574])
    """
    return numpy.tan(input)


@unary(
    elementwise.rounded_once(numpy.arcsin, math.asin),
    scalars.ASIN,
    result="float",
    lacks=(),
    aliases=("arcsin",),
    derivative=Rule("AsinBackward0", input=lambda g, c: g * plus(-c.input * c.input, 1).rsqrt().conj()),
    rounded=1,
)
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle, from -pi/2 to pi/2, whose sine every element is; nan where there is none.

    >>> tk.asin(tk.tensor([1.0, 2.0]))
    tensor([1.5708,    nan])
    """
    return numpy.arcsin(input)


@unary(
    elementwise.rounded_once(numpy.arccos, math.acos),
    scalars.ACOS,
    result="float",
    lacks=(),
    aliases=("arccos",),
    derivative=Rule("AcosBackward0", input=lambda g, c: g * -(plus(-c.input * c.input, 1).rsqrt()).conj()),
    rounded=1,
)
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle, from 0 to pi, whose cosine every element is; nan where there is none.

    >>> tk.acos(tk.tensor([0.0, 2.0]))
    tensor([1.5708,    nan])
    """
    return numpy.arccos(input)


@unary(
    elementwise.rounded_once(numpy.arctan, math.atan),
    scalars.ATAN,
    result="float",
    lacks=(),
    aliases=("arctan",),
    derivative=Rule("AtanBackward0", input=lambda g, c: g / plus(c.input * c.input, 1).conj()),
    rounded=1,
)
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle, from -pi/2 to pi/2, whose tangent every element is.

    >>> tk.atan(tk.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7854])
    """
    return numpy.arctan(input)


# -- hyperbolic ---------------------------------------------------------------------------------------------------


@unary(
    elementwise.rounded_once(numpy.sinh, math.sinh),
    scalars.SINH,
    result="float",
    lacks=(),
    derivative=Rule("SinhBackward0", input=lambda g, c: g * c.input.cosh().conj()),
    rounded=1,
)
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine of every element.

    >>> tk.sinh(tk.tensor([0.0, 1.0]))
    tensor([0.0000, 1.1752])
    """
    return numpy.sinh(input)


@unary(
    elementwise.rounded_once(numpy.cosh, math.cosh),
    scalars.COSH,
    result="float",
    lacks=(),
    derivative=Rule("CoshBackward0", input=lambda g, c: g * c.input.sinh().conj()),
    rounded=1,
)
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine of every element.

    >>> tk.cosh(tk.tensor([0.0, 1.0]))
    tensor([1.0000, 1.5431])
    """
    return numpy.cosh(input)


# An operation of its own in the graph of the second derivative.
_tanh_back: Any = differentiable(
    lambda grad_output, output: grad_output * (1 - output.pow(2)).conj(),
    Rule(
        "TanhBackwardBackward0",
        grad_output=lambda g, c: _tanh_back(g, c.output.conj()),
        output=lambda g, c: g.conj() * (-2 * c.output.conj() * c.grad_output),
    ),
    "tanh_backward",
    "pointwise",
)


@unary(
    elementwise.rounded_once(numpy.tanh, math.tanh),
    scalars.TANH,
    result="float",
    lacks=(),
    derivative=Rule("TanhBackward0", input=lambda g, c: _tanh_back(g, c.out)),
    rounded=1,
)
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent of every element: from -1 to 1.

    >>> tk.tanh(tk.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """
    return numpy.tanh(input)


def _refused(name: str, node: str) -> Rule:
    """The rule of an in-place form that PyTorch records, but cannot differentiate."""

    def refuse(g: Any, c: Any) -> Any:
        raise NotImplementedError(f"the derivative for 'inplace version of {name}' is not implemented.")

    return Rule(node, input=refuse)


@unary(
    numpy.arcsinh,
    scalars.ASINH,
    result="float",
    lacks=(),
    aliases=("arcsinh",),
    derivative=Rule("AsinhBackward0", input=lambda g, c: g * plus(c.input.pow(2), 1).rsqrt().conj()),
    inplace_derivative=_refused("asinh", "AsinhBackward1"),
    rounded=1,
)
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose hyperbolic sine every element is.

    >>> tk.asinh(tk.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8814])
    """
    return numpy.arcsinh(input)


def _acosh_back(g: Any, c: Any) -> Any:
    if c.input.is_complex():
        return g * (plus(c.input, 1).rsqrt() * minus(c.input, 1).rsqrt()).conj()
    return g * minus(c.input.pow(2), 1).rsqrt()


@unary(
    numpy.arccosh,
    scalars.ACOSH,
    result="float",
    lacks=(),
    aliases=("arccosh",),
    derivative=Rule("AcoshBackward0", input=_acosh_back),
    inplace_derivative=_refused("acosh", "AcoshBackward1"),
    rounded=1,
)
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number from 0 on whose hyperbolic cosine every element is; nan below 1.

    >>> tk.acosh(tk.tensor([1.0, 2.0]))
    tensor([0.0000, 1.3170])
    """
    return numpy.arccosh(input)


@unary(
    elementwise.rounded_once(numpy.arctanh, math.atanh),
    scalars.ATANH,
    result="float",
    lacks=(),
    aliases=("arctanh",),
    derivative=Rule("AtanhBackward0", input=lambda g, c: times(g, 1) / less_from(1, c.input.pow(2)).conj()),
    inplace_derivative=_refused("atanh", "AtanhBackward1"),
    rounded=1,
)
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number whose hyperbolic tangent every element is; nan beyond -1 and 1.

    >>> tk.atanh(tk.tensor([0.5, 1.0]))
    tensor([0.5493,    inf])
    """
    return numpy.arctanh(input)


# -- others -------------------------------------------------------------------------------------------------------


def _sinc(a: Array) -> Array:
    angle = a * a.dtype.type(math.pi)
    ratio = numpy.divide(numpy.sin(angle), angle)
    return numpy.where(a == 0, a.dtype.type(1), ratio)


def _sinc_back(g: Any, c: Any) -> Any:
    angle = times(c.input, math.pi)
    steep = ((angle * angle.cos() - angle.sin()) / times(c.input * c.input, math.pi)).conj()
    return where(c.input.eq(0), 0, g * steep)


@unary(
    _sinc,
    scalars.SINC,
    result="float",
    lacks=(),
    derivative=Rule("SincBackward0", input=_sinc_back),
    rounded=1,
)
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sin(pi input) / (pi input)`` of every element; 1 at 0.

    >>> tk.sinc(tk.tensor([0.0, 0.5]))
    tensor([1.0000, 0.6366])
    """
    return numpy.sin(math.pi * input) / (math.pi * input) if input else 1


_DEGREE = math.pi / 180


def _scaled(name: str) -> Pointwise:
    def check(input: Any, factor: float) -> None:
        if input._dtype.is_complex:
            raise RuntimeError(f"{name} is not supported for complex tensors.")

    return Pointwise(
        name,
        numpy.multiply,
        MULTIPLY,
        result="float",
        lacks=(),
        check=check,
        like_first="always",
        exact_divisor=True,
    )


_to_radians, _to_degrees = _scaled("deg2rad"), _scaled("rad2deg")


@op(
    kind="pointwise",
    inplace=True,
    derivative=Rule("Deg2RadBackward0", input=lambda g, c: times(g, _DEGREE)),
    out_overlap="before resizing",
)
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees as radians.

    >>> tk.deg2rad(tk.tensor([180.0, 90.0]))
    tensor([3.1416, 1.5708])
    """
    return apply(_to_radians, (input, _DEGREE), out=out)


@op(
    kind="pointwise",
    inplace=True,
    derivative=Rule("Rad2DegBackward0", input=lambda g, c: times(g, 180 / math.pi)),
    out_overlap="before resizing",
)
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians as degrees.

    >>> tk.rad2deg(tk.tensor([3.1415927, 0.0]))
    tensor([180.,   0.])
    """
    return apply(_to_degrees, (input, 180 / math.pi), out=out)
