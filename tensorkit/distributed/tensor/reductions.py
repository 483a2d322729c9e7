"""Sums and other reductions: each worker reduces its part. Along a cut dimension, parts remain to be put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit import return_types
from tensorkit.distributed.tensor.dtensor import DTensor
from tensorkit.distributed.tensor.elementwise import pointwise
from tensorkit.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard
from tensorkit.distributed.tensor.strategy import Way, applied
from tensorkit.strides.sizes import normalise_dim

NAMES = {
    "sum": "sum",
    "mean": "avg",
    "prod": "product",
    "amax": "max",
    "amin": "min",
    "any": "max",
    "all": "min",
}
"""Reductions, and what puts their parts together."""
SOFTMAX = ("softmax", "log_softmax")


def _dims(tensor: DTensor, dim: Any) -> tuple[int, ...]:
    if dim is None or dim == ():
        return tuple(range(tensor.ndim))
    return tuple(normalise_dim(d, tensor.ndim) for d in ((dim,) if isinstance(dim, int) else dim))


def _after(dim: int, reduced: Sequence[int], keepdim: bool) -> int:
    """Which dimension of the result it becomes."""
    return dim if keepdim else dim - sum(d < dim for d in reduced)


def extreme(name: str, input: DTensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest or smallest element of all; or of each row along a dimension, and where it is."""
    if isinstance(dim, DTensor):
        return pointwise(f"{name}imum", input, dim)
    if dim is None:
        return reduced(f"a{name}", input)
    kind = {"max": return_types.max, "min": return_types.min}[name]
    along = normalise_dim(dim, input.ndim)

    def ways(mesh_dim: int) -> list[Way]:
        cut = [d for d in range(input.ndim) if d != along]
        kept = [Way(Shard(_after(d, (along,), keepdim)), (Shard(d),)) for d in cut]
        return [Way(Replicate(), (Replicate(),)), *kept]

    return kind([applied(f"{name}#{part}", (input, dim, keepdim), {}, ways) for part in range(2)])


def reduced(name: str, input: DTensor, dim: Any = None, keepdim: bool = False, **kwargs: Any) -> DTensor:
    """A reduction over some dimensions, or over all."""
    dims = _dims(input, dim)
    if name == "mean" and not all(_even(input, d) for d in dims):
        return _uneven_mean(input, dim, keepdim, **kwargs)
    given = () if dim is None and not keepdim else (dim,)
    options = {**kwargs, **({"keepdim": keepdim} if keepdim else {})}

    def ways(mesh_dim: int) -> list[Way]:
        found = [Way(Replicate(), (Replicate(),))]
        for d in range(input.ndim):
            to: Placement = Partial(NAMES[name]) if d in dims else Shard(_after(d, dims, keepdim))
            if d not in dims or name not in ("amax", "amin") or _full(input, dims, d, mesh_dim):
                found.append(Way(to, (Shard(d),)))
        placed = input.placements[mesh_dim]
        if placed == Partial(NAMES[name]) or (name in ("sum", "mean") and placed == Partial("sum")):
            found.append(Way(placed, (placed,)))
        return found

    return applied(name, (input, *given), options, ways)


def _even(input: DTensor, dim: int) -> bool:
    return input._layout.even(dim)


def _full(input: DTensor, dims: Sequence[int], dim: int, mesh_dim: int) -> bool:
    """Whether each worker has something to reduce, once a dimension is cut there too: nothing has no maximum."""
    placed = [*input.placements]
    placed[mesh_dim] = Shard(dim)
    layout = input._layout.like(placed)
    return all(layout.local_size(rank)[d] for rank in layout.ranks for d in dims)


def _uneven_mean(input: DTensor, dim: Any, keepdim: bool, **kwargs: Any) -> DTensor:
    """Parts of different length have no common average: their sums are divided by the length of all."""
    count = 1
    for d in _dims(input, dim):
        count *= input.shape[d]
    return pointwise("div", reduced("sum", input, dim, keepdim, **kwargs), count)


def var(input: DTensor, dim: Any = None, *, correction: float = 1, keepdim: bool = False) -> DTensor:
    """The variance: each worker gets the mean, and sums the squares of the deviations from it."""
    count = 1
    for d in _dims(input, dim):
        count *= input.shape[d]
    middle = reduced("mean", input, _dims(input, dim), True)
    whole = [Replicate() if isinstance(p, Partial) else p for p in middle.placements]
    away = pointwise("square", pointwise("abs", pointwise("sub", input, middle._placed(whole))))
    return pointwise("div", reduced("sum", away, dim, keepdim), max(count - correction, 0))


def softmax(name: str, input: DTensor, dim: int, dtype: Any = None) -> DTensor:
    """Softmax along a dimension that each worker has whole; where it is cut, all is gathered, as in PyTorch."""
    along = normalise_dim(dim, input.ndim)

    def ways(mesh_dim: int) -> list[Way]:
        placed = input.placements[mesh_dim]
        kept = isinstance(placed, Shard) and placed.dim != along
        return [Way(placed, (placed,)) if kept else Way(Replicate(), (Replicate(),))]

    return applied(name, (input, dim), {"dtype": dtype}, ways)
