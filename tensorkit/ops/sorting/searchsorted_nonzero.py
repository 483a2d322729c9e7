"""Places: of numbers in an order, and of what is not zero."""

from __future__ import annotations

import functools
import math
from operator import le
from typing import Any, Literal

import numpy

from tensorkit import dtypes
from tensorkit.conj_bit import resolved
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.registry import sample
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import empty_strided, refuse_shared, resize_out
from tensorkit.elementwise.plan import brief
from tensorkit.elementwise.promotion import result_dtype
from tensorkit.errors import MissingKernelError, warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import mask_compiled, tiny
from tensorkit.kernels.cpu.parallel import PIECE
from tensorkit.kernels.jit.threads import spread
from tensorkit.ops.shared.copy import copy_into, number_tensor
from tensorkit.ops.sorting.sort_topk import check_flags, on_host
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh, fresh_strided

__all__ = ["argwhere", "bisected", "bucketize", "nonzero", "nonzero_static", "searchsorted"]


# -- in an order --------------------------------------------------------------------------------------------------


def _keys(array: Array, kind: dtype) -> Array:
    """Numbers in the order in which they are compared, which NumPy searches without slow Python types."""
    return kernels.cast(array, dtypes.float32) if kernels.is_half(kind) else array


def _places(bounds: Array, values: Array, right: bool) -> Array:
    """For each value the number of boundaries before it; ties count if `right`. nan comes after all numbers."""
    side: Literal["left", "right"] = "right" if right else "left"
    if values.size < kernels.MANY:
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
    order = on_host(sorter, "searchsorted")
    if not order.ndim:
        raise RuntimeError(
            "ArrayRef: attempted to access back() of empty list\nA sorter needs a dimension, and so does what it sorts."
        )
    if order.size and (order.min() < 0 or order.max() >= order.shape[-1]):
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
        where = META if META in (bounds._device, values._device) else CPU
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


_FOUND_QUICKLY = (dtypes.float32, dtypes.float64, dtypes.int64, dtypes.int32)


def _search_some(bounds: Tensor, values: Any, right: bool) -> Tensor | None:
    """The places of some numbers in one row of the same dtype, both row-major; None for the way that others take."""
    if values.__class__ is not Tensor or bounds._dtype is not values._dtype:
        return None
    row, asked = brief(bounds, _FOUND_QUICKLY), brief(values, _FOUND_QUICKLY)
    if row is None or asked is None or row.ndim != 1 or row.size > tiny.FEW:
        return None
    if not (row.flags.c_contiguous and asked.flags.c_contiguous):
        return None  # PyTorch warns of that
    edges = row.tolist()
    if asked.size <= tiny.FEW:
        found = tiny.searched(edges, asked, right)
    elif all(map(le, edges, edges[1:])) and edges[0] == edges[0]:
        found = row.searchsorted(asked, "right" if right else "left")
    else:
        return None
    return None if found is None else fresh(found, dtypes.int64)


def _searchsorted_at_once(sorted_sequence: Any = None, input: Any = None, *more: Any) -> Tensor | None:
    return (
        None
        if more or sorted_sequence.__class__ is not Tensor
        else _search_some(sorted_sequence, input, False)
    )


def _bucketize_at_once(input: Any = None, boundaries: Any = None, *more: Any) -> Tensor | None:
    return None if more or boundaries.__class__ is not Tensor else _search_some(boundaries, input, False)


def _search(
    bounds: Tensor,
    values: Any,
    out_int32: bool,
    right: bool,
    sorter: Tensor | None,
    out: Tensor | None,
) -> Tensor:
    if sorter is None and out is None and not out_int32:
        quick = _search_some(bounds, values, right)
        if quick is not None:
            return quick
    bounds, values = resolved(bounds), resolved(values)
    number = not isinstance(values, Tensor)
    asked = number_tensor(values) if number else values
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


@op(
    samples=(
        sample("tk.bucketize(a, tk.tensor([-1.0, 0.5, 2.0, 3.0]))", a=(2, 3)),
        sample("tk.bucketize(a, tk.tensor([0, 2, 3]), right=True)", a=(2, 3)),
        sample("tk.bucketize(a, tk.tensor([0, 2, 3]).to(a.dtype), out_int32=True)", a=(7,)),
        sample("tk.bucketize(a, b)", a=(2, 3), b=(4,)),
        sample("tk.bucketize(2.5, a)", a=(4,)),
        sample("tk.bucketize(2, a, right=True)", a=(4,)),
        sample("tk.bucketize(a, a)", a=(2, 3)),
        sample("tk.bucketize(a, a[:0])", a=(3,)),
        sample("tk.bucketize('x', a)", a=(3,)),
        sample("tk.bucketize(a, tk.tensor([1.0]), out=tk.empty(0, dtype=tk.int64))", a=(2, 3)),
        sample("tk.bucketize(a, tk.tensor([1.0]), out=tk.empty(0))", a=(2, 3)),
    ),
    kind="reduce",
    methods=(),
    first=_bucketize_at_once,
)
@takes(*_BUCKET_FORMS)
def bucketize(
    input: Any,
    boundaries: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """For each number the index of the bucket that it falls into.

    Args:
        input: a tensor, or a number.
        boundaries: the limits of the buckets, in rising order; one dimension.
        out_int32: give int32 rather than int64.
        right: whether a bucket holds its lower limit, rather than its upper one.

    Raises:
        RuntimeError: for boundaries of several dimensions.

    >>> import tensorkit as tk
    >>> tk.bucketize(tk.tensor([0.5, 3.0, 9.0]), tk.tensor([1.0, 3.0, 5.0]))
    tensor([0, 1, 3])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.bucketize.html
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


@op(
    samples=(
        sample("tk.searchsorted(a.sort()[0], b)", a=(5,), b=(2, 3)),
        sample("tk.searchsorted(a.sort()[0], b, right=True)", a=(2, 4), b=(2, 3)),
        sample("tk.searchsorted(a.sort()[0], a, side='right', out_int32=True)", a=(2, 4)),
        sample("tk.searchsorted(a, b, sorter=a.argsort())", a=(2, 5), b=(2, 3)),
        sample("tk.searchsorted(a, b)", a=(6,), b=(2, 3)),
        sample("tk.searchsorted(a, 2)", a=(4,)),
        sample("tk.searchsorted(a, 2.5, right=True)", a=(4,)),
        sample("tk.searchsorted(a, 2)", a=(2, 3)),
        sample("tk.searchsorted(a, b)", a=(2, 3), b=(3, 3)),
        sample("tk.searchsorted(a, a, side='left', right=True)", a=(4,)),
        sample("tk.searchsorted(a, a, side='x')", a=(4,)),
        sample("tk.searchsorted(a, a, sorter=tk.tensor([0, 1, 5]))", a=(3,)),
        sample("tk.searchsorted(a, a, sorter=tk.tensor([0, 1]))", a=(3,)),
        sample("tk.searchsorted(a, 'x')", a=(3,)),
        sample("tk.searchsorted(a, a, out=tk.empty(0, dtype=tk.int64))", a=(3,)),
    ),
    kind="reduce",
    methods=(),
    first=_searchsorted_at_once,
)
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

    >>> import tensorkit as tk
    >>> tk.searchsorted(tk.tensor([1, 3, 5]), tk.tensor([3, 4]))
    tensor([1, 2])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.searchsorted.html
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


# -- what is not zero ---------------------------------------------------------------------------------------------

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


_FEW = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.bool)
_INT64 = numpy.dtype(numpy.int64)


@functools.lru_cache(64)
def _columns(count: int, ndim: int) -> Layout:
    """The layout of the indices of some elements."""
    return Layout((count, ndim), _column_major(count))


def _in_columns(found: tuple[Array, ...]) -> Tensor:
    """What NumPy's `nonzero` gives, as PyTorch's does."""
    count, ndim = len(found[0]), len(found)
    if count > 1:
        return fresh_strided(numpy.array(found).T, dtypes.int64)
    if count:  # NumPy would have strides of its own
        place = numpy.array([row.item() for row in found], _INT64)
        made = numpy.ndarray((1, ndim), _INT64, place, 0, (8, 8))
    else:
        made = numpy.ndarray((0, ndim), _INT64, None, 0, (8, 0))
    out = fresh(made, dtypes.int64)
    out._layout, out._solid = _columns(count, ndim), False
    return out


def _nonzero_at_once(input: Any = None, *more: Any) -> Tensor | None:
    """The places in a tensor of some hundreds of elements; None for all others."""
    array = brief(input, _FEW) if input.__class__ is Tensor and not more else None
    if array is None:
        return None
    rows = mask_compiled.places(array)
    if rows is None or rows.shape[1] < 2:
        return _in_columns(array.nonzero())
    ndim, count = rows.shape
    made = fresh(rows.T, dtypes.int64)
    made._layout, made._solid = _columns(count, ndim), False
    return made


def _nonzero(input: Tensor, out: Tensor | None) -> Tensor:
    kind = input._dtype
    quick = _nonzero_at_once(input) if out is None else None
    if quick is not None:
        return quick
    if input._device == META:
        raise MissingKernelError(_NO_META)
    if out is not None and out._dtype is not dtypes.int64:
        raise RuntimeError(
            f"nonzero: Expected out tensor to have scalar type Long but got scalar type{out._dtype.label}"
        )
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


def _column_major(count: int) -> tuple[int, int]:
    return 1, count


@op(
    samples=(
        sample("tk.nonzero(a)", a=(3, 4)),
        sample("a.nonzero()", a=(9,)),
        sample("a.nonzero(as_tuple=True)", a=(2, 3, 2)),
        sample("tk.nonzero(a, as_tuple=True)", a=()),
        sample("a.nonzero()", a=()),
        sample("a.nonzero(as_tuple=False)", a=(0, 3)),
        sample("a.nonzero(as_tuple=True)", a=(2, 0)),
        sample("tk.nonzero(a, out=tk.empty(0, dtype=tk.int64))", a=(2, 3)),
        sample("tk.nonzero(a, out=tk.empty(2, dtype=tk.int64))", a=(2, 3)),
        sample("tk.nonzero(a, out=tk.empty(0))", a=(2, 3)),
        sample("a.nonzero(as_tuple=1)", a=(2, 3)),
    ),
    kind="reduce",
    first=_nonzero_at_once,
)
@takes(
    method=(
        "()",
        "(*, bool as_tuple)",
    )
)
def nonzero(input: Tensor, *, as_tuple: bool = False, out: Tensor | None = None) -> Any:
    """The indices of the elements that are not zero: a row for each of them, row by row in the input.

    Args:
        as_tuple: give one tensor for each dimension instead, which is what indexing takes.

    Returns:
        An int64 tensor of size ``(count, input.dim())``, which lies in memory column by column; or a tuple of tensors.

    >>> import tensorkit as tk
    >>> tk.tensor([[0, 5], [7, 0]]).nonzero()
    tensor([[0, 1],
            [1, 0]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nonzero.html
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


@op(
    samples=(
        sample("tk.nonzero_static(a, size=3)", a=(3, 4)),
        sample("a.nonzero_static(size=9)", a=(2, 3)),
        sample("a.nonzero_static(size=9, fill_value=7)", a=(2, 1, 3)),
        sample("tk.nonzero_static(a, size=0)", a=(2, 3)),
        sample("tk.nonzero_static(a, size=2)", a=()),
        sample("tk.nonzero_static(a, size=4, out=tk.empty(0, dtype=tk.int64))", a=(2, 3)),
        sample("tk.nonzero_static(a, size=4, out=tk.empty(0))", a=(2, 3)),
        sample("tk.nonzero_static(a.to('meta'), size=4).stride()", a=(2, 3)),
        sample("tk.nonzero_static(a, size=-1)", a=(2, 3)),
        sample("tk.nonzero_static(a, size=True)", a=(2, 3)),
        sample("tk.nonzero_static(a)", a=(2, 3)),
        sample("a.nonzero_static(3)", a=(2, 3)),
    ),
    kind="reduce",
    strict=True,
)
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1, out: Tensor | None = None) -> Tensor:
    """`nonzero`, in so many rows: the first ones found, and below them rows of `fill_value` if there are fewer.

    The size of the result is known without looking at a number; on the meta device there are no others.

    Args:
        size: how many rows. fill_value: what stands in those that no element filled.

    Returns:
        An int64 tensor of size ``(size, input.dim())``.

    Raises:
        RuntimeError: for a negative size.

    >>> import tensorkit as tk
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


@op(
    samples=(
        sample("tk.argwhere(a)", a=(3, 4)),
        sample("a.argwhere()", a=()),
        sample("a.argwhere()", a=(0, 3)),
    ),
    kind="reduce",
)
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, a row for each: ``nonzero(input)``.

    >>> import tensorkit as tk
    >>> tk.argwhere(tk.tensor([0, 5, 7]))
    tensor([[1],
            [2]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.argwhere.html
    """
    if not isinstance(input, Tensor):
        raise TypeError
    return _nonzero(input, None)
