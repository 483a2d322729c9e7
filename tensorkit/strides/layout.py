"""How a tensor lies on its storage: three plain values, and every view as arithmetic on them.

A storage is one long row of numbered slots. A tensor does not own a grid of numbers; it owns a *layout*, and
that says where on the row each of its elements lies:

- ``size``: how many positions there are along each dimension;
- ``stride``: how many slots to walk along the row for one step in each dimension;
- ``offset``: the slot of the first element.

The element at index ``(i, j)`` lies in the slot ``offset + i * stride[0] + j * stride[1]``, and so on for
more dimensions. That one formula is all there is. Take six slots, read as two rows of three:

>>> grid = Layout(size=(2, 3), stride=(3, 1), offset=0)
>>> list(grid.slots())
[0, 1, 2, 3, 4, 5]
>>> grid.slot((1, 2))                   # 0 + 1·3 + 2·1
5

To transpose it, nothing has to move: swap the two sizes and the two strides, and the same formula reads the
same slots in another order. To drop the first column, start one slot later:

>>> grid.t()
Layout(size=(3, 2), stride=(1, 3), offset=0)
>>> list(grid.t().slots())
[0, 3, 1, 4, 2, 5]
>>> grid.slice(1, 1, None)
Layout(size=(2, 2), stride=(3, 1), offset=1)

Only integers live here: no storage, no dtype, no device. A method that makes a view returns a new `Layout`;
what strides cannot express is refused (`Layout.view`) or answered with ``None`` (`Layout.reshape`).

Beside this file, `sizes.py` is of sizes alone, and `view.py` works out which strides fit another size. Made of
layouts are `split.py`, which cuts one into several, `basic_index.py`, which reads ``tensor[key]``, `output.py`,
which chooses the strides of fresh results, and `view_cache.py`, which keeps on a layout what was made of it.

Source: sizes, strides, offsets, exception classes and sentences are PyTorch 2.13's; the tests ask it.
"""

from __future__ import annotations

import functools
from builtins import slice as Slice
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, Literal

from tensorkit.strides.sizes import (
    INT64_MAX,
    Size,
    checked_stride,
    contiguous_stride,
    infer_size,
    moved_order,
    normalise_dim,
    out_of_bounds,
    whole,
)
from tensorkit.strides.view import check_strided, expanded, view_error, viewed


class Layout:
    """Size, stride and offset of a tensor on its storage; never changed once made.

    Args:
        size: positions along each dimension, a tuple of ints; ``()`` is one element and no dimension.
        stride: slots per step along each dimension, a tuple as long as ``size``.
        offset: the slot of the first element.

    >>> Layout((2, 3), (3, 1)) == contiguous((2, 3))
    True
    """

    __slots__ = ("_memo", "offset", "size", "stride")
    _memo: dict[Any, Any] | None  # see `view_cache`; None while no other layout knows this one

    def __init__(self, size: Size, stride: Size, offset: int = 0) -> None:
        self.size = size
        self.stride = stride
        self.offset = offset
        self._memo = None

    def __repr__(self) -> str:
        return f"Layout(size={self.size}, stride={self.stride}, offset={self.offset})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self.size == other.size and self.stride == other.stride and self.offset == other.offset

    def __hash__(self) -> int:
        return hash((self.size, self.stride, self.offset))

    def __reduce__(self) -> tuple[type[Layout], tuple[Size, Size, int]]:
        return Layout, (self.size, self.stride, self.offset)

    # --------------------------------------------------------------------------------------- questions

    @property
    def ndim(self) -> int:
        """How many dimensions."""
        return len(self.size)

    @property
    def numel(self) -> int:
        """How many elements.

        >>> Layout((2, 3), (3, 1)).numel, Layout((), ()).numel, Layout((2, 0), (1, 1)).numel
        (6, 1, 0)
        """
        return prod(self.size)

    def slot(self, index: Sequence[int]) -> int:
        """The slot of one element; negative indices count from the end.

        >>> Layout((3, 2), (1, 3), 10).slot((2, -1))       # 10 + 2·1 + 1·3
        15
        """
        if len(index) != len(self.size):
            raise IndexError(f"{len(self.size)} indices name one element here, but got {len(index)}")
        slot = self.offset
        for dim, (i, n, step) in enumerate(zip(index, self.size, self.stride, strict=True)):
            if not -n <= i < n:
                raise out_of_bounds(i, dim, n)
            slot += (i + n if i < 0 else i) * step
        return slot

    def slots(self) -> Iterator[int]:
        """Every element's slot, the last index running fastest; lazily: a huge layout costs nothing to open.

        >>> list(Layout((2, 2), (0, 1), 5).slots())        # a stride of 0 stays on the same slots
        [5, 6, 5, 6]
        """
        size, stride = self.size, self.stride

        def walk(dim: int, start: int) -> Iterator[int]:
            if dim == len(size):
                yield start
                return
            for i in range(size[dim]):
                yield from walk(dim + 1, start + i * stride[dim])

        return walk(0, self.offset)

    def slot_range(self) -> range:
        """From the lowest slot to the highest; an empty range where there is no element.

        >>> Layout((2, 3), (10, 2), 7).slot_range()        # highest: 7 + 1·10 + 2·2
        range(7, 22)
        """
        if 0 in self.size:
            return range(self.offset, self.offset)
        ends = [(n - 1) * step for n, step in zip(self.size, self.stride, strict=True)]
        low, high = sum(end for end in ends if end < 0), sum(end for end in ends if end > 0)
        return range(self.offset + low, self.offset + high + 1)

    def reach(self) -> int:
        """How many slots a storage must have to hold every element: the highest slot plus one, or 0 if empty.

        >>> Layout((2, 3), (10, 2), 7).reach(), Layout((0, 3), (3, 1), 7).reach()
        (22, 0)
        """
        return 0 if 0 in self.size else self.slot_range().stop

    def is_contiguous(self) -> bool:
        """Whether the elements lie side by side in reading order. (No step is ever taken along a size of 1.)

        >>> Layout((2, 3), (3, 1)).is_contiguous(), Layout((3, 2), (1, 3)).is_contiguous()
        (True, False)
        """
        if 0 in self.size or self.stride == contiguous_stride(self.size):
            return True
        expected = 1
        for n, step in zip(reversed(self.size), reversed(self.stride), strict=True):
            if n != 1:
                if step != expected:
                    return False
                expected *= n
        return True

    def is_non_overlapping_and_dense(self) -> bool:
        """Whether the elements fill a block of slots without gap or overlap, in whatever order.

        >>> Layout((3, 2), (1, 3)).is_non_overlapping_and_dense()          # a transposed matrix
        True
        >>> Layout((2, 2), (3, 1)).is_non_overlapping_and_dense()          # a matrix without its last column
        False
        """
        expected = 1
        for step, n in sorted((step, n) for n, step in zip(self.size, self.stride, strict=True) if n != 1):
            if step != expected:
                return 0 in self.size
            expected *= n
        return True

    def has_internal_overlap(self) -> Literal["no", "yes", "too hard"]:
        """Whether two indices share a slot, as far as PyTorch looks before it writes in place.

        >>> Layout((3,), (0,)).has_internal_overlap(), Layout((3, 2), (1, 1)).has_internal_overlap()
        ('yes', 'too hard')
        """
        if self.is_non_overlapping_and_dense():
            return "no"
        if any(n > 1 and step == 0 for n, step in zip(self.size, self.stride, strict=True)):
            return "yes"
        return "too hard"

    # --------------------------------------------------------------- the same elements, dims reordered

    def transpose(self, dim0: int, dim1: int) -> Layout:
        """Swap two dimensions: their sizes and their strides change places, the slots stay.

        >>> Layout((2, 3, 4), (12, 4, 1)).transpose(0, -1)
        Layout(size=(4, 3, 2), stride=(1, 4, 12), offset=0)
        """
        ndim = len(self.size)
        dim0, dim1 = normalise_dim(dim0, ndim), normalise_dim(dim1, ndim)
        if dim0 == dim1:
            return self
        order = list(range(ndim))
        order[dim0], order[dim1] = dim1, dim0
        return self.reordered(order)

    swapaxes = transpose
    swapdims = transpose

    def t(self) -> Layout:
        """Transpose a matrix; fewer than two dimensions stay as they are.

        >>> Layout((2, 3), (3, 1)).t()
        Layout(size=(3, 2), stride=(1, 3), offset=0)
        """
        if len(self.size) == 2:
            rows, columns = self.size
            down, across = self.stride
            return Layout((columns, rows), (across, down), self.offset)
        if len(self.size) < 2:
            return self
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {len(self.size)}D")

    @property
    def T(self) -> Layout:
        """All dimensions in reverse order.

        >>> Layout((2, 3, 4), (12, 4, 1)).T
        Layout(size=(4, 3, 2), stride=(1, 4, 12), offset=0)
        """
        return Layout(self.size[::-1], self.stride[::-1], self.offset)

    @property
    def mT(self) -> Layout:
        """The last two dimensions swapped: every matrix of a batch transposed."""
        return self._transpose_matrices("mT")

    @property
    def mH(self) -> Layout:
        """The layout of the conjugate transpose of every matrix of a batch."""
        return self._transpose_matrices("mH")

    @property
    def H(self) -> Layout:
        """The layout of the conjugate transpose of one matrix."""
        if len(self.size) not in (0, 2):
            more = " For batches of matrices, consider using tensor.mH" if len(self.size) > 2 else ""
            got = f"Got {len(self.size)}-D tensor."
            raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). {got}{more}")
        return self.t()

    def _transpose_matrices(self, name: str) -> Layout:
        if len(self.size) == 1:
            known = "matrices or batches of matrices"
            raise RuntimeError(f"tensor.{name} is only supported on {known}. Got 1-D tensor.")
        return self.transpose(-2, -1) if self.size else self

    def permute(self, dims: Sequence[int]) -> Layout:
        """Put the dimensions in the given order.

        >>> Layout((2, 3, 4), (12, 4, 1)).permute((2, 0, 1))
        Layout(size=(4, 2, 3), stride=(1, 12, 4), offset=0)
        """
        ndim = len(self.size)
        if len(dims) != ndim:
            raise RuntimeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                f"the desired ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = "
                f"{len(dims)}"
            )
        order: list[int] = []
        for dim in dims:
            dim = normalise_dim(dim, ndim)
            if dim in order:
                raise RuntimeError("permute(): duplicate dims are not allowed.")
            order.append(dim)
        return self.reordered(order)

    def movedim(self, source: int | Sequence[int], destination: int | Sequence[int]) -> Layout:
        """Move the dimensions ``source`` to the places ``destination``; the others keep their order.

        >>> Layout((2, 3, 4), (12, 4, 1)).movedim(0, 2)
        Layout(size=(3, 4, 2), stride=(4, 1, 12), offset=0)
        """
        return self.reordered(moved_order(len(self.size), source, destination))

    moveaxis = movedim

    def reordered(self, order: Sequence[int]) -> Layout:
        size, stride = self.size, self.stride
        return Layout(tuple([size[d] for d in order]), tuple([stride[d] for d in order]), self.offset)

    # ------------------------------------------------------------------- dimensions of one, repetition

    def squeeze(self, dims: int | Sequence[int] | None = None) -> Layout:
        """Drop every dimension of size 1, or only those named (a named dimension of another size stays).

        >>> Layout((1, 3, 1), (3, 1, 1)).squeeze()
        Layout(size=(3,), stride=(1,), offset=0)
        >>> Layout((1, 3, 1), (3, 1, 1)).squeeze(0)
        Layout(size=(3, 1), stride=(1, 1), offset=0)
        """
        ndim = len(self.size)
        named = range(ndim) if dims is None else [dims] if isinstance(dims, int) else dims
        chosen: set[int] = set()
        for dim in named:
            dim = normalise_dim(dim, ndim)
            if dim in chosen:
                raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
            chosen.add(dim)
        return self.reordered([d for d, n in enumerate(self.size) if n != 1 or d not in chosen])

    def unsqueeze(self, dim: int) -> Layout:
        """Put a dimension of size 1 before dimension ``dim``.

        >>> Layout((2, 3), (3, 1)).unsqueeze(1)
        Layout(size=(2, 1, 3), stride=(3, 3, 1), offset=0)
        """
        size, stride = self.size, self.stride
        dim = normalise_dim(dim, len(size) + 1)
        # No step is taken along one position; PyTorch writes the stride that keeps a block contiguous.
        step = size[dim] * stride[dim] if dim < len(size) else 1
        return Layout((*size[:dim], 1, *size[dim:]), (*stride[:dim], step, *stride[dim:]), self.offset)

    def expand(self, sizes: Sequence[int], kind: str = "Tensor") -> Layout:
        """Repeat dimensions of size 1, and add dimensions in front, by strides of 0: no slot is copied.

        Args:
            sizes: the size wanted; -1 keeps a dimension as it is.
            kind: the tensor's type as PyTorch names it (``tensorkit.FloatTensor``), for one error's text.

        >>> Layout((3, 1), (1, 1)).expand((2, -1, 4))
        Layout(size=(2, 3, 4), stride=(0, 1, 0), offset=0)
        """
        return Layout(*expanded(self.size, self.stride, tuple(sizes), kind), self.offset)

    broadcast_to = expand

    # ---------------------------------------------------------------------------- fewer elements of the same

    def select(self, dim: int, index: int) -> Layout:
        """Fix one index: the dimension goes, the offset moves to where that index begins.

        >>> Layout((2, 3), (3, 1)).select(0, 1)
        Layout(size=(3,), stride=(1,), offset=3)
        """
        size = self.size
        if not size:
            raise IndexError("select() cannot be applied to a 0-dim tensor.")
        dim = normalise_dim(dim, len(size))
        n = size[dim]
        if not -n <= index < n:
            where = f"tensor of size {list(size)} at dimension {dim}"
            raise IndexError(f"select(): index {index} out of range for {where}")
        return self._at(dim, index + n if index < 0 else index)

    def _at(self, dim: int, index: int) -> Layout:
        """`select` with an index that is known to lie within the dimension."""
        size, stride = self.size, self.stride
        start = self.offset + index * stride[dim]
        return Layout(size[:dim] + size[dim + 1 :], stride[:dim] + stride[dim + 1 :], start)

    def slice(self, dim: int = 0, start: int | None = None, stop: int | None = None, step: int = 1) -> Layout:
        """Keep the positions ``start:stop:step`` of one dimension, clamped to it as Python's slices are.

        >>> Layout((2, 6), (6, 1)).slice(1, 1, None, 2)
        Layout(size=(2, 3), stride=(6, 2), offset=1)
        """
        if not self.size:
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        dim = normalise_dim(dim, len(self.size))
        if step <= 0:
            raise RuntimeError("slice step must be positive")
        return self.cut(dim, *Slice(start, stop, step).indices(self.size[dim]))

    def narrow(self, dim: int, start: int, length: int) -> Layout:
        """Keep ``length`` positions of one dimension from ``start`` on.

        >>> Layout((5, 2), (2, 1)).narrow(0, 1, 3)
        Layout(size=(3, 2), stride=(2, 1), offset=2)
        """
        if not self.size:
            raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
        if type(start) is not int or type(length) is not int:
            start, length = whole(start), whole(length)
        if length < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
        dim = normalise_dim(dim, len(self.size))
        n = self.size[dim]
        if not -n <= start <= n:
            raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
        start = start + n if start < 0 else start
        if start + length > n:
            raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
        return self.cut(dim, start, start + length, 1)

    def cut(self, dim: int, start: int, stop: int, step: int) -> Layout:
        """The positions ``start:stop:step`` of one dimension, given bounds that already lie within it."""
        size, stride = self.size, self.stride
        each = stride[dim]
        length = (stop - start + step - 1) // step if stop > start else 0
        walk = each if step == 1 else checked_stride(each * min(step, INT64_MAX), dim, stride)
        return Layout(
            (*size[:dim], length, *size[dim + 1 :]),
            (*stride[:dim], walk, *stride[dim + 1 :]),
            self.offset + start * each,
        )

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Layout:
        """The elements whose indices in two dimensions run together: one stride, the sum of the two.

        >>> Layout((3, 3), (3, 1)).diagonal()
        Layout(size=(3,), stride=(4,), offset=0)
        """
        ndim = len(self.size)
        if type(offset) is not int:
            offset = whole(offset)
        first, second = normalise_dim(dim1, ndim), normalise_dim(dim2, ndim)
        if first == second:
            raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
        rows, columns = self.size[first], self.size[second]
        down, across = self.stride[first], self.stride[second]
        length = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
        start = 0 if length == 0 else offset * across if offset >= 0 else -offset * down
        rest = self.reordered([dim for dim in range(ndim) if dim not in (first, second)])
        return Layout((*rest.size, length), (*rest.stride, down + across), self.offset + start)

    def unfold(self, dim: int, size: int, step: int) -> Layout:
        """Windows of ``size`` positions, one every ``step``, in a new last dimension; they may share slots.

        >>> Layout((5,), (1,)).unfold(0, 3, 1)
        Layout(size=(3, 3), stride=(1, 1), offset=0)
        """
        dim = normalise_dim(dim, len(self.size))
        if type(size) is not int or type(step) is not int:
            size, step = whole(size), whole(step)
        n, each = (self.size[dim], self.stride[dim]) if self.size else (1, 1)
        if size < 0:
            raise RuntimeError(f"size is {size} but must be >= 0")
        if size > n:
            raise RuntimeError(f"maximum size for tensor at dimension {dim} is {n} but size is {size}")
        if step <= 0:
            raise RuntimeError(f"step is {step} but must be > 0")
        if not self.size:
            return Layout((size,), (1,), self.offset)
        windows = (n - size) // step + 1
        along = checked_stride(step * each, dim, (*self.stride, each))
        return Layout(
            (*self.size[:dim], windows, *self.size[dim + 1 :], size),
            (*self.stride[:dim], along, *self.stride[dim + 1 :], each),
            self.offset,
        )

    def as_strided(
        self,
        size: Sequence[int],
        stride: Sequence[int],
        offset: int | None = None,
        storage_nbytes: int | None = None,
        itemsize: int = 1,
    ) -> Layout:
        """Any size and stride one likes, as long as every slot lies on the storage.

        Args:
            size, stride: of the new layout.
            offset: its first slot; by default the present one.
            storage_nbytes: how long the storage is (``None``: not checked). Counted in slots if ``itemsize``
                is left at 1.
            itemsize: bytes in a slot.

        >>> Layout((4,), (1,)).as_strided((2, 2), (1, 1), 1, storage_nbytes=4)
        Layout(size=(2, 2), stride=(1, 1), offset=1)
        """
        new = Layout(tuple(size), tuple(stride), self.offset if offset is None else offset)
        check_strided(new.size, new.stride, new.offset, new.reach, storage_nbytes, itemsize)
        return new

    # ------------------------------------------------------------ the same elements under another size

    def view(self, shape: Sequence[int]) -> Layout:
        r"""The same elements in the same reading order under another size, without a copy.

        Neighbouring dimensions can merge into one when a step in the left one is as long as the walk over all
        of the right one. Where the new size needs a merge that the strides forbid, `ViewError` names it.

        Args:
            shape: the new size; one entry may be -1 and is worked out.

        >>> Layout((4, 3), (3, 1)).view((2, -1))
        Layout(size=(2, 6), stride=(6, 1), offset=0)
        >>> try:
        ...     Layout((3, 2), (1, 3)).view((6,))
        ... except RuntimeError as error:
        ...     print(str(error).splitlines()[1].replace(": ", ":\n"))
        dimensions 0 and 1 cannot merge:
        one step in dimension 0 is 1 slot, but stepping over all of dimension 1 is 2·3 = 6 slots
        """
        size, stride = viewed(self.size, self.stride, tuple(shape))
        if stride is None:
            raise view_error(self.size, self.stride, size)
        return Layout(size, stride, self.offset)

    def reshape(self, shape: Sequence[int]) -> Layout | None:
        """As `view`, but ``None`` where only a copy would do.

        >>> Layout((3, 2), (1, 3)).reshape((6,)) is None
        True
        """
        size, stride = viewed(self.size, self.stride, tuple(shape))
        return None if stride is None else Layout(size, stride, self.offset)

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Layout | None:
        """Dimensions ``start_dim`` to ``end_dim`` merged into one; ``None`` where only a copy would do.

        >>> Layout((2, 3, 4), (12, 4, 1)).flatten(1)
        Layout(size=(2, 12), stride=(12, 1), offset=0)
        """
        size = self.flattened_size(start_dim, end_dim)
        return self if size == self.size else self.reshape(size)

    def flattened_size(self, start_dim: int = 0, end_dim: int = -1) -> Size:
        """The size that `flatten` gives, copy or not."""
        ndim = len(self.size)
        start, end = normalise_dim(start_dim, ndim), normalise_dim(end_dim, ndim)
        if start > end:
            raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
        return (*self.size[:start], prod(self.size[start : end + 1]), *self.size[end + 1 :])

    def unflatten(self, dim: int, sizes: Sequence[int]) -> Layout:
        """One dimension split into several; one of ``sizes`` may be -1.

        >>> Layout((2, 6), (6, 1)).unflatten(1, (3, -1))
        Layout(size=(2, 3, 2), stride=(6, 2, 1), offset=0)
        """
        if not sizes:
            raise RuntimeError("unflatten: sizes must be non-empty")
        dim = normalise_dim(dim, len(self.size))
        try:
            if not self.size:
                raise RuntimeError("Dimension specified as 0 but tensor has no dimensions")
            parts = infer_size(sizes, self.size[dim])
        except RuntimeError as error:
            if "is invalid for input of size" in str(error):
                raise RuntimeError(
                    f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
                    f"({self.size[dim]}) in the input tensor"
                ) from None
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        return self.view((*self.size[:dim], *parts, *self.size[dim + 1 :]))


def contiguous(size: Sequence[int]) -> Layout:
    """The layout of a fresh tensor.

    >>> contiguous((2, 3))
    Layout(size=(2, 3), stride=(3, 1), offset=0)
    """
    return _row_major(size if type(size) is tuple else tuple(size))


@functools.lru_cache(4096)
def _row_major(size: Size) -> Layout:
    """One layout for all fresh tensors of a size: they remember each other's views."""
    layout = Layout(size, contiguous_stride(size), 0)
    layout._memo = {}
    return layout
