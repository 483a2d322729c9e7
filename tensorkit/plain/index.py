"""Square brackets: numbers and slices make a view; lists, tensors of integers and masks pick elements one by one.

>>> t = plain.arange(6).view(2, 3)
>>> t[:, 1].tolist(), t[[1, 0], [2, 0]].tolist(), t[t > 3].tolist()
([1, 4], [5, 0], [4, 5])
"""

from __future__ import annotations

import itertools
from typing import Any

from tensorkit.plain.backward import note, refuse_change
from tensorkit.plain.pointwise import pointwise, saved
from tensorkit.plain.reduce import only
from tensorkit.plain.tensors import Tensor, boolean, full, int64, made, offered, tensor
from tensorkit.plain.view import view_of
from tensorkit.strides import basic_index
from tensorkit.strides.layout import Layout, contiguous
from tensorkit.strides.output import iterator_strides
from tensorkit.strides.sizes import Size, broadcast_sizes, normalise_dim, out_of_bounds


def _is_basic(key: Any) -> bool:
    parts = key if isinstance(key, tuple) else (key,)
    return all(part is None or part is ... or isinstance(part, slice) or type(part) is int for part in parts)


def _basic(layout: Layout, key: Any) -> Layout:
    found = basic_index.index(layout, key)
    assert found is not None
    return found


def _nonzero(mask: Tensor) -> list[list[int]]:
    """The indices at which a mask is true: a list for each of its dimensions."""
    every = zip(itertools.product(*map(range, mask.shape)), mask.values(), strict=True)
    found = [at for at, true in every if true]
    return [[at[d] for at in found] for d in range(mask.dim())]


def _parts(input: Tensor, key: Any) -> list[Any]:
    """The key, part by part: a list as a tensor, a mask as tensors of coordinates, ``...`` as whole dimensions."""
    if isinstance(key, list) and any(not isinstance(part, (int, float)) for part in key):
        key = tuple(key)  # as PyTorch: rows of indices are indices for one dimension each
    parts: list[Any] = []
    used = 0
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, (list, bool)):
            part = tensor(part) if part else tensor(part, dtype=int64 if part == [] else None)
        if isinstance(part, Tensor) and part.dtype.is_floating_point:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if isinstance(part, Tensor) and part.dtype is boolean and not part.dim():
            raise NotImplementedError(
                "The plain engine takes no True or False as an index: use a mask with a size."
            )
        if isinstance(part, Tensor) and part.dtype.name in ("bool", "uint8"):
            if part.shape != input.shape[used : used + part.dim()]:
                raise IndexError(
                    f"The shape of the mask {list(part.shape)} at index 0 does not match the shape of the indexed "
                    f"tensor {list(input.shape)} at index {used}"
                )
            used += part.dim()
            parts += [tensor(numbers, dtype=int64) for numbers in _nonzero(part)]
        else:
            used += part is not None and part is not ...
            parts.append(part)
    if used > input.dim():
        raise IndexError(f"too many indices for tensor of dimension {input.dim()}")
    at = next((place for place, part in enumerate(parts) if part is ...), len(parts))
    return [*parts[:at], *[slice(None)] * (input.dim() - used), *parts[at + 1 :]]


def picked(input: Tensor, key: Any) -> tuple[Layout, list[int]]:
    """The layout of a new tensor for what a key picks, and the slot of each of its elements.

    First a view that takes the numbers, slices and None of the key; each tensor then leaves a dimension of it open. The
    tensors are broadcast; together they take the place of the open dimensions if these are neighbours, else they come
    first.
    """
    parts = _parts(input, key)
    layout = _basic(input.layout, tuple(slice(None) if isinstance(part, Tensor) else part for part in parts))
    dims = [part for part in parts if type(part) is not int]
    opened = [d for d, part in enumerate(dims) if isinstance(part, Tensor)]
    indices = [part for part in dims if isinstance(part, Tensor)]
    common = broadcast_sizes(*[one.shape for one in indices])
    starts = [0] * len(list(contiguous(common).slots()))
    for number, (d, index) in enumerate(zip(opened, indices, strict=True)):
        n = layout.size[d]
        for place, at in enumerate(index.values(common)):
            if not -n <= at < n:
                raise out_of_bounds(
                    at, number, n
                )  # as PyTorch counts them: those that are picked from come first
            starts[place] += at % n * layout.stride[d]
    places = [place for place, part in enumerate(parts) if isinstance(part, (Tensor, int))]
    neighbours = places[-1] - places[0] == len(places) - 1
    rest = [d for d in range(layout.ndim) if d not in opened]
    before = only(layout, [d for d in rest if neighbours and d < opened[0]], layout.offset)
    after = only(layout, [d for d in rest if not neighbours or d > opened[0]])
    slots = [a + start + b for a in before.slots() for start in starts for b in after.slots()]
    return _laid_out(before, common, after, indices), slots


def _laid_out(before: Layout, common: Size, after: Layout, indices: list[Tensor]) -> Layout:
    """The dimensions of the result keep the order in memory that those of the tensor, and of the indices, have."""
    size = (*before.size, *common, *after.size)
    own = (*before.stride, *[0] * len(common), *after.stride)
    zeros = [0] * before.ndim, [0] * after.ndim
    steps = [(*zeros[0], *one.layout.expand(common).stride, *zeros[1]) for one in indices]
    return Layout(size, iterator_strides(size, [Layout(size, stride) for stride in (own, *steps)]))


def _gathered(name: str, input: Tensor, layout: Layout, slots: list[int], slots_of: Any) -> Tensor:
    """A new tensor of the numbers in some slots; its gradient is added at these slots of the input."""
    out = made([input.numbers[slot] for slot in slots], input.dtype, layout)

    def back(g: Tensor) -> tuple[Tensor]:
        whole = full(input.shape, 0, dtype=input.dtype)
        return (whole.add_at(slots_of(whole), g.values()),)

    return note(name, out, (input,), back, keeps=True)


@offered("__getitem__", function=False)
def getitem(input: Tensor, key: Any) -> Tensor:
    if _is_basic(key):
        return view_of("select", input, lambda layout: _basic(layout, key))
    layout, slots = picked(input, key)
    return _gathered("index", input, layout, slots, lambda whole: picked(whole, key)[1])


@offered("__setitem__", function=False)
def setitem(input: Tensor, key: Any, value: Any) -> None:
    """Write a number, or the elements of a tensor that broadcasts, into the slots that a key names."""
    refuse_change(input, viewed=True)
    given = value if isinstance(value, Tensor) else tensor(value)
    if _is_basic(key):
        layout = _basic(input.layout, key)
        size, slots = layout.size, list(layout.slots())
    else:
        layout, slots = picked(input, key)
        size = layout.size
    while given.dim() > len(size) and given.shape[0] == 1:
        given = given[0]
    numbers = [input.dtype.held(number) for number in given.values(size)]
    for slot, number in zip(slots, numbers, strict=True):
        input.numbers[slot] = number


@offered("index_select")
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices along a dimension that a vector of indices names, or one index."""
    if not input.dim():
        return getitem(input.reshape(1), index.reshape(())).reshape(())
    at = normalise_dim(dim, input.dim())
    rows: Any = input.contiguous()  # so the result is row by row
    return getitem(rows, (*[slice(None)] * at, index.reshape(-1)))


@offered("gather")
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """``out[i][j] = input[index[i][j]][j]`` for ``dim=0``, and so on: the index replaces one coordinate.

    >>> gather(plain.tensor([[1, 2], [3, 4]]), 1, plain.tensor([[0], [1]])).tolist()
    [[1], [4]]
    """

    def slots(source: Tensor) -> list[int]:
        found = []
        for at, place in zip(itertools.product(*map(range, index.shape)), index.values(), strict=True):
            n = source.shape[dim] if source.dim() else 1
            if not 0 <= place < n:
                raise RuntimeError(f"index {place} is out of bounds for dimension {dim} with size {n}")
            coordinates = list(at) or [0] * source.dim()
            if source.dim():
                coordinates[dim] = place
            found.append(source.layout.slot(coordinates[: source.dim()]))
        return found

    return _gathered("gather", input, contiguous(index.shape), slots(input), slots)


@offered("masked_fill")
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """A copy with one number wherever a mask, which is broadcast, is true."""
    number = value.item() if isinstance(value, Tensor) else value
    rows: Any = input.expand(broadcast_sizes(input.shape, mask.shape)).contiguous()
    out = pointwise(lambda x, masked: number if masked else x, [rows, mask], input.dtype)
    keep: Any = saved(mask)
    return note("masked_fill", out, (rows, value), lambda g: (g * keep.logical_not(), g * keep), keeps=True)


@offered("masked_select")
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements at which a mask, which is broadcast, is true: one after the other."""
    size = broadcast_sizes(input.shape, mask.shape)
    keep: Any = mask.expand(size)
    return getitem(input.expand(size).reshape(-1), keep.reshape(-1))


@offered("nonzero")
def nonzero(input: Tensor) -> Tensor:
    """The indices of all elements that are not 0, a row for each."""
    found: Any = [tensor(numbers, dtype=int64) for numbers in _nonzero(input)]
    numbers = [number for row in zip(*[one.numbers for one in found], strict=True) for number in row]
    return made(numbers, int64, contiguous((len(numbers) // max(1, input.dim()), input.dim())))
