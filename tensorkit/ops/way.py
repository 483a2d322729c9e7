"""The one way from an operation's body to its result.

    plan     the body checks its arguments and says what is to be made: sizes, dtypes, and what the kernel is given
    place    new tensors, on the device of the inputs
    launch   the kernel of that device fills them; on the meta device, and where there are no elements, none runs
    deliver  the result is handed back, or written into the tensor given as `out=`

A body returns one of two things: a `Plan`, where a kernel is to fill new memory, or finished tensors, where the
operation is made of other operations. `ops.kit` has the decorators; what is around a call (binding, refusals, tracing,
recording) is `dispatch`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensorkit.device import device
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dtypes import dtype, float32
from tensorkit.elementwise.output import empty_strided
from tensorkit.elementwise.promotion import check_devices
from tensorkit.errors import MissingKernelError, within_memory
from tensorkit.kernels.cpu.elementwise import is_half, quiet
from tensorkit.ops.shared.copy import copied, copy_into, deliver_into
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor

Kernels = Mapping[str, Callable[..., None]]
"""What fills the results, by the type of device: ``kernel(*results, *inputs, **settings)``."""
Lacks = tuple[str, Sequence[dtype]]
"""PyTorch's name of a kernel, and the dtypes that it has no code for."""


@dataclass(slots=True, frozen=True)
class Result:
    """A tensor that is to be made; row-major where no strides are named."""

    size: tuple[int, ...]
    dtype: dtype
    stride: tuple[int, ...] | None = None


@dataclass(slots=True)
class Plan:
    """What a body has decided.

    Attributes:
        results: what is to be made.
        inputs: the tensors that the kernel reads; numbers and None are handed on as they are.
        settings: what else the kernel is given, by name.
        kernel: what fills the results, if it is not the operation's own.
        wide: whether 16-bit inputs are converted to float32, and the results rounded once at the end.
        checked: whether the kernel of the CPU runs where there are no elements to make too: it refuses inputs.
    """

    results: tuple[Result, ...]
    inputs: tuple[Any, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    kernel: Kernels | None = None
    wide: bool = True
    checked: bool = False


@within_memory
def carried_out(name: str, plan: Plan, kernels: Kernels, lacks: Lacks, out: Tensor | None) -> Any:
    """Make what a plan asks for: one tensor, or a tuple of them.

    Args:
        name: the operation's. kernels, lacks: what was declared of it. out: where its one result is to go.

    Raises:
        NotImplementedError: where the device has no kernel, or the kernel no code for the dtype.
        RuntimeError: where inputs are on two devices, or memory is out.
    """
    where = check_devices(plan.inputs)
    kernel = _kernel(name, plan, kernels, lacks, where)
    made = [_empty(one, one.dtype, where) for one in plan.results]
    if where.type != "meta" and (plan.checked or any(0 not in one.size for one in plan.results)):
        _launch(kernel, plan, made, where)
    if out is not None:
        return deliver_into(made[0], out)
    return made[0] if len(made) == 1 else tuple(made)


def _kernel(name: str, plan: Plan, kernels: Kernels, lacks: Lacks, where: device) -> Callable[..., None]:
    found = (plan.kernel or kernels).get(where.type)
    if where.type == "meta":
        return lambda *given, **settings: None
    code, missing = lacks
    if (kind := _computed(plan)) in missing:
        raise missing_kernel(code, kind.label)
    if found is None:
        backend = where.type.upper()
        raise MissingKernelError(f"Could not run 'aten::{name}' with arguments from the '{backend}' backend.")
    return found


def _computed(plan: Plan) -> dtype:
    first = plan.inputs[0]
    return first._dtype if isinstance(first, Tensor) else plan.results[0].dtype


def _empty(one: Result, kind: dtype, where: device) -> Tensor:
    stride = contiguous_stride(one.size) if one.stride is None else one.stride
    return empty_strided(one.size, stride, kind, where)


def _launch(kernel: Callable[..., None], plan: Plan, made: Sequence[Tensor], where: device) -> None:
    """Run a kernel: it is given arrays on the CPU, tensors on a CUDA device."""
    inputs, targets = plan.inputs, made
    if plan.wide:
        inputs = tuple(_widened(one) for one in inputs)
        targets = [
            _empty(asked, float32, where) if is_half(asked.dtype) else own
            for asked, own in zip(plan.results, made, strict=True)
        ]
    if where.type == "cpu":
        arrays = [one._nd() if isinstance(one, Tensor) else one for one in (*targets, *inputs)]
        quiet(kernel, *arrays, **plan.settings)
    else:
        kernel(*targets, *inputs, **plan.settings)
    for target, own in zip(targets, made, strict=True):
        if target is not own:
            copy_into(own, target)


def _widened(one: Any) -> Any:
    """A 16-bit tensor as float32; anything else as it is."""
    if not isinstance(one, Tensor) or not is_half(one._dtype):
        return one
    return copied(one, contiguous_stride(one._lay().size), float32)
