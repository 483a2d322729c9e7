"""Sizes and dimensions: counted, checked, worked out, broadcast. Plain integers, of no tensor in particular.

Source: exception classes and sentences are PyTorch 2.13's; the tests ask it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import prod
from operator import index as as_int
from typing import Any

Size = tuple[int, ...]

INT64_MAX = 2**63 - 1


def contiguous_stride(size: Sequence[int]) -> Size:
    """The strides of a fresh tensor: each dimension steps over all that lie to its right.

    >>> contiguous_stride((2, 3, 4))
    (12, 4, 1)
    """
    if len(size) == 2:
        return (size[1] or 1, 1)
    return _dense(size if type(size) is tuple else tuple(size))


# A program asks for the strides and views of the same few sizes again and again.
@functools.lru_cache(4096)
def _dense(size: Size) -> Size:
    stride = [1] * len(size)
    step = 1
    for dim in range(len(size) - 1, 0, -1):
        step *= size[dim] or 1
        stride[dim - 1] = step
    if step > INT64_MAX:  # of an empty tensor: the sizes of any other count its elements
        raise RuntimeError("Stride calculation overflowed")
    return tuple(stride)


def whole(number: Any) -> int:
    """What counts as an integer, such as NumPy's, as one; a truth value does not."""
    if isinstance(number, bool):
        raise TypeError("an integer is wanted here, not a bool: write 0 or 1")
    return as_int(number)


def normalise_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the front; a tensor without dimensions answers to 0 and -1.

    >>> normalise_dim(-1, 3)
    2
    """
    if type(dim) is not int:
        dim = whole(dim)
    if 0 <= dim < ndim:
        return dim
    count = ndim or 1
    if not -count <= dim < count:
        if not -(2**63) <= dim < 2**63:
            raise ValueError("Overflow when unpacking long long")
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {dim})"
        )
    return dim + count if dim < 0 else dim


def _counted(size: Sequence[int]) -> int:
    """How many elements a size counts, or what is more than 64 bits on the way: a 0 that comes later is too late."""
    count = 1
    for n in size:
        count *= n
        if count >= 2**64:
            break
    return count


def checked_size(size: Sequence[int]) -> Size:
    """The size as a tuple, unless it is negative or counts more elements than 64 bits can."""
    if min(size, default=0) < 0 or _counted(size) > INT64_MAX:
        raise RuntimeError("numel: integer multiplication overflow")
    return tuple(size)


def overflowed(size: Sequence[int], stride: Sequence[int] | None = None) -> RuntimeError:
    """The error for a size, or a size and strides, that ask for more bytes than 64 bits can count."""
    laid = "" if stride is None else f" and strides={list(stride)}"
    return RuntimeError(f"Storage size calculation overflowed with sizes={list(size)}{laid}")


def check_bytes(size: Sequence[int], item: int) -> None:
    """Refuse a size of more bytes than 64 bits can count, before they are allocated."""
    if _counted(size) * item > INT64_MAX:
        raise overflowed(size)


def infer_size(shape: Sequence[int], numel: int) -> Size:
    """``shape`` with its -1 worked out so that it holds ``numel`` elements.

    >>> infer_size((2, -1), 6)
    (2, 3)
    """
    if numel and prod(shape) == numel and (not shape or min(shape) > 0):
        return tuple(shape)
    known, free = 1, None
    for dim, n in enumerate(shape):
        if n >= 0:
            known *= n
        elif n != -1:
            raise RuntimeError(f"invalid shape dimension {n} at index {dim} of shape {list(shape)}")
        elif free is not None:
            raise RuntimeError("only one dimension can be inferred")
        else:
            free = dim
    if free is None and known == numel:
        return checked_size(shape)
    if free is None or (numel % known if known else numel):
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    if known == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension "
            "size -1 can be any value and is ambiguous"
        )
    return (*shape[:free], numel // known, *shape[free + 1 :])


def broadcast_sizes(*sizes: Size) -> Size:
    """The size that all of these expand to: aligned at the right, equal or 1 in each dimension.

    >>> broadcast_sizes((3, 1), (4,))
    (3, 4)
    """
    result = sizes[0] if sizes else ()
    for other in sizes[1:]:
        if other != result:
            result = _broadcast_pair(result, other)
    return result


def _broadcast_pair(a: Size, b: Size) -> Size:
    ndim = max(len(a), len(b))
    left, right = (1,) * (ndim - len(a)) + a, (1,) * (ndim - len(b)) + b
    for dim in reversed(range(ndim)):
        if left[dim] != right[dim] and left[dim] != 1 and right[dim] != 1:
            raise RuntimeError(
                f"The size of tensor a ({left[dim]}) must match the size of tensor b ({right[dim]}) at "
                f"non-singleton dimension {dim}"
            )
    return tuple([n if m == 1 else m for m, n in zip(left, right, strict=True)])


def out_of_bounds(index: int, dim: int, n: int) -> IndexError | ValueError:
    """The error for an index that lies outside its dimension of ``n`` positions."""
    if not -INT64_MAX - 1 <= index <= INT64_MAX:
        return ValueError("Overflow when unpacking long long")
    return IndexError(f"index {index} is out of bounds for dimension {dim} with size {n}")


def moved_order(ndim: int, source: int | Sequence[int], destination: int | Sequence[int]) -> list[int]:
    """The order of the dimensions after those at ``source`` went to the places ``destination``.

    >>> moved_order(3, 0, 2)
    [1, 2, 0]
    """
    sources = [source] if isinstance(source, int) else list(source)
    targets = [destination] if isinstance(destination, int) else list(destination)
    if len(sources) != len(targets):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({sources} dims) should contain the "
            f"same number of dims as destination ({targets} dims)"
        )
    moved = [normalise_dim(dim, ndim) for dim in sources]
    places = [normalise_dim(dim, ndim) for dim in targets]
    for name, dims, given in (("source", moved, sources), ("destination", places, targets)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({given})")
    came_from = dict(zip(places, moved, strict=True))
    others = iter(dim for dim in range(ndim) if dim not in moved)
    return [came_from[dim] if dim in came_from else next(others) for dim in range(ndim)]


def checked_stride(step: int, dim: int, strides: Size) -> int:
    """A stride as 64 bits hold it: PyTorch multiplies without looking and refuses what became negative."""
    wrapped = (step + 2**63) % 2**64 - 2**63
    if wrapped < 0:
        raise negative_strides((*strides[:dim], wrapped, *strides[dim + 1 :]))
    return wrapped


def negative_strides(stride: Sequence[int]) -> RuntimeError:
    """PyTorch's refusal of a stride below 0."""
    return RuntimeError(
        f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}"
    )
