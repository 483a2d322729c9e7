"""Operations that change how a tensor is read: transposes, views, slices. What is cut stays where it is, if it can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from types import EllipsisType
from typing import Any

from tensorkit.distributed.tensor import tasks
from tensorkit.distributed.tensor.dtensor import DTensor, Noted
from tensorkit.distributed.tensor.layout import Layout, Move, common
from tensorkit.distributed.tensor.placement_types import Partial, Replicate, Shard, chunk
from tensorkit.distributed.tensor.redistribute import Transfer, carried_out
from tensorkit.distributed.tensor.strategy import Way, applied, told_by_meta
from tensorkit.ops.creation.empty import empty_strided
from tensorkit.strides.sizes import normalise_dim

REORDERED = (
    "t",
    "transpose",
    "permute",
    "movedim",
    "swapaxes",
    "swapdims",
    "adjoint",
    "unsqueeze",
    "squeeze",
)
JOINED = ("cat", "concat", "concatenate", "stack")
VIEWED = ("view", "reshape", "flatten", "unflatten")


def _kept(input: DTensor, mesh_dim: int, where: Callable[[int], int | None]) -> list[Way]:
    """Ways in which each dimension that can be cut stays cut, and parts remain parts."""
    ways = [Way(Replicate(), (Replicate(),))]
    for d in range(input.ndim):
        new = where(d)
        if new is not None:
            ways.append(Way(Shard(new), (Shard(d),)))
    placed = input.placements[mesh_dim]
    return [*ways, Way(placed, (placed,))] if isinstance(placed, Partial) else ways


def reordered(name: str, input: DTensor, *args: Any, **kwargs: Any) -> DTensor:
    """Dimensions in another order, or with some of size 1 put in or taken out."""
    if name == "squeeze" and not args and not kwargs:
        args = (tuple(d for d, n in enumerate(input.shape) if n == 1),)
    where = _marked(name, input, args, kwargs)
    return applied(name, (input, *args), kwargs, lambda d: _kept(input, d, where.get))


def _marked(name: str, input: DTensor, args: Any, kwargs: Any) -> dict[int, int]:
    """Where each dimension goes that is longer than 1, by a stride of its own."""
    steps = [10**k for k in range(1, input.ndim + 1)]
    meta = empty_strided(input.shape, steps, device="meta")
    made = tasks.operate(name, (meta, *args), kwargs)
    found = {step: d for d, step in enumerate(made.stride()) if made.shape[d] > 1}
    return {d: found[step] for d, step in enumerate(steps) if step in found and input.shape[d] > 1}


def viewed(name: str, input: DTensor, *args: Any, **kwargs: Any) -> DTensor:
    """Another size for the same elements, where no shard is cut.

    Raises:
        RuntimeError: where one would be: elements would have to move. `reshape` moves them.
    """
    size = tuple(told_by_meta(name, (input, *args), kwargs).shape)
    groups = _groups(tuple(input.shape), size)

    def ways(mesh_dim: int) -> list[Way]:
        def where(dim: int) -> int | None:
            if input.placements[mesh_dim] != Shard(dim):
                return None
            cuts = [
                n for n, p in zip(input.device_mesh.shape, input.placements, strict=True) if p == Shard(dim)
            ]
            pieces = prod(cuts)
            new = _stays(dim, tuple(input.shape), size, groups, pieces)
            # Pieces of pieces lie where they should only if all are equal.
            uneven = len(cuts) > 1 and new is not None and (input.shape[dim] % pieces or size[new] % pieces)
            return None if uneven else new

        return _kept(input, mesh_dim, where)

    if name != "reshape":
        for mesh_dim, placed in enumerate(input.placements):
            if isinstance(placed, Shard) and all(way.operands != (placed,) for way in ways(mesh_dim)):
                raise RuntimeError(
                    f"{name}: {tuple(input.shape)} cut along dimension {placed.dim} cannot be seen as {size} without "
                    "moving elements between workers. Use redistribute() first, or reshape()."
                )

    def local(layout: Layout, rank: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (moved[0], layout.local_size(rank)), {}

    moved = [input]
    made = applied("reshape", (input, size), {}, ways, local=local)
    moved[0] = made._parts.args[0]  # type: ignore[union-attr]  # the operand, as it was placed
    return made


def joined(name: str, tensors: Sequence[DTensor], dim: int = 0) -> DTensor:
    """Several tensors behind one another: nothing is sent where all are cut along the same other dimension."""
    made = told_by_meta(name, (tensors, dim), {})
    along = normalise_dim(dim, made.dim())
    new = name == "stack"

    def ways(mesh_dim: int) -> list[Way]:
        cut = [d for d in range(made.dim()) if d != along]
        kept = [Way(Shard(d), (Shard(d - (new and d > along)),) * len(tensors)) for d in cut]
        return [Way(Replicate(), (Replicate(),) * len(tensors)), *kept]

    return applied(name, (tensors, dim), {}, ways)


def _groups(old: tuple[int, ...], new: tuple[int, ...]) -> list[tuple[range, range]]:
    """Dimensions that are merged or split into one another: runs of both sizes with the same number of elements."""
    found, i, j = [], 0, 0
    while i < len(old) or j < len(new):
        a, b = i, j
        m = old[i] if i < len(old) else 1
        n = new[j] if j < len(new) else 1
        i, j = min(i + 1, len(old)), min(j + 1, len(new))
        while m != n:
            if m < n:
                m, i = m * old[i], i + 1
            else:
                n, j = n * new[j], j + 1
        found.append((range(a, i), range(b, j)))
    return found


def _stays(
    dim: int, old: tuple[int, ...], new: tuple[int, ...], groups: list[tuple[range, range]], pieces: int
) -> int | None:
    """Along which dimension a tensor is cut after a view, if it was along this one before; None where it cannot be."""
    for before, after in groups:
        if dim not in before:
            continue
        first = next((d for d in before if old[d] != 1), dim)
        to = next((d for d in after if new[d] != 1), None)
        if first != dim or to is None:
            return None
        rest_old, rest_new = prod(old[dim + 1 : before.stop]), prod(new[to + 1 : after.stop])
        same = all(
            chunk(old[dim], pieces, k)[0] * rest_old == chunk(new[to], pieces, k)[0] * rest_new
            for k in range(pieces)
        )
        return to if same else None
    return None


Index = int | slice | EllipsisType | None


def getitem(input: DTensor, index: Any) -> DTensor:
    """Basic slicing. A cut dimension that is sliced is cut again: its elements go from worker to worker.

    Raises:
        NotImplementedError: for an index of other kinds.
    """
    parts: tuple[Any, ...] = index if isinstance(index, tuple) else (index,)
    for one in parts:
        if isinstance(one, bool) or not isinstance(one, (int, slice, EllipsisType, type(None))):
            raise NotImplementedError(
                f"Operator aten.index.Tensor does not have a sharding strategy registered: a DTensor is indexed with "
                f"integers, slices, ... and None, and not with {type(one).__name__}."
            )
    told_by_meta("__getitem__", (input, index), {})
    used = sum(isinstance(one, (int, slice)) for one in parts)
    full = [slice(None)] * (input.ndim - used)
    at = next((k for k, one in enumerate(parts) if one is ...), len(parts))
    listed = [*parts[:at], *full, *parts[at + 1 :]]
    dim, made = 0, input
    for one in listed:
        if one is None:
            made, dim = reordered("unsqueeze", made, dim), dim + 1
        elif isinstance(one, int):
            begin = normalise_dim(one, made.shape[dim])
            made = _whole(_sliced(made, dim, begin, begin + 1, 1), dim)
            made = reordered("squeeze", made, dim)
        else:
            begin, end, step = one.indices(made.shape[dim])
            if (begin, end, step) != (0, made.shape[dim], 1):
                made = _sliced(made, dim, begin, max(begin, end), step)
            dim += 1
    return made


def _whole(input: DTensor, dim: int) -> DTensor:
    """With a dimension that is no longer cut."""
    return input._placed([Replicate() if p == Shard(dim) else p for p in input.placements])


def _sliced(input: DTensor, dim: int, begin: int, end: int, step: int) -> DTensor:
    """Every `step`-th element along a dimension: where it is cut, elements are sent where they belong."""
    size = [*input.shape]
    size[dim] = -(-(end - begin) // step)
    if Shard(dim) not in input.placements:
        index = (*[slice(None)] * dim, slice(begin, end, step))
        made = DTensor(input.device_mesh, input.placements, size, input.dtype, None)
        made._parts = Noted("__getitem__", (input, index), {})
        return made
    after = Layout(tuple(size), input.device_mesh.shape, input.placements)
    picked = Picked(input._layout, dim, begin, step, size[dim])
    moves = [
        Move(source, target, piece)
        for target in after.ranks
        for source in after.ranks
        if _differ_along(input, source, target, dim)
        and (piece := common(picked.box(source), after.box(target))) is not None
    ]
    parts = picked.parts(input)
    transfer = Transfer("all_to_all", after, after, moves)
    return DTensor(input.device_mesh, input.placements, size, input.dtype,
                   carried_out(input.device_mesh.cluster, parts, transfer, input.dtype, picked.box))  # fmt: skip


def _differ_along(input: DTensor, source: int, target: int, dim: int) -> bool:
    """Whether two ranks differ only along dimensions of the mesh by which this dimension is cut."""
    layout = input._layout
    pairs = zip(input.placements, layout.where(source), layout.where(target), strict=True)
    return all(a == b or p == Shard(dim) for p, a, b in pairs)


class Picked:
    """What each worker has of the elements that a slice picks, before they are sent: where it begins, and how many."""

    def __init__(self, layout: Layout, dim: int, begin: int, step: int, count: int) -> None:
        self.layout, self.dim, self.begin, self.step, self.count = layout, dim, begin, step, count

    def _range(self, rank: int) -> tuple[int, int]:
        low, high = self.layout.box(rank)[self.dim]
        first, last = (max(0, min(self.count, -(-(edge - self.begin) // self.step))) for edge in (low, high))
        return first, last

    def box(self, rank: int) -> Any:
        """In the coordinates of the result."""
        own = list(self.layout.box(rank))
        own[self.dim] = self._range(rank)
        return tuple(own)

    def parts(self, input: DTensor) -> list[Any]:
        """On each rank those of its elements that are picked."""
        found = []
        for rank, part in zip(self.layout.ranks, input._futures(), strict=True):
            first, last = self._range(rank)
            low, _ = self.layout.box(rank)[self.dim]
            start = self.begin + first * self.step - low
            index = (*[slice(None)] * self.dim, slice(start, start + (last - first) * self.step, self.step))
            if last <= first:
                index = (*[slice(None)] * self.dim, slice(0, 0))
            step = tasks.Step("__getitem__", (tasks.Given(0), index), {})
            found.append(input.device_mesh.cluster.submit(rank, tasks.compute, [step], part))
        return found
