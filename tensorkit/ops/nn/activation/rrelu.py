"""`leaky_relu` with slopes that are drawn at random in training.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.rrelu.html
"""

from __future__ import annotations

from typing import Any

from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dtypes import float16, float32, float64
from tensorkit.elementwise.output import check_writable
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.creation.full import ones_like
from tensorkit.ops.kit import BUT_FLOATS, Number, Rule, Tensor, op
from tensorkit.ops.nn.activation.activations import leaky_relu
from tensorkit.random import Generator

_LACKS = (*BUT_FLOATS, float16)


def _noise(input: Tensor, lower: Any, upper: Any, training: bool, generator: Generator | None) -> Tensor:
    """The slope of each element: a random one, drawn in their order, for those that are not positive; otherwise 1."""
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if not training:
        return input.new_empty(0)
    if input.device.type == "meta":
        return ones_like(input)
    if input.dtype in _LACKS:
        raise missing_kernel("rrelu_with_noise_out_cpu", input.dtype.label)
    kind = float64 if input.dtype is float64 else float32
    low = input.detach().contiguous().le(0)
    drawn = empty(int(low.sum()), dtype=float64, device=input.device).uniform_(generator=generator)
    first, last = (float(kind.numpy.type(bound)) for bound in (lower, upper))
    noise = ones_like(low, dtype=kind)
    noise[low] = (drawn * (last - first) + first).to(kind)
    return noise


def _sloped(g: Any, c: Any, tensor: Tensor) -> Any:
    """The gradient, by the noise, or by the side of 0 on which the tensor's elements are."""
    if c.training:
        return c.noise.to(g.dtype) * g
    return g.where(tensor.gt(0), g * ((c.lower + c.upper) / 2))


def _applied(input: Tensor, noise: Tensor, lower: Number, upper: Number, training: bool) -> Tensor:
    if not training:
        return leaky_relu(input, (lower + upper) / 2)
    return (input * noise).to(input.dtype)


@op(derivative=Rule("RreluWithNoiseBackward0", input=lambda g, c: _sloped(g, c, c.input)))
def _with_noise(input: Tensor, noise: Tensor, lower: Number, upper: Number, training: bool) -> Tensor:
    """`rrelu`, with the slopes."""
    return _applied(input, noise, lower, upper, training).contiguous()


@op(kind="inplace", derivative=Rule("RreluWithNoiseBackward1", input=lambda g, c: _sloped(g, c, c.out)))
def _with_noise_(input: Tensor, noise: Tensor, lower: Number, upper: Number, training: bool) -> Tensor:
    """`rrelu_`, with the slopes."""
    return input.copy_(_applied(input, noise, lower, upper, training))


@op()
def rrelu(
    input: Tensor,
    lower: Number = 1 / 8,
    upper: Number = 1 / 3,
    training: bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """Positive elements as they are, each other one times a slope of its own: (...) gives (...).

    Args:
        lower, upper: between them each slope is drawn. training: otherwise every slope is their mean.

    Raises:
        RuntimeError: when `lower` is the larger one.

    >>> tk.rrelu(tk.tensor([-2.0, 3.0]), 0.1, 0.3)
    tensor([-0.4000,  3.0000])
    """
    noise = _noise(input, lower, upper, training, generator)
    return _with_noise(input, noise, lower, upper, training)


@op(kind="inplace")
def rrelu_(
    input: Tensor,
    lower: Number = 1 / 8,
    upper: Number = 1 / 3,
    training: bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """In-place form of ``rrelu``: the result is written into `input`, which it returns.

    >>> t = tk.tensor([-1.0, 2.0])
    >>> tk.rrelu_(t) is t
    True
    """
    if not training:
        check_writable(input)
    noise = _noise(input, lower, upper, training, generator)
    return _with_noise_(input, noise, lower, upper, training)
