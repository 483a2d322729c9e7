"""Ranks in this process that count bytes: what an answer sends, and what it brings home, is judged without a cluster.

>>> from tensorkit.distributed.tensor import Shard
>>> ranks = Counting(4)
>>> rows = ranks.place((8, 4), Shard(0))
>>> _ = rows.redistribute(placements=[Shard(1)])
>>> ranks.sent, ranks.brought
(96, 0)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from tensorkit import Tensor, arange
from tensorkit.distributed.device_mesh import DeviceMesh
from tensorkit.distributed.tensor import Placement, distribute_tensor

__all__ = ["Counting"]


@dataclass(frozen=True, eq=False)
class _Part:
    rank: int
    value: Any


class Counting:
    """What `Cluster` is for sharded tensors, but tasks run here and at once."""

    def __init__(self, size: int) -> None:
        self.size, self.closed = size, False
        self.sent = self.brought = 0
        cluster: Any = self
        self.mesh = DeviceMesh("cpu", (size,), cluster=cluster)

    def place(self, size: Sequence[int], placement: Placement) -> Any:
        """A `DTensor` of that size over these ranks: its numbers go from 0 to 6, in no simple order."""
        numbers = (arange(prod(size)) * 5 + 3) % 7
        return distribute_tensor(numbers.float().view(*size), self.mesh, [placement])

    def submit(self, rank: int, function: Callable[..., Any], *args: Any) -> _Part:
        """Let a rank call a function; what it needs of another rank is counted."""
        return _Part(rank, function(*(self._given(rank, one) for one in args)))

    def _given(self, rank: int, value: Any) -> Any:
        if not isinstance(value, _Part):
            return value
        if value.rank != rank:
            self.sent += _bytes(value.value)
        return value.value

    def wait(self, parts: Sequence[_Part]) -> None:
        """All are computed already."""

    def results(self, parts: Sequence[_Part]) -> list[Any]:
        """What the tasks gave, brought here."""
        self.brought += sum(_bytes(one.value) for one in parts)
        return [one.value for one in parts]


def _bytes(value: Any) -> int:
    several = value if isinstance(value, tuple) else (value,)
    return sum(one.numel() * one.element_size() for one in several if isinstance(one, Tensor))
