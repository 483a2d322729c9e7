"""Chances along a dimension: `softmax` and its relatives."""

from __future__ import annotations

from tensorkit.dtypes import dtype as DType
from tensorkit.errors import warn
from tensorkit.memory_format import contiguous_format
from tensorkit.ops.creation.empty import empty_like
from tensorkit.ops.creation.full import zeros_like
from tensorkit.tensor import Tensor


def _dim(name: str, input: Tensor, dim: int | None) -> int:
    """The dimension; if none was named, the one that PyTorch guesses."""
    if dim is not None:
        return dim
    warn(
        f"Implicit dimension choice for {name} has been deprecated. "
        "Change the call to include dim=X as an argument."
    )
    return 0 if input.dim() in (0, 1, 3) else 1


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None
) -> Tensor:
    """Exponentials, divided by their sum along a dimension: see `tensorkit.softmax`."""
    return input.softmax(_dim("softmax", input, dim), dtype=dtype)


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None
) -> Tensor:
    """`softmax` of the numbers with the other sign: (...) gives (...)."""
    return (-input).softmax(_dim("softmin", input, dim), dtype=dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None
) -> Tensor:
    """The logarithm of `softmax`, exact for large differences: see `tensorkit.log_softmax`."""
    return input.log_softmax(_dim("log_softmax", input, dim), dtype=dtype)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Chances that are drawn at random, around those of `softmax`, and that gradients pass through.

    Args:
        logits: logarithms of chances, which need not add up to 1: (..., classes, ...).
        tau: the temperature; the lower, the closer one of the chances is to 1.
        hard: whether one of the results is 1 and all others are 0; gradients are as before.
        eps: has no effect.

    >>> gumbel_softmax(tk.zeros(20, 32), hard=True).sum(dim=1).unique()
    tensor([1.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.gumbel_softmax.html
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    drawn = -empty_like(logits, memory_format=contiguous_format).exponential_().log()
    soft = ((logits + drawn) / tau).softmax(dim)
    if not hard:
        return soft
    best = soft.max(dim, keepdim=True)[1]
    one_hot = zeros_like(logits, memory_format=contiguous_format).scatter_(dim, best, 1.0)
    return one_hot - soft.detach() + soft
