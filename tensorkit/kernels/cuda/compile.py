"""The one place where a body becomes code: for the host (Numba), and as PTX and cubin for a GPU (numba-cuda).

No driver is needed for either. numba-cuda asks the driver only for the compute capability of the current
device, so `_as_if_on` answers for it; NVVM and nvJitLink are libraries that come with pip. Numba is imported
when the first kernel is compiled, never by ``import tensorkit``. Should numba-cuda be superseded, this module
is what changes.
"""

from __future__ import annotations

import ctypes
import dis
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib import import_module
from types import CellType, CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy

__all__ = ["Argument", "Int", "Ints", "Kernel", "Numbers", "Pointer", "bind", "cubin", "host", "ptx"]

Function = Callable[..., Any]


class Pointer(NamedTuple):
    """An argument that points to elements of a NumPy type."""

    kind: str


class Int(NamedTuple):
    """An argument that is one 64-bit integer."""


class Ints(NamedTuple):
    """An argument that is a tuple of 64-bit integers; the machine sees that many integers."""

    length: int


class Numbers(NamedTuple):
    """An argument that is a tuple of numbers of a NumPy type."""

    kind: str
    length: int


Argument = Pointer | Int | Ints | Numbers


class Kernel:
    """A body, the functions it is handed by name, and its arguments' types: all that a compiler needs.

    One object is one kernel: compiled code is kept for the object, not for what it is equal to.
    """

    __slots__ = ("arguments", "body", "name", "names")

    def __init__(
        self, name: str, body: Function, names: dict[str, Function], arguments: tuple[Argument, ...]
    ) -> None:
        self.name = name
        self.body = body
        self.names = names
        self.arguments = arguments


def bind(function: Function, names: dict[str, Any], wrap: Function) -> Function:
    """A copy of a plain function whose globals hold `names`, with `wrap` around each plain function it calls.

    Args:
        function: a body, or a function that a body calls; anything else (a NumPy type) is returned unchanged.
        names: what to hand it in place of its globals.
        wrap: makes a plain function callable from compiled code; it is called for what `function` uses, not
        for
            `function` itself.

    >>> def twice(x):
    ...     return factor * x
    >>> bind(twice, {"factor": 2}, lambda f: f)(21)
    42
    """
    if not isinstance(function, FunctionType):
        return function

    def ready(value: Any) -> Any:
        plain = isinstance(value, FunctionType) and not value.__module__.startswith("numba.")
        return wrap(value) if plain else value  # numba's own functions stand for the machine's

    # Only what it names: a copy of all globals would keep a notebook's tensors alive for ever.
    around = function.__globals__
    scope = {name: ready(around[name]) for name in _names_in(function.__code__) if name in around}
    scope.update({name: ready(value) for name, value in names.items()}, __name__=function.__module__)
    cells = tuple(CellType(ready(cell.cell_contents)) for cell in function.__closure__ or ())
    copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def _names_in(code: CodeType) -> set[str]:
    """The names that a function's code, and any function written inside it, may look up: not those of attributes."""
    inner = (part for part in code.co_consts if isinstance(part, CodeType))
    looked_up = {step.argval for step in dis.get_instructions(code) if step.opname in _LOOK_UPS}
    return looked_up.union(*(_names_in(part) for part in inner))


_LOOK_UPS = ("LOAD_GLOBAL", "LOAD_NAME")


def _signature(types: Any, arguments: tuple[Argument, ...]) -> Any:
    def machine(argument: Argument) -> Any:
        if isinstance(argument, Pointer):
            return types.CPointer(getattr(types, argument.kind))
        if isinstance(argument, Int):
            return types.int64
        kind = types.int64 if isinstance(argument, Ints) else getattr(types, argument.kind)
        return types.UniTuple(kind, argument.length) if argument.length else types.Tuple(())

    return types.void(*(machine(argument) for argument in arguments))


# -- for the host ---------------------------------------------------------------------------------------

# Which thread the host plays of a whole grid: block, thread, blocks of the grid, threads of a block.
thread_state = (ctypes.c_int64 * 4)(0, 0, 1, 1)


@lru_cache(maxsize=2)
def _host_cuda(every_thread: bool) -> ModuleType:
    """The `cuda` that a body is handed on the host: one thread for all, or each thread of a grid in turn."""
    from numba import njit

    grid, gridsize = (lambda ndim: 0), (lambda ndim: 1)
    if every_thread:
        peek, start = _peek(), ctypes.addressof(thread_state)
        block, thread, blocks, threads = (start + 8 * k for k in range(4))
        grid = lambda ndim: peek(block) * peek(threads) + peek(thread)  # noqa: E731
        gridsize = lambda ndim: peek(blocks) * peek(threads)  # noqa: E731
    stand_in = ModuleType("cuda")
    vars(stand_in).update(grid=njit(grid), gridsize=njit(gridsize))
    return stand_in


def _peek() -> Any:
    """Compiled code's way to read one 64-bit integer at an address."""
    from llvmlite import ir
    from numba import types
    from numba.core.typing.templates import signature
    from numba.extending import intrinsic

    @intrinsic
    def peek(typing_context: Any, address: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.load(builder.inttoptr(args[0], ir.IntType(64).as_pointer()))

        return signature(types.int64, types.int64), code

    return peek


_C_TYPES = {
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
}


def _c_types(argument: Argument) -> list[Any]:
    if isinstance(argument, Pointer):
        return [ctypes.c_void_p]
    if isinstance(argument, Int):
        return [ctypes.c_int64]
    kind = ctypes.c_int64 if isinstance(argument, Ints) else _C_TYPES[argument.kind]
    return [kind] * argument.length


@cache
def _host_function(function: Function) -> Any:
    """A plain function that compiled code on the host can call; compiled once for all kernels that use it."""
    from numba import njit

    return njit(error_model="numpy")(bind(function, {}, _host_function))


@cache
def host(kernel: Kernel, every_thread: bool = False) -> Function:
    """The kernel as a function of plain integers and floats (tuples laid flat), compiled for this computer.

    Args:
        kernel: what to compile.
        every_thread: whether `thread_state` says which thread runs; otherwise one thread does all the work.
    """
    from numba import cfunc, types

    body = bind(kernel.body, kernel.names, _host_function)
    body.__globals__["cuda"] = _host_cuda(every_thread)
    compiled = cfunc(_signature(types, kernel.arguments), error_model="numpy")(body)
    flat = [kind for argument in kernel.arguments for kind in _c_types(argument)]
    call: Any = ctypes.CFUNCTYPE(None, *flat)(int(compiled.address or 0))
    call.keep = compiled
    made: Function = call
    return made


# -- for a GPU ------------------------------------------------------------------------------------------

_compiling = threading.RLock()


@contextmanager
def _as_if_on(capability: tuple[int, int]) -> Iterator[None]:
    """Let numba-cuda believe that the current device has this compute capability, driver or no driver."""
    dispatcher: Any = import_module("numba.cuda.dispatcher")

    stand_in = SimpleNamespace(compute_capability=capability)
    with _compiling:
        real = dispatcher.get_current_device
        dispatcher.get_current_device = lambda: stand_in
        try:
            yield
        finally:
            dispatcher.get_current_device = real


@cache
def _device_functions(capability: tuple[int, int]) -> Function:
    """For one compute capability, what makes a plain function callable from a GPU's kernels (each once)."""
    from numba import cuda

    @cache
    def wrap(function: Function) -> Any:
        return cuda.jit(device=True)(bind(function, {}, wrap))

    return wrap


@cache
def ptx(kernel: Kernel, capability: tuple[int, int]) -> str:
    """The kernel as PTX for a compute capability such as ``(9, 0)``; its entry is called `kernel.name`."""
    cuda: Any = import_module("numba.cuda")

    with _as_if_on(capability):
        body = bind(kernel.body, kernel.names, _device_functions(capability))
        body.__globals__["cuda"] = cuda
        signature = _signature(cuda.types, kernel.arguments)
        text, _ = cuda.compile(body, signature, device=False, abi="numba", cc=capability)
    entry = re.search(r"\.visible \.entry (\w+)\(", text)
    if entry is None:
        raise RuntimeError(f"no entry in the PTX of {kernel.name}")
    return str(text).replace(entry[1], kernel.name)


@cache
def cubin(kernel: Kernel, capability: tuple[int, int]) -> bytes:
    """The kernel as machine code (ELF) for a compute capability.

    Raises:
        RuntimeError: when nvJitLink refuses the PTX, with what it says.
    """
    from cuda.bindings import nvjitlink

    code = ptx(kernel, capability).encode()
    handle = nvjitlink.create(1, [f"-arch=sm_{capability[0]}{capability[1]}"])
    try:
        nvjitlink.add_data(handle, nvjitlink.InputType.PTX, code, len(code), kernel.name)
        nvjitlink.complete(handle)
        machine = bytearray(nvjitlink.get_linked_cubin_size(handle))
        nvjitlink.get_linked_cubin(handle, machine)
        return bytes(machine)
    except nvjitlink.nvJitLinkError as error:
        log = bytearray(nvjitlink.get_error_log_size(handle))
        nvjitlink.get_error_log(handle, log)
        said = numpy.frombuffer(log, numpy.uint8).tobytes().decode(errors="replace").strip("\0\n ")
        raise RuntimeError(
            f"nvJitLink cannot link {kernel.name} for sm_{capability[0]}{capability[1]}: {said}"
        ) from error
    finally:
        nvjitlink.destroy(handle)
