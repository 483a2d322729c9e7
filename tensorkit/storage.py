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

from collections.abc import Iterator, Sequence
from typing import Any, Protocol
from weakref import ref

import numpy

from tensorkit import dtypes, tracing
from tensorkit.device import CPU, META, DeviceLike, device, resolve
from tensorkit.errors import MissingKernelError

__all__ = [
    "Memory",
    "Storage",
    "TypedStorage",
    "UntypedStorage",
    "adopt",
    "allocate",
    "copy_bytes",
    "memory_of",
    "register_memory",
    "storage_text",
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
        return numpy.empty(nbytes, numpy.uint8)

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

    __slots__ = ("__weakref__", "_buffer", "_faces", "_foreign", "_prune_at", "device")
    device: device

    def __init__(self, size: int | Sequence[int] = 0, *, device: DeviceLike = None) -> None:
        self.device = CPU if device is None else resolve(device)
        values = None if isinstance(size, int) else _bytes_of(size)
        nbytes = size if isinstance(size, int) else len(size)
        if nbytes < 0:
            raise RuntimeError(f"a storage cannot have {nbytes} bytes: its size must not be negative")
        self._buffer = memory_of(self.device).allocate(nbytes, self.device.index or 0)
        self._faces: list[ref[Face]] = []
        self._prune_at = 16
        self._foreign = False
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
        if size < 0:
            raise RuntimeError(f"UntypedStorage: resize_: size must be non-negative, got {size}")
        if not self.resizable():
            raise RuntimeError("Trying to resize storage that is not resizable")
        memory = memory_of(self.device)
        fresh = memory.allocate(size, self.device.index or 0)
        memory.copy(fresh, 0, self._buffer, 0, min(size, self.nbytes()))
        self._buffer = fresh
        for face in self._faces:
            tensor = face()
            if tensor is not None:
                tensor._forget_array()
        self._faces.clear()
        return self

    def copy_(self, source: UntypedStorage, non_blocking: bool = False) -> UntypedStorage:
        """Take over the bytes of another storage of the same length, from whichever device."""
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

    def tolist(self) -> list[int]:
        """The bytes as Python integers."""
        values: list[int] = self.read(0, self.nbytes()).tolist()
        return values

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            start, stop, step = index.indices(self.nbytes())
            if step != 1:
                raise RuntimeError(
                    f"Trying to slice with a step of {step}, but only a step of 1 is supported"
                )
            return UntypedStorage(self.read(start, max(start, stop)).tolist(), device=self.device)
        position = _wrap(index, self.nbytes(), "UntypedStorage")
        return int(self.read(position, position + 1)[0])

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


Storage = UntypedStorage


class TypedStorage:
    """A storage's bytes read as elements of one dtype. PyTorch keeps it for old code; so do we.

    Args:
        values: a sequence of numbers, or nothing for an empty storage.
        dtype: the type of the elements; the default dtype if not given.
        wrap_storage: the `UntypedStorage` to read.

    >>> import tensorkit as tk
    >>> s = tk.TypedStorage([1, 2.5])
    >>> s[1] = 7
    >>> print(s)
     1.0
     7.0
    [tensorkit.storage.TypedStorage(dtype=tensorkit.float32, device=cpu) of size 2]
    """

    __slots__ = ("_untyped_storage", "dtype")

    def __init__(
        self,
        values: Sequence[Any] = (),
        *,
        dtype: dtypes.dtype | None = None,
        wrap_storage: UntypedStorage | None = None,
    ) -> None:
        self.dtype = dtype or dtypes.get_default_dtype()
        if wrap_storage is None:
            wrap_storage = adopt(numpy.array(values, self.dtype.numpy))
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

    def type(self, dtype: str | None = None) -> str:
        """The legacy name, such as ``'tensorkit.FloatStorage'``."""
        return f"tensorkit.{self.dtype.label}Storage"

    def is_shared(self) -> bool:
        """Whether the memory is shared between processes: never, here."""
        return False

    def resize_(self, size: int) -> None:
        """Grow or shrink to `size` elements, keeping what fits."""
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    def copy_(self, source: TypedStorage, non_blocking: bool = False) -> TypedStorage:
        """Take over the elements of another storage of the same size, converted to this dtype."""
        if source.size() != self.size():
            raise RuntimeError(f"size mismatch: {self.size()} elements cannot take {source.size()}")
        values = source._host().astype(self.dtype.numpy)
        self._untyped_storage.write(0, values.view(numpy.uint8))
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

    def to_dtype(self, kind: dtypes.dtype) -> TypedStorage:
        """The same numbers as elements of another dtype, in a storage of their own."""
        return self if kind is self.dtype else TypedStorage(self._host().tolist(), dtype=kind)

    def tolist(self) -> list[Any]:
        """The elements as Python numbers."""
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
        return self._host()[_wrap(index, self.size(), "TypedStorage")].item()

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


def _wrap(index: int, size: int, owner: str) -> int:
    if not isinstance(index, int):
        raise TypeError(f"can't index a tensorkit.{owner} with {type(index).__name__}")
    if not -size <= index < size:
        raise IndexError(f"index {index} out of range for storage of size {size}")
    return index % size


def _bytes_of(values: Sequence[int]) -> Bytes:
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
    return made


class _Span:
    """Lends an array's memory to NumPy as plain bytes, whatever its strides."""

    def __init__(self, array: numpy.ndarray[Any, Any], nbytes: int) -> None:
        self.owner = array
        face = dict(array.__array_interface__)
        face.update(shape=(nbytes,), typestr="|u1", strides=None, descr=[("", "|u1")])
        self.__array_interface__ = face


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
