"""A mesh of ranks in this process, for tests of everything but processes."""

from __future__ import annotations

from math import prod
from typing import Any

from tensorkit.distributed.cluster.inline import Inline, Part
from tensorkit.distributed.device_mesh import DeviceMesh

__all__ = ["Inline", "Part", "mesh"]


def mesh(*shape: int) -> DeviceMesh:
    """So many ranks along each dimension."""
    cluster: Any = Inline(prod(shape))
    return DeviceMesh("cpu", shape, cluster=cluster)
