"""Listens to the engine while a map is open: which copies were made, for which call, and what ran on which device.

>>> import tensorkit as tk
>>> recorder = Recorder()
>>> with tk.cuda.emulate(), recorder:
...     g = tk.ones(3).to("cuda")
...     total = sum(float(x) for x in g)
>>> [(one.by, one.nbytes, one.source, one.target, one.times) for one in recorder.take().moved]
[('to', 12, 'cpu', 'cuda:0', 1), ('item', 4, 'cuda:0', 'cpu', 3)]
"""

from __future__ import annotations

import linecache
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any, Self
from weakref import ref

from tensorkit import tracing
from tensorkit.errors import DeviceMismatchError
from tensorkit_widgets.device_map.model import Ends, Moved, Record, Refused, Work
from tensorkit_widgets.namespace.find_tensors import clean
from tensorkit_widgets.snapshot.storage_adapter import is_pinned, tensor_library

__all__ = ["MOST", "Recorder", "record_of"]

MOST = 2_000
"""Copies that are told apart in one step."""
REFUSED = 20
_DEEPEST = 60
_OURS = ("tensorkit", "tensorkit_widgets")
_NOT_THE_LEARNERS = ("IPython", "ipykernel", "contextlib", "importlib", "runpy", "doctest")

NumberOf = Callable[[Any], int | None]


class _Spot:
    """A tensor's storage, and the tensor, neither of them held. Spots are equal on the same storage, whatever it
    contains."""

    __slots__ = ("pinned", "storage", "tensor")

    def __init__(self, tensor: Any) -> None:
        self.storage: ref[Any] = ref(
            tensor.untyped_storage()
        )  # one object for a storage, as long as one is kept
        self.tensor: ref[Any] = ref(tensor)
        self.pinned = is_pinned(tensor.untyped_storage())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Spot) and other.storage is self.storage

    def __hash__(self) -> int:
        return id(self.storage)

    def numbers(self, number_of: NumberOf) -> Ends:
        """The numbers of the storage and of the tensor."""
        storage, tensor = self.storage(), self.tensor()
        return (
            None if storage is None else number_of(storage),
            None if tensor is None else number_of(tensor),
        )


_Ends = tuple[_Spot | None, _Spot | None]


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


class _Here(threading.local):
    """Per thread: the copies of the call that is running, None between calls; and what it was called with."""

    open: list[tuple[tracing.CopyEvent, bool, str]] | None = None
    given: tuple[Any, ...] = ()


class Recorder:
    """Hears every event of the engine between `start` and `stop`, and holds no tensor."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._here = _Here()
        self._listening: Any = None
        self._clear()

    def _clear(self) -> None:
        self._copies: Counter[_Copied] = Counter()
        self._kernels: Counter[str] = Counter()
        self._library: Counter[str] = Counter()
        self._refused: list[tuple[str, tuple[tuple[str, _Spot], ...]]] = []
        self._left_out = 0

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
            moved = tuple(_moved(copied, times, number_of) for copied, times in self._copies.items())
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
        elif event.depth == 0 and isinstance(event, tracing.CallEvent):
            self._closed("")
            self._here.open, self._here.given = [], (*event.args, *event.kwargs.values())
        elif event.depth == 0 and isinstance(event, tracing.OpEvent):
            self._closed(event.name, event.output)
        elif event.depth == 0 and isinstance(event, tracing.FailEvent):
            self._failed(event)

    def _count(self, counter: Counter[str], device: str) -> None:
        with self._lock:
            counter[device] += 1

    def _copied(self, event: tracing.CopyEvent) -> None:
        printed, code = _place() if event.source != event.target else (False, "")
        if self._here.open is None:
            self._note(event, "print" if printed else "", code, (None, None))
        else:
            self._here.open.append((event, printed, code))

    def _closed(self, name: str, output: Any = None) -> None:
        """The call has ended: its copies were made for it."""
        copies, arguments = self._here.open, self._here.given
        self._here.open, self._here.given = None, ()
        if not copies:
            return
        given = list(_tensors(arguments))
        made = given[:1] if name.endswith("_") else list(_tensors((output,)))
        for event, printed, code in copies:
            ends = _spot(given, event.source), _spot(made, event.target)
            self._note(event, "print" if printed else name, code, ends)

    def _failed(self, event: tracing.FailEvent) -> None:
        arguments = self._here.given
        self._closed(event.name)
        if isinstance(event.error, DeviceMismatchError):
            operands = tuple((str(tensor.device), _Spot(tensor)) for tensor in _tensors(arguments))
            with self._lock:
                if len(self._refused) < REFUSED:
                    self._refused.append((event.name, operands))

    def _note(self, event: tracing.CopyEvent, by: str, code: str, ends: _Ends) -> None:
        pinned = any(spot is not None and spot.pinned for spot in ends)
        copied = _Copied(event.nbytes, event.source, event.target, by, code, ends, pinned)
        with self._lock:
            if copied in self._copies or len(self._copies) < MOST:
                self._copies[copied] += 1
            else:
                self._left_out += 1


def record_of(events: Iterable[tracing.Event], number_of: NumberOf = lambda storage: None) -> Record:
    """The record of events that somebody else has collected, calls among them."""
    recorder = Recorder()
    for event in events:
        recorder.hear(event)
    return recorder.take(number_of)


# ---- what a call was made with, and where


def _tensors(values: Iterable[Any]) -> Iterator[Any]:
    """The tensors among arguments, and in lists of them."""
    for value in values:
        if tensor_library(type(value)) == "tensorkit":
            yield value
        elif type(value) in (list, tuple):
            yield from (one for one in value if tensor_library(type(one)) == "tensorkit")


def _spot(tensors: Iterable[Any], device: str) -> _Spot | None:
    """Where the tensors are that are on a device, if that is one storage."""
    found = [tensor for tensor in tensors if str(tensor.device) == device]
    return _Spot(found[0]) if len({id(tensor.untyped_storage()) for tensor in found}) == 1 else None


def _moved(copied: _Copied, times: int, number_of: NumberOf) -> Moved:
    left, reached = ((None, None) if spot is None else spot.numbers(number_of) for spot in copied.ends)
    return Moved(
        copied.nbytes, copied.source, copied.target, copied.by, copied.code, (left[0], reached[0]),
        (left[1], reached[1]), times, copied.pinned,
    )  # fmt: skip


def _place() -> tuple[bool, str]:
    """Whether a tensor is being written out, and the learner's line that asked for it."""
    frame: FrameType | None = sys._getframe(1)
    printed = False
    for _ in range(_DEEPEST):
        if frame is None:
            break
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] not in _OURS:
            outside = module.partition(".")[0] in _NOT_THE_LEARNERS
            return printed, "" if outside else _line(frame)
        printed = printed or module == "tensorkit.printing"
        frame = frame.f_back
    return printed, ""


def _line(frame: FrameType) -> str:
    text = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
    return clean(text.partition("  #")[0].strip())
