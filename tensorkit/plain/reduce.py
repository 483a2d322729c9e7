"""Reductions: the elements that share all other indices form a group, and each group becomes one number.

>>> t = plain.arange(6).view(2, 3)
>>> t.sum().item(), t.sum(0).tolist(), t.amax(1).tolist()
(15, [3, 5, 7], [2, 5])
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from tensorkit.plain.backward import note
from tensorkit.plain.pointwise import saved, where
from tensorkit.plain.tensors import Dtype, Tensor, boolean, full, int64, made, offered
from tensorkit.plain.view import copy
from tensorkit.strides.layout import Layout, contiguous
from tensorkit.strides.sizes import Size, normalise_dim

Dims = int | tuple[int, ...] | list[int] | None


def axes_of(dim: Dims, ndim: int, of_none: bool = True) -> tuple[int, ...]:
    """The dimensions named, counted from 0; all of them for None, and for no names if `of_none`.

    >>> axes_of(-1, 3), axes_of(None, 2), axes_of((), 2, of_none=False)
    ((2,), (0, 1), ())
    """
    if dim is None or (of_none and dim in ((), [])):
        return tuple(range(ndim))
    axes = [normalise_dim(one, ndim) for one in ([dim] if isinstance(dim, int) else dim)]
    if len(set(axes)) < len(axes):
        raise RuntimeError(f"dim {max(axes, key=axes.count)} appears multiple times in the list of dims")
    return tuple(
        axis for axis in sorted(axes) if axis < ndim
    )  # a tensor without dimensions has none to reduce


def groups(input: Tensor, axes: tuple[int, ...]) -> list[list[Any]]:
    """The numbers that are reduced together, group after group: each is a walk over the reduced dimensions alone.

    >>> groups(plain.arange(6).view(2, 3), (0,))
    [[0, 3], [1, 4], [2, 5]]
    """
    kept = only(input.layout, [dim for dim in range(input.dim()) if dim not in axes], input.storage_offset())
    steps = list(only(input.layout, axes).slots())
    return [[input.numbers[start + step] for step in steps] for start in kept.slots()]


def only(layout: Layout, dims: Any, offset: int = 0) -> Layout:
    """Some dimensions of a layout."""
    return Layout(tuple(layout.size[d] for d in dims), tuple(layout.stride[d] for d in dims), offset)


def reduced_size(size: Size, axes: tuple[int, ...], keepdim: bool) -> Size:
    """The size with reduced dimensions left out, or kept with size 1."""
    return tuple(1 if d in axes else n for d, n in enumerate(size) if keepdim or d not in axes)


def reduce(
    name: str,
    input: Tensor,
    axes: tuple[int, ...],
    keepdim: bool,
    kind: Dtype,
    function: Callable[[list[Any]], Any],
    formula: Callable[[Any, Any, Any], Any] | None = None,
) -> Tensor:
    """One number of each group.

    Args:
        kind: the dtype of the results.
        formula: the gradient of the input, from that of the result, the input and the result; the reduced dimensions
            are kept in the gradient and in the result, so that all broadcast.
    """
    numbers = [function(group) for group in groups(input, axes)]
    out = made(numbers, kind, contiguous(reduced_size(input.shape, axes, keepdim)))
    kept = contiguous(reduced_size(input.shape, axes, True))
    x, y = saved(input), Tensor(out.numbers, kept, out.dtype)

    def back(g: Any) -> tuple[Tensor | None]:
        return (formula and formula(g.reshape(kept.size), x, y).expand(input.shape),)

    return note(name, out, (input,), back, keeps=name not in ("sum", "mean"))


def _sum(group: list[Any]) -> Any:
    try:
        return math.fsum(group) if group and isinstance(group[0], float) else sum(group)
    except (OverflowError, ValueError):  # infinities of both signs
        return sum(group)


def _wide(input: Tensor) -> Dtype:
    return input.dtype if input.dtype.is_floating_point else int64


def _truth(input: Tensor) -> Dtype:
    return (
        input.dtype if input.dtype.name == "uint8" else boolean
    )  # as PyTorch: bytes were its truth values once


@offered("sum")
def sum_of(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """The sum of each group.

    >>> plain.ones(2, 3).sum(0).tolist()
    [2.0, 2.0, 2.0]
    """
    source: Any = input if dtype is None else input.to(dtype)
    return reduce("sum", source, axes_of(dim, input.dim()), keepdim, _wide(source), _sum, lambda g, x, y: g)


@offered("mean")
def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype | None = None) -> Tensor:
    """The sum of each group over the count of it."""
    source: Any = input if dtype is None else input.to(dtype)
    if not source.dtype.is_floating_point:
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {input.dtype.label}"
        )
    axes = axes_of(dim, input.dim())
    count = math.prod(input.shape[axis] for axis in axes)

    def function(group: list[Any]) -> float:
        return _sum(group) / count if count else math.nan

    return reduce("mean", source, axes, keepdim, source.dtype, function, lambda g, x, y: g / count)


def _each(input: Tensor, axes: tuple[int, ...], function: Callable[[list[Any]], Any]) -> Tensor:
    """A number for each element: `function` makes as many of a group as there are in it."""
    out = full(input.shape, 0, dtype=_wide(input))
    steps = list(only(out.layout, axes).slots())
    kept = only(out.layout, [d for d in range(out.dim()) if d not in axes])
    for start, group in zip(kept.slots(), groups(input, axes), strict=True):
        for step, number in zip(steps, function(group), strict=True):
            out.numbers[start + step] = out.dtype.held(number)
    return out


def _products_of_others(group: list[Any]) -> list[Any]:
    return [math.prod(group[:place] + group[place + 1 :]) for place in range(len(group))]


@offered("prod")
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The product of each group; the gradient of an element is the product of the others."""
    axes = axes_of(dim, input.dim())
    return reduce(
        "prod",
        input,
        axes,
        keepdim,
        _wide(input),
        math.prod,
        lambda g, x, y: g * _each(x, axes, _products_of_others),
    )


def _first_nan(group: list[Any]) -> int | None:
    return next((place for place, number in enumerate(group) if number != number), None)


def _not_empty(name: str, input: Tensor, dim: Dims) -> tuple[int, ...]:
    """The dimensions named, for a function that has no result of no numbers."""
    axes = axes_of(dim, input.dim())
    empty = next((axis for axis in axes if not input.shape[axis]), None)
    if empty is not None and dim is not None:
        raise IndexError(f"{name}(): Expected reduction dim {empty} to have non-zero size.")
    if empty is not None:
        kind = IndexError if name.startswith("arg") else RuntimeError
        raise kind(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
            "Specify the reduction dim with the 'dim' argument."
        )
    return axes


def _offer_extreme(name: str, choose: Any) -> None:
    """``amax``, ``argmax`` and ``max`` of `choose`, the built-in `max`; and the same of `min`."""

    def place(group: list[Any]) -> int:
        lost = _first_nan(group)
        return group.index(choose(group)) if lost is None else lost

    def extreme(input: Tensor, dim: Dims = (), keepdim: bool = False) -> Tensor:
        axes = _not_empty(f"a{name}", input, None if dim in ((), []) else dim)

        def formula(g: Any, x: Any, y: Any) -> Any:  # equal ones share the gradient
            won: Any = x == y
            return g * won / sum_of(won, axes, True)

        return reduce(
            f"a{name}", input, axes, keepdim, input.dtype, lambda group: group[place(group)], formula
        )

    def argument(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        axes = _not_empty(f"arg{name}", input, dim)
        return reduce(f"arg{name}", input, axes, keepdim, int64, place)

    def both(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        """The largest of all; along a dimension, the largest and where the first of them is; of two, the larger."""
        if isinstance(dim, Tensor):
            return getattr(input, f"{name}imum")(dim)
        if dim is None and not keepdim:
            _not_empty(name, input, None)
            return extreme(input)
        if not isinstance(dim, int):
            kind = "NoneType" if dim is None else type(dim).__name__
            raise TypeError(f"{name}(): argument 'dim' must be int, not {kind}")
        return _with_places(name, input, dim, keepdim, place)

    for offer, body in ((f"a{name}", extreme), (f"arg{name}", argument), (name, both)):
        body.__name__ = offer
        offered(offer)(body)


class Pair(NamedTuple):
    """The values of a reduction, and where in its dimension each of them is."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        name = f"tensorkit.return_types.{type(self).__name__}"
        return f"{name}(\nvalues={self.values},\nindices={self.indices})"


def _with_places(
    name: str, input: Tensor, dim: int, keepdim: bool, place: Callable[[list[Any]], int]
) -> Pair:
    """One element of each group, and where it is: `place` finds it."""
    axes = _not_empty(name, input, dim)
    at: Any = reduce(name, input, axes, True, int64, place)
    found = input.gather(dim, at) if input.dim() else input.clone()
    size = reduced_size(input.shape, axes, keepdim)
    pair: Pair = type(name, (Pair,), {})(found.reshape(size), at.reshape(size))
    return pair


_offer_extreme("max", max)
_offer_extreme("min", min)


@offered("all")
def all_of(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    return reduce("all", input, axes_of(dim, input.dim(), of_none=False), keepdim, _truth(input), all)


@offered("any")
def any_of(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    return reduce("any", input, axes_of(dim, input.dim(), of_none=False), keepdim, _truth(input), any)


@offered("count_nonzero")
def count_nonzero(input: Tensor, dim: Any = None, *more: int) -> Tensor:
    axes = axes_of((dim, *more) if more else dim, input.dim())
    return reduce(
        "count_nonzero", input, axes, False, int64, lambda group: sum(number != 0 for number in group)
    )


@offered("var")
def var(
    input: Tensor,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: int | None = None,
) -> Tensor:
    """The mean square distance from the mean, divided by the count less `correction`: 1, or 0 if not `unbiased`."""
    if isinstance(dim, bool):  # ``var(False)``
        dim, unbiased = None, dim
    exact: Any = input.double() if input.dtype.is_floating_point else input
    far: Any = exact - mean(exact, dim, True)
    count = math.prod(input.shape[axis] for axis in axes_of(dim, input.dim()))
    less = int(unbiased) if correction is None else correction
    found: Any = sum_of(far * far, dim, keepdim) / max(0, count - less)
    return found.to(input.dtype)


@offered("std")
def std(
    input: Tensor,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: int | None = None,
) -> Tensor:
    """The square root of `var`."""
    exact: Any = input.double() if input.dtype.is_floating_point else input
    return var(exact, dim, unbiased, keepdim, correction=correction).sqrt().to(input.dtype)


@offered("median")
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The number in the middle, of two in the middle the lower one; along a dimension, also where it is.

    >>> plain.tensor([1.0, 2.0, 3.0, 4.0]).median()
    tensor(2.)
    """

    def place(group: list[Any]) -> int:
        lost = _first_nan(group)
        in_order = sorted(range(len(group)), key=group.__getitem__)
        return in_order[(len(group) - 1) // 2] if lost is None else lost

    if dim is None:

        def formula(g: Any, x: Any, y: Any) -> Any:
            won: Any = x == y
            return g * won / won.sum()

        def middle(group: list[Any]) -> Any:
            return group[place(group)] if group else math.nan

        return reduce("median", input, axes_of(None, input.dim()), False, input.dtype, middle, formula)
    return _with_places("median", input, dim, keepdim, place)


@offered("norm")
def norm(input: Tensor, p: Any = 2, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """How long a vector is: the root of the sum of the powers `p` of its elements without their signs.

    >>> plain.tensor([3.0, -4.0]).norm(), plain.tensor([3.0, -4.0]).norm(1)
    (tensor(5.), tensor(7.))
    """
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {input.dtype.label}"
        )
    power = 2.0 if p == "fro" else float(p)
    if math.isinf(power):
        return getattr(input.abs(), "amax" if power > 0 else "amin")(() if dim is None else dim, keepdim)

    def function(group: list[Any]) -> float:
        if power == 0:
            return sum(number != 0 for number in group)
        return _sum([abs(number) ** power for number in group]) ** (1 / power)

    def formula(g: Any, x: Any, y: Any) -> Any:
        if power == 0:
            return x * 0
        return g * x.sign() * where(y == 0, 0.0, (x.abs() / y) ** (power - 1))

    return reduce("norm", input, axes_of(dim, input.dim()), keepdim, input.dtype, function, formula)


@offered("dist")
def dist(input: Tensor, other: Tensor, p: Any = 2) -> Tensor:
    """How far two vectors are apart: the length of their difference."""
    return norm(input - other, p)


@offered("unique")
def unique(input: Tensor, *, return_counts: bool = False) -> Any:
    """The different numbers in order, and with `return_counts` how often each of them is there."""
    counts = Counter(input.values())
    numbers = sorted(counts)
    found = made(numbers, input.dtype, contiguous((len(numbers),)))
    if not return_counts:
        return found
    return found, made([counts[number] for number in numbers], int64, contiguous((len(numbers),)))


@offered("softmax")
def softmax(input: Tensor, dim: int, dtype: Dtype | None = None) -> Tensor:
    """``exp`` of each element over the sum of these along a dimension; the largest is subtracted first.

    >>> softmax(plain.tensor([0.0, 0.0]), 0).tolist()
    [0.5, 0.5]
    """
    rows: Any = input.to(dtype or input.dtype).contiguous()  # so the result is row by row
    if not input.numel():
        return copy(rows, contiguous(input.shape))
    if not rows.dtype.is_floating_point:
        raise RuntimeError(
            f"\"softmax\" not implemented for '{rows.dtype.label}': pass dtype=, such as float32"
        )
    parts = (rows - rows.detach().amax(dim, True)).exp()
    return parts / sum_of(parts, dim, True)


@offered("cumsum")
def cumsum(input: Tensor, dim: int) -> Tensor:
    """The sum of all elements up to each, along a dimension.

    >>> plain.arange(4).cumsum(0).tolist()
    [0, 1, 3, 6]
    """
    axes = axes_of(dim, input.dim())
    out = _each(input, axes, itertools.accumulate)
    return note("cumsum", out, (input,), lambda g: (_each(g, axes, _sums_from_the_end),))


def _sums_from_the_end(group: list[Any]) -> list[Any]:
    return list(itertools.accumulate(group[::-1]))[::-1]
