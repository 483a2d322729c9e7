"""The slope along a dimension of numbers that were taken at known places: ``gradient``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.block import NUMBERS
from tensorkit.kernels.cpu.elementwise import is_half
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.reduction.arguments import axes_of
from tensorkit.ops.reduction.diff import diff
from tensorkit.ops.shared.scalar_arithmetic import over, times
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.tensor import Tensor


def _axes(input: Tensor, spaces: int | None, dim: Any, edge_order: int) -> tuple[int, ...]:
    """The dimensions to go along, after all that PyTorch looks at first; `spaces` is how many distances were given."""
    ndim = input.dim()
    if input._dtype is dtypes.uint8:
        raise RuntimeError("tensorkit.gradient does not support uint8 input.")
    asked = None if dim is None else tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if spaces is not None and asked is None and spaces != ndim:
        raise RuntimeError(
            "tensorkit.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() "
            f"= {ndim}', since dim argument was not given, but got a list of length {spaces}"
        )
    if spaces is not None and asked is not None and spaces != len(asked):
        raise RuntimeError(
            "tensorkit.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have "
            f"the same length, but got a spacing argument of length {spaces} and a dim argument of length {len(asked)}."
        )
    if edge_order not in (1, 2):
        raise RuntimeError("tensorkit.gradient only supports edge_order=1 and edge_order=2.")
    axes = () if asked == () else axes_of(asked, ndim)
    if axes == () and asked:
        raise IndexError(f"Dimension specified as {asked[0]} but tensor has no dimensions")
    if any(input.size(axis) < edge_order + 1 for axis in axes):
        raise RuntimeError("tensorkit.gradient expected each dimension size to be at least edge_order+1")
    return axes


def _part(input: Any, axis: int, first: int | None, last: int | None) -> Any:
    return input[(slice(None),) * axis + (slice(first, last),)]


def _even(input: Any, axis: int, step: Any, edge_order: int) -> Tensor:
    """The slope where each number is as far from the next: in the middle half the way from neighbour to neighbour."""

    def part(first: int | None, last: int | None) -> Any:
        return _part(input, axis, first, last)

    if edge_order == 1:
        start = over(part(1, 2) - part(0, 1), step)
        end = over(part(-1, None) - part(-2, -1), step)
    else:
        start = times(part(0, 1), -1.5) + times(part(1, 2), 2) - times(part(2, 3), 0.5)
        end = times(part(-3, -2), 0.5) - times(part(-2, -1), 2) + times(part(-1, None), 1.5)
        start, end = over(start, step), over(end, step)
    middle = over(over(part(2, None) - part(0, -2), step), 2)
    return cat((start, middle, end), axis)


def _uneven(input: Any, axis: int, places: Tensor, edge_order: int) -> Tensor:
    """The slope of numbers that lie at `places`: that of the parabola through three neighbours."""
    steps: Any = diff(places)

    def part(first: int | None, last: int | None) -> Any:
        return _part(input, axis, first, last)

    shape = [1] * input.dim()
    shape[axis] = -1
    before, behind = steps[:-1].reshape(shape), steps[1:].reshape(shape)
    both = before + behind
    middle = (
        -behind / (before * both) * part(0, -2)
        + (behind - before) / (before * behind) * part(1, -1)
        + before / (behind * both) * part(2, None)
    )
    if edge_order == 1:
        start = (part(1, 2) - part(0, 1)) / steps.select(0, 0)
        end = (part(-1, None) - part(-2, -1)) / steps[-1]
        return cat((start, middle, end), axis)
    p, q = steps[0], steps[1]
    start = (
        _weighed(-(2 * p + q) / (p * (p + q)), part(0, 1))
        + _weighed((p + q) / (p * q), part(1, 2))
        + _weighed(-p / (q * (p + q)), part(2, 3))
    )
    p, q = steps[-2], steps[-1]
    end = (
        _weighed(q / (p * (p + q)), part(-3, -2))
        + _weighed(-(p + q) / (p * q), part(-2, -1))
        + _weighed((p + 2 * q) / (q * (p + q)), part(-1, None))
    )
    return cat((start, middle, end), axis)


def _weighed(weight: Any, numbers: Any) -> Any:
    """A product with a number; PyTorch rounds it to the 16 bits of the others first."""
    return (weight.to(numbers.dtype) if is_half(numbers.dtype) else weight) * numbers


def _check_spacing(spacing: Sequence[Any]) -> None:
    """Refuse what is neither numbers alone nor tensors alone, as PyTorch does: for not being tensors."""
    if any(not _is_number(each) for each in spacing):
        for place, each in enumerate(spacing):
            if not isinstance(each, Tensor):
                raise TypeError(
                    f"expected Tensor as element {place} in argument 1, but got {type_name(each)}"
                )


def _is_number(value: Any) -> bool:
    return isinstance(value, NUMBERS)


@op(kind="copy", methods=(), rounded=1, strict=True)
@takes(
    "(Tensor input, *, tuple of ints dim, int edge_order = 1)",
    "(Tensor input, *, Number spacing, tuple of ints dim, int edge_order = 1)",
    "(Tensor input, *, Number spacing = None, int dim = None, int edge_order = 1)",
    "(Tensor input, *, tuple of Scalars spacing, int dim = None, int edge_order = 1)",
    "(Tensor input, *, tuple of Scalars spacing, tuple of ints dim, int edge_order = 1)",
    "(Tensor input, *, tuple of Tensors spacing, int dim = None, int edge_order = 1)",
    "(Tensor input, *, tuple of Tensors spacing, tuple of ints dim, int edge_order = 1)",
)
def gradient(
    input: Tensor, *, spacing: Any = None, dim: int | Sequence[int] | None = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """How steeply the numbers rise along each dimension: their derivative, estimated from neighbours.

    Args:
        spacing: the distance from number to number; or one for each dimension, or for each a tensor of the places
            where its numbers lie. dim: one dimension or several; without it, all.
        edge_order: 1 or 2, for a line or a parabola through the numbers at the ends.

    Returns:
        A tensor of the input's size for each dimension.

    Raises:
        RuntimeError: when a dimension has fewer than ``edge_order + 1`` numbers, or the counts do not agree.

    >>> tk.gradient(tk.tensor([1.0, 4.0, 9.0, 16.0]))
    (tensor([3., 4., 6., 7.]),)
    >>> tk.gradient(tk.tensor([1.0, 4.0, 16.0]), spacing=(tk.tensor([1.0, 2.0, 4.0]),), edge_order=2)
    (tensor([2.0000, 4.0000, 8.0000]),)
    """
    several = isinstance(spacing, (tuple, list))
    if several:
        _check_spacing(spacing)
    axes = _axes(input, len(spacing) if several else None, dim, edge_order)
    if not several:
        step = 1 if spacing is None else plain_number(spacing)
        return tuple(_even(input, axis, step, edge_order) for axis in axes)
    if not any(isinstance(each, Tensor) for each in spacing):
        return tuple(_even(input, *pair, edge_order) for pair in zip(axes, spacing, strict=True))
    odd = next((each.dim() for each in spacing if each.dim() != 1), None)
    if odd is not None:
        raise RuntimeError(
            f"tensorkit.gradient expected each element of spacing to have one dimension, but got an element with {odd} "
            "dimensions!"
        )
    return tuple(_uneven(input, *pair, edge_order) for pair in zip(axes, spacing, strict=True))
