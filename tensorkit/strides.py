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

The order of this file: questions about a layout; dimensions reordered; dropped, added and repeated; fewer
elements; the same elements under another size; one layout cut into several; square brackets. Then the
functions: sizes, and the strides that a fresh result gets.

Source: sizes, strides, offsets, exception classes and sentences are PyTorch 2.13's; the tests ask it.
"""

from __future__ import annotations

import functools
from builtins import slice as Slice
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import prod
from operator import index as as_int
from typing import Any, Literal, TypeVar, cast

from tensorkit.errors import ViewError

__all__ = [
    "Layout",
    "Size",
    "broadcast_sizes",
    "contiguous",
    "contiguous_stride",
    "infer_size",
    "iterator_strides",
    "like_strides",
    "normalise_dim",
]

Size = tuple[int, ...]

_INT64_MAX = 2**63 - 1
_KEPT = 64  # views that a layout remembers
_Method = TypeVar("_Method", bound=Callable[..., Any])


def _remembering(method: _Method) -> _Method:
    """A method that remembers what it made of a layout for arguments that are integers."""

    @functools.wraps(method)
    def remembering(self: Layout, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            return method(self, *args, **kwargs)
        for value in args:
            if value.__class__ is not int:
                return method(self, *args)
        made = self.made
        if made is None:  # no other layout knows this one, and maybe nobody will ask it again
            return method(self, *args)
        key = (remembering, args)
        found = made.get(key)
        if found is None:
            found = method(self, *args)
            self.keep(key, found)
        return found

    return cast(_Method, remembering)


class Layout:
    """Size, stride and offset of a tensor on its storage; never changed once made.

    Args:
        size: positions along each dimension, a tuple of ints; ``()`` is one element and no dimension.
        stride: slots per step along each dimension, a tuple as long as ``size``.
        offset: the slot of the first element.

    >>> Layout((2, 3), (3, 1)) == contiguous((2, 3))
    True
    """

    __slots__ = ("made", "offset", "shown", "size", "stride")
    #: What was made of this layout before: see `_remembering`. None while no other layout remembers this one.
    made: dict[Any, Any] | None
    shown: Any  # the size as tensors show it, when they have

    def __init__(self, size: Size, stride: Size, offset: int = 0) -> None:
        self.size = size
        self.stride = stride
        self.offset = offset
        self.made = self.shown = None

    def keep(self, key: Any, value: Any) -> None:
        """Remember what was made of this layout: a loop asks for the same few views again and again."""
        if self.made is None or len(self.made) >= _KEPT:
            self.made = {}
        self.made[key] = value
        if value.__class__ is Layout and value.made is None:
            value.made = {}

    def __repr__(self) -> str:
        return f"Layout(size={self.size}, stride={self.stride}, offset={self.offset})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self.size == other.size and self.stride == other.stride and self.offset == other.offset

    def __hash__(self) -> int:
        return hash((self.size, self.stride, self.offset))

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
                raise _out_of_bounds(i, dim, n)
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
        low = self.offset + sum(end for end in ends if end < 0)
        return range(low, self.offset + sum(end for end in ends if end > 0) + 1)

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
        if self.stride == contiguous_stride(self.size):
            return True
        expected = 1
        for n, step in zip(reversed(self.size), reversed(self.stride), strict=True):
            if n != 1:
                if step != expected:
                    return 0 in self.size
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
        size, stride = list(self.size), list(self.stride)
        size[dim0], size[dim1] = size[dim1], size[dim0]
        stride[dim0], stride[dim1] = stride[dim1], stride[dim0]
        return Layout(tuple(size), tuple(stride), self.offset)

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
            raise RuntimeError(
                f"tensor.H is only supported on matrices (2-D tensors). Got {len(self.size)}-D tensor.{more}"
            )
        return self.t()

    def _transpose_matrices(self, name: str) -> Layout:
        if len(self.size) == 1:
            raise RuntimeError(
                f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor."
            )
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
        return self._reordered(order)

    def movedim(self, source: int | Sequence[int], destination: int | Sequence[int]) -> Layout:
        """Move the dimensions ``source`` to the places ``destination``; the others keep their order.

        >>> Layout((2, 3, 4), (12, 4, 1)).movedim(0, 2)
        Layout(size=(3, 4, 2), stride=(4, 1, 12), offset=0)
        """
        ndim = len(self.size)
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
        return self._reordered([came_from[dim] if dim in came_from else next(others) for dim in range(ndim)])

    moveaxis = movedim

    def _reordered(self, order: Sequence[int]) -> Layout:
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
        return self._reordered([d for d, n in enumerate(self.size) if n != 1 or d not in chosen])

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
        return Layout(*_expanded(self.size, self.stride, tuple(sizes), kind), self.offset)

    def _expand(self, sizes: Size, kind: str) -> tuple[Size, Size]:
        size, stride, ndim = self.size, self.stride, len(sizes)
        added = ndim - len(size)
        if added < 0:
            raise RuntimeError(
                f"expand({kind}{{{list(size)}}}, size={list(sizes)}): the number of sizes provided ({ndim}) "
                f"must be greater or equal to the number of dimensions in the tensor ({len(size)})"
            )
        if not size:
            return _checked_size(sizes), (0,) * added
        new_size, new_stride = list(sizes), [0] * ndim
        for dim in reversed(range(ndim)):
            want, have = sizes[dim], size[dim - added] if dim >= added else 1
            if want == have or (want == -1 and dim >= added):
                new_size[dim] = have
                # A new dimension of size 1 gets the stride that `unsqueeze` would give it.
                after = dim + 1
                new_stride[dim] = stride[dim - added] if dim >= added else new_size[after] * new_stride[after]
            elif want == -1 or have != 1:
                raise self._expand_error(sizes, dim)
        return _checked_size(new_size), tuple(new_stride)

    broadcast_to = expand

    def _expand_error(self, sizes: Sequence[int], dim: int) -> RuntimeError:
        old = dim - len(sizes) + len(self.size)
        if old < 0:
            return RuntimeError(
                "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension "
                f"{dim}"
            )
        return RuntimeError(
            f"The expanded size of the tensor ({sizes[dim]}) must match the existing size ({self.size[old]}) "
            f"at non-singleton dimension {dim}.  Target sizes: {list(sizes)}.  "
            f"Tensor sizes: {list(self.size)}"
        )

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
            raise IndexError(
                f"select(): index {index} out of range for tensor of size {list(size)} at dimension {dim}"
            )
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
        return self._cut(dim, *Slice(start, stop, step).indices(self.size[dim]))

    def narrow(self, dim: int, start: int, length: int) -> Layout:
        """Keep ``length`` positions of one dimension from ``start`` on.

        >>> Layout((5, 2), (2, 1)).narrow(0, 1, 3)
        Layout(size=(3, 2), stride=(2, 1), offset=2)
        """
        if not self.size:
            raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
        if type(start) is not int or type(length) is not int:
            start, length = _whole(start), _whole(length)
        if length < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
        dim = normalise_dim(dim, len(self.size))
        n = self.size[dim]
        if not -n <= start <= n:
            raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
        start = start + n if start < 0 else start
        if start + length > n:
            raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
        return self._cut(dim, start, start + length, 1)

    def _cut(self, dim: int, start: int, stop: int, step: int) -> Layout:
        """The positions ``start:stop:step`` of one dimension, given bounds that already lie within it."""
        size, stride = self.size, self.stride
        each = stride[dim]
        length = (stop - start + step - 1) // step if stop > start else 0
        walk = each if step == 1 else _checked_stride(each * min(step, _INT64_MAX), dim, self)
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
            offset = _whole(offset)
        first, second = normalise_dim(dim1, ndim), normalise_dim(dim2, ndim)
        if first == second:
            raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
        rows, columns = self.size[first], self.size[second]
        down, across = self.stride[first], self.stride[second]
        length = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
        start = 0 if length == 0 else offset * across if offset >= 0 else -offset * down
        rest = self._reordered([dim for dim in range(ndim) if dim not in (first, second)])
        return Layout((*rest.size, length), (*rest.stride, down + across), self.offset + start)

    def unfold(self, dim: int, size: int, step: int) -> Layout:
        """Windows of ``size`` positions, one every ``step``, in a new last dimension; they may share slots.

        >>> Layout((5,), (1,)).unfold(0, 3, 1)
        Layout(size=(3, 3), stride=(1, 1), offset=0)
        """
        dim = normalise_dim(dim, len(self.size))
        if type(size) is not int or type(step) is not int:
            size, step = _whole(size), _whole(step)
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
        return Layout(
            (*self.size[:dim], windows, *self.size[dim + 1 :], size),
            (*self.stride[:dim], step * each, *self.stride[dim + 1 :], each),
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
        if len(new.size) != len(new.stride):
            raise RuntimeError("mismatch in length of strides and shape")
        if any(step < 0 for step in new.stride):
            raise RuntimeError(
                f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}"
            )
        if new.offset < 0:
            raise RuntimeError(f"Tensor: invalid storage offset {new.offset}")
        nbytes = new.reach() * itemsize
        # PyTorch lets a negative size through beside a 0. No use can be made of such a tensor: it is refused.
        if nbytes > _INT64_MAX or any(n < 0 for n in new.size):
            raise RuntimeError(
                f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}"
            )
        if storage_nbytes is not None and nbytes > storage_nbytes:
            raise RuntimeError(
                f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {new.offset}, and "
                f"itemsize {itemsize} requiring a storage size of {nbytes} are out of bounds for storage of "
                f"size {storage_nbytes}"
            )
        _checked_size(new.size)
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
        ... except ViewError as error:
        ...     print(str(error).splitlines()[1].replace(": ", ":\n"))
        dimensions 0 and 1 cannot merge:
        one step in dimension 0 is 1 slot, but stepping over all of dimension 1 is 2·3 = 6 slots
        """
        size, stride = _viewed(self.size, self.stride, tuple(shape))
        if stride is None:
            raise self._view_error(size)
        return Layout(size, stride, self.offset)

    def reshape(self, shape: Sequence[int]) -> Layout | None:
        """As `view`, but ``None`` where only a copy would do.

        >>> Layout((3, 2), (1, 3)).reshape((6,)) is None
        True
        """
        size, stride = _viewed(self.size, self.stride, tuple(shape))
        return None if stride is None else Layout(size, stride, self.offset)

    def _view_stride(self, size: Size) -> Size | None:
        """The strides that give ``size`` (of equal numel) without a copy, or None.

        Both sizes are walked from the right: each run of dimensions that merge has to be used up exactly by
        some of the new ones.
        """
        if not self.size:
            return (1,) * len(size)
        if 0 in size:
            return self.stride if size == self.size else contiguous_stride(size)
        if self.stride == contiguous_stride(self.size):
            return contiguous_stride(size)
        stride = [0] * len(size)
        new = len(size) - 1
        for _, step, count in self._runs():
            done = 1
            while new >= 0 and (done < count or size[new] == 1):
                stride[new] = done * step
                done *= size[new]
                new -= 1
            if done != count:
                return None
        return tuple(stride)

    def _runs(self) -> Iterator[tuple[int, int, int]]:
        """From the right, each longest run of dimensions that can merge: (first dim, step, elements)."""
        size, stride = self.size, self.stride
        step, count = stride[-1], 1
        for dim in range(len(size) - 1, -1, -1):
            count *= size[dim]
            if dim == 0 or (size[dim - 1] != 1 and stride[dim - 1] != count * step):
                yield dim, step, count
                step, count = stride[dim - 1], 1

    def _view_error(self, size: Size) -> ViewError:
        """PyTorch's sentence, then each pair of dimensions that ``size`` merges and the strides forbid."""
        ends = {1}
        for n in reversed(size):
            ends.add(max(ends) * n)
        conflicts, lines, count = [], [], 1
        for first, _, elements in self._runs():
            count *= elements
            if count in ends:
                continue
            left = first - 1
            right = next(dim for dim in range(first, len(self.size)) if self.size[dim] != 1)
            n, each = self.size[right], self.stride[right]
            conflicts.append((left, right))
            lines.append(
                f"dimensions {left} and {right} cannot merge: one step in dimension {left} is "
                f"{_slots(self.stride[left])}, but stepping over all of dimension {right} is {n}·{each} = "
                f"{_slots(n * each)}"
            )
        sentence = (
            "view size is not compatible with input tensor's size and stride (at least one dimension spans "
            "across two contiguous subspaces). Use .reshape(...) instead."
        )
        return ViewError(
            "\n".join([sentence, *lines[::-1]]), self.size, self.stride, size, tuple(conflicts[::-1])
        )

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

    # ------------------------------------------------------------------------- one layout into several

    @_remembering
    def unbind(self, dim: int = 0) -> tuple[Layout, ...]:
        """One layout for each position of a dimension.

        >>> Layout((2, 3), (3, 1)).unbind()[1]
        Layout(size=(3,), stride=(1,), offset=3)
        """
        dim = normalise_dim(dim, len(self.size))
        if not self.size:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        return tuple([self.select(dim, i) for i in range(self.size[dim])])

    @_remembering
    def split(self, split_size: int | Sequence[int], dim: int = 0) -> tuple[Layout, ...]:
        """Pieces of ``split_size`` positions (the last may be shorter), or of the lengths listed.

        >>> [piece.size for piece in Layout((5,), (1,)).split(2)]
        [(2,), (2,), (1,)]
        """
        if not isinstance(split_size, int):
            return self.split_with_sizes(split_size, dim)
        if not self.size:
            raise RuntimeError("split expects at least a 1-dimensional tensor")
        if split_size < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
        dim = normalise_dim(dim, len(self.size))
        n = self.size[dim]
        if split_size == 0 and n > 0:
            raise RuntimeError(
                f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}"
            )
        starts = range(0, max(n, 1), max(split_size, 1))
        return tuple([self._cut(dim, start, min(start + split_size, n), 1) for start in starts])

    def split_with_sizes(self, sizes: Sequence[int], dim: int = 0) -> tuple[Layout, ...]:
        """Pieces of the lengths listed, which have to add up to the dimension.

        >>> [piece.offset for piece in Layout((5,), (1,)).split_with_sizes((1, 4))]
        [0, 1]
        """
        if not self.size:
            raise RuntimeError("split expects at least a 1-dimensional tensor")
        at = normalise_dim(dim, len(self.size))
        if any(length < 0 for length in sizes):
            raise RuntimeError(
                "split_with_sizes expects split_sizes have only non-negative entries, but got "
                f"split_sizes={list(sizes)}"
            )
        if sum(sizes) != self.size[at]:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {self.size[at]} (input tensor's "
                f"size at dimension {dim}), but got split_sizes={list(sizes)}"
            )
        stops = [sum(sizes[: i + 1]) for i in range(len(sizes))]
        return tuple([self._cut(at, stop - n, stop, 1) for n, stop in zip(sizes, stops, strict=True)])

    @_remembering
    def chunk(self, chunks: int, dim: int = 0) -> tuple[Layout, ...]:
        """At most ``chunks`` pieces of one length (the last may be shorter).

        >>> [piece.size for piece in Layout((7,), (1,)).chunk(3)]
        [(3,), (3,), (1,)]
        """
        if not self.size:
            raise RuntimeError("chunk expects at least a 1-dimensional tensor")
        if chunks <= 0:
            raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
        n = self.size[normalise_dim(dim, len(self.size))]
        return self.split(-(-n // chunks), dim) if n else self.split_with_sizes([0] * chunks, dim)

    def tensor_split(self, indices_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Layout, ...]:
        """Exactly so many pieces, the first ones longer by 1 if it does not divide; or cut at these indices.

        >>> [piece.size for piece in Layout((7,), (1,)).tensor_split(3)]
        [(3,), (2,), (2,)]
        >>> [piece.size for piece in Layout((7,), (1,)).tensor_split((2, 5))]
        [(2,), (3,), (2,)]
        """
        if not self.size:
            raise RuntimeError(
                "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
            )
        dim = normalise_dim(dim, len(self.size))
        if not isinstance(indices_or_sections, int):
            cuts = [0, *indices_or_sections, None]
            return tuple([self.slice(dim, a, b) for a, b in pairwise(cuts)])
        sections = indices_or_sections
        if sections <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
        each, longer = divmod(self.size[dim], sections)
        return self.split_with_sizes([each + 1] * longer + [each] * (sections - longer), dim)

    def hsplit(self, indices_or_sections: int | Sequence[int]) -> tuple[Layout, ...]:
        """Pieces side by side: `tensor_split` along dimension 1 (of a vector, 0), into equal parts only."""
        return self._equal_split("hsplit", 1, indices_or_sections, dim=0 if len(self.size) == 1 else 1)

    def vsplit(self, indices_or_sections: int | Sequence[int]) -> tuple[Layout, ...]:
        """Pieces one above the other: `tensor_split` along dimension 0, into equal parts only."""
        return self._equal_split("vsplit", 2, indices_or_sections, dim=0)

    def dsplit(self, indices_or_sections: int | Sequence[int]) -> tuple[Layout, ...]:
        """Pieces in depth: `tensor_split` along dimension 2, into equal parts only."""
        return self._equal_split("dsplit", 3, indices_or_sections, dim=2)

    def _equal_split(self, name: str, least: int, given: int | Sequence[int], dim: int) -> tuple[Layout, ...]:
        if len(self.size) < least:
            raise RuntimeError(
                f"tensorkit.{name} requires a tensor with at least {least} dimension, but got a tensor with "
                f"{len(self.size)} dimensions!"
            )
        if isinstance(given, int) and (given == 0 or self.size[dim] % given != 0):
            raise RuntimeError(
                f"tensorkit.{name} attempted to split along dimension {dim}, but the size of the dimension "
                f"{self.size[dim]} is not divisible by the split_size {given}!"
            )
        return self.tensor_split(given, dim)

    # --------------------------------------------------------------------------------- square brackets

    def index(self, key: Any) -> Layout | None:
        """What ``tensor[key]`` looks at, where that takes no copy.

        Args:
            key: an int, a slice, ``...``, ``None``, or a tuple of these; an int may be any object with
                ``__index__`` that has no ``__len__`` (NumPy's integers; not a tensor).

        Returns:
            The new layout, or ``None`` for a key that is not basic (a bool, a list, a tensor, a wrong type).

        >>> Layout((2, 3), (3, 1)).index((1, slice(None, None, 2)))
        Layout(size=(2,), stride=(2,), offset=3)
        >>> Layout((2, 3), (3, 1)).index([0, 1]) is None
        True
        """
        if type(key) is Slice:
            return self.index_slice(key)
        if type(key) is int:
            return self.index_int(key)
        if type(key) is not tuple:
            if key is not None and key is not ... and not isinstance(key, Slice):
                number = _basic_int(key)
                return None if number is None else self.index_int(number)
            key = (key,)
        return self._index_tuple(key)

    def index_int(self, index: int) -> Layout:
        """``tensor[index]``, the short way."""
        size, stride = self.size, self.stride
        if not size:
            if index == 0:
                raise IndexError(
                    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
                    "C++ to convert a 0-dim tensor to a number"
                )
            raise _out_of_bounds(index, 0, 0)
        n = size[0]
        if not -n <= index < n:
            raise _out_of_bounds(index, 0, n)
        if index < 0:
            index += n
        return Layout(size[1:], stride[1:], self.offset + index * stride[0])

    def index_slice(self, key: Slice) -> Layout:
        """``tensor[start:stop:step]``, the short way."""
        size, stride = self.size, self.stride
        if not size:
            _bounds(key, 0)
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        start, stop, step = key.indices(size[0])
        if step < 0:
            raise _backwards()
        if step > 1:
            return self._cut(0, start, stop, step)
        length = stop - start if stop > start else 0
        return Layout((length, *size[1:]), stride, self.offset + start * stride[0])

    def _index_tuple(self, key: tuple[Any, ...]) -> Layout | None:
        """One part of the key after the other, each on the view that the parts before it made."""
        parts = _parts(key)
        if parts is None:
            return None
        ndim = len(self.size)
        used = sum([part is not None and part is not ... for part in parts])
        if used > ndim:
            raise IndexError(f"too many indices for tensor of dimension {ndim}")
        size, stride, offset, dim = self.size, self.stride, self.offset, 0
        new_size: list[int] = []
        new_stride: list[int] = []
        for place, part in enumerate(parts):
            if part is ...:
                skipped = Slice(dim, dim + ndim - used)
                new_size += size[skipped]
                new_stride += stride[skipped]
                dim = skipped.stop
                continue
            if (
                dim >= ndim
            ):  # all are used up: only a new dimension has its place here, unless `...` came twice
                normalise_dim(len(new_size) + dim - ndim, len(new_size) + (part is None))
            if part is None:
                new_size.append(1)
                # As `unsqueeze`: no step is ever taken along it.
                new_stride.append(size[dim] * stride[dim] if dim < ndim else 1)
                continue
            n, each = size[dim], stride[dim]
            if type(part) is Slice:
                start, stop, step = _bounds(part, n)
                new_size.append((stop - start + step - 1) // step if stop > start else 0)
                new_stride.append(each * step)
                if each * step > _INT64_MAX:
                    so_far = Layout((), (*new_stride, *stride[dim + 1 :]))
                    new_stride[-1] = _checked_stride(
                        each * min(step, _INT64_MAX), len(new_stride) - 1, so_far
                    )
                offset += start * each
            else:
                if not -n <= part < n:
                    # PyTorch numbers the dimension by the place in the brackets, whatever `...` skipped.
                    raise _out_of_bounds(part, place, n)
                offset += (part + n if part < 0 else part) * each
            dim += 1
        return Layout((*new_size, *size[dim:]), (*new_stride, *stride[dim:]), offset)


# ----------------------------------------------------------------------------------------------- sizes


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
    return tuple(stride)


@functools.lru_cache(4096)
def _expanded(size: Size, stride: Size, sizes: Size, kind: str) -> tuple[Size, Size]:
    return Layout(size, stride)._expand(sizes, kind)


@functools.lru_cache(4096)
def _viewed(size: Size, stride: Size, shape: Size) -> tuple[Size, Size | None]:
    """The size that `Layout.view` gives, and its strides, or None where only a copy would do."""
    wanted = infer_size(shape, prod(size))
    return wanted, Layout(size, stride)._view_stride(wanted)


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
    layout.made = {}
    return layout


def _whole(number: Any) -> int:
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
        dim = _whole(dim)
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
        return _checked_size(shape)
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


# ---------------------------------------------------------------------------- strides of fresh results


def like_strides(layout: Layout) -> Size:
    """The strides of ``empty_like`` and ``clone``: the same order of dimensions, without gaps or overlap.

    >>> like_strides(Layout((3, 2), (1, 6)))               # every second column of a transposed matrix
    (1, 3)
    """
    if layout.is_non_overlapping_and_dense():
        return layout.stride
    order = _memory_order(layout.size, [layout.stride])
    return _dense_strides(layout.size, order, zero_counts_as=1)


def iterator_strides(size: Size, operands: Sequence[Layout]) -> Size:
    """The strides of a fresh result of a pointwise operation, by the rule of PyTorch's TensorIterator.

    If every operand is contiguous, so is the result. Otherwise its dimensions are ordered in memory as those
    of the first operand; where that one leaves two of them open (a stride of 0), the next operand decides.

    Args:
        size: the operands' broadcast size.
        operands: the operands' layouts, each before broadcasting. A Python number is ``Layout((), ())``; an
            operand that had to change its dtype is the converted copy (see `like_strides`).

    >>> column_major = Layout((2, 3), (1, 2))
    >>> iterator_strides((2, 3), [column_major, contiguous((2, 3))])
    (1, 2)
    """
    dense = contiguous_stride(size)
    for operand in operands:
        if operand.size != size or not (operand.stride == dense or operand.is_contiguous()):
            break
    else:
        return dense
    if all(operand.size == size for operand in operands):
        if len(size) == 4 and all(_is_channels_last(operand) for operand in operands):
            return _dense_strides(size, (1, 3, 2, 0), zero_counts_as=1)
        first = operands[0].stride
        if all(o.stride == first and o.is_non_overlapping_and_dense() for o in operands):
            return first
    order = _memory_order(size, [_broadcast_stride(operand, size) for operand in operands])
    if order == list(reversed(range(len(size)))):
        return dense
    return _dense_strides(size, order, zero_counts_as=0)


def _is_channels_last(layout: Layout) -> bool:
    """Whether images (N, C, H, W) lie pixel by pixel, the channels of a pixel side by side."""
    return layout._reordered((0, 2, 3, 1)).is_contiguous()


def _broadcast_stride(layout: Layout, size: Size) -> Size:
    """Strides over the broadcast size: 0 along every dimension that the layout lacks or repeats."""
    steps = [
        0 if have == 1 and want != 1 else step
        for have, step, want in zip(
            layout.size, layout.stride, size[len(size) - len(layout.size) :], strict=True
        )
    ]
    return (0,) * (len(size) - len(steps)) + tuple(steps)


def _memory_order(size: Size, strides: Sequence[Size]) -> list[int]:
    """The dimensions from the shortest step to the longest, as PyTorch sorts them.

    It is an insertion sort that begins with the last dimension innermost; dimensions that no operand tells
    apart stay as they are. (No other sort will do: "cannot tell" is not an equality that carries over.)
    """
    order = list(reversed(range(len(size))))
    for i in range(1, len(order)):
        at = i
        for before in range(i - 1, -1, -1):
            verdict = _compare(order[before], order[at], size, strides)
            if verdict < 0:
                break
            if verdict > 0:
                order[before], order[at] = order[at], order[before]
                at = before
    return order


def _compare(dim0: int, dim1: int, size: Size, strides: Sequence[Size]) -> int:
    """1 if dim0 belongs after dim1, -1 if before, 0 if no operand can tell."""
    for stride in strides:
        a, b = stride[dim0], stride[dim1]
        if a == 0 or b == 0:
            continue
        if a != b:
            return 1 if a > b else -1
        if size[dim0] > size[dim1]:
            return 1
    return 0


def _dense_strides(size: Size, order: Sequence[int], zero_counts_as: int) -> Size:
    """Strides that lay the dimensions without gaps in this order, the first of it innermost."""
    stride = [0] * len(size)
    step = 1
    for dim in order:
        stride[dim] = step
        step *= size[dim] or zero_counts_as
    return tuple(stride)


# ------------------------------------------------------------------------------------ checks and texts


def _checked_size(size: Sequence[int]) -> Size:
    """The size as a tuple, unless it is negative or counts more elements than 64 bits can."""
    count = 1
    for n in size:
        count *= n
        if n < 0 or count > _INT64_MAX:
            raise RuntimeError("numel: integer multiplication overflow")
    return tuple(size)


def _checked_stride(step: int, dim: int, layout: Layout) -> int:
    """A stride as 64 bits hold it: PyTorch multiplies without looking and refuses what became negative."""
    wrapped = (step + 2**63) % 2**64 - 2**63
    if wrapped < 0:
        stride = [*layout.stride[:dim], wrapped, *layout.stride[dim + 1 :]]
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {stride}"
        )
    return wrapped


def _bounds(key: Slice, n: int) -> tuple[int, int, int]:
    """A slice's start, stop and step, clamped to ``n`` positions."""
    start, stop, step = key.indices(n)
    if step < 0:
        raise _backwards()
    return start, stop, step


def _backwards() -> ValueError:
    return ValueError("step must be greater than zero")


def _parts(key: tuple[Any, ...]) -> list[Any] | None:
    """A key's parts, its numbers as ints; None if one of them picks elements one by one."""
    parts: list[Any] = []
    for part in key:
        if type(part) is not int and type(part) is not Slice and part is not None and part is not ...:
            part = _basic_int(part)
            if part is None:
                return None
        parts.append(part)
    return parts


def _basic_int(part: Any) -> int | None:
    """An index as an int, or None if it is one of the kinds that pick elements one by one."""
    if type(part) is int:
        return part
    if isinstance(part, bool) or hasattr(part, "__len__"):
        return None
    try:
        return as_int(part)
    except TypeError:
        return None


def _out_of_bounds(index: int, dim: int, n: int) -> IndexError | ValueError:
    if not -_INT64_MAX - 1 <= index <= _INT64_MAX:
        return ValueError("Overflow when unpacking long long")
    return IndexError(f"index {index} is out of bounds for dimension {dim} with size {n}")


def _slots(count: int) -> str:
    return f"{count} slot" if count == 1 else f"{count} slots"
