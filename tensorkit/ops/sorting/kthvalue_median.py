"""One element of many by its place in the order: the k-th, the middle one, the most frequent.

nan counts as larger than every number. The results are row-major. Which of several equal elements is meant follows
PyTorch's algorithms: see ``kernels.cpu.sorting.sort``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

from tensorkit import dtypes, return_types
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import empty_strided, refuse_shared, resize_out, resize_silently
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu.sorting import runs_compiled, sort_compiled
from tensorkit.kernels.cpu.sorting import sort as orders
from tensorkit.kernels.sizes import SORT_BY_INSERTION
from tensorkit.ops.reduction.arguments import put_along
from tensorkit.ops.reduction.sum_mean import evenly
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.on_device import as_size, is_on_device
from tensorkit.ops.sorting.on_device import kth_there, middle_there, mode_there
from tensorkit.ops.sorting.topk import meta_pair, reversible, same
from tensorkit.ops.sorting.values_and_indices import (
    Pair,
    as_rows,
    axis_of,
    check_flags,
    check_tensor,
    on_host,
    two_of,
    whole,
    write_out,
)
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor

# -- how gradients pass back --------------------------------------------------------------------------------------


def _back_to_one(g: Any, c: Any) -> Any:
    """The gradient goes to the element that was chosen along the dimension."""
    gs, where_to, size = g[0], c.indices, c.input_face.size
    axis = normalise_dim(c.dim.__index__(), len(size))
    if size and not c.keepdim:
        gs, where_to = gs.unsqueeze(axis), where_to.unsqueeze(axis)
    return put_along(gs, where_to, axis, size)


Call = dict[str, Any]


def _real_alone(name: str, trivial: Callable[[Call], bool]) -> Callable[[Call], bool]:
    """PyTorch has these operations' derivatives for real numbers alone, though a trivial result may be complex."""

    def applies(call: Call) -> bool:
        input = call["input"]
        if input._dtype.is_complex and state.grad and requires_grad(input) and trivial(call):
            raise RuntimeError(
                f"{name} does not support automatic differentiation for outputs with complex dtype."
            )
        return True

    return applies


def _nothing_to_count(call: Call) -> bool:
    input = call["input"]
    return not input.dim() or (not input.numel() and input.size(call["dim"]) != 0)


# -- one element of each row --------------------------------------------------------------------------------------


def _reduced(size: tuple[int, ...], axis: int, keepdim: bool) -> tuple[int, ...]:
    if not size:
        return ()
    return (*size[:axis], *((1,) if keepdim else ()), *size[axis + 1 :])


def _check_filled(name: str, size: tuple[int, ...], axis: int) -> None:
    if size and not size[axis]:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")


def _one_of_each(
    input: Tensor,
    axis: int,
    keepdim: bool,
    where: Callable[[Array], Array],
    there: Callable[[Tensor, int], Pair],
    name: str,
) -> Pair:
    """The element of each row along a dimension that `where` chooses, and its index; `there` chooses on a device."""
    size, kind = input._lay().size, input._dtype
    result = _reduced(size, axis, keepdim)
    if input._device == META:
        return meta_pair(result, kind)
    if is_on_device(input):
        chosen, places = there(input, axis)
        return as_size(chosen, result), as_size(places, result)
    array = on_host(input, name)
    if not size:
        return deliver(array.copy(), kind), deliver(numpy.zeros((), numpy.int64), dtypes.int64)
    rows = as_rows(array, axis)
    found = where(rows) if rows.size else numpy.empty(0, numpy.int64)
    values = numpy.take_along_axis(rows, found[:, None], 1) if rows.size else numpy.empty(0, kind.numpy)
    return deliver(values.reshape(result), kind), deliver(found.reshape(result), dtypes.int64)


def _kth_rows(rows: Array, place: int) -> Array:
    """The index of each row's element that is at `place` when sorted; ties are resolved as PyTorch's selection does."""
    keys = orders.sortable(rows)
    chosen = sort_compiled.quick(keys, place) if orders.ties_likely(keys) else None
    if chosen is not None:
        return chosen
    value = numpy.partition(keys, place, -1)[:, place : place + 1]
    alike = same(keys, value)
    found: Array = alike.argmax(-1)
    tied = numpy.flatnonzero(numpy.count_nonzero(alike, -1) > 1)
    if tied.size:
        chosen = sort_compiled.quick(keys[tied], place)
        if chosen is None:
            chosen = numpy.array([orders.quickselect(reversible(keys[row], False), place) for row in tied])
        found[tied] = chosen
    return found


def _median_rows(rows: Array, ignore: bool) -> Array:
    """The index of the lower median of each row; the first of equal elements counts as the smaller."""
    count = rows.shape[1]
    lost = (
        numpy.count_nonzero(rows != rows, -1) if rows.dtype.kind not in "biu" else numpy.zeros(len(rows), int)
    )
    found = numpy.empty(len(rows), numpy.int64)
    for numbers in set((count - lost).tolist()):
        chosen = numpy.flatnonzero(lost == count - numbers)
        some = rows if chosen.size == len(rows) else rows[chosen]
        if numbers < count and not ignore:
            found[chosen] = (some != some).argmax(-1)
        elif (
            not numbers
        ):  # all alike to PyTorch's selection, so what it puts first depends on their count alone
            found[chosen] = orders.introselect(numpy.zeros(count, numpy.int8), 0)[0]
        else:
            found[chosen] = _first_at(orders.sortable(some), max(0, (numbers - 1) // 2))
    return found


def _first_at(keys: Array, place: int) -> Array:
    """The index of each row's element at `place` in a stable order."""
    middle = numpy.partition(keys, place, -1)[:, place : place + 1]
    alike = keys == middle
    found: Array = alike.argmax(-1)
    further = place - numpy.count_nonzero(keys < middle, -1)
    several = numpy.flatnonzero(further)
    for row in several.tolist() if several.size < keys.shape[1] else ():
        found[row] = numpy.flatnonzero(alike[row])[further[row]]
    if several.size >= keys.shape[1]:
        found[several] = (numpy.cumsum(alike[several], -1) > further[several, None]).argmax(-1)
    return found


def _mode_rows(rows: Array) -> Array:
    """The index of the most frequent element of each row: the last of its occurrences in sorted order."""
    found = numpy.empty(len(rows), numpy.int64)
    floating = rows.dtype.kind not in "biu"
    lost = (rows != rows).any(-1) if floating else numpy.zeros(len(rows), numpy.bool_)
    for row in numpy.flatnonzero(lost).tolist():
        order = orders.less_sort(rows[row].astype(numpy.float64))
        found[row] = order[_end_of_longest(rows[row][order][None])[0]]
    if not lost.all():
        found[~lost] = _mode_of_numbers(rows[~lost] if lost.any() else rows)
    return found


def _mode_of_numbers(rows: Array) -> Array:
    """The same, of rows without nan."""
    keys = orders.sortable(rows)
    if rows.shape[1] > SORT_BY_INSERTION:
        place = _end_of_longest(numpy.sort(keys, axis=-1))
        found = sort_compiled.sorted_places(keys, False, place)
        return orders.introsort_at(orders.ranks_of(keys, False)[1], place) if found is None else found
    order = orders.order_rows(rows, False, True)
    place = _end_of_longest(numpy.take_along_axis(rows, order, -1))
    return numpy.take_along_axis(order, place[:, None], 1)[:, 0]


def _end_of_longest(ranged: Array) -> Array:
    """Where, in each sorted row, the first of its longest runs of equal elements ends."""
    found = runs_compiled.ends_of_longest(ranged)
    if found is not None:
        return found
    count = ranged.shape[1]
    ends = numpy.ones(ranged.shape, numpy.bool_)
    ends[:, :-1] = ranged[:, 1:] != ranged[:, :-1]
    place = numpy.arange(count)
    starts = numpy.zeros(ranged.shape, numpy.int64)
    starts[:, 1:] = numpy.maximum.accumulate(numpy.where(ends[:, :-1], place[1:], 0), -1)
    longest: Array = numpy.where(ends, place + 1 - starts, 0).argmax(-1)
    return longest


def _as_it_was(input: Tensor, out: Any) -> Tensor:
    """What is read, in the size that it has now, where a result is written into the very tensor."""
    return input._view(input._lay()) if any(target is input for target in out or ()) else input


def _make_room_kept(input: Tensor, axis: int, keepdim: bool, out: Any, apart: tuple[Tensor, ...]) -> None:
    """Resize what was given as ``out=``.

    PyTorch's warning speaks of the sizes with the dimension kept.

    Args:
        apart: those that may not lie in the tensor itself.
    """
    lay = input._lay()
    kept, result = _reduced(lay.size, axis, True), _reduced(lay.size, axis, keepdim)
    for target in out:
        size = target._lay().size
        if any(target is one for one in apart) and (size == result or target is input):
            refuse_shared(target, input)
        if size == result:
            continue
        shown = (*size[:axis], 1, *size[axis:]) if not keepdim and len(size) == len(kept) - 1 else size
        if target.numel():
            resize_out(empty_strided(shown, contiguous_stride(shown), target._dtype, META), kept)
        resize_silently(target, result)


@op(
    kind="reduce",
    derivative=Rule(
        "KthvalueBackward0",
        applies=_real_alone("kthvalue", lambda call: not call["input"].dim()),
        input=_back_to_one,
    ),
    library="NumPy sort",
    family="sorting",
)
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False, *, out: Any = None) -> Any:
    """The k-th smallest element along a dimension, counted from 1, and where it is.

    Returns:
        A named pair ``(values, indices)``.

    Raises:
        RuntimeError: when there is no k-th element. IndexError: when the dimension is empty.

    >>> tk.tensor([5, 3, 4]).kthvalue(2)
    tensorkit.return_types.kthvalue(
    values=tensor(4),
    indices=tensor(2))
    """
    check_tensor(input)
    check_flags(keepdim)
    place = whole(k) - 1
    size, kind = input._lay().size, input._dtype
    axis = axis_of(dim, len(size))
    _check_filled("kthvalue", size, axis)
    if not 0 <= place < (size[axis] if size else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    given = None if out is None else two_of("kthvalue", out)
    if given is not None:
        if given[0]._dtype is not kind:
            raise RuntimeError("output values must be of same type as input")
        if given[1]._dtype is not dtypes.int64:
            raise RuntimeError("output indices must be of scalar type Long")
        read = _as_it_was(input, given)
        _make_room_kept(input, axis, keepdim, given, given[:1])
        input = read
    if size and (kind.category == 0 or kind.is_complex or kind in LIMITED):
        raise missing_kernel("kthvalue_cpu", kind.label)
    results = _one_of_each(
        input, axis, keepdim, lambda rows: _kth_rows(rows, place), partial(kth_there, place=place), "kthvalue"
    )
    if given is None:
        return return_types.kthvalue(results)
    return return_types.kthvalue_out(map(write_out, results, given))


# -- median -------------------------------------------------------------------------------------------------------


def _check_median(kernel: str, kind: dtype) -> None:
    if kind.category == 0 or kind.is_complex or kind in LIMITED:
        raise missing_kernel(kernel, kind.label)


def _median_of_all(name: str, input: Tensor, ignore: bool) -> Tensor:
    kind = input._dtype
    if input._device == META:
        return meta_pair((), kind)[0]
    if not input.numel():
        lost = numpy.array(math.nan)
        # As C++ converts it: through a wider integer to the narrow ones, and to the middle of uint64.
        wide = numpy.array(2**63, numpy.uint64) if kind is dtypes.uint64 else kernels.cast(lost, dtypes.int64)
        narrow = kind.category == 1 and kind not in (dtypes.int32, dtypes.int64)
        return deliver(wide if narrow else lost, kind).to(input._device)
    _check_median("median_cpu", kind)
    if is_on_device(input):
        return as_size(middle_there(input.reshape(-1), 0, ignore)[0], ())
    array = on_host(input, name)
    rows = array.reshape(1, -1)
    value = rows[0, _median_rows(rows, ignore)[0]]
    if value == 0 and kind.category == 2:
        stride = like_strides(input._lay())  # it selects in a clone, as that lies in memory
        order = sorted(range(len(stride)), key=stride.__getitem__, reverse=True)
        value = _zero_in_the_middle(array.transpose(order).reshape(1, -1), ignore)
    return deliver(value, kind)


def _zero_in_the_middle(rows: Array, ignore: bool) -> Any:
    """The median that is zero, of the sign that PyTorch's selection puts there."""
    numbers = rows.size - (int(numpy.count_nonzero(rows != rows)) if ignore else 0)
    place = (numbers - 1) // 2
    keys = orders.sortable(rows)[0]
    found = sort_compiled.nth(keys, place)
    if found is not None:
        return rows[0, found]
    values = reversible(keys, False)
    return rows[0, orders.introselect(values, place)[place]]


def _median_along(name: str, input: Tensor, dim: Any, keepdim: bool, ignore: bool, out: Any) -> Any:
    size, kind = input._lay().size, input._dtype
    axis = axis_of(dim, len(size))
    _check_filled("median", size, axis)
    given = None if out is None else two_of(name, out)
    if given is not None:
        _check_median_out(given, kind)
        own, input = input, _as_it_was(input, given)
        for target in given:
            resize_out(target, _reduced(size, axis, keepdim))
            if size and target is not own and input.stride(axis) <= 1:  # else PyTorch reads a copy
                refuse_shared(target, input)
    _check_median("median_out", kind)
    results = _one_of_each(
        input,
        axis,
        keepdim,
        lambda rows: _median_rows(rows, ignore),
        partial(middle_there, ignoring=ignore),
        name,
    )
    if given is None:
        return getattr(return_types, name)(results)
    return getattr(return_types, f"{name}_out")(map(write_out, results, given))


def _type_name(kind: dtype) -> str:
    """PyTorch's name of the type of a tensor: dtypes that came late have none for the users."""
    late = kind in (dtypes.bfloat16, dtypes.bool) or kind.is_complex or kind in LIMITED
    return f"CPU{kind.label}Type" if late else f"tensorkit.{kind.label}Tensor"


def _check_median_out(out: tuple[Any, Any], kind: dtype) -> None:
    values, indices = out
    if indices._dtype is not dtypes.int64:
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have scalar type Long; but got "
            f"{_type_name(indices._dtype)} instead (while checking arguments for median)"
        )
    if values._dtype is not kind:
        raise RuntimeError(
            "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type "
            f"{_type_name(values._dtype)} does not equal {_type_name(kind)} (while checking arguments for median)"
        )


def _middle_back(g: Any, c: Any) -> Any:
    return evenly(g, c) if c.dim is None else _back_to_one(g, c)


def _median(name: str, input: Tensor, dim: Any, keepdim: bool, out: Any) -> Any:
    check_tensor(input)
    check_flags(keepdim)
    ignore = name == "nanmedian"
    if dim is not None:
        return _median_along(name, input, dim, keepdim, ignore, out)
    if keepdim or out is not None:
        raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
    return _median_of_all(name, input, ignore)


def _median_rule(name: str) -> Rule:
    return Rule(
        lambda call: f"{name.capitalize()}Backward{0 if call['dim'] is None else 1}",
        applies=_real_alone(name, lambda call: call["dim"] is None and not call["input"].numel()),
        unread=lambda call: frozenset(("indices",) if call.get("dim", ...) is None else ("input", "out")),
        input=_middle_back,
    )


_MEDIAN_FORMS = (
    "(Tensor input)",
    "(Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)",
)


@op(kind="reduce", derivative=_median_rule("median"), library="NumPy sort", family="sorting")
@takes(*_MEDIAN_FORMS)
def median(input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """The median, which is nan where there is one: of an even number of elements, the lower of the two in the middle.

    Args:
        input: of any size, of a dtype of integers or floating point numbers.
        dim: the dimension along which to look for it; none means all elements.
        keepdim: keep the reduced dimension with size 1.

    Returns:
        A 0-d tensor; or, given `dim`, a named pair ``(values, indices)``.

    Raises:
        IndexError: when the dimension is empty. NotImplementedError: for bools and complex numbers.

    >>> tk.tensor([1.0, 4.0, 2.0, float("nan")]).median()
    tensor(nan)
    """
    return _median("median", input, dim, keepdim, out)


@op(kind="reduce", derivative=_median_rule("nanmedian"), library="NumPy sort", family="sorting")
@takes(*_MEDIAN_FORMS)
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Any = None) -> Any:
    """The median of what is not nan: of an even number of elements, the lower of the two in the middle.

    Arguments and results are those of `median`.

    >>> tk.tensor([1.0, 4.0, 2.0, float("nan")]).nanmedian()
    tensor(2.)
    """
    return _median("nanmedian", input, dim, keepdim, out)


@op(
    kind="reduce",
    derivative=Rule("ModeBackward0", applies=_real_alone("mode", _nothing_to_count), input=_back_to_one),
    library="NumPy sort",
    family="sorting",
)
def mode(input: Tensor, dim: int = -1, keepdim: bool = False, *, out: Any = None) -> Any:
    """The most frequent element along a dimension, the smallest of several, and where it is.

    Returns:
        A named pair ``(values, indices)``.

    Raises:
        IndexError: when the dimension is empty. NotImplementedError: for complex numbers.

    >>> tk.tensor([3, 1, 2, 1]).mode()
    tensorkit.return_types.mode(
    values=tensor(1),
    indices=tensor(3))
    """
    check_tensor(input)
    check_flags(keepdim)
    size, kind = input._lay().size, input._dtype
    axis = axis_of(dim, len(size))
    given = None if out is None else two_of("mode", out)
    for target, wanted, part in zip(given or (), (kind, dtypes.int64), ("values", "indices"), strict=False):
        if target._dtype is not wanted:
            raise RuntimeError(
                f"expected scalar type '{wanted.label}' but got '{target._dtype.label}' for {part} output"
            )
    _check_filled("mode", size, axis)
    if size and input.numel() and (kind.is_complex or kind in LIMITED):
        raise missing_kernel("mode_cpu", kind.label)
    if given is not None and not size:
        for target in given:
            resize_silently(target, ())
    elif given is not None and input.numel():
        read = _as_it_was(input, given)
        _make_room_kept(input, axis, keepdim, given, ())
        for target in given:
            if target is not input and target._lay() != input._lay():  # the very elements may be written over
                refuse_shared(target, input)
        input = read
    results = _one_of_each(input, axis, keepdim, _mode_rows, mode_there, "mode")
    return (
        return_types.mode(results) if given is None else return_types.mode_out(map(write_out, results, given))
    )
