"""What the listeners hear of the queues: which stream was given what, and who waited; asked where `tracing.active`.

On a GPU the work is put between two marks of the device's clock (`begin`, `end`), and the event carries them; on an
emulated device there is no clock to ask: what is drawn of it is computed from sizes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from time import perf_counter_ns
from typing import Any

from tensorkit import tracing
from tensorkit.errors import AcceleratorError
from tensorkit.kernels.cuda.plan import Operand
from tensorkit.kernels.cuda.streams import EmulatedStream

Begun = tuple[int, Any]


class _Here(threading.local):
    def __init__(self) -> None:
        self.timed: list[
            tuple[Any, int, Any, Any]
        ] = []  # stream, when the host asked, marks before and after


_here = _Here()


def clock(stream: Any) -> Any:
    """A mark of a GPU's clock in a stream; None for an emulated one."""
    return None if isinstance(stream, EmulatedStream) else stream.mark(timing=True)


def begin(stream: Any) -> Begun:
    """A GPU's stream is about to be given work: when the host asks, and a mark before it."""
    return perf_counter_ns(), stream.mark(timing=True)


def end(stream: Any, begun: Begun) -> None:
    """It has been given it: the mark after it. The next reported event takes both marks."""
    _here.timed.append((stream, *begun, stream.mark(timing=True)))


def tell(kind: str, name: str, buffer: Any, asked: int = 0, **more: Any) -> None:
    """Tell of work that the current stream of a buffer's device was given.

    Args:
        asked: when the host began to ask; by default when the work was timed, or now.
        more: see `tracing.QueueEvent`.
    """
    tell_all(kind, (name,), buffer, asked, **more)


def tell_all(
    kind: str, names: Sequence[str], buffer: Any, asked: int = 0, nbytes: int = 0, **more: Any
) -> None:
    """Tell of the pieces of one work, each with its share of the bytes."""
    timed, _here.timed = _here.timed, []
    queue = None if buffer.streams is None else buffer.streams.current()
    if queue is not None:
        more["failed"] = queue.device.failed
        more["waits"] = more.get("waits", False) or queue.device.blocking
    for place, name in enumerate(names, len(timed) - len(names)):
        now = perf_counter_ns()
        stream, when, begun, ended = timed[place] if place >= 0 else (queue, now, None, None)
        tracing.emit(
            tracing.QueueEvent(
                kind, name, f"cuda:{buffer.index}", getattr(stream, "number", 0), tracing.numbered(),
                asked or when, now, nbytes // len(names), begun=begun, ended=ended, **more,
            )
        )  # fmt: skip


def tell_copy(buffer: Any, nbytes: int, target: str = "", *, source: str = "", **more: Any) -> None:
    """Tell of a copy by the current stream of a buffer's device: to another memory, or from one."""
    here = f"cuda:{buffer.index}"
    source, target = source or here, target or here
    tell("copy", f"{source} → {target}", buffer, nbytes=nbytes, source=source, target=target, **more)


def tell_to_pinned(buffer: Any, target: Any) -> None:
    """Tell of a copy that was queued into pinned memory: where it will be, and how to ask whether it has come."""
    start = int(target.__array_interface__["data"][0])
    done: Callable[[], bool] | None = None
    if buffer.streams is not None:
        queue = buffer.streams.current()
        done = partial(queue.passed, queue.ticket())
    elif _here.timed:
        done = _here.timed[-1][-1].done
    tell_copy(buffer, target.size, "cpu", pinned=True, host=(start, start + target.size), done=done)


def tell_wait(name: str, queue: Any, wait: Callable[[], object], **more: Any) -> None:
    """Wait, and tell of it: also where the device's error is what the program got."""
    asked = perf_counter_ns()
    try:
        wait()
    except AcceleratorError:
        if tracing.active:
            tell_call("error", name, queue, asked, waits=True, failed=True, **more)
        raise
    if tracing.active:
        tell_call("synchronize", name, queue, asked, waits=True, **more)


def tell_call(kind: str, name: str, queue: Any, asked: int, **more: Any) -> int:
    """Tell of a call that gave a stream no work, but a mark, or waited; returns the number of the event.

    Args:
        queue: the stream, or the streams of a device where all of them are meant.
        asked: when the call began.
    """
    device = getattr(queue, "device", queue)
    event = tracing.QueueEvent(
        kind, name, f"cuda:{device.index}", getattr(queue, "number", None), tracing.numbered(), asked,
        perf_counter_ns(), **more,
    )  # fmt: skip
    tracing.emit(event)
    return event.number


def touched(operands: Sequence[Operand], size: tuple[int, ...]) -> int:
    """How many bytes a kernel reads and writes that meets every element of `size` once in each operand.

    What is broadcast is read from memory once.
    """
    return sum(
        operand.dtype.itemsize * prod(n for n, step in zip(size, operand.stride, strict=True) if step)
        for operand in operands
    )


def reached(operands: Sequence[Operand]) -> int:
    """How many bytes the buffers hold that a kernel is handed: it reads and writes no more than that."""
    return sum({id(operand.buffer): int(operand.buffer.nbytes) for operand in operands}.values())
