"""Copies: from one storage into another, to another memory order, and results into the tensor that waits for them.

Only what is here moves elements from one storage to another; every byte goes through `copy_into`.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy

from tensorkit import dtypes, storage, tracing
from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import NEG, turned
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import register_writer
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import check_overlap, check_writable, empty_strided, resize_out
from tensorkit.elementwise.promotion import as_number_array, check_castable, one_device
from tensorkit.errors import MissingKernelError, warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.sizes import LARGE
from tensorkit.memory_format import (
    check_format,
    contiguous_format,
    formatted_strides,
    has_format,
    memory_format,
    preserve_format,
)
from tensorkit.ops.shared.on_device import copy_strided
from tensorkit.strides.sizes import broadcast_sizes, contiguous_stride
from tensorkit.tensor import Tensor, attach, fresh

# -- the copier ------------------------------------------------------------------------------------------------------


def copy_into(dst: Tensor, src: Tensor, *, non_blocking: bool = False) -> None:
    """Write the elements of `src`, broadcast and converted, into `dst`, wherever the two live.

    Args:
        non_blocking: whether to come back before bytes have moved between a device and pinned memory.
    """
    if not dst.numel() or dst._device == META:
        return
    if src._device == META:
        raise MissingKernelError("Cannot copy out of meta tensor; no data!")
    if dst._device != src._device:
        _copy_across(dst, src, non_blocking)
    elif dst._device == CPU:
        if dst._bits:
            kernels.copy(dst._nd(physical=True), turned(kernels.cast(src._nd(), dst._dtype), dst._bits))
        else:
            kernels.copy(dst._nd(), src._nd())
        if tracing.active:
            tracing.emit(tracing.CopyEvent(dst.nbytes, "cpu", "cpu"))
    else:
        copy_strided(dst, src)
        if tracing.active:
            tracing.emit(tracing.CopyEvent(dst.nbytes, str(dst._device), str(dst._device)))


def _copy_across(dst: Tensor, src: Tensor, non_blocking: bool) -> None:
    """From one device's memory to another's: as one block of bytes, laid out before and after if need be."""
    block = _dense(src)
    fits = dst._dtype is block._dtype and dst._lay().size == block._lay().size
    if fits and dst.is_contiguous() and not dst._bits:
        landing = dst
    else:
        landing = empty_strided(block._lay().size, block._lay().stride, block._dtype, dst._device)
    item = block._dtype.itemsize
    storage.copy_bytes(
        landing._checked_store(),
        landing._lay().offset * item,
        block._checked_store(),
        block._lay().offset * item,
        block.nbytes,
        non_blocking,
    )
    if landing is not dst:
        copy_into(dst, landing)


def _dense(tensor: Tensor) -> Tensor:
    plain = tensor.is_contiguous() and not tensor._bits
    return tensor if plain else copied(tensor, contiguous_stride(tensor._lay().size))


def copied(input: Tensor, stride: tuple[int, ...], kind: dtype | None = None) -> Tensor:
    out = empty_strided(input._lay().size, stride, kind or input._dtype, input._device)
    copy_into(out, input)
    return out


def deliver(values: Any, kind: dtype, out: Tensor | None = None) -> Tensor:
    """An array, converted to `kind`, as a new row-major tensor; or written into `out`, which is returned.

    Raises:
        TypeError, RuntimeError: when `out` is not a tensor, or cannot hold this kind of number.
    """
    array = kernels.cast(numpy.asarray(values), kind)
    result = fresh(array if array.flags.c_contiguous else numpy.ascontiguousarray(array), kind)
    return result if out is None else deliver_into(result, out)


def deliver_into(result: Tensor, out: Any, stride: tuple[int, ...] | None = None) -> Tensor:
    """A finished result written into a tensor given as ``out=``, which is resized (with a warning) if need be:
    row-major, or to these strides."""
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type_name(out)}")
    check_castable(result._dtype, out._dtype)
    resize_out(out, result._lay().size, stride)
    copy_into(out, result)
    out._bump()
    return out


def _write_back(input: Tensor, result: Tensor) -> Tensor:
    """A result written into the tensor that the in-place form of its operation was called on."""
    check_writable(input)
    one_device(input, result)
    if result._lay().size != input._lay().size:
        raise RuntimeError(
            f"output with shape {list(input._lay().size)} doesn't match the broadcast shape "
            f"{list(result._lay().size)}"
        )
    check_castable(result._dtype, input._dtype)
    copy_into(input, result)
    input._bump()
    return input


def _resize_and_write(out: Tensor, result: Tensor, stride: tuple[int, ...] | None) -> None:
    resize_out(out, result._lay().size, stride)
    check_writable(out)
    copy_into(out, result)
    out._bump()


# Late: `dispatch` calls the copies, and they are operations, built on it.
register_writer(_write_back, _resize_and_write)


def check_negated(dst: Tensor, src: Tensor) -> None:
    """Refuse to copy from a view of negatives into what has none: PyTorch negates what it has copied."""
    if src._bits & NEG and (dst._dtype is dtypes.bool or dst._dtype in dtypes.LIMITED) and dst.numel():
        raise missing_kernel("neg_cpu", dst._dtype.label)


def warn_complex_to_real(dst: Tensor, src: Tensor) -> None:
    """Warn, as PyTorch does, when elements of `src` lose their imaginary part on the way into `dst`."""
    if src._dtype.is_complex and dst._dtype.category in (1, 2) and dst.numel():
        warn("Casting complex values to real discards the imaginary part")


# -- copies ----------------------------------------------------------------------------------------------------------


@op(kind="copy", derivative=Rule("CloneBackward0", input=lambda g, c: g))
@shortened("clone")
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy with a storage of its own; its dimensions keep their order in memory.

    Returns:
        A tensor of the same size and dtype. A transposed tensor stays transposed, an expanded one is written out.

    >>> t = tk.arange(6).view(2, 3).t()
    >>> t.clone().stride(), t.clone().data_ptr() == t.data_ptr()
    ((1, 3), False)
    """
    check_format("clone", memory_format)
    return copied(input, formatted_strides(input._lay(), memory_format))


@op(
    kind="copy",
    function=False,
    derivative=Rule(
        "CloneBackward0",
        applies=lambda call: not has_format(call["input"]._lay(), call["memory_format"]),
        input=lambda g, c: g,
    ),
)
def contiguous(input: Tensor, *, memory_format: memory_format = contiguous_format) -> Tensor:
    """The tensor itself if its elements lie in row-major order (or in the format), otherwise a copy in which they do.

    >>> t = tk.zeros(2, 3)
    >>> t.contiguous() is t, t.t().contiguous().stride()
    (True, (2, 1))
    """
    if memory_format is not contiguous_format:
        return _in_format(input, memory_format)
    if input._array is not None and input._solid:
        return input
    if input.is_contiguous():
        return input
    if input._device is CPU and not input._bits:
        array = input._nd()
        if array.size < LARGE and not tracing.active:  # the copier counts its bytes
            return fresh(array.copy(), input._dtype)
    return copied(input, contiguous_stride(input._lay().size))


def _attach_contiguous() -> None:
    """The method, which most often has nothing to do, asks first whether it has."""
    whole = Tensor.__dict__["contiguous"]

    @functools.wraps(whole)
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if self._array is not None and self._solid and not args and not kwargs and not tracing.active:
            return self
        return whole(self, *args, **kwargs)  # type: ignore[no-any-return]

    attach("contiguous", method, again=True)


_attach_contiguous()


def _in_format(input: Tensor, wanted: Any) -> Tensor:
    if not isinstance(wanted, memory_format):
        raise TypeError(
            f"contiguous(): argument 'memory_format' must be tensorkit.memory_format, not {type_name(wanted)}"
        )
    if wanted is preserve_format and not input.is_contiguous():
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    strides = formatted_strides(input._lay(), wanted)
    return input if has_format(input._lay(), wanted) else copied(input, strides)


@op(
    kind="inplace",
    function=False,
    derivative=Rule(
        "CopyBackwards", converts=True, input=lambda g, c: g.new_zeros(g.size()), src=lambda g, c: g
    ),
    handles_conj=True,
)
@takes(method=("(Tensor other, bool non_blocking = False)",), numbers=True, older=True)
@shortened("copy_")
def copy_(input: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Write another tensor's elements, broadcast and converted, into this one; from any device.

    Args:
        non_blocking: whether to come back before elements have moved between a device and pinned memory: they are
            there after the next ``tk.cuda.synchronize()``.

    Raises:
        RuntimeError: when the sizes do not fit, or two elements of this tensor share a slot.

    >>> tk.zeros(2, 2).copy_(tk.tensor([1, 2]))
    tensor([[1., 2.],
            [1., 2.]])
    """
    if not isinstance(non_blocking, bool):
        raise TypeError  # the caller says it in PyTorch's words
    if not isinstance(src, Tensor):
        if isinstance(src, NUMBERS):
            src = number_tensor(src)
        else:
            raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type_name(src)}")
    if same_place(input, src):
        input._bump()
        return input
    check_writable(input)
    check_overlap(input, src, seen=True)
    own, given = input._lay(), src._lay()
    size = broadcast_sizes(own.size, given.size)
    if size != own.size:
        raise RuntimeError(
            f"output with shape {list(own.size)} doesn't match the broadcast shape {list(size)}"
        )
    check_negated(input, src)
    warn_complex_to_real(input, src)
    source = src if given.size == own.size else src._view(given.expand(own.size))
    copy_into(input, source, non_blocking=non_blocking)
    input._bump()
    return input


def same_place(one: Tensor, two: Tensor) -> bool:
    """Whether two tensors are the same numbers in the same memory: then there is nothing to copy."""
    if one is two:
        return True
    return (
        one._storage is not None
        and one._storage is two._storage
        and one._dtype is two._dtype
        and one._bits == two._bits
        and one._lay() == two._lay()
    )


def number_tensor(value: Any) -> Tensor:
    """A Python number as a 0-d CPU tensor of the dtype that it has by itself."""
    kind = dtypes.of_number(value)
    out = empty_strided((), (), kind, CPU)
    out._nd()[...] = as_number_array(value, kind)
    return out
