"""The one place where a body becomes code: for the host (Numba), and as PTX and cubin for a GPU (numba-cuda).

No driver is needed for either. numba-cuda asks the driver only for the compute capability of the current
device, so `_as_if_on` answers for it; NVVM and nvJitLink are libraries that come with pip. Numba is imported
when the first kernel is compiled, never by ``import tensorkit``. Should numba-cuda be superseded, this module
is what changes.
"""

from __future__ import annotations

import ctypes
import inspect
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import CellType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy

from tensorkit.kernels.cuda import code_cache, host_cuda, pack
from tensorkit.kernels.cuda.code_cache import fingerprint, names_in
from tensorkit.process import forks

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

    @property
    def waits(self) -> bool:
        """Whether the threads of a block wait for one another."""
        return "syncthreads" in self.body.__code__.co_names


def _is_plain(value: Any) -> bool:
    """Numba's own functions stand for the machine's: they are left alone."""
    return isinstance(value, FunctionType) and not (value.__module__ or "").startswith("numba.")


def bind(
    function: Function, names: dict[str, Any], wrap: Function, takes: Callable[[Any], bool] = _is_plain
) -> Function:
    """A copy of a plain function whose globals hold `names`, with `wrap` around each plain function it calls.

    Args:
        function: a body, or a function that a body calls; anything else (a NumPy type) is returned unchanged.
        names: what to hand it in place of its globals.
        wrap: makes a plain function callable from compiled code; it is called for what `function` uses, not
        for
            `function` itself.
        takes: which of those things `wrap` is called for; by default the plain functions that are not Numba's.

    >>> def twice(x):
    ...     return factor * x
    >>> bind(twice, {"factor": 2}, lambda f: f)(21)
    42
    """
    if not isinstance(function, FunctionType):
        return function

    def ready(value: Any) -> Any:
        return wrap(value) if takes(value) else value

    # Only what it names: a copy of all globals would keep a notebook's tensors alive for ever.
    around = function.__globals__
    scope = {name: ready(around[name]) for name in names_in(function.__code__) if name in around}
    scope.update({name: ready(value) for name, value in names.items()}, __name__=function.__module__)
    cells = tuple(CellType(ready(cell.cell_contents)) for cell in function.__closure__ or ())
    copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


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
def _host_functions(every_thread: bool) -> tuple[ModuleType, Function]:
    """The `cuda` that functions see on the host, and what makes them callable from compiled code (each once)."""
    from numba import njit

    cuda = host_cuda.together() if every_thread else host_cuda.alone()

    @cache
    def wrap(function: Function) -> Any:
        return njit(error_model="numpy")(bind(function, {"cuda": cuda}, wrap))

    return cuda, wrap


@cache
def host(kernel: Kernel, every_thread: bool = False) -> Function:
    """The kernel as a function of plain integers and floats (tuples laid flat), compiled for this computer.

    Args:
        kernel: what to compile.
        every_thread: whether each thread of a grid runs by itself (see `host_cuda.run_grid`); otherwise one thread
            does all the work, and its machine code is kept on disk.
    """
    kept = None if every_thread else _fingerprint("host", kernel)
    made = _load_host(kept) if kept else None
    if made is None:
        made = _compile_host(kernel, every_thread, kept)
    held, address = made
    flat = [kind for argument in kernel.arguments for kind in _c_types(argument)]
    call: Any = ctypes.CFUNCTYPE(None, *flat)(address)
    call.keep = held
    function: Function = call
    return function


@cache
def _fingerprint(target: str, kernel: Kernel) -> str | None:
    import numba

    here = [numba.__version__, numpy.__version__, *sys.version_info[:3]]
    if target == "host":
        import llvmlite
        from llvmlite import binding

        here += [llvmlite.__version__, binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()]
        here.append(inspect.getsource(host_cuda))
    else:
        here += [version("numba-cuda"), version("nvidia-nvvm"), version("nvidia-nvjitlink")]
    return fingerprint(target, repr(here), kernel.name, repr(kernel.arguments), kernel.body, kernel.names)


_compiled: list[str] = []  # the kernels that this process has compiled for the host, for those who count them


def _compile_host(kernel: Kernel, every_thread: bool, kept: str | None) -> tuple[Any, int]:
    _compiled.append(kernel.name)
    from numba import cfunc, types

    cuda, wrap = _host_functions(every_thread)
    body = bind(kernel.body, kernel.names | {"cuda": cuda}, wrap)
    compiled: Any = cfunc(_signature(types, kernel.arguments), error_model="numpy")(body)
    if kept:
        name, kind, data = compiled._library.serialize_using_object_code()
        code_cache.store(kept, pickle.dumps((compiled._wrapper_name, name, kind, data)))
    return compiled, int(compiled.address or 0)


def _load_host(kept: str) -> tuple[Any, int] | None:
    """Machine code from the disk, and where it begins."""
    data = code_cache.load(kept)
    if data is None:
        return None
    from numba.core.registry import cpu_target

    runtime: Any = import_module("numba.core.runtime")
    entry, *serialized = pickle.loads(data)
    context = cpu_target.target_context
    runtime.rtsys.initialize(context)  # what compiling does by the way: the code may ask it for shared memory
    library = context.codegen().unserialize_library(tuple(serialized))
    return library, int(library.get_pointer_to_function(entry))


# -- for a GPU ------------------------------------------------------------------------------------------

_compiling = forks.rlock()


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
    cuda: Any = import_module("numba.cuda")

    @cache
    def wrap(function: Function) -> Any:
        return cuda.jit(device=True)(bind(function, {"cuda": cuda}, wrap))

    return wrap


@cache
def ptx(kernel: Kernel, capability: tuple[int, int]) -> str:
    """The kernel as PTX for a compute capability such as ``(9, 0)``; its entry is called `kernel.name`."""
    cuda: Any = import_module("numba.cuda")

    with _as_if_on(capability):
        body = bind(kernel.body, kernel.names | {"cuda": cuda}, _device_functions(capability))
        signature = _signature(cuda.types, kernel.arguments)
        text, _ = cuda.compile(body, signature, device=False, abi="numba", cc=capability)
    entry = re.search(r"\.visible \.entry (\w+)\(", text)
    if entry is None:
        raise RuntimeError(f"no entry in the PTX of {kernel.name}")
    return str(text).replace(entry[1], kernel.name)


@cache
def cubin(kernel: Kernel, capability: tuple[int, int]) -> bytes:
    """The kernel as machine code (ELF) for a compute capability: from a pack, or compiled and kept on disk.

    Raises:
        RuntimeError: when nvJitLink refuses the PTX, with what it says; when there is no compiler.
    """
    if (packed := pack.find(kernel, capability)) is not None:
        return packed
    try:
        kept = _fingerprint(f"sm_{capability[0]}{capability[1]}", kernel)
    except PackageNotFoundError as absent:
        raise RuntimeError(pack.missing(kernel.name, capability)) from absent
    found = code_cache.load(kept) if kept else None
    if found is None:
        found = _link(kernel, capability)
        if kept:
            code_cache.store(kept, found)
    return found


def _link(kernel: Kernel, capability: tuple[int, int]) -> bytes:
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
