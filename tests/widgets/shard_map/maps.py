"""Sharded tensors as boards: of a cluster within the process, and as plans."""

from __future__ import annotations

import tensorkit as tk
from tensorkit.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from tensorkit_widgets import ShardMap
from tests.distributed.inline import mesh


def squares() -> DTensor:
    """8 × 8 numbers, two rows on each of four ranks."""
    return distribute_tensor(tk.arange(64.0).view(8, 8), mesh(4), [Shard(0)])


def rows_to_columns() -> ShardMap:
    """Of 16 pieces four stay."""
    return ShardMap(squares(), name="t").to(Shard(1))


def copies() -> ShardMap:
    """Each half on two ranks, and then all of it on all."""
    return ShardMap((6, 4), [Shard(0), Replicate()], mesh=(2, 2), name="w").to(Replicate(), Replicate())


def parts_of_a_sum() -> ShardMap:
    """So many numbers that they are scattered before they are gathered."""
    return ShardMap((90, 50), [Partial()], mesh=(3,), name="total").to(Replicate())


def uneven() -> ShardMap:
    """5 rows on 4 ranks: the last has none."""
    return ShardMap((5, 6), [Shard(0)], mesh=(4,), name="t")


def asks() -> ShardMap:
    """Before the answer: nothing of it is shown."""
    return ShardMap((7, 5), [Shard(0)], mesh=(2,), name="t").ask("winner")
