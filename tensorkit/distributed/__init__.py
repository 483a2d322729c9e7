"""Process groups, of one process: programs written for several run here as the only one of them.

Tensors over many workers are in `tensorkit.distributed.tensor`.

>>> tk.distributed.init_process_group("gloo", "tcp://localhost:29500", world_size=1, rank=0)
>>> total = tk.ones(2)
>>> tk.distributed.all_reduce(total)
>>> total, tk.distributed.get_rank(), tk.distributed.get_world_size()
(tensor([1., 1.]), 0, 1)
>>> tk.distributed.destroy_process_group()

What all processes know together is then what this one knows, and no collective has anything to send. A group of more
processes is refused when it is begun.

Source: https://docs.pytorch.org/docs/stable/distributed.html
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from enum import Enum
from typing import Any

from tensorkit import cuda
from tensorkit.autograd import no_grad
from tensorkit.tensor import Tensor

__all__ = [
    "Backend",
    "DeviceMesh",
    "GroupMember",
    "ProcessGroup",
    "ReduceOp",
    "Work",
    "all_gather",
    "all_gather_object",
    "all_reduce",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "checkpoint",
    "cluster",
    "destroy_process_group",
    "device_mesh",
    "gather",
    "gather_object",
    "get_backend",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_device_mesh",
    "init_process_group",
    "irecv",
    "is_available",
    "is_backend_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "isend",
    "new_group",
    "recv",
    "reduce",
    "reduce_scatter",
    "scatter",
    "send",
    "tensor",
]


_PACKAGES = ("checkpoint", "cluster", "device_mesh", "tensor")
_OF_MESHES = ("DeviceMesh", "init_device_mesh")


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Sharded tensors are loaded on first use."""
    if name in _PACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _OF_MESHES:
        return getattr(importlib.import_module(f"{__name__}.device_mesh"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _RedOpType(Enum):
    """How the tensors of several processes become one."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7


_RedOpType.__name__ = "RedOpType"  # as it is printed


class ReduceOp:
    """How the tensors of several processes become one: of one process, each of these leaves it as it is."""

    RedOpType = _RedOpType
    SUM = _RedOpType.SUM
    AVG = _RedOpType.AVG
    PRODUCT = _RedOpType.PRODUCT
    MIN = _RedOpType.MIN
    MAX = _RedOpType.MAX
    BAND = _RedOpType.BAND
    BOR = _RedOpType.BOR
    BXOR = _RedOpType.BXOR


class Backend(str):
    """The name of what would carry messages between processes."""

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"


class ProcessGroup:
    """Processes that work together: this one."""

    def __init__(self, backend: str) -> None:
        self._backend = backend

    def rank(self) -> int:
        """The number of this process in the group."""
        return 0

    def size(self) -> int:
        """How many processes there are."""
        return 1


class Work:
    """What a collective gives back that need not be waited for: it is done."""

    def wait(self, timeout: Any = None) -> bool:
        """Wait for it."""
        return True

    def is_completed(self) -> bool:
        """Whether it is done."""
        return True


class GroupMember:
    """``GroupMember.WORLD``: the group of all processes; None before `init_process_group`."""

    WORLD: ProcessGroup | None = None
    NON_GROUP_MEMBER = -100


group = GroupMember


def is_available() -> bool:
    """Whether there are process groups: there are, of one process."""
    return True


def is_initialized() -> bool:
    """Whether `init_process_group` was called.

    >>> is_initialized()
    False
    """
    return GroupMember.WORLD is not None


def is_gloo_available() -> bool:
    """Whether ``"gloo"`` is available."""
    return True


def is_nccl_available() -> bool:
    """Whether ``"nccl"`` is available: where there is CUDA."""
    return cuda.is_available()


def is_mpi_available() -> bool:
    """Whether ``"mpi"`` is available."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether a backend is available."""
    return backend == "gloo" or (backend == "nccl" and is_nccl_available())


def is_torchelastic_launched() -> bool:
    """Whether ``torchrun`` started this process."""
    return os.getenv("TORCHELASTIC_RUN_ID") is not None


def _from_environment(name: str) -> str:
    if name not in os.environ:
        raise ValueError(
            "Error initializing tensorkit.distributed using env:// rendezvous: environment variable "
            f"{name} expected, but not set"
        )
    return os.environ[name]


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: Any = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Begin the group of all processes, which has to be this one alone.

    Args:
        backend: ``"gloo"``, or ``"nccl"`` where there is CUDA; nothing is sent in either case.
        init_method: where processes meet; by default, as with ``"env://"``, the environment says it.
        world_size: how many processes there are; by default the variable WORLD_SIZE says it.
        rank: the number of this one; by default the variable RANK says it.
        timeout, store, group_name, pg_options, device_id: without effect.

    Raises:
        ValueError: when there is a group already, or the environment lacks a variable.
        RuntimeError: for more than one process.

    Source: https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.init_process_group
    """
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    name = (backend or "gloo").lower()
    if name == "nccl" and not is_nccl_available():
        raise RuntimeError("Distributed package doesn't have NCCL built in")
    if store is None and (init_method is None or init_method.startswith("env://")):
        rank = int(_from_environment("RANK")) if rank == -1 else rank
        world_size = int(_from_environment("WORLD_SIZE")) if world_size == -1 else world_size
        _from_environment("MASTER_ADDR")
        _from_environment("MASTER_PORT")
    if world_size != 1 or rank != 0:
        raise RuntimeError(
            f"A process group of tensorkit has one process, and this is to be number {rank} of {world_size}: start "
            "the program once, without torchrun, with world_size=1 and rank=0"
        )
    GroupMember.WORLD = ProcessGroup(name)


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """End the group of all processes, or another one."""
    if group is None and GroupMember.WORLD is None:
        raise AssertionError("Process group cannot be None")
    if group is None or group is GroupMember.WORLD:
        GroupMember.WORLD = None


def _of(group: ProcessGroup | None) -> ProcessGroup:
    if GroupMember.WORLD is None:
        raise ValueError(
            "Default process group has not been initialized, please make sure to call init_process_group."
        )
    return group or GroupMember.WORLD


def get_rank(group: ProcessGroup | None = None) -> int:
    """The number of this process in a group: 0."""
    return _of(group).rank()


def get_world_size(group: ProcessGroup | None = None) -> int:
    """How many processes a group has: 1."""
    return _of(group).size()


def get_backend(group: ProcessGroup | None = None) -> str:
    """The name of a group's backend."""
    return _of(group)._backend


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """The numbers of the processes of a group."""
    return [_of(group).rank()]


def new_group(
    ranks: Sequence[int] | None = None, timeout: Any = None, backend: str | None = None, **options: Any
) -> ProcessGroup:
    """A group of some of the processes: of this one.

    Raises:
        ValueError: before `init_process_group`, and for numbers that no process has.
    """
    world = _of(None)
    if ranks is not None and list(ranks) != [0]:
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    return ProcessGroup(backend or world._backend)


# -- collectives: what all processes have together is what this one has ------------------------------------------


def _tensor(value: Any, name: str) -> Any:
    if not isinstance(value, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type tensorkit.Tensor\n"
            f"             but got {type(value)} instead."
        )
    return value


def _tensors(values: Any, name: str) -> Any:
    if not isinstance(values, list) or not all(isinstance(one, Tensor) for one in values):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[tensorkit.Tensor]\n"
            f"             but got {type(values)} with elements of type {[type(one) for one in values]}."
        )
    return values


def _done(async_op: bool) -> Work | None:
    return Work() if async_op else None


def _copy(target: Any, source: Any) -> None:
    with no_grad():
        target.copy_(source)


def _root(rank: int, name: str) -> None:
    if rank != 0:
        raise RuntimeError(f"ProcessGroupGloo::{name}: invalid root rank: {rank}")


def all_reduce(
    tensor: Tensor, op: Any = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Give every process the sum, or another reduction, of the tensors of all: of one, the tensor itself."""
    _tensor(tensor, "tensor")
    _of(group)
    return _done(async_op)


def reduce(
    tensor: Tensor,
    dst: int = 0,
    op: Any = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Give one process the reduction of the tensors of all."""
    _tensor(tensor, "tensor")
    _of(group)
    _root(dst, "reduce")
    return _done(async_op)


def broadcast(
    tensor: Tensor, src: int = 0, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Give all processes the tensor of one."""
    _tensor(tensor, "tensor")
    _of(group)
    _root(src, "broadcast")
    return _done(async_op)


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Write the tensors of all processes into a list of tensors: of one."""
    _tensors(tensor_list, "tensor_list")
    _tensor(tensor, "tensor")
    _of(group)
    if len(tensor_list) != 1:
        raise RuntimeError(
            "ProcessGroupGloo::allgather: invalid output tensor list at index 0 "
            f"(expected length 1, got {len(tensor_list)})"
        )
    _copy(tensor_list[0], tensor)
    return _done(async_op)


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int = 0,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Write the tensors of all processes into a list that one of them has.

    Raises:
        ValueError: without that list.
    """
    _tensor(tensor, "tensor")
    _of(group)
    _root(dst, "gather")
    if not gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    return all_gather(gather_list, tensor, group, async_op)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int = 0,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Give each process one tensor of a list that one of them has.

    Raises:
        ValueError: without that list.
    """
    _tensor(tensor, "tensor")
    _of(group)
    _root(src, "scatter")
    if not scatter_list:
        raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
    _copy(tensor, _tensors(scatter_list, "scatter_list")[0])
    return _done(async_op)


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: Any = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Reduce lists of tensors of all processes, and give each one place of the result."""
    _tensor(output, "output")
    _tensors(input_list, "input_list")
    _of(group)
    _copy(output, input_list[0])
    return _done(async_op)


def barrier(group: ProcessGroup | None = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Wait until all processes have come to this line."""
    _of(group)
    return _done(async_op)


def all_gather_object(object_list: list[Any], obj: Any, group: ProcessGroup | None = None) -> None:
    """Write what all processes have into a list."""
    _of(group)
    object_list[0] = obj


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int = 0, group: ProcessGroup | None = None
) -> None:
    """Write what all processes have into a list that one of them has.

    Raises:
        ValueError: without that list.
    """
    _of(group)
    if not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    object_gather_list[0] = obj


def broadcast_object_list(
    object_list: list[Any], src: int = 0, group: ProcessGroup | None = None, device: Any = None
) -> None:
    """Give all processes what one of them has."""
    _of(group)
    _root(src, "broadcast")


def _nobody(what: str, group: ProcessGroup | None) -> Any:
    _of(group)
    raise ValueError(
        f"Invalid {what} rank: {what} rank should not be the same as the rank of the current process."
    )


def send(tensor: Tensor, dst: int = 0, group: ProcessGroup | None = None, tag: int = 0) -> None:
    """Send a tensor to another process: there is none."""
    _nobody("destination", group)


def isend(tensor: Tensor, dst: int = 0, group: ProcessGroup | None = None, tag: int = 0) -> Work:
    """Send a tensor without waiting: there is no other process."""
    work: Work = _nobody("destination", group)
    return work


def recv(tensor: Tensor, src: int | None = None, group: ProcessGroup | None = None, tag: int = 0) -> int:
    """Receive a tensor from another process: there is none."""
    rank: int = _nobody("source", group)
    return rank


def irecv(tensor: Tensor, src: int | None = None, group: ProcessGroup | None = None, tag: int = 0) -> Work:
    """Receive a tensor without waiting: there is no other process."""
    work: Work = _nobody("source", group)
    return work
