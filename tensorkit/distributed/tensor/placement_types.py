"""How a tensor lies over the workers of a mesh: cut along a dimension, whole on each, or as parts still to be added.

Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.placement_types.Placement
"""

from __future__ import annotations

from dataclasses import dataclass


def chunk(size: int, pieces: int, number: int) -> tuple[int, int]:
    """Where a piece of a dimension begins and ends, as `chunk` cuts it: the last pieces may be shorter, or empty.

    >>> [chunk(7, 2, number) for number in range(2)], [chunk(5, 4, number) for number in range(4)]
    ([(0, 4), (4, 7)], [(0, 2), (2, 4), (4, 5), (5, 5)])
    """
    wide = -(-size // pieces)
    return min(number * wide, size), min((number + 1) * wide, size)


class Placement:
    """How a tensor lies along one dimension of a mesh: `Shard`, `Replicate` or `Partial`."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether it is cut, along this dimension if one is given."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Whether each worker has all of it."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether each worker has a part of a sum, or of what else `reduce_op` says."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


@dataclass(frozen=True)
class Shard(Placement):
    """Cut along a dimension of the tensor, as `chunk` cuts it: 7 rows on 2 workers are 4 and 3.

    >>> Shard(0), str(Shard(0)), Shard(0).is_shard(1)
    (Shard(dim=0), 'S(0)', False)

    Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.placement_types.Shard
    """

    dim: int

    def __str__(self) -> str:
        return f"S({self.dim})"


@dataclass(frozen=True)
class Replicate(Placement):
    """Whole on each worker: over the machines it has a stride of 0.

    >>> Replicate(), str(Replicate())
    (Replicate(), 'R')

    Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.placement_types.Replicate
    """

    def __str__(self) -> str:
        return "R"


@dataclass(frozen=True, repr=False)
class Partial(Placement):
    """On each worker a part of it: the tensor is their sum, or average, product, maximum or minimum.

    >>> Partial(), str(Partial("max"))
    (Partial(sum), 'P(max)')

    Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.placement_types.Partial
    """

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"
