"""Bins: which of them a number belongs to, how many numbers each gets, and how wide they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.number_range import check_number
from tensorkit.ops.creation.ranges import linspace
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.ops.sorting.searchsorted import bisected
from tensorkit.tensor import Array, Tensor

Range = tuple[float, float]


# -- into which bin -----------------------------------------------------------------------------------------------


def linear(values: Array, edges: Array) -> Array:
    """The bin of each value, of bins of one width; rounded to the values' precision at each step, as PyTorch does."""
    bins = edges.size - 1
    first, last = edges[0], edges[-1]
    scaled = kernels.quiet(lambda: (values - first) * values.dtype.type(bins) / (last - first))
    found: Array = kernels.cast(scaled, dtypes.int64)
    return numpy.clip(
        found, 0, bins - 1, out=found
    )  # what became infinite in 16 bits is counted in the first bin


def corrected(values: Array, edges: Array) -> Array:
    """The same, put right where rounding leads into the bin next to it."""
    found = linear(values, edges)
    found -= values < edges[found]
    numpy.maximum(found, 0, out=found)
    found += (values >= edges[found + 1]) & (found < edges.size - 2)
    return found


def searched(values: Array, edges: Array) -> Array:
    """The bin of each value, of any bins; the last one holds its upper limit too."""
    if bool((edges[1:] >= edges[:-1]).all()):
        found = numpy.searchsorted(edges, values, "right") - 1
    else:
        found = bisected(edges[None], values[None], True)[0] - 1
    return numpy.minimum(found, edges.size - 2)


def counted(
    columns: Sequence[Array],
    weight: Array | None,
    edges: Sequence[Array],
    find: Callable[[Array, Array], Array],
) -> Array:
    """How many points, or how much weight, each bin gets; what lies outside all bins, and nan, is left out.

    Args:
        columns: the coordinates of the points, one array for each dimension. edges: the limits of its bins.
        find: into which bin the coordinates of a dimension fall.
    """
    size = tuple(limits.size - 1 for limits in edges)
    if not size:
        return numpy.zeros((), numpy.int64 if weight is None else weight.dtype)
    inside = numpy.logical_and.reduce(
        [
            kernels.quiet(lambda x=x, limits=limits: (x >= limits[0]) & (x <= limits[-1]))
            for x, limits in zip(columns, edges, strict=True)
        ]
    )
    if not inside.all():
        columns = [x[inside] for x in columns]
        weight = None if weight is None else weight[inside]
    where: Any = numpy.zeros(columns[0].size, numpy.int64)
    for x, limits in zip(columns, edges, strict=True) if where.size else ():
        where *= limits.size - 1
        where += find(x, limits)
    if weight is None:
        return numpy.bincount(where, minlength=math.prod(size)).reshape(size)
    total = numpy.zeros(math.prod(size), weight.dtype)
    kernels.quiet(numpy.add.at, total, where, weight)
    return total.reshape(size)


def by_density(counts: Array, edges: Sequence[Array]) -> Array:
    """Shares of the whole for each unit of width, rounded at each step as PyTorch's are."""
    shares: Array = kernels.quiet(lambda: counts / numpy.add.reduce(counts, axis=None))
    for dim, limits in enumerate(edges):
        widths = numpy.diff(limits).reshape(-1, *(1,) * (counts.ndim - 1 - dim))
        shares = kernels.quiet(numpy.divide, shares, widths)
    return shares


# -- the range ----------------------------------------------------------------------------------------------------


def least_and_most(array: Array, kind: dtype) -> Range:
    """The smallest and the largest element; as in PyTorch, the search begins at the largest and smallest number."""
    wide = kernels.cast(array, dtypes.float32) if kernels.is_half(kind) else array
    least, most = kernels.quiet(numpy.min, wide), kernels.quiet(numpy.max, wide)
    return float(least), float(most)


def shown(number: float) -> str:
    """A number as C++ prints it, with the sign of a nan."""
    return f"{math.copysign(1, number):g}"[:-1] + "nan" if math.isnan(number) else f"{number:g}"


def check_bins(bins: int, dim: int = 0) -> None:
    """Refuse to make no bins in a dimension."""
    if bins <= 0:
        raise RuntimeError(f"tensorkit.histogram(): bins must be > 0, but got {bins} for dimension {dim}")


def check_kernel(kind: dtype) -> None:
    """Refuse to count elements of a dtype that is not floating point."""
    if kind.category != 2:
        raise missing_kernel("histogram_cpu", kind.label)


def spaced(least: float, most: float, bins: int, kind: dtype) -> Tensor:
    """The limits of bins of one width."""
    if kind.category == 0 or kind in LIMITED:
        raise missing_kernel("linspace_cpu", kind.label)
    for end in (least, most):
        check_number(end, kind, narrow=True)
    return linspace(least, most, bins + 1, dtype=kind)


def _number(value: Any, place: int, name: str) -> float:
    # PyTorch looks at the type of the first alone, and has Python make floats of the others.
    if place and isinstance(value, Tensor) and value.numel() == 1:
        return float(value)
    if not isinstance(value, NUMBERS) or isinstance(value, complex):
        raise TypeError(
            f"{name}(): argument 'range' must be tuple of floats, but found element of type {type_name(value)} at pos "
            f"{place + 1}"
        )
    return float(value)


def _first_zero(end: float, x: Array) -> float:
    """PyTorch takes the first of zeros of both signs as the smallest, and as the largest."""
    return float(x[x == 0][0]) if end == 0 else end


def ranges(columns: Sequence[Array], kind: dtype, given: Any, name: str) -> list[Range]:
    """The ends of the bins of each dimension: what `name` was given, or the smallest and the largest coordinate."""
    dims = len(columns)
    if given is not None:
        if len(given) != 2 * dims:
            raise RuntimeError(
                f"tensorkit.histogramdd: for a {dims}-dimensional histogram range should have {2 * dims} elements, "
                f"but got {len(given)}"
            )
        ends = [_number(value, place, name) for place, value in enumerate(given)]
        found = list(zip(ends[::2], ends[1::2], strict=True))
    elif dims and columns[0].size:
        if kind is not dtypes.float32 and kind is not dtypes.float64:
            raise missing_kernel("histogramdd", kind.label)
        most = [(x, *least_and_most(x, kind)) for x in columns]
        found = [(_first_zero(least, x), _first_zero(last, x)) for x, least, last in most]
    else:
        found = [(0.0, 1.0)] * dims
    return [_widened(*ends, dim) for dim, ends in enumerate(found)]


def _widened(least: float, most: float, dim: int) -> Range:
    if not (math.isfinite(least) and math.isfinite(most)):
        raise RuntimeError(
            f"tensorkit.histogramdd: dimension {dim}'s range [{shown(least)}, {shown(most)}] is not finite"
        )
    if least > most:
        raise RuntimeError(
            f"tensorkit.histogramdd: min should not exceed max, but got min {shown(least)} max {shown(most)} for "
            f"dimension {dim}"
        )
    return (least - 0.5, most + 0.5) if least == most else (least, most)


def check_edges(bins: Tensor, kind: dtype, dim: int = 0) -> None:
    """Refuse limits that are not a 1-d tensor of the points' dtype."""
    if bins._dtype is not kind:
        raise RuntimeError(
            "tensorkit.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
            f"{cpp_name(kind)} and bins for dimension {dim} with dtype {cpp_name(bins._dtype)}"
        )
    if bins.dim() != 1:
        raise RuntimeError(
            f"tensorkit.histogramdd: bins tensor should have one dimension, but got {bins.dim()} dimensions in the "
            f"bins tensor for dimension {dim}"
        )
    if not bins.numel():
        raise RuntimeError(
            "tensorkit.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor "
            f"for dimension {dim}"
        )
