"""Running a kernel in Python: the engine's own bodies (`play`), and what a learner wrote with Numba (`run`)."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy

from tensorkit.kernels.cuda.traced.kernel_trace import KernelTrace
from tensorkit.kernels.cuda.traced.machine_math import MachineMath, MachineNumpy, of_machine
from tensorkit.kernels.cuda.traced.memory import TracedArray, TracedPointer, Watch
from tensorkit.kernels.cuda.traced.notes import Notes
from tensorkit.kernels.cuda.traced.stand_in import SYNCHRONISING, TracedCuda
from tensorkit.kernels.cuda.traced.threads import Crew
from tensorkit.kernels.cuda.traced.typed import Typed, Typing
from tensorkit.kernels.cuda.traced.words import who

__all__ = ["plain", "play", "run", "typing_for"]

Function = Callable[..., Any]


def play(
    body: Function, names: dict[str, Any], arguments: tuple[Any, ...], blocks: int, threads: int
) -> KernelTrace:
    """Run every thread of one of the engine's bodies and return what each of them touched.

    Threads run one after the other, or, where there are barriers, from barrier to barrier.

    Args:
        body: a kernel body; its arrays may be NumPy arrays of one dimension.
        names: what to hand it besides `cuda`.
        arguments: its arguments.
        blocks, threads: the size of the grid, and of each block.

    >>> def double(count, values):
    ...     i = cuda.grid(1)
    ...     if i < count:
    ...         values[i] = 2 * values[i]
    >>> values = numpy.arange(3)
    >>> traced = play(double, {}, (3, values), blocks=1, threads=4)
    >>> values.tolist(), [(a.kind, a.thread, a.slot) for a in traced.accesses][:2]
    ([0, 2, 4], [('read', 0, 0), ('write', 0, 0)])
    """
    trace = KernelTrace((blocks,), (threads,), body.__name__)
    watch = Watch(trace)
    cuda = TracedCuda(watch)
    parameters = body.__code__.co_varnames
    ready = [_recorded(a, name, trace) for a, name in zip(arguments, parameters, strict=False)]
    bound, waits = _bound(body, names, watch, cuda, ready)
    _all_blocks(watch, cuda, lambda: bound(*ready), crew=waits)
    return trace


def run(
    kernel: Any,
    grid: Sequence[int],
    block: Sequence[int],
    arguments: Iterable[Any],
    *,
    silent: bool = False,
    shared_bytes: int = 0,
    watched: Callable[[str, Any, Watch], Any] = lambda name, argument, watch: argument,
) -> KernelTrace:
    """Run every thread of a kernel that was written for Numba.

    Args:
        kernel: a plain function, or one that ``numba.cuda.jit`` has decorated.
        grid, block: how many blocks, and threads of each, in up to three dimensions.
        arguments: what it is called with.
        silent: take no notes, and refuse what goes astray; otherwise it is noted, and the warps go in step.
        shared_bytes: the size of shared memory whose size the kernel leaves to the launch.
        watched: makes of an argument, by its name, what the kernel is handed: a `TracedArray` of an array.
    """
    function = plain(kernel)
    trace = KernelTrace(grid, block, function.__name__)
    trace.silent = trace.strict = silent
    trace.stepping = not silent
    _read_source(trace, function)
    watch = Watch(trace)
    cuda = TracedCuda(watch, shared_bytes)
    given = inspect.signature(function).bind(*arguments)
    given.apply_defaults()
    ready = [watched(name, value, watch) for name, value in given.arguments.items()]
    for name, value in zip(given.arguments, ready, strict=True):
        if isinstance(value, TracedArray):
            trace.views[name] = value._view
    bound, waits = _bound(function, {}, watch, cuda, ready)
    _all_blocks(watch, cuda, lambda: bound(*ready), crew=waits or not silent)
    return trace


def plain(kernel: Any) -> FunctionType:
    """The Python function of a kernel.

    Raises:
        TypeError: for something that is no kernel.
    """
    function = getattr(kernel, "py_func", kernel)
    if not isinstance(function, FunctionType):
        raise TypeError(
            f"a kernel is a Python function, plain or decorated with numba.cuda.jit, not {type(kernel).__name__}"
        )
    return function


def _all_blocks(watch: Watch, cuda: TracedCuda, call: Callable[[], None], crew: bool) -> None:
    """Every thread of every block: alive together where they wait for one another, else one after the other."""
    notes = watch.notes

    def alone(thread: int) -> None:
        with numpy.errstate(all="ignore"):  # each thread of this computer has its own
            work(thread)

    def work(thread: int) -> None:
        try:
            call()
        except Exception as error:
            error.add_note(f"in {who(notes, notes.now, thread)}")
            raise

    for number in range(notes.blocks):
        notes.now, notes.phases, notes.epochs = number, [0] * notes.threads, [0] * notes.threads
        cuda.begin_block()
        if crew:
            watch.crew = Crew(notes, alone)
            watch.crew.run()
            continue
        with numpy.errstate(all="ignore"):
            for thread in range(notes.threads):
                notes.thread = thread
                work(thread)


def _read_source(trace: Notes, function: FunctionType) -> None:
    try:
        lines, trace.first_line = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return
    trace.source = [line.rstrip("\n") for line in lines]


# ---- what a kernel finds by its names


def typing_for(cuda: TracedCuda) -> Typing:
    """What types a kernel's functions, with our `cuda` in the place of Numba's."""

    def exchanged(value: Any) -> Any:
        if value is math:
            return MachineMath()
        if isinstance(value, BuiltinFunctionType) and value.__module__ == "math":
            return MachineMath.function(value.__name__, value)
        return MachineNumpy() if value is numpy else of_machine(_of_numba(value, cuda))

    return Typing(exchanged, {"cuda": cuda})


def _bound(
    function: Any,
    names: dict[str, Any],
    watch: Watch,
    cuda: TracedCuda,
    given: Sequence[Any],
) -> tuple[Function, bool]:
    """A kernel for such arguments, and whether its threads wait for one another."""
    typing = typing_for(cuda)
    typed = Typed(function, typing)
    typed.bind(names)
    bound, watch.code = typed.version(given)
    return bound, not typing.used.isdisjoint(SYNCHRONISING)


def _of_numba(value: Any, cuda: TracedCuda) -> Any:
    """Our stand-in for ``numba.cuda``, for ``numba``, or for a name that was imported from the former."""
    theirs = sys.modules.get("numba.cuda")
    if theirs is None:
        return value
    if isinstance(value, ModuleType):
        if value is theirs:
            return cuda
        return _Numba(cuda) if value.__name__ == "numba" else value
    for name in _NAMES:
        if getattr(theirs, name, None) is value:
            return getattr(cuda, name)
    return value


_NAMES = (
    "grid", "gridsize", "threadIdx", "blockIdx", "blockDim", "gridDim", "shared", "local", "const", "atomic",
    "threadfence", "threadfence_block", "threadfence_system", "lanemask_lt", "selp", "fma", "popc",
    "clz", "ffs", "brev", "cbrt", "nanosleep", *sorted(SYNCHRONISING),
)  # fmt: skip


class _Numba:
    """The module ``numba`` with another ``cuda`` in it."""

    def __init__(self, cuda: TracedCuda) -> None:
        self.cuda = cuda

    def __getattr__(self, name: str) -> Any:
        return of_machine(getattr(sys.modules["numba"], name))


def _recorded(argument: Any, name: str, trace: Notes) -> Any:
    if isinstance(argument, TracedPointer):
        return TracedPointer(name, argument.array, argument.start, trace)
    if isinstance(argument, numpy.ndarray):
        return TracedPointer(name, argument, 0, trace)
    return argument
