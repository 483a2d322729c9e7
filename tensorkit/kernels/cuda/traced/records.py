"""Arrays of records in a kernel: ``r[i].x`` is an element of the array of all ``x``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorkit.kernels.cuda.traced.names.numba_names import known_as

Fields = Mapping[str, Any]


@known_as("array of records")
class Records:
    """An array of records: its fields are arrays of its own size.

    Args:
        name: what the kernel calls it.
        dtype: NumPy's, with names.
        fields: the array of each field, by its name.
    """

    def __init__(self, name: str, dtype: Any, fields: Fields) -> None:
        self._name, self._fields = name, fields
        first = next(iter(fields.values()))
        self.dtype, self.shape, self.ndim, self.size = dtype, first.shape, first.ndim, first.size

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getattr__(self, name: str) -> Any:
        return _field(self._name, self._fields, name)

    def __getitem__(self, index: Any) -> Any:
        return _field(self._name, self._fields, index) if isinstance(index, str) else _Record(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        for name, array in self._fields.items():
            array[index] = getattr(value, name)


@known_as("record")
class _Record:
    """One record: each field is read and written on access."""

    __slots__ = ("_index", "_of")

    def __init__(self, of: Records, index: Any) -> None:
        object.__setattr__(self, "_of", of)
        object.__setattr__(self, "_index", index)

    def __getattr__(self, name: str) -> Any:
        return _field(f"a record of {self._of._name}", self._of._fields, name)[self._index]

    def __setattr__(self, name: str, value: Any) -> None:
        _field(f"a record of {self._of._name}", self._of._fields, name)[self._index] = value

    __getitem__, __setitem__ = __getattr__, __setattr__


def _field(owner: str, fields: Fields, name: str) -> Any:
    if name not in fields:
        raise AttributeError(f"{owner} has no field {name!r}: its fields are {', '.join(fields)}")
    return fields[name]
