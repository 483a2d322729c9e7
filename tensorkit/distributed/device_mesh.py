"""`DeviceMesh`: the workers of a cluster as a row, or as rows and columns, over which tensors are placed.

Source: https://docs.pytorch.org/docs/stable/distributed.html#devicemesh
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from tensorkit.distributed.cluster import current
from tensorkit.dtypes import int32
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.shared.tensor_data import tensor
from tensorkit.tensor import Tensor

if TYPE_CHECKING:
    from tensorkit.distributed.cluster.engine import Cluster

__all__ = ["DeviceMesh", "init_device_mesh"]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True)
class _Ranks:
    """Some ranks of a cluster, which a mesh that is a part of another numbers from 0."""

    cluster: Any
    ranks: tuple[int, ...]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.cluster, name)

    @property
    def size(self) -> int:
        return len(self.ranks)

    def submit(self, rank: int, function: Callable[..., Any], *args: Any) -> Any:
        return self.cluster.submit(self.ranks[rank], function, *args)

    def holders(self) -> dict[int, str]:
        held = self.cluster.holders()
        return {number: held[rank] for number, rank in enumerate(self.ranks) if rank in held}


class DeviceMesh:
    """Workers in a grid. The program is written once, and runs here: the mesh carries out what it says.

    ``mesh["name"]`` is the part of it along a dimension: the first worker, and those that differ from it there alone.

    Args:
        device_type: "cpu".
        mesh_shape: how many workers there are along each dimension of the grid.
        mesh_dim_names: what the dimensions are called.
        cluster: whose workers these are; the one that was started, or a new one with as many workers as are needed.

    Raises:
        RuntimeError: when there are fewer workers, or names that do not fit.

    Source: https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.device_mesh.DeviceMesh
    """

    def __init__(
        self,
        device_type: str,
        mesh_shape: Sequence[int],
        *,
        mesh_dim_names: Sequence[str] | None = None,
        cluster: Cluster | None = None,
    ) -> None:
        self.device_type, self.shape = device_type, tuple(mesh_shape)
        self.mesh_dim_names = None if mesh_dim_names is None else tuple(mesh_dim_names)
        if device_type != "cpu":
            raise RuntimeError(
                f"A mesh of workers has tensors on the CPU alone, and {device_type!r} was asked for: "
                "init_device_mesh('cpu', ...)."
            )
        _named(self.shape, self.mesh_dim_names)
        self._strides = _row_major(self.shape)
        self.cluster = current(self.size()) if cluster is None else cluster
        if self.size() > self.cluster.size:
            raise RuntimeError(
                f"Mesh should not be bigger than default world size {self.cluster.size}, but found {self.size()} ranks!"
            )

    @property
    def ndim(self) -> int:
        """How many dimensions the grid has."""
        return len(self.shape)

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> DeviceMesh:
        """The part of the mesh along some of its dimensions, in the order that they have in it.

        Raises:
            RuntimeError: where the dimensions have no names. KeyError: for an unknown name.
        """
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        if self.mesh_dim_names is None:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        if set(names) - set(self.mesh_dim_names):
            raise KeyError(
                f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {[*self.mesh_dim_names]}."
            )
        dims = [self.mesh_dim_names.index(name) for name in names]
        if dims != sorted(set(dims)):
            raise KeyError(
                f"Invalid mesh_dim_names {names} specified. Mesh dim indices should be in ascending order."
            )
        if len(dims) == self.ndim:
            return self
        shape, steps, strides = (
            [one[dim] for dim in dims] for one in (self.shape, _row_major(self.shape), self._strides)
        )
        ranks = arange(self.size()).as_strided(shape, steps).flatten().tolist()
        made = DeviceMesh(
            self.device_type, shape, mesh_dim_names=names, cluster=_ranks_of(self.cluster, ranks)
        )
        made._strides = tuple(strides)
        return made

    @property
    def mesh(self) -> Tensor:
        """The numbers of the workers, each at its place."""
        ranks = self.cluster.ranks if isinstance(self.cluster, _Ranks) else range(self.size())
        return tensor(ranks, dtype=int32).view(self.shape)

    def size(self, mesh_dim: int | None = None) -> int:
        """How many workers there are, in all or along a dimension of the grid."""
        return prod(self.shape) if mesh_dim is None else self.shape[mesh_dim]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceMesh) and (self.shape, self.mesh_dim_names, self.cluster) == (
            other.shape,
            other.mesh_dim_names,
            other.cluster,
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.mesh_dim_names))

    def __repr__(self) -> str:
        names = self.mesh_dim_names
        shape = (
            f"({', '.join(map(str, self.shape))}{',' * (self.ndim == 1)})"
            if names is None
            else f"({', '.join(f'{name}={n}' for name, n in zip(names, self.shape, strict=True))})"
        )
        # PyTorch writes so the stride of a dimension of one worker.
        strides = ["()" if n == 1 else str(step) for n, step in zip(self.shape, self._strides, strict=True)]
        stride = f"({', '.join(strides)}{',' * (self.ndim == 1)})"
        return f"DeviceMesh({shape}, {self.device_type!r}, stride={stride})"


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(empty(shape, device="meta").stride())


def _ranks_of(cluster: Any, ranks: Sequence[int]) -> Any:
    if isinstance(cluster, _Ranks):
        return _Ranks(cluster.cluster, tuple(cluster.ranks[rank] for rank in ranks))
    return _Ranks(cluster, tuple(ranks))


def _named(shape: tuple[int, ...], names: tuple[str, ...] | None) -> None:
    if names is None:
        return
    if len(set(names)) != len(names):
        raise RuntimeError(
            f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names {names}"
        )
    if len(names) != len(shape):
        raise RuntimeError(
            "mesh_shape and mesh_dim_names should have same length! "
            f"Found len(mesh_dim_names): {len(names)} and len(mesh_shape):{len(shape)}."
        )


def init_device_mesh(
    device_type: str, mesh_shape: Sequence[int], *, mesh_dim_names: Sequence[str] | None = None
) -> DeviceMesh:
    """A mesh of the cluster's workers; where none was started, of as many new ones on this computer.

    Args:
        device_type: "cpu".
        mesh_shape: how many workers there are along each dimension, as (4,) or (2, 2).
        mesh_dim_names: what the dimensions are called.

    Source: https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.device_mesh.init_device_mesh
    """
    return DeviceMesh(device_type, tuple(mesh_shape), mesh_dim_names=mesh_dim_names)
