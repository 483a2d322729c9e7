"""How an operation may be computed on parts: for one dimension of the mesh, what goes in and what comes out.

An operation that can be computed in several ways takes the one that moves the fewest tensors, and of these the one that
sends the fewest bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tensorkit.distributed.device_mesh import DeviceMesh
from tensorkit.distributed.tensor import tasks
from tensorkit.distributed.tensor.dtensor import DTensor, Noted
from tensorkit.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard
from tensorkit.tensor import Tensor


class Way(NamedTuple):
    """The placement of the result along one dimension of the mesh, for these placements of the operands."""

    result: Placement
    operands: tuple[Placement, ...]


def tensors_in(*values: Any) -> list[DTensor]:
    """The sharded tensors among arguments, in their order."""
    found: list[DTensor] = []
    tasks.within(values, lambda one: found.append(one) if isinstance(one, DTensor) else None)
    return found


def mesh_of(name: str, *values: Any) -> DeviceMesh:
    """The mesh on which all tensors of a call lie.

    Raises:
        RuntimeError: where sharded tensors are mixed with tensors of one machine, or lie on several meshes.
    """
    plain: list[Tensor] = []
    tasks.within(values, lambda one: plain.append(one) if isinstance(one, Tensor) and one.dim() else None)
    if plain:
        raise RuntimeError(
            f"aten.{name} got mixed tensorkit.Tensor and DTensor, need to convert all tensorkit.Tensor to DTensor "
            "before calling distributed operators!"
        )
    meshes = {one.device_mesh for one in tensors_in(*values)}
    if len(meshes) > 1:
        raise RuntimeError(f"aten.{name} got DTensors of two meshes: redistribute them onto one.")
    return meshes.pop()


def told_by_meta(name: str, args: Any, kwargs: Any) -> Tensor:
    """What one machine would make of a call, without its elements; what it would refuse is refused here."""
    plain = tasks.within((args, kwargs), lambda one: one.meta if isinstance(one, DTensor) else one)
    return tasks.operate(name, *plain)  # type: ignore[no-any-return]


def chosen(
    ways: Callable[[int], Sequence[Way]], operands: Sequence[DTensor]
) -> tuple[list[Placement], list[list[Placement]]]:
    """The placements of the result, and those of each operand: of the cheapest way along each dimension of the mesh.

    Args:
        ways: those of a dimension of the mesh, of which the first is taken where two cost the same.
    """
    result: list[Placement] = []
    placed: list[list[Placement]] = [[] for _ in operands]
    for dim, pieces in enumerate(operands[0].device_mesh.shape):

        def cost(way: Way, dim: int = dim, pieces: int = pieces) -> tuple[int, float, int]:
            prices = [
                _price(one, one.placements[dim], to, pieces)
                for one, to in zip(operands, way.operands, strict=True)
            ]
            first = next((n for n, price in enumerate(prices) if price), len(prices))
            return sum(price > 0 for price in prices), sum(prices), -first

        best = min(ways(dim), key=cost)
        result.append(best.result)
        for several, one in zip(placed, best.operands, strict=True):
            several.append(one)
    return result, placed


def _price(tensor: DTensor, old: Placement, new: Placement, pieces: int) -> float:
    """About how many bytes it sends to place a tensor otherwise along a dimension of the mesh."""
    if old == new or isinstance(old, Replicate):
        return float("inf") if isinstance(new, Partial) and old != new else 0
    if isinstance(new, Partial):
        return float("inf")
    bytes = tensor.numel() * tensor.dtype.itemsize
    others = pieces - 1
    if isinstance(old, Shard):
        return 1 + bytes * (others / pieces if isinstance(new, Shard) else others)
    return 1 + bytes * others * (1 if isinstance(new, Shard) else 2)


def applied(
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    ways: Callable[[int], Sequence[Way]],
    *,
    called: str = "",
    local: Callable[[Any, int], tuple[tuple[Any, ...], dict[str, Any]]] | None = None,
) -> DTensor:
    """An operation on the parts of its operands, once they are placed as the cheapest way wants them.

    Args:
        called: the operation that is computed on the parts, where it is another.
        local: the arguments of a rank, by the layout of the result.
    """
    meta = told_by_meta(name, args, kwargs)
    operands = tensors_in(args, kwargs)
    result, placed = chosen(ways, operands)
    found = iter([one._placed(to) for one, to in zip(operands, placed, strict=True)])
    args, kwargs = tasks.within((args, kwargs), lambda one: next(found) if isinstance(one, DTensor) else one)
    made = DTensor(operands[0].device_mesh, result, meta.shape, meta.dtype, None)
    layout = made._layout
    made._parts = Noted(
        called or name, args, kwargs, None if local is None else lambda rank: local(layout, rank)
    )
    return made
