"""The flat buffer behind every tensor: the only allocator, and the only copier between memories.

A storage is one row of bytes on one device. It knows no size and no stride; a tensor's `Layout` says how to read
it, and several tensors may read one storage. Its two faces are `UntypedStorage`, the bytes, and `TypedStorage`,
the same bytes read as elements of one dtype.

>>> import tensorkit as tk
>>> t = tk.arange(4, dtype=tk.int16)
>>> t.untyped_storage().nbytes(), t.t().untyped_storage() is t.untyped_storage()
(8, True)

Source: names, text and errors are PyTorch 2.13's ``torch.storage``.
"""

from __future__ import annotations

import mmap
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol
from weakref import ref

import numpy

from tensorkit import dtypes, tracing
from tensorkit.device import CPU, META, DeviceLike, device, resolve
from tensorkit.errors import MissingKernelError, no_room, warn

__all__ = [
    "BFloat16Storage",
    "BoolStorage",
    "ByteStorage",
    "CharStorage",
    "ComplexDoubleStorage",
    "ComplexFloatStorage",
    "DoubleStorage",
    "FloatStorage",
    "HalfStorage",
    "IntStorage",
    "LongStorage",
    "Memory",
    "ShortStorage",
    "Storage",
    "TypedStorage",
    "UntypedStorage",
    "adopt",
    "allocate",
    "copy_bytes",
    "memory_of",
    "register_memory",
    "legacy_class",
    "read_only_too",
    "register_reader",
    "storage_text",
    "typed",
    "warn_typed_storage",
]

Bytes = numpy.ndarray[Any, numpy.dtype[numpy.uint8]]
Face = Any  # a Tensor; this file knows only that it can forget its cached array


class Memory(Protocol):
    """What a kind of device memory must do. Positions and lengths are in bytes; buffers are its own objects."""

    def allocate(self, nbytes: int, index: int) -> Any: ...
    def pointer(self, buffer: Any) -> int: ...
    def to_host(self, buffer: Any, start: int, stop: int) -> Bytes: ...
    def from_host(self, buffer: Any, start: int, data: Bytes) -> None: ...
    def copy(self, dst: Any, dst_start: int, src: Any, src_start: int, nbytes: int) -> None: ...


class _HostMemory:
    """The computer's own memory: a buffer is a one-dimensional NumPy array of bytes."""

    def allocate(self, nbytes: int, index: int) -> Bytes:
        try:
            return numpy.empty(nbytes, numpy.uint8)
        except (MemoryError, ValueError):
            raise no_room(nbytes) from None

    def pointer(self, buffer: Bytes) -> int:
        return int(buffer.__array_interface__["data"][0]) if buffer.size else 0

    def to_host(self, buffer: Bytes, start: int, stop: int) -> Bytes:
        return buffer[start:stop]

    def from_host(self, buffer: Bytes, start: int, data: Bytes) -> None:
        buffer[start : start + data.size] = data

    def copy(self, dst: Bytes, dst_start: int, src: Bytes, src_start: int, nbytes: int) -> None:
        dst[dst_start : dst_start + nbytes] = src[src_start : src_start + nbytes]


class _NoBytes:
    """What stands in for a buffer on the meta device: it has a length and nothing in it."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes


class _MetaMemory:
    """The meta device: sizes without data, to plan with."""

    def allocate(self, nbytes: int, index: int) -> _NoBytes:
        return _NoBytes(nbytes)

    def pointer(self, buffer: _NoBytes) -> int:
        return 0

    def to_host(self, buffer: _NoBytes, start: int, stop: int) -> Bytes:
        raise MissingKernelError("Cannot copy out of meta tensor; no data!")

    def from_host(self, buffer: _NoBytes, start: int, data: Bytes) -> None:
        pass  # nothing is kept, as in PyTorch

    def copy(self, dst: _NoBytes, dst_start: int, src: _NoBytes, src_start: int, nbytes: int) -> None:
        pass  # nothing is kept, as in PyTorch


_memories: dict[str, Memory] = {"cpu": _HostMemory(), "meta": _MetaMemory()}


def register_memory(device_type: str, memory: Memory) -> None:
    """Tell the engine how to allocate and copy on a kind of device (called by ``kernels.cuda``)."""
    _memories[device_type] = memory


def memory_of(where: device) -> Memory:
    """The memory that serves a device."""
    return _memories[where.type]


class UntypedStorage:
    """One row of bytes on one device.

    Args:
        size: the number of bytes, or a sequence of integers 0 … 255 to fill it with.
        device: where to allocate.

    >>> import tensorkit as tk
    >>> tk.UntypedStorage([1, 2, 255]).tolist()
    [1, 2, 255]
    """

    __slots__ = ("__weakref__", "_buffer", "_faces", "_foreign", "_prune_at", "_shared", "device")
    device: device
    is_sparse = False
    is_hpu = False

    def __init__(self, *size: int | Sequence[int], device: DeviceLike = None) -> None:
        if len(size) > 1:
            raise TypeError(_UNTYPED_FORMS.format(", ".join(type(value).__name__ for value in size)))
        asked: Any = size[0] if size else 0
        self.device = CPU if device is None else resolve(device)
        values = None if isinstance(asked, int) else _bytes_of(asked)
        nbytes = asked if values is None else len(values)
        _check_length(nbytes)
        self._buffer = memory_of(self.device).allocate(nbytes, self.device.index or 0)
        self._faces: list[ref[Face]] = []
        self._prune_at = 16
        self._foreign = False
        self._shared = False
        if values is not None:
            memory_of(self.device).from_host(self._buffer, 0, values)

    # -- what the engine uses -------------------------------------------------------------------------------------

    def remember(self, face: Face) -> None:
        """A tensor cached an array over this buffer: it must hear of it when the buffer is replaced."""
        faces = self._faces
        if len(faces) >= self._prune_at:
            faces[:] = [f for f in faces if f() is not None]
            self._prune_at = 2 * len(faces) + 16
        faces.append(ref(face))

    def read(self, start: int, stop: int) -> Bytes:
        """Bytes `start` to `stop` as a host array: the memory itself on the CPU, a copy from elsewhere."""
        data = memory_of(self.device).to_host(self._buffer, start, stop)
        if tracing.active and self.device.type != "cpu":
            tracing.emit(tracing.CopyEvent(stop - start, str(self.device), "cpu"))
        return data

    def write(self, start: int, data: Bytes) -> None:
        """Put host bytes into the buffer at `start`."""
        memory_of(self.device).from_host(self._buffer, start, data)
        if tracing.active and self.device.type != "cpu":
            tracing.emit(tracing.CopyEvent(data.size, "cpu", str(self.device)))

    # -- what PyTorch's users know --------------------------------------------------------------------------------

    def nbytes(self) -> int:
        """The number of bytes."""
        return int(self._buffer.nbytes)

    def size(self) -> int:
        """The number of elements, which for an untyped storage are bytes."""
        return self.nbytes()

    def element_size(self) -> int:
        """Bytes of one element: 1."""
        return 1

    def __len__(self) -> int:
        return self.nbytes()

    def data_ptr(self) -> int:
        """The address of the first byte in its device's memory; 0 for an empty storage."""
        return memory_of(self.device).pointer(self._buffer)

    @property
    def is_cuda(self) -> bool:
        """Whether the bytes live in a CUDA device's memory."""
        return self.device.type == "cuda"

    def resizable(self) -> bool:
        """Whether `resize_` may be called: the buffer is this storage's own, not NumPy's or another library's."""
        return not self._foreign

    def resize_(self, size: int) -> UntypedStorage:
        """Grow or shrink to `size` bytes, keeping what fits. Every tensor on this storage sees the new buffer.

        Raises:
            RuntimeError: when the memory belongs to another library, or `size` is negative.
        """
        if not isinstance(size, int):
            raise RuntimeError(f"resize_ expects an int, but got {type(size).__name__}")
        _check_length(size)
        if not self.resizable():
            raise RuntimeError("Trying to resize storage that is not resizable")
        memory = memory_of(self.device)
        fresh = memory.allocate(size, self.device.index or 0)
        memory.copy(fresh, 0, self._buffer, 0, min(size, self.nbytes()))
        self._replace(fresh)
        return self

    def _replace(self, buffer: Any) -> None:
        self._buffer = buffer
        for face in self._faces:
            tensor = face()
            if tensor is not None:
                tensor._forget_array()
        self._faces.clear()

    def copy_(self, source: UntypedStorage | TypedStorage, non_blocking: bool = False) -> UntypedStorage:
        """Take over the bytes of another storage of the same length, from whichever device."""
        source = _bytes_behind(source)
        if source.nbytes() != self.nbytes():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes"
            )
        copy_bytes(self, 0, source, 0, self.nbytes())
        return self

    def fill_(self, value: int) -> UntypedStorage:
        """Set every byte to `value`."""
        if not isinstance(value, int):
            raise RuntimeError(f"fill_ expects int, but got {type(value).__name__}")
        self[:] = value
        return self

    def clone(self) -> UntypedStorage:
        """A storage of its own with the same bytes on the same device."""
        return UntypedStorage(self.nbytes(), device=self.device).copy_(self)

    def cpu(self) -> UntypedStorage:
        """This storage if it is on the CPU, otherwise a copy there."""
        return self if self.device == CPU else UntypedStorage(self.nbytes()).copy_(self)

    def cuda(self, device: DeviceLike = None, non_blocking: bool = False) -> UntypedStorage:
        """A copy on a CUDA device; this storage if it is there."""
        return self.to(device="cuda" if device is None else device)

    def to(self, *, device: DeviceLike, non_blocking: bool = False) -> UntypedStorage:
        """This storage if it is on that device, otherwise a copy there."""
        where = resolve(device)
        return self if where == self.device else UntypedStorage(self.nbytes(), device=where).copy_(self)

    def new(self) -> UntypedStorage:
        """An empty storage on the same device."""
        return UntypedStorage(device=self.device)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the class; or, given a legacy name or class, these bytes as numbers of that type."""
        if dtype is None:
            return "tensorkit.storage.UntypedStorage"
        return self._to(_legacy_dtype(dtype))

    def _to(self, kind: dtypes.dtype) -> TypedStorage:
        return TypedStorage(wrap_storage=self, dtype=dtypes.uint8)._to(kind)

    def byteswap(self, dtype: dtypes.dtype) -> None:
        """Turn the bytes of every element of `dtype` around, in place."""
        size = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
        count = self.nbytes() // size
        turned = self.read(0, count * size).reshape(count, size)[:, ::-1]
        self.write(0, numpy.ascontiguousarray(turned).reshape(-1))

    @classmethod
    def from_buffer(
        cls,
        buffer: Any,
        byte_order: str | None = None,
        count: int = -1,
        offset: int = 0,
        *,
        dtype: dtypes.dtype = dtypes.uint8,
    ) -> UntypedStorage:
        """A storage with a copy of the bytes of a buffer, such as a `bytes` object, in this machine's byte order.

        >>> UntypedStorage.from_buffer(b"ab").tolist()
        [97, 98]
        """
        size = dtype.itemsize
        data = numpy.frombuffer(buffer, numpy.uint8, -1 if count < 0 else count * size, offset)
        made = adopt(data.copy())
        if byte_order in ("little", "big") and byte_order != sys.byteorder:
            made.byteswap(dtype)
        return made

    # -- memory that several processes see ------------------------------------------------------------------------

    def is_shared(self) -> bool:
        """Whether processes that are forked from now on see the same memory; on a CUDA device always."""
        return self._shared or self.is_cuda

    def share_memory_(self) -> UntypedStorage:
        """Move the bytes to memory that processes forked from now on share. It cannot be resized afterwards.

        Raises:
            RuntimeError: on the meta device.

        >>> UntypedStorage([1, 2]).share_memory_().is_shared()
        True
        """
        if self.is_shared():
            return self
        if self.device != CPU:
            raise RuntimeError("_share_fd_: only available on CPU")
        count = self.nbytes()
        if count:
            shared = numpy.frombuffer(mmap.mmap(-1, count), numpy.uint8)
            shared[:] = self._buffer
            self._replace(shared)
        self._shared = self._foreign = True
        return self

    def is_pinned(self, device: DeviceLike = "cuda") -> bool:
        """Whether the memory is locked for transfers to an accelerator: never, here."""
        return False

    def pin_memory(self, device: DeviceLike = "cuda") -> UntypedStorage:
        """Refused: there is no pinned memory."""
        raise RuntimeError(NO_PINNED)

    @property
    def filename(self) -> str | None:
        """The file that the memory is mapped from: none, here."""
        return None

    def get_device(self) -> int | None:
        """The number of the CUDA device, or None on the CPU."""
        return self.device.index

    # -- Python's own protocols -----------------------------------------------------------------------------------

    def tolist(self) -> list[int]:
        """The bytes as Python integers."""
        _check_data(self.device)
        values: list[int] = self.read(0, self.nbytes()).tolist()
        return values

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __copy__(self) -> UntypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> UntypedStorage:
        found = memo.get(id(self))
        if found is None:
            found = memo[id(self)] = self.clone()
        return found

    def __reduce__(self) -> tuple[Callable[..., UntypedStorage], tuple[bytes | int, str]]:
        data = self.nbytes() if self.device == META else self.read(0, self.nbytes()).tobytes()
        return _rebuild, (data, str(self.device))

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            start, stop, step = index.indices(self.nbytes())
            if step != 1:
                raise RuntimeError(
                    f"Trying to slice with a step of {step}, but only a step of 1 is supported"
                )
            return self._part(start, max(start, stop))
        if not isinstance(index, int):
            raise TypeError(f"can't index a tensorkit.UntypedStorage with {type(index).__name__}")
        size = self.nbytes()
        position = index + size if index < 0 else index
        if not 0 <= position < size:
            raise IndexError(f"index {position} out of range for storage of size {size}")
        return int(self.read(position, position + 1)[0])

    def _part(self, start: int, stop: int) -> UntypedStorage:
        """A stretch of the bytes, in the same memory where that can be said."""
        if self.device == CPU:
            return _wrapping(self._buffer[start:stop], CPU, foreign=True)
        part = UntypedStorage(stop - start, device=self.device)
        copy_bytes(part, 0, self, start, stop - start)
        return part

    def __setitem__(self, index: int | slice, value: int) -> None:
        if not isinstance(value, int):
            raise RuntimeError(
                f"can only set storage content with a int types, but got {type(value).__name__} instead"
            )
        if isinstance(index, slice):
            start, stop, step = index.indices(self.nbytes())
            if step != 1:
                raise RuntimeError(
                    f"Trying to slice with a step of {step}, but only a step of 1 is supported"
                )
        else:
            if not isinstance(index, int):
                raise RuntimeError(f"can't index a tensorkit.UntypedStorage with {type(index).__name__}")
            if not 0 <= index < self.nbytes():
                raise RuntimeError(
                    f"out of bounds\nbyte {index} of a storage of {self.nbytes()} bytes; negative indices can be "
                    "read but not written"
                )
            start, stop = index, index + 1
        self.write(start, numpy.full(max(0, stop - start), value & 255, numpy.uint8))

    def untyped(self) -> UntypedStorage:
        """Itself."""
        return self

    def __repr__(self) -> str:
        values = None if self.device == META else self.tolist()
        return storage_text(values, f"UntypedStorage(device={self.device})", self.nbytes())


_warned_typed_storage = False


def warn_typed_storage() -> None:
    """Say, once, that PyTorch prefers storages of bytes today."""
    global _warned_typed_storage
    if _warned_typed_storage:
        return
    _warned_typed_storage = True
    warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
        "class. This should only matter to you if you are using storages directly.  To access UntypedStorage "
        "directly, use tensor.untyped_storage() instead of tensor.storage()"
    )


class TypedStorage:
    """A storage's bytes read as elements of one dtype. PyTorch keeps it for old code; so do we.

    Args:
        data: how many elements, or a sequence of numbers; nothing for an empty storage.
        dtype: the type of the elements; the default dtype if not given.
        device: where to allocate.
        wrap_storage: the `UntypedStorage` to read.

    >>> import warnings
    >>> import tensorkit as tk
    >>> with warnings.catch_warnings(action="ignore"):  # the first one says what to use today
    ...     s = tk.TypedStorage([1, 2.5])
    >>> s[1] = 7
    >>> print(s)
     1.0
     7.0
    [tensorkit.storage.TypedStorage(dtype=tensorkit.float32, device=cpu) of size 2]
    """

    __slots__ = ("__weakref__", "_untyped_storage", "dtype")
    dtype: dtypes.dtype
    is_sparse = False
    is_hpu = False
    filename = None

    def __init__(
        self,
        *data: Any,
        dtype: dtypes.dtype | None = None,
        device: DeviceLike = None,
        wrap_storage: UntypedStorage | None = None,
    ) -> None:
        warn_typed_storage()
        if len(data) > 1:
            raise RuntimeError(_TYPED_FORMS + "Too many positional arguments")
        if wrap_storage is not None:
            _check_wrapping(data, dtype, device, wrap_storage)
        elif dtype is not None and not isinstance(dtype, dtypes.dtype):
            raise RuntimeError(f"expected tensorkit.dtype, but got {type(dtype)}")
        self.dtype = dtype or dtypes.get_default_dtype()
        if wrap_storage is None:
            where = resolve("cpu" if device is None else device)
            wrap_storage = _storage_of(data[0] if data else 0, self.dtype, where, _TYPED_FORMS)
        self._untyped_storage = wrap_storage

    @property
    def device(self) -> device:
        """Where the bytes live."""
        return self._untyped_storage.device

    @property
    def is_cuda(self) -> bool:
        """Whether the bytes live in a CUDA device's memory."""
        return self._untyped_storage.is_cuda

    def untyped(self) -> UntypedStorage:
        """The bytes themselves."""
        return self._untyped_storage

    def size(self) -> int:
        """The number of elements."""
        return self._untyped_storage.nbytes() // int(self.dtype.itemsize)

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._untyped_storage.nbytes()

    def element_size(self) -> int:
        """Bytes of one element."""
        return int(self.dtype.itemsize)

    def data_ptr(self) -> int:
        """The address of the first element in its device's memory."""
        return self._untyped_storage.data_ptr()

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The legacy name, such as ``'tensorkit.FloatStorage'``; or, given another, the numbers as that type.

        >>> import tensorkit as tk
        >>> tk.FloatStorage([1.5]).type(), tk.FloatStorage([1.5]).type("torch.LongStorage").tolist()
        ('tensorkit.FloatStorage', [1])
        """
        if dtype is not None:
            return self._to(_legacy_dtype(dtype))
        named = self.device.type in ("cpu", "cuda") and f"{self.dtype.label}Storage" in _LEGACY
        place = "cuda." if self.is_cuda else ""
        return f"tensorkit.{place}{self.dtype.label}Storage" if named else "tensorkit.storage.TypedStorage"

    def pickle_storage_type(self) -> str:
        """The legacy name without its place, such as ``'FloatStorage'``."""
        return f"{self.dtype.label}Storage"

    def is_shared(self) -> bool:
        """Whether processes that are forked from now on see the same memory."""
        return self._untyped_storage.is_shared()

    def share_memory_(self) -> TypedStorage:
        """Move the elements to memory that processes forked from now on share."""
        self._untyped_storage.share_memory_()
        return self

    def is_pinned(self, device: DeviceLike = "cuda") -> bool:
        """Whether the memory is locked for transfers to an accelerator: never, here."""
        return False

    def pin_memory(self, device: DeviceLike = "cuda") -> TypedStorage:
        """Refused: there is no pinned memory."""
        raise RuntimeError(NO_PINNED)

    def resizable(self) -> bool:
        """Whether `resize_` may be called."""
        return self._untyped_storage.resizable()

    def get_device(self) -> int | None:
        """The number of the CUDA device, or None on the CPU."""
        return self._untyped_storage.get_device()

    def resize_(self, size: int) -> None:
        """Grow or shrink to `size` elements, keeping what fits."""
        if not isinstance(size, int):
            raise RuntimeError(f"resize_ expects an int, but got {type(size).__name__}")
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    def copy_(self, source: UntypedStorage | TypedStorage, non_blocking: bool = False) -> TypedStorage:
        """Take over the bytes of another storage of as many bytes; they are not converted."""
        self._untyped_storage.copy_(source)
        return self

    def fill_(self, value: Any) -> TypedStorage:
        """Set every element to `value`."""
        self[:] = value
        return self

    def clone(self) -> TypedStorage:
        """A storage of its own with the same elements."""
        return TypedStorage(dtype=self.dtype, wrap_storage=self._untyped_storage.clone())

    def cpu(self) -> TypedStorage:
        """This storage's elements on the CPU."""
        return TypedStorage(dtype=self.dtype, wrap_storage=self._untyped_storage.cpu())

    def cuda(self, device: DeviceLike = None, non_blocking: bool = False) -> TypedStorage:
        """This storage's elements on a CUDA device."""
        return TypedStorage(dtype=self.dtype, wrap_storage=self._untyped_storage.cuda(device))

    def to(self, *, device: DeviceLike, non_blocking: bool = False) -> TypedStorage:
        """This storage's elements on a device."""
        return TypedStorage(dtype=self.dtype, wrap_storage=self._untyped_storage.to(device=device))

    def _to(self, kind: dtypes.dtype) -> TypedStorage:
        """The same numbers as elements of another dtype, in a storage of their own."""
        with numpy.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy's, of imaginary parts that are lost
            values = self._host().astype(kind.numpy)
        return TypedStorage(dtype=kind, wrap_storage=adopt(values).to(device=self.device))

    @classmethod
    def from_buffer(cls, *args: Any, dtype: dtypes.dtype | None = None, **kwargs: Any) -> TypedStorage:
        """A storage with a copy of a buffer's elements: see `UntypedStorage.from_buffer`."""
        kind = dtype or dtypes.get_default_dtype()
        return TypedStorage(dtype=kind, wrap_storage=UntypedStorage.from_buffer(*args, dtype=kind, **kwargs))

    def __copy__(self) -> TypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> TypedStorage:
        return TypedStorage(dtype=self.dtype, wrap_storage=self._untyped_storage.__deepcopy__(memo))

    def __reduce__(self) -> tuple[Callable[..., TypedStorage], tuple[Any, ...]]:
        return _rebuild_typed, (*self._untyped_storage.__reduce__()[1], self.dtype)

    def tolist(self) -> list[Any]:
        """The elements as Python numbers."""
        _check_data(self.device)
        values: list[Any] = self._host().tolist()
        return values

    def __len__(self) -> int:
        return self.size()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, index: int) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if isinstance(index, bool):
            raise TypeError(f"can't index a {type(self)} with {type(index)}")
        size = self.size()
        if not -size <= index < size:
            raise IndexError(f"index {index} out of range for storage of size {size}")
        _check_data(self.device)
        return self._host()[index % size].item()

    def __setitem__(self, index: int | slice, value: Any) -> None:
        if not isinstance(value, (bool, int, float, complex, numpy.number, numpy.bool_)):
            raise TypeError(f"can't assign a {type(value).__name__} to a tensorkit.{self.dtype.label}Tensor")
        start, stop, step = self._range(index)
        piece = self._host()[start:stop:step]
        converted = numpy.empty(len(range(start, stop, step)), self.dtype.numpy)
        try:
            converted[...] = value
        except OverflowError:
            raise RuntimeError(
                f"value cannot be converted to type {self.dtype.name}_t without overflow"
            ) from None
        if self.device == CPU:
            piece[...] = converted
            return
        size = self.dtype.itemsize
        for position, element in zip(range(start, stop, step), converted.reshape(-1, 1), strict=True):
            self._untyped_storage.write(position * size, element.view(numpy.uint8))

    def _range(self, index: int | slice) -> tuple[int, int, int]:
        if isinstance(index, slice):
            return index.indices(self.size())
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -self.size() <= index < self.size():
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {self.size()}")
        return index % self.size(), index % self.size() + 1, 1

    def _host(self) -> numpy.ndarray[Any, Any]:
        count = self.size() * self.dtype.itemsize
        return self._untyped_storage.read(0, count).view(self.dtype.numpy)

    def __repr__(self) -> str:
        values = None if self.device == META else self.tolist()
        return storage_text(values, f"TypedStorage(dtype={self.dtype}, device={self.device})", self.size())


def _conversion(name: str, kind: dtypes.dtype) -> Callable[..., TypedStorage]:
    def convert(self: UntypedStorage | TypedStorage) -> TypedStorage:
        return self._to(kind)

    convert.__name__ = name
    convert.__doc__ = (
        f"The elements (of bytes: each byte) as ``tensorkit.{kind.name}``, in a storage of their own."
    )
    return convert


_CONVERSIONS = {
    "bfloat16": dtypes.bfloat16,
    "bool": dtypes.bool,
    "byte": dtypes.uint8,
    "char": dtypes.int8,
    "complex_double": dtypes.complex128,
    "complex_float": dtypes.complex64,
    "double": dtypes.float64,
    "float": dtypes.float32,
    "half": dtypes.float16,
    "int": dtypes.int32,
    "long": dtypes.int64,
    "short": dtypes.int16,
}
for _name, _kind in _CONVERSIONS.items():
    setattr(UntypedStorage, _name, _conversion(_name, _kind))
    setattr(TypedStorage, _name, _conversion(_name, _kind))


# -- the classes of the years before dtypes -----------------------------------------------------------------------


_LEGACY: dict[str, dtypes.dtype] = {}


class _LegacyStorageMeta(type):
    """The type of `FloatStorage` and its kin, which make a `TypedStorage` and recognise one by its dtype."""

    dtype: dtypes.dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype


class _LegacyStorage(metaclass=_LegacyStorageMeta):
    def __init_subclass__(cls, dtype: dtypes.dtype, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.dtype = dtype
        cls.__module__ = "tensorkit"
        _LEGACY[cls.__name__] = dtype

    def __new__(cls, *data: Any, wrap_storage: Any = None, **kwargs: Any) -> TypedStorage:  # type: ignore[misc]
        forms = _LEGACY_FORMS.format(cls)
        warn_typed_storage()
        if kwargs:
            raise RuntimeError(f"{forms}Keyword argument '{next(iter(kwargs))}' cannot be specified")
        if len(data) > 1:
            raise RuntimeError(forms + "Too many positional arguments")
        if wrap_storage is None:
            wrap_storage = _storage_of(data[0] if data else 0, cls.dtype, CPU, forms)
        elif not isinstance(wrap_storage, UntypedStorage):
            raise TypeError(
                f"{forms}Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}"
            )
        return TypedStorage(dtype=cls.dtype, wrap_storage=wrap_storage)

    @classmethod
    def from_buffer(cls, *args: Any, **kwargs: Any) -> TypedStorage:
        """A storage with a copy of a buffer's elements: see `UntypedStorage.from_buffer`."""
        return TypedStorage.from_buffer(*args, dtype=cls.dtype, **kwargs)


class DoubleStorage(_LegacyStorage, dtype=dtypes.float64):
    """``TypedStorage`` of float64."""


class FloatStorage(_LegacyStorage, dtype=dtypes.float32):
    """``TypedStorage`` of float32.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore")
    >>> isinstance(tk.FloatStorage([1.0, 2.0]), tk.FloatStorage)
    True
    """


class HalfStorage(_LegacyStorage, dtype=dtypes.float16):
    """``TypedStorage`` of float16."""


class BFloat16Storage(_LegacyStorage, dtype=dtypes.bfloat16):
    """``TypedStorage`` of bfloat16."""


class LongStorage(_LegacyStorage, dtype=dtypes.int64):
    """``TypedStorage`` of int64."""


class IntStorage(_LegacyStorage, dtype=dtypes.int32):
    """``TypedStorage`` of int32."""


class ShortStorage(_LegacyStorage, dtype=dtypes.int16):
    """``TypedStorage`` of int16."""


class CharStorage(_LegacyStorage, dtype=dtypes.int8):
    """``TypedStorage`` of int8."""


class ByteStorage(_LegacyStorage, dtype=dtypes.uint8):
    """``TypedStorage`` of uint8."""


class BoolStorage(_LegacyStorage, dtype=dtypes.bool):
    """``TypedStorage`` of bool."""


class ComplexFloatStorage(_LegacyStorage, dtype=dtypes.complex64):
    """``TypedStorage`` of complex64."""


class ComplexDoubleStorage(_LegacyStorage, dtype=dtypes.complex128):
    """``TypedStorage`` of complex128."""


Storage = FloatStorage


def _legacy_dtype(given: Any) -> dtypes.dtype:
    """The dtype that one of these classes, or its name with either package's, stands for."""
    name = given if isinstance(given, str) else getattr(given, "__name__", "")
    kind = _LEGACY.get(name.removeprefix("torch.").removeprefix("tensorkit."))
    if kind is None:
        raise ValueError(f"invalid type: {given!r}")
    return kind


# -- what a storage is made from ----------------------------------------------------------------------------------

_UNTYPED_FORMS = (
    "tensorkit.UntypedStorage() received an invalid combination of arguments - got ({}), but expected one of:\n"
    " * (*, int allocator = None, tensorkit.device device = None)\n"
    " * (int size, *, int allocator = None, tensorkit.device device = None)\n"
    " * (object sequence, *, int allocator = None, tensorkit.device device = None)\n"
)
_TYPED_FORMS = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, tensorkit.device device, tensorkit.dtype dtype)\n"
    " * (int size, *, tensorkit.device device, tensorkit.dtype dtype)\n"
    " * (Sequence data, *, tensorkit.device device, tensorkit.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, tensorkit.dtype dtype)\n"
)
_LEGACY_FORMS = (
    "{}.__new__ received an invalid combination of arguments. Expected one of:\n * no arguments\n * (int size)\n"
    " * (Sequence data)\n * (*, UntypedStorage wrap_storage)\n"
)
NO_PINNED = "Cannot access accelerator device when none is available."
_reader: Callable[[Sequence[Any], dtypes.dtype], UntypedStorage] | None = None


def register_reader(read: Callable[[Sequence[Any], dtypes.dtype], UntypedStorage]) -> None:
    """Told by ``ops`` how numbers are read into a storage."""
    global _reader
    _reader = read


def _storage_of(data: Any, kind: dtypes.dtype, where: device, forms: str) -> UntypedStorage:
    if isinstance(data, int) and not isinstance(data, bool):
        return UntypedStorage(data * kind.itemsize, device=where)
    if not isinstance(data, Sequence):
        raise TypeError(f"{forms}Argument type not recognized: {type(data)}")
    assert _reader is not None
    return _reader(data, kind).to(device=where)


def _check_wrapping(data: tuple[Any, ...], kind: Any, where: Any, storage: Any) -> None:
    if data:
        wrong = "No positional arguments should be given when using 'wrap_storage'"
    elif kind is None:
        wrong = "Argument 'dtype' must be specified"
    elif where is not None:
        wrong = "Argument 'device' should not be specified when 'wrap_storage' is given"
    elif not isinstance(kind, dtypes.dtype):
        raise TypeError(f"{_TYPED_FORMS}Argument 'dtype' must be tensorkit.dtype, not {type(kind)}")
    elif not isinstance(storage, UntypedStorage):
        raise TypeError(
            f"{_TYPED_FORMS}Argument 'wrap_storage' must be UntypedStorage, but got {type(storage)}"
        )
    else:
        return
    raise RuntimeError(_TYPED_FORMS + wrong)


def _rebuild(data: bytes | int, where: str) -> UntypedStorage:
    """What a pickled storage is made of again."""
    if isinstance(data, int):
        return UntypedStorage(data, device=where)
    return adopt(numpy.frombuffer(bytearray(data), numpy.uint8)).to(device=where)


def _rebuild_typed(data: bytes | int, where: str, kind: dtypes.dtype) -> TypedStorage:
    return typed(_rebuild(data, where), kind)


def typed(storage: UntypedStorage, kind: dtypes.dtype) -> TypedStorage:
    """A storage's typed face, without the warning that it is old: for the engine's own use."""
    made = TypedStorage.__new__(TypedStorage)
    made.dtype = kind
    made._untyped_storage = storage
    return made


def legacy_class(kind: dtypes.dtype) -> Any:
    """The class that storages of a dtype are recognised by; None where there is none."""
    return globals().get(f"{kind.label}Storage") if f"{kind.label}Storage" in _LEGACY else None


def _bytes_behind(source: Any) -> UntypedStorage:
    if isinstance(source, TypedStorage):
        return source.untyped()
    if not isinstance(source, UntypedStorage):
        raise TypeError(
            f"copy_(): argument 'src' (position 1) must be tensorkit.Storage, not {type(source).__name__}"
        )
    return source


def _check_data(where: device) -> None:
    if where == META:
        raise MissingKernelError("Not available for 'meta' device type")


def _check_length(nbytes: int) -> None:
    if not -(2**63) <= nbytes < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if nbytes < 0:
        raise RuntimeError(
            "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been called with "
            f"negative number: {nbytes % 2**64}\nA storage cannot have {nbytes} bytes."
        )


def _bytes_of(values: Any) -> Bytes:
    if not isinstance(values, Sequence):
        raise RuntimeError(
            f"tensorkit.UntypedStorage(): Expected a sequence type, but got {type(values).__name__}"
        )
    for value in values:
        if not isinstance(value, int):
            raise RuntimeError(
                "tensorkit.UntypedStorage(): tried to construct a storage from a sequence "
                f"({type(values).__name__}), but one of the items was of type {type(value).__name__} instead of int"
            )
    return numpy.array([value & 255 for value in values], numpy.uint8)


def storage_text(values: list[Any] | None, name: str, size: int) -> str:
    """One value a line (``...`` where there is no data), then what storage it is and how many elements it has."""
    lines = "..." if values is None else " " + "\n ".join(str(value) for value in values)
    return f"{lines}\n[tensorkit.storage.{name} of size {size}]"


def allocate(nbytes: int, where: device) -> UntypedStorage:
    """A new storage of `nbytes` uninitialised bytes on a resolved device."""
    return _wrapping(memory_of(where).allocate(nbytes, where.index or 0), where, foreign=False)


def _wrapping(buffer: Any, where: device, *, foreign: bool) -> UntypedStorage:
    made = UntypedStorage.__new__(UntypedStorage)
    made.device = where
    made._buffer = buffer
    made._faces = []
    made._prune_at = 16
    made._foreign = foreign
    made._shared = False
    return made


class _Span:
    """Lends an array's memory to NumPy as plain bytes, whatever its strides."""

    def __init__(self, array: numpy.ndarray[Any, Any], nbytes: int) -> None:
        self.owner = array
        face = dict(array.__array_interface__)
        face.update(shape=(nbytes,), typestr="|u1", strides=None, descr=[("", "|u1")])
        self.__array_interface__ = face


class _Writable:
    """Lends an array's memory to NumPy as if it could be written to."""

    def __init__(self, array: numpy.ndarray[Any, Any]) -> None:
        self.owner = array
        face = dict(array.__array_interface__)
        face["data"] = (face["data"][0], False)
        self.__array_interface__ = face


def read_only_too(array: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    """An array on the same memory that can be written to: a tensor knows no other, as in PyTorch."""
    return numpy.asarray(_Writable(array))


def adopt(array: numpy.ndarray[Any, Any], *, foreign: bool = False) -> UntypedStorage:
    """A CPU storage over the memory that an array spans, shared and kept alive: nothing is copied.

    The storage starts at the array's first byte; the array's strides must not be negative. Memory that belongs
    to somebody else is `foreign`: it cannot be resized.
    """
    if array.size == 0:
        buffer = numpy.empty(0, numpy.uint8)
    elif array.flags.c_contiguous:
        buffer = array.reshape(-1).view(numpy.uint8)
    else:
        steps = zip(array.shape, array.strides, strict=True)
        buffer = numpy.asarray(_Span(array, array.itemsize + sum((n - 1) * step for n, step in steps)))
    return _wrapping(buffer, CPU, foreign=foreign)


def copy_bytes(dst: UntypedStorage, dst_start: int, src: UntypedStorage, src_start: int, nbytes: int) -> None:
    """Move bytes between storages, on one device or from one to another: the engine's only such copier."""
    if nbytes == 0:
        return
    if dst.device.type == src.device.type:
        memory_of(dst.device).copy(dst._buffer, dst_start, src._buffer, src_start, nbytes)
    elif src.device.type == "cpu":
        memory_of(dst.device).from_host(dst._buffer, dst_start, src._buffer[src_start : src_start + nbytes])
    else:
        data = memory_of(src.device).to_host(src._buffer, src_start, src_start + nbytes)
        memory_of(dst.device).from_host(dst._buffer, dst_start, data)
    if tracing.active:
        tracing.emit(tracing.CopyEvent(nbytes, str(src.device), str(dst.device)))
