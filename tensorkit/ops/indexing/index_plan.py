"""Lists, masks and tensors of indices in square brackets: the key read, and which elements it means."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.shared.tensor_data import dtype_of, tensor
from tensorkit.ops.shared.to import host_array
from tensorkit.strides import basic_index
from tensorkit.strides import layout as layouts
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import iterator_strides, like_strides
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Array, Tensor, fresh

#: What a list in a key becomes, where all that is in it is of this dtype; else it is int64.
_CHOOSING = (dtypes.bool, dtypes.uint8)
#: PyTorch takes a sequence of this many members or more for indices, whatever is in it.
_TOO_MANY_MEMBERS = 32
_TYPES = "tensors used as indices must be long, int, byte or bool tensors"
Picks = list[Tensor | None]


# -- the key ------------------------------------------------------------------------------------------------------


def _parts(key: Any) -> tuple[Any, ...]:
    """The key as a tuple. A row that cannot be one tensor of indices counts as one, with PyTorch's warning."""
    if isinstance(key, tuple):
        return key
    if not isinstance(key, (Tensor, numpy.ndarray)) and _is_sequence(key):
        members = _members(key)
        for part in members:
            if part is None or part is ... or isinstance(part, (Tensor, slice)) or _is_sequence(part):
                warn(
                    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
                    "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
                    "tensor index, x[tensorkit.tensor(seq)], which will result either in an error or a different result"
                )
                return members
    return (key,)


def _members(key: Any) -> tuple[Any, ...]:
    """The members of a short sequence; none if it is long or cannot be read by position."""
    try:
        count = len(key)
        return tuple([key[place] for place in range(count)]) if count < _TOO_MANY_MEMBERS else ()
    except Exception:
        return ()


def _is_sequence(part: Any) -> bool:
    return hasattr(type(part), "__getitem__") and not isinstance(part, (dict, numpy.generic))


def is_mask(pick: Tensor) -> bool:
    return pick._dtype is dtypes.bool or pick._dtype is dtypes.uint8


def _used(parts: tuple[Any, ...]) -> int:
    """How many dimensions a key speaks of."""
    count = 0
    for part in parts:
        if isinstance(part, Tensor) and is_mask(part):
            count += part.dim()
        elif part is not None and part is not ... and part is not True and part is not False:
            count += 1
    return count


def _indices(part: Any) -> Tensor:
    """A list, a range, an array: as a tensor of indices, or of truth values."""
    kinds = set(map(type, part)) if isinstance(part, (list, tuple, range)) else set()
    if kinds == {int}:
        try:
            return fresh(numpy.array(part, numpy.int64), dtypes.int64)
        except OverflowError:
            raise ValueError("Overflow when unpacking long long") from None
    if kinds == {bool}:
        return fresh(numpy.array(part, numpy.bool_), dtypes.bool)
    plain = isinstance(part, numpy.ndarray) and part.dtype.kind in "biuf"
    if plain:
        array = part
    else:  # all members are truth values, or each has to be an integer: Python converts each
        inferred = dtype_of(part)
        array = tensor(part, dtype=inferred if inferred in _CHOOSING else dtypes.int64)._nd()
    kind = {"b": dtypes.bool, "u1": dtypes.uint8}.get(
        array.dtype.kind if array.dtype.kind == "b" else array.dtype.str[1:], dtypes.int64
    )
    return fresh(kernels.cast(numpy.asarray(array, order="C"), kind), kind)


def _classified(part: Any) -> Any:
    """One part of a key as an int, a bool, a slice, ``...``, ``None`` or a tensor of indices.

    Raises:
        IndexError: for what cannot be part of a key.
    """
    if part is None or part is ... or isinstance(part, (bool, slice)):
        return part
    if isinstance(part, (int, numpy.integer)):
        return int(part)
    if not isinstance(part, Tensor):
        if not _is_sequence(part):
            return _number(part)
        part = _indices(part)
    if part.dim() or part._dtype.category > 1:
        return part
    value = host_array(part)[()]
    return bool(value) if is_mask(part) else int(value)


def _number(part: Any) -> int:
    try:
        return operator.index(part)
    except TypeError:
        package = getattr(type(part), "__module__", "").partition(".")[0]
        label = f"{package + '.' if package in ('numpy', 'tensorkit') else ''}{type(part).__name__}"
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        f"(got {label})"
    )


def follow(input: Tensor, key: Any, steps: Any) -> tuple[Any, Picks]:
    """The view that a key's plain parts make, and for its dimensions the tensors that pick from them.

    Args:
        steps: how to make views: `Plain`, or with a history.

    Raises:
        IndexError: for too many indices, for an integer out of range, for what cannot be part of a key.
    """
    parts = _parts(key)
    used, ndim = _used(parts), input.dim()
    if used > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    out: Any = input
    picks: Picks = []
    dim = covered = 0  # the dimension reached, and how many of those before it the picks speak of
    for at, given in enumerate(parts):
        part = _classified(given)
        if type(part) is int:
            out = steps.select(out, dim, part, at)
            continue
        if part is None or isinstance(part, bool):
            out = steps.unsqueeze(out, dim)
        if isinstance(part, bool):
            part = fresh(numpy.zeros(int(part), int), dtypes.int64)
        if isinstance(part, slice):
            out = steps.slice(out, dim, part)
        if isinstance(part, Tensor):
            picks += [*[None] * (dim - covered), part]
            dim += part.dim() if is_mask(part) else 1
            covered = dim
        else:
            dim += ndim - used if part is ... else 1
    return out, picks + [None] * (dim - covered if picks else 0)


class Plain:
    """Views made by arithmetic on layouts, without a history."""

    @staticmethod
    def select(input: Tensor, dim: int, index: int, at: int) -> Tensor:
        """One index along a dimension; `at` is its place in the key, which PyTorch takes for the dimension."""
        check_select(input, dim, index, at)
        return input._view(input._lay().select(dim, index))

    @staticmethod
    def unsqueeze(input: Tensor, dim: int) -> Tensor:
        """A new dimension of size 1."""
        return input._view(input._lay().unsqueeze(dim))

    @staticmethod
    def slice(input: Tensor, dim: int, part: slice) -> Tensor:
        """A cut through one dimension."""
        if part == _WHOLE:
            return input
        layout = basic_index.index(input._lay(), (*[_WHOLE] * dim, part))
        assert layout is not None
        return input._view(layout)


_WHOLE = slice(None)


def check_select(input: Tensor, dim: int, index: int, at: int) -> None:
    """Refuse an index out of range, in the words of the square brackets."""
    if not -(2**63) <= index < 2**63:
        raise ValueError("Overflow when unpacking long long")
    n = input._lay().size[dim]
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of bounds for dimension {at} with size {n}")


# -- the plan: which elements, in which order ---------------------------------------------------------------------


_NOTHING = numpy.empty(0, numpy.int64)


class Plan:
    """What picking comes to: a view with the picked dimensions side by side, and an array of indices for each."""

    __slots__ = (
        "arrays",
        "before",
        "converted",
        "grids",
        "mask",
        "order",
        "shape",
        "size",
        "source",
        "source_size",
    )

    def __init__(self, source: Layout, picks: Sequence[Tensor | None]) -> None:
        self.mask: Array | None = None  # a mask that is the only pick: NumPy reads it faster than its indices
        self.converted: set[int] = set()  # the dimensions whose indices were not int64
        arrays, grids = self._expanded(source, picks)
        try:
            self.shape = broadcast_sizes(*[g.size for g in grids if g is not None])
        except RuntimeError:
            texts = ", ".join(str(list(g.size)) for g in grids if g is not None)
            raise IndexError(
                f"shape mismatch: indexing tensors could not be broadcast together with shapes {texts}"
            ) from None
        places = [d for d, a in enumerate(arrays) if a is not None]
        rest = [d for d in range(len(source.size)) if d not in places]
        self.before = places[0] if places else 0
        if places and places[-1] - places[0] >= len(places):
            self.before = 0
        self.order = [*rest[: self.before], *places, *rest[self.before :]]
        self.source = source.permute(self.order)
        self.arrays: list[Array] = [a for a in arrays if a is not None]
        self.grids: list[Layout] = [self._grid(d, g) for d, g in enumerate(grids) if g is not None]
        end = self.before + len(places)
        self.source_size = self.source.size[self.before : end]
        if 0 in self.source_size and 0 not in self.shape:
            raise IndexError("index is out of bounds for dimension with size 0")
        self.size = (*self.source.size[: self.before], *self.shape, *self.source.size[end:])

    def _expanded(
        self, source: Layout, picks: Sequence[Tensor | None]
    ) -> tuple[list[Array | None], list[Layout | None]]:
        """Masks as the places where they are true; every pick as an array, and how it lies in memory."""
        arrays: list[Array | None] = []
        grids: list[Layout | None] = []
        for pick in picks:
            if pick is None:
                arrays.append(None)
                grids.append(None)
            elif is_mask(pick):
                if pick._dtype is dtypes.uint8:
                    warn(
                        "indexing with dtype tensorkit.uint8 is now deprecated, please use a dtype tensorkit.bool "
                        "instead."
                    )
                check_mask(source, pick, len(arrays))
                alone = pick.dim() > 0 and builtins.sum(p is not None for p in picks) == 1
                mask = host_array(pick).astype(bool, copy=False)
                self.mask = mask if alone else None
                arrays += [_NOTHING] * pick.dim() if alone else numpy.nonzero(mask)
                grids += [layouts.contiguous((int(numpy.count_nonzero(mask)),))] * pick.dim()
            else:
                if pick._dtype is not dtypes.int64:
                    self.converted.add(len(arrays))
                arrays.append(kernels.cast(host_array(pick), dtypes.int64))
                grids.append(pick._lay())
        return arrays, grids

    def _grid(self, dim: int, grid: Layout) -> Layout:
        """How indices lie in memory: PyTorch broadcasts them first, then copies those that are not int64."""
        if dim not in self.converted:
            return grid
        return Layout(self.shape, like_strides(grid.expand(self.shape)))

    def stride(self) -> tuple[int, ...]:
        """The strides of a fresh result: those that PyTorch's iterator gives it."""
        size, before, source = self.size, self.before, self.source
        flat = (0,) * len(self.shape)
        end = before + len(self.arrays)
        moved = Layout(size, (*source.stride[:before], *flat, *source.stride[end:]))
        after = len(source.size) - end
        grids = [_spread(grid, self.shape, before, after) for grid in self.grids]
        return iterator_strides(size, [moved, *grids])

    def key(self) -> tuple[Any, ...]:
        """The key for NumPy, which copies what it picks."""
        if self.mask is not None:
            return (*[_WHOLE] * self.before, self.mask)
        return (*[_WHOLE] * self.before, *self.arrays)

    def check_bounds(self) -> None:
        """Refuse indices out of range, naming the one that PyTorch meets first.

        Raises:
            IndexError: in PyTorch's words; the dimension is counted among those picked from.
        """
        if 0 in self.size or self.mask is not None:
            return
        for array, n in zip(self.arrays, self.source_size, strict=True):
            if array.size and not (array.min() >= -n and array.max() < n):
                raise self._out_of_bounds()

    def _out_of_bounds(self) -> IndexError:
        """The first bad index in the order of memory, which is that of PyTorch's loop."""
        stride = self.stride()
        block = [stride[self.before + d] for d in range(len(self.shape))]
        order = sorted(range(len(block)), key=lambda d: (-block[d], d))
        found: list[tuple[int, int]] = []
        for nr, (array, n) in enumerate(zip(self.arrays, self.source_size, strict=True)):
            walked = numpy.broadcast_to(array, self.shape).transpose(order).reshape(-1)
            bad = numpy.flatnonzero((walked < -n) | (walked >= n))
            found += [(int(bad[0]), nr)] if bad.size else []
        at, nr = builtins.min(found)
        value = numpy.broadcast_to(self.arrays[nr], self.shape).transpose(order).reshape(-1)[at]
        return IndexError(
            f"index {value} is out of bounds for dimension {nr} with size {self.source_size[nr]}"
        )


def _spread(grid: Layout, shape: tuple[int, ...], before: int, after: int) -> Layout:
    """An index tensor's layout among the dimensions of the result."""
    wide = grid if grid.size == shape else grid.expand(shape)
    size = (1,) * before + shape + (1,) * after
    return wide.reshape(size) or layouts.contiguous(size)


def check_mask(source: Layout, mask: Tensor, first: int) -> None:
    size = mask._lay().size
    for j, n in enumerate(size):
        if first + j >= len(source.size) or n != source.size[first + j]:
            raise IndexError(
                f"The shape of the mask {list(size)} at index {j} does not match the shape of the indexed tensor "
                f"{list(source.size)} at index {first + j}"
            )


def check_picks(input: Tensor, picks: Sequence[Tensor | None]) -> None:
    for pick in picks:
        if pick is not None and pick._dtype not in _INDEX_TYPES:
            raise IndexError(_TYPES)
    for pick in picks:
        if pick is not None and pick._device not in (CPU, input._device):
            raise RuntimeError(
                "indices should be either on cpu or on the same device as the indexed tensor "
                f"({input._device.type})"
            )


_INDEX_TYPES = (dtypes.int64, dtypes.int32, dtypes.uint8, dtypes.bool)
