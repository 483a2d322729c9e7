"""Running a kernel in Python: the engine's own bodies (`play`), and what a learner wrote with Numba (`run`)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy

from tensorkit.kernels.cuda.traced.machine_math import MachineMath, MachineNumpy, of_machine
from tensorkit.kernels.cuda.traced.memory import TracedPointer, Watch
from tensorkit.kernels.cuda.traced.names.numba_names import of_numba
from tensorkit.kernels.cuda.traced.names.refusals import RETURNS_NOTHING, SHARED_BYTES, refuse
from tensorkit.kernels.cuda.traced.notes import Notes
from tensorkit.kernels.cuda.traced.report import KernelTrace
from tensorkit.kernels.cuda.traced.stand_in import SYNCHRONISING, TracedCuda
from tensorkit.kernels.cuda.traced.threads import Crew
from tensorkit.kernels.cuda.traced.typed import Typed, Typing
from tensorkit.kernels.cuda.traced.words import who

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
        watched: makes of an argument, by its name, what the kernel is handed: a `TracedArray` of an array, whose view
            is noted.
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
    bound, waits = _bound(function, {}, watch, cuda, ready)
    _all_blocks(watch, cuda, lambda: bound(*ready), crew=waits or not silent)
    return trace


def check(kernel: Any, shared_bytes: int = 0) -> None:
    """Refuse what Numba does not compile in a kernel, and more shared memory than a block may have.

    Raises:
        TypeError, NameError, AttributeError: with the line.
        RuntimeError: for too much shared memory.
    """
    asked = refuse(plain(kernel), TracedCuda(Watch(Notes((1,), (1,))))) + shared_bytes
    if asked > SHARED_BYTES:
        raise RuntimeError(
            f"CUDA error: invalid argument\n{asked:,} bytes of shared memory; a block has {SHARED_BYTES:,}"
        )


def plain(kernel: Any) -> FunctionType:
    """The Python function of a kernel.

    Raises:
        TypeError: for something that is not a kernel.
    """
    function = getattr(kernel, "py_func", kernel)
    if not isinstance(function, FunctionType):
        raise TypeError(
            f"a kernel is a Python function, plain or decorated with numba.cuda.jit, not {type(kernel).__name__}"
        )
    return function


def _all_blocks(watch: Watch, cuda: TracedCuda, call: Callable[[], Any], crew: bool) -> None:
    """Every thread of every block: alive together where they wait for one another, else one after the other."""
    notes = watch.notes

    def alone(thread: int) -> None:
        with numpy.errstate(all="ignore"):  # each thread of this computer has its own
            work(thread)

    def work(thread: int) -> None:
        try:
            if call() is not None:
                raise TypeError(f"{notes.name}: {RETURNS_NOTHING}")
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
    """What types a kernel's functions, with our `cuda` instead of Numba's."""

    def exchanged(value: Any) -> Any:
        if value is math:
            return MachineMath()
        if isinstance(value, BuiltinFunctionType) and value.__module__ == "math":
            return MachineMath.function(value.__name__, value)
        if value is numpy:
            return MachineNumpy()
        return of_machine(of_numba(value, cuda, lambda found: typing.exchanged(found)))

    typing = Typing(exchanged, {"cuda": cuda})
    cuda.exchange = typing.exchanged
    return typing


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


def _recorded(argument: Any, name: str, trace: Notes) -> Any:
    if isinstance(argument, TracedPointer):
        return TracedPointer(name, argument.array, argument.start, trace)
    if isinstance(argument, numpy.ndarray):
        return TracedPointer(name, argument, 0, trace)
    return argument
