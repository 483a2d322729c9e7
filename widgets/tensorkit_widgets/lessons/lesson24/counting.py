"""Ranks in this process that count bytes: what an answer sends, and what it brings home, is judged without a cluster.

>>> from tensorkit.distributed.tensor import Shard
>>> ranks = Counting(4)
>>> rows = ranks.place((8, 4), Shard(0))
>>> _ = rows.redistribute(placements=[Shard(1)])
>>> ranks.bytes_sent, ranks.bytes_brought
(96, 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from tensorkit import arange
from tensorkit.distributed.cluster.inline import Inline
from tensorkit.distributed.device_mesh import DeviceMesh
from tensorkit.distributed.tensor import Placement, distribute_tensor


class Counting(Inline):
    """A row of ranks."""

    def place(self, size: Sequence[int], placement: Placement) -> Any:
        """A `DTensor` of that size over these ranks: its numbers go from 0 to 6, in no simple order."""
        cluster: Any = self
        numbers = (arange(prod(size)) * 5 + 3) % 7
        mesh = DeviceMesh("cpu", (self.size,), cluster=cluster)
        return distribute_tensor(numbers.float().view(*size), mesh, [placement])
