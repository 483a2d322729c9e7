"""One element of many by its place in the order: the k-th, the middle one, the most frequent.

nan counts as larger than every number. The results are row-major. Which of several equal elements is meant follows
PyTorch's algorithms: see ``kernels.order``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes, return_types
from tensorkit import layout as layouts
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.autograd.mode import state
from tensorkit.device import META
from tensorkit.dispatch import missing_kernel, op, sample
from tensorkit.dtypes import dtype
from tensorkit.elementwise import empty_strided, resize_out
from tensorkit.kernels import cpu as kernels
from tensorkit.kernels import order as orders
from tensorkit.ops.convert import deliver
from tensorkit.ops.pointwise import where
from tensorkit.ops.reduce import put_along
from tensorkit.ops.sorting import (
    LIMITED,
    Pair,
    as_rows,
    axis_of,
    check_flags,
    check_tensor,
    meta_pair,
    on_host,
    reversible,
    same,
    two_of,
    whole,
    write_out,
)
from tensorkit.tensor import Array, Tensor

__all__ = ["kthvalue", "median", "mode", "nanmedian"]


# -- how gradients pass back --------------------------------------------------------------------------------------


def _back_to_one(g: Any, c: Any) -> Any:
    """The gradient goes to the element that was chosen along the dimension."""
    gs, where_to, size = g[0], c.indices, c.input_face.size
    if not size:
        return gs
    axis = layouts.normalise_dim(c.dim.__index__(), len(size))
    if not c.keepdim:
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


def _evenly(g: Any, c: Any) -> Any:
    """All elements that equal the result share its gradient; if it is nan, all that are nan."""
    lost = c.out.ne(c.out).item()
    chosen = c.input.ne(c.input) if lost else c.input.eq(c.out)
    return where(chosen, (g / chosen.to(g.dtype).sum()).expand(c.input.size()), 0)


# -- one element of each row --------------------------------------------------------------------------------------


def _reduced(size: tuple[int, ...], axis: int, keepdim: bool) -> tuple[int, ...]:
    if not size:
        return ()
    return (*size[:axis], *((1,) if keepdim else ()), *size[axis + 1 :])


def _check_filled(name: str, size: tuple[int, ...], axis: int) -> None:
    if size and not size[axis]:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")


def _one_of_each(input: Tensor, axis: int, keepdim: bool, where: Callable[[Array], Array], name: str) -> Pair:
    """Of each row along a dimension the element that `where` chooses, and its index."""
    size, kind = input._lay().size, input._dtype
    result = _reduced(size, axis, keepdim)
    if input._device == META:
        return meta_pair(result, kind)
    array = on_host(input, name)
    if not size:
        return deliver(array.copy(), kind), deliver(numpy.zeros((), numpy.int64), dtypes.int64)
    rows = as_rows(array, axis)
    found = where(rows) if rows.size else numpy.empty(0, numpy.int64)
    values = numpy.take_along_axis(rows, found[:, None], 1) if rows.size else numpy.empty(0, kind.numpy)
    return deliver(values.reshape(result), kind), deliver(found.reshape(result), dtypes.int64)


def _kth_rows(rows: Array, place: int) -> Array:
    """Of each row the index of the element that is at `place` when sorted, ties as PyTorch's selection has them."""
    keys = orders.sortable(rows)
    found: Array = numpy.argpartition(keys, place, -1)[:, place]
    alike = same(keys, numpy.take_along_axis(keys, found[:, None], 1))
    for row in numpy.flatnonzero(numpy.count_nonzero(alike, -1) > 1).tolist():
        found[row] = orders.quickselect(reversible(keys[row], False), place)
    return found


def _median_rows(rows: Array, ignore: bool) -> Array:
    """Of each row the index of its lower median, the first of equal ones counting as the smaller."""
    keys = orders.sortable(rows)
    count = keys.shape[1]
    lost = numpy.isnan(rows) if rows.dtype.kind == "f" else rows != rows
    place = (count - 1) // 2
    middle = numpy.take_along_axis(keys, numpy.argpartition(keys, place, -1)[:, place : place + 1], 1)
    smaller = numpy.count_nonzero(keys < middle, -1)
    alike = keys == middle
    found: Array = alike.argmax(-1)
    several = numpy.flatnonzero(smaller < place)
    among = numpy.cumsum(alike[several], -1) > (place - smaller[several])[:, None]
    found[several] = among.argmax(-1)
    for row in numpy.flatnonzero(lost.any(-1)).tolist():
        numbers = count - int(numpy.count_nonzero(lost[row]))
        order = numpy.argsort(keys[row], kind="stable")
        found[row] = order[max(0, (numbers - 1) // 2)] if ignore else lost[row].argmax()
    return found


def _mode_rows(rows: Array) -> Array:
    """Of each row the index of the last, in sorted order, of those equal elements of which there are most."""
    keys = orders.sortable(rows)
    order, ranks = orders.ranks_of(keys, False)
    lost = numpy.flatnonzero((rows != rows).any(-1)) if rows.dtype.kind not in "biu" else ()
    for row in lost:
        order[row] = orders.less_sort(rows[row].astype(numpy.float64).tolist())
    place = _end_of_longest(numpy.take_along_axis(rows, order, -1))
    found: Array = numpy.take_along_axis(order, place[:, None], 1)[:, 0]
    if rows.shape[1] > orders.SHORT:
        settled = numpy.zeros(len(rows), numpy.bool_)
        settled[list(lost)] = True
        open_ = numpy.flatnonzero(~settled)
        if open_.size:
            found[open_] = orders.introsort_at(ranks[open_], place[open_])
    return found


def _end_of_longest(ranged: Array) -> Array:
    """Where, in each sorted row, the first of its longest runs of equal elements ends."""
    count = ranged.shape[1]
    ends = numpy.ones(ranged.shape, numpy.bool_)
    ends[:, :-1] = ranged[:, 1:] != ranged[:, :-1]
    place = numpy.arange(count)
    starts = numpy.zeros(ranged.shape, numpy.int64)
    starts[:, 1:] = numpy.maximum.accumulate(numpy.where(ends[:, :-1], place[1:], 0), -1)
    longest: Array = numpy.where(ends, place + 1 - starts, 0).argmax(-1)
    return longest


def _make_room_kept(input: Tensor, axis: int, keepdim: bool, out: Any) -> None:
    """Resize what was given as ``out=``; PyTorch's warning speaks of the sizes with the dimension kept."""
    lay = input._lay()
    kept, result = _reduced(lay.size, axis, True), _reduced(lay.size, axis, keepdim)
    for target in out:
        size = target._lay().size
        if size == result:
            continue
        shown = (*size[:axis], 1, *size[axis:]) if not keepdim and len(size) == len(kept) - 1 else size
        if target.numel():
            resize_out(empty_strided(shown, layouts.contiguous_stride(shown), target._dtype, META), kept)
        _resize_silently(target, result)


def _resize_silently(target: Tensor, size: tuple[int, ...]) -> None:
    target._adopt_geometry(target._store(), layouts.contiguous((0,)))
    resize_out(target, size)


@op(
    samples=(
        sample("tk.kthvalue(a, 2)", a=(3, 4)),
        sample("a.kthvalue(1, 0, True)", a=(3, 4)),
        sample("a.kthvalue(9, keepdim=True)", a=(2, 20)),
        sample("a.kthvalue(3)", a=(8,)),
        sample("a.kthvalue(1)", a=()),
        sample("a.kthvalue(1, 1)", a=(0, 3)),
        sample("a.kthvalue(1)", a=(2, 0)),
        sample("a.kthvalue(4)", a=(2, 3)),
        sample("a.kthvalue(1, 2)", a=(2, 3)),
        sample("a.kthvalue('x')", a=(2, 3)),
        sample("tk.kthvalue(a, 1, out=(tk.empty(0), tk.empty(0, dtype=tk.int64)))", a=(2, 3)),
        sample("tk.kthvalue(a, 1, out=(tk.empty(3, dtype=a.dtype), tk.empty(2, dtype=tk.int64)))", a=(2, 3)),
    ),
    kind="reduce",
    derivative=Rule(
        "KthvalueBackward0",
        applies=_real_alone("kthvalue", lambda call: not call["input"].dim()),
        input=_back_to_one,
    ),
)
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False, *, out: Any = None) -> Any:
    """The k-th smallest element along a dimension, counted from 1, and where it is.

    Returns:
        A named pair ``(values, indices)``.

    Raises:
        RuntimeError: when there is no k-th element. IndexError: when the dimension is empty.

    >>> import tensorkit as tk
    >>> tk.tensor([5, 3, 4]).kthvalue(2)
    tensorkit.return_types.kthvalue(
    values=tensor(4),
    indices=tensor(2))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.kthvalue.html
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
        _make_room_kept(input, axis, keepdim, given)
    if size and (kind.category == 0 or kind.is_complex or kind in LIMITED):
        raise missing_kernel("kthvalue_cpu", kind.label)
    results = _one_of_each(input, axis, keepdim, lambda rows: _kth_rows(rows, place), "kthvalue")
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
    array = on_host(input, name)
    if not array.size:
        lost = numpy.array(math.nan)
        # As C++ converts it: through a wider integer to the narrow ones, and to the middle of uint64.
        wide = numpy.array(2**63, numpy.uint64) if kind is dtypes.uint64 else kernels.cast(lost, dtypes.int64)
        narrow = kind.category == 1 and kind not in (dtypes.int32, dtypes.int64)
        return deliver(wide if narrow else lost, kind)
    _check_median("median_cpu", kind)
    rows = array.reshape(1, -1)
    value = rows[0, _median_rows(rows, ignore)[0]]
    if value == 0 and kind.category == 2:
        value = _zero_in_the_middle(rows, ignore)
    return deliver(value, kind)


def _zero_in_the_middle(rows: Array, ignore: bool) -> Any:
    """The median that is zero, of the sign that PyTorch's selection puts there."""
    numbers = rows.size - (int(numpy.count_nonzero(rows != rows)) if ignore else 0)
    place = (numbers - 1) // 2
    values = reversible(orders.sortable(rows)[0], False)
    return rows[0, orders.introselect(values, place)[place]]


def _median_along(name: str, input: Tensor, dim: Any, keepdim: bool, ignore: bool, out: Any) -> Any:
    size, kind = input._lay().size, input._dtype
    axis = axis_of(dim, len(size))
    _check_filled("median", size, axis)
    given = None if out is None else two_of(name, out)
    if given is not None:
        _check_median_out(given, kind)
        for target in given:
            resize_out(target, _reduced(size, axis, keepdim))
    _check_median("median_out", kind)
    results = _one_of_each(input, axis, keepdim, lambda rows: _median_rows(rows, ignore), name)
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
    return _evenly(g, c) if c.dim is None else _back_to_one(g, c)


_MEDIAN_SAMPLES = (
    ("tk.{name}(a)", (2, 3)),
    ("a.{name}()", (20,)),
    ("a.{name}(1)", (3, 4)),
    ("a.{name}(-2, True)", (2, 5, 2)),
    ("tk.{name}(a, -1, keepdim=True)", (2, 21)),
    ("a.{name}()", ()),
    ("a.{name}(0)", ()),
    ("a.{name}()", (0,)),
    ("a.{name}(0)", (0, 3)),
    ("a.{name}(2)", (2, 3)),
    ("a.{name}('x')", (2, 3)),
    ("a.{name}(keepdim=True)", (2, 3)),
    ("tk.{name}(a, 1, out=(tk.empty(0), tk.empty(0, dtype=tk.int64)))", (2, 3)),
    ("tk.{name}(a, 1, out=(tk.empty(1, dtype=a.dtype), tk.empty(0, dtype=tk.int64)))", (2, 3)),
    ("tk.{name}(a, 1, out=(tk.empty(0), tk.empty(0)))", (2, 3)),
)


def _median_op(name: str, sentence: str, example: str) -> Callable[..., Any]:
    """`median` and `nanmedian`."""

    def middle(input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Any = None) -> Any:
        check_tensor(input)
        check_flags(keepdim)
        if dim is None:
            if keepdim or out is not None:
                raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
            return _median_of_all(name, input, name == "nanmedian")
        return _median_along(name, input, dim, keepdim, name == "nanmedian", out)

    middle.__name__ = name
    middle.__doc__ = f"""The median{sentence}: of an even number of elements, the lower of the two in the middle.

    Args:
        input: of any size, of a dtype of integers or floating point numbers.
        dim: the dimension along which to look for it; none means all elements.
        keepdim: keep the reduced dimension with size 1.

    Returns:
        A 0-d tensor; or, given `dim`, a named pair ``(values, indices)``.

    Raises:
        IndexError: when the dimension is empty. NotImplementedError: for bools and complex numbers.

    >>> import tensorkit as tk
    >>> tk.tensor([1.0, 4.0, 2.0, float("nan")]).{name}()
    {example}

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """
    rule = Rule(
        lambda call: f"{name.capitalize()}Backward{0 if call['dim'] is None else 1}",
        applies=_real_alone(name, lambda call: call["dim"] is None and not call["input"].numel()),
        unread=lambda call: frozenset(("input", "out") if call["dim"] is not None else ("indices",)),
        input=_middle_back,
    )
    samples = [sample(call.format(name=name), a=size) for call, size in _MEDIAN_SAMPLES]
    return op(samples=samples, kind="reduce", name=name, derivative=rule)(middle)


median = _median_op("median", ", which is nan where there is one", "tensor(nan)")
nanmedian = _median_op("nanmedian", " of what is not nan", "tensor(2.)")


@op(
    samples=(
        sample("tk.mode(a)", a=(3, 4)),
        sample("a.mode(0, True)", a=(5, 2)),
        sample("a.mode(keepdim=True)", a=(2, 30)),
        sample("a.mode()", a=(9,)),
        sample("a.mode()", a=()),
        sample("a.mode(0)", a=(3, 0)),
        sample("a.mode()", a=(2, 0)),
        sample("a.mode(2)", a=(2, 3)),
        sample("a.mode(1.5)", a=(2, 3)),
        sample("tk.mode(a, out=(tk.empty(0), tk.empty(0, dtype=tk.int64)))", a=(2, 3)),
        sample("tk.mode(a, out=(tk.empty(1, dtype=a.dtype), tk.empty(0, dtype=tk.int64)))", a=(2, 3)),
    ),
    kind="reduce",
    derivative=Rule("ModeBackward0", applies=_real_alone("mode", _nothing_to_count), input=_back_to_one),
)
def mode(input: Tensor, dim: int = -1, keepdim: bool = False, *, out: Any = None) -> Any:
    """The most frequent element along a dimension, the smallest of several, and where it is.

    Returns:
        A named pair ``(values, indices)``.

    Raises:
        IndexError: when the dimension is empty. NotImplementedError: for complex numbers.

    >>> import tensorkit as tk
    >>> tk.tensor([3, 1, 2, 1]).mode()
    tensorkit.return_types.mode(
    values=tensor(1),
    indices=tensor(3))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.mode.html
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
            _resize_silently(target, ())
    elif given is not None and input.numel():
        _make_room_kept(input, axis, keepdim, given)
    results = _one_of_each(input, axis, keepdim, _mode_rows, "mode")
    return (
        return_types.mode(results) if given is None else return_types.mode_out(map(write_out, results, given))
    )
