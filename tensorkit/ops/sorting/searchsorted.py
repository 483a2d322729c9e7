"""Places of numbers in an order: `searchsorted`, `bucketize`."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy

from tensorkit import dtypes
from tensorkit.conj_bit import resolved
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import empty_strided, resize_out
from tensorkit.elementwise.promotion import result_dtype
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.jit.threads import spread
from tensorkit.kernels.sizes import LARGE, PIECE
from tensorkit.ops.shared.copy import copy_into, number_tensor
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.sorting.on_device import searched_there, taken
from tensorkit.ops.sorting.values_and_indices import check_flags, on_host
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor


def _keys(array: Array, kind: dtype) -> Array:
    """Numbers in the order in which they are compared, which NumPy searches without slow Python types."""
    return kernels.cast(array, dtypes.float32) if kernels.is_half(kind) else array


def _places(bounds: Array, values: Array, right: bool) -> Array:
    """For each value the number of boundaries before it; ties count if `right`. nan comes after all numbers."""
    side: Literal["left", "right"] = "right" if right else "left"
    if values.size < LARGE:
        return numpy.asarray(numpy.searchsorted(bounds, values, side))
    flat, found = values.reshape(-1), numpy.empty(values.size, numpy.int64)

    def piece(i: int, j: int) -> None:
        found[i:j] = numpy.searchsorted(bounds, flat[i:j], side)

    spread(piece, flat.size, PIECE)
    return found.reshape(values.shape)


def _searched(bounds: Array, values: Array, right: bool) -> Array:
    if bounds.ndim == 1:
        ordered = bounds.dtype.kind != "f" or not numpy.isnan(bounds).any()
        sound = ordered and bool((bounds[1:] >= bounds[:-1]).all())
        return (
            _places(bounds, values, right) if sound else bisected(bounds[None], values.reshape(1, -1), right)
        )
    rows, asked = bounds.reshape(-1, bounds.shape[-1]), values.reshape(math.prod(values.shape[:-1]), -1)
    return bisected(rows, asked, right)


def bisected(bounds: Array, values: Array, right: bool) -> Array:
    """The bisection that PyTorch does, for all values at once: also of boundaries that are in no order."""
    rows, asked = values.shape
    first = numpy.zeros((rows, asked), numpy.int64)
    last = numpy.full((rows, asked), bounds.shape[1], numpy.int64)
    line = numpy.arange(rows)[:, None] if len(bounds) > 1 else 0
    while (open_ := first < last).any():
        middle = first + ((last - first) >> 1)
        at = bounds[line, numpy.minimum(middle, bounds.shape[1] - 1)]
        below = kernels.quiet(numpy.less_equal if right else numpy.less, at, values)
        # As PyTorch: what is not known to be beyond the value counts as before it, so nan ends up last.
        beyond = kernels.quiet(numpy.greater if right else numpy.greater_equal, at, values)
        before = open_ & (~beyond if at.dtype.kind == "f" else below)
        first = numpy.where(before, middle + 1, first)
        last = numpy.where(open_ & ~before, middle, last)
    return first


def _check_shapes(bounds: Tensor, values: Tensor, number: bool) -> None:
    size, asked = bounds._lay().size, values._lay().size
    scalar = number or not asked
    if scalar and (len(size) != 1 or values.numel() != 1):
        raise RuntimeError(
            "tensorkit.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but "
            f"we got boundaries tensor dim({len(size)}) and input value's dim({len(asked)}) numel({values.numel()})"
        )
    if not size:
        raise RuntimeError(
            "tensorkit.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    if len(size) != 1 and (len(size) != len(asked) or size[:-1] != asked[:-1]):
        raise RuntimeError(
            "tensorkit.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
            f"boundaries tensor and input value tensor must match, but we got boundaries tensor {list(size)} and "
            f"input value tensor {list(asked)}"
        )


def _extremes(sorter: Tensor) -> tuple[int, int]:
    """The smallest and the largest index; a device is waited for."""
    if is_on_device(sorter):
        return sorter.min().item(), sorter.max().item()
    order = on_host(sorter, "searchsorted")
    return int(order.min()), int(order.max())


def _check_sorter(bounds: Tensor, sorter: Tensor | None) -> None:
    if sorter is None:
        return
    if sorter._device != bounds._device:
        raise RuntimeError(
            "tensorkit.searchsorted(): sorter and boundary tensors should have same device type, but got sorter tensor "
            f"device type {sorter._device.type} and input value tensor device type {bounds._device.type}"
        )
    if sorter._lay().size != bounds._lay().size:
        raise RuntimeError(
            "tensorkit.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(bounds._lay().size)}and got sorter tensor {list(sorter._lay().size)}"
        )
    if sorter._dtype is not dtypes.int64:
        raise RuntimeError(
            f"tensorkit.searchsorted(): sorter must be a tensor of long dtype but got dtype {sorter._dtype.label}"
        )
    if not sorter.dim():
        raise RuntimeError(
            "ArrayRef: attempted to access back() of empty list\nA sorter needs a dimension, and so does what it sorts."
        )
    least, most = _extremes(sorter) if sorter.numel() else (0, -1)
    if least < 0 or most >= sorter.size(-1):
        raise RuntimeError("tensorkit.searchsorted(): sorter index out of range")


def _check_result(out: Tensor | None, kind: dtype, flag: bool) -> None:
    if out is not None and out._dtype is not kind:
        raise RuntimeError(
            "tensorkit.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) "
            f"depending on whether out_int32 flag is True, but we got output tensor's dtype {out._dtype.label} and "
            f"out_int32 flag is {flag}"
        )


def _result(bounds: Tensor, values: Tensor, out: Tensor | None, kind: dtype) -> Tensor:
    size = values._lay().size
    if out is None:
        where = META if META in (bounds._device, values._device) else values._device
        return empty_strided(size, contiguous_stride(size), kind, where)
    resize_out(out, size)
    return out


def _warn_scattered(what: str, tensor: Tensor) -> None:
    if not tensor.is_contiguous():
        warn(
            f"tensorkit.searchsorted(): {what} tensor is non-contiguous, this will lower the performance due to extra "
            f"data copy when converting non-contiguous tensor to contiguous, please use contiguous {what} tensor if "
            "possible. This message will only appear once per program."
        )


def _search(
    bounds: Tensor, values: Any, out_int32: bool, right: bool, sorter: Tensor | None, out: Tensor | None
) -> Tensor:
    bounds, values = resolved(bounds), resolved(values)
    number = not isinstance(values, Tensor)
    asked = number_tensor(values) if number else values
    if is_on_device(bounds):
        asked = asked.to(bounds._device)
    _check_sorter(bounds, sorter)
    _check_shapes(bounds, asked, number)
    kind = dtypes.int32 if out_int32 else dtypes.int64
    _check_result(out, kind, out_int32)
    result = _result(bounds, asked, out, kind)
    if not asked.numel() or result._device == META:
        if out is not None:
            out._bump()
        return result
    _warn_scattered("input value", asked)
    _warn_scattered("boundary", bounds)
    if sorter is not None:
        _warn_scattered("sorter", sorter)
    common = result_dtype(bounds, values)
    if common.category == 0 or common.is_complex or common in LIMITED:
        raise missing_kernel("searchsorted_out_cpu", common.label)
    if is_on_device(bounds):
        row = bounds if sorter is None else taken(bounds, bounds.dim() - 1, sorter)
        copy_into(result, searched_there(row, asked, common, right))
        if out is not None:
            out._bump()
        return result
    edges = _keys(kernels.cast(on_host(bounds, "searchsorted"), common), common)
    if sorter is not None:
        edges = numpy.take_along_axis(edges, on_host(sorter, "searchsorted"), -1)
    wanted = _keys(kernels.cast(on_host(asked, "searchsorted"), common), common)
    found = _searched(edges, wanted, right) if edges.size else numpy.zeros(wanted.shape, numpy.int64)
    result._nd()[...] = found.reshape(wanted.shape)
    if out is not None:
        out._bump()
    return result


_BUCKET_FORMS = (
    "(Tensor input, Tensor boundaries, *, bool out_int32 = False, bool right = False, Tensor out = None)",
    "(Number self, Tensor boundaries, *, bool out_int32 = False, bool right = False)",
)


@op(kind="reduce", methods=(), library="NumPy sort", family="sorting")
@shortened("bucketize")
@takes(*_BUCKET_FORMS)
def bucketize(
    input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False, out: Tensor | None = None
) -> Tensor:
    """For each number the index of the bucket that it falls into.

    Args:
        input: a tensor, or a number.
        boundaries: the limits of the buckets, in rising order; one dimension.
        out_int32: give int32 rather than int64.
        right: whether a bucket holds its lower limit, rather than its upper one.

    Raises:
        RuntimeError: for boundaries of several dimensions.

    >>> tk.bucketize(tk.tensor([0.5, 3.0, 9.0]), tk.tensor([1.0, 3.0, 5.0]))
    tensor([0, 1, 3])
    """
    check_flags(out_int32, right)
    if not isinstance(boundaries, Tensor) or not isinstance(input, (Tensor, *NUMBERS)):
        raise TypeError
    if out is not None and not isinstance(input, Tensor):  # of a number there is no such form
        raise TypeError
    if boundaries.dim() != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.dim()})")
    return _search(boundaries, input, out_int32, right, None, out)


_SEARCH_TAIL = (
    "*, bool out_int32 = False, bool right = False, str side = None, Tensor sorter = None, Tensor out = None)"
)
_SEARCH_FORMS = (
    f"(Tensor sorted_sequence, Tensor input, {_SEARCH_TAIL}",
    f"(Tensor sorted_sequence, Number self, {_SEARCH_TAIL}",
)


@op(kind="reduce", methods=(), library="NumPy sort", family="sorting")
@shortened("searchsorted")
@takes(*_SEARCH_FORMS)
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """For each number the place in a sorted row where it can be put in, so that the row stays sorted.

    Args:
        sorted_sequence: one row, or as many as the input has.
        input: a tensor, or a number.
        out_int32: give int32 rather than int64.
        right: the last such place, rather than the first.
        side: ``"left"`` or ``"right"``, another way to say it.
        sorter: the indices that sort `sorted_sequence`, where it is not sorted.

    Raises:
        RuntimeError: for sizes that do not fit, and for contradicting arguments.

    >>> tk.searchsorted(tk.tensor([1, 3, 5]), tk.tensor([3, 4]))
    tensor([1, 2])
    """
    check_flags(out_int32, right)
    if not isinstance(sorted_sequence, Tensor) or not isinstance(input, (Tensor, *NUMBERS)):
        raise TypeError
    if not (side is None or isinstance(side, str)) or not (sorter is None or isinstance(sorter, Tensor)):
        raise TypeError
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"tensorkit.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            "tensorkit.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    return _search(sorted_sequence, input, out_int32, right or side == "right", sorter, out)
