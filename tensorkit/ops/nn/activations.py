"""Activations: what a network does to each number between two layers."""

# A body of `pointwise` is written for one element, and so has other types than its parameters say.
# mypy: disable-error-code="return-value, operator, arg-type"

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy
from numpy import exp, expm1, log1p, tanh

from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.number_range import check_number
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.kit import (
    BUT_FLOATS,
    BUT_INEXACT,
    BUT_REAL,
    FUNCTIONAL,
    LIMITED,
    Array,
    Number,
    Rule,
    Tensor,
    in_place_of,
    op,
    pointwise,
)
from tensorkit.ops.special.erf_gamma import of_scipy

__all__ = [
    "celu",
    "celu_",
    "elu",
    "gelu",
    "glu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "log_sigmoid",
    "mish",
    "prelu",
    "selu",
    "selu_",
    "silu",
    "softplus",
    "softshrink",
    "threshold",
    "threshold_",
]

# -- cut off, or bent, at a number ----------------------------------------------------------------------------------


def _held(input: Tensor, threshold: Number, value: Number) -> None:
    for number in (threshold, value):
        check_number(number, input.dtype)


@pointwise(
    lambda input, threshold, value: numpy.where(input <= threshold, input.dtype.type(value), input),
    kernel="threshold_cpu",
    lacks=BUT_REAL,
    exact_out=False,
    check=_held,
    in_place=Rule("ThresholdBackward1", input=lambda g, c: g.where(~c.out.le(c.threshold), 0)),
    derivative=Rule("ThresholdBackward0", input=lambda g, c: g.where(~c.input.le(c.threshold), 0)),
)
def threshold(input: Tensor, threshold: Number, value: Number, *, out: Tensor | None = None) -> Tensor:
    """Each element that is larger than the threshold, and `value` for the others: (...) gives (...).

    >>> import tensorkit as tk
    >>> tk.threshold(tk.tensor([-1.0, 0.5, 2.0]), 1, 0)
    tensor([0., 0., 2.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.threshold.html
    """
    return value if input <= threshold else input


threshold_ = in_place_of("threshold")


def _leaky_written(g: Any, c: Any) -> Any:
    """In place only the result is left, which tells the side of 0 where the slope is not negative."""
    if c.negative_slope < 0:
        raise RuntimeError(_NEGATIVE.format("leakyReLu") + _FILE)
    return g.where(c.out.gt(0), g * c.negative_slope)


_NEGATIVE = (
    "In-place {} backward calculation is triggered with a negative slope which is not supported. This is caused by "
    "calling in-place forward function with a negative slope, please call out-of-place version instead."
)
_FILE = (
    " File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward "
    "calculation with negative slope"
)


@pointwise(
    lambda input, negative_slope: numpy.where(input > 0, input, input * negative_slope),
    kernel="leaky_relu_cpu",
    namespace=FUNCTIONAL,
    in_place=Rule("LeakyReluBackward1", input=_leaky_written),
    derivative=Rule("LeakyReluBackward0", input=lambda g, c: g.where(c.input.gt(0), g * c.negative_slope)),
)
def leaky_relu(input: Tensor, negative_slope: Number = 0.01, *, out: Tensor | None = None) -> Tensor:
    """Positive elements as they are, negative ones times a small slope: (...) gives (...).

    >>> import tensorkit as tk
    >>> tk.nn.functional.leaky_relu(tk.tensor([-2.0, 3.0]), 0.1)
    tensor([-0.2000,  3.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.leaky_relu.html
    """
    return input if input > 0 else input * negative_slope


def _no_less_than_0(input: Tensor, lambd: Number) -> None:
    most = float(ml_dtypes.finfo(input.dtype.numpy).max)  # type: ignore[no-untyped-call]
    if not 0 <= lambd <= most:
        raise RuntimeError(
            f"lambda must be in range [0, {most:g}] for input dtype {input.dtype.label}, but found {lambd:g}"
        )


def _kept_outside(g: Any, c: Any) -> Any:
    """The gradient where the element was shrunk or kept, and not made 0."""
    return g.where(~c.input.abs().le(c.lambd), 0)


@pointwise(
    lambda input, lambd: numpy.where((input >= -lambd) & (input <= lambd), input.dtype.type(0), input),
    kernel="hardshrink_cpu",
    methods=("hardshrink",),
    derivative=Rule("HardshrinkBackward0", input=_kept_outside),
)
def hardshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """0 for elements between -`lambd` and `lambd`, the others as they are: (...) gives (...).

    >>> import tensorkit as tk
    >>> tk.nn.functional.hardshrink(tk.tensor([-2.0, 0.3, 1.0]))
    tensor([-2.,  0.,  1.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.hardshrink.html
    """
    return input * 0 if -lambd <= input <= lambd else input


@pointwise(
    lambda input, lambd: numpy.where(
        input > lambd, input - lambd, numpy.where(input < -lambd, input + lambd, input * 0)
    ),
    kernel="softshrink_check",
    check=_no_less_than_0,
    namespace=FUNCTIONAL,
    derivative=Rule("SoftshrinkBackward0", input=_kept_outside),
)
def softshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Each element moved towards 0 by `lambd`, and not beyond: (...) gives (...).

    >>> import tensorkit as tk
    >>> tk.nn.functional.softshrink(tk.tensor([-2.0, 0.3, 1.0]))
    tensor([-1.5000,  0.0000,  0.5000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softshrink.html
    """
    return input - lambd if input > lambd else input + lambd if input < -lambd else input * 0


def _inside(g: Any, c: Any) -> Any:
    return g.where(c.input.gt(c.min_val) & c.input.lt(c.max_val), 0)


def _is_between(input: Tensor, min_val: Number, max_val: Number) -> None:
    if input.dtype.category == 0:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if input.dtype.is_complex:
        raise NotImplementedError("clamp is not supported for complex types")
    if input.dtype.name == "uint8" and (int(min_val) < 0 or int(max_val) < 0):
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")


def _between(input: Array, low: float, high: float) -> Array:
    if input.dtype.kind in "iu":
        low, high = int(low), int(high)
    return numpy.minimum(numpy.maximum(input, input.dtype.type(low)), input.dtype.type(high))


@pointwise(
    _between,
    kernel="clamp_scalar_cpu",
    lacks=LIMITED,
    namespace=FUNCTIONAL,
    in_place=True,
    like_first="always",
    check=_is_between,
    derivative=Rule("HardtanhBackward0", input=_inside),
)
def hardtanh(
    input: Tensor, min_val: Number = -1, max_val: Number = 1, *, out: Tensor | None = None
) -> Tensor:
    """Each element, kept between two numbers: (...) gives (...).

    >>> import tensorkit as tk
    >>> tk.nn.functional.hardtanh(tk.tensor([-2.0, 0.5, 2.0]))
    tensor([-1.0000,  0.5000,  1.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.hardtanh.html
    """
    raised = min_val if input < min_val else input
    return max_val if raised > max_val else raised


@pointwise(
    lambda input: numpy.clip(input + 3, 0, 6) / 6,
    kernel="hardsigmoid_cpu",
    namespace=FUNCTIONAL,
    in_place=True,
    derivative=Rule(
        "HardsigmoidBackward0", input=lambda g, c: (g / 6).where(c.input.gt(-3) & c.input.lt(3), 0)
    ),
)
def hardsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A straight line from 0 at -3 to 1 at 3, in the place of the sigmoid's curve: (...) gives (...).

    >>> import tensorkit as tk
    >>> tk.nn.functional.hardsigmoid(tk.tensor([-4.0, 0.0, 1.5]))
    tensor([0.0000, 0.5000, 0.7500])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.hardsigmoid.html
    """
    return min(max(input + 3, input * 0), input * 0 + 6) / 6


def _hardswish_back(g: Any, c: Any) -> Any:
    return (g * (c.input / 3 + 0.5)).where(c.input.lt(3), g).where(c.input.gt(-3), 0)


@pointwise(
    lambda input: input * numpy.clip(input + 3, 0, 6) / 6,
    kernel="hardswish_cpu",
    namespace=FUNCTIONAL,
    in_place=True,
    derivative=Rule("HardswishBackward0", input=_hardswish_back),
)
def hardswish(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element times its `hardsigmoid`: (...) gives (...).

    >>> import tensorkit as tk
    >>> tk.nn.functional.hardswish(tk.tensor([-4.0, 0.0, 3.0]))
    tensor([-0.,  0.,  3.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.hardswish.html
    """
    return input * min(max(input + 3, input * 0), input * 0 + 6) / 6


# -- exponentials on the negative side ------------------------------------------------------------------------------


def _elu(input: Array, alpha: float, scale: float, input_scale: float) -> Array:
    return numpy.where(input < 0, expm1(input * input_scale) * (alpha * scale), input * scale)


def _elu_back(g: Any, c: Any) -> Any:
    steep = (c.input * c.input_scale).exp() * (c.alpha * c.scale * c.input_scale)
    return g * steep.where(c.input.le(0), c.scale)


def _elu_written(g: Any, c: Any) -> Any:
    if c.alpha < 0:
        raise RuntimeError(_NEGATIVE.format("elu"))
    return g * ((c.out + c.alpha * c.scale) * c.input_scale).where(c.out.le(0), c.scale)


@pointwise(
    _elu,
    kernel="elu_cpu",
    namespace=FUNCTIONAL,
    in_place=Rule("EluBackward1", input=_elu_written),
    rounded=1,
    derivative=Rule("EluBackward0", input=_elu_back),
)
def elu(
    input: Tensor,
    alpha: Number = 1,
    scale: Number = 1,
    input_scale: Number = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Positive elements as they are, negative ones on an exponential that ends at -`alpha`: (...) gives (...).

    Args:
        scale: all results times this. input_scale: negative elements times this first.

    >>> import tensorkit as tk
    >>> tk.nn.functional.elu(tk.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.elu.html
    """
    return expm1(input * input_scale) * (alpha * scale) if input < 0 else input * scale


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@op(rounded=1)
def selu(input: Tensor) -> Tensor:
    """`elu` with the two numbers that keep mean 0 and variance 1 from layer to layer: (...) gives (...).

    >>> import tensorkit as tk
    >>> tk.selu(tk.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.selu.html
    """
    return elu(input, _SELU_ALPHA, _SELU_SCALE)


@op(kind="inplace", rounded=1)
def selu_(input: Tensor) -> Tensor:
    """In-place form of ``selu``: the result is written into `input`, which it returns.

    >>> import tensorkit as tk
    >>> t = tk.tensor([-1.0, 2.0])
    >>> tk.selu_(t) is t
    True
    """
    return in_place_of("elu")(input, _SELU_ALPHA, _SELU_SCALE)


def _celu_back(g: Any, c: Any) -> Any:
    return g * (c.input / c.alpha).exp().where(c.input.le(0), 1)


_NO_ALPHA = "ZeroDivisionError: alpha cannot be 0 for CELU"


def _celu_written(g: Any, c: Any) -> Any:
    return g * (c.out / c.alpha + 1).where(c.out.le(0), 1)


@op(rounded=1, derivative=Rule("CeluBackward0", input=_celu_back))
def celu(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """`elu` whose slope is 1 on both sides of 0 for every `alpha`: (...) gives (...).

    >>> import tensorkit as tk
    >>> tk.celu(tk.tensor([-2.0, 2.0]), 2)
    tensor([-1.2642,  2.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.celu.html
    """
    if alpha == 0:
        raise RuntimeError(_NO_ALPHA)
    return elu(input, alpha, 1.0, 1.0 / alpha)


@op(kind="inplace", rounded=1, derivative=Rule("CeluBackward1", input=_celu_written))
def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In-place form of ``celu``: the result is written into `input`, which it returns.

    >>> import tensorkit as tk
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
    steep = share * (1 + c.input * (1 - share))
    return g * (steep.conj() if steep.is_complex() else steep)


@pointwise(
    lambda input: input / (1 + exp(-input)),
    kernel="silu_cpu",
    lacks=BUT_INEXACT,
    namespace=FUNCTIONAL,
    in_place=True,
    rounded=2,
    derivative=Rule("SiluBackward0", input=_silu_back),
)
def silu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element times its sigmoid: (...) gives (...).

    >>> import tensorkit as tk
    >>> tk.nn.functional.silu(tk.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2689,  0.0000,  1.7616])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.silu.html
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

    >>> import tensorkit as tk
    >>> tk.nn.functional.mish(tk.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.3034,  0.0000,  1.9440])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.mish.html
    """
    return input * tanh(max(input, input * 0) + log1p(exp(-abs(input))))


_erf = of_scipy("erf")
_ROOT_HALF, _PEAK = math.sqrt(0.5), 1 / math.sqrt(2 * math.pi)
_TANH_SCALE, _CUBIC = math.sqrt(2 / math.pi), 0.044715


@pointwise(
    lambda input: input * 0.5 * (1 + _erf(input * input.dtype.type(_ROOT_HALF))),
    kernel="GeluKernelImpl",
    namespace=FUNCTIONAL,
    rounded=2,
)
def _gelu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`gelu` by the error function."""
    return input * 0.5 * (1 + math.erf(input * _ROOT_HALF))


@pointwise(kernel="GeluKernelImpl", namespace=FUNCTIONAL, rounded=2)
def _gelu_by_tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`gelu` by a hyperbolic tangent that comes close to the error function."""
    return input * 0.5 * (1 + tanh(_TANH_SCALE * (input + _CUBIC * input * input * input)))


def _gelu_back(g: Any, c: Any) -> Any:
    x = c.input
    if c.approximate == "none":
        return g * ((1 + (x * _ROOT_HALF).erf()) * 0.5 + x * (x * x * -0.5).exp() * _PEAK)
    bent = ((x + _CUBIC * x * x * x) * _TANH_SCALE).tanh()
    steep = (1 + 3 * _CUBIC * x * x) * _TANH_SCALE
    return g * ((1 + bent) * 0.5 + x * 0.5 * (1 - bent * bent) * steep)


@op(namespace=FUNCTIONAL, rounded=2, derivative=Rule("GeluBackward0", input=_gelu_back))
def gelu(input: Tensor, *, approximate: str = "none", out: Tensor | None = None) -> Tensor:
    """Each element times the chance that a standard normal number is smaller: (...) gives (...).

    Args:
        approximate: "none" for the error function, "tanh" for a cheaper curve close to it.

    >>> import tensorkit as tk
    >>> tk.nn.functional.gelu(tk.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.1587,  0.0000,  1.9545])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.gelu.html
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return (_gelu if approximate == "none" else _gelu_by_tanh)(input)


def _softplus(input: Array, beta: float, threshold: float) -> Array:
    scaled = input * beta
    return numpy.where(scaled > threshold, input, log1p(exp(scaled)) / beta)


def _softplus_back(g: Any, c: Any) -> Any:
    scaled = c.input * c.beta
    return (g * scaled.sigmoid()).where(scaled.le(c.threshold), g)


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

    >>> import tensorkit as tk
    >>> tk.nn.functional.softplus(tk.tensor([-1.0, 0.0, 30.0]))
    tensor([ 0.3133,  0.6931, 30.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softplus.html
    """
    return input if input * beta > threshold else log1p(exp(input * beta)) / beta


@pointwise(
    lambda input: numpy.minimum(input, 0) - log1p(exp(-numpy.abs(input))),
    kernel="log_sigmoid_cpu",
    namespace=FUNCTIONAL,
)
def _log_sigmoid(input: Tensor) -> Tensor:
    """`log_sigmoid`, of an element."""
    return min(input, input * 0) - log1p(exp(-abs(input)))


@op(
    namespace=FUNCTIONAL,
    rounded=2,
    derivative=Rule("LogSigmoidBackward0", input=lambda g, c: g * (-c.input).sigmoid()),
)
def log_sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sigmoid: (...) gives (...).

    >>> import tensorkit as tk
    >>> tk.nn.functional.logsigmoid(tk.tensor([-1.0, 0.0, 30.0]))
    tensor([-1.3133e+00, -6.9315e-01, -9.3576e-14])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.logsigmoid.html
    """
    return _log_sigmoid(input.contiguous())  # PyTorch's result is row-major too


# -- with a learned slope, or a gate --------------------------------------------------------------------------------


@pointwise(
    lambda input, weight: numpy.where(input > 0, input, weight * input),
    kernel="prelu_cpu",
    namespace=FUNCTIONAL,
    like_first="always",
    derivative=Rule(
        "PreluKernelBackward0",
        input=lambda g, c: g.where(c.input.gt(0), c.weight * g),
        weight=lambda g, c: (c.input * g).where(c.input.le(0), 0),
    ),
)
def _prelu_kernel(input: Tensor, weight: Tensor) -> Tensor:
    """`prelu`, with a weight that broadcasts."""
    return input if input > 0 else weight * input


@op(methods=("prelu",))
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """`leaky_relu` with a learned slope, or one for each channel: (n, channels, ...) and (1) or (channels).

    Raises:
        RuntimeError: when there are not so many weights as channels, or the dtypes differ.

    >>> import tensorkit as tk
    >>> tk.prelu(tk.tensor([[-2.0, -2.0]]), tk.tensor([0.1, 0.5]))
    tensor([[-0.2000, -1.0000]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.prelu.html
    """
    if input.dtype is not weight.dtype:
        kinds = f"{input.dtype.label} and {weight.dtype.label}"
        raise RuntimeError(f"prelu: Type promoting not supported. Got {kinds}")
    if weight.numel() != 1:
        if not input.ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.size(1) if input.ndim > 1 else 1
        if channels != weight.numel():
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight.numel()} and channel size = {channels}."
            )
    if weight.ndim > 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}"
        )
    if input.ndim == 0 or weight.ndim == 0 or input.ndim == 1:
        return _prelu_kernel(input, weight.reshape(()) if input.ndim == 0 else weight)
    return _prelu_kernel(input, weight.view(-1, *[1] * (input.ndim - 2)))


def _glu_back(g: Any, c: Any) -> Any:
    first, gate = c.input.chunk(2, c.dim)
    share = gate.sigmoid()
    return cat((g * share, g * first * share * (1 - share)), c.dim)


@op(namespace=FUNCTIONAL, rounded=2, derivative=Rule("GluBackward0", input=_glu_back))
def glu(input: Tensor, dim: int = -1, *, out: Tensor | None = None) -> Tensor:
    """The first half of a dimension, times the sigmoid of the second: (..., 2 n, ...) gives (..., n, ...).

    >>> import tensorkit as tk
    >>> tk.nn.functional.glu(tk.tensor([1.0, 2.0, 0.0, 30.0]))
    tensor([0.5000, 2.0000])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.glu.html
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
