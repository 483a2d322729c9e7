"""New sharded tensors, made by the workers that hold them; random ones have the same numbers whatever the mesh.

Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#dtensor-factory-functions
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit.distributed.device_mesh import DeviceMesh
from tensorkit.distributed.tensor import random, tasks
from tensorkit.distributed.tensor.dtensor import DTensor, placed_by_hand
from tensorkit.distributed.tensor.layout import Layout
from tensorkit.distributed.tensor.placement_types import Placement
from tensorkit.dtypes import dtype as Dtype
from tensorkit.dtypes import int64
from tensorkit.ops.creation.empty import empty as plain_empty
from tensorkit.tensor import Tensor

Placements = Sequence[Placement] | None


def _made(
    name: str,
    size: Any,
    before: tuple[Any, ...],
    dtype: Dtype | None,
    mesh: DeviceMesh | None,
    placements: Placements,
) -> DTensor:
    meta, layout, mesh, wanted = _planned(name, size, before, dtype, mesh, placements)
    parts = []
    for rank in layout.ranks:
        step = tasks.Step(name, (layout.local_size(rank), *before), {"dtype": meta.dtype})
        parts.append(mesh.cluster.submit(rank, tasks.compute, [step]))
    return DTensor(mesh, wanted, meta.shape, meta.dtype, parts)


def _planned(
    name: str,
    size: Any,
    before: tuple[Any, ...],
    dtype: Dtype | None,
    mesh: DeviceMesh | None,
    placements: Placements,
) -> tuple[Tensor, Layout, DeviceMesh, tuple[Placement, ...]]:
    if mesh is None:
        raise RuntimeError("No device mesh is currently active!")
    listed = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    meta = tasks.operate(name, (tuple(listed), *before), {"dtype": dtype, "device": "meta"})
    wanted = placed_by_hand(placements, mesh, meta.dim())
    return meta, Layout(tuple(meta.shape), mesh.shape, wanted), mesh, wanted


def zeros(
    *size: Any,
    dtype: Dtype | None = None,
    device_mesh: DeviceMesh | None = None,
    placements: Placements = None,
) -> DTensor:
    """Zeros.

    Args:
        size: of all of it. placements: one for each dimension of the mesh; by default it is whole on each worker.

    Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.zeros
    """
    return _made("zeros", size, (), dtype, device_mesh, placements)


def ones(
    *size: Any,
    dtype: Dtype | None = None,
    device_mesh: DeviceMesh | None = None,
    placements: Placements = None,
) -> DTensor:
    """Ones; its arguments are those of `zeros`.

    Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.ones
    """
    return _made("ones", size, (), dtype, device_mesh, placements)


def empty(
    *size: Any,
    dtype: Dtype | None = None,
    device_mesh: DeviceMesh | None = None,
    placements: Placements = None,
) -> DTensor:
    """Elements of no certain value; its arguments are those of `zeros`.

    Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.empty
    """
    return _made("empty", size, (), dtype, device_mesh, placements)


def full(
    size: Sequence[int],
    fill_value: Any,
    *,
    dtype: Dtype | None = None,
    device_mesh: DeviceMesh | None = None,
    placements: Placements = None,
) -> DTensor:
    """The same number everywhere; its arguments are those of `zeros`.

    Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.full
    """
    return _made("full", (size,), (fill_value,), dtype, device_mesh, placements)


def _drawn(
    name: str, size: Any, dtype: Dtype | None, mesh: DeviceMesh | None, placements: Placements
) -> DTensor:
    tasks.operate(name, (0,), {"dtype": dtype})  # refuses a dtype that has none
    meta, layout, mesh, wanted = _planned(name, size, (), dtype, mesh, placements)
    # The generator of this process moves on by one number.
    seed = int(plain_empty((), dtype=int64).random_().item())
    parts = [
        mesh.cluster.submit(rank, random.drawn, name, meta.dtype, tuple(meta.shape), layout.box(rank), seed)
        for rank in layout.ranks
    ]
    return DTensor(mesh, wanted, meta.shape, meta.dtype, parts)


def rand(
    *size: Any,
    dtype: Dtype | None = None,
    device_mesh: DeviceMesh | None = None,
    placements: Placements = None,
) -> DTensor:
    """Numbers from 0 to 1, the same after the same `manual_seed`, whatever the mesh.

    Its arguments are those of `zeros`.

    They are not the numbers of ``tensorkit.rand``: each worker computes those of its own part alone.

    Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.rand
    """
    return _drawn("rand", size, dtype, device_mesh, placements)


def randn(
    *size: Any,
    dtype: Dtype | None = None,
    device_mesh: DeviceMesh | None = None,
    placements: Placements = None,
) -> DTensor:
    """Numbers of a standard normal distribution, the same whatever the mesh; see `rand`.

    Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.randn
    """
    return _drawn("randn", size, dtype, device_mesh, placements)
