"""Plans for tensors on a device: what `apply` decided and found, kept for the next call with such operands.

On a GPU the host's part of a call decides how fast small tensors are: the kernel has long ended when the
next one is launched. A plan answers with two look-ups what the whole way takes tens of microseconds to work out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorkit import dtypes, tracing
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.output import stride_of
from tensorkit.elementwise.promotion import dtypes_of
from tensorkit.elementwise.run import Launch, plan_launch
from tensorkit.kernels.sizes import PLANS_KEPT
from tensorkit.storage import allocate, on_buffer
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Tensor, on_storage

_SMALLEST, _LARGEST = -(2**31), 2**31  # integers that need no check for overflow


class _Plan(NamedTuple):
    layout: Layout  # of the result
    dtype: dtype
    nbytes: int  # of its storage
    launch: Launch


_plans: dict[Any, _Plan | None] = {}


def planned_new(block: Pointwise, operands: tuple[Any, ...]) -> Tensor | None:
    """The result in a new tensor; None where `apply` has to go the whole way. Gradients are the caller's."""
    if operands[0].__class__ is not Tensor:
        return None
    where = operands[0]._device
    found = _given(block, operands, where)
    if found is None:
        return None
    key, buffers, offsets, numbers = found
    try:
        plan = _plans[key]
    except KeyError:
        plan = _plan(key, block, operands, None)
    if plan is None:
        return None
    made = buffers[0] = buffers[1].another(plan.nbytes)
    if not plan.launch(buffers, offsets, numbers):
        return None
    return on_storage(on_buffer(made, where), plan.layout, plan.dtype)


def planned_into(block: Pointwise, operands: tuple[Any, ...], out: Tensor) -> bool:
    """Whether the result could be written into `out`, which may be the first operand."""
    lay = out._layout
    if lay is None or out._bits or out._device != operands[0]._device:
        return False
    found = _given(block, operands, out._device)
    if found is None:
        return False
    key, buffers, offsets, numbers = found
    held: Any = out._storage
    if held._shrunk or any(
        one is not out and one.__class__ is Tensor and one._storage is held for one in operands
    ):
        return False
    key += (out._dtype, lay.size, lay.stride)
    try:
        plan = _plans[key]
    except KeyError:
        plan = _plan(key, block, operands, out)
    if plan is None:
        return False
    buffers[0], offsets[0] = held._buffer, lay.offset
    if not plan.launch(buffers, offsets, numbers):
        return False
    out._bump()
    return True


def _given(
    block: Pointwise, operands: tuple[Any, ...], where: Any
) -> tuple[tuple[Any, ...], list[Any], list[int], list[Any]] | None:
    """The key of a plan, with the buffers, offsets and numbers that it is launched with; the output's come first."""
    if where.index is None or tracing.active:
        return None  # the CPU and the meta device; or a listener that has to hear of the launch
    key: tuple[Any, ...] = (block, where.index, dtypes._default)
    buffers, offsets, numbers = [None], [0], []
    for one in operands:
        kind = one.__class__
        if kind is Tensor:
            lay = one._layout
            if lay is None or one._bits or (one._device is not where and one._device != where):
                return None
            held: Any = one._storage
            if held._shrunk:
                return None  # whether it reaches the elements is asked on the whole way
            key += (one._dtype, lay.size, lay.stride)
            buffers.append(held._buffer)
            offsets.append(lay.offset)
        elif kind is float or (kind is int and _SMALLEST <= one < _LARGEST):
            key += (kind,)
            numbers.append(one)
        else:
            return None
    return key, buffers, offsets, numbers


def _plan(key: Any, block: Pointwise, operands: tuple[Any, ...], out: Tensor | None) -> _Plan | None:
    if len(_plans) >= PLANS_KEPT:
        _plans.clear()
    plan = _plans[key] = _made(block, operands, out)
    return plan


def _made(block: Pointwise, operands: tuple[Any, ...], out: Tensor | None) -> _Plan | None:
    """A plan; None for what is refused, in the words of `apply`, or looked at more closely there."""
    try:
        if block.check is not None:
            block.check(*operands)
        compute, kind = dtypes_of(block, operands)
        size = broadcast_sizes(*[one._lay().size for one in operands if one.__class__ is Tensor])
    except (RuntimeError, TypeError, NotImplementedError):
        return None
    if compute in block.lacks or 0 in size or block.numbers or block.inplace_check is not None:
        return None
    if compute.category != 2 and (block.check is not None or block.refuses_zero):
        return None  # whether integers are refused can be a question of their values
    target = out if out is not None else _like(size, kind, block, operands)
    lay = target._lay()
    if lay.size != size or target._dtype is not kind or lay.has_internal_overlap() != "no":
        return None
    launch = plan_launch(block, target, operands, compute)
    return (
        None if launch is None else _Plan(Layout(size, lay.stride), kind, lay.reach() * kind.itemsize, launch)
    )


def _like(size: tuple[int, ...], kind: dtype, block: Pointwise, operands: tuple[Any, ...]) -> Tensor:
    layout = Layout(size, stride_of(block, operands, size, kind, None))
    return on_storage(allocate(layout.reach() * kind.itemsize, operands[0]._device), layout, kind)
