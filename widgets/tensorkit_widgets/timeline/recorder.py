"""What a block of code gave to devices, kept in order; and, on a GPU, when that was done."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from time import perf_counter_ns
from typing import Any

from tensorkit import tracing
from tensorkit.errors import AcceleratorError
from tensorkit.kernels import cuda as kernels
from tensorkit_widgets.timeline.model import Model
from tensorkit_widgets.timeline.reads import Read, heard_error, read_by, read_of
from tensorkit_widgets.timeline.schedule import Span, Times, clocked, measured, schedule

MOST_KEPT = 2000
"""Events that one recording keeps unless it is told otherwise."""


class Recorder:
    """A recording that may still go on.

    Attributes:
        events: those that were kept. left_out: how many were not. times: as a GPU measured them; None without one.
    """

    def __init__(self, limit: int = MOST_KEPT) -> None:
        if limit < 1:
            raise ValueError(f"a timeline keeps at least one event, not {limit}")
        self.limit = limit
        self.events: list[tracing.QueueEvent] = []
        self.left_out = 0
        self.times: Times | None = None
        self._call: tuple[tracing.CallEvent, int, int] | None = (
            None  # the one that runs, since when, events then
        )
        self._scheduled: tuple[Any, tuple[Span, ...]] = (None, ())

    @classmethod
    def of(cls, events: Iterable[tracing.QueueEvent]) -> Recorder:
        """A finished recording of events from elsewhere.

        Raises:
            TypeError: for anything else.
        """
        made = cls()
        for event in events:
            if not isinstance(event, tracing.QueueEvent):
                raise TypeError(f"Timeline draws QueueEvents, not {type(event).__name__}: use timeline()")
            made.hear(event)
        made.finish()
        return made

    def hear(self, event: tracing.Event) -> None:
        """One event of the engine."""
        if isinstance(event, tracing.QueueEvent):
            raw = event.kind == "read" and not isinstance(event, Read)
            self._keep(read_of(event, self.events) if raw else event)
        elif isinstance(event, tracing.CallEvent) and event.depth == 0:
            self._call = event, perf_counter_ns(), len(self.events) + self.left_out
        elif isinstance(event, tracing.OpEvent | tracing.FailEvent) and event.depth == 0:
            self._returned(event)

    def _returned(self, event: tracing.OpEvent | tracing.FailEvent) -> None:
        """An operation has ended: it may have read what a copy is still to bring, or got the error of a device."""
        now = perf_counter_ns()
        call, asked, kept = self._call or (None, now, 0)
        self._call = None
        if isinstance(event, tracing.FailEvent):
            if isinstance(event.error, AcceleratorError):
                self._keep(heard_error(call, event.name, asked, now))
        elif kept == len(self.events) + self.left_out:  # else a device had a part in it
            self._keep(read_by(event, asked, now, self.events))

    def _keep(self, event: tracing.QueueEvent | None) -> None:
        if event is None:
            return
        if len(self.events) < self.limit:
            self.events.append(event)
        else:
            self.left_out += 1

    def finish(self) -> None:
        """Read the clocks of GPUs: they are waited for. One that failed has done nothing that is drawn."""
        if any(event.begun is not None for event in self.events):
            self.times = {}
            with contextlib.suppress(Exception), tracing.silence():
                self.times = clocked(self.events, _base)

    def spans(self, model: Model) -> tuple[Span, ...]:
        """What is drawn: as it was measured, or by a model."""
        known = (len(self.events), model, self.times is None)
        if self._scheduled[0] != known:
            found = schedule(self.events, model) if self.times is None else measured(self.events, self.times)
            self._scheduled = known, found
        return self._scheduled[1]


def _base(device: str) -> tuple[float, Any]:
    """A moment of this computer's clock, and the mark that a GPU reached then: after all it was given."""
    streams = kernels.streams_of(int(device.partition(":")[2]))
    streams.synchronize()
    mark = streams.default.mark(timing=True)
    mark.wait()
    return perf_counter_ns(), mark
