"""Listens to the engine while a map is open: which copies were made, for which call, and what ran on which device.

>>> recorder = Recorder()
>>> with tk.cuda.emulate(), recorder:
...     g = tk.ones(3).to("cuda")
...     total = sum(float(x) for x in g)
>>> [(one.by, one.nbytes, one.source, one.target, one.times) for one in recorder.take().moved]
[('to', 12, 'cpu', 'cuda:0', 1), ('item', 4, 'cuda:0', 'cpu', 3)]
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Self

from tensorkit import tracing
from tensorkit.errors import DeviceMismatchError
from tensorkit.process import forks
from tensorkit_widgets.device_map.model import Moved, Record, Refused, Work
from tensorkit_widgets.device_map.origin import NumberOf, Spot, place, spot_on, tensors_in

MOST = 2_000
"""Copies that are told apart in one step."""
REFUSED = 20

_Ends = tuple[Spot | None, Spot | None]


@dataclass(frozen=True, slots=True)
class _Copied:
    """What copies have in common that are counted together."""

    nbytes: int
    source: str
    target: str
    by: str
    code: str
    ends: _Ends
    pinned: bool


_Marks = tuple[Any, Any] | None
"""Two marks of a GPU's clock: before a copy and after it."""


class _Heard(NamedTuple):
    """A copy, whether a tensor was being written out, the line that did it, and the GPU's marks around it."""

    event: tracing.CopyEvent
    printed: bool
    code: str
    marks: _Marks


class _Here(threading.local):
    """Per thread: the copies of the call that is running, None between calls; what it was called with; and the
    event of a stream's copy, after which the copy itself is told."""

    open: list[_Heard] | None = None
    given: tuple[Any, ...] = ()
    timed: Any = None


class Recorder:
    """Hears every event of the engine between `start` and `stop`, and holds no tensor."""

    def __init__(self) -> None:
        self._lock = forks.lock()
        self._here = _Here()
        self._listening: Any = None
        self._clear()

    def _clear(self) -> None:
        self._copies: Counter[_Copied] = Counter()
        self._kernels: Counter[str] = Counter()
        self._library: Counter[str] = Counter()
        self._refused: list[tuple[str, tuple[tuple[str, Spot], ...]]] = []
        self._left_out = 0
        self._clocked: Counter[_Copied] = Counter()
        self._seconds: dict[_Copied, float] = {}
        self._going: list[tuple[_Copied, _Marks]] = []

    def start(self) -> None:
        """Listen from now on, to all threads."""
        if self._listening is None:
            self._listening = tracing.listen(self.hear, all_threads=True, calls=True)
            self._listening.__enter__()

    def stop(self) -> None:
        """Listen no more."""
        listening, self._listening = self._listening, None
        if listening is not None:
            listening.__exit__(None, None, None)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def quiet(self) -> bool:
        """Whether nothing has been recorded since the last time that has to do with devices."""
        with self._lock:
            crossing = any(copied.source != copied.target for copied in self._copies)
            return not (crossing or self._kernels or self._library or self._refused)

    def take(self, number_of: NumberOf = lambda storage: None) -> Record:
        """What was recorded since the last time.

        Args:
            number_of: gives the number of a live storage or tensor, or None.
        """
        with self._lock:
            going, self._going = self._going, []
            for copied, marks in going:
                self._clock(copied, marks)
            moved = tuple(self._taken(copied, times, number_of) for copied, times in self._copies.items())
            refused = tuple(
                Refused(by, tuple((device, *spot.numbers(number_of)) for device, spot in operands))
                for by, operands in self._refused
            )
            devices = sorted({*self._kernels, *self._library})
            work = tuple(Work(where, self._kernels[where], self._library[where]) for where in devices)
            record = Record(moved, work, refused, self._left_out)
            self._clear()
        return record

    # ---- what is heard

    def hear(self, event: tracing.Event) -> None:
        """One event; what goes wrong in the telling is never the learner's trouble."""
        try:
            self._hear(event)
        except Exception:
            self._here.open, self._here.given = None, ()

    def _hear(self, event: tracing.Event) -> None:
        if isinstance(event, tracing.CopyEvent):
            self._copied(event)
        elif isinstance(event, tracing.LaunchEvent):
            self._count(self._kernels, event.device)
        elif isinstance(event, tracing.LibraryEvent):
            self._count(self._library, event.device)
        elif getattr(event, "kind", "") == "copy":  # told of a stream's copies, just before the copy itself
            self._here.timed = event
        elif getattr(event, "depth", 1):
            return
        elif isinstance(event, tracing.CallEvent):
            self._closed("")
            self._here.open, self._here.given = [], (*event.args, *event.kwargs.values())
        elif isinstance(event, tracing.OpEvent):
            self._closed(event.name, event.output)
        elif isinstance(event, tracing.FailEvent):
            self._failed(event)

    def _count(self, counter: Counter[str], device: str) -> None:
        with self._lock:
            counter[device] += 1

    def _copied(self, event: tracing.CopyEvent) -> None:
        timed, self._here.timed = self._here.timed, None
        printed, code = place() if event.source != event.target else (False, "")
        heard = _Heard(event, printed, code, _marks(timed, event))
        if self._here.open is None:
            self._note(heard, "", (None, None))
        else:
            self._here.open.append(heard)

    def _closed(self, name: str, output: Any = None) -> None:
        """The call has ended: its copies were made for it."""
        copies, arguments = self._here.open, self._here.given
        self._here.open, self._here.given = None, ()
        if not copies:
            return
        given = list(tensors_in(arguments))
        made = given[:1] if name.endswith("_") else list(tensors_in((output,)))
        for heard in copies:
            self._note(heard, name, (spot_on(given, heard.event.source), spot_on(made, heard.event.target)))

    def _failed(self, event: tracing.FailEvent) -> None:
        arguments = self._here.given
        self._closed(event.name)
        if isinstance(event.error, DeviceMismatchError):
            operands = tuple((str(tensor.device), Spot(tensor)) for tensor in tensors_in(arguments))
            with self._lock:
                if len(self._refused) < REFUSED:
                    self._refused.append((event.name, operands))

    def _note(self, heard: _Heard, name: str, ends: _Ends) -> None:
        event, by = heard.event, "print" if heard.printed else name
        pinned = any(spot is not None and spot.pinned for spot in ends)
        copied = _Copied(event.nbytes, event.source, event.target, by, heard.code, ends, pinned)
        with self._lock:
            if copied in self._copies or len(self._copies) < MOST:
                self._copies[copied] += 1
                self._clock(copied, heard.marks)
            else:
                self._left_out += 1

    def _clock(self, copied: _Copied, marks: _Marks) -> None:
        """Add up how long the copies of a kind took; the marks of those that still go on wait for `take`."""
        if marks is None:
            return
        begun, ended = marks
        if ended.done():
            self._clocked[copied] += 1
            self._seconds[copied] = self._seconds.get(copied, 0.0) + ended.since(begun) / 1e3
        elif len(self._going) < MOST:
            self._going.append((copied, marks))

    def _taken(self, copied: _Copied, times: int, number_of: NumberOf) -> Moved:
        left, reached = ((None, None) if end is None else end.numbers(number_of) for end in copied.ends)
        return Moved(
            copied.nbytes, copied.source, copied.target, copied.by, copied.code, (left[0], reached[0]),
            (left[1], reached[1]), times, copied.pinned,
            self._seconds[copied] if self._clocked[copied] == times else None,
        )  # fmt: skip


def _marks(timed: Any, event: tracing.CopyEvent) -> _Marks:
    """The marks around a copy, of the stream's event just before it, if it is that of this copy and has marks."""
    wanted = event.source, event.target, event.nbytes
    if timed is None or (timed.source, timed.target, timed.nbytes) != wanted or timed.ended is None:
        return None
    return timed.begun, timed.ended


def record_of(events: Iterable[tracing.Event], number_of: NumberOf = lambda storage: None) -> Record:
    """The record of events that somebody else has collected, calls among them."""
    recorder = Recorder()
    for event in events:
        recorder.hear(event)
    return recorder.take(number_of)
