"""Names of Numba's in a kernel: what stands for them here, and a sentence for those that are not played.

A kernel may reach them as ``cuda.grid``, ``numba.cuda.grid`` or ``grid``: they are known by what they are, not by how
they were imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from tensorkit.kernels.cuda.traced.names import libdevice

Exchange = Callable[[Any], Any]

PLAYED = (
    "grid", "gridsize", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpsize", "shared", "local", "const",
    "atomic", "threadfence", "threadfence_block", "threadfence_system", "lanemask_lt", "selp", "fma", "popc",
    "clz", "ffs", "brev", "cbrt", "nanosleep", "syncthreads", "syncthreads_count", "syncthreads_and",
    "syncthreads_or", "syncwarp", "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync", "ballot_sync",
    "all_sync", "any_sync", "eq_sync", "match_any_sync", "match_all_sync", "activemask",
)  # fmt: skip
"""The names of ``numba.cuda`` that a kernel may use on an emulated device."""


def is_numbas(function: FunctionType) -> bool:
    """Whether a plain function is one of Numba's, which stands for the machine's and does nothing itself."""
    return (function.__module__ or "").startswith("numba.")


def unknown(name: str) -> str:
    """The message for a name that is not emulated."""
    return f"{name} is not known to the emulated device: kernels that use it need a GPU"


def known_as(name: str) -> Callable[[type], type]:
    """Name a class by what it stands for in a kernel: errors of Python's say that name."""

    def named(cls: type) -> type:
        cls.__name__ = cls.__qualname__ = name
        setattr(cls, "__repr__", lambda self: f"<{name}>")  # noqa: B010
        for member in vars(cls).values():
            function = getattr(member, "__func__", member)
            if isinstance(function, FunctionType):
                function.__qualname__ = f"{name}.{function.__name__}"
        return cls

    return named


class Namespace:
    """A part of ``cuda`` that only holds names, such as ``cuda.shared``."""

    def __init__(self, name: str, **known: Any) -> None:
        self._name = name
        self.__dict__.update(known)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(unknown(f"{self._name}.{name}"))


class Unplayed:
    """What stands for a name of Numba's that is not played: to use it is an error.

    Args:
        why: the sentence.
    """

    def __init__(self, why: str) -> None:
        self._why = why

    def __call__(self, *given: Any, **named: Any) -> Any:
        raise AttributeError(self._why)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(self._why)

    def __str__(self) -> str:
        return self._why

    __getitem__ = __call__


class _Module:
    """A module of Numba's: its names, each exchanged for what stands for it."""

    def __init__(self, module: ModuleType, exchange: Exchange) -> None:
        self._module, self._exchange = module, exchange

    def __getattr__(self, name: str) -> Any:
        try:
            found = getattr(self._module, name)
        except AttributeError:
            raise AttributeError(f"{self._module.__name__} has no name {name}") from None
        return self._exchange(found)


def of_numba(value: Any, cuda: Any, exchange: Exchange) -> Any:
    """What stands for a module or name of Numba's: our `cuda` for ``numba.cuda``. Other things are given back.

    Args:
        value: what a kernel finds by one of its names.
        cuda: what stands for ``numba.cuda``.
        exchange: what is to be done with a name that is looked up in one of Numba's modules.
    """
    theirs = sys.modules.get("numba.cuda")
    if theirs is None or value is theirs:
        return value if theirs is None else cuda
    if isinstance(value, ModuleType):
        return _of_module(value, exchange)
    known = _played(theirs).get(id(value))
    if known is not None:
        return getattr(cuda, known)
    home = getattr(value, "__module__", None) or ""
    stub = home.startswith("numba.cuda") and not _is_types(home) and not hasattr(value, "py_func")
    if not stub or not callable(value):
        return value
    name = getattr(value, "__name__", None) or _name_in(theirs, value)
    played = libdevice.function(name) if home == "numba.cuda.libdevice" else None
    return played or Unplayed(_why(home.split(".")[2], name))


@cache
def _played(theirs: ModuleType) -> dict[int, str]:
    """The names that are played, by what they are."""
    return {id(vars(theirs)[name]): name for name in PLAYED if name in vars(theirs)}


def _of_module(module: ModuleType, exchange: Exchange) -> Any:
    name = module.__name__
    if name.partition(".")[0] != "numba" or _is_types(name):
        return module
    if name.startswith("numba.cuda") and name.rpartition(".")[2] not in ("libdevice", "random"):
        return Unplayed(unknown(name.removeprefix("numba.")))
    return _Module(module, exchange)


def _is_types(module: str) -> bool:
    return "types" in module.split(".")


def _name_in(module: ModuleType, value: Any) -> str:
    return next((name for name, one in vars(module).items() if one is value), type(value).__name__)


def _why(part: str, name: str) -> str:
    if part in ("api", "compiler", "cudadrv", "decorators", "kernels"):
        return f"cuda.{name} is for the program that launches a kernel: a kernel cannot use it"
    if name == "laneid":
        return (
            "laneid changes with the thread: a kernel on the emulated device has to write it as cuda.laneid"
        )
    return unknown(f"cuda.{part}.{name}" if part in ("cg", "fp16", "libdevice") else f"cuda.{name}")
