"""`TypedStorage`: a storage's bytes read as elements of one dtype. PyTorch keeps it for old code; so do we."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU, META, DeviceLike, device, resolve
from tensorkit.errors import warn
from tensorkit.storage.untyped_storage import (
    UntypedStorage,
    _rebuild,
    adopt,
    check_data,
    register_typed,
    storage_text,
)


@functools.cache
def warn_typed_storage() -> None:
    """Say, once, that PyTorch prefers storages of bytes today."""
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
    >>> with warnings.catch_warnings(action="ignore"):  # the first one says what to use today
    ...     s = tk.TypedStorage([1, 2.5])
    >>> s[1] = 7
    >>> print(s)
     1.0
     7.0
    [tensorkit.storage.TypedStorage(dtype=tensorkit.float32, device=cpu) of size 2]
    """

    __module__ = "tensorkit.storage"  # its public name, and that in pickles
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
            wrap_storage = storage_of(data[0] if data else 0, self.dtype, where, _TYPED_FORMS)
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

        >>> tk.FloatStorage([1.5]).type(), tk.FloatStorage([1.5]).type("torch.LongStorage").tolist()
        ('tensorkit.FloatStorage', [1])
        """
        if dtype is not None:
            return self._to(legacy_dtype(dtype))
        named = self.device.type in ("cpu", "cuda") and f"{self.dtype.label}Storage" in LEGACY
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
        """Whether the memory is locked for transfers to a device."""
        return self._untyped_storage.is_pinned()

    def pin_memory(self, device: DeviceLike = "cuda") -> TypedStorage:
        """These elements in memory that is locked for transfers to a device."""
        return TypedStorage(dtype=self.dtype, wrap_storage=self._untyped_storage.pin_memory())

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
        self._untyped_storage.copy_(source, non_blocking)
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
        return TypedStorage(dtype=self.dtype, wrap_storage=self._untyped_storage.cuda(device, non_blocking))

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
        check_data(self.device)
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
        check_data(self.device)
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


def legacy_dtype(given: Any) -> dtypes.dtype:
    """The dtype that one of the classes of `legacy_classes`, or its name with either package's, stands for."""
    name = given if isinstance(given, str) else getattr(given, "__name__", "")
    kind = LEGACY.get(name.removeprefix("torch.").removeprefix("tensorkit."))
    if kind is None:
        raise ValueError(f"invalid type: {given!r}")
    return kind


# -- its numbers as another dtype ---------------------------------------------------------------------------------


def _conversion(name: str, kind: dtypes.dtype) -> Callable[..., TypedStorage]:
    def convert(self: UntypedStorage | TypedStorage) -> TypedStorage:
        return self._to(kind)

    convert.__name__ = name
    convert.__doc__ = (
        f"The elements (of bytes: each byte) as ``tensorkit.{kind.name}``, in a storage of their own."
    )
    return convert


_KINDS = {
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
#: The dtypes that have a class of their own, by its name: see ``storage.legacy_classes``.
LEGACY = {f"{kind.label}Storage": kind for kind in _KINDS.values()}
_CONVERSIONS = {name: _conversion(name, kind) for name, kind in _KINDS.items()}
for _name, _convert in _CONVERSIONS.items():
    setattr(TypedStorage, _name, _convert)
# Late: each of the two classes makes the other.
register_typed(TypedStorage, legacy_dtype, _CONVERSIONS)


# -- what it is made from -----------------------------------------------------------------------------------------

_TYPED_FORMS = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, tensorkit.device device, tensorkit.dtype dtype)\n"
    " * (int size, *, tensorkit.device device, tensorkit.dtype dtype)\n"
    " * (Sequence data, *, tensorkit.device device, tensorkit.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, tensorkit.dtype dtype)\n"
)
_reader: Callable[[Sequence[Any], dtypes.dtype], UntypedStorage] | None = None


def register_reader(read: Callable[[Sequence[Any], dtypes.dtype], UntypedStorage]) -> None:
    """Say how numbers are read into a storage: called by ``ops``, whose rules for Python's numbers it takes."""
    global _reader  # set once, while the package is imported
    _reader = read


def storage_of(data: Any, kind: dtypes.dtype, where: device, forms: str) -> UntypedStorage:
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


def _rebuild_typed(data: bytes | int, where: str, kind: dtypes.dtype) -> TypedStorage:
    return typed(_rebuild(data, where), kind)


_rebuild_typed.__module__ = "tensorkit.storage"  # so pickles have it


def typed(storage: UntypedStorage, kind: dtypes.dtype) -> TypedStorage:
    """A storage's typed face, without the warning that it is old: for the engine's own use."""
    made = TypedStorage.__new__(TypedStorage)
    made.dtype = kind
    made._untyped_storage = storage
    return made
