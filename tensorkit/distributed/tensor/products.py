"""Products of matrices, whose sums are cut by rows, by columns or in the middle: then the parts remain to be added."""

from __future__ import annotations

from typing import Any

from tensorkit.distributed.tensor.dtensor import DTensor
from tensorkit.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard
from tensorkit.distributed.tensor.strategy import Way, applied, told_by_meta

NAMES = ("matmul", "mm", "mv", "bmm", "dot")


def product(name: str, input: DTensor, other: DTensor) -> DTensor:
    """A product of matrices, of batches of them, or of vectors."""
    made = told_by_meta(name, (input, other), {})
    m, n = input.ndim, other.ndim
    whole, sum_of = Replicate(), Partial("sum")

    def ways(mesh_dim: int) -> list[Way]:
        found = [Way(whole, (whole, whole))]
        if m > 1:
            found.append(Way(Shard(made.dim() - 1 - (n > 1)), (Shard(m - 2), whole)))
        if n > 1:
            found.append(Way(Shard(made.dim() - 1), (whole, Shard(n - 1))))
        found.append(Way(sum_of, (Shard(m - 1), Shard(max(n - 2, 0)))))
        for d in range(max(m, n) - 2):
            found.append(Way(Shard(d), (_batch(input, d, made, m, n), _batch(other, d, made, m, n))))
        found += [Way(sum_of, (sum_of, whole)), Way(sum_of, (whole, sum_of))]
        return found

    return applied(name, (input, other), {}, ways)


def _batch(one: DTensor, dim: int, made: Any, *ndims: int) -> Placement:
    """How an operand lies where the batches of the result are cut."""
    own = dim - (max(ndims) - max(one.ndim, 2))
    return Shard(own) if one.ndim > 2 and own >= 0 and one.shape[own] == made.shape[dim] else Replicate()
