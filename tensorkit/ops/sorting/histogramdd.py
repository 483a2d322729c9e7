"""Counting points of several dimensions: how many fall into each box of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from tensorkit import return_types
from tensorkit.autograd.rule import not_implemented
from tensorkit.dispatch.call_errors import takes, unmatched
from tensorkit.dispatch.library import through_library
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable, recorded_call
from tensorkit.dispatch.signatures import type_name
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.ops.sorting.bin_edges import (
    by_density,
    check_bins,
    check_edges,
    check_kernel,
    corrected,
    counted,
    ranges,
    searched,
    spaced,
)
from tensorkit.ops.sorting.unique import without_meta
from tensorkit.ops.sorting.values_and_indices import check_flags, check_tensor, on_host, whole
from tensorkit.tensor import Array, Tensor

_NAME = "histogramdd"


def _columns(input: Tensor) -> list[Array]:
    """The coordinates of the points, one array for each dimension."""
    if input.dim() < 2:
        raise RuntimeError("tensorkit.histogramdd: input tensor should have at least 2 dimensions")
    values, dims = on_host(input, _NAME), input.size(-1)
    points = values.reshape(-1, dims) if values.size else values.reshape(values.shape[0], dims)[:0]
    return [points[:, dim] for dim in range(dims)]


def _check(input: Tensor, edges: Sequence[Tensor], weight: Tensor | None) -> None:
    """Refuse limits and weights that do not belong to the points."""
    dims, size = input.size(-1), input._lay().size
    if len(edges) != dims:
        raise RuntimeError(
            f"tensorkit.histogramdd: expected {dims} sequences of bin edges for a {dims}-dimensional histogram but "
            f"got {len(edges)}"
        )
    for dim, limits in enumerate(edges):
        check_edges(limits, input._dtype, dim)
    if weight is None:
        return
    if weight._dtype is not input._dtype:
        raise RuntimeError(
            "tensorkit.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same "
            f"dtype, but got input({cpp_name(input._dtype)}), and weight({cpp_name(weight._dtype)})"
        )
    if weight._lay().size != size[:-1]:
        raise RuntimeError(
            "tensorkit.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
            f"excluding its innermost dimension, but got input with shape {list(size)} and weight with shape "
            f"{list(weight._lay().size)}"
        )


def _count(input: Tensor, edges: Sequence[Tensor], weight: Tensor | None, density: bool, find: Any) -> Tensor:
    columns, kind = _columns(input), input._dtype
    _check(input, edges, weight)
    for dim, limits in enumerate(edges):
        check_bins(limits.numel() - 1, dim)
    check_kernel(kind)
    loads = None if weight is None else on_host(weight, _NAME).reshape(-1)
    held = [limits._nd() for limits in edges]
    counts = kernels.cast(counted(columns, loads, held, find), kind)
    return deliver(by_density(counts, held) if density else counts, kind)


_counted = through_library(_NAME, "NumPy", _count)


# -- bins of one width --------------------------------------------------------------------------------------------


def _even(input: Tensor, weight: Tensor | None, bins: Sequence[int], given: Any) -> tuple[Tensor, ...]:
    """The limits of evenly spaced bins, `bins` giving their number in each dimension."""
    without_meta(input if weight is None or input.is_meta else weight, f"_{_NAME}_bin_edges")
    columns, kind = _columns(input), input._dtype
    ends = ranges(columns, kind, given, _NAME)
    if len(bins) != len(columns):
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    return tuple(spaced(*pair, count, kind) for pair, count in zip(ends, bins, strict=True))


# PyTorch records two steps here, neither of which it can go back.
_even_edges = differentiable(
    through_library(_NAME, "NumPy", _even),
    not_implemented(f"_{_NAME}_bin_edges", "input", "weight"),
    f"_{_NAME}_bin_edges",
    "copy",
)
_even_count = differentiable(
    lambda input, weight, edges, density: _counted(input, edges, weight, density, corrected),
    not_implemented(f"_{_NAME}_from_bin_cts", "input", "weight"),
    f"_{_NAME}_from_bin_cts",
    "copy",
)


# -- any bins -----------------------------------------------------------------------------------------------------


def _of_edges(input: Tensor, edges: Sequence[Tensor], weight: Tensor | None, density: bool) -> Tensor:
    """The counts of bins between any limits."""
    name = f"_{_NAME}_from_bin_tensors"
    for tensor in (input, *edges, weight):
        if tensor is not None:
            without_meta(tensor, name)
    operands: dict[str, Any] = {"input": input, "weight": weight}
    operands |= {f"edges{dim}": limits for dim, limits in enumerate(edges)}
    rule = not_implemented(name, *operands)
    result: Tensor = recorded_call(
        rule, name, operands, lambda: _counted(input, edges, weight, density, searched), "copy"
    )
    return result


def _are_numbers(bins: Sequence[Any]) -> bool:
    """Whether PyTorch takes a sequence for one of integers, going by its first element."""
    if not bins:
        return True
    try:
        index(bins[0])
    except TypeError:
        return False
    return not isinstance(bins[0], bool)


def _whole(count: Any, place: int) -> int:
    try:
        return index(count)
    except TypeError:
        raise TypeError(
            f"{_NAME}(): argument 'bins' failed to unpack the object at pos {place + 1} with error "
            f'"type must be tuple of ints,but got {type_name(count)}"'
        ) from None


_REST = "tuple of floats range = None, Tensor weight = None, bool density = False"
_FORMS = tuple(f"Tensor input, {bins} bins, {_REST}" for bins in ("int", "tuple of ints", "tuple of Tensors"))


@op(strict=True, kind="reduce", methods=(), rounded=1)
@takes(*(f"({form})" for form in _FORMS))
def histogramdd(
    input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """How many points, or how much weight, each box of a grid gets, and the limits of its bins along each dimension.

    Args:
        input: points of float32 or float64, in rows of a coordinate for each dimension.
        bins: how many bins of one width for each dimension, or for all of them; or for each a 1-d tensor of limits.
        range: the ends of the first and the last bin of each dimension, one after the other; if not given, the
            smallest and the largest coordinate.
        weight: what each point counts for, instead of 1.
        density: divide by the sum and by the widths of the bins.

    Returns:
        A named pair ``(hist, bin_edges)``; `bin_edges` is a tuple of a tensor for each dimension.

    Raises:
        RuntimeError: for a range that is not finite, and tensors that do not fit.

    >>> tk.histogramdd(tk.tensor([[0.0, 1], [1, 0], [2, 2], [2, 1]]), bins=[2, 2])
    tensorkit.return_types.histogramdd(
    hist=tensor([[0., 1.],
            [1., 2.]]),
    bin_edges=(tensor([0., 1., 2.]), tensor([0., 1., 2.])))
    """
    check_tensor(input)
    check_flags(density)
    if isinstance(bins, Tensor) and not bins.dim():
        bins = whole(bins)
    if isinstance(bins, int):
        if not input.dim():
            raise IndexError("Dimension specified as -1 but tensor has no dimensions")
        bins = [whole(bins)] * input.size(-1)
    if not isinstance(bins, (tuple, list)):
        raise unmatched(_NAME, (input, bins), {}, _FORMS)
    if _are_numbers(bins):
        counts = [_whole(count, place) for place, count in enumerate(bins)]
        edges = _even_edges(input, weight, counts, range)
        return return_types.histogramdd((_even_count(input, weight, edges, density), edges))
    return return_types.histogramdd((_of_edges(input, bins, weight, density), tuple(bins)))
