"""Activations with curves: exponentials on the negative side, and what is close to `relu` without a corner."""

# A body of `pointwise` is written for one element, and so has other types than its parameters say.
# mypy: disable-error-code="return-value, operator, arg-type"

from __future__ import annotations

import math
from typing import Any

import numpy
from numpy import exp, expm1, log1p, tanh

from tensorkit.autograd.grad_mode import state
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.kernels.cpu import elementwise_compiled
from tensorkit.kernels.cpu.elementwise import looped
from tensorkit.kernels.scalars.forms import real
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.kit import (
    BUT_FLOATS,
    BUT_INEXACT,
    FUNCTIONAL,
    Array,
    Number,
    Rule,
    Tensor,
    in_place_of,
    op,
    pointwise,
)
from tensorkit.ops.nn.activation.activations import NEGATIVE_SLOPE
from tensorkit.ops.special.erf_gamma import of_scipy

# -- exponentials on the negative side ------------------------------------------------------------------------------


def _elu(input: Array, alpha: float, scale: float, input_scale: float) -> Array:
    return numpy.where(input < 0, expm1(input * input_scale) * (alpha * scale), input * scale)


def _elu_back(g: Any, c: Any) -> Any:
    at_zero, bent = c.alpha * c.scale * c.input_scale, c.input.lt(0)
    steep = (c.input.where(bent, 0) * c.input_scale).exp() * at_zero
    return g * steep.where(bent, c.scale).masked_fill(c.input.eq(0), at_zero)


def _elu_written(g: Any, c: Any) -> Any:
    if c.alpha < 0:
        raise RuntimeError(NEGATIVE_SLOPE.format("elu"))
    steep = (c.out + c.alpha * c.scale) * c.input_scale
    return g * steep.where(c.out.lt(0), c.scale).masked_fill(c.out.eq(0), c.alpha * c.scale * c.input_scale)


@pointwise(
    _elu,
    kernel="elu_cpu",
    namespace=FUNCTIONAL,
    in_place=Rule("EluBackward1", input=_elu_written),
    rounded=1,
    derivative=Rule("EluBackward0", input=_elu_back),
)
def elu(
    input: Tensor, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1, *, out: Tensor | None = None
) -> Tensor:
    """Positive elements as they are, negative ones on an exponential that ends at -`alpha`: (...) gives (...).

    Args:
        scale: all results times this. input_scale: negative elements times this first.

    >>> tk.nn.functional.elu(tk.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return expm1(input * input_scale) * (alpha * scale) if input < 0 else input * scale


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@op(rounded=1)
def selu(input: Tensor) -> Tensor:
    """`elu` with the two numbers that keep mean 0 and variance 1 from layer to layer: (...) gives (...).

    >>> tk.selu(tk.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return elu(input, _SELU_ALPHA, _SELU_SCALE)


@op(kind="inplace", rounded=1)
def selu_(input: Tensor) -> Tensor:
    """In-place form of ``selu``: the result is written into `input`, which it returns.

    >>> t = tk.tensor([-1.0, 2.0])
    >>> tk.selu_(t) is t
    True
    """
    return in_place_of("elu")(input, _SELU_ALPHA, _SELU_SCALE)


def _celu_back(g: Any, c: Any) -> Any:
    bent = c.input.lt(0)
    return g * (c.input.where(bent, 0) / c.alpha).exp().where(bent, 1)


_NO_ALPHA = "ZeroDivisionError: alpha cannot be 0 for CELU"


def _celu_written(g: Any, c: Any) -> Any:
    return g * (c.out / c.alpha + 1).where(c.out.lt(0), 1)


@op(rounded=1, derivative=Rule("CeluBackward0", input=_celu_back))
def celu(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """`elu` whose slope is 1 on both sides of 0 for every `alpha`: (...) gives (...).

    >>> tk.celu(tk.tensor([-2.0, 2.0]), 2)
    tensor([-1.2642,  2.0000])
    """
    if alpha == 0:
        raise RuntimeError(_NO_ALPHA)
    return elu(input, alpha, 1.0, 1.0 / alpha)


@op(kind="inplace", rounded=1, derivative=Rule("CeluBackward1", input=_celu_written))
def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In-place form of ``celu``: the result is written into `input`, which it returns.

    >>> t = tk.tensor([-1.0, 2.0])
    >>> tk.celu_(t) is t
    True
    """
    if alpha == 0:
        raise RuntimeError(_NO_ALPHA)
    return in_place_of("elu")(input, alpha, 1.0, 1.0 / alpha)


# -- smooth ones ----------------------------------------------------------------------------------------------------


def _silu_back(g: Any, c: Any) -> Any:
    share = c.input.sigmoid()
    return g * share * (1 + c.input * (1 - share))


def _silu_applies(call: dict[str, Any]) -> bool:
    if call["input"].is_complex() and call["input"].requires_grad:
        raise RuntimeError("silu does not support automatic differentiation for outputs with complex dtype.")
    return True


@pointwise(
    lambda input: input / (1 + exp(-input)),
    kernel="silu_cpu",
    lacks=BUT_INEXACT,
    namespace=FUNCTIONAL,
    in_place=True,
    rounded=2,
    derivative=Rule("SiluBackward0", applies=_silu_applies, input=_silu_back),
)
def silu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element times its sigmoid: (...) gives (...).

    >>> tk.nn.functional.silu(tk.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2689,  0.0000,  1.7616])
    """
    return input / (1 + exp(-input))


def _mish_back(g: Any, c: Any) -> Any:
    bent = softplus(c.input).tanh()
    return g * (bent + c.input * c.input.sigmoid() * (1 - bent * bent))


@pointwise(
    lambda input: input * tanh(numpy.logaddexp(input, input.dtype.type(0))),
    kernel="mish_cpu",
    namespace=FUNCTIONAL,
    in_place=True,
    rounded=2,
    derivative=Rule("MishBackward0", input=_mish_back),
)
def mish(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element times the tanh of its softplus: (...) gives (...).

    >>> tk.nn.functional.mish(tk.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.3034,  0.0000,  1.9440])
    """
    return input * tanh((input if input > 0 else real(0)) + log1p(exp(-abs(input))))


_erf = of_scipy("erf")
_ROOT_HALF, _PEAK = math.sqrt(0.5), 1 / math.sqrt(2 * math.pi)
_TANH_SCALE, _CUBIC = math.sqrt(2 / math.pi), 0.044715


@pointwise(
    looped(f=elementwise_compiled.gelu)(
        lambda input: input * 0.5 * (1 + _erf(input * input.dtype.type(_ROOT_HALF)))
    ),
    kernel="GeluKernelImpl",
    namespace=FUNCTIONAL,
    rounded=2,
)
def _gelu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`gelu` by the error function."""
    return input * 0.5 * (1 + math.erf(input * _ROOT_HALF))


@pointwise(
    looped(f=elementwise_compiled.gelu_slope)(
        lambda input: (
            0.5 * (1 + _erf(input * input.dtype.type(_ROOT_HALF)))
            + input * exp(input * input * -0.5) * input.dtype.type(_PEAK)
        )
    ),
    kernel="GeluBackwardKernelImpl",
    namespace=FUNCTIONAL,
    rounded=2,
)
def _gelu_slope(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of `gelu` by the error function."""
    return 0.5 * (1 + math.erf(input * _ROOT_HALF)) + input * exp(input * input * -0.5) * _PEAK


@pointwise(kernel="GeluKernelImpl", namespace=FUNCTIONAL, rounded=2)
def _gelu_by_tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`gelu` by a hyperbolic tangent that comes close to the error function."""
    return input * 0.5 * (1 + tanh(_TANH_SCALE * (input + _CUBIC * input * input * input)))


def _gelu_back(g: Any, c: Any) -> Any:
    x = c.input
    if c.approximate == "none":
        if not state.grad:
            return g * _gelu_slope(x)
        return g * ((1 + (x * _ROOT_HALF).erf()) * 0.5 + x * (x * x * -0.5).exp() * _PEAK)
    bent = ((x + _CUBIC * x * x * x) * _TANH_SCALE).tanh()
    steep = (1 + 3 * _CUBIC * x * x) * _TANH_SCALE
    return g * ((1 + bent) * 0.5 + x * 0.5 * (1 - bent * bent) * steep)


@op(namespace=FUNCTIONAL, rounded=2, derivative=Rule("GeluBackward0", input=_gelu_back))
def gelu(input: Tensor, *, approximate: str = "none", out: Tensor | None = None) -> Tensor:
    """Each element times the chance that a standard normal number is smaller: (...) gives (...).

    Args:
        approximate: "none" for the error function, "tanh" for a cheaper curve close to it.

    >>> tk.nn.functional.gelu(tk.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.1587,  0.0000,  1.9545])
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return (_gelu if approximate == "none" else _gelu_by_tanh)(input)


def _softplus(input: Array, beta: float, threshold: float) -> Array:
    scaled = input * beta
    return numpy.where(scaled > threshold, input, log1p(exp(scaled)) / beta)


def _softplus_back(g: Any, c: Any) -> Any:
    scaled = c.input * c.beta
    return (g * scaled.sigmoid()).where(~scaled.gt(c.threshold), g)


@pointwise(
    _softplus,
    kernel="softplus_cpu",
    namespace=FUNCTIONAL,
    rounded=2,
    derivative=Rule("SoftplusBackward0", input=_softplus_back),
)
def softplus(input: Tensor, beta: Number = 1, threshold: Number = 20, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + exp(beta * x)) / beta``, a `relu` without a corner: (...) gives (...).

    Args:
        threshold: where ``beta * x`` is larger, the element itself is the result.

    >>> tk.nn.functional.softplus(tk.tensor([-1.0, 0.0, 30.0]))
    tensor([ 0.3133,  0.6931, 30.0000])
    """
    return input if input * beta > threshold else log1p(exp(input * beta)) / beta


@pointwise(
    lambda input: numpy.minimum(input, 0) - log1p(exp(-numpy.abs(input))),
    kernel="log_sigmoid_cpu",
    namespace=FUNCTIONAL,
)
def _log_sigmoid(input: Tensor) -> Tensor:
    """`logsigmoid`, of an element."""
    return (real(0) if input > 0 else input) - log1p(exp(-abs(input)))


@op(
    namespace=FUNCTIONAL,
    rounded=2,
    derivative=Rule("LogSigmoidBackward0", input=lambda g, c: g * (-c.input).sigmoid()),
)
def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sigmoid: (...) gives (...).

    >>> tk.nn.functional.logsigmoid(tk.tensor([-1.0, 0.0, 30.0]))
    tensor([-1.3133e+00, -6.9315e-01, -9.3576e-14])
    """
    return _log_sigmoid(input.contiguous())  # PyTorch's result is row-major too


# -- with a gate ----


def _glu_back(g: Any, c: Any) -> Any:
    first, gate = c.input.chunk(2, c.dim)
    share = gate.sigmoid()
    return cat((g * share, g * first * share * (1 - share)), c.dim)


@op(namespace=FUNCTIONAL, rounded=2, derivative=Rule("GluBackward0", input=_glu_back))
def glu(input: Tensor, dim: int = -1, *, out: Tensor | None = None) -> Tensor:
    """The first half of a dimension, times the sigmoid of the second: (..., 2 n, ...) gives (..., n, ...).

    >>> tk.nn.functional.glu(tk.tensor([1.0, 2.0, 0.0, 30.0]))
    tensor([0.5000, 2.0000])
    """
    if not input.ndim:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    length = input.size(dim)
    if length % 2:
        place = dim + input.ndim if dim < 0 else dim
        raise RuntimeError(f"Halving dimension must be even, but dimension {place} is size {length}")
    if input.dtype in BUT_FLOATS:
        raise missing_kernel("glu_cpu", input.dtype.label)
    first, gate = input.chunk(2, dim)
    return first * gate.sigmoid()
