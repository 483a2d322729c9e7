"""The `cuda` that a kernel's body is handed on the host: `threadIdx`, `shared.array`, `syncthreads` and their kin.

There are two. `alone` is for one thread that does the work of the whole grid: block 0 of 1, thread 0 of 1, all of it
known when the body is compiled, so that its loops become plain loops and its barriers nothing. `together` is for the
threads of a block that run side by side: each asks the operating system for its own `State`, waits at real barriers,
and shares memory with the others.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy

#: What the threads of a block may share, in bytes: as much as every GPU since 2012 gives without being asked.
SHARED_BYTES = 48 * 1024
_PLACES = ("blockIdx", "threadIdx", "gridDim", "blockDim")
_BARRIER, _SHARED, _NEXT = 12, 13, 14
State = ctypes.c_int64 * 16


# -- each thread's own state ----------------------------------------------------------------------------------------


_Key = ctypes.c_ulong if sys.platform == "darwin" else ctypes.c_uint  # pthread_key_t; on Windows a DWORD


class _Slot:
    """One pointer that every thread of the process has for itself, which compiled code can read."""

    def __init__(self) -> None:
        if sys.platform == "win32":
            kernel = ctypes.WinDLL("kernel32")
            self.key = int(kernel.TlsAlloc())
            self._set, get = kernel.TlsSetValue, kernel.TlsGetValue
        else:
            library = ctypes.CDLL(None)
            key = _Key()
            if library.pthread_key_create(ctypes.byref(key), None):
                raise RuntimeError("no pointer is left that each thread could have for itself")
            self.key = int(key.value)
            self._set, get = library.pthread_setspecific, library.pthread_getspecific
        self._set.argtypes = [_Key, ctypes.c_void_p]
        self.getter = int(ctypes.cast(get, ctypes.c_void_p).value or 0)

    def set(self, state: Any) -> None:
        """Let this thread's compiled code see `state`."""
        self._set(self.key, ctypes.addressof(state))


@lru_cache(maxsize=1)
def _slot() -> _Slot:
    return _Slot()


@lru_cache(maxsize=1)
def _intrinsics() -> tuple[Any, Any, Any]:
    """Compiled code's way to a number of its thread's state, to a barrier, and to shared memory."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.core.typing.templates import signature
    from numba.extending import intrinsic

    word, number, slot = ir.IntType(64), ir.IntType(8 * ctypes.sizeof(_Key)), _slot()

    def address(builder: Any, place: Any) -> Any:
        kind = ir.FunctionType(word, [number]).as_pointer()
        get = builder.inttoptr(ir.Constant(word, slot.getter), kind)
        base = builder.call(get, [ir.Constant(number, slot.key)])
        return builder.inttoptr(
            builder.add(base, builder.mul(place, ir.Constant(word, 8))), word.as_pointer()
        )

    @intrinsic
    def read(typing_context: Any, place: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.load(address(builder, args[0]))

        return signature(types.int64, types.int64), code

    @intrinsic
    def wait(typing_context: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            barrier = builder.load(address(builder, ir.Constant(word, _BARRIER)))
            kind = ir.FunctionType(ir.VoidType(), []).as_pointer()
            builder.call(builder.inttoptr(barrier, kind), [])
            return context.get_dummy_value()

        return signature(types.void), code

    @intrinsic
    def take(typing_context: Any, nbytes: Any) -> Any:
        """The address of the next `nbytes` of shared memory: the same for every thread that asks in the same order."""

        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            next_one = address(builder, ir.Constant(word, _NEXT))
            found = builder.load(next_one)
            builder.store(builder.add(found, args[0]), next_one)
            base = builder.load(address(builder, ir.Constant(word, _SHARED)))
            return builder.inttoptr(builder.add(base, found), cgutils.voidptr_t)

        return signature(types.voidptr, types.int64), code

    return read, wait, take


# -- the stand-ins --------------------------------------------------------------------------------------------------


class _Place:
    """`threadIdx`, `blockIdx`, `blockDim` or `gridDim`; compiled code knows what its `x`, `y` and `z` are."""

    def __init__(self, number: int) -> None:
        self.number = number


@lru_cache(maxsize=1)
def _register_places() -> None:
    """Teach Numba the type of a `_Place`, once."""
    from numba import types
    from numba.core.imputils import builtin_registry
    from numba.extending import models, overload_attribute, register_model, typeof_impl

    class PlaceType(types.Opaque):
        def __init__(self, number: int) -> None:
            self.number = number
            super().__init__(f"place_{number}")

    register_model(PlaceType)(models.OpaqueModel)

    @typeof_impl.register(_Place)
    def _typeof(value: _Place, context: Any) -> Any:
        return PlaceType(value.number)

    @builtin_registry.lower_constant(PlaceType)
    def _constant(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        return context.get_dummy_value()

    read = _intrinsics()[0]

    def attribute(axis: int) -> Callable[[Any], Any]:
        def typed(place: Any) -> Any:
            where = place.number * 3 + axis
            return lambda place: read(where)

        typed.__annotations__ = {}  # Numba compares the two signatures
        return typed

    for axis, name in enumerate("xyz"):
        overload_attribute(PlaceType, name)(attribute(axis))


def _module(name: str, **members: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(members)
    return made


@lru_cache(maxsize=1)
def alone() -> ModuleType:
    """The `cuda` of one thread that does the work of all."""
    from numba import njit

    empty = njit(lambda shape, dtype: numpy.empty(shape, dtype))
    places = {
        name: _module(name, x=0, y=0, z=0) if name.endswith("Idx") else _module(name, x=1, y=1, z=1)
        for name in _PLACES
    }
    return _module(
        "cuda",
        **places,
        grid=njit(lambda ndim: 0),
        gridsize=njit(lambda ndim: 1),
        syncthreads=njit(lambda: None),
        shared=_module("shared", array=empty),
        local=_module("local", array=empty),
        atomic=_atomic(),
    )


def _atomic() -> ModuleType:
    """What is atomic by itself where only one thread runs at a time."""
    from numba import njit

    def add(array: Any, slot: Any, value: Any) -> Any:
        old = array[slot]
        array[slot] = old + value
        return old

    return _module("atomic", add=njit(add))


@lru_cache(maxsize=1)
def together() -> ModuleType:
    """The `cuda` of threads that run side by side, each with a `State` of its own."""
    from numba import njit
    from numba.extending import register_jitable

    _register_places()
    read, wait, take = _intrinsics()
    numba: Any = import_module("numba")

    @register_jitable
    def size_of(dtype: Any) -> Any:
        return numpy.empty(1, dtype).itemsize

    def shared(shape: Any, dtype: Any) -> Any:
        # Rounded up to 16 bytes, so that what comes next is aligned whatever it is.
        return numba.carray(take((shape * size_of(dtype) + 15) // 16 * 16), shape, dtype)

    first, wide = _PLACES.index("threadIdx") * 3, _PLACES.index("blockDim") * 3
    block, blocks = _PLACES.index("blockIdx") * 3, _PLACES.index("gridDim") * 3
    return _module(
        "cuda",
        **{name: _Place(number) for number, name in enumerate(_PLACES)},
        grid=njit(lambda ndim: read(block) * read(wide) + read(first)),
        gridsize=njit(lambda ndim: read(blocks) * read(wide)),
        syncthreads=njit(lambda: wait()),
        shared=_module("shared", array=njit(shared)),
        local=_module("local", array=njit(lambda shape, dtype: numpy.empty(shape, dtype))),
        atomic=_atomic(),
    )


# -- running a grid of real threads ---------------------------------------------------------------------------------

_PATIENCE = 20.0  # seconds after which a barrier that some threads never reach is given up


def run_grid(call: Callable[..., Any], values: list[Any], blocks: int, threads: int, barriers: bool) -> None:
    """Run every block of a grid in turn, and its threads side by side; without barriers one after the other.

    Args:
        call: the compiled body, which lets go of Python's lock while it runs.
        values: its arguments.
        barriers: whether the body has any.

    Raises:
        RuntimeError: when some threads of a block wait at a barrier that others never reach.
    """
    if not barriers:
        alone_now = State()
        _slot().set(alone_now)
        for block in range(blocks):
            for thread in range(threads):
                alone_now[:] = [block, 0, 0, thread, 0, 0, blocks, 1, 1, threads, 1, 1, 0, 0, 0, 0]
                call(*values)
        return
    barrier = threading.Barrier(threads)
    kind = ctypes.CFUNCTYPE(None)
    broken: list[BaseException] = []

    def meet() -> None:
        try:
            barrier.wait(_PATIENCE)
        except threading.BrokenBarrierError as error:
            broken.append(error)

    at_barrier = kind(meet)
    shared = (ctypes.c_char * (SHARED_BYTES + 64))()
    base = (ctypes.addressof(shared) + 63) // 64 * 64

    def work(thread: int) -> None:
        state = State()
        slot = _slot()
        for block in range(blocks):
            state[:] = [block, 0, 0, thread, 0, 0, blocks, 1, 1, threads, 1, 1, 0, base, 0, 0]
            state[_BARRIER] = ctypes.cast(at_barrier, ctypes.c_void_p).value or 0
            slot.set(state)
            call(*values)
            meet()  # the next block finds the shared memory free

    workers = [threading.Thread(target=work, args=(thread,), daemon=True) for thread in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if broken:
        raise RuntimeError(
            "CUDA error: unspecified launch failure\n"
            f"some of the {threads} threads of a block waited at cuda.syncthreads() and others never came there"
        )
