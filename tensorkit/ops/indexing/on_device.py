"""Following indices on a CUDA device: what the operations of this folder come to there, once they have checked.

Whether an index is out of range only the kernel sees: the program hears of it at the next call that waits for the
device, as on every GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.conj_bit import resolved
from tensorkit.elementwise.output import empty_strided
from tensorkit.kernels import cuda
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.ops.indexing.index_plan import Picks, Plan, check_mask, is_mask
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.copy import copied, copy_into
from tensorkit.ops.shared.on_device import operand
from tensorkit.ops.shared.to import to_device
from tensorkit.strides import layout as layouts
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor

_ANY = 2**62  # of indices that were checked when they were made one


def _as_int64(index: Tensor) -> Tensor:
    index = resolved(index)
    return (
        index
        if index._dtype is dtypes.int64
        else copied(index, contiguous_stride(index._lay().size), dtypes.int64)
    )


def _without(stride: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*stride[:axis], 0, *stride[axis + 1 :])


def gathered(input: Tensor, axis: int, index: Tensor) -> Tensor:
    """``out[i, j] = input[index[i, j], j]``; a 0-d tensor counts as one of a single element."""
    input, index = resolved(input), _as_int64(index)
    size = index._lay().size
    made = empty_strided(size, contiguous_stride(size), input._dtype, input._device)
    lay, wide = input._lay(), size or (1,)
    own, stride = (lay.size, lay.stride) if lay.size else ((1,), (0,))
    places = operand(index, wide)
    target = operand(made)._replace(stride=contiguous_stride(wide))
    source = Operand(input._checked_store()._buffer, input._dtype, _without(stride, axis), lay.offset)
    cuda.indexing.gather(target, source, places, wide, own[axis], stride[axis], axis)
    return made


def _of_slices(index: Tensor, axis: int, size: tuple[int, ...]) -> Tensor:
    """An index (of one dimension, or none) that names whole slices, as one that names the elements of a size."""
    layout = index._lay()
    steps = tuple((layout.stride[0] if layout.size else 0) if d == axis else 0 for d in range(len(size)))
    return index._view(Layout(size, steps, layout.offset))


def selected(input: Tensor, axis: int, index: Tensor, size: tuple[int, ...]) -> Tensor:
    """Slices along one dimension, as `index` (of one dimension, or none) names them."""
    return gathered(input, axis, _of_slices(_as_int64(index), axis, size))


def scattered(target: Tensor, axis: int, index: Tensor, source: Tensor, how: str) -> None:
    """Write `source` into `target` where `index` says along `axis`; both broadcast to a common size.

    Args:
        source: of the dtype of `target`, at least as large as `index`, or of one element.
        how: "set", "add", "multiply", "amax" or "amin".
    """
    rounded = how != "set" and target._dtype in (dtypes.float16, dtypes.bfloat16)
    if rounded or target._bits:  # 16-bit numbers are rounded once, at the end
        kind = dtypes.float32 if rounded else target._dtype
        wide = copied(target, contiguous_stride(target._lay().size), kind)
        scattered(wide, axis, index, copied(source, contiguous_stride(source._lay().size), kind), how)
        copy_into(target, wide)
        return
    index, source = _as_int64(index), resolved(source)
    size = index._lay().size or (1,)
    lay, given = target._lay(), source._lay()
    own, stride = (lay.size, lay.stride) if lay.size else ((1,), (0,))
    steps = given.stride if given.size else (0,) * len(size)
    if given.numel == 1:
        steps = (0,) * len(size)
    cuda.indexing.scatter(
        how,
        Operand(target._checked_store()._buffer, target._dtype, stride, lay.offset),
        operand(index, size),
        Operand(source._checked_store()._buffer, source._dtype, steps, given.offset),
        size,
        axis,
        own[axis],
        axis,
    )


def scattered_rows(target: Tensor, axis: int, index: Tensor, source: Tensor, how: str) -> None:
    """`scattered`, where `index` (of one dimension, or none) names whole slices."""
    size = source._lay().size or (1,)
    scattered(target, axis, _of_slices(_as_int64(index), axis, size), source, how)


def filled_rows(target: Tensor, axis: int, index: Tensor, number: Tensor) -> None:
    """One number written into the slices that `index` names, negative ones counted from the end."""
    own = target._lay().size or (1,)
    count = index.numel()
    found = located([index.reshape(count)], (count,), (own[axis],), (1,), target)
    size = (*own[:axis], count, *own[axis + 1 :])
    steps = tuple(1 if d == axis else 0 for d in range(len(size)))
    scattered(target, axis, found._view(Layout(size, steps, 0)), number, "set")


def scattered_by_mask(input: Tensor, mask: Tensor, source: Tensor) -> None:
    """Each true place reads the element of `source` whose number is how many were true before it.

    Whether there are enough of them only the kernel sees, which notes a number beyond the end.
    """
    before: Any = mask.reshape(-1).cumsum(0)
    if not before.numel():
        return
    if not source.numel():
        if int(before[-1]):
            raise RuntimeError("Number of elements of source < number of ones in mask")
        return
    numbers = (before - 1) * mask.reshape(-1)
    taken = gathered(source.reshape(-1), 0, numbers)
    copy_into(input, where(mask, taken.view(input._lay().size), input))


# -- several indices ------------------------------------------------------------------------------------------------


class DevicePlan(Plan):
    """A `Plan` whose indices stay on their device: tensors of int64, one for each dimension that is picked from."""

    __slots__ = ()

    def _expanded(self, source: Layout, picks: Sequence[Tensor | None]) -> Any:
        arrays: list[Any] = []
        grids: list[Layout | None] = []
        for pick in picks:
            if pick is None:
                arrays.append(None)
                grids.append(None)
            elif is_mask(pick):
                check_mask(source, pick, len(arrays))
                places = pick.nonzero()
                for d in range(pick.dim()):
                    arrays.append(places.select(1, d))
                    grids.append(layouts.contiguous((places._lay().size[0],)))
            else:
                if pick._dtype is not dtypes.int64:
                    self.converted.add(len(arrays))
                arrays.append(_as_int64(pick))
                grids.append(pick._lay())
        return arrays, grids


def _there(input: Tensor, picks: Sequence[Tensor | None]) -> Picks:
    return [None if pick is None else to_device(pick, input._device) for pick in picks]


def located(tensors: Sequence[Any], shape: tuple[int, ...], lengths: Any, steps: Any, like: Tensor) -> Tensor:
    """Several indices as one: ``sum(index * step)``, negative ones counted from the end."""
    found = empty_strided(shape, contiguous_stride(shape), dtypes.int64, like._device)
    found.zero_()
    for dim, (index, length, step) in enumerate(zip(tensors, lengths, steps, strict=True)):
        cuda.indexing.locate(operand(found), operand(index, shape), shape, length, step, dim)
    return found


def _plan(input: Tensor, picks: Sequence[Tensor | None]) -> tuple[DevicePlan, Tensor, int]:
    plan = DevicePlan(input._lay(), _there(input, picks))
    end = plan.before + len(plan.arrays)
    steps = plan.source.stride[plan.before : end]
    return plan, located(plan.arrays, plan.shape, plan.source_size, steps, input), end


def picked(input: Tensor, picks: Sequence[Tensor | None]) -> Tensor:
    """A copy of the elements that the tensors name: ``input[picks]``."""
    input = resolved(input)
    plan, places, end = _plan(input, picks)
    made = empty_strided(plan.size, plan.stride(), input._dtype, input._device)
    source, before = plan.source, plan.before
    after = len(source.size) - end
    flat = (0,) * len(plan.shape)
    along = (*source.stride[:before], *flat, *source.stride[end:])
    steps = ((0,) * before + places._lay().stride + (0,) * after) if plan.shape else (0,) * (before + after)
    cuda.indexing.gather(
        operand(made),
        Operand(input._checked_store()._buffer, input._dtype, along, source.offset),
        Operand(places._checked_store()._buffer, dtypes.int64, steps),
        plan.size,
        _ANY,
        1,
    )
    return made


def put(
    input: Tensor,
    picks: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool,
    check: Callable[[tuple[int, ...]], None],
) -> None:
    """``input[picks] = values``, or with `accumulate` the values added.

    Args:
        check: asked whether the values fit the size that they are to be broadcast to.
    """
    rounded = accumulate and input._dtype in (dtypes.float16, dtypes.bfloat16)
    if input._bits or rounded:
        kind = dtypes.float32 if rounded else input._dtype
        plain = copied(input, contiguous_stride(input._lay().size), kind)
        put(plain, picks, copied(values, contiguous_stride(values._lay().size), kind), accumulate, check)
        copy_into(input, plain)
        return
    plan, places, end = _plan(input, picks)
    check(plan.size)
    if 0 in plan.size:
        return
    values = to_device(resolved(values), input._device)
    wide = values._view(values._lay().expand(plan.size))
    source, before = plan.source, plan.before
    count = places.numel()
    size = (*source.size[:before], count, *source.size[end:])
    given = copied(wide, contiguous_stride(plan.size)) if len(plan.shape) != 1 else wide
    steps = contiguous_stride(size) if len(plan.shape) != 1 else given._lay().stride
    along = tuple(1 if d == before else 0 for d in range(len(size)))
    cuda.indexing.scatter(
        "add" if accumulate else "set",
        Operand(
            input._checked_store()._buffer,
            input._dtype,
            (*source.stride[:before], 1, *source.stride[end:]),
            source.offset,
        ),
        Operand(places._checked_store()._buffer, dtypes.int64, along),
        Operand(given._checked_store()._buffer, input._dtype, steps, given._lay().offset),
        size,
        before,
        _ANY,
    )
