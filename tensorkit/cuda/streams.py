"""Streams and events: which work of a device comes after which.

A call that gives work to a device comes back before the work is done. What is given to one stream is done in that
order; two streams do not wait for each other unless asked to.

>>> with tk.cuda.emulate():
...     side = tk.cuda.Stream()
...     a = tk.ones(3, device="cuda")
...     side.wait_stream(tk.cuda.current_stream())  # `a` has to be there
...     with tk.cuda.stream(side):
...         b = a + 1
...     tk.cuda.current_stream().wait_stream(side)  # and `b` before it is printed
...     b
tensor([2., 2., 2.], device='cuda:0')

Source: names, behaviour and errors follow https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-streams.
"""

from __future__ import annotations

import ctypes
from itertools import count
from time import perf_counter_ns
from typing import Any

from tensorkit import tracing
from tensorkit.cuda.devices import DeviceLike, checked_index, is_available, need_cuda, present_index
from tensorkit.device import device as Device
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda import told
from tensorkit.kernels.cuda.emulator import NO_CUDA
from tensorkit.kernels.cuda.faults import held_up, sync_debug
from tensorkit.kernels.cuda.streams import GREATEST, LOWEST


def _require(name: str) -> None:
    if not is_available():
        raise RuntimeError(f"tensorkit.cuda.{name} requires CUDA support\n" + NO_CUDA.partition("\n")[2])


class Stream:
    """A queue of work of one device. What is put on it is done in order, beside what other streams do.

    As a context manager it is the current stream in the block (see `stream`).

    Args:
        device: whose stream; by default the current device's.
        priority: lower numbers first, from 0 down to -3.

    Raises:
        RuntimeError: without any device.

    >>> with tk.cuda.emulate():
    ...     s = Stream()
    ...     s.device, s == current_stream(), s.query()
    (device(type='cuda', index=0), False, True)
    """

    __slots__ = ("__weakref__", "_entered", "_queue")
    __module__ = "tensorkit.cuda"

    def __init__(self, device: DeviceLike = None, priority: int = 0, **known: Any) -> None:
        _require("Stream")
        self._entered: list[StreamContext] = []
        if "stream_id" in known:
            streams = kernels.streams_of(known.get("device_index", 0))
            self._queue: Any = next(queue for queue in streams.all() if queue.number == known["stream_id"])
        else:
            self._queue = kernels.streams_of(present_index(device)).fresh(priority)

    # -- what it is -------------------------------------------------------------------------------------

    @property
    def stream_id(self) -> int:
        """Its number on its device; 0 is the default stream."""
        return int(self._queue.number)

    @property
    def device_index(self) -> int:
        """The number of its device."""
        return int(self._queue.device.index)

    @property
    def device_type(self) -> int:
        """The kind of its device as PyTorch numbers them: 1 is CUDA."""
        return 1

    @property
    def device(self) -> Device:
        """Its device."""
        return Device("cuda", self.device_index)

    @property
    def cuda_stream(self) -> int:
        """Its address for other libraries; 0 is the default stream. For an emulated stream it is just a number."""
        return int(self._queue.handle)

    @property
    def priority(self) -> int:
        """Lower numbers first."""
        return int(self._queue.priority)

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """The lowest and the highest priority."""
        return LOWEST, GREATEST

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.cuda_stream)

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.cuda_stream

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self._queue is other._queue

    def __hash__(self) -> int:
        return hash((self.cuda_stream, self.device))

    def __repr__(self) -> str:
        return f"<tensorkit.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"

    # -- what waits for what ----------------------------------------------------------------------------

    def wait_event(self, event: Event) -> None:
        """Let what is given to this stream from now on wait for an event. The program does not wait."""
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Let what is given to this stream from now on wait for all that another was given until now."""
        self.wait_event(stream.record_event())

    def record_event(self, event: Event | None = None) -> Event:
        """Put an event on the stream: it is completed when all that was given before is done.

        Args:
            event: by default a new one.
        """
        event = Event() if event is None else event
        event.record(self)
        return event

    def query(self) -> bool:
        """Whether all that the stream was given is done."""
        return bool(self._queue.passed(self._queue.ticket()))

    def synchronize(self) -> None:
        """Wait until all that the stream was given is done.

        Raises:
            AcceleratorError: when work of the device has failed.
        """
        held_up()
        told.tell_wait("Stream.synchronize", self._queue, self._queue.synchronize)

    def __enter__(self) -> Stream:
        context = StreamContext(self)
        context.__enter__()
        self._entered.append(context)
        return self

    def __exit__(self, *problem: object) -> None:
        self._entered.pop().__exit__(*problem)


def _of_queue(queue: Any) -> Stream:
    made = Stream.__new__(Stream)
    made._queue, made._entered = queue, []
    return made


class ExternalStream(Stream):
    """A stream that another library made, by its address. That library sees to it that it lives long enough.

    Raises:
        RuntimeError: without any device, and for an address that no emulated stream has.
    """

    __slots__ = ()
    __module__ = "tensorkit.cuda"

    def __init__(self, stream_ptr: int, device: DeviceLike = None) -> None:
        _require("Stream")
        self._entered = []
        self._queue = kernels.streams_of(present_index(device)).foreign(stream_ptr)


def get_stream_from_external(data_ptr: int, device: DeviceLike = None) -> Stream:
    """The stream that has an address: another library's, or one of this one's.

    >>> with tk.cuda.emulate():
    ...     s = Stream()
    ...     get_stream_from_external(s.cuda_stream) == s
    True
    """
    need_cuda()
    return ExternalStream(data_ptr, device)


# -- events ---------------------------------------------------------------------------------------------

_handles = count(0x6000_0000, 0x10)


class Event:
    """A mark on a stream: completed when the device has done all that the stream was given before.

    Args:
        enable_timing: whether it notes the time, so that `elapsed_time` can compare two.
        blocking: whether a thread that waits for it sleeps instead of asking again and again (on a GPU).
        interprocess: refused: events stay in one process.
        external: for CUDA graphs, which there are none of; it makes no difference.

    Raises:
        RuntimeError: without any device.

    >>> with tk.cuda.emulate():
    ...     start, end = Event(enable_timing=True), Event(enable_timing=True)
    ...     start.record()
    ...     end.record()
    ...     end.synchronize()
    ...     start.elapsed_time(end) >= 0, end.query()
    (True, True)
    """

    __slots__ = ("__weakref__", "_blocking", "_handle", "_mark", "_timing", "_told")
    __module__ = "tensorkit.cuda"

    def __init__(
        self,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
    ) -> None:
        _require("Event")
        if interprocess:
            raise RuntimeError(
                "CUDA error: operation not supported\nevents cannot be shared between processes"
            )
        self._timing = enable_timing
        self._blocking = blocking
        self._handle = 0
        self._mark: Any = None
        self._told = 0  # the number of the `QueueEvent` that told of its record

    @property
    def device(self) -> Device | None:
        """The device of the stream that it was recorded on."""
        return None if self._mark is None else Device("cuda", self._mark.index)

    @property
    def cuda_event(self) -> int:
        """Its address for other libraries; 0 before it was recorded. For an emulated event it is just a number."""
        return self._handle

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.cuda_event)

    def __repr__(self) -> str:
        return (
            f"<tensorkit.cuda.Event {self._handle:#x}>"
            if self._handle
            else "<tensorkit.cuda.Event uninitialized>"
        )

    def record(self, stream: Stream | None = None) -> None:
        """Put it on a stream, by default the current one. Recorded again it means the new place.

        Raises:
            RuntimeError: when it was recorded on another device before.
        """
        queue = _queue_of(stream)
        before = self._mark
        if before is not None and before.index != queue.device.index:
            raise RuntimeError(
                f"Event device {before.index} does not match recording stream's device {queue.device.index}."
            )
        asked = perf_counter_ns()
        self._mark = queue.mark(timing=self._timing, blocking=self._blocking, again=before)
        self._told = (
            told.tell_call("record", "record", queue, asked, begun=told.clock(queue)) if tracing.active else 0
        )
        event = getattr(self._mark, "event", None)
        self._handle = self._handle or (next(_handles) if event is None else int(event.handle))

    def wait(self, stream: Stream | None = None) -> None:
        """Let what is given to a stream (by default the current one) from now on wait for it; the program does not."""
        if self._mark is not None:
            queue, asked = _queue_of(stream), perf_counter_ns()
            begun = told.clock(queue) if tracing.active else None
            queue.follow(self._mark)
            if tracing.active:
                ended = told.clock(queue)
                told.tell_call("wait", "wait_event", queue, asked, mark=self._told, begun=begun, ended=ended)

    def query(self) -> bool:
        """Whether it is completed; an event that was never recorded is."""
        return self._mark is None or self._mark.done()

    def synchronize(self) -> None:
        """Wait until it is completed.

        Raises:
            AcceleratorError: when work of its device has failed.
        """
        if self._mark is not None:
            queue = kernels.streams_of(self._mark.index)
            told.tell_wait("Event.synchronize", queue, self._mark.wait, mark=self._told)

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this event to a later one.

        Raises:
            ValueError: when one of them takes no time or was never recorded.
            RuntimeError: when one of them is not completed.
        """
        if not (self._timing and end_event._timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._mark is None or end_event._mark is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        if not (self.query() and end_event.query()):
            raise RuntimeError("Both events must be completed before calculating elapsed time.")
        return float(end_event._mark.since(self._mark))


def _queue_of(stream: Stream | None) -> Any:
    if stream is None:
        need_cuda()
        return kernels.streams_of(kernels.current_device()).current()
    if not isinstance(stream, Stream):
        raise TypeError(f"expected a tensorkit.cuda.Stream, not {type(stream).__name__}")
    return stream._queue


# -- which is current -----------------------------------------------------------------------------------


def current_stream(device: DeviceLike = None) -> Stream:
    """The stream that work for a device (by default the current one) goes to, for this thread.

    Raises:
        NoCudaError: without any device.

    >>> with tk.cuda.emulate():
    ...     current_stream()
    <tensorkit.cuda.Stream device=cuda:0 cuda_stream=0x0>
    """
    return _of_queue(kernels.streams_of(checked_index(device)).current())


def default_stream(device: DeviceLike = None) -> Stream:
    """The stream that is current where no other was chosen.

    Raises:
        NoCudaError: without any device.

    >>> with tk.cuda.emulate():
    ...     default_stream() == current_stream()
    True
    """
    return _of_queue(kernels.streams_of(checked_index(device)).default)


def set_stream(stream: Stream | None) -> None:
    """Make a stream, and its device, the current one of this thread; None changes nothing.

    >>> with tk.cuda.emulate():
    ...     s = Stream()
    ...     set_stream(s)
    ...     current_stream() == s
    True
    """
    if stream is not None:
        kernels.set_current_device(stream.device_index)
        stream._queue.device.choose(stream._queue)


class StreamContext:
    """A context manager that makes a stream the current one; None changes nothing.

    >>> with tk.cuda.emulate():
    ...     s = Stream()
    ...     with StreamContext(s):
    ...         current_stream() == s
    ...     current_stream() == s
    True
    False
    """

    __module__ = "tensorkit.cuda"

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream
        self.src_prev_stream: Stream | None = None
        self.dst_prev_stream: Stream | None = None

    def __enter__(self) -> None:
        if self.stream is None or not is_available():
            return
        self.src_prev_stream = current_stream()
        if self.src_prev_stream.device != self.stream.device:
            self.dst_prev_stream = current_stream(self.stream.device)
        set_stream(self.stream)

    def __exit__(self, *problem: object) -> None:
        set_stream(self.dst_prev_stream)
        set_stream(self.src_prev_stream)


def stream(stream: Stream | None) -> StreamContext:
    """A context manager: in its block, work goes to this stream.

    >>> with tk.cuda.emulate(), tk.cuda.stream(tk.cuda.Stream()):
    ...     current_stream() == default_stream()
    False
    """
    return StreamContext(stream)


# -- what makes a program wait --------------------------------------------------------------------------

_MODES = {"default": 0, "warn": 1, "error": 2}


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """What happens when a call makes the program wait for a device: a copy to the host, `item`, `nonzero` ….

    Args:
        debug_mode: 0 or "default" (nothing), 1 or "warn", 2 or "error".

    Raises:
        RuntimeError: for anything else.

    >>> with tk.cuda.emulate():
    ...     t = tk.ones(2, device="cuda")
    ...     tk.cuda.set_sync_debug_mode("error")
    ...     t[0].item()
    Traceback (most recent call last):
    RuntimeError: called a synchronizing CUDA operation
    >>> with tk.cuda.emulate():
    ...     tk.cuda.set_sync_debug_mode("default")
    """
    need_cuda()
    if isinstance(debug_mode, str):
        if debug_mode not in _MODES:
            raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`")
        debug_mode = _MODES[debug_mode]
    if debug_mode not in (0, 1, 2):
        raise RuntimeError("invalid value of debug_mode, expected one of 0,1,2")
    sync_debug.mode = debug_mode


def get_sync_debug_mode() -> int:
    """The mode of `set_sync_debug_mode`: 0, 1 or 2.

    >>> with tk.cuda.emulate():
    ...     get_sync_debug_mode()
    0
    """
    need_cuda()
    return sync_debug.mode
