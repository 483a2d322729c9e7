"""`DTensor`: one tensor over many workers.

What it holds are futures: on each rank of its mesh a part. A chain of operations on elements is only noted at first,
and becomes one task for each rank when it is needed.

Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.device import device
from tensorkit.distributed.device_mesh import DeviceMesh
from tensorkit.distributed.tensor import tasks
from tensorkit.distributed.tensor.layout import Layout
from tensorkit.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard
from tensorkit.distributed.tensor.redistribute import carried_out, transfers
from tensorkit.dtypes import dtype
from tensorkit.kernels.sizes import SHARDED_CHAIN
from tensorkit.ops.creation.empty import empty
from tensorkit.size import Size
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Tensor


class DTensor:
    """A tensor whose elements many workers have, as `placements` say: one for each dimension of the mesh.

    `distribute_tensor` makes one, and so do `zeros`, `ones`, `full`, `rand` and `randn` of this package. `full_tensor`
    brings it here; an operation that is not offered is refused by its name, and never gathers it unasked.

    Attributes:
        shape, dtype: of all of it. device_mesh, placements: where it lies.

    Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.DTensor
    """

    __array_priority__ = 1000  # NumPy leaves ``array + t`` to us

    def __init__(
        self, mesh: DeviceMesh, placements: Sequence[Placement], size: Sequence[int], of: dtype, parts: Any
    ) -> None:
        self.device_mesh, self.placements = mesh, tuple(placements)
        self.shape, self.dtype = Size(size), of
        self._parts: list[Any] | Noted = parts

    # -- what it is

    @property
    def _layout(self) -> Layout:
        return Layout(tuple(self.shape), self.device_mesh.shape, self.placements)

    @property
    def device(self) -> device:
        """The kind of device on which the parts are."""
        return device(self.device_mesh.device_type)

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    def dim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    def size(self, dim: int | None = None) -> Any:
        """Its size, or how many elements it has along one dimension."""
        return self.shape if dim is None else self.shape[normalise_dim(dim, self.ndim)]

    def stride(self) -> tuple[int, ...]:
        """The strides that it would have on one machine."""
        return tuple(self.meta.stride())

    def numel(self) -> int:
        """How many elements it has in all."""
        return self.shape.numel()

    @property
    def meta(self) -> Tensor:
        """A tensor of its size and dtype without elements: for what an operation would return on one machine."""
        return empty(self.shape, dtype=self.dtype, device="meta")

    def __len__(self) -> int:
        return len(self.meta)

    def __repr__(self) -> str:
        part = self.device_mesh.cluster.submit(0, tasks.shown, self._futures()[0])
        (text,) = self.device_mesh.cluster.results([part])
        return f"DTensor(local_tensor={text}, device_mesh={self.device_mesh}, placements={self.placements})"

    # -- its parts

    def _futures(self) -> list[Any]:
        """On each rank a part; what was only noted is begun now."""
        if isinstance(self._parts, Noted):
            self._parts = self._parts.begun(self.device_mesh)
        return self._parts

    def wait(self) -> DTensor:
        """Wait until all workers have computed their parts."""
        self.device_mesh.cluster.wait(self._futures())
        return self

    def to_local(self, rank: int = 0) -> Tensor:
        """The part of one rank, here.

        Args:
            rank: whose. PyTorch's programs run once on each rank, and have their own.
        """
        (part,) = self.device_mesh.cluster.results([self._futures()[rank]])
        return part  # type: ignore[no-any-return]

    def redistribute(
        self, device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None
    ) -> DTensor:
        """The same tensor, otherwise placed. Pieces go from worker to worker.

        Args:
            device_mesh: the one that it has. placements: one for each dimension of the mesh.

        Raises:
            RuntimeError: where a placement is `Partial`, which only operations make.
        """
        if device_mesh is not None and device_mesh != self.device_mesh:
            raise NotImplementedError("Cross device mesh comm not supported yet!")
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        wanted = checked(placements, self.device_mesh, self.ndim)
        for old, new in zip(self.placements, wanted, strict=True):
            if isinstance(new, Partial) and old != new:
                raise RuntimeError(
                    f"Can not redistribute from {old} to {new}, redistributing to Partial is for internal use only!"
                )
        return self._placed(wanted)

    def _placed(self, placements: Sequence[Placement]) -> DTensor:
        """What `redistribute` gives; itself where nothing has to be done."""
        steps = transfers(self._layout, placements)
        if not steps:
            return self
        parts = self._futures()
        for step in steps:
            parts = carried_out(self.device_mesh.cluster, parts, step, self.dtype)
        return DTensor(self.device_mesh, placements, self.shape, self.dtype, parts)

    def _added(self) -> DTensor:
        """What was `Partial` is added up: each rank has a share of the sum, or all of it where that has one element."""
        share = Shard(0) if self.ndim else Replicate()
        return self._placed([share if isinstance(one, Partial) else one for one in self.placements])

    def full_tensor(self) -> Tensor:
        """All of it, here, as a tensor of one machine."""
        if self.numel() == 0:
            return empty(self.shape, dtype=self.dtype)
        if any(isinstance(one, Partial) for one in self.placements):
            return self._placed([Replicate()] * self.device_mesh.ndim).to_local()
        owners, futures = self._layout.owners(), self._futures()
        parts = self.device_mesh.cluster.results([futures[rank] for rank in owners.values()])
        return tasks.assemble(tuple(self.shape), self.dtype, None, list(owners), *parts)

    def item(self) -> Any:
        """The number of a tensor that has one element."""
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self.full_tensor().item()

    def __bool__(self) -> bool:
        return bool(self.item()) if self.numel() == 1 else bool(self.meta)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def tolist(self) -> Any:
        """Refused: it would bring all elements here unasked."""
        raise RuntimeError(
            ".tolist() is not supported for tensor subclasses, got DTensor. full_tensor() brings it here."
        )

    def numpy(self) -> Any:
        """Refused: it would bring all elements here unasked."""
        raise RuntimeError(".numpy() is not supported for tensor subclasses. full_tensor() brings it here.")


class Noted:
    """An operation that is still to be carried out on each rank, on parts that lie alike.

    Args:
        name: of the operation. args, kwargs: with DTensors among them.
        local: the arguments of one rank, where they are not those of all.
    """

    def __init__(
        self,
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        local: Callable[[int], tuple[tuple[Any, ...], dict[str, Any]]] | None = None,
    ) -> None:
        self.name, self.local = name, local
        # As they are now: `checkpoint.load` may give these tensors other parts before this is carried out.
        self.args, self.kwargs = tasks.within((args, kwargs), _as_it_is)
        self.parts: list[Any] | None = None
        self.length: int = 1 + max((one.length for one in self._noted()), default=0)

    def _noted(self) -> list[Noted]:
        found: list[Noted] = []
        tasks.within(
            (self.args, self.kwargs),
            lambda one: (
                found.append(one._parts)
                if isinstance(one, DTensor) and isinstance(one._parts, Noted)
                else None
            ),
        )
        return found

    def begun(self, mesh: DeviceMesh) -> list[Any]:
        """A task on each rank, with all that was noted before."""
        if self.parts is None:
            self.parts = [self._on(rank, mesh) for rank in range(mesh.size())]
            self.args, self.kwargs, self.local = (), {}, None  # the workers need not keep them for this
        return self.parts

    def _on(self, rank: int, mesh: DeviceMesh) -> Any:
        program: list[tasks.Step] = []
        given: list[Any] = []
        known: dict[int, Any] = {}

        def place(value: Any) -> Any:
            if not isinstance(value, DTensor):
                return value
            parts = value._parts
            if id(parts) not in known:
                if isinstance(parts, Noted) and parts.parts is None and parts.length < SHARDED_CHAIN:
                    known[id(parts)] = step(parts)
                else:
                    given.append(value._futures()[rank])
                    known[id(parts)] = tasks.Given(len(given) - 1)
            return known[id(parts)]

        def step(noted: Noted) -> tasks.Made:
            args, kwargs = (noted.args, noted.kwargs) if noted.local is None else noted.local(rank)
            program.append(tasks.Step(noted.name, tasks.within(args, place), tasks.within(kwargs, place)))
            return tasks.Made(len(program) - 1)

        step(self)
        return mesh.cluster.submit(rank, tasks.compute, program, *given)


def _as_it_is(value: Any) -> Any:
    """A sharded tensor as it is now, whatever parts it is given later; any other value itself."""
    if not isinstance(value, DTensor):
        return value
    return DTensor(value.device_mesh, value.placements, value.shape, value.dtype, value._parts)


def checked(placements: Sequence[Placement] | None, mesh: DeviceMesh, ndim: int) -> tuple[Placement, ...]:
    """Placements that fit a mesh and a tensor, with dimensions counted from the front."""
    if placements is None:
        return (Replicate(),) * mesh.ndim
    if len(placements) != mesh.ndim:
        raise ValueError(
            "`placements` must have the same length as `device_mesh.ndim`! "
            f"Found placements length: {len(placements)}, and device_mesh.ndim: {mesh.ndim}."
        )
    for one in placements:
        if not isinstance(one, Placement):
            raise TypeError(f"A placement is Shard(dim), Replicate() or Partial(), and {one!r} is none.")
    return tuple(Shard(normalise_dim(one.dim, ndim)) if isinstance(one, Shard) else one for one in placements)


def placed_by_hand(
    placements: Sequence[Placement] | None, mesh: DeviceMesh, ndim: int
) -> tuple[Placement, ...]:
    """The placements of a new tensor. None is `Partial`: only operations leave parts to be added up."""
    wanted = checked(placements, mesh, ndim)
    for dim, one in enumerate(wanted):
        if isinstance(one, Partial):
            raise RuntimeError(
                f"Trying to distribute tensor with unsupported placements {one} on device mesh dimension {dim}! "
                "Only operations make it: take Shard(dim) or Replicate()."
            )
    return wanted


def attach(name: str, member: Any) -> None:
    """Give `DTensor` a method or an operator that a higher module defines."""
    setattr(DTensor, name, member)


def distribute_tensor(
    tensor: Tensor, device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None
) -> DTensor:
    """Place a tensor over the workers of a mesh. Each is sent its part, which can be sent again if the worker dies.

    Args:
        tensor: of this process. placements: one for each dimension of the mesh; by default it is whole on each.

    Raises:
        RuntimeError: where there is no mesh. ValueError: where the placements do not fit it. IndexError: for
        a dimension out of range.

    Source: https://docs.pytorch.org/docs/stable/distributed.tensor.html#torch.distributed.tensor.distribute_tensor
    """
    if device_mesh is None:
        raise RuntimeError("No device mesh is currently active!")
    if not isinstance(tensor, Tensor):
        raise TypeError(f"distribute_tensor takes a tensor, and {type(tensor).__name__} is none.")
    wanted = placed_by_hand(placements, device_mesh, tensor.dim())
    layout = Layout(tuple(tensor.shape), device_mesh.shape, wanted)
    held = tensor.detach()
    parts = [
        device_mesh.cluster.submit(rank, tasks.source, tasks.cut(held, layout.box(rank)))
        for rank in layout.ranks
    ]
    return DTensor(device_mesh, wanted, tensor.shape, tensor.dtype, parts)
