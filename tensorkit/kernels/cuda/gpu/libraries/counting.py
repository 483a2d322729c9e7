"""Which elements there are, how often, and where they belong in a sorted sequence."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cuda.gpu.libraries.place import Refused


def _ordered(array: Any) -> Any:
    """An array that can be sorted: truth values as whole numbers, complex numbers not at all."""
    if array.dtype.kind == "c":
        raise Refused
    return array.astype(numpy.uint8) if array.dtype.kind == "b" else array


# -- among others -------------------------------------------------------------------------------------------------


def _common(*arrays: Any) -> Any:
    """The dtype that numbers are compared in: that of floating-point numbers, if there are any."""
    kinds = [array.dtype for array in arrays]
    floats = [kind for kind in kinds if kind.kind == "f"]
    return numpy.result_type(*(floats or kinds))


def _halved(cupy: Any, edges: Any, wanted: Any, right: bool) -> Any:
    """Where each element belongs in its own row of edges, by halving what is left of all rows at once."""
    low = cupy.zeros(wanted.shape, numpy.int64)
    high = low + edges.shape[-1]
    for _ in range(edges.shape[-1].bit_length()):
        middle = (low + high) // 2
        found = cupy.take_along_axis(edges, cupy.minimum(middle, edges.shape[-1] - 1), -1)
        beyond = ~(found > wanted) if right else ~(found >= wanted)
        beyond = beyond & (low < high)
        low, high = cupy.where(beyond, middle + 1, low), cupy.where(beyond, high, middle)
    return low


def _sorts(sorter: Any, edges: Any) -> bool:
    """Whether an argument can be the order of some edges."""
    if sorter is None:
        return True
    if sorter.dtype != numpy.int64 or sorter.shape != edges.shape or not sorter.ndim:
        return False
    return not bool(((sorter < 0) | (sorter >= edges.shape[-1])).any())


def searchsorted(cupy: Any, edges: Any, wanted: Any, right: bool, sorter: Any = None) -> Any:
    """Where each element belongs in a row in order: one for all, or one for each row of what is looked for."""
    asked = wanted if hasattr(wanted, "dtype") else cupy.asarray(wanted)
    if edges.dtype.kind == "c" or asked.dtype.kind == "c" or not _sorts(sorter, edges):
        raise Refused
    kind = _common(edges) if edges.dtype.kind == "f" and asked is not wanted else _common(edges, asked)
    if kind.kind not in "iuf":
        raise Refused
    edges, asked = edges.astype(kind), asked.astype(kind)
    count = edges.shape[-1]
    if sorter is not None:
        edges = cupy.take_along_axis(edges, sorter, -1)
    if not count:
        return cupy.zeros(asked.shape, numpy.int64)
    if edges.ndim > 1:
        return _halved(cupy, edges, asked, right)
    found = cupy.searchsorted(edges, asked, "right" if right else "left")
    return cupy.where(asked == asked, found, count)  # nan belongs behind everything


def isin(cupy: Any, elements: Any, others: Any, invert: bool) -> Any:
    """Whether each element is among others; one of the two may be a number."""
    arrays = [value if hasattr(value, "dtype") else cupy.asarray(value) for value in (elements, others)]
    kind = _common(*arrays)
    if any(array.dtype.kind in "bc" for array in arrays):
        raise Refused
    first, second = (array.astype(kind) for array in arrays)
    if not second.size:
        return cupy.full(first.shape, bool(invert))
    found = cupy.isin(first, second)
    if kind.kind == "f":  # nan is among no others
        found = found & (first == first)
    return ~found if invert else found


# -- how often ----------------------------------------------------------------------------------------------------


def bincount(cupy: Any, input: Any, weights: Any, minlength: int) -> Any:
    """How often each whole number occurs, or what those at its places weigh together."""
    if (
        input.dtype.name not in ("uint8", "int8", "int16", "int32", "int64")
        or input.ndim != 1
        or minlength < 0
    ):
        raise Refused
    if not input.size:
        return cupy.zeros(minlength, numpy.int64)
    if bool((input < 0).any()) or (weights is not None and weights.shape != input.shape):
        raise Refused
    if weights is None:
        return cupy.bincount(input, minlength=minlength)
    if weights.dtype.kind == "c":
        raise Refused
    return cupy.bincount(input, weights.astype(numpy.float64), minlength)


def histc(cupy: Any, input: Any, bins: int, min: Any, max: Any) -> Any:
    """How many elements lie in each of some bins of one width; what lies outside is not counted."""
    kind, least, most = input.dtype, float(min), float(max)
    if kind.kind not in "iuf":
        raise Refused
    values = input.reshape(-1).astype(numpy.float64)
    if least == most and values.size:
        least, most = float(values.min()), float(values.max())
    if least == most:
        least, most = least - 1, most + 1
    if not (numpy.isfinite([least, most]).all() and least < most):
        raise Refused
    inside = values[(values >= least) & (values <= most)]
    places = ((inside - least) * bins / (most - least)).astype(numpy.int64)
    if not places.size:
        return cupy.zeros(bins, kind)
    return cupy.bincount(cupy.minimum(places, bins - 1), minlength=bins)


def nonzero_static(cupy: Any, input: Any, size: int, fill_value: int) -> Any:
    """The coordinates of the first elements that are not zero, a row each; other rows are filled up."""
    found = cupy.full((size, input.ndim), fill_value, numpy.int64)
    if not input.ndim:
        return found
    places = cupy.stack(cupy.nonzero(input), 1)[:size]
    found[: len(places)] = places
    return found


# -- distinct elements --------------------------------------------------------------------------------------------


def _runs(cupy: Any, items: Any, order: Any, shape: tuple[int, ...], inverse: bool, counts: bool) -> Any:
    """The first item of each run of equal neighbours; `order` says where the items came from."""
    begins = cupy.ones(len(items), numpy.bool_)
    differ = items[1:] != items[:-1]
    begins[1:] = differ if differ.ndim == 1 else cupy.any(differ, axis=1)
    found = [items[begins]]
    if inverse:
        runs = cupy.cumsum(begins) - 1
        back = runs
        if order is not None:
            back = cupy.empty(len(items), numpy.int64)
            back[order] = runs
        found.append(back.reshape(shape))
    if counts:
        ends = cupy.append(cupy.nonzero(begins)[0], len(items))
        found.append(ends[1:] - ends[:-1])
    return found


def _as_told(flags: tuple[Any, ...]) -> tuple[Any, ...]:
    """The last two of some flags, all of which must be truth values."""
    if not all(isinstance(flag, bool) for flag in flags):
        raise Refused
    return flags[-2:]


def _asked(found: list[Any]) -> Any:
    return found[0] if len(found) == 1 else tuple(found)


def _parts(cupy: Any, input: Any, dim: int) -> tuple[Any, Any]:
    """The parts along a dimension as rows, and the shape to give them back."""
    if not input.ndim or not input.size or not -input.ndim <= dim < input.ndim:
        raise Refused
    moved = cupy.moveaxis(input, dim, 0)
    return cupy.ascontiguousarray(moved).reshape(len(moved), -1), moved.shape[1:]


def unique(cupy: Any, input: Any, flags: tuple[Any, ...], dim: Any) -> Any:
    """The distinct elements in order, or the distinct parts along a dimension.

    Args:
        flags: whether to tell where each element is found, and how often it occurs.
    """
    array, flags = _ordered(input), _as_told(flags)
    if dim is None:
        flat = array.reshape(-1)
        order = cupy.argsort(flat)
        return _asked(_runs(cupy, flat[order], order, input.shape, *flags))
    rows, shape = _parts(cupy, array, dim)
    order = cupy.lexsort(cupy.ascontiguousarray(rows.T[::-1]))
    found = _runs(cupy, rows[order], order, (len(rows),), *flags)
    found[0] = cupy.moveaxis(found[0].reshape((-1, *shape)), 0, dim)
    return _asked(found)


def unique_consecutive(cupy: Any, input: Any, flags: tuple[Any, ...], dim: Any) -> Any:
    """The first element of each run of equal ones, or the first part along a dimension; flags as in `unique`."""
    array, flags = _ordered(input), _as_told(flags)
    if dim is None:
        return _asked(_runs(cupy, array.reshape(-1), None, input.shape, *flags))
    rows, shape = _parts(cupy, array, dim)
    found = _runs(cupy, rows, None, (len(rows),), *flags)
    found[0] = cupy.moveaxis(found[0].reshape((-1, *shape)), 0, dim)
    return _asked(found)
