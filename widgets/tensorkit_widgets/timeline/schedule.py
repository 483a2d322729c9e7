"""From recorded events to spans of time: computed by a model, or as a GPU's clock measured them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tensorkit.tracing import QueueEvent
from tensorkit_widgets.timeline.model import Model
from tensorkit_widgets.timeline.reads import Read

CPU = "CPU"


@dataclass(frozen=True, slots=True)
class Span:
    """One bar of a lane, in microseconds since the first call.

    Attributes:
        number: of the event, counted from 1 in the order of the program.
        kind: of the CPU's lane ``call``, ``held`` while the program waits, ``read`` of pinned memory (``early`` where
            a copy into it is still to come), ``error`` where it gets that of a device; of a stream's ``kernel``,
            ``library``, ``copy``, ``record`` (a moment: it begins and ends at once) or ``wait``.
        name: of the kernel, the operation of a library, a copy (``cpu → cuda:0``), or the call.
        lane: ``CPU``, or ``cuda:0 stream 0``.
        begin, end: from when to when.
    """

    number: int
    kind: str
    name: str
    lane: str
    begin: float
    end: float

    @property
    def length(self) -> float:
        """How long it took."""
        return round(self.end - self.begin, 3)


_DTYPE = r"_(?:u?int\d+|b?float\d+|complex\d+|bool)(?=_|$)"
_SUFFIX = re.compile(_DTYPE + r".*|_(?:\d+bits|\d+d|contiguous)(?=_|$).*")


def short_name(event: QueueEvent) -> str:
    """The name of an event without the dtypes and the layout that a kernel was compiled for.

    >>> names = "add_float32_float32_2d", "identity_float32_1d", "identity_int64_int64_1d", "identity_float32_int64_1d"
    >>> [short_name(QueueEvent("kernel", name, "cuda:0", 0, 1, 0, 0)) for name in names]
    ['add', 'fill', 'copy', 'convert']
    """
    if event.kind != "kernel":
        return event.name
    name = _SUFFIX.sub("", event.name)
    if name != "identity":
        return name
    into, *given = re.findall(_DTYPE, event.name) or [
        ""
    ]  # what it writes, and what it reads if not one number
    return "fill" if not given else "copy" if given == [into] else "convert"


def lane_of(device: str, stream: int | None) -> str:
    """What the lane of a stream is called."""
    return f"{device} stream {stream or 0}"


def lanes(spans: Iterable[Span]) -> tuple[str, ...]:
    """The lanes that have something in them, the CPU's first, then by device and stream."""
    found = {span.lane for span in spans}

    def place(lane: str) -> tuple[int, ...]:
        return tuple(int(word) for word in re.findall(r"\d+", lane)) if lane != CPU else ()

    return tuple(sorted(found, key=place))


# ---- by a model


class _Clock:
    """The time at the end of every queue, as the events of a program move it on."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.now = 0.0  # of the CPU
        self.ends: dict[str, float] = defaultdict(float)
        self.marks: dict[int, float] = {}
        self.copies: dict[int, float] = {}  # when each into pinned memory has come
        self.ways: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)  # when each is busy
        self.spans: list[Span] = []

    def add(self, number: int, kind: str, event: QueueEvent, lane: str, begin: float, end: float) -> None:
        name = short_name(event)
        self.spans.append(Span(number, kind, name, lane, round(begin, 3), round(end, 3)))

    def take(self, number: int, event: QueueEvent) -> None:
        """One event: the call, then what the stream does with it, then what the program waits for."""
        begin, self.now = self.now, self.now + self.model.asking(event)
        if event.kind in ("read", "error"):
            early = event.kind == "read" and self._is_early(event)
            self.add(number, "early" if early else event.kind, event, CPU, begin, self.now)
            return
        self.add(number, "call", event, CPU, begin, self.now)
        done = self.now
        if event.failed:
            return  # the device does nothing more
        if event.kind == "synchronize":
            done = self._waited_for(event)
        else:
            done = self._queued(number, event, lane_of(event.device, event.stream))
        if (event.waits or event.kind == "synchronize") and done > self.now:
            self.add(number, "held", event, CPU, self.now, done)
            self.now = done

    def _is_early(self, event: QueueEvent) -> bool:
        """Whether a read got old bytes, or would have: nothing waited, and by the model the copy is still to come."""
        late, waited = (event.late, event.waited) if isinstance(event, Read) else (False, True)
        return late or (not waited and self.copies.get(event.mark, 0.0) > self.now)

    def _waited_for(self, event: QueueEvent) -> float:
        if event.mark or event.name == "Event.synchronize":
            return self.marks.get(event.mark, 0.0)
        if event.stream is not None:
            return self.ends[lane_of(event.device, event.stream)]
        streams = (end for lane, end in self.ends.items() if lane.startswith(event.device + " "))
        return max(streams, default=0.0)

    def _queued(self, number: int, event: QueueEvent, lane: str) -> float:
        begin = max(self.ends[lane], self.now)
        end = begin + self.model.working(event)
        if event.kind == "record":
            self.marks[event.number] = begin
        elif event.kind == "wait":
            end = max(begin, self.marks.get(event.mark, 0.0))
        elif event.source != event.target:
            if event.peer is not None:
                begin = max(begin, self.ends[lane_of(event.target, event.peer)])
            begin, end = self._carried(event, begin)
            if event.peer is not None:
                self.ends[lane_of(event.target, event.peer)] = end
        self.add(number, event.kind, event, lane, begin, end)
        self.ends[lane] = self.copies[event.number] = end
        return end

    def _carried(self, event: QueueEvent, begin: float) -> tuple[float, float]:
        """When a copy from one memory to another has its way to itself: each direction carries one at a time."""
        busy, length = self.ways[event.source, event.target], self.model.working(event)
        for other_begin, other_end in sorted(busy):
            if begin + length > other_begin and begin < other_end:
                begin = other_end
        busy.append((begin, begin + length))
        return begin, begin + length


def schedule(events: Iterable[QueueEvent], model: Model) -> tuple[Span, ...]:
    """When everything happens, by a model: streams take their work in order, the CPU asks and goes on.

    >>> asked = QueueEvent("kernel", "add_float32_1d", "cuda:0", 0, 1, 0, 0, nbytes=3_000_000)
    >>> waited = QueueEvent("synchronize", "synchronize", "cuda:0", None, 2, 0, 0, waits=True)
    >>> for span in schedule([asked, waited], Model()):
    ...     print(span.lane, span.kind, span.name, span.begin, span.end)
    CPU call add 0.0 5.0
    cuda:0 stream 0 kernel add 5.0 10.0
    CPU call synchronize 5.0 6.0
    CPU held synchronize 6.0 10.0
    """
    clock = _Clock(model)
    for number, event in enumerate(events, 1):
        clock.take(number, event)
    return tuple(clock.spans)


# ---- as measured


Times = Mapping[int, tuple[float, float]]
"""For the number of an event, from when to when its stream was busy with it: nanoseconds of the host's clock."""


def clocked(events: Iterable[QueueEvent], base: Callable[[str], tuple[float, Any]]) -> Times:
    """The times of marks on a GPU as those of the host's clock.

    Args:
        base: for a device, a moment of the host's clock (nanoseconds) and the mark that was reached then, after all.
    """
    bases: dict[str, tuple[float, Any]] = {}
    times = {}
    for event in events:
        if event.begun is None:
            continue
        if event.device not in bases:
            bases[event.device] = base(event.device)
        now, mark = bases[event.device]
        begin = now - 1e6 * mark.since(event.begun)
        end = begin if event.ended is None else now - 1e6 * mark.since(event.ended)
        times[event.number] = begin, end
    return times


def measured(events: Sequence[QueueEvent], times: Times) -> tuple[Span, ...]:
    """When everything happened: calls by the host's clock, work by the devices'."""
    if not events:
        return ()
    start, spans = events[0].asked, []

    def since(moment: float) -> float:
        return round((moment - start) / 1e3, 3)

    for number, event in enumerate(events, 1):
        name, kind = short_name(event), "held" if event.waits or event.kind == "synchronize" else "call"
        if event.kind in ("read", "error"):
            kind = "early" if isinstance(event, Read) and event.late else event.kind
        spans.append(Span(number, kind, name, CPU, since(event.asked), since(event.returned)))
        if event.number in times:
            begin, end = times[event.number]
            lane = lane_of(event.device, event.stream)
            spans.append(Span(number, event.kind, name, lane, since(begin), since(max(begin, end))))
    return tuple(spans)
