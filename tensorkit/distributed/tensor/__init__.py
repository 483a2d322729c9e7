"""Sharded tensors: one tensor over many workers, with PyTorch's names, computed by dask.distributed.

The program is written once and runs in one process; the workers of a mesh carry out what it says. `Shard(d)` cuts a
dimension, `Replicate()` keeps all on each worker, and `Partial()` is a sum that is still to be taken.

Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html
"""

from __future__ import annotations

from tensorkit.distributed.device_mesh import DeviceMesh, init_device_mesh
from tensorkit.distributed.tensor import operations
from tensorkit.distributed.tensor.creation import empty, full, ones, rand, randn, zeros
from tensorkit.distributed.tensor.dtensor import DTensor, distribute_tensor
from tensorkit.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard

__all__ = [
    "DTensor",
    "DeviceMesh",
    "Partial",
    "Placement",
    "Replicate",
    "Shard",
    "distribute_tensor",
    "empty",
    "full",
    "init_device_mesh",
    "ones",
    "rand",
    "randn",
    "zeros",
]


def __dir__() -> list[str]:
    return __all__


operations.install()
