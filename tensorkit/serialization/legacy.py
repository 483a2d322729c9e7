"""The format of PyTorch before 1.6, not a zip file: pickles one after the other, then the bytes of storages.

A number by which it is known, the version of the format, facts about the machine, the object, the keys of its
storages; and for each of these the number of its elements and their bytes. It is still written with
``_use_new_zipfile_serialization=False``.

Source: PyTorch 2.13's ``torch.serialization``.
"""

from __future__ import annotations

import io
import struct
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy

from tensorkit.dtypes import dtype
from tensorkit.serialization.options import SKIP, UNSAFE
from tensorkit.serialization.pickler import Storages, pickler
from tensorkit.serialization.storages import restored, storage_dtype, text_of
from tensorkit.storage import TypedStorage, UntypedStorage

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001
_COUNT = struct.Struct("=q")  # of a storage's elements, before them
_TAR_MARK, _TAR_PLACE = b"ustar", 257
_TAR = (
    "tensorkit does not read the .tar format of PyTorch before 0.1.10: load the file there and save it again"
)
_TAR_OF_WEIGHTS = "Cannot use ``weights_only=True`` with files saved in the legacy .tar format. " + UNSAFE
Loader = Callable[[IO[bytes], Callable[[Any], Any] | None], Any]


class _Mentions(Storages):
    def mention(self, obj: Any) -> tuple[Any, ...] | None:
        """As in an archive; and that it is not a view of another storage, which no longer exist."""
        found = super().mention(obj)
        return None if found is None else (*found, None)


def written(obj: object, module: Any, protocol: int) -> Iterator[bytes | memoryview]:
    """The pieces of a file, in their order."""
    sizes = {"short": 2, "int": 4, "long": struct.calcsize("=l")}
    facts = {
        "protocol_version": PROTOCOL_VERSION,
        "little_endian": sys.byteorder == "little",
        "type_sizes": sizes,
    }
    content, storages = io.BytesIO(), _Mentions()
    for part in (MAGIC_NUMBER, PROTOCOL_VERSION, facts):
        content.write(module.dumps(part, protocol=protocol))
    pickler(module, content, protocol, storages).dump(obj)
    keys = sorted(storages.held)
    content.write(module.dumps(keys, protocol=protocol))
    yield content.getvalue()
    for key in keys:
        storage, kind = storages.held[key], storages.dtypes[key]
        yield _COUNT.pack(storage.nbytes() // kind.itemsize)
        yield storage.read(0, storage.nbytes()).data


def read(
    file: IO[bytes], load: Loader, restore: Callable[[UntypedStorage, str], Any], weights_only: bool
) -> Any:
    """The object in a file.

    Args:
        load: reads the next pickle of a file, given what a persistent id in it means.
        restore: moves a storage to its device.

    Raises:
        RuntimeError: when it is not such a file, or its storages do not fit.
    """
    start = file.tell()
    data = io.BytesIO(file.read())  # all of it: what a file says about its own size is not believed
    if bytes(data.getbuffer()[_TAR_PLACE : _TAR_PLACE + len(_TAR_MARK)]) == _TAR_MARK:
        raise RuntimeError(_TAR_OF_WEIGHTS if weights_only else _TAR)
    if load(data, None) != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = load(data, None)
    if version != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version if type(version) is int else type(version)}")
    load(data, None)
    storages = _Storages(data.getbuffer().nbytes, restore)
    result = load(data, storages.find)
    keys = load(data, None)
    if not SKIP.asked:
        storages.fill(keys, data)
    file.seek(start + data.tell())  # where another object may follow
    return result


class _Storages:
    """The storages of a file: made empty when the pickle mentions them, and filled when it is read."""

    def __init__(self, most: int, restore: Callable[[UntypedStorage, str], Any]) -> None:
        self._left = most  # bytes that the file could hold
        self._restore = restore
        self._made: dict[str, tuple[TypedStorage, int]] = {}

    def find(self, pid: Any) -> Any:
        """What a persistent id means."""
        if not isinstance(pid, tuple):
            raise AssertionError(f"saved_id must be a tuple, got {type(pid).__name__}")
        if pid[:1] == ("module",):  # a class, and its source at that time
            return pid[1]
        if len(pid) != 6 or pid[0] not in ("storage", b"storage"):
            raise RuntimeError("Unknown saved id type")
        named, key, location, count, view = pid[1:]
        if view is not None:
            raise NotImplementedError(
                "the file has storages that are views of others, as long ago: tensorkit has none"
            )
        return self._storage(storage_dtype(named), key, text_of(location), count)

    def _storage(self, kind: dtype, key: Any, location: str, count: Any) -> TypedStorage:
        if type(key) is not str or type(count) is not int or count < 0:
            raise RuntimeError("the file mentions a storage without a proper key or size")
        if key in self._made:
            return self._made[key][0]
        size = count * kind.itemsize
        if size > self._left:
            raise RuntimeError("the file has a storage that is larger than the file")
        self._left -= size
        held = restored(self._restore, UntypedStorage(size), location, kind)
        self._made[key] = held, size
        return held

    def fill(self, keys: Any, data: io.BytesIO) -> None:
        """Read the bytes of all storages, in the order of their keys."""
        if (
            type(keys) is not list
            or any(type(key) is not str for key in keys)
            or set(keys) != set(self._made)
        ):
            raise RuntimeError("the file does not have the storages that it mentions")
        for key in keys:
            held, size = self._made[key]
            content = data.read(_COUNT.size + size)
            if len(content) != _COUNT.size + size:
                raise EOFError("Ran out of input: the file ends inside a storage")
            if _COUNT.unpack_from(content)[0] * held.dtype.itemsize != size:
                raise RuntimeError("the file has a storage of another size than it says")
            target = held.untyped()
            if target.nbytes() != size:
                raise RuntimeError("map_location gave a storage of another size")
            if target.device.type != "meta":
                target.write(0, numpy.frombuffer(content, numpy.uint8, offset=_COUNT.size))
