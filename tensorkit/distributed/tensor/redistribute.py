"""From one placement to another: the steps, and each message with its bytes, before anything is sent.

Pieces go from worker to worker, never through this process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tensorkit.distributed.tensor import tasks
from tensorkit.distributed.tensor.layout import Box, Layout, Move, count, moves
from tensorkit.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard
from tensorkit.dtypes import dtype
from tensorkit.kernels.sizes import SHARDED_SCATTER


class Transfer(NamedTuple):
    """One step of a redistribution: a collective, by its name.

    Attributes:
        name: "all_gather", "all_to_all", "reduce_scatter", "all_reduce", "gather", "scatter", or "chunk", which sends
            nothing.
        before, after: how the tensor lies. moves: which piece goes where; also those that stay.
    """

    name: str
    before: Layout
    after: Layout
    moves: list[Move]

    def messages(self, itemsize: int) -> list[tuple[int, int, int]]:
        """How many bytes each worker sends to each other one."""
        return [
            (one.source, one.target, count(one.box) * itemsize)
            for one in self.moves
            if one.source != one.target
        ]

    def bytes(self, itemsize: int) -> int:
        """How many bytes go from one worker to another."""
        return sum(bytes for _, _, bytes in self.messages(itemsize))


def transfers(before: Layout, placements: Sequence[Placement]) -> list[Transfer]:
    """The steps to other placements; none where nothing has to be done.

    What is `Partial` and is to be whole is scattered first, so that each worker adds up its share only, and gathered
    then; small tensors are added up everywhere at once.
    """
    found, wanted = [], tuple(placements)
    first = [_scattered(before, dim, to) for dim, to in enumerate(wanted)]
    for step in (tuple(first), wanted):
        after = before.like(step)
        if after != before:
            found.append(Transfer(_name(before, after), before, after, moves(before, after)))
            before = after
    return found


def _scattered(before: Layout, dim: int, to: Placement) -> Placement:
    """What a dimension of the mesh becomes at first."""
    old = before.placements[dim]
    if not isinstance(old, Partial) or old == to:
        return old
    if isinstance(to, Shard):
        return to
    taken = {one.dim for one in before.placements if isinstance(one, Shard)}
    for d, n in enumerate(before.size):
        if d not in taken and n >= before.mesh[dim] and count(before.box(0)) >= SHARDED_SCATTER:
            return Shard(d)
    return to


def _name(before: Layout, after: Layout) -> str:
    changed = {(type(a), type(b)) for a, b in zip(before.placements, after.placements, strict=True) if a != b}
    if any(a is Partial for a, _ in changed):
        return "reduce_scatter" if any(b is Shard for a, b in changed if a is Partial) else "all_reduce"
    if all(b is Shard for _, b in changed):
        return "all_to_all" if any(a is Shard for a, _ in changed) else "chunk"
    return "all_gather"


def gathered(before: Layout) -> Transfer:
    """All of a tensor comes to the first rank; no placement may be `Partial`."""
    pieces = [Move(rank, 0, box) for box, rank in before.owners().items()]
    return Transfer("gather", before, _on_first(before), pieces)


def scattered(after: Layout) -> Transfer:
    """Each rank is sent its part of a tensor that the first one has."""
    pieces = [Move(0, rank, box) for rank in after.ranks if count(box := after.box(rank))]
    return Transfer("scatter", _on_first(after), after, pieces)


def _on_first(layout: Layout) -> Layout:
    """The same tensor on a mesh of one rank."""
    dims = len(layout.mesh)
    return Layout(layout.size, (1,) * dims, (Replicate(),) * dims)


def price(before: Layout, placements: Sequence[Placement], itemsize: int) -> int:
    """How many bytes a redistribution sends."""
    return sum(step.bytes(itemsize) for step in transfers(before, placements))


def carried_out(
    cluster: Any, parts: Sequence[Any], step: Transfer, of: dtype, held: Callable[[int], Box] | None = None
) -> list[Any]:
    """The parts after a step: a task on each rank that receives, and one for each piece that is cut.

    Args:
        held: what each part has, where it is not as `step.before` says.
    """
    held = held or step.before.box
    folded = [p.reduce_op for p, q in zip(step.before.placements, step.after.placements, strict=True)
              if isinstance(p, Partial) and p != q]  # fmt: skip
    by_target: dict[int, list[Move]] = {rank: [] for rank in step.after.ranks}
    for one in step.moves:
        by_target[one.target].append(one)
    made = []
    for target, several in by_target.items():
        own = step.after.box(target)
        if len(several) == 1 and several[0].source == target and held(target) == several[0].box == own:
            made.append(parts[target])
            continue
        pieces = [_piece(cluster, parts, held(one.source), one) for one in several]
        boxes = [_from(own, one.box) for one in several]
        size = step.after.local_size(target)
        made.append(
            cluster.submit(target, tasks.assemble, size, of, folded[0] if folded else None, boxes, *pieces)
        )
    return made


def _piece(cluster: Any, parts: Sequence[Any], own: Box, move: Move) -> Any:
    if own == move.box:
        return parts[move.source]
    return cluster.submit(move.source, tasks.cut, parts[move.source], _from(own, move.box))


def _from(own: Box, box: Box) -> Box:
    """A box within another one."""
    return tuple((a - begin, b - begin) for (a, b), (begin, _) in zip(box, own, strict=True))
