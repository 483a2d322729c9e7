"""The strides of another size: for `view`, where neighbouring dimensions merge, and `expand`, where one repeats.

Source: sizes, strides, exception classes and sentences are PyTorch 2.13's; the tests ask it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from math import prod

from tensorkit.errors import ViewError
from tensorkit.strides.sizes import (
    INT64_MAX,
    Size,
    checked_size,
    contiguous_stride,
    infer_size,
    negative_strides,
)


@functools.lru_cache(4096)
def viewed(size: Size, stride: Size, shape: Size) -> tuple[Size, Size | None]:
    """The size that `Layout.view` gives, and its strides, or None where only a copy would do.

    >>> viewed((4, 3), (3, 1), (2, -1)), viewed((3, 2), (1, 3), (6,))
    (((2, 6), (6, 1)), ((6,), None))
    """
    wanted = infer_size(shape, prod(size))
    return wanted, _view_stride(size, stride, wanted)


def _view_stride(old: Size, steps: Size, size: Size) -> Size | None:
    """The strides that give ``size`` (of equal numel) without a copy, or None.

    Both sizes are walked from the right: each run of dimensions that merge has to be used up exactly by
    some of the new ones.
    """
    if not old:
        return (1,) * len(size)
    if 0 in size:
        return steps if size == old else contiguous_stride(size)
    if steps == contiguous_stride(old):
        return contiguous_stride(size)
    stride = [0] * len(size)
    new = len(size) - 1
    for _, step, count in _runs(old, steps):
        done = 1
        while new >= 0 and (done < count or size[new] == 1):
            stride[new] = done * step
            done *= size[new]
            new -= 1
        if done != count:
            return None
    return tuple(stride)


def _runs(size: Size, stride: Size) -> Iterator[tuple[int, int, int]]:
    """From the right, each longest run of dimensions that can merge: (first dim, step, elements)."""
    step, count = stride[-1], 1
    for dim in range(len(size) - 1, -1, -1):
        count *= size[dim]
        if dim == 0 or (size[dim - 1] != 1 and stride[dim - 1] != count * step):
            yield dim, step, count
            step, count = stride[dim - 1], 1


def view_error(old: Size, stride: Size, size: Size) -> ViewError:
    """PyTorch's sentence, then each pair of dimensions that ``size`` merges and the strides forbid."""
    ends = {1}
    for n in reversed(size):
        ends.add(max(ends) * n)
    conflicts, lines, count = [], [], 1
    for first, _, elements in _runs(old, stride):
        count *= elements
        if count in ends:
            continue
        left = first - 1
        right = next(dim for dim in range(first, len(old)) if old[dim] != 1)
        n, each = old[right], stride[right]
        conflicts.append((left, right))
        lines.append(
            f"dimensions {left} and {right} cannot merge: one step in dimension {left} is "
            f"{_slots(stride[left])}, but stepping over all of dimension {right} is {n}·{each} = "
            f"{_slots(n * each)}"
        )
    sentence = (
        "view size is not compatible with input tensor's size and stride (at least one dimension spans "
        "across two contiguous subspaces). Use .reshape(...) instead."
    )
    return ViewError("\n".join([sentence, *lines[::-1]]), old, stride, size, tuple(conflicts[::-1]))


def _slots(count: int) -> str:
    return f"{count} slot" if count == 1 else f"{count} slots"


@functools.lru_cache(4096)
def expanded(size: Size, stride: Size, sizes: Size, kind: str) -> tuple[Size, Size]:
    """Size and strides after `Layout.expand`.

    Raises:
        RuntimeError: when a dimension would have to repeat that is not of size 1.

    >>> expanded((3, 1), (1, 1), (2, -1, 4), "Tensor")
    ((2, 3, 4), (0, 1, 0))
    """
    ndim = len(sizes)
    added = ndim - len(size)
    if added < 0:
        raise RuntimeError(
            f"expand({kind}{{{list(size)}}}, size={list(sizes)}): the number of sizes provided ({ndim}) "
            f"must be greater or equal to the number of dimensions in the tensor ({len(size)})"
        )
    if not size:
        return checked_size(sizes), (0,) * added
    new_size, new_stride = list(sizes), [0] * ndim
    for dim in reversed(range(ndim)):
        want, have = sizes[dim], size[dim - added] if dim >= added else 1
        if want == have or (want == -1 and dim >= added):
            new_size[dim] = have
            # A new dimension of size 1 gets the stride that `unsqueeze` would give it.
            after = dim + 1
            new_stride[dim] = stride[dim - added] if dim >= added else new_size[after] * new_stride[after]
        elif want == -1 or have != 1:
            raise _expand_error(size, sizes, dim)
    return checked_size(new_size), tuple(new_stride)


def _expand_error(size: Size, sizes: Size, dim: int) -> RuntimeError:
    old = dim - len(sizes) + len(size)
    if old < 0:
        return RuntimeError(
            f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {dim}"
        )
    return RuntimeError(
        f"The expanded size of the tensor ({sizes[dim]}) must match the existing size ({size[old]}) "
        f"at non-singleton dimension {dim}.  Target sizes: {list(sizes)}.  "
        f"Tensor sizes: {list(size)}"
    )


def check_strided(
    size: Size, stride: Size, offset: int, reach: Callable[[], int], storage_nbytes: int | None, itemsize: int
) -> None:
    """Refuse a size and strides of one's own that no storage, or not this one, can have.

    Args:
        reach: says how many slots they need, once it is known that they fit each other.
    """
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in stride):
        raise negative_strides(stride)
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    nbytes = reach() * itemsize
    # PyTorch lets a negative size through beside a 0. No use can be made of such a tensor: it is refused.
    if nbytes > INT64_MAX or any(n < 0 for n in size):
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}"
        )
    if storage_nbytes is not None and nbytes > storage_nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and "
            f"itemsize {itemsize} requiring a storage size of {nbytes} are out of bounds for storage of "
            f"size {storage_nbytes}"
        )
    checked_size(size)
