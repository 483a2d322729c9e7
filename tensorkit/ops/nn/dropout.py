"""Dropout: in training, elements or whole channels become 0 at random, so that a network relies on none of them.

The alpha forms use what `selu` gives for very negative numbers instead of 0, and keep mean and variance.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#dropout-functions
"""

from __future__ import annotations

import math

from tensorkit.ops.creation.empty import empty, empty_like
from tensorkit.ops.kit import Tensor, op

_SATURATED = 1.7580993408473766  # what a selu approaches for very negative numbers, with the other sign


def _noise(input: Tensor, feature: bool) -> Tensor:
    """Room for one number an element, or one a channel."""
    if not feature:
        return empty_like(input.detach())
    if input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    size = [*input.shape[:2], *[1] * (input.ndim - 2)]
    return empty(size, dtype=input.dtype, device=input.device)


def _times(input: Tensor, factor: Tensor, inplace: bool) -> Tensor:
    return input.mul_(factor) if inplace else input * factor


def _dropped(
    input: Tensor, p: float, train: bool, *, feature: bool = False, alpha: bool = False, inplace: bool = False
) -> Tensor:
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or not input.numel():
        return input
    if p == 1:
        return _times(input, input.new_zeros(()), inplace)
    noise = _noise(input, feature).bernoulli_(1 - p)
    if not alpha:
        return _times(input, noise.div_(1 - p), inplace)
    scale = 1 / math.sqrt((_SATURATED * _SATURATED * p + 1) * (1 - p))
    shift = noise.add(-1).mul_(_SATURATED * scale).add_(_SATURATED * scale * p)
    return _times(input, noise.mul_(scale), inplace).add_(shift)


@op()
def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Each element times ``1 / (1 - p)``, or 0 with the probability `p`: (...) gives (...).

    Args:
        p: how likely an element becomes 0. train: otherwise the input itself is returned.

    Raises:
        RuntimeError: for a `p` that is not between 0 and 1.

    >>> _ = tk.manual_seed(0)
    >>> tk.dropout(tk.ones(6), 0.5, True)
    tensor([0., 0., 2., 0., 0., 0.])
    """
    return _dropped(input, p, train)


@op(kind="inplace")
def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`dropout`, written into the input.

    >>> t = tk.ones(2)
    >>> tk.dropout_(t, 1, True) is t, t
    (True, tensor([0., 0.]))
    """
    return _dropped(input, p, train, inplace=True)


@op()
def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`dropout` of whole channels: (n, channels, ...) gives (n, channels, ...).

    >>> _ = tk.manual_seed(0)
    >>> tk.feature_dropout(tk.ones(1, 3, 2), 0.5, True)
    tensor([[[0., 0.],
             [0., 0.],
             [2., 2.]]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout1d.html
    """
    return _dropped(input, p, train, feature=True)


@op(kind="inplace")
def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`feature_dropout`, written into the input.

    >>> tk.feature_dropout_(tk.ones(1, 3), 1, True)
    tensor([[0., 0., 0.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout1d.html
    """
    return _dropped(input, p, train, feature=True, inplace=True)


@op()
def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`dropout` that keeps mean 0 and variance 1, for networks with `selu`: (...) gives (...).

    >>> _ = tk.manual_seed(0)
    >>> tk.alpha_dropout(tk.zeros(3), 0.5, True)
    tensor([-0.7792, -0.7792,  0.7792])
    """
    return _dropped(input, p, train, alpha=True)


@op(kind="inplace")
def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`alpha_dropout`, written into the input.

    >>> tk.alpha_dropout_(tk.ones(2), 0, True)
    tensor([1., 1.])
    """
    return _dropped(input, p, train, alpha=True, inplace=True)


@op()
def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`alpha_dropout` of whole channels: (n, channels, ...) gives (n, channels, ...).

    >>> _ = tk.manual_seed(0)
    >>> tk.feature_alpha_dropout(tk.zeros(1, 3), 0.5, True)
    tensor([[-0.7792, -0.7792,  0.7792]])
    """
    return _dropped(input, p, train, feature=True, alpha=True)


@op(kind="inplace")
def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`feature_alpha_dropout`, written into the input.

    >>> tk.feature_alpha_dropout_(tk.ones(1, 2), 0, True)
    tensor([[1., 1.]])
    """
    return _dropped(input, p, train, feature=True, alpha=True, inplace=True)
