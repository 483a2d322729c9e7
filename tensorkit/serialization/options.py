"""Settings of `save` and `load`: byte order, checksums, how files are mapped, and what else a file may name."""

from __future__ import annotations

import enum
import mmap
import sys
import threading
from collections.abc import Callable
from typing import Any

#: What every refusal to load weights only ends with.
UNSAFE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `tensorkit.load` from `False` to "
    "`True`. Re-running `tensorkit.load` with `weights_only` set to `False` will likely succeed, but it can result in "
    "arbitrary code execution. Do it only if you got the file from a trusted source."
)
Global = Callable[..., Any] | tuple[Callable[..., Any], str]


class LoadEndianness(enum.Enum):
    """The byte order of a file that does not say which it has."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class _Options:
    """What is set for all threads."""

    def __init__(self) -> None:
        self.endianness: LoadEndianness | None = None
        self.checksums = True
        self.mmap_flags: int | None = getattr(mmap, "MAP_PRIVATE", None)
        self.safe: set[Global] = set()


_options = _Options()


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order that `load` assumes of a file that does not say: None means little."""
    return _options.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Say which byte order `load` assumes of a file that does not say.

    Raises:
        TypeError: for anything but a `LoadEndianness` or None.

    >>> from tensorkit import serialization
    >>> serialization.set_default_load_endianness(serialization.LoadEndianness.LITTLE)
    >>> serialization.get_default_load_endianness()
    <LoadEndianness.LITTLE: 2>
    >>> serialization.set_default_load_endianness(None)

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html
    """
    if not isinstance(endianness, LoadEndianness | None):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _options.endianness = endianness


def get_crc32_options() -> bool:
    """Whether `save` computes a checksum of each record."""
    return _options.checksums


def set_crc32_options(compute_crc32: bool) -> None:
    """Say whether `save` computes a checksum of each record: without one, `load` cannot see that a file is damaged.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html
    """
    _options.checksums = compute_crc32


def get_default_mmap_options() -> int | None:
    """How `load` maps a file into memory: `mmap.MAP_PRIVATE` unless it was set."""
    return _options.mmap_flags


class set_default_mmap_options:
    """Say how `load` maps a file into memory; in a ``with`` statement until its end.

    Args:
        flags: `mmap.MAP_PRIVATE`, with which writing to a tensor leaves the file as it is, or `mmap.MAP_SHARED`, with
            which it changes the file.

    Raises:
        ValueError: for other flags. RuntimeError: on Windows.

    >>> import mmap
    >>> from tensorkit import serialization
    >>> with serialization.set_default_mmap_options(mmap.MAP_SHARED):
    ...     serialization.get_default_mmap_options() == mmap.MAP_SHARED
    True

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html
    """

    def __init__(self, flags: int) -> None:
        if sys.platform == "win32":
            raise RuntimeError("Changing the default mmap options is currently not supported for Windows")
        if flags not in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, "
                f"expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got {flags}"
            )
        self.prev = _options.mmap_flags
        _options.mmap_flags = flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *problem: object) -> None:
        _options.mmap_flags = self.prev


# -- storages without their bytes ---------------------------------------------------------------------------------


class _Skip(threading.local):
    """Whether this thread saves and loads without the bytes of storages."""

    asked = False


SKIP = _Skip()


class skip_data:
    """Save and load without the bytes of storages inside the ``with`` block: room is left for them.

    Args:
        materialize_fake_tensors: has no effect, for there are no fake tensors here.

    >>> import io
    >>> file = io.BytesIO()
    >>> with tk.serialization.skip_data():
    ...     tk.save(tk.ones(2), file)
    >>> _ = file.seek(0)
    >>> tk.load(file)
    tensor([0., 0.])

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self._before, SKIP.asked = SKIP.asked, True

    def __exit__(self, *problem: object) -> None:
        SKIP.asked = self._before


# -- what a file may name -----------------------------------------------------------------------------------------


def add_safe_globals(safe_globals: list[Global]) -> None:
    """Let files name these functions and classes: `load` calls them with what is in the file.

    Args:
        safe_globals: functions and classes, or pairs of one and the full name by which files know it.

    >>> import collections
    >>> from tensorkit import serialization
    >>> serialization.add_safe_globals([collections.ChainMap])
    >>> serialization.get_safe_globals()
    [<class 'collections.ChainMap'>]
    >>> serialization.clear_safe_globals()

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html
    """
    _options.safe = _options.safe | set(safe_globals)


def get_safe_globals() -> list[Global]:
    """The functions and classes that `add_safe_globals` was given."""
    return list(_options.safe)


def clear_safe_globals() -> None:
    """Forget what `add_safe_globals` was given."""
    _options.safe = set()


class safe_globals:
    """Let files name these functions and classes inside the ``with`` block: see `add_safe_globals`.

    Source: https://docs.pytorch.org/docs/stable/notes/serialization.html
    """

    def __init__(self, safe_globals: list[Global]) -> None:
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        add_safe_globals(self.safe_globals)

    def __exit__(self, *problem: object) -> None:
        _options.safe = _options.safe - set(self.safe_globals)


def trusted_names() -> dict[str, Any]:
    """What `add_safe_globals` was given, by the full names that files use.

    Raises:
        ValueError, TypeError: for a tuple that is not a pair of a function and a name.
    """
    found: dict[str, Any] = {}
    for given in _options.safe:
        if not isinstance(given, tuple):
            found[f"{given.__module__}.{given.__qualname__}"] = given
        elif len(given) != 2:
            raise ValueError(
                "Expected tuple of length 2 (global, str of callable full path), but got tuple of length: "
                f"{len(given)}"
            )
        elif type(given[1]) is not str:
            raise TypeError(
                f"Expected second item in tuple to be str of callable full path, but got: {type(given[1])}"
            )
        else:
            found[given[1]] = given[0]
    return found
