"""`FloatStorage` and its kin, of the years before dtypes: each makes a `TypedStorage`, and recognises its own dtype."""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.device import CPU
from tensorkit.storage.typed_storage import LEGACY, TypedStorage, storage_of, warn_typed_storage
from tensorkit.storage.untyped_storage import UntypedStorage

_LEGACY_FORMS = (
    "{}.__new__ received an invalid combination of arguments. Expected one of:\n * no arguments\n * (int size)\n"
    " * (Sequence data)\n * (*, UntypedStorage wrap_storage)\n"
)


class _LegacyStorageMeta(type):
    """The type of `FloatStorage` and its kin, which make a `TypedStorage` and recognise one by its dtype."""

    __module__ = "tensorkit.storage"
    dtype: dtypes.dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype


class _LegacyStorage(metaclass=_LegacyStorageMeta):
    __module__ = "tensorkit.storage"

    def __init_subclass__(cls, dtype: dtypes.dtype, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.dtype = dtype
        cls.__module__ = "tensorkit"

    def __new__(cls, *data: Any, wrap_storage: Any = None, **kwargs: Any) -> TypedStorage:  # type: ignore[misc]
        forms = _LEGACY_FORMS.format(cls)
        warn_typed_storage()
        if kwargs:
            raise RuntimeError(f"{forms}Keyword argument '{next(iter(kwargs))}' cannot be specified")
        if len(data) > 1:
            raise RuntimeError(forms + "Too many positional arguments")
        if wrap_storage is None:
            wrap_storage = storage_of(data[0] if data else 0, cls.dtype, CPU, forms)
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


def legacy_class(kind: dtypes.dtype) -> Any:
    """The class that storages of a dtype are recognised by; None where there is none."""
    return globals().get(f"{kind.label}Storage") if f"{kind.label}Storage" in LEGACY else None
