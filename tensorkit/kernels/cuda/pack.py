"""A pack of machine code: kernels that were compiled elsewhere, for a GPU whose computer has no compiler.

A pack is one zip file: an entry for each kernel and architecture (``sm_80/<key>``), and ``about.json``, which
names the sources that they were made from. A key names a kernel by its source, not by the bytecode that Python makes
of it: so a pack serves other versions of Python, NumPy and the compilers too, but only the sources it was made from.
``tensorkit.lab.cubins`` makes one; ``$TENSORKIT_CUBINS`` names the files to look into, and ``cubins.zip`` beside the
kernels kept on disk is looked into as well.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from tensorkit.kernels.cuda import code_cache
from tensorkit.process.whole_file import beside

Capability = tuple[int, int]
_ABOUT = "about.json"
#: Whose functions a name says enough of: those of this package are read with its sources, the others are the machine's.
_OURS, _THEIRS = "tensorkit.", ("numba", "math", "numpy", "cuda")


# -- which kernel -----------------------------------------------------------------------------------------------------


@cache
def sources() -> str:
    """A fingerprint of all sources that kernels are made of."""
    root = Path(__file__).resolve().parents[1]
    found = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:40]


@cache
def key(kernel: Any) -> str | None:
    """The name of a kernel in a pack; None for one that is not made of this package's functions alone."""
    found = hashlib.sha256()
    for piece in _told((kernel.name, repr(kernel.arguments), kernel.body, kernel.names), set()):
        if piece is None or " at 0x" in piece:
            return None
        found.update(piece.encode() + b"\0")
    return found.hexdigest()[:40]


def _told(values: Iterable[Any], seen: set[int]) -> Iterator[str | None]:
    for value in values:
        if isinstance(value, FunctionType):
            if id(value) not in seen:
                seen.add(id(value))
                yield from _function(value, seen)
        elif isinstance(value, dict):
            yield from (
                piece for name in sorted(value) for piece in (str(name), *_told((value[name],), seen))
            )
        elif isinstance(value, tuple) and not hasattr(value, "_fields"):
            yield f"({len(value)}"
            yield from _told(value, seen)
        else:
            yield value.__name__ if isinstance(value, ModuleType) else f"{type(value).__name__} {value!r}"


def _function(function: FunctionType, seen: set[int]) -> Iterator[str | None]:
    module, code = function.__module__ or "", function.__code__
    yield f"{module} {function.__qualname__}"
    if module.split(".")[0] in _THEIRS:
        return
    if not module.startswith(_OURS):
        yield None
        return
    yield repr((code.co_firstlineno, code.co_varnames, code.co_freevars))
    around = function.__globals__
    for name in sorted(code_cache.names_in(code)):
        if name in around and name != "cuda":
            yield name
            yield from _told((around[name],), seen)
    yield from _told(function.__defaults__ or (), seen)
    yield from _told((cell.cell_contents for cell in function.__closure__ or ()), seen)


# -- the file ---------------------------------------------------------------------------------------------------------


def write(path: Path, code: Mapping[tuple[str, Capability], bytes]) -> None:
    """Write a pack: machine code by key and compute capability. The same code gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with beside(path) as waiting, zipfile.ZipFile(waiting, "w", zipfile.ZIP_DEFLATED) as pack:
        pack.writestr(zipfile.ZipInfo(_ABOUT), json.dumps({"sources": sources()}))
        for name, capability in sorted(code):
            entry = zipfile.ZipInfo(_entry(name, capability))
            pack.writestr(entry, code[name, capability], zipfile.ZIP_DEFLATED)


def _entry(name: str, capability: Capability) -> str:
    return f"sm_{capability[0]}{capability[1]}/{name}"


def files() -> list[Path]:
    """The packs to look into, those named by ``$TENSORKIT_CUBINS`` first."""
    named = os.environ.get("TENSORKIT_CUBINS", "")
    found = [Path(name) for name in named.split(os.pathsep) if name]
    kept = code_cache.folder()
    if kept is not None:
        found.append(kept.parent / "cubins.zip")
    return [path for path in found if path.is_file()]


@cache
def _opened(path: Path) -> tuple[zipfile.ZipFile, frozenset[str]] | None:
    """A pack and its entries; None where it was made of other sources."""
    pack = zipfile.ZipFile(path)
    if json.loads(pack.read(_ABOUT))["sources"] != sources():
        pack.close()
        return None
    return pack, frozenset(pack.namelist())


def find(kernel: Any, capability: Capability) -> bytes | None:
    """A kernel's machine code from a pack: for this compute capability, or an earlier one of the same major number."""
    paths = files()
    name = key(kernel) if paths else None
    if name is None:
        return None
    for path in paths:
        opened = _opened(path)
        for minor in range(capability[1], -1, -1) if opened else ():
            entry = _entry(name, (capability[0], minor))
            if opened is not None and entry in opened[1]:
                return opened[0].read(entry)
    return None


def missing(name: str, capability: Capability) -> str:
    """The sentence for a kernel that is in no pack, where nothing can compile it."""
    stale = [str(path) for path in files() if _opened(path) is None]
    text = f"The kernel {name} is in no pack of machine code for sm_{capability[0]}{capability[1]}"
    if stale:
        text += f" (made of other sources: {', '.join(stale)})"
    return (
        f"{text}, and numba-cuda, which would compile it, is not installed: pip install 'tensorkit[cuda13]', or make a "
        "pack on another computer: python -m tensorkit.lab.cubins"
    )
