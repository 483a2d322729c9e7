"""Places of what is not zero: `nonzero`, `nonzero_static`, `argwhere`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.output import empty_strided, refuse_shared, resize_out
from tensorkit.errors import MissingKernelError
from tensorkit.kernels.cpu import mask_compiled
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.on_device import counted, is_on_device
from tensorkit.ops.sorting.values_and_indices import check_flags, on_host
from tensorkit.tensor import Array, Tensor, fresh, fresh_strided

_NO_META = (
    "The register_meta function for tensorkit.nonzero() raises unimplemented by default, as a correct "
    "data-independent implementation does not exist. This implementation returns a fake value, assuming all elements "
    "of the tensor are non-zero. To enable this registration, please set "
    "'tensorkit.fx.experimental._config.meta_nonzero_assume_all_nonzero' "
    "to True."
)


def _coordinates(array: Array) -> Array:
    """Where elements are not zero: a row for each dimension."""
    found = mask_compiled.places(array)
    if found is not None:
        return found
    if array.ndim == 1:
        return numpy.flatnonzero(array).reshape(1, -1)
    if array.ndim == 0:
        return numpy.empty((0, int(bool(array))), numpy.int64)
    return numpy.array(numpy.nonzero(array), numpy.int64)


def _nonzero(input: Tensor, out: Tensor | None) -> Tensor:
    kind = input._dtype
    if input._device == META:
        raise MissingKernelError(_NO_META)
    if out is not None and out._dtype is not dtypes.int64:
        raise RuntimeError(
            f"nonzero: Expected out tensor to have scalar type Long but got scalar type{out._dtype.label}"
        )
    if is_on_device(input):
        return _nonzero_on_device(input, out)
    array = on_host(input, "nonzero")
    if kind in LIMITED:
        raise missing_kernel("nonzero_count_cpu", kind.label)
    found = _coordinates(array)
    ndim, count = found.shape
    if out is None and ndim and count > 1:
        return fresh_strided(found.T, dtypes.int64)
    size = (count, ndim)
    result = empty_strided(size, _column_major(count), dtypes.int64, CPU)
    result._nd()[...] = found.T
    if out is None:
        return result
    refuse_shared(out, input)
    resize_out(out, size, result._lay().stride)
    copy_into(out, result)
    out._bump()
    return out


def _nonzero_on_device(input: Tensor, out: Tensor | None) -> Tensor:
    """Each true place is written where the count of those before it says; the host waits for how many there are."""
    if input._dtype in LIMITED:
        raise missing_kernel("nonzero_count_cuda", input._dtype.label)
    size = input._lay().size
    flat: Any = input.reshape(-1).ne(0)
    before = flat.cumsum(0)
    count = int(before[-1]) if before.numel() else 0
    result = empty_strided((count, len(size)), _column_major(count), dtypes.int64, input._device)
    if count and size:
        numbers = counted(0, None, 1, flat.numel(), dtypes.int64, input._device)
        # An element that is zero goes to a place beyond the last one, which is never read.
        places: Any = numbers.new_empty(count + 1)
        places.scatter_(0, where(flat, before - 1, count), numbers)
        places = places[:count]
        for axis in reversed(range(len(size))):
            result.select(1, axis).copy_(places.remainder(size[axis]))
            places = places.div(size[axis], rounding_mode="floor")
    if out is None:
        return result
    refuse_shared(out, input)
    resize_out(out, result._lay().size, result._lay().stride)
    copy_into(out, result)
    out._bump()
    return out


def _column_major(count: int) -> tuple[int, int]:
    return 1, count


@op(kind="reduce", out_overlap="before resizing")
@takes(method=("()", "(*, bool as_tuple)"))
def nonzero(input: Tensor, *, as_tuple: bool = False, out: Tensor | None = None) -> Any:
    """The indices of the elements that are not zero: a row for each of them, row by row in the input.

    Args:
        as_tuple: give one tensor for each dimension instead, which is what indexing takes.

    Returns:
        An int64 tensor of size ``(count, input.dim())``, which lies in memory column by column; or a tuple of tensors.

    >>> tk.tensor([[0, 5], [7, 0]]).nonzero()
    tensor([[0, 1],
            [1, 0]])
    """
    if not isinstance(input, Tensor):
        raise TypeError
    check_flags(as_tuple)
    if not as_tuple:
        return _nonzero(input, out)
    if out is not None:
        raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
    found = _nonzero(input if input.dim() else input.detach().unsqueeze(0), None)
    return found.unbind(1)


@op(kind="reduce", strict=True, library="NumPy")
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1, out: Tensor | None = None) -> Tensor:
    """`nonzero` with `size` rows: the first ones found, then rows of `fill_value` if there are fewer.

    The size of the result is known without looking at a number; on the meta device there are no others.

    Args:
        size: the number of rows. fill_value: the value of the rows that are left.

    Returns:
        An int64 tensor of size ``(size, input.dim())``.

    Raises:
        RuntimeError: for a negative size.

    >>> tk.nonzero_static(tk.tensor([[0, 5], [7, 0]]), size=3)
    tensor([[ 0,  1],
            [ 1,  0],
            [-1, -1]])

    Source: https://docs.pytorch.org/docs/main/generated/torch.nonzero_static.html
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    shape = (int(size), input.dim())
    if out is not None and out._dtype is not dtypes.int64:
        raise RuntimeError(
            f"nonzero_static: Expected out tensor to have scalar type Long but got scalar type{out._dtype.label}"
        )
    if input._device == META:
        return empty_strided(shape, _column_major(shape[0]), dtypes.int64, META)
    rows = numpy.full(shape, fill_value, numpy.int64)
    if rows.size:
        found = _nonzero(input, None)._nd()[: shape[0]]
        rows[: len(found)] = found
    result = fresh(rows, dtypes.int64)
    if out is None:
        return result
    resize_out(out, shape)
    copy_into(out, result)
    out._bump()
    return out


@op(kind="reduce")
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, a row for each: ``nonzero(input)``.

    >>> tk.argwhere(tk.tensor([0, 5, 7]))
    tensor([[1],
            [2]])
    """
    if not isinstance(input, Tensor):
        raise TypeError
    return _nonzero(input, None)
