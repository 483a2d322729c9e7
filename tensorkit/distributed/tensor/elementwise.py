"""Operations on each element: of tensors that lie alike nothing is sent, and a chain of them is one task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit.dispatch.registry import registry
from tensorkit.distributed.tensor.dtensor import DTensor
from tensorkit.distributed.tensor.placement_types import Partial, Replicate, Shard
from tensorkit.distributed.tensor.strategy import Way, applied, tensors_in, told_by_meta

_OTHERS = ("where", "addmm", "baddbmm", "addbmm", "addmv", "addr", "outer", "ger", "kron", "diff")
_COPIES = (
    "zeros_like", "ones_like", "empty_like", "full_like", "clone", "contiguous", "detach", "to", "type", "float",
    "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool", "cfloat", "cdouble",
)  # fmt: skip
NAMES = [*(name for name, op in registry.items() if op.kind == "pointwise" and name not in _OTHERS), *_COPIES]
#: These map partial sums to partial sums.
_LINEAR = {"neg", "clone", "contiguous", "detach"}
_OF_NUMBERS = {"mul", "div", "true_divide"}


def pointwise(name: str, *args: Any, **kwargs: Any) -> DTensor:
    """An operation on each element, with broadcasting."""
    operands = tensors_in(args, kwargs)
    size = told_by_meta(name, args, kwargs).shape

    def ways(mesh_dim: int) -> Sequence[Way]:
        replicated = Way(Replicate(), (Replicate(),) * len(operands))
        cut = [Way(Shard(d), tuple(_aligned(one, d, size) for one in operands)) for d in range(len(size))]
        return [replicated, *cut, *_partial(name, operands, mesh_dim)]

    return applied(name, args, kwargs, ways)


def _aligned(operand: DTensor, dim: int, size: Sequence[int]) -> Any:
    """How an operand must lie where the result is cut along a dimension: whole, where it is repeated along it."""
    own = dim - (len(size) - operand.ndim)
    return Shard(own) if own >= 0 and operand.shape[own] == size[dim] else Replicate()


def _partial(name: str, operands: Sequence[DTensor], mesh_dim: int) -> list[Way]:
    """Ways that leave parts to be added up: sums of sums, and multiples of one."""
    placed = [one.placements[mesh_dim] for one in operands]
    added = name in ("add", "sub") and len(operands) == 2 and set(placed) <= {Partial("sum")}
    alone = len(operands) == 1 and placed[0] in (Partial("sum"), Partial("avg"))
    if added or (alone and name in _LINEAR | _OF_NUMBERS):
        return [Way(placed[0], tuple(placed))]
    return []
