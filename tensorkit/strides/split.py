"""One layout cut into several along a dimension: each piece is the layout of a view.

Source: pieces, exception classes and sentences are PyTorch 2.13's; the tests ask it.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import pairwise

from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import normalise_dim
from tensorkit.strides.view_cache import remembering


@remembering
def unbind(layout: Layout, dim: int = 0) -> tuple[Layout, ...]:
    """One layout for each position of a dimension.

    >>> unbind(Layout((2, 3), (3, 1)))[1]
    Layout(size=(3,), stride=(1,), offset=3)
    """
    dim = normalise_dim(dim, len(layout.size))
    if not layout.size:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return tuple([layout.select(dim, i) for i in range(layout.size[dim])])


@remembering
def split(layout: Layout, split_size: int | Sequence[int], dim: int = 0) -> tuple[Layout, ...]:
    """Pieces of ``split_size`` positions (the last may be shorter), or of the lengths listed.

    >>> [piece.size for piece in split(Layout((5,), (1,)), 2)]
    [(2,), (2,), (1,)]
    """
    if not isinstance(split_size, int):
        return split_with_sizes(layout, split_size, dim)
    if not layout.size:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    dim = normalise_dim(dim, len(layout.size))
    n = layout.size[dim]
    if split_size == 0 and n > 0:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    starts = range(0, max(n, 1), max(split_size, 1))
    return tuple([layout.cut(dim, start, min(start + split_size, n), 1) for start in starts])


def split_with_sizes(layout: Layout, sizes: Sequence[int], dim: int = 0) -> tuple[Layout, ...]:
    """Pieces of the lengths listed, which have to add up to the dimension.

    >>> [piece.offset for piece in split_with_sizes(Layout((5,), (1,)), (1, 4))]
    [0, 1]
    """
    if not layout.size:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    at = normalise_dim(dim, len(layout.size))
    sizes = [operator.index(length) for length in sizes]
    if any(length < 0 for length in sizes):
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(sizes)}"
        )
    if sum(sizes) != layout.size[at]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {layout.size[at]} (input tensor's "
            f"size at dimension {dim}), but got split_sizes={list(sizes)}"
        )
    stops = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return tuple([layout.cut(at, stop - n, stop, 1) for n, stop in zip(sizes, stops, strict=True)])


@remembering
def chunk(layout: Layout, chunks: int, dim: int = 0) -> tuple[Layout, ...]:
    """At most ``chunks`` pieces of one length (the last may be shorter).

    >>> [piece.size for piece in chunk(Layout((7,), (1,)), 3)]
    [(3,), (3,), (1,)]
    """
    if not layout.size:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = layout.size[normalise_dim(dim, len(layout.size))]
    return split(layout, -(-n // chunks), dim) if n else split_with_sizes(layout, [0] * chunks, dim)


def tensor_split(
    layout: Layout, indices_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Layout, ...]:
    """Exactly this many pieces, the first ones longer by 1 if it does not divide; or cut at these indices.

    >>> [piece.size for piece in tensor_split(Layout((7,), (1,)), 3)]
    [(3,), (2,), (2,)]
    >>> [piece.size for piece in tensor_split(Layout((7,), (1,)), (2, 5))]
    [(2,), (3,), (2,)]
    """
    if not layout.size:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    dim = normalise_dim(dim, len(layout.size))
    if not isinstance(indices_or_sections, int):
        cuts = [0, *indices_or_sections, None]
        return tuple([layout.slice(dim, a, b) for a, b in pairwise(cuts)])
    sections = indices_or_sections
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    each, longer = divmod(layout.size[dim], sections)
    return split_with_sizes(layout, [each + 1] * longer + [each] * (sections - longer), dim)


def hsplit(layout: Layout, indices_or_sections: int | Sequence[int]) -> tuple[Layout, ...]:
    """Pieces side by side: `tensor_split` along dimension 1 (of a vector, 0), into equal parts only."""
    return _equal_split(layout, "hsplit", 1, indices_or_sections, dim=0 if len(layout.size) == 1 else 1)


def vsplit(layout: Layout, indices_or_sections: int | Sequence[int]) -> tuple[Layout, ...]:
    """Pieces one above the other: `tensor_split` along dimension 0, into equal parts only."""
    return _equal_split(layout, "vsplit", 2, indices_or_sections, dim=0)


def dsplit(layout: Layout, indices_or_sections: int | Sequence[int]) -> tuple[Layout, ...]:
    """Pieces in depth: `tensor_split` along dimension 2, into equal parts only."""
    return _equal_split(layout, "dsplit", 3, indices_or_sections, dim=2)


def _equal_split(
    layout: Layout, name: str, least: int, given: int | Sequence[int], dim: int
) -> tuple[Layout, ...]:
    if len(layout.size) < least:
        raise RuntimeError(
            f"tensorkit.{name} requires a tensor with at least {least} dimension, but got a tensor with "
            f"{len(layout.size)} dimensions!"
        )
    if isinstance(given, int) and (given == 0 or layout.size[dim] % given != 0):
        raise RuntimeError(
            f"tensorkit.{name} attempted to split along dimension {dim}, but the size of the dimension "
            f"{layout.size[dim]} is not divisible by the split_size {given}!"
        )
    return tensor_split(layout, given, dim)
