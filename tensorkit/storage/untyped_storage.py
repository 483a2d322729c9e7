"""`UntypedStorage`: one row of bytes on one device, and how the engine makes one and copies between two."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import ref

import numpy

from tensorkit import dtypes, tracing
from tensorkit.device import CPU, META, DeviceLike, device, resolve
from tensorkit.errors import MissingKernelError
from tensorkit.storage.memory import Bytes, memory_of, pinned

Face = Any  # a Tensor; this file knows only that it can forget its cached array
NO_PINNED = "Cannot access accelerator device when none is available."
_typed: Any = None
_named: Any = None


def register_typed(
    kind: Any, named: Callable[[Any], dtypes.dtype], conversions: dict[str, Callable[..., Any]]
) -> None:
    """Say which class reads bytes as numbers, which dtype an old name means, and what methods give one's numbers."""
    global _typed, _named  # set once, while the package is imported
    _typed, _named = kind, named
    for name, convert in conversions.items():
        setattr(UntypedStorage, name, convert)


class UntypedStorage:
    """One row of bytes on one device.

    Args:
        size: the number of bytes, or a sequence of integers 0 … 255 to fill it with.
        device: where to allocate.

    >>> tk.UntypedStorage([1, 2, 255]).tolist()
    [1, 2, 255]
    """

    __module__ = "tensorkit.storage"  # its public name, and that in pickles
    __slots__ = (
        "__weakref__",
        "_buffer",
        "_faces",
        "_foreign",
        "_pinned",
        "_prune_at",
        "_shared",
        "_shrunk",
        "device",
    )
    device: device
    _shrunk: bool  # whether it ever lost bytes: a tensor made before may reach beyond its end
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
        self._pinned = False
        self._shared = False
        self._shrunk = False
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
        fresh = pinned(size) if self._pinned else None
        if fresh is None:
            fresh, self._pinned = memory.allocate(size, self.device.index or 0), False
        memory.copy(fresh, 0, self._buffer, 0, min(size, self.nbytes()))
        self._replace(fresh)
        return self

    def _replace(self, buffer: Any) -> None:
        self._shrunk = self._shrunk or buffer.nbytes < self._buffer.nbytes
        self._buffer = buffer
        for face in self._faces:
            tensor = face()
            if tensor is not None:
                tensor._forget_array()
        self._faces.clear()

    def copy_(self, source: Any, non_blocking: bool = False) -> UntypedStorage:
        """Take over the bytes of another storage of the same length, from whichever device."""
        source = _bytes_behind(source)
        if source.nbytes() != self.nbytes():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes"
            )
        copy_bytes(self, 0, source, 0, self.nbytes(), non_blocking)
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
        return self.to(device="cuda" if device is None else device, non_blocking=non_blocking)

    def to(self, *, device: DeviceLike, non_blocking: bool = False) -> UntypedStorage:
        """This storage if it is on that device, otherwise a copy there."""
        where = resolve(device)
        if where == self.device:
            return self
        return UntypedStorage(self.nbytes(), device=where).copy_(self, non_blocking)

    def new(self) -> UntypedStorage:
        """An empty storage on the same device."""
        return UntypedStorage(device=self.device)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the class; or, given a legacy name or class, these bytes as numbers of that type."""
        if dtype is None:
            return "tensorkit.storage.UntypedStorage"
        return self._to(_named(dtype))

    def _to(self, kind: dtypes.dtype) -> Any:
        return _typed(wrap_storage=self, dtype=dtypes.uint8)._to(kind)

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
        """Whether the memory is locked for transfers to a device, which can go on while the program does."""
        return self._pinned

    def pin_memory(self, device: DeviceLike = "cuda") -> UntypedStorage:
        """A copy in memory that is locked for transfers to a device; this storage if it is there.

        Raises:
            TypeError: on a device.
            RuntimeError: when there is no device to transfer to.

        >>> with tk.cuda.emulate():
        ...     tk.UntypedStorage([1, 2]).pin_memory().is_pinned()
        True
        """
        if self.device != CPU:
            raise TypeError("cannot pin 'tensorkit.storage.UntypedStorage' only CPU memory can be pinned")
        return self if self._pinned else allocate_pinned(self.nbytes()).copy_(self)

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
        check_data(self.device)
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
            part = _wrapping(self._buffer[start:stop], CPU, foreign=True)
            part._pinned = self._pinned
            return part
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


# -- what a storage is made from ----------------------------------------------------------------------------------

_UNTYPED_FORMS = (
    "tensorkit.UntypedStorage() received an invalid combination of arguments - got ({}), but expected one of:\n"
    " * (*, int allocator = None, tensorkit.device device = None)\n"
    " * (int size, *, int allocator = None, tensorkit.device device = None)\n"
    " * (object sequence, *, int allocator = None, tensorkit.device device = None)\n"
)


def _rebuild(data: bytes | int, where: str) -> UntypedStorage:
    """What a pickled storage is made of again."""
    if isinstance(data, int):
        return UntypedStorage(data, device=where)
    return adopt(numpy.frombuffer(bytearray(data), numpy.uint8)).to(device=where)


_rebuild.__module__ = "tensorkit.storage"  # so pickles have it


def _bytes_behind(source: Any) -> UntypedStorage:
    if isinstance(source, _typed):
        return source.untyped()  # type: ignore[no-any-return]
    if not isinstance(source, UntypedStorage):
        raise TypeError(
            f"copy_(): argument 'src' (position 1) must be tensorkit.Storage, not {type(source).__name__}"
        )
    return source


def check_data(where: device) -> None:
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


def on_buffer(buffer: Any, where: device) -> UntypedStorage:
    """A storage over a buffer that the memory of this device has handed out."""
    return _wrapping(buffer, where, foreign=False)


def allocate_pinned(nbytes: int) -> UntypedStorage:
    """A new CPU storage whose memory is locked for transfers.

    Raises:
        RuntimeError: when there is no device to transfer to.
    """
    buffer = pinned(nbytes)
    if buffer is None:
        raise RuntimeError(NO_PINNED)
    made = _wrapping(buffer, CPU, foreign=False)
    made._pinned = True
    return made


def _wrapping(buffer: Any, where: device, *, foreign: bool) -> UntypedStorage:
    made = UntypedStorage.__new__(UntypedStorage)
    made.device = where
    made._buffer = buffer
    made._faces = []
    made._prune_at = 16
    made._foreign = foreign
    made._pinned = False
    made._shared = False
    made._shrunk = False
    return made


def lent_storage(buffer: Any, where: device) -> UntypedStorage:
    """A storage over a buffer of another library's memory on a device: it cannot be resized."""
    return _wrapping(buffer, where, foreign=True)


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

    The storage starts at the array's first byte; the array's strides must not be negative. Memory that
    tensorkit does not own is `foreign`: it cannot be resized.
    """
    if array.size == 0:
        buffer = numpy.empty(0, numpy.uint8)
    elif array.flags.c_contiguous:
        buffer = array.reshape(-1).view(numpy.uint8)
    else:
        steps = zip(array.shape, array.strides, strict=True)
        buffer = numpy.asarray(_Span(array, array.itemsize + sum((n - 1) * step for n, step in steps)))
    return _wrapping(buffer, CPU, foreign=foreign)


def copy_bytes(
    dst: UntypedStorage,
    dst_start: int,
    src: UntypedStorage,
    src_start: int,
    nbytes: int,
    non_blocking: bool = False,
) -> None:
    """Move bytes between storages, on one device or from one to another: the engine's only such copier.

    Args:
        non_blocking: whether to come back before bytes have moved between a device and pinned memory.
    """
    if nbytes == 0:
        return
    if dst.device.type == src.device.type:
        memory_of(dst.device).copy(dst._buffer, dst_start, src._buffer, src_start, nbytes)
    elif src.device.type == "cpu":
        data = src._buffer[src_start : src_start + nbytes]
        queued = non_blocking and src._pinned
        memory_of(dst.device).from_host(dst._buffer, dst_start, data, queued=queued, pinned=src._pinned)
    elif non_blocking and dst._pinned:
        memory: Any = memory_of(src.device)
        memory.to_pinned(src._buffer, src_start, dst._buffer[dst_start : dst_start + nbytes])
    else:
        data = memory_of(src.device).to_host(src._buffer, src_start, src_start + nbytes)
        memory_of(dst.device).from_host(dst._buffer, dst_start, data)
    if tracing.active:
        tracing.emit(tracing.CopyEvent(nbytes, str(src.device), str(dst.device)))
