"""Activations made of straight lines: cut off, or bent, at a number."""

# A body of `pointwise` is written for one element, and so has other types than its parameters say.
# mypy: disable-error-code="return-value, operator, arg-type"

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy

from tensorkit.kernels.scalars.forms import real
from tensorkit.number_range import check_number
from tensorkit.ops.kit import (
    BUT_REAL,
    FUNCTIONAL,
    LIMITED,
    Array,
    Number,
    Rule,
    Tensor,
    in_place_of,
    only_once,
    op,
    pointwise,
)

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
    out_overlap="allowed",  # a number that was held once stays the same when it is held again
    in_place=Rule("ThresholdBackward1", input=lambda g, c: g.where(~c.input.le(c.threshold), 0)),
    derivative=Rule("ThresholdBackward0", input=lambda g, c: g.where(~c.input.le(c.threshold), 0)),
)
def threshold(input: Tensor, threshold: Number, value: Number, *, out: Tensor | None = None) -> Tensor:
    """Each element that is larger than the threshold, and `value` for the others: (...) gives (...).

    >>> tk.threshold(tk.tensor([-1.0, 0.5, 2.0]), 1, 0)
    tensor([0., 0., 2.])
    """
    return value if input <= threshold else input


threshold_ = in_place_of("threshold")


def _leaky_written(g: Any, c: Any) -> Any:
    """In place only the result is left, which tells the side of 0 where the slope is not negative."""
    if c.negative_slope < 0:
        raise RuntimeError(NEGATIVE_SLOPE.format("leakyReLu") + _FILE)
    return g.where(c.out.gt(0), g * c.negative_slope)


NEGATIVE_SLOPE = (
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

    >>> tk.nn.functional.leaky_relu(tk.tensor([-2.0, 3.0]), 0.1)
    tensor([-0.2000,  3.0000])
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

    >>> tk.nn.functional.hardshrink(tk.tensor([-2.0, 0.3, 1.0]))
    tensor([-2.,  0.,  1.])
    """
    return real(0) if -lambd <= input <= lambd else input


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

    >>> tk.nn.functional.softshrink(tk.tensor([-2.0, 0.3, 1.0]))
    tensor([-1.5000,  0.0000,  0.5000])
    """
    return input - lambd if input > lambd else input + lambd if input < -lambd else input * 0


def _inside(g: Any, c: Any) -> Any:
    return g.where(~(c.input.le(c.min_val) | c.input.ge(c.max_val)), 0)


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
    raised = numpy.where(input < low, input.dtype.type(low), input)
    return numpy.where(raised > high, input.dtype.type(high), raised)


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

    >>> tk.nn.functional.hardtanh(tk.tensor([-2.0, 0.5, 2.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    raised = min_val if input < min_val else input
    return max_val if raised > max_val else raised


@op(derivative=only_once("hardsigmoid_backward", "g", "input"))
def _hardsigmoid_back(g: Tensor, input: Tensor) -> Tensor:
    """The gradient of `hardsigmoid`, of which PyTorch takes no gradient again."""
    return (g * _SIXTH).where(input.gt(-3) & input.lt(3), 0)


_SIXTH = float(numpy.float32(1 / 6))  # which PyTorch multiplies gradients with, in double precision too


@pointwise(
    lambda input: numpy.clip(input + 3, 0, 6) / 6,
    kernel="hardsigmoid_cpu",
    namespace=FUNCTIONAL,
    in_place=True,
    derivative=Rule("HardsigmoidBackward0", input=lambda g, c: _hardsigmoid_back(g, c.input)),
)
def hardsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A straight line from 0 at -3 to 1 at 3, instead of the sigmoid's curve: (...) gives (...).

    >>> tk.nn.functional.hardsigmoid(tk.tensor([-4.0, 0.0, 1.5]))
    tensor([0.0000, 0.5000, 0.7500])
    """
    return real(0) if input <= -3 else real(1) if input >= 3 else (input + 3) / 6


def _hardswish_back(g: Any, c: Any) -> Any:
    bent = c.input.gt(-3) & c.input.lt(3)
    return g * (c.input.where(bent, 0) / 3 + 0.5).where(bent, 1).where(~c.input.le(-3), 0)


@pointwise(
    lambda input: input * numpy.clip(input + 3, 0, 6) / 6,
    kernel="hardswish_cpu",
    rounded=1,
    namespace=FUNCTIONAL,
    in_place=True,
    derivative=Rule("HardswishBackward0", input=_hardswish_back),
)
def hardswish(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element times its `hardsigmoid`: (...) gives (...).

    >>> tk.nn.functional.hardswish(tk.tensor([-4.0, 0.0, 3.0]))
    tensor([-0., 0., 3.])
    """
    raised = real(0) if input <= -3 else real(6) if input >= 3 else input + 3
    return input * raised / 6


# -- with a learned slope --------------------------------------------------------------------------------------


def _prelu_back(g: Any, c: Any) -> Any:
    sloped = g * c.weight.where(~c.input.ge(0), 1)
    # At 0 itself PyTorch's second derivatives are those of the right side.
    return sloped + (c.weight * g - g).detach().where(c.input.eq(0), 0)


@pointwise(
    lambda input, weight: numpy.where(input > 0, input, weight * input),
    kernel="prelu_cpu",
    namespace=FUNCTIONAL,
    like_first="always",
    derivative=Rule(
        "PreluKernelBackward0", input=_prelu_back, weight=lambda g, c: c.input.where(~c.input.ge(0), 0) * g
    ),
)
def _prelu_kernel(input: Tensor, weight: Tensor) -> Tensor:
    """`prelu`, with a weight that broadcasts."""
    return input if input > 0 else weight * input


@op(methods=("prelu",))
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """`leaky_relu` with a learned slope, or one for each channel: (n, channels, ...) and (1) or (channels).

    Raises:
        RuntimeError: when the number of weights is not that of the channels, or the dtypes differ.

    >>> tk.prelu(tk.tensor([[-2.0, -2.0]]), tk.tensor([0.1, 0.5]))
    tensor([[-0.2000, -1.0000]])
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
