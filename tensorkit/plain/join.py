"""Tensors put together: each is written into its own part of a new one.

>>> plain.stack([plain.zeros(2), plain.ones(2)]).tolist()
[[0.0, 0.0], [1.0, 1.0]]
"""

from __future__ import annotations

from typing import Any

from tensorkit.plain.backward import note
from tensorkit.plain.index import getitem
from tensorkit.plain.pointwise import promote
from tensorkit.plain.tensors import Tensor, full, int64, offered, size_of, tensor
from tensorkit.strides.sizes import normalise_dim


@offered("cat", method=False)
def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors one behind the other along a dimension: each is written into its part of a new one.

    >>> cat([plain.zeros(2), plain.ones(1)]).tolist()
    [0.0, 0.0, 1.0]
    """
    at = normalise_dim(dim, tensors[0].dim())
    size = list(tensors[0].shape)
    size[at] = sum(one.shape[at] for one in tensors)
    out = full(size, 0, dtype=promote(*tensors))
    start = 0
    pieces = []
    for one in tensors:
        pieces.append((start, one.shape[at]))
        out.narrow(at, *pieces[-1]).write(one.values())
        start += one.shape[at]
    return note("cat", out, tuple(tensors), lambda g: [g.narrow(at, *piece) for piece in pieces])


@offered("stack", method=False)
def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors of one size along a new dimension."""
    at = normalise_dim(dim, tensors[0].dim() + 1)
    return cat([one.unsqueeze(at) for one in tensors], at)


@offered("flip")
def flip(input: Tensor, *dims: Any) -> Tensor:
    """A copy with the elements along some dimensions in the opposite order."""
    axes = [normalise_dim(dim, input.dim()) for dim in size_of(dims)]
    key = [slice(None)] * input.dim()
    out: Any = input.contiguous()
    for axis in axes:
        back = tensor(list(range(input.shape[axis]))[::-1], dtype=int64)
        out = getitem(out, (*key[:axis], back))
    return out if axes else input.clone()


@offered("repeat", function=False)
def repeat(input: Tensor, *sizes: Any) -> Tensor:
    """Copies side by side: `sizes` says how many along each dimension."""
    times = size_of(sizes)
    out: Any = input.reshape((*[1] * (len(times) - input.dim()), *input.shape))
    for dim, count in enumerate(times):
        out = cat([out] * count, dim) if count else out.narrow(dim, 0, 0).clone()
    return out
