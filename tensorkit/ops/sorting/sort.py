"""Sorting, and choosing the k largest.

nan counts as larger than every number. What `sort` gives lies in memory as its input does; what `topk` gives is
row-major. Which of several equal elements comes first follows PyTorch's algorithms: see ``kernels.cpu.sorting.sort``.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.library import through_library
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.output import empty_strided
from tensorkit.kernels.cpu.sorting import sort as orders
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.sorting.on_device import sorted_there
from tensorkit.ops.sorting.values_and_indices import (
    Pair,
    as_rows,
    axis_of,
    check_flags,
    check_tensor,
    named,
    on_host,
    picked,
    shaped,
    spread,
)
from tensorkit.strides.output import like_strides
from tensorkit.tensor import Tensor


def _sorted(input: Tensor, dim: Any, descending: bool, stable: bool, values: bool = True) -> Pair:
    """Sorted values and their indices; without `values`, the input is returned instead of them."""
    lay, kind = input._lay(), input._dtype
    axis = axis_of(dim, len(lay.size))
    if kind.is_complex:
        raise RuntimeError("Sort does not support complex dtypes on CPU")
    if input._device == META:
        stride = like_strides(lay)
        return tuple(empty_strided(lay.size, stride, k, META) for k in (kind, dtypes.int64))  # type: ignore[return-value]
    if is_on_device(input):
        return sorted_there(input, axis, descending)
    array = on_host(input, "sort")
    if not lay.size or not array.size:
        indices = empty_strided(lay.size, like_strides(lay), dtypes.int64, CPU)
        indices._nd()[...] = 0
        return input.detach().clone(), indices
    rows = as_rows(array, axis)
    alike = lay.stride[axis] == 0  # one element, seen again and again: PyTorch leaves it where it is
    order = orders.order_rows(rows, descending, stable or alike or _by_digits(input, descending))
    indices = shaped(order, input, axis, dtypes.int64)
    return shaped(picked(rows, order), input, axis, kind) if values else input, indices


#: PyTorch sorts this many integers or more by their digits.
_BY_DIGITS_FROM = 32768


def _by_digits(input: Tensor, descending: bool) -> bool:
    """Whether PyTorch sorts by the digits of the elements, which keeps the order of equal ones."""
    if input._dtype.category != 1 or descending or input.dim() != 1 or input.numel() < _BY_DIGITS_FROM:
        return False
    if input._dtype in LIMITED:
        raise missing_kernel("parallel_sort1d_kernel", input._dtype.label)
    return True


def sorted_values(input: Tensor) -> Tensor:
    """A tensor sorted along its last dimension, row-major, when the indices are not needed."""
    return deliver(numpy.sort(on_host(input, "sort"), axis=-1), input._dtype)


def _check_sort(input: Any, descending: Any, stable: Any) -> None:
    check_tensor(input)
    check_flags(descending, bool(stable) if stable is None else stable)


_SORT_FORMS = (
    "(Tensor input, *, bool stable?, int dim = -1, bool descending = False, tuple of Tensors out = None)",
    "(Tensor input, int dim = -1, bool descending = False, *, tuple of Tensors out = None)",
)


@op(
    kind="reduce",
    derivative=Rule(lambda call: f"SortBackward{0 if call['stable'] is None else 1}", input=spread),
    strict=True,
    library="NumPy sort",
    family="sorting",
)
@shortened("sort")
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

    >>> tk.tensor([3, 1, 2]).sort()
    tensorkit.return_types.sort(
    values=tensor([1, 2, 3]),
    indices=tensor([1, 2, 0]))
    """
    _check_sort(input, descending, stable)
    if out is not None and not isinstance(out, (tuple, list)):
        raise TypeError
    return named("sort", _sorted(input, dim, descending, bool(stable)), out)


def _order(input: Tensor, dim: int, descending: bool, stable: bool) -> Tensor:
    return _sorted(input, dim, descending, stable, values=False)[1]


_places = through_library("argsort", "NumPy sort", _order, "sorting")


@op(kind="reduce", strict=True)
@shortened("argsort")
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

    >>> tk.tensor([3, 1, 2]).argsort(descending=True)
    tensor([0, 2, 1])
    """
    _check_sort(input, descending, stable)
    if out is not None and (stable is None or not isinstance(out, Tensor)):
        raise TypeError
    if out is None:
        return _places(input, dim, descending, bool(stable))  # type: ignore[no-any-return]
    values = empty_strided((0,), (1,), input._dtype, input._device)
    return sort(input, dim=dim, descending=descending, stable=stable, out=(values, out))[1]  # type: ignore[no-any-return]


@op(kind="reduce", out_error="sort")
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The values sorted along the first dimension: ``input.sort(dim=0).values``.

    Raises:
        RuntimeError: for complex numbers.

    >>> tk.msort(tk.tensor([[3, 1], [2, 5]]))
    tensor([[2, 1],
            [3, 5]])
    """
    check_tensor(input)
    if out is None:
        return sort(input, 0)[0]  # type: ignore[no-any-return]
    return sort(input, 0, out=(out, empty_strided((0,), (1,), dtypes.int64, input._device)))[0]  # type: ignore[no-any-return]
