"""`Tensor`: a storage, a layout over it, a dtype; and no mathematics.

Everything a picture needs can be asked of a tensor. What can be *done* with one is written in ``ops/`` and attached
to the class by ``dispatch``, so this file imports nothing above it.

>>> t = tk.arange(12).view(3, 4)[1:, ::2].t()
>>> t.size(), t.stride(), t.storage_offset()
(tensorkit.Size([2, 2]), (2, 4), 4)

A tensor is made in one of two ways. A *fresh* result holds a new C-contiguous NumPy array; its layout and
storage are made only when they are needed (`_lay`, `_store`). A *view* holds the storage of its base and a layout; its
NumPy array is built only when a kernel first reads it (`_nd`). Both keep the common operations under a microsecond.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.conj_bit import check_negatable, turned
from tensorkit.device import CPU, device
from tensorkit.dtypes import dtype
from tensorkit.errors import two_devices, type_name, unallocated
from tensorkit.memory_format import check_format, contiguous_format, has_format
from tensorkit.process import forks
from tensorkit.size import Size
from tensorkit.storage import TypedStorage, UntypedStorage, adopt
from tensorkit.strides import layout as layouts
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import INT64_MAX, contiguous_stride, normalise_dim, overflowed
from tensorkit.strides.view_cache import remembered

Array = numpy.ndarray[Any, Any]
Number = bool | int | float | complex
_new = object.__new__
_bare = tuple.__new__  # a `Size` of what is known to be one
# Not empty while some thread does not record: then each new view is shown to the last of these.
_markers: list[Callable[[Any], None]] = []
_lazy = forks.rlock()  # two threads that ask a fresh tensor for its storage must get the same one


_NO_FORMAT = "is_contiguous(): argument 'memory_format' must be tensorkit.memory_format, not NoneType"


def _as_size(layout: Layout, cls: type[Size]) -> Size:
    """The size of a layout as tensors show it."""
    return _bare(cls, layout.size)


def _in_bytes(layout: Layout, kind: dtype) -> tuple[int, tuple[int, ...], bool]:
    """Where NumPy finds the elements: the first one, the steps, and whether they are row-major."""
    size, stride, item = layout.size, layout.stride, kind.itemsize
    # An empty tensor may sit past the end of its storage: it has no first element to point at.
    start = 0 if 0 in size else layout.offset * item
    steps = tuple([step * item for step in stride])
    if max(steps, default=0) > INT64_MAX:  # along one position, where no step is ever taken
        steps = tuple([step if step <= INT64_MAX else item for step in steps])
    return start, steps, stride == contiguous_stride(size)


class Tensor:
    """A multidimensional array of one dtype, read from a flat storage through a layout.

    Make one with ``tensorkit.tensor``, ``arange``, ``zeros`` and their kin.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_array",
        "_autograd",
        "_base",
        "_born",
        "_counter",
        "_device",
        "_dtype",
        "_layout",
        "_origin",
        "_solid",
        "_storage",
    )
    __array_priority__ = 1000  # NumPy lets us answer `array + tensor`
    _array: Array | None
    _autograd: Any  # None until autograd has something to remember
    _base: Tensor | None
    _born: int  # only on views: the family's version when the view was made
    _counter: list[int] | None  # one cell, shared by all views: how often the storage was written to
    _device: device
    _dtype: dtype
    _layout: Layout | None
    _origin: (
        int  # only on views: 0, or what makes a write through this one ambiguous (see `autograd.grad_mode`)
    )
    _solid: bool  # only meaningful while `_array` is there: C-contiguous, and its strides say so too
    _storage: UntypedStorage | None
    # Only on views: `CONJ` where the conjugates of the elements are what is stored, `NEG` where their negatives are.
    _bits: int = 0

    # -- the three lazy faces -------------------------------------------------------------------------------------

    def _lay(self) -> Layout:
        """The layout; written down now if this is a fresh result."""
        layout = self._layout
        if layout is None:
            assert self._array is not None
            layout = self._layout = layouts.contiguous(self._array.shape)
        return layout

    def _store(self) -> UntypedStorage:
        """The storage; made now, over the array's own memory, if this is a fresh result."""
        storage = self._storage
        if storage is None:
            with _lazy:
                if self._storage is None:
                    assert self._array is not None
                    self._lay()
                    made = adopt(self._array)
                    made.remember(self)
                    self._storage = made
                storage = self._storage
        return storage

    def _checked_store(self) -> UntypedStorage:
        """The storage, to read or write the elements through it; refused where it does not reach them."""
        storage = self._store()
        if storage._shrunk and self._device.type != "meta":
            lay, item = self._lay(), self._dtype.itemsize
            reach, held = lay.reach() * item, storage.nbytes()
            if reach > held:
                raise RuntimeError(_out_of_bounds(lay, item, reach, held))
        return storage

    def _nd(self, *, physical: bool = False) -> Array:
        """The NumPy array that shows this CPU tensor's elements in place; built now if this is a view.

        For a view that stands for conjugates or negatives (`_bits`) it is a read-only copy;
        `physical` asks for the stored elements.
        """
        array = self._array
        if array is None:
            storage, lay, kind = self._storage, self._layout or self._lay(), self._dtype
            if storage is None:
                storage = self._store()
            if storage._shrunk:  # NumPy itself does not look at a buffer of no bytes
                storage = self._checked_store()
            size = lay.size
            start, steps, row_major = remembered(lay, kind, _in_bytes)
            try:
                array = numpy.ndarray(size, kind.numpy, storage._buffer, start, steps)
            except (TypeError, ValueError) as error:
                if self._device.type == "cuda":
                    raise two_devices(self._device, "cpu") from None
                if (refused := unallocated(error)) is None:
                    raise
                # Such as a view of one element, expanded beyond all measure.
                raise (refused if isinstance(refused, ValueError) else overflowed(size)) from None
            if self._bits and not physical:
                self._solid = False
                if array.size:
                    check_negatable(self._bits, kind)
                    array = numpy.asarray(turned(array, self._bits))
                array.flags.writeable = False  # what writes here has to turn it: it asks for what is stored
                return array
            self._solid = row_major and array.flags.c_contiguous
            if self._bits:
                return array
            self._array = array
            storage.remember(self)
        return array

    def _forget_array(self) -> None:
        """The storage's buffer was replaced: what was cached over the old one is wrong now."""
        self._lay()
        self._array = None

    def _view(self, layout: Layout) -> Tensor:
        """Another tensor on the same storage, with its own layout and the same version counter."""
        storage = self._storage
        out = _new(Tensor)
        out._storage = self._store() if storage is None else storage
        out._layout = layout
        out._array = None
        out._dtype = self._dtype
        out._device = self._device
        counter = self._counter
        if counter is None:
            counter = self._counter = [0]
        out._counter = counter
        out._born = counter[0]
        base = self._base
        if base is None:
            out._base = self
            out._origin = 0
        else:
            out._base = base
            out._origin = self._origin
        out._autograd = None
        if self._bits:
            out._bits = self._bits
        if _markers:
            _markers[-1](out)
        return out

    def _adopt_geometry(
        self, storage: UntypedStorage, layout: Layout, kind: dtype | None = None, *, apart: bool = False
    ) -> None:
        """Point this very tensor at other memory or another layout (`set_`, `resize_`, `t_` and their kin).

        Args:
            kind: how to read the elements from now on; by default as before.
            apart: whether a leaf's graphs so far are left to the past even if it keeps its dtype.
        """
        self._lay()
        meta = self._autograd
        if meta is not None and meta.leaf:
            meta.outlive(self, layout.size, apart or kind not in (None, self._dtype))
        self._storage, self._layout, self._array = storage, layout, None
        if kind is not None:
            self._dtype = kind

    def _bump(self) -> None:
        """Count one write; every view of the family sees it."""
        counter = self._counter
        if counter is None:
            self._counter = [1]
        else:
            counter[0] += 1

    # -- size, stride, offset -------------------------------------------------------------------------------------

    def size(self, dim: int | None = None, *more: Any) -> Any:
        """The number of elements along each dimension, or along one.

        Raises:
            IndexError: when `dim` is out of range.

        >>> tk.zeros(2, 3).size(), tk.zeros(2, 3).size(-1)
        (tensorkit.Size([2, 3]), 3)
        """
        if dim is None and not more:
            return self.shape
        size = self._lay().size
        return size[_place(dim, "size", len(size), more)]

    @property
    def shape(self) -> Size:
        """The same as `size()`."""
        layout = self._layout
        if layout is None:
            layout = self._lay()
        return remembered(layout, Size, _as_size)  # type: ignore[no-any-return]

    def stride(self, dim: int | None = None, *more: Any) -> Any:
        """How many storage slots lie between neighbours along each dimension, or along one.

        >>> tk.zeros(2, 3).stride(), tk.zeros(2, 3).t().stride(0)
        ((3, 1), 1)
        """
        stride = self._lay().stride
        return stride if dim is None and not more else stride[_place(dim, "stride", len(stride), more)]

    def storage_offset(self) -> int:
        """The storage slot of the first element."""
        return self._lay().offset

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self._lay().size)

    ndimension = dim

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._lay().size)

    def numel(self) -> int:
        """The number of elements."""
        return self._lay().numel

    nelement = numel

    def is_contiguous(self, *, memory_format: Any = ...) -> bool:
        """Whether the elements lie in the storage one after another in row-major order (or in another format).

        >>> t = tk.zeros(2, 3, 4, 5).contiguous(memory_format=tk.channels_last)
        >>> t.is_contiguous(), t.is_contiguous(memory_format=tk.channels_last)
        (False, True)
        """
        if memory_format is ... or memory_format is contiguous_format:
            return self._lay().is_contiguous()
        if memory_format is None:
            raise TypeError(_NO_FORMAT)
        check_format("is_contiguous", memory_format)
        return has_format(self._lay(), memory_format)

    # -- dtype, device, memory ------------------------------------------------------------------------------------

    @property
    def dtype(self) -> dtype:
        """The type of the elements."""
        return self._dtype

    @property
    def device(self) -> device:
        """Where the storage lives."""
        return self._device

    @property
    def is_cuda(self) -> bool:
        """Whether the storage lives in a CUDA device's memory."""
        return self._device.type == "cuda"

    @property
    def is_cpu(self) -> bool:
        """Whether the storage lives in the computer's own memory."""
        return self._device.type == "cpu"

    @property
    def is_meta(self) -> bool:
        """Whether the tensor has a size but no data."""
        return self._device.type == "meta"

    def get_device(self) -> int:
        """The number of the CUDA device, or -1 on the CPU."""
        return -1 if self._device.index is None else self._device.index

    def is_floating_point(self) -> bool:
        """Whether the elements are floating point numbers (complex ones do not count)."""
        return self._dtype.is_floating_point

    def is_complex(self) -> bool:
        """Whether the elements are complex numbers."""
        return self._dtype.is_complex

    def is_signed(self) -> bool:
        """Whether the elements can be negative."""
        return self._dtype.is_signed

    def element_size(self) -> int:
        """Bytes of one element."""
        return self._dtype.itemsize

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements: numel × itemsize (the storage may be larger, or smaller after `expand`)."""
        return self._lay().numel * self._dtype.itemsize

    def untyped_storage(self) -> UntypedStorage:
        """The bytes that this tensor and its views share."""
        return self._store()

    def storage(self) -> TypedStorage:
        """The storage read as elements of this dtype. PyTorch prefers `untyped_storage` today, and says so once."""
        return TypedStorage(dtype=self._dtype, wrap_storage=self._store())

    def data_ptr(self) -> int:
        """The address of the first element in its device's memory; 0 for an empty tensor."""
        lay = self._lay()
        start = self._store().data_ptr()
        return start + lay.offset * self._dtype.itemsize if start and lay.numel else 0

    def is_set_to(self, tensor: Tensor) -> bool:
        """Whether the other tensor has the same storage, offset, size and stride.

        As in PyTorch no view that stands for conjugates or negatives is set to anything, not even to itself.
        """
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"is_set_to(): argument 'tensor' (position 1) must be Tensor, not {type_name(tensor)}"
            )
        if self._bits or tensor._bits:
            return False
        return self._store() is tensor._store() and self._lay() == tensor._lay()

    @property
    def _version(self) -> int:
        """How many times the storage was written to through this tensor's family of views."""
        meta = self._autograd
        if meta is not None and meta.inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._counter is None else self._counter[0]

    def _is_view(self) -> bool:
        """Whether this tensor was made as a view of another."""
        return self._base is not None

    # -- Python's own protocols -----------------------------------------------------------------------------------

    def __len__(self) -> int:
        size = self._lay().size
        if not size:
            raise TypeError("len() of a 0-d tensor")
        return size[0]

    def __hash__(self) -> int:
        return id(self)


def _out_of_bounds(lay: Layout, item: int, reach: int, nbytes: int) -> str:
    return (
        f"setStorage: sizes {list(lay.size)}, strides {list(lay.stride)}, storage offset {lay.offset}, and itemsize "
        f"{item} requiring a storage size of {reach} are out of bounds for storage of size {nbytes}\n"
        "The storage was made smaller after this tensor was made: grow it again with resize_."
    )


def _dim(dim: Any, name: str) -> int:
    kind = type(dim)
    several = kind is Tensor and (dim.numel() != 1 or dim.dtype.category != 1)
    if kind is bool or several or not hasattr(dim, "__index__"):
        raise TypeError(f"{name}(): argument 'dim' (position 1) must be int, not {type(dim).__name__}")
    return int(dim.__index__())


def _place(dim: Any, name: str, ndim: int, more: tuple[Any, ...]) -> int:
    """A dimension that is asked about, from the front; PyTorch does not count the tensor, as Python would."""
    if more:
        raise TypeError(f"{name}() takes from 0 to 1 positional arguments but {1 + len(more)} were given")
    if not ndim:
        raise IndexError(f"Dimension specified as {_dim(dim, name)} but tensor has no dimensions")
    return normalise_dim(_dim(dim, name), ndim)


def fresh(array: Array, kind: dtype) -> Tensor:
    """A CPU tensor that owns a new C-contiguous array: what every out-of-place kernel returns."""
    out = _new(Tensor)
    out._array = array
    out._solid = True
    out._layout = None
    out._storage = None
    out._dtype = kind
    out._device = CPU
    out._counter = None
    out._base = None
    out._autograd = None
    return out


def fresh_strided(array: Array, kind: dtype) -> Tensor:
    """A CPU tensor that owns a new array whose elements fill a block of memory, in whatever order."""
    out = fresh(array, kind)
    item = array.itemsize
    out._layout = Layout(array.shape, tuple([step // item for step in array.strides]), 0)
    out._solid = False
    return out


def on_storage(storage: UntypedStorage, layout: Layout, kind: dtype) -> Tensor:
    """A tensor, not a view of another, over a storage on any device."""
    out = _new(Tensor)
    out._array = None
    out._solid = False
    out._layout = layout
    out._storage = storage
    out._dtype = kind
    out._device = storage.device
    out._counter = None
    out._base = None
    out._autograd = None
    return out


def push_marker(marker: Callable[[Tensor], None]) -> None:
    """From now on show each new view to `marker`: some thread does not record."""
    _markers.append(marker)


def pop_marker() -> None:
    """Undo one `push_marker`."""
    _markers.pop()


def attach(name: str, member: Any, *, again: bool = False) -> None:
    """Give `Tensor` a method, operator or property that a higher module defines: the only way to do so.

    Args:
        again: in place of the one that has the name.

    Raises:
        RuntimeError: when the name is taken: one name, one meaning.
    """
    if name in Tensor.__dict__ and not name.startswith("__") and not again:
        raise RuntimeError(f"Tensor.{name} is already defined")
    if isinstance(member, property) and member.fset is None:
        member = _read_only(name, member)
    if inspect.isfunction(member) and member.__name__.startswith("_") and not name.startswith("_"):
        member.__name__, member.__qualname__ = (
            name,
            f"Tensor.{name}",
        )  # which Python's error for a wrong call has
    setattr(Tensor, name, member)


def _read_only(name: str, member: property) -> property:
    """A read-only property: setting it raises PyTorch's error."""

    def refuse(self: Tensor, value: Any = None) -> None:
        raise AttributeError(f"attribute '{name}' of 'tensorkit._C.TensorBase' objects is not writable")

    return property(member.fget, refuse, refuse, member.__doc__)


for _name, _member in list(vars(Tensor).items()):
    if isinstance(_member, property) and _member.fset is None:
        setattr(Tensor, _name, _read_only(_name, _member))


def _without_more(method: Any) -> None:
    """Show a method with its one parameter, under the name that PyTorch's sentences give it."""
    shown = inspect.signature(method).parameters
    method.__qualname__ = method.__name__
    method.__signature__ = inspect.Signature([shown["self"], shown["dim"]], return_annotation="Any")


for _method in (Tensor.size, Tensor.stride):
    _without_more(_method)
