"""Compiled kernels kept on disk: what took a fifth of a second to compile is read in a thousandth.

A file is named by a fingerprint of all that its code depends on: the body, every function and constant that it is
handed or names, the types of its arguments, this processor, and the versions of Python, NumPy and the compilers. So
nothing is ever looked up that could be out of date, and files that nobody names any more are only so much disk.

The folder is ``$TENSORKIT_CACHE_DIR``, or that of the user's caches; where it cannot be written, nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dis import get_instructions, hasname
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

__all__ = ["fingerprint", "folder", "load", "names_in", "store"]


@lru_cache(maxsize=1)
def folder() -> Path | None:
    """Where compiled kernels are kept; None when ``TENSORKIT_CACHE_DIR`` is empty."""
    asked = os.environ.get("TENSORKIT_CACHE_DIR")
    if asked is not None:
        return Path(asked) / "kernels" if asked else None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "tensorkit" / "kernels"


def load(name: str) -> bytes | None:
    """What is kept under a name; None where there is nothing."""
    where = folder()
    if where is None:
        return None
    try:
        return (where / name).read_bytes()
    except OSError:
        return None


def store(name: str, data: bytes) -> None:
    """Keep `data` under a name, whole or not at all; a disk that refuses is nobody's trouble."""
    where = folder()
    if where is None:
        return
    with contextlib.suppress(OSError):
        where.mkdir(parents=True, exist_ok=True)
        handle, half_written = tempfile.mkstemp(dir=where)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(half_written, where / name)


# -- what code depends on -------------------------------------------------------------------------------------------


def names_in(code: CodeType) -> set[str]:
    """The names that a function's code, and any function written inside it, may look up: not those of attributes.

    A name counts as an attribute's only where every instruction that mentions it is known to read attributes: what an
    instruction of a later Python does with a name is taken for a look-up.
    """
    inner = (part for part in code.co_consts if isinstance(part, CodeType))
    named = [step for step in get_instructions(code) if step.opcode in hasname]
    attributes = {step.argval for step in named if step.opname.endswith(("_ATTR", "_METHOD"))}
    others = {step.argval for step in named if not step.opname.endswith(("_ATTR", "_METHOD"))}
    looked_up = set(code.co_names) - (attributes - others)
    return looked_up.union(*(names_in(part) for part in inner))


def fingerprint(*parts: Any) -> str | None:
    """A name for code made of these functions and values; None where one of them differs from process to process."""
    found = hashlib.sha256()
    for piece in _walk(parts, set()):
        if " at 0x" in piece:
            return None
        found.update(piece.encode())
        found.update(b"\0")
    return found.hexdigest()[:40]


def _walk(values: Iterable[Any], seen: set[int]) -> Iterator[str]:
    for value in values:
        if isinstance(value, FunctionType):
            if id(value) not in seen:
                seen.add(id(value))
                yield from _function(value, seen)
        elif isinstance(value, dict):
            for key in sorted(value):
                yield str(key)
                yield from _walk((value[key],), seen)
        elif isinstance(value, tuple) and not hasattr(value, "_fields"):
            yield f"({len(value)}"
            yield from _walk(value, seen)
        elif isinstance(value, ModuleType):
            yield value.__name__
        elif isinstance(value, CodeType):
            yield from _code(value, seen)
        else:
            yield f"{type(value).__name__} {value!r}"


def _function(function: FunctionType, seen: set[int]) -> Iterator[str]:
    yield from _code(function.__code__, seen)
    around = function.__globals__
    for name in sorted(names_in(function.__code__)):
        yield name
        if name in around and name != "cuda":
            yield from _walk((around[name],), seen)
    yield from _walk(function.__defaults__ or (), seen)
    yield from _walk((cell.cell_contents for cell in function.__closure__ or ()), seen)


def _code(code: CodeType, seen: set[int]) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount))
    yield from _walk(code.co_consts, seen)
