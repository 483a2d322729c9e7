"""The storages of an archive: each read, or mapped into memory, when the pickle first mentions it."""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.device import META, device
from tensorkit.dtypes import dtype, uint8
from tensorkit.serialization.archive import ArchiveReader
from tensorkit.serialization.locations import MapLocation, restorer
from tensorkit.serialization.options import (
    SKIP,
    LoadEndianness,
    get_default_load_endianness,
    get_default_mmap_options,
)
from tensorkit.serialization.rebuild import StorageType
from tensorkit.storage import TypedStorage, UntypedStorage, adopt, typed
from tensorkit.storage.typed_storage import _check_wrapping


def storage_dtype(named: Any) -> dtype:
    """The dtype that a file reads a storage as.

    Raises:
        TypeError: for what names no class of storages.
    """
    if named is UntypedStorage:
        return uint8
    kind = getattr(named, "dtype", None)  # of a `StorageType`, or of a class such as `FloatStorage`
    if isinstance(kind, dtype) and isinstance(named, StorageType | type):
        return kind
    raise TypeError(f"{named if isinstance(named, type) else type(named)} is no class of storages")


def text_of(location: Any) -> str:
    """The text of a location, which Python 2 wrote as bytes."""
    text = location.decode("ascii") if isinstance(location, bytes) else location
    if type(text) is not str:
        raise TypeError(f"a location is text, not {type(text).__name__}")
    return text


def restored(
    restore: Callable[[UntypedStorage, str], Any], storage: UntypedStorage, location: str, kind: dtype
) -> TypedStorage:
    """A storage on the requested device, read as elements of a dtype."""
    found = restore(storage, location)
    _check_wrapping((), kind, None, found)
    return typed(found, kind)


def file_mapping(path: str | os.PathLike[str]) -> numpy.ndarray[Any, Any]:
    """The bytes of a file in memory, each read when it is used."""
    shared = get_default_mmap_options() == getattr(mmap, "MAP_SHARED", object())
    with open(path, "r+b") if shared else open(path, "rb") as file:
        access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
        return numpy.frombuffer(mmap.mmap(file.fileno(), 0, access=access), numpy.uint8)


class ArchivedStorages:
    """The storages of an archive, each read when the pickle first mentions it."""

    def __init__(
        self, archive: ArchiveReader, map_location: MapLocation, mapping: numpy.ndarray[Any, Any] | None
    ) -> None:
        self._archive, self._mapping = archive, mapping
        self._restore = restorer(map_location)
        self._nowhere = isinstance(map_location, str | device) and str(map_location) == "meta"
        self._swapped = _byte_order(archive) != sys.byteorder
        self._loaded: dict[str, TypedStorage] = {}

    def find(self, pid: Any) -> TypedStorage:
        """What a persistent id means.

        Raises:
            RuntimeError: when the archive does not have such a storage.
        """
        if not isinstance(pid, tuple):
            raise AssertionError(f"saved_id must be a tuple, got {type(pid).__name__}")
        if len(pid) != 5 or pid[0] not in ("storage", b"storage"):
            raise RuntimeError("Unknown saved id type")
        named, key, location, count = pid[1:]
        if type(key) is not str or type(count) is not int or count < 0:
            raise RuntimeError("the file mentions a storage without a proper key or size")
        if key in self._loaded:
            return self._loaded[key]
        kind = storage_dtype(named)
        content = self._bytes(f"data/{key}", count * kind.itemsize, kind)
        held = restored(self._restore, content, text_of(location), kind)
        if held.device.type != "meta" and held.data_ptr():
            self._loaded[key] = held
        return held

    def _bytes(self, name: str, nbytes: int, kind: dtype) -> UntypedStorage:
        start, size = self._archive.place(name)
        if size != nbytes:
            raise RuntimeError(
                f"the record {name} has {size} bytes, but a storage of {nbytes} is to be in it"
            )
        if self._nowhere:
            return UntypedStorage(nbytes, device=META)
        if SKIP.asked:
            return UntypedStorage(nbytes)
        storage = self._archive.storage(name) if self._mapping is None else self._mapped(start, nbytes, name)
        if self._swapped:
            storage = storage if self._mapping is None else storage.clone()  # the file keeps its bytes
            storage.byteswap(kind)
        return storage

    def _mapped(self, start: int, nbytes: int, name: str) -> UntypedStorage:
        assert self._mapping is not None
        part = self._mapping[start : start + nbytes]
        if part.size < nbytes:
            raise RuntimeError(f"the file ends inside {name}")
        # Loops of machine code expect elements at multiples of their size; PyTorch's records begin at such.
        return adopt(part, foreign=True) if start % 16 == 0 else adopt(part.copy())


def _byte_order(archive: ArchiveReader) -> str:
    """The byte order of an archive's numbers.

    Raises:
        ValueError: for a word that means none.
    """
    if "byteorder" in archive:
        order = archive.read("byteorder")
        if order not in (b"little", b"big"):
            raise ValueError("Unknown endianness type: " + order.decode(errors="replace"))
        return order.decode()
    chosen = get_default_load_endianness()
    return {LoadEndianness.NATIVE: sys.byteorder, LoadEndianness.BIG: "big"}.get(chosen, "little")  # type: ignore[arg-type]
