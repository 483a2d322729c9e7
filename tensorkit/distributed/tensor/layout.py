"""Which elements of a tensor each worker of a mesh has: a box of them, by its placements. No worker is asked.

>>> from tensorkit.distributed.tensor.placement_types import Partial, Shard
>>> rows = Layout((7, 2), (2,), (Shard(0),))
>>> rows.box(0), rows.box(1)
(((0, 4), (0, 2)), ((4, 7), (0, 2)))
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from tensorkit.distributed.tensor.placement_types import Partial, Placement, Shard, chunk

Box = tuple[tuple[int, int], ...]
"""For each dimension of a tensor where the elements begin and end."""


def count(box: Box) -> int:
    """How many elements there are."""
    return prod(end - begin for begin, end in box)


def common(one: Box, other: Box) -> Box | None:
    """The elements that both have; None where there are none."""
    both = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, other, strict=True))
    return both if all(begin < end for begin, end in both) else None


class Layout(NamedTuple):
    """A tensor of some size on a mesh of some shape: one placement for each dimension of the mesh."""

    size: tuple[int, ...]
    mesh: tuple[int, ...]
    placements: tuple[Placement, ...]

    @property
    def ranks(self) -> range:
        """The workers, by number: the last dimension of the mesh moves fastest."""
        return range(prod(self.mesh))

    def where(self, rank: int) -> tuple[int, ...]:
        """The coordinates of a worker in the mesh."""
        return _where(self.mesh, rank)

    def box(self, rank: int) -> Box:
        """What a worker has; of a `Partial` placement, to what it is a part of."""
        found = [(0, n) for n in self.size]
        for placement, pieces, at in zip(self.placements, self.mesh, self.where(rank), strict=True):
            if isinstance(placement, Shard):
                begin, end = found[placement.dim]
                first, last = chunk(end - begin, pieces, at)
                found[placement.dim] = begin + first, begin + last
        return tuple(found)

    def local_size(self, rank: int) -> tuple[int, ...]:
        """The size of what a worker has."""
        return tuple(end - begin for begin, end in self.box(rank))

    def like(self, placements: Sequence[Placement]) -> Layout:
        """The same tensor, otherwise placed."""
        return self._replace(placements=tuple(placements))

    def owners(self) -> dict[Box, int]:
        """For each box of elements the first worker that has it; empty boxes are left out."""
        found: dict[Box, int] = {}
        for rank in self.ranks:
            if count(self.box(rank)):
                found.setdefault(self.box(rank), rank)
        return found

    def even(self, dim: int) -> bool:
        """Whether all workers have as much of a dimension."""
        return len({self.local_size(rank)[dim] for rank in self.ranks}) == 1


@functools.lru_cache(maxsize=4096)
def _where(mesh: tuple[int, ...], rank: int) -> tuple[int, ...]:
    found = []
    for n in reversed(mesh):
        rank, at = divmod(rank, n)
        found.append(at)
    return tuple(reversed(found))


class Move(NamedTuple):
    """A piece that goes from one worker to another, or stays where it is: which elements of the tensor it has."""

    source: int
    target: int
    box: Box


def moves(before: Layout, after: Layout) -> list[Move]:
    """All pieces from which the workers make what they are to have, those that stay among them.

    What is whole on several workers comes from the nearest: the one itself, where it can. Partial sums come
    from all; they have to be requested along dimensions of the mesh that `after` does not leave `Partial`.
    """
    found = []
    for target in after.ranks:
        wanted = after.box(target)
        for source in _sources(before, after, after.where(target)):
            piece = common(before.box(source), wanted)
            if piece is not None:
                found.append(Move(source, target, piece))
    return found


def _sources(before: Layout, after: Layout, at: tuple[int, ...]) -> Iterator[int]:
    """The workers that have something for the one with these coordinates; one of those with equal parts."""
    choices = []
    for dim, (old, new) in enumerate(zip(before.placements, after.placements, strict=True)):
        along = isinstance(old, Shard) or (isinstance(old, Partial) and old != new)
        choices.append(range(before.mesh[dim]) if along else range(at[dim], at[dim] + 1))
    for place in product(*choices):
        rank = 0
        for n, k in zip(before.mesh, place, strict=True):
            rank = rank * n + k
        yield rank
