"""The tensor that a result is written into: its size, its strides, and whether it may be written at all."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy

from tensorkit.device import device
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.promotion import FLOATING, REAL, check_castable, holds_complex, result_dtype
from tensorkit.errors import SHARED_SLOTS, no_room, two_devices, unallocated, warn
from tensorkit.storage import allocate, allocate_pinned
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import iterator_strides, like_strides
from tensorkit.strides.sizes import INT64_MAX, check_bytes, contiguous_stride, overflowed
from tensorkit.tensor import Tensor, fresh, on_storage


def empty_strided(size: tuple[int, ...], stride: tuple[int, ...], kind: dtype, where: device) -> Tensor:
    """An uninitialised tensor with a storage that just fits the size and strides."""
    layout = Layout(size, stride, 0)
    if where.type == "cpu" and stride == contiguous_stride(size):
        try:
            return fresh(numpy.empty(size, kind.numpy), kind)
        except (MemoryError, ValueError) as error:
            if isinstance(refused := unallocated(error), ValueError):
                raise refused from None
            check_bytes(size, kind.itemsize)
            if 0 not in size or max(size) > INT64_MAX:
                raise no_room(math.prod(size) * kind.itemsize) from None
            # Empty, with other lengths that NumPy has no array of.
    nbytes = layout.reach() * kind.itemsize
    if nbytes > INT64_MAX:
        raise overflowed(size, stride)
    return on_storage(allocate(nbytes, where), layout, kind)


def empty_pinned(size: tuple[int, ...], stride: tuple[int, ...], kind: dtype, where: device) -> Tensor:
    """An uninitialised CPU tensor in memory that is locked for transfers.

    Raises:
        RuntimeError: when there is no device to transfer to.
    """
    layout = Layout(size, stride, 0)
    return on_storage(allocate_pinned(layout.reach() * kind.itemsize), layout, kind)


def check_writable(out: Tensor) -> None:
    """Refuse to write where two elements share a slot: the order of writing would decide the result."""
    if out._lay().has_internal_overlap() == "yes":
        raise RuntimeError(SHARED_SLOTS)


def _range(tensor: Tensor) -> tuple[int, int]:
    """The bytes of its storage that a tensor may touch, first and one past the last."""
    lay, item = tensor._lay(), tensor._dtype.itemsize
    return lay.offset * item, lay.reach() * item


def _both(out: Tensor, source: Tensor) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The bytes of the one storage that two tensors touch; None where they have none in common."""
    if out._storage is None or out._storage is not source._storage:
        return None
    a, b = out._lay(), source._lay()
    # PyTorch compares only what it can compare cheaply: dense blocks of memory.
    if not (a.numel and b.numel and a.is_non_overlapping_and_dense() and b.is_non_overlapping_and_dense()):
        return None
    first, last = _range(out), _range(source)
    return (first, last) if first[0] < last[1] and last[0] < first[1] else None


_SHARED = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
    "single memory location. Please clone() the tensor before performing the operation."
)


def check_overlap(out: Tensor, source: Tensor, *, seen: bool = False) -> None:
    """Refuse an input that shares some, but not all, of the output's slots.

    Args:
        seen: whether the operation reads and writes views with bits as they are, and no copies of them.
    """
    if out is source or (both := _both(out, source)) is None:
        return
    if (out._bits or source._bits) and not seen:
        return
    if both[0] != both[1] or out._lay().stride != source._lay().stride:
        raise RuntimeError(_SHARED)


def refuse_shared(out: Tensor, source: Tensor) -> None:
    """Refuse an operand that shares memory with the output, even if it is the same elements."""
    if not (out._bits or source._bits) and (out is source or _both(out, source) is not None):
        raise RuntimeError(_SHARED)


def resize_out(out: Tensor, size: tuple[int, ...], stride: tuple[int, ...] | None = None) -> None:
    """Give an ``out=`` tensor the size of the result, with PyTorch's warning when it had elements to lose.

    Where it has to change, it gets the strides of the result too (row-major if none are given).
    """
    lay = out._lay()
    if lay.size == size:
        return
    if out._bits:
        stride = None  # PyTorch lets the result lie in a tensor of its own, and resizes a view with bits row by row
    if lay.numel:
        warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(lay.size)}, which does not match the required output shape {list(size)}. This behavior is "
            "deprecated, and in a future PyTorch release outputs will not be resized unless they have zero "
            "elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
            "t.resize_(0)."
        )
    target = Layout(size, contiguous_stride(size) if stride is None else stride, lay.offset)
    storage = out._store()
    needed = target.reach() * out._dtype.itemsize
    if needed > storage.nbytes():
        storage.resize_(needed)
    out._adopt_geometry(storage, target)


def resize_silently(out: Tensor, size: tuple[int, ...]) -> None:
    """`resize_out`, row by row, for what gives no warning."""
    if out._lay().size != size:
        out._adopt_geometry(out._store(), Layout((0,), (1,), out._lay().offset))
        resize_out(out, size)


def prepare_out(
    out: Any, size: tuple[int, ...], stride: tuple[int, ...], kind: dtype, where: device
) -> Tensor:
    """Check an ``out=`` tensor and give it the size of the result.

    Raises:
        TypeError: when it is not a tensor.
        RuntimeError: when the result's dtype cannot be cast to its dtype, or it is on another device.
    """
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type(out).__name__}")
    check_castable(kind, out._dtype)
    if out._device != where:
        raise two_devices(where, out._device)
    resize_out(out, size, stride)
    return out


def stride_of(
    block: Pointwise, operands: tuple[Any, ...], size: tuple[int, ...], kind: dtype, out: Any
) -> tuple[int, ...]:
    """The strides of a result that is new, or that `out` is resized for."""
    first = operands[0]
    if block.numbers_apart:
        if not isinstance(first, Tensor):
            return contiguous_stride(size)
        if not isinstance(operands[-1], Tensor):
            operands = operands[:1]
    if isinstance(first, Tensor) and first._dtype.is_complex:
        if block.result == "real float" and not holds_complex(out):
            return contiguous_stride(size)
        if block.result == "real":  # PyTorch makes this one with empty_like, and resizes `out` afterwards
            copied = out is None or holds_complex(out)
            return like_strides(first._lay()) if copied else contiguous_stride(size)
    if out is None and block.like_first and (block.like_first == "always" or first._dtype.category < 2):
        return like_strides(first._lay())
    compute = kind if block.result in ("same", "chosen") else result_dtype(*operands)
    if block.result in FLOATING and compute.category < 2:
        compute = kind
    seen = [seen_layout(operand, compute) for operand in operands]
    if block.result == "chosen":
        seen[0] = first._lay()  # a mask is not converted
    return iterator_strides(size, seen)


def is_resized_late(block: Pointwise, first: Any, out: Tensor) -> bool:
    """Whether PyTorch computes the real result of complex numbers elsewhere, and resizes the output only then."""
    if block.result not in REAL or not isinstance(first, Tensor) or not first._dtype.is_complex:
        return False
    return not out._dtype.is_complex and out._lay().size != first._lay().size


NUMBER = Layout((), (), 0)


def seen_layout(operand: Any, compute: dtype) -> Layout:
    """An operand's layout as the strides of the result follow it: converted, it is a dense copy."""
    if not isinstance(operand, Tensor):
        return NUMBER
    lay: Layout = operand._layout or operand._lay()
    if operand._dtype is compute or not lay.size:
        return lay
    return Layout(lay.size, like_strides(lay), 0)


def check_memory(written: Tensor, sources: Iterable[Any]) -> None:
    """PyTorch looks at overlapping memory before it looks at sizes and dtypes."""
    check_writable(written)
    for source in sources:
        if isinstance(source, Tensor):
            check_overlap(written, source)
