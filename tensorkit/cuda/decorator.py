"""`jit`: a kernel that is called as ``kernel[grid, block](…)``, by Numba on a GPU and on an emulated device.

>>> from numba import cuda
>>> @tk.cuda.jit
... def double(x, out):
...     i = cuda.grid(1)
...     if i < out.size:
...         out[i] = 2 * x[i]
>>> with tk.cuda.emulate():
...     x, out = tk.arange(5.0, device="cuda"), tk.zeros(5, device="cuda")
...     double[2, 4](x, out)
...     out
tensor([0., 2., 4., 6., 8.], device='cuda:0')

Source: https://nvidia.github.io/numba-cuda/user/kernels.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial, update_wrapper
from importlib import import_module
from inspect import signature
from typing import Any

import numpy

from tensorkit.cuda.streams import Stream, get_stream_from_external
from tensorkit.cuda.streams import stream as on_stream
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda.traced.play import plain
from tensorkit.ops.tensor.cuda_kernels import launch
from tensorkit.tensor import Tensor

Function = Callable[..., Any]

_OPTIONS = frozenset({
    "boundscheck", "cache", "debug", "device", "extensions", "fastmath", "forceinline", "inline", "launch_bounds",
    "lineinfo", "link", "lto", "max_registers", "nopython", "opt", "shared_memory_carveout",
})  # fmt: skip
THREADS = 128
"""The threads of a block where the caller of `Kernel.forall` does not say."""


class Kernel:
    """A function that runs on a device, as `jit` makes it: called as ``kernel[grid, block](…)``, or by another kernel.

    Its name, docstring and signature are the function's.

    Attributes:
        py_func: the function.
    """

    __name__: str
    __qualname__: str

    def __init__(self, function: Function, signatures: Sequence[Any], options: dict[str, Any]) -> None:
        self.py_func: Function = plain(function)
        self._signatures, self._options = signatures, options
        update_wrapper(self, self.py_func)

    @cached_property
    def _numba_dispatcher(self) -> Any:
        """Numba's own of the same function."""
        numba: Any = import_module("numba.cuda")
        given = (list(self._signatures),) if self._signatures else ()
        return numba.jit(*given, **self._options)(self.py_func)

    @property
    def _numba_type_(self) -> Any:
        """What Numba asks of a function that one of its kernels calls."""
        return self._numba_dispatcher._numba_type_

    def __getitem__(self, configuration: Any) -> Function:
        """``kernel[grid, block]``, ``kernel[grid, block, stream]`` or ``kernel[grid, block, stream, sharedmem]``.

        Args:
            configuration: how many blocks, and threads of each (see `launch`); the stream, by default the current one;
                bytes of shared memory for ``cuda.shared.array(0, …)``.

        Returns:
            What is called with the kernel's arguments.
        """
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise ValueError("must specify at least the griddim and blockdim")
        grid, block, stream, sharedmem = (*configuration, 0, 0)[:4]
        return partial(self._launch, grid, block, stream, sharedmem)

    def _launch(self, grid: Any, block: Any, stream: Any, sharedmem: int, /, *args: Any) -> None:
        if self._options.get("device"):
            raise TypeError(
                f"{self.__name__} is a device function: a kernel calls it, and it cannot be launched"
            )
        with _current(stream):
            emulated = kernels.emulated_devices() is not None
            launch(self, grid, block, *(self._declared(args) if emulated else args), sharedmem=int(sharedmem))

    def forall(self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0) -> Function:
        """The kernel for at least `ntasks` threads: ``kernel.forall(n)(…)``.

        Args:
            ntasks: how many.
            tpb: threads of a block, by default 128.
            stream, sharedmem: as in ``kernel[…]``.
        """
        if ntasks < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")
        block = tpb or THREADS
        return self[-(-ntasks // block), block, stream, sharedmem] if ntasks else lambda *args: None

    def __call__(self, *args: Any) -> Any:
        raise ValueError(
            "Kernel launch configuration was not specified. Use the syntax:\n\n"
            f"{self.__name__}[blockspergrid, threadsperblock]({', '.join(signature(self.py_func).parameters)})"
        )

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<tensorkit.cuda.jit of {self.__qualname__}>"

    # ---- signatures

    @cached_property
    def _types(self) -> list[tuple[Any, ...]]:
        """The types of the arguments, by each signature."""
        normal = import_module("numba.core.sigutils").normalize_signature
        return [normal(one)[0] for one in self._signatures]

    def _declared(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments as the first signature that fits them has them: numbers become numbers of its types."""
        if not self._signatures:
            return args
        for types in self._types:
            if len(types) == len(args) and all(map(_fits, types, args)):
                return tuple(map(_as_declared, types, args))
        given, known = ", ".join(map(_typed, args)), " or ".join(map(str, self._signatures))
        raise TypeError(
            f"No matching definition for argument type(s) {given}: {self.__name__} is declared as {known}"
        )


def jit(func_or_sig: Any = None, device: bool = False, **options: Any) -> Any:
    """Make a kernel of a function, as ``numba.cuda.jit`` does: for a GPU, and for an emulated device.

    ``kernel[grid, block](…)`` runs it on the current CUDA device. On a GPU Numba compiles and launches it; an emulated
    device runs its threads in Python (see `launch`). Its arguments are tensors on the device, arrays of NumPy, which
    are copied there and back, and numbers. `launch`, `trace` and ``KernelTracer`` take it as well.

    Args:
        func_or_sig: the function; or what it is called with, as ``"void(float32[:])"``, or several of these.
        device: whether it is a function that kernels call, and which returns something.
        options: those of Numba's, such as ``fastmath``, ``debug`` and ``opt``: they say how it is compiled for a GPU.

    Returns:
        A `Kernel`, or what makes one of a function.

    Raises:
        TypeError: for something that is not a function, and for an option that Numba does not have.

    >>> from numba import cuda
    >>> @tk.cuda.jit("void(float32[:], float32)", fastmath=True)
    ... def scale(x, factor):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= factor
    >>> with tk.cuda.emulate():
    ...     x = tk.ones(3, device="cuda")
    ...     scale.forall(3)(x, 2.5)
    ...     x
    tensor([2.5000, 2.5000, 2.5000], device='cuda:0')
    """
    if unknown := options.keys() - _OPTIONS:
        raise TypeError(
            f"cuda.jit has no option {', '.join(sorted(unknown))}: it knows {', '.join(sorted(_OPTIONS))}"
        )
    if device:
        options["device"] = True
    if func_or_sig is None:
        return lambda function: Kernel(function, (), options)
    several = isinstance(func_or_sig, list)
    if several or isinstance(func_or_sig, (str, tuple)) or type(func_or_sig).__module__.startswith("numba."):
        signatures = func_or_sig if several else [func_or_sig]
        if not hasattr(func_or_sig, "py_func"):
            return lambda function: Kernel(function, signatures, options)
    return Kernel(func_or_sig, (), options)


def _current(stream: Any) -> AbstractContextManager[Any]:
    """Makes a stream the current one: one of ours, or of another library's; 0 is the one that is current."""
    if stream is None or (isinstance(stream, int) and stream == 0):
        return nullcontext()
    if hasattr(stream, "__cuda_stream__") and not isinstance(stream, Stream):
        stream = get_stream_from_external(stream.__cuda_stream__()[1])
    if not isinstance(stream, Stream):
        raise TypeError(f"the third thing in kernel[…] is a stream, or 0, not {type(stream).__name__}")
    return on_stream(stream)


def _kind(argument: Any) -> str:
    """The type of a number, or of an array's elements, as Numba calls it."""
    if isinstance(argument, Tensor):
        return str(argument._dtype.numpy)
    if _is_number(argument):
        return str(numpy.asarray(argument).dtype)
    return str(getattr(argument, "dtype", type(argument).__name__))


def _typed(argument: Any) -> str:
    """An argument's type as a signature has it: ``float32[:, :]``."""
    sizes = ", ".join(":" * _ndim(argument))
    return f"{_kind(argument)}[{sizes}]" if sizes else _kind(argument)


def _is_number(argument: Any) -> bool:
    return isinstance(argument, (int, float, complex, numpy.generic)) and not isinstance(argument, numpy.void)


def _ndim(argument: Any) -> int:
    return int(getattr(argument, "ndim", 0))


def _fits(declared: Any, argument: Any) -> bool:
    if _is_number(argument) or not hasattr(declared, "ndim"):
        return _is_number(argument) is not hasattr(declared, "ndim")
    return bool(declared.ndim == _ndim(argument) and str(declared.dtype) == _kind(argument))


def _as_declared(declared: Any, argument: Any) -> Any:
    return numpy.asarray(argument).astype(str(declared))[()] if _is_number(argument) else argument
