"""Compiled kernels kept on disk: what took a fifth of a second to compile is read in a thousandth.

A file is named by a fingerprint of all that its code depends on: the body, every function and constant that it is
handed or names, the types of its arguments, this processor, and the versions of Python, NumPy and the compilers. So
nothing is ever looked up that could be out of date, and files that are no longer named only take up disk space.

The folder is ``$TENSORKIT_CACHE_DIR``, or that of the user's caches. What is in there is run, so it is made for the
user alone, and nothing is read from a folder that others own or may write into. Where there is no such folder, or it
cannot be written, nothing is kept, which a warning says once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import warnings
from collections.abc import Iterable, Iterator
from dis import get_instructions, hasname
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tensorkit.process.caches import user_caches
from tensorkit.process.whole_file import beside


@lru_cache(maxsize=1)
def folder() -> Path | None:
    """Where compiled kernels are kept; None when ``TENSORKIT_CACHE_DIR`` is empty."""
    if os.environ.get("TENSORKIT_CACHE_DIR") == "":
        return None
    try:
        return user_caches() / "kernels"
    except RuntimeError as error:  # the user has no home, or there is no such user
        _say(str(error))
        return None


@cache
def _say(reason: str) -> None:
    """Warn that nothing is kept: once for each reason."""
    with contextlib.suppress(UserWarning):  # a cache is never worth an error
        warnings.warn(f"compiled kernels are not kept: {reason.rstrip('.')}", UserWarning, stacklevel=2)


def _is_own(where: Path) -> bool:
    """Whether a folder is the user's, and no other user may write into it."""
    if not hasattr(os, "geteuid"):  # Windows: the user's folders are closed to others
        return True
    about = os.lstat(where)
    if stat.S_ISDIR(about.st_mode) and about.st_uid == os.geteuid() and not about.st_mode & 0o022:
        return True
    _say(f"{where} is not a folder of yours into which nobody else can write (chmod 700 makes it one)")
    return False


def load(name: str) -> bytes | None:
    """What is kept under a name; None where there is nothing."""
    where = folder()
    try:
        if where is None or not _is_own(where):
            return None
    except OSError:
        return None
    try:
        return (where / name).read_bytes()
    except OSError:
        return None


def store(name: str, data: bytes) -> None:
    """Keep `data` under a name, whole or not at all; errors of the disk are ignored."""
    where = folder()
    if where is None:
        return
    try:
        where.parent.mkdir(parents=True, exist_ok=True)
        where.mkdir(mode=0o700, exist_ok=True)
        if _is_own(where):
            with beside(where / name) as waiting:
                waiting.write_bytes(data)
    except OSError as error:
        _say(f"{where} cannot be written ({(error.strerror or type(error).__name__).lower()})")


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
