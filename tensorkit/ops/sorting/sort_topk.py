"""Sorting, and choosing the k largest.

nan counts as larger than every number. What `sort` gives lies in memory as its input does; what `topk` gives is
row-major. Which of several equal elements comes first follows PyTorch's algorithms: see ``kernels.cpu.sort``.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy

from tensorkit import dtypes, return_types
from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.registry import sample
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import check_overlap, empty_strided, resize_out
from tensorkit.elementwise.plan import brief
from tensorkit.errors import MissingKernelError
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import parallel, sort_compiled, tiny
from tensorkit.kernels.cpu import sort as orders
from tensorkit.ops.reduction.arguments import axis_of_small, put_along, small
from tensorkit.ops.shared.copy import copy_into, deliver
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor, fresh

__all__ = [
    "Pair",
    "argsort",
    "as_rows",
    "axis_of",
    "check_flags",
    "check_tensor",
    "few_in_order",
    "meta_pair",
    "msort",
    "on_host",
    "reversible",
    "same",
    "sort",
    "sorted_values",
    "topk",
    "two_of",
    "whole",
    "write_out",
]

Pair = tuple[Tensor, Tensor]


# -- arguments ----------------------------------------------------------------------------------------------------


def axis_of(dim: Any, ndim: int) -> int:
    """A dimension, counted from the front. What is no integer is refused in PyTorch's words by whoever wraps this."""
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError
    return normalise_dim(dim.__index__(), ndim)


def whole(k: Any) -> int:
    if isinstance(k, bool) or not hasattr(k, "__index__"):
        raise TypeError
    return int(k.__index__())


def check_flags(*flags: Any) -> None:
    for flag in flags:
        if not isinstance(flag, bool):
            raise TypeError


def check_tensor(input: Any) -> None:
    if not isinstance(input, Tensor):
        raise TypeError


def on_host(input: Tensor, name: str) -> Array:
    """The elements of a tensor on the CPU.

    Raises:
        MissingKernelError: for one elsewhere.
    """
    if input._device != CPU:
        raise MissingKernelError(
            f"Could not run 'aten::{name}' with arguments from the '{input._device.type.upper()}' backend. "
            "Move the tensor first: t.cpu() returns a copy on the CPU."
        )
    return input._nd()


def as_rows(array: Array, axis: int) -> Array:
    """The array as a matrix, whose rows run along one of its dimensions."""
    moved = _moved(array, axis, -1)
    return numpy.ascontiguousarray(moved).reshape(-1, array.shape[axis])


def _moved(array: Array, source: int, target: int) -> Array:
    """``numpy.moveaxis``, which takes a while to find that there is nothing to move."""
    ndim = array.ndim
    return array if source % ndim == target % ndim else numpy.moveaxis(array, source, target)


@functools.lru_cache(256)
def _starts(count: int, width: int) -> Array:
    """Where the rows of a matrix begin."""
    return numpy.arange(0, count * width, width)[:, None] if width else numpy.zeros((count, 1), numpy.int64)


def _picked(rows: Array, order: Array) -> Array:
    if rows.shape[0] == 1:
        only: Array = rows[0].take(order[0])
        return only[None]
    if order.size <= tiny.FEW:
        starts = _starts(*rows.shape)
        return rows.reshape(-1).take(order + starts)
    quick = parallel.gathered(rows, order, 1) if rows.shape == order.shape else None
    return numpy.take_along_axis(rows, order, -1) if quick is None else quick


# -- how gradients pass back --------------------------------------------------------------------------------------


def _spread(g: Any, c: Any) -> Any:
    """Each gradient goes to the place that its element was taken from."""
    size = c.input_face.size
    return put_along(g[0], c.indices, normalise_dim(c.dim.__index__(), len(size)), size)


# -- results ------------------------------------------------------------------------------------------------------


def two_of(name: str, out: Any) -> tuple[Any, Any]:
    """The two tensors that were given as ``out=``."""
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type_name(out)}")
    if len(out) != 2:
        raise TypeError(f"expected tuple of 2 elements but got {len(out)}")
    for place, one in enumerate(out):
        if not isinstance(one, Tensor):
            raise TypeError(
                f"{name}(): argument 'out' must be tuple of Tensors, but found element of type "
                f"{type_name(one)} at pos {place}"
            )
    return out[0], out[1]


def _check_exact(out: Tensor, kind: dtype) -> None:
    if out._dtype is not kind:
        raise RuntimeError(
            f"Expected out tensor to have dtype {cpp_name(kind)}, but got {cpp_name(out._dtype)} instead"
        )


def _make_room(out: Any, size: tuple[int, ...], kind: dtype) -> None:
    """Check and resize what was given as ``out=`` as PyTorch does, before it finds out that it has no kernel."""
    for target, wanted in zip(out or (), (kind, dtypes.int64), strict=False):
        _check_exact(target, wanted)
        resize_out(target, size)


def write_out(result: Tensor, out: Tensor) -> Tensor:
    resize_out(out, result._lay().size, result._lay().stride)
    copy_into(out, result)
    out._bump()
    return out


def _named(name: str, results: Pair, out: Any, read: Tensor | None = None) -> Any:
    """The two results under their names; or written into the two tensors given, which must not lie in what was read."""
    if out is None:
        return getattr(return_types, name)(results)
    given = two_of(name, out)
    for target, result in zip(given, results, strict=True):
        _check_exact(target, result._dtype)
        resize_out(target, result._lay().size, result._lay().stride)
        if read is not None and read.dim():
            check_overlap(target, read)
    written = [write_out(result, target) for target, result in zip(given, results, strict=True)]
    return getattr(return_types, f"{name}_out")(written)


def _shaped(rows: Array, input: Tensor, axis: int, kind: dtype) -> Tensor:
    """Rows that ran along a dimension, laid out in memory as the input lies."""
    lay = input._lay()
    stride = like_strides(lay)
    shape = (*lay.size[:axis], *lay.size[axis + 1 :], lay.size[axis])
    moved = _moved(rows.reshape(shape), -1, axis)
    if stride == contiguous_stride(lay.size):
        return deliver(moved, kind)
    out = empty_strided(lay.size, stride, kind, CPU)
    out._nd()[...] = moved
    return out


# -- sort ---------------------------------------------------------------------------------------------------------


def _sorted(input: Tensor, dim: Any, descending: bool, stable: bool, values: bool = True) -> Pair:
    """Sorted values and their indices; without `values`, the input stands in their place."""
    lay, kind = input._lay(), input._dtype
    axis = axis_of(dim, len(lay.size))
    if kind.is_complex:
        raise RuntimeError("Sort does not support complex dtypes on CPU")
    if input._device == META:
        stride = like_strides(lay)
        return tuple(empty_strided(lay.size, stride, k, META) for k in (kind, dtypes.int64))  # type: ignore[return-value]
    array = on_host(input, "sort")
    if not lay.size or not array.size:
        indices = empty_strided(lay.size, like_strides(lay), dtypes.int64, CPU)
        indices._nd()[...] = 0
        return input.detach().clone(), indices
    rows = as_rows(array, axis)
    alike = lay.stride[axis] == 0  # one element, seen again and again: PyTorch leaves it where it is
    order = orders.order_rows(rows, descending, stable or alike or _by_digits(input, descending))
    indices = _shaped(order, input, axis, dtypes.int64)
    return _shaped(_picked(rows, order), input, axis, kind) if values else input, indices


_MANY = 32768


def _by_digits(input: Tensor, descending: bool) -> bool:
    """Whether PyTorch sorts by the digits of the elements, which keeps the order of equal ones."""
    if input._dtype.category != 1 or descending or input.dim() != 1 or input.numel() < _MANY:
        return False
    if input._dtype in LIMITED:
        raise missing_kernel("parallel_sort1d_kernel", input._dtype.label)
    return True


def sorted_values(input: Tensor) -> Tensor:
    """A tensor sorted along its last dimension, row-major, where nobody asks for the indices."""
    return deliver(numpy.sort(on_host(input, "sort"), axis=-1), input._dtype)


def _check_sort(input: Any, descending: Any, stable: Any) -> None:
    check_tensor(input)
    check_flags(descending, bool(stable) if stable is None else stable)


_SORT_FORMS = (
    "(Tensor input, *, bool stable?, int dim = -1, bool descending = False, tuple of Tensors out = None)",
    "(Tensor input, int dim = -1, bool descending = False, *, tuple of Tensors out = None)",
)


_FEW = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


def few_in_order(
    input: Any, dim: Any, descending: Any, count: int | None = None
) -> tuple[Tensor, Tensor] | None:
    """Rows of a few elements of which no two are equal, in order; None for the way that others take."""
    if type(input) is not Tensor or (descending is not True and descending is not False):
        return None
    array = small(input, _FEW)
    if array is None or axis_of_small(array, dim) != array.ndim - 1:
        return None
    many = array.shape[-1] if count is None else count
    if not 0 < many <= array.shape[-1]:
        return None
    found = tiny.ordered(array, descending, many)
    return None if found is None else (fresh(found[0], input._dtype), fresh(found[1], dtypes.int64))


def _some_rows(input: Any, dim: Any) -> Array | None:
    """Some hundreds of elements as a row-major matrix, if its rows run along that dimension; None for any others."""
    array = brief(input, _FEW) if type(input) is Tensor else None
    if array is None or not input._solid or array.ndim > 2 or axis_of_small(array, dim) != array.ndim - 1:
        return None
    return array if array.ndim == 2 else array[None]


def _some_in_order(input: Any, dim: Any, descending: Any, stable: Any) -> tuple[Tensor, Tensor] | None:
    """Some hundreds of elements in order; None for the way that others take."""
    if (descending is not True and descending is not False) or not (stable is None or type(stable) is bool):
        return None
    rows = _some_rows(input, dim)
    if rows is None:
        return None
    found = sort_compiled.in_order(rows, descending, bool(stable))
    if found is None:
        order = numpy.ascontiguousarray(orders.order_rows(rows, descending, bool(stable)))
        found = _picked(rows, order), order
    return _as_pair(found, input._array.shape, input._dtype)


def _as_pair(found: tuple[Array, Array], shape: tuple[int, ...], kind: dtype) -> tuple[Tensor, Tensor]:
    """Values and places of rows as tensors of a shape."""
    values, places = found
    if len(shape) != 2:
        values, places = values.reshape(shape), places.reshape(shape)
    return fresh(values, kind), fresh(places, dtypes.int64)


def _at_once(input: Any, dim: Any, descending: Any, stable: Any) -> tuple[Tensor, Tensor] | None:
    """A few elements in order, or some hundreds, if none of the operands may want a gradient; None for all others."""
    if input.__class__ is not Tensor or wants_grad(input):
        return None
    found = few_in_order(input, dim, descending)
    return _some_in_order(input, dim, descending, stable) if found is None else found


def _sort_at_once(input: Any = None, dim: Any = -1, descending: Any = False, *more: Any) -> Any:
    found = None if more else _at_once(input, dim, descending, None)
    return None if found is None else return_types.sort(found)


def _argsort_at_once(input: Any = None, dim: Any = -1, descending: Any = False, *more: Any) -> Any:
    found = None if more else _at_once(input, dim, descending, None)
    return None if found is None else found[1]


@op(
    samples=(
        sample("tk.sort(a)", a=(3, 4)),
        sample("a.sort(0)", a=(3, 4)),
        sample("a.sort(-1, True)", a=(3, 4)),
        sample("a.sort(stable=True, dim=1, descending=True)", a=(2, 3, 2)),
        sample("a.sort(descending=True)", a=(2, 40)),
        sample("a.sort()", a=(40,)),
        sample("a.sort()", a=()),
        sample("a.sort(0)", a=(0, 3)),
        sample("a.sort(2)", a=(2, 3)),
        sample("a.sort('x')", a=(2, 3)),
        sample("a.sort(True)", a=(2, 3)),
        sample("tk.sort(a, out=(tk.empty(0), tk.empty(0, dtype=tk.int64)))", a=(2, 3)),
        sample("tk.sort(a, out=(tk.empty(1, dtype=a.dtype), tk.empty(2, dtype=tk.int64)))", a=(2, 3)),
    ),
    kind="reduce",
    derivative=Rule(
        lambda call: f"SortBackward{0 if call['stable'] is None else 1}",
        input=_spread,
    ),
    strict=True,
    first=_sort_at_once,
)
@takes(*_SORT_FORMS)
def sort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None, out: Any = None
) -> Any:
    """Sort along a dimension, the last one if none is named.

    Args:
        input: of any size, of any dtype but the complex ones.
        dim: the dimension to sort along.
        descending: from the largest to the smallest.
        stable: keep the order of equal elements; otherwise it is that of PyTorch's algorithm.
        out: two tensors of the very dtypes of the results.

    Returns:
        A named pair ``(values, indices)`` of the input's size; it lies in memory as the input does.

    Raises:
        RuntimeError: for complex numbers. IndexError: for a dimension out of range.

    >>> import tensorkit as tk
    >>> tk.tensor([3, 1, 2]).sort()
    tensorkit.return_types.sort(
    values=tensor([1, 2, 3]),
    indices=tensor([1, 2, 0]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sort.html
    """
    if out is None and (found := few_in_order(input, dim, descending)) is not None:
        return return_types.sort(found)
    if out is None and (found := _some_in_order(input, dim, descending, stable)) is not None:
        return return_types.sort(found)
    _check_sort(input, descending, stable)
    if out is not None and not isinstance(out, (tuple, list)):
        raise TypeError
    return _named("sort", _sorted(input, dim, descending, bool(stable)), out)


@op(
    samples=(
        sample("tk.argsort(a)", a=(3, 4)),
        sample("a.argsort(0, True)", a=(3, 4)),
        sample("a.argsort(dim=-2, stable=True)", a=(2, 20)),
        sample("tk.argsort(a, descending=True)", a=(20,)),
        sample("a.argsort()", a=()),
        sample("a.argsort(1)", a=(2, 0)),
        sample("a.argsort(5)", a=(2, 3)),
        sample("tk.argsort(a, stable=True, out=tk.empty(0, dtype=tk.int64))", a=(2, 3)),
        sample("tk.argsort(a, stable=True, out=tk.empty(0))", a=(2, 3)),
    ),
    kind="reduce",
    strict=True,
    first=_argsort_at_once,
)
@takes(
    "(Tensor input, *, bool stable, int dim = -1, bool descending = False, Tensor out = None)",
    "(Tensor input, int dim = -1, bool descending = False)",
)
def argsort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    *,
    stable: bool | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The indices that would sort the tensor along a dimension, as `sort` gives them.

    Raises:
        RuntimeError: for complex numbers. IndexError: for a dimension out of range.

    >>> import tensorkit as tk
    >>> tk.tensor([3, 1, 2]).argsort(descending=True)
    tensor([0, 2, 1])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.argsort.html
    """
    if out is None and (found := few_in_order(input, dim, descending)) is not None:
        return found[1]
    if out is None and (found := _some_in_order(input, dim, descending, stable)) is not None:
        return found[1]
    _check_sort(input, descending, stable)
    if out is not None and (stable is None or not isinstance(out, Tensor)):
        raise TypeError
    if out is None:
        return _sorted(input, dim, descending, bool(stable), values=False)[1]
    values = empty_strided((0,), (1,), input._dtype, input._device)
    return sort(input, dim=dim, descending=descending, stable=stable, out=(values, out))[1]  # type: ignore[no-any-return]


@op(
    samples=(
        sample("tk.msort(a)", a=(3, 4)),
        sample("a.msort()", a=(20, 2)),
        sample("a.msort()", a=()),
        sample("a.msort()", a=(0, 2)),
        sample("tk.msort(a, out=tk.empty(0))", a=(2, 3)),
    ),
    kind="reduce",
)
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The values sorted along the first dimension: ``input.sort(dim=0).values``.

    Raises:
        RuntimeError: for complex numbers.

    >>> import tensorkit as tk
    >>> tk.msort(tk.tensor([[3, 1], [2, 5]]))
    tensor([[2, 1],
            [3, 5]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.msort.html
    """
    check_tensor(input)
    if out is None:
        return sort(input, 0)[0]  # type: ignore[no-any-return]
    return sort(input, 0, out=(out, empty_strided((0,), (1,), dtypes.int64, input._device)))[0]  # type: ignore[no-any-return]


# -- topk ---------------------------------------------------------------------------------------------------------


def reversible(keys: Array, descending: bool) -> Array:
    """Numbers whose rising order is the wanted one."""
    if keys.dtype.kind == "f" and numpy.isnan(keys).any():
        ranks: Array = orders.ranks_of(keys[None], descending)[1][0]
        return ranks
    if not descending:
        return keys
    turned: Array = -keys if keys.dtype.kind == "f" else ~keys
    return turned


def _select(keys: Array, k: int, largest: bool, ordered: bool) -> Array:
    """Where the k largest or smallest of one row are, by the steps of PyTorch's algorithm."""
    values = reversible(keys, largest)
    if k * 64 <= keys.size:
        return orders.heap_smallest(values, k)
    found = orders.introselect(values, k - 1)[:k]
    if ordered and k > 1:
        chosen = orders.ranks_of(keys[None, found[: k - 1]], largest)[1]
        found[: k - 1] = found[: k - 1][orders.introsort(chosen)[0]]
    return found


def same(keys: Array, other: Array) -> Array:
    """Where elements are equal; nan is equal to nan."""
    alike: Array = keys == other
    return alike | ((keys != keys) & (other != other)) if keys.dtype.kind == "f" else alike


def _first_of_long(keys: Array, largest: bool) -> Array | None:
    """The same of one element of each row: of equal ones the first, where PyTorch goes through a row once.

    None where rows are shorter, or where NumPy finds another: a nan, which is the largest.
    """
    if keys.shape[1] < 64:
        return None
    finder: Any = numpy.argmax if largest else numpy.argmin
    found: Array = kernels.quiet(parallel.by_slices, finder, keys, 1, numpy.int64)[:, None]
    if not largest and keys.dtype.kind == "f" and numpy.isnan(numpy.take_along_axis(keys, found, 1)).any():
        return None
    return found


def _top_rows(rows: Array, k: int, largest: bool, ordered: bool) -> Array:
    """Where the k largest or smallest elements of each row of a matrix are."""
    count = rows.shape[1]
    keys = orders.sortable(rows)
    if k == 1 and (first := _first_of_long(keys, largest)) is not None:
        return first
    compiled = sort_compiled.top(keys, k, largest, ordered)
    if compiled is not None:
        return compiled
    if k * math.log(count / k + 1) < 0.003 * count or (not ordered and k * 64 > count):
        # So few of so many that going through them once is fastest; or the order that a selection happens to leave.
        return numpy.array([_select(row, k, largest, ordered) for row in keys], numpy.int64).reshape(-1, k)
    if k < count:
        some = numpy.argpartition(keys, count - k if largest else k - 1, -1)
        some = some[:, count - k :] if largest else some[:, :k]
    else:
        some = numpy.broadcast_to(numpy.arange(count), keys.shape)
    chosen = numpy.take_along_axis(keys, some, -1)
    within = numpy.argsort(chosen, -1)
    chosen = numpy.take_along_axis(chosen, within, -1)
    found = numpy.take_along_axis(some, within, -1)
    last = chosen[:, :1] if largest else chosen[:, -1:]
    tied = same(chosen[:, 1:], chosen[:, :-1]).any(-1)
    if k < count:
        tied |= numpy.count_nonzero(same(keys, last), -1) > 1
    found = numpy.ascontiguousarray(found[:, ::-1] if largest else found)
    for row in numpy.flatnonzero(tied).tolist():
        found[row] = _select(keys[row], k, largest, ordered)
    return found


def _top(input: Tensor, k: int, dim: Any, largest: bool, ordered: bool, out: Any) -> Pair:
    size, kind = input._lay().size, input._dtype
    axis = axis_of(dim, len(size))
    if not 0 <= k <= (size[axis] if size else 1):
        raise RuntimeError("selected index k out of range")
    if kind.category == 0 or kind.is_complex:
        raise RuntimeError(f"topk does not support {'complex' if kind.is_complex else 'bool'} dtypes on CPU")
    if not size and input._device != META:
        return input.detach().clone(), deliver(numpy.zeros((), numpy.int64), dtypes.int64)
    result = (*size[:axis], k, *size[axis + 1 :]) if size else ()
    if kind in LIMITED:
        _make_room(out, result, kind)
        raise missing_kernel("topk_cpu", kind.label)
    if input._device == META:
        return meta_pair(result, kind)
    array = on_host(input, "topk")
    shape = (*size[:axis], *size[axis + 1 :], k)
    if not math.prod(result):
        return deliver(numpy.empty(result, kind.numpy), kind), deliver(numpy.empty(result, int), dtypes.int64)
    rows = as_rows(array, axis)
    found = _top_rows(rows, k, largest, ordered)
    values = _picked(rows, found)
    return (
        deliver(_moved(values.reshape(shape), -1, axis), kind),
        deliver(_moved(found.reshape(shape), -1, axis), dtypes.int64),
    )


def _top_of_some(input: Any, k: int, dim: Any, largest: Any) -> tuple[Tensor, Tensor] | None:
    """The largest or smallest of some hundreds of elements; None for the way that others take."""
    rows = _some_rows(input, dim) if largest is True or largest is False else None
    if rows is None or not 0 < k <= rows.shape[1]:
        return None
    shape = (*input._array.shape[:-1], k)
    found = sort_compiled.choice(rows, k, largest)
    if found is not None:
        return _as_pair(found, shape, input._dtype)
    if k == 1:
        only, place = tiny.extreme_along(largest, rows, 1)
        # Of equal elements PyTorch's algorithm finds one of its own; and nan, which equals nothing, is the largest.
        most = only.item(only.argmax())
        if most == most and numpy.count_nonzero(rows == only[:, None]) == len(rows):
            return fresh(only.reshape(shape), input._dtype), fresh(place.reshape(shape), dtypes.int64)
    order = numpy.ascontiguousarray(_top_rows(rows, k, largest, True))
    return _as_pair((_picked(rows, order), order), shape, input._dtype)


def _topk_at_once(
    input: Any = None, k: Any = None, dim: Any = -1, largest: Any = True, sorted: Any = True, *more: Any
) -> Any:
    if (
        more
        or sorted is not True
        or k.__class__ is not int
        or input.__class__ is not Tensor
        or wants_grad(input)
    ):
        return None
    found = few_in_order(input, dim, largest, k)
    if found is None:
        found = _top_of_some(input, k, dim, largest)
    return None if found is None else return_types.topk(found)


def meta_pair(size: tuple[int, ...], kind: dtype) -> Pair:
    stride = contiguous_stride(size)
    return empty_strided(size, stride, kind, META), empty_strided(size, stride, dtypes.int64, META)


@op(
    samples=(
        sample("tk.topk(a, 2)", a=(3, 4)),
        sample("a.topk(2, 0, False)", a=(3, 4)),
        sample("a.topk(3, largest=False, sorted=False)", a=(2, 9)),
        sample("a.topk(5, sorted=False)", a=(30,)),
        sample("a.topk(25)", a=(2, 30)),
        sample("a.topk(2, -1)", a=(150,)),
        sample("a.topk(0)", a=(2, 3)),
        sample("a.topk(1)", a=()),
        sample("a.topk(4)", a=(2, 3)),
        sample("a.topk(1, 2)", a=(2, 3)),
        sample("a.topk(1.5)", a=(2, 3)),
        sample("a.topk(1, largest=1)", a=(2, 3)),
        sample("tk.topk(a, 1, out=(tk.empty(0), tk.empty(0, dtype=tk.int64)))", a=(2, 3)),
    ),
    kind="reduce",
    derivative=Rule("TopkBackward0", input=_spread),
    first=_topk_at_once,
)
def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *, out: Any = None
) -> Any:
    """The k largest, or smallest, elements along a dimension, and where they are.

    Args:
        input: of any size, of a dtype of integers or floating point numbers.
        k: how many, at most the size of the dimension.
        largest: False for the smallest.
        sorted: in order; otherwise in the order that PyTorch's algorithm leaves.

    Returns:
        A named pair ``(values, indices)``.

    Raises:
        RuntimeError: when `k` is too large, for bools and for complex numbers.

    >>> import tensorkit as tk
    >>> tk.tensor([3, 1, 2]).topk(2)
    tensorkit.return_types.topk(
    values=tensor([3, 2]),
    indices=tensor([0, 2]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.topk.html
    """
    if out is None and sorted is True and k.__class__ is int:
        found = few_in_order(input, dim, largest, k)
        if found is None:
            found = _top_of_some(input, k, dim, largest)
        if found is not None:
            return return_types.topk(found)
    check_tensor(input)
    check_flags(largest, sorted)
    return _named("topk", _top(input, whole(k), dim, largest, sorted, out), out, input)
