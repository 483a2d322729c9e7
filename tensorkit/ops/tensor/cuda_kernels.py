"""Kernels that you write yourself, with Numba's ``cuda``: run on a device, or traced thread by thread.

>>> import numpy
>>> from numba import cuda
>>> @cuda.jit
... def add(a, b, out):
...     i = cuda.grid(1)
...     if i < out.size:
...         out[i] = a[i] + b[i]
>>> with tk.cuda.emulate():
...     a, out = tk.arange(5.0, device="cuda"), tk.zeros(5, device="cuda")
...     tk.cuda.launch(add, 2, 4, a, a, out)
...     out
tensor([0., 2., 4., 6., 8.], device='cuda:0')

Source: https://nvidia.github.io/numba-cuda/user/kernels.html for what a kernel is; `launch` is
``add[2, 4](a, a, out)`` there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from inspect import signature
from math import prod
from operator import index
from typing import Any, SupportsIndex

import numpy

from tensorkit import tracing
from tensorkit.errors import NoCudaError
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda import told
from tensorkit.kernels.cuda.emulator import NO_CUDA
from tensorkit.kernels.cuda.faults import refusal
from tensorkit.kernels.cuda.traced import KernelTrace, run
from tensorkit.kernels.cuda.traced.memory import TracedArray, Watch, array_of
from tensorkit.kernels.cuda.traced.notes import Memory, View
from tensorkit.kernels.cuda.traced.play import check, plain
from tensorkit.kernels.cuda.traced.records import Records
from tensorkit.tensor import Tensor

Grid = SupportsIndex | Sequence[SupportsIndex]
MOST_THREADS = 1024
MOST_BLOCK = (1024, 1024, 64)
MOST_GRID = (2**31 - 1, 65535, 65535)


def launch(kernel: Any, grid: Grid, block: Grid, *args: Any, sharedmem: int = 0) -> None:
    """Run a kernel on the current CUDA device: ``kernel[grid, block](*args)``, on an emulated device too.

    On a GPU, Numba compiles and launches it, on the current stream. An emulated device runs its threads in Python, one
    after the other or, where they meet at barriers, from barrier to barrier. Either comes back at once, but with arrays
    of NumPy: then it waits, and they hold the result.

    Args:
        kernel: a Python function that uses ``numba.cuda``, plain or decorated with ``cuda.jit``.
        grid: how many blocks: a number, or up to three.
        block: how many threads each block has: a number, or up to three.
        args: tensors on the device, NumPy arrays (which a GPU copies there and back) and numbers.
        sharedmem: bytes of shared memory for ``cuda.shared.array(0, …)``.

    Raises:
        NoCudaError: without a GPU and without emulation.
        RuntimeError: for a grid or block that no device has.
        AcceleratorError: for an access outside an array, and for threads that wait for one another for ever; at the
            next call that waits for the device. An emulated one names thread, block and line.
        TypeError: for something that is not a kernel, or a tensor on the CPU.
    """
    if not kernels.is_available():
        raise NoCudaError(NO_CUDA)
    sizes = _sizes(grid, block)
    names = signature(plain(kernel)).bind(*args).arguments
    for name, tensor in _tensors(names.items()):
        _check(name, tensor)
    gpu = kernels.emulated_devices() is None
    if not gpu:
        _refuse(kernel, args, sharedmem)
    (_on_gpu if gpu else _emulated)(kernel, *sizes, args, sharedmem)
    if tracing.active:
        where, who = f"cuda:{kernels.current_device()}", "gpu" if gpu else "emulated"
        tracing.emit(tracing.LaunchEvent(plain(kernel).__name__, *sizes, where, who))
        _tell(plain(kernel).__name__, args)


def trace(kernel: Any, grid: Grid, block: Grid, *args: Any, sharedmem: int = 0) -> KernelTrace:
    """Run a kernel in Python, thread by thread, and give back what each of them did and what is wrong with that.

    The arguments are those of `launch`; the arrays hold the result afterwards. For NumPy arrays no device is needed.
    The threads of a warp go in step, as on a GPU. What goes astray is noted and left out, and the kernel goes on.

    Returns:
        The trace: printed, it is a summary; ``accesses`` has every read and write, ``findings`` what is wrong:
        accesses out of bounds, divergent barriers, races, memory that is read before it is written, and, as what only
        makes it slow, uncoalesced accesses and bank conflicts.

    Raises:
        RuntimeError: for a grid or block that no device has, and for more accesses than can be kept in memory.
        TypeError: for something that is not a kernel, or a tensor on the CPU.

    >>> import numpy
    >>> from numba import cuda
    >>> def total(x, out):
    ...     i = cuda.grid(1)
    ...     out[0] += x[i]
    >>> out = numpy.zeros(1)
    >>> print(trace(total, 1, 4, numpy.ones(3), out).races[0].text)  # doctest: +ELLIPSIS
    Race: thread 1 of block 0 reads slot 0 of out in line 3 and thread 0 of block 0 writes it in line 3, ...
    """
    handed, sizes = _Handed(direct=False), _sizes(grid, block)
    _refuse(kernel, args, sharedmem)
    try:
        return run(kernel, *sizes, args, shared_bytes=sharedmem, watched=handed.watched)
    finally:
        handed.bring_back()


def _tell(name: str, args: tuple[Any, ...]) -> None:
    """Tell the listeners which stream was given it; a kernel on arrays of NumPy alone is on none."""
    tensors = [tensor for _, tensor in _tensors(("", one) for one in args)]
    if tensors:
        waits = any(isinstance(one, numpy.ndarray) for one in args)
        where, moved = tensors[0]._store()._buffer, sum(tensor.nbytes for tensor in tensors)
        told.tell("kernel", name, where, nbytes=moved, waits=waits)


def _sizes(grid: Grid, block: Grid) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Grid and block as tuples."""
    blocks, threads = _size("grid", grid), _size("block", block)
    if prod(threads) > MOST_THREADS or any(n > most for n, most in zip(threads, MOST_BLOCK, strict=False)):
        most = " x ".join(map(str, MOST_BLOCK))
        raise RuntimeError(
            _invalid(f"a block has at most {MOST_THREADS} threads, and at most {most} of them, not {threads}")
        )
    if any(n > most for n, most in zip(blocks, MOST_GRID, strict=False)):
        raise RuntimeError(
            _invalid(f"a grid has at most {' x '.join(map(str, MOST_GRID))} blocks, not {blocks}")
        )
    return blocks, threads


def _size(what: str, given: Grid) -> tuple[int, ...]:
    """One of them: integers of Python's or NumPy's."""
    try:
        size = tuple(map(index, given if isinstance(given, Sequence) else (given,)))
    except TypeError:
        raise TypeError(f"a {what} is an integer, or up to three, not {given!r}") from None
    if not 1 <= len(size) <= 3 or not all(n > 0 for n in size):
        raise RuntimeError(_invalid(f"a {what} has one to three sizes, each at least 1, not {size}"))
    return size


def _invalid(why: str) -> str:
    return f"CUDA error: invalid configuration argument\n{why}"


def _on_gpu(
    kernel: Any, grid: tuple[int, ...], block: tuple[int, ...], args: tuple[Any, ...], sharedmem: int
) -> None:
    cuda: Any = import_module("numba.cuda")
    compiled = getattr(kernel, "_numba_dispatcher", kernel)
    compiled = compiled if hasattr(compiled, "py_func") else cuda.jit(plain(kernel))
    stream = kernels.streams_of(kernels.current_device()).current()
    begun = told.begin(stream) if tracing.active else None
    compiled[grid, block, cuda.external_stream(stream.handle) if stream.handle else 0, sharedmem](*args)
    if begun is not None:
        told.end(stream, begun)


def _emulated(
    kernel: Any, grid: tuple[int, ...], block: tuple[int, ...], args: tuple[Any, ...], sharedmem: int
) -> None:
    """Queue it on the current stream; with arrays of the host, as on a GPU, wait until they hold the result."""

    def work() -> None:
        handed = _Handed(direct=True)
        try:
            run(kernel, grid, block, args, silent=True, shared_bytes=sharedmem, watched=handed.watched)
        finally:
            handed.bring_back()

    buffers = [tensor._checked_store()._buffer for _, tensor in _tensors(("", one) for one in args)]
    if buffers and not any(isinstance(one, numpy.ndarray) for one in args):
        kernels.enqueue(work, buffers)
        return
    try:
        kernels.call(work, buffers) if buffers else work()
    except kernels.Fault as fault:
        raise refusal(fault) from None


def _refuse(kernel: Any, args: tuple[Any, ...], sharedmem: int) -> None:
    """Refuse what Numba would not compile, or not take as an argument."""
    check(kernel, sharedmem)
    for name, value in signature(plain(kernel)).bind(*args).arguments.items():
        if isinstance(value, (list, dict, set)):
            raise TypeError(
                f"{name} is a {type(value).__name__}, which no kernel takes: hand over an array or a tuple"
            )


def _tensors(given: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Tensor]]:
    """The tensors among a kernel's arguments, and in tuples of them."""
    for name, value in given:
        if isinstance(value, Tensor):
            yield name, value
        elif isinstance(value, tuple):
            yield from _tensors((f"{name}[{k}]", one) for k, one in enumerate(value))


def _check(name: str, tensor: Tensor) -> None:
    """Whether a kernel can reach a tensor, and whether it may."""
    if not tensor.is_cuda:
        raise TypeError(f"{name} is on the CPU, where a kernel cannot reach it: hand over {name}.cuda()")
    if tensor.requires_grad:
        raise RuntimeError(
            f"{name} requires grad, and what a kernel does cannot be differentiated: hand over {name}.detach()"
        )
    if tensor.is_conj() or tensor.is_neg():
        lazy = "resolve_conj" if tensor.is_conj() else "resolve_neg"
        raise RuntimeError(f"{name} is not in memory as it is read: hand over {name}.{lazy}()")


class _Handed:
    """The memory of a kernel's arguments: what several of them share is the same memory.

    Args:
        direct: whether kernels work on the bytes of an emulated device; otherwise on a copy that is brought back, and
            what was there before is kept.
    """

    def __init__(self, direct: bool) -> None:
        self._direct = direct
        self._bytes: dict[int, Any] = {}
        self._memories: dict[tuple[int, str], Memory] = {}
        self._owners: list[Any] = []  # they live as long as their numbers are keys
        self._tensors: list[tuple[Tensor, Memory]] = []

    def watched(self, name: str, value: Any, watch: Watch) -> Any:
        """What the kernel is handed for an argument."""
        if isinstance(value, Tensor):
            return self._array(name, self._of_tensor(name, value), watch)
        if isinstance(value, numpy.void):
            return self.watched(name, numpy.asarray(value), watch)[()]
        if isinstance(value, numpy.ndarray) and value.dtype.names:
            fields = {one: self.watched(f"{name}.{one}", value[one], watch) for one in value.dtype.names}
            return Records(name, value.dtype, fields)
        if isinstance(value, numpy.ndarray):
            return self._array(name, self._of_array(name, value), watch)
        if isinstance(value, tuple):
            each = [self.watched(f"{name}[{k}]", one, watch) for k, one in enumerate(value)]
            return value._make(each) if hasattr(value, "_make") else tuple(each)
        return value

    def _array(self, name: str, view: View, watch: Watch) -> TracedArray:
        watch.notes.views[name] = view
        return array_of(name, view, watch)

    def bring_back(self) -> None:
        """Write what has changed into the tensors' storages."""
        for tensor, memory in self._tensors:
            buffer = tensor._store()._buffer
            data = self._bytes.pop(id(buffer), None)
            if memory.dirty:
                tensor._bump()
                if data is not None and not self._direct:
                    kernels.memory_for(buffer).from_host(buffer, 0, data)

    def _memory(self, owner: Any, kind: str, make: Any) -> Memory:
        key = id(owner), kind
        if key not in self._memories:
            self._owners.append(owner)
            self._memories[key] = Memory("global", make(), keep=not self._direct)
        return self._memories[key]

    def _of_tensor(self, name: str, tensor: Tensor) -> View:
        _check(name, tensor)
        buffer = tensor._checked_store()._buffer
        if id(buffer) not in self._bytes:
            fetch = kernels.memory_for(buffer).to_host
            self._bytes[id(buffer)] = buffer._bytes if self._direct else fetch(buffer, 0, buffer.nbytes)
        data, kind = self._bytes[id(buffer)], tensor._dtype.numpy
        whole = buffer.nbytes // kind.itemsize * kind.itemsize
        memory = self._memory(buffer, kind.name, partial(lambda: data[:whole].view(kind)))
        self._tensors.append((tensor, memory))
        layout = tensor._lay()
        return View(memory, tuple(layout.size), tuple(layout.stride), layout.offset)

    def _of_array(self, name: str, array: numpy.ndarray[Any, Any]) -> View:
        """An array in the memory of the array that it is a view of, if that is one run of such elements."""
        item = array.itemsize
        if any(step % item for step in array.strides):
            raise TypeError(
                f"the elements of {name} do not lie whole numbers of elements apart: hand over a copy"
            )
        root: Any = array
        while isinstance(root.base, numpy.ndarray) and root.base.dtype == array.dtype:
            root = root.base
        strides = tuple(step // item for step in array.strides)
        if root.flags.c_contiguous or root.flags.f_contiguous:
            start = (_address(array) - _address(root)) // item
            memory = self._memory(root, array.dtype.name, lambda: root.reshape(-1, order="A"))
            return View(memory, array.shape, strides, start)
        low = sum(min(step * (n - 1), 0) for step, n in zip(strides, array.shape, strict=True))
        high = sum(max(step * (n - 1), 0) for step, n in zip(strides, array.shape, strict=True))
        upwards = array[tuple(slice(None, None, -1 if step < 0 else 1) for step in strides)]
        run_of = partial(numpy.lib.stride_tricks.as_strided, upwards, (high - low + 1,), (item,))
        return View(self._memory(array, array.dtype.name, run_of), array.shape, strides, -low)


def _address(array: numpy.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])
