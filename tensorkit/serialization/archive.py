"""The zip file that PyTorch writes: a record for the pickle, and one for each storage, none of them compressed.

=============================  ==========================================================
``NAME/data.pkl``              the pickle: all but the numbers
``NAME/.format_version``       1
``NAME/.storage_alignment``    64: each record begins at a multiple of it, so that it can be mapped into memory
``NAME/byteorder``             ``little`` or ``big``
``NAME/data/0``, ``data/1`` …  the bytes of each storage
``NAME/version``               3
``NAME/.data/serialization_id``  40 digits made of what is in the file
=============================  ==========================================================

What `ArchiveWriter` writes is PyTorch's file byte for byte, except the first 20 digits of the last record: they
depend there on the order in which a hash table of C++ hands out names. `ArchiveReader` trusts nothing: a name that
is there twice, a compressed record, records that overlap, a wrong checksum are errors.

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html, and the zip format of PKWARE's APPNOTE.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from typing import IO, Any

from tensorkit.device import CPU
from tensorkit.storage import UntypedStorage, allocate

ALIGNMENT = 64
LOCAL, CENTRAL, DESCRIPTOR, END = b"PK\3\4", b"PK\1\2", b"PK\7\x08", b"PK\5\6"
WIDE_END, WIDE_LOCATOR = b"PK\6\6", b"PK\6\7"
HEADER_SIZE = 30
FOUR_GIGABYTES = 0xFFFFFFFF  # from here on a size or place needs 64 bits
UTF8, DESCRIBED = 0x800, 0x8  # the name's encoding; whether size and checksum follow the bytes
NEWEST_VERSION = 10  # of PyTorch's archives that this reader knows


def archive_name(path: str) -> str:
    """The folder inside an archive: the file's name without its last ending, as PyTorch has it.

    Raises:
        RuntimeError: when nothing is left of the name.
    """
    if not path.isascii():
        return "archive"
    name = re.split(r"[/\\]", path)[-1]
    stem = name.rpartition(".")[0] if "." in name else name
    if not stem:
        raise RuntimeError(f"[enforce fail at inline_container.cc:720] . invalid file name: {path}")
    return stem


def _combine(seed: int, value: int) -> int:
    """One number of 64 bits made of two, as C++'s Boost does it."""
    return seed ^ (value + 0x9E3779B9 + (seed << 6) + (seed >> 2)) % 2**64


# -- writing ------------------------------------------------------------------------------------------------------


class ArchiveWriter:
    """Writes records one after the other to a file that need not be seekable.

    Args:
        file: where to write; it needs ``write`` alone.
        name: the folder that all records are in.
        checksums: whether to compute them; 0 is written otherwise.
    """

    def __init__(self, file: IO[bytes], name: str = "archive", *, checksums: bool = True) -> None:
        self._file, self._name, self._checksums = file, name, checksums
        self._place = 0
        self._directory: list[bytes] = []
        self._names, self._content = 0, 0  # what the serialization id is made of

    def _put(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self._place += len(data)

    def record(self, name: str, data: bytes | memoryview) -> None:
        """Write one record."""
        checksum = zlib.crc32(data) if self._checksums else 0
        self._begin(name, len(data))
        self._put(data)
        self._finish(name, len(data), checksum)

    def gap(self, name: str, size: int) -> None:
        """Write a record of zeros without a checksum, to be filled later."""
        self._begin(name, size)
        for done in range(0, size, 1 << 20):
            self._put(bytes(min(1 << 20, size - done)))
        self._finish(name, size, 0)

    def close(self) -> None:
        """Write the version, the id, and the directory by which a reader finds the records."""
        self.record("version", b"3\n")
        self.record(".data/serialization_id", f"{self._names:020}{self._content:020}".encode())
        start, count = self._place, len(self._directory)
        self._put(b"".join(self._directory))
        size, end = self._place - start, self._place
        wide = struct.pack("<QHHIIQQQQ", 44, 0x31E, 45, 0, 0, count, count, size, start)
        self._put(WIDE_END + wide + WIDE_LOCATOR + struct.pack("<IQI", 0, end, 1))
        few, small, near = min(count, 0xFFFF), min(size, FOUR_GIGABYTES), min(start, FOUR_GIGABYTES)
        self._put(END + struct.pack("<HHHHIIH", 0, 0, few, few, small, near, 0))

    def _begin(self, name: str, size: int) -> None:
        """The header before a record's bytes, with a field that fills up to the next multiple of `ALIGNMENT`."""
        self._start = self._place
        full = f"{self._name}/{name}".encode()
        wide = self._wide_field(size, 0)  # PyTorch leaves it to the directory how many bytes there are
        bare = self._place + HEADER_SIZE + len(full) + len(wide) + 4
        padding = -bare % ALIGNMENT
        filler = b"FB" + struct.pack("<H", padding) + b"Z" * padding
        fixed = struct.pack("<HHHIIIIHH", 0, self._flags(size), 0, 0, 0, 0, 0, len(full), len(wide + filler))
        self._put(LOCAL + fixed + full + wide + filler)

    def _finish(self, name: str, size: int, checksum: int) -> None:
        """What follows a record's bytes, and its entry in the directory."""
        full, wide = f"{self._name}/{name}".encode(), self._wide_field(size, size)
        if size:
            self._put(DESCRIPTOR + struct.pack("<IQQ" if wide else "<III", checksum, size, size))
        small, near = min(size, FOUR_GIGABYTES), min(self._start, FOUR_GIGABYTES)
        fixed = struct.pack("<HHHHI", 0, 0, self._flags(size), 0, 0)
        lengths = struct.pack("<IIIHHHHHII", checksum, small, small, len(full), len(wide), 0, 0, 0, 0, near)
        self._directory.append(CENTRAL + fixed + lengths + full + wide)
        self._names = _combine(self._names, zlib.crc32(name.encode()))
        if size:
            self._content = _combine(self._content, checksum)

    def _flags(self, size: int) -> int:
        return UTF8 | (DESCRIBED if size else 0)

    def _wide_field(self, size: int, stored: int) -> bytes:
        """The field for what does not fit into 32 bits; empty where all does."""
        numbers = [size, stored] if size >= FOUR_GIGABYTES else []
        numbers += [self._start] if self._start >= FOUR_GIGABYTES else []
        return struct.pack(f"<HH{len(numbers)}Q", 1, 8 * len(numbers), *numbers) if numbers else b""


# -- reading ------------------------------------------------------------------------------------------------------

_BROKEN = (
    "PytorchStreamReader failed reading zip archive: {}. This is an internal miniz error. If you are seeing this "
    "error, there is a high likelihood that your checkpoint file is corrupted. This can happen if the checkpoint was "
    "not saved properly, was transferred incorrectly, or the file was modified after saving."
)


def is_archive(file: IO[bytes]) -> bool:
    """Whether a zip file begins at the place where a file is; it stays there."""
    start = file.tell()
    first = file.read(len(LOCAL))
    file.seek(start)
    return first == LOCAL


class ArchiveReader:
    """Reads records of an archive on demand.

    Args:
        file: a seekable file.

    Raises:
        RuntimeError: when it is not a PyTorch archive, or damaged.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        try:
            with zipfile.ZipFile(file) as archive:
                entries = archive.infolist()
                size = archive.start_dir
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error, OverflowError) as error:
            raise RuntimeError(_BROKEN.format("failed finding central directory")) from error
        self._entries = {entry.filename: entry for entry in entries}
        self._check(entries, size)
        self._root = entries[0].filename.partition("/")[0]
        version = self.read("version").strip() if "version" in self else b"1"
        if not version.isdigit() or int(version[:9]) > NEWEST_VERSION:
            raise RuntimeError(
                f"Attempted to read a PyTorch file with version {version.decode(errors='replace')}, but the maximum "
                f"supported version for reading is {NEWEST_VERSION}. Your PyTorch installation may be too old."
            )

    def _check(self, entries: list[zipfile.ZipInfo], size: int) -> None:
        if not entries or "/" not in entries[0].filename:
            raise RuntimeError(_BROKEN.format("its records are in no folder"))
        if len(self._entries) != len(entries):
            raise RuntimeError(_BROKEN.format("two records have the same name"))
        for entry in entries:
            if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
                raise RuntimeError(
                    f"the record {entry.filename} is compressed: PyTorch compresses none, and a small file could fill "
                    "the memory"
                )
        if sum(entry.file_size for entry in entries) > size:
            raise RuntimeError(_BROKEN.format("its records are larger than the file"))

    def __contains__(self, name: str) -> bool:
        return f"{self._root}/{name}" in self._entries

    def place(self, name: str) -> tuple[int, int]:
        """Where the bytes of a record begin in the file, and how many there are.

        Raises:
            RuntimeError: when there is no such record, or its header is not where the directory says.
        """
        entry = self._entries.get(f"{self._root}/{name}")
        if entry is None:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found")
        self._file.seek(entry.header_offset)
        header = self._file.read(HEADER_SIZE).ljust(HEADER_SIZE)
        if header[:4] != LOCAL:
            raise RuntimeError(_BROKEN.format(f"no header of {name}"))
        name_size, extra_size = struct.unpack("<HH", header[26:])
        return entry.header_offset + HEADER_SIZE + name_size + extra_size, entry.file_size

    def read(self, name: str) -> bytes:
        """The bytes of a record."""
        storage = self.storage(name)
        return storage.read(0, storage.nbytes()).tobytes()

    def storage(self, name: str) -> UntypedStorage:
        """The bytes of a record as a storage of its own.

        Raises:
            RuntimeError: when the file ends before it does, or its checksum is another.
        """
        start, size = self.place(name)
        storage = allocate(size, CPU)
        data = storage.read(0, size).data
        self._file.seek(start)
        _fill(self._file, data, name)
        checksum = self._entries[f"{self._root}/{name}"].CRC
        if checksum and zlib.crc32(data) != checksum:  # 0: it was not computed
            raise RuntimeError(_BROKEN.format(f"the checksum of {name} is wrong"))
        return storage


def _fill(file: Any, data: memoryview, name: str) -> None:
    """Read bytes into memory until it is full; one call may read fewer than requested."""
    done = 0
    while done < len(data):
        if hasattr(file, "readinto"):
            count = file.readinto(data[done:])
        else:
            piece = file.read(len(data) - done)
            count = len(piece)
            data[done : done + count] = piece
        if not count:
            raise RuntimeError(_BROKEN.format(f"the file ends inside {name}"))
        done += count
