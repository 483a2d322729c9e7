"""Channels that become places, and places that become channels; channels in another order."""

# Operations give whatever their bodies plan, which to a checker of types is anything.
# mypy: disable-error-code="no-any-return, no-untyped-call, has-type"

from __future__ import annotations

from typing import Any

from tensorkit.conj_bit import resolved
from tensorkit.ops.kit import LIMITED, Rule, Tensor, op
from tensorkit.ops.nn.pooling import lacking
from tensorkit.ops.nn.windows import lying
from tensorkit.ops.shared.copy import copied


def _check_planes(name: str, input: Tensor) -> None:
    if input.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
        )


def _laid(input: Tensor, made: Any) -> Tensor:
    """A copy in the order of dimensions that the input speaks of."""
    return copied(made, lying(input, made.shape), made.dtype)


@op(derivative=Rule("PixelShuffleBackward0", input=lambda g, c: pixel_unshuffle(g, c.upscale_factor)))
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Every r² channels become one of r times the height and width: (..., c r², h, w) gives (..., c, h r, w r).

    >>> tk.pixel_shuffle(tk.arange(8).view(4, 1, 2), 2)
    tensor([[[0, 2, 1, 3],
             [4, 6, 5, 7]]])
    """
    _check_planes("pixel_shuffle", input)
    r = upscale_factor
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *lead, channels, h, w = input.shape
    if channels % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {r * r}"
        )
    if input.numel():
        lacking("pixel_shuffle", input, LIMITED)
    made: Any = input.reshape(*lead, channels // (r * r), r, r, h, w)
    n = len(lead)
    made = made.permute(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return _laid(input, made.reshape(*lead, channels // (r * r), h * r, w * r))


@op(derivative=Rule("PixelUnshuffleBackward0", input=lambda g, c: pixel_shuffle(g, c.downscale_factor)))
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The opposite of `pixel_shuffle`: (..., c, h r, w r) gives (..., c r², h, w).

    >>> tk.pixel_unshuffle(tk.arange(4).view(1, 2, 2), 2).flatten()
    tensor([0, 1, 2, 3])
    """
    _check_planes("pixel_unshuffle", input)
    r = downscale_factor
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, channels, h, w = input.shape
    for word, length, d in (("height", h, -2), ("width", w, -1)):
        if length % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {word} to be divisible by downscale_factor, but input.size({d})={length} is "
                f"not divisible by {r}"
            )
    if not input.numel():
        return input.clone()  # of the same size, as PyTorch has it
    lacking("pixel_unshuffle", input, LIMITED)
    made: Any = input.reshape(*lead, channels, h // r, r, w // r, r)
    n = len(lead)
    made = made.permute(*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return _laid(input, made.reshape(*lead, channels * r * r, h // r, w // r))


@op(derivative=Rule("ChannelShuffleBackward0", input=lambda g, c: channel_shuffle(g, g.shape[1] // c.groups)))
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels, group after group, so that those of all groups take turns: (n, channels, ...) keeps its size.

    >>> tk.channel_shuffle(tk.arange(4).view(1, 4, 1), 2).flatten()
    tensor([0, 2, 1, 3])
    """
    if input.ndim <= 2:
        raise RuntimeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}"
        )
    if groups <= 0:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    channels = input.shape[1]
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )
    if not input.numel():
        return resolved(input).detach()
    lacking("channel_shuffle", input, LIMITED)
    made: Any = input.reshape(input.shape[0], groups, channels // groups, -1).transpose(1, 2)
    return _laid(input, made.reshape(input.shape))
