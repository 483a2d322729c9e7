"""Distinct values: of all elements, along a dimension, or only where neighbours differ.

nan is equal to nothing, so each one counts. A zero and a negative zero are equal; the one that PyTorch's sort puts
first is the one that is kept.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.library import through_library
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import Inner, type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import empty_strided
from tensorkit.errors import MissingKernelError
from tensorkit.kernels.cpu.sorting import sort as orders
from tensorkit.kernels.sizes import SMALL, SORT_BY_INSERTION, UNIQUE_BY_TABLE
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.int_args import counted
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.sorting.on_device import distinct_there
from tensorkit.ops.sorting.values_and_indices import on_host
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor, on_storage

#: Distinct values; for each element the place of its value among them, if asked for; how often each value occurs.
Distinct = tuple[Array, Array | None, Array]


def without_meta(input: Tensor, name: str) -> None:
    """Refuse a tensor without data where the size of the result depends on the data."""
    if input._device == META:
        raise MissingKernelError(
            f"aten::{name}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta "
            "kernel registered. You may have run into this message while using an operator with PT2 compilation APIs "
            "(tensorkit.compile/tensorkit.export); in order to use this operator with those APIs you'll need to add a "
            "fake impl. A tensor on the CPU has data: t.to('cpu') does not make any, so make it there."
        )


# -- of all elements ----------------------------------------------------------------------------------------------


def _marked(changed: Array) -> Array:
    """Where a run begins: at the first element, and wherever one differs from the one before."""
    marks = numpy.empty(changed.size + 1, numpy.bool_)
    marks[0] = True
    marks[1:] = changed
    return marks


def _runs(ranged: Array, order: Array | None, inverse: bool, counted: bool = True) -> Distinct:
    """Distinct values of elements that lie in runs; with `order`, where each element was before they did."""
    none = numpy.empty(0, numpy.int64)
    if not ranged.size:
        return ranged, none if inverse else None, none
    marks = _marked(ranged[1:] != ranged[:-1])
    counts = numpy.diff(numpy.flatnonzero(marks), append=ranged.size) if counted else none
    places: Array | None = None
    if inverse:
        places = numpy.cumsum(marks) - 1
        if order is not None:
            scattered = numpy.empty_like(places)
            scattered[order] = places
            places = scattered
    return ranged[marks], places, counts


def _zeros_differ(flat: Array) -> bool:
    return flat.dtype.kind == "f" and bool((numpy.signbit(flat) & (flat == 0)).any())


def _in_a_table(flat: Array, inverse: bool, counted: bool) -> Distinct | None:
    """`_distinct` of many whole numbers that lie close together, by a table of all between them; None for others."""
    kind = flat.dtype
    if flat.size < UNIQUE_BY_TABLE or kind.kind not in "iu" or kind == numpy.uint64:
        return None
    low = int(flat.min())
    reach = int(flat.max()) - low + 1
    if reach > 2 * flat.size:
        return None
    places = flat.astype(numpy.int64) - low
    counts = numpy.bincount(places, minlength=reach)
    found = numpy.flatnonzero(counts)
    table: Array | None = None
    if inverse:
        table = (numpy.cumsum(counts != 0) - 1)[places]
    none = numpy.empty(0, numpy.int64)
    return (found + low).astype(kind), table, counts[found] if counted else none


def _distinct(flat: Array, inverse: bool, counted: bool) -> Distinct:
    listed = _in_a_table(flat, inverse, counted)
    if listed is not None:
        return listed
    half = flat.dtype.itemsize == 2 and flat.dtype.kind not in "iu"
    telling = half or _zeros_differ(flat)  # whether it shows which of several equal elements came first
    if not inverse and not telling:
        return _runs(numpy.sort(flat), None, False, counted)
    if telling or (flat.dtype.kind == "f" and bool(numpy.isnan(flat).any())):
        order = orders.order_rows(flat[None], False, False)[0]
    else:
        order = orders.order_rows(flat[None], False, True)[0] if flat.size > SMALL else numpy.argsort(flat)
    return _runs(flat[order], order, inverse, counted)


# -- along a dimension --------------------------------------------------------------------------------------------


class _Row:
    """A row that is compared with others as PyTorch does: nan is neither smaller nor larger, and is passed by."""

    __slots__ = ("values",)

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __lt__(self, other: _Row) -> bool:
        for mine, yours in zip(self.values, other.values, strict=True):
            if mine < yours:
                return True
            if mine > yours:
                return False
        return False


def _row_order(rows: Array) -> Array:
    """The order in which PyTorch sorts the rows of a matrix."""
    floating = rows.dtype.kind not in "biu"
    if floating and (rows != rows).any():
        return orders.less_sort([_Row(row) for row in rows.astype(numpy.float64).tolist()])
    keys = orders.sortable(rows)
    order = numpy.lexsort(keys.T[::-1])
    if len(rows) > SORT_BY_INSERTION and floating and _zeros_differ(rows.astype(numpy.float64)):
        ranged = keys[order]
        ranks = numpy.empty(len(rows), numpy.int64)
        ranks[order] = numpy.cumsum(_marked((ranged[1:] != ranged[:-1]).any(-1)))
        order = orders.introsort(ranks[None])[0]
    return order


def _row_runs(rows: Array, order: Array) -> Distinct:
    ranged = rows[order]
    marks = _marked((ranged[1:] != ranged[:-1]).any(-1))
    starts = numpy.flatnonzero(marks)
    places = numpy.empty(len(rows), numpy.int64)
    places[order] = numpy.cumsum(marks) - 1
    return ranged[starts], places, numpy.diff(starts, append=len(rows))


def _along(input: Tensor, dim: int, consecutive: bool) -> tuple[Tensor, Tensor, Tensor]:
    size, kind = input._lay().size, input._dtype
    if kind.is_complex:
        raise missing_kernel("unique_dim", kind.label)
    if not size:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    axis = normalise_dim(dim, len(size))
    if not size[axis] and size.count(0) > 1:
        raise RuntimeError("Number of zero sized dimensions is more than one, so unique cannot be applied ")
    if size[axis] and 0 in size:
        raise RuntimeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
        )
    array = numpy.moveaxis(on_host(input, "unique_dim"), axis, 0)
    if not size[axis]:
        none = numpy.empty(0, numpy.int64)
        return deliver(numpy.empty(size, kind.numpy), kind), _whole(none), _whole(none)
    rows = numpy.ascontiguousarray(array).reshape(size[axis], -1)
    order = numpy.arange(len(rows)) if consecutive else _row_order(rows)
    values, places, counts = _row_runs(rows, order)
    assert places is not None
    room = _roomy(counts, dtypes.int64, len(rows))
    return _moved(values.reshape(-1, *array.shape[1:]), axis, kind), _whole(places), room


_along_by_library = through_library("unique_dim", "NumPy", _along)


def _whole(places: Array) -> Tensor:
    return deliver(places, dtypes.int64)


def _moved(values: Array, axis: int, kind: dtype) -> Tensor:
    """The distinct parts lie in memory one after the other, whatever their dimension."""
    if not axis:
        return deliver(values, kind)
    shown = numpy.moveaxis(values, 0, axis)
    stride = list(contiguous_stride(values.shape))
    stride.insert(axis, stride.pop(0))
    out = empty_strided(shown.shape, tuple(stride), kind, CPU)
    out._nd()[...] = shown
    return out


def _asked(parts: tuple[Tensor, Tensor | None, Tensor], inverse: bool, counts: bool) -> Any:
    """The requested parts: the distinct values alone, or with one or both of the others."""
    chosen = (parts[0], *((parts[1],) if inverse else ()), *((parts[2],) if counts else ()))
    return chosen if inverse or counts else chosen[0]


# -- the operations -----------------------------------------------------------------------------------------------


def _refused(name: str) -> Any:
    def back(g: Any, c: Any) -> Any:
        raise MissingKernelError(f"the derivative for '{name}' is not implemented.")

    return back


def _not_differentiable(g: Any, c: Any) -> Any:
    return _refused("_unique2" if c.dim is None else "unique_dim")(g, c)


def _check(input: Any, flags: dict[str, Any], dim: Any, name: str, by_dim: str) -> None:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    for flag, value in flags.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name}(): argument '{flag}' must be bool, not {type_name(value)}")
    if dim is not None and (isinstance(dim, bool) or not isinstance(counted(dim), int)):
        raise TypeError(f"{by_dim} must be int, not {type_name(dim)}")


def _by_flags(inner: Callable[..., Inner], begin: str, places: tuple[int, int]) -> Callable[..., Inner]:
    """PyTorch has a Python function for each choice of the flags of `unique`, and says its name.

    Args:
        inner: what such a function makes of its arguments. begin: of its name.
        places: of `return_inverse` and `return_counts` among the positional arguments, where PyTorch looks for them.
    """

    def chosen(*args: Any, **kwargs: Any) -> Inner:
        given = dict(enumerate(args))
        flags = (
            flag
            for flag, place in zip(("inverse", "counts"), places, strict=True)
            if kwargs.get(f"return_{flag}", given.get(place, False))
        )
        name = f"{begin}return_{'_and_'.join(flags) or 'output'}"
        named = types.FunctionType(inner.__code__, globals(), name, inner.__defaults__)
        named.__qualname__ = name  # which Python says
        return named(*args, **kwargs)  # type: ignore[no-any-return]

    return chosen


def _unique_inner(
    input: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Inner:
    flags = {"sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts}
    return ("_unique2", (input,), flags) if dim is None else ("unique_dim", (input, dim), flags)


def _consecutive_inner(
    input: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Inner:
    flags = {"return_inverse": return_inverse, "return_counts": return_counts, "dim": dim}
    return "unique_consecutive", (input,), flags


_unique_function = _by_flags(_unique_inner, "_", (2, 3))
_consecutive_function = _by_flags(_consecutive_inner, "_consecutive_", (2, 1))


def _unique_method(
    self: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Inner | None:
    flags = {"sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts}
    return _unique_function(self, **flags, dim=dim)


def _consecutive_method(
    self: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Inner | None:
    flags = {"return_inverse": return_inverse, "return_counts": return_counts}
    return _consecutive_function(self, **flags, dim=dim)


@op(
    kind="reduce",
    derivative=Rule(
        lambda call: "Unique2Backward0" if call["dim"] is None else "UniqueDimBackward0",
        input=_not_differentiable,
    ),
    differentiable=False,
    library="NumPy",
    family="sorting",
)
@takes(
    names={
        "_unique2": (
            "(Tensor input, bool sorted = True, bool return_inverse = False, bool return_counts = False)",
        ),
        "unique_dim": (
            "(Tensor input, int dim, bool sorted = True, bool return_inverse = False, bool return_counts = False)",
        ),
    },
    python=_unique_function,
    python_method=_unique_method,
)
def unique(
    input: Tensor,
    sorted: Any = True,
    return_inverse: Any = False,
    return_counts: Any = False,
    dim: Any = None,
) -> Any:
    """The distinct elements, in order; along a dimension, the distinct parts.

    Args:
        input: of any size, of any dtype but the complex ones.
        sorted: accepted, and without effect: the result is always sorted, as PyTorch's is.
        return_inverse: also give, for each element, where in the result its value is.
        return_counts: also give how often each value occurs.
        dim: compare whole parts along this dimension; none means single elements.

    Returns:
        The values; with the flags a tuple ``(values, inverse, counts)`` of the requested parts.

    Raises:
        NotImplementedError: for complex numbers, and when a gradient is requested.

    >>> tk.tensor([3, 1, 3]).unique(return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    flags = {"sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts}
    name = "_unique2" if dim is None else "unique_dim"
    _check(input, flags, dim, name, "unique_dim(): argument 'dim' (position 2)")
    without_meta(input, name)
    if dim is not None:
        return _asked(_along_by_library(input, int(dim), False), return_inverse, return_counts)
    kind = input._dtype
    if kind.is_complex:
        raise missing_kernel("unique", kind.label)
    if is_on_device(input):
        return _asked(distinct_there(input, False), return_inverse, return_counts)
    array = on_host(input, "unique")
    values, places, counts = _distinct(array.reshape(-1), return_inverse, return_counts)
    inverse = None if places is None else _whole(places.reshape(array.shape))
    return _asked((deliver(values, kind), inverse, _whole(counts)), return_inverse, return_counts)


def _roomy(values: Array, kind: dtype, room: int) -> Tensor:
    """The first few elements of a storage that PyTorch made for the worst case."""
    out = empty_strided((room,), (1,), kind, CPU)
    out._nd()[: values.size] = values
    return on_storage(out._store(), Layout((values.size,), (1,), 0), kind)


@op(
    strict=True,
    kind="reduce",
    derivative=Rule("UniqueConsecutiveBackward0", input=_refused("unique_consecutive")),
    differentiable=False,
    library="NumPy",
    family="sorting",
)
@takes(
    "(Tensor input, bool return_inverse = False, bool return_counts = False, int dim = None)",
    python=_consecutive_function,
    python_method=_consecutive_method,
)
def unique_consecutive(
    input: Tensor, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Any:
    """One element for each run of equal neighbours; along a dimension, one part.

    Args:
        input: of any size, of any dtype but the complex ones; without `dim` it is read row by row.
        return_inverse: also give, for each element, where in the result its value is.
        return_counts: also give how long each run is.

    Returns:
        The values; with the flags a tuple ``(values, inverse, counts)`` of the requested parts.

    Raises:
        NotImplementedError: for complex numbers, and when a gradient is requested.

    >>> tk.tensor([1, 1, 2, 1]).unique_consecutive()
    tensor([1, 2, 1])
    """
    name = "unique_consecutive"
    flags = {"return_inverse": return_inverse, "return_counts": return_counts}
    _check(input, flags, dim, name, f"{name}(): argument 'dim'")
    without_meta(input, name)
    if dim is not None:
        return _asked(_along_by_library(input, int(dim), True), return_inverse, return_counts)
    kind = input._dtype
    if kind.is_complex:
        raise missing_kernel("unique", kind.label)
    if is_on_device(input):
        return _asked(distinct_there(input, True), return_inverse, return_counts)
    array = on_host(input, name)
    values, places, counts = _runs(array.reshape(-1), None, return_inverse, return_counts)
    parts = (
        _roomy(values, kind, array.size),
        None if places is None else _whole(places.reshape(array.shape)),
        _roomy(counts, dtypes.int64, array.size),
    )
    return _asked(parts, return_inverse, return_counts)
