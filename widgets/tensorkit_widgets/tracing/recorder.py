"""What a piece of code did to its tensors, call by call: the model behind `Trace`, without its picture.

    with record() as recording:
        y = x.t().reshape(-1)
        x.add_(1)

gives one frozen `TraceStep` for every call that the code made: how it was written, what went in and came out, view or
copy or in place and why, the bytes that the engine's copier moved, the kernels that ran, the error if it raised.

>>> with record() as recording:
...     x = tk.arange(6).view(2, 3)
...     y = x.t().reshape(-1)
>>> [(step.op, step.kind, step.bytes_moved) for step in recording.steps]
[('arange', 'made', 0), ('view', 'view', 0), ('t', 'view', 0), ('reshape', 'copy', 48)]
>>> [seen.storage for step in recording.steps for seen in step.outputs]
['A', 'A', 'A', 'B']
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy

from tensorkit import tracing
from tensorkit.process import forks
from tensorkit_widgets.diagnosis.diagnose import Case, Diagnosis, diagnose
from tensorkit_widgets.snapshot.frozen_tensor import (
    Ledger,
    Seen,
    Write,
    compare,
    see,
    surely_unchanged,
    tensors_in,
    version_of,
)
from tensorkit_widgets.tracing.source import (
    NOWHERE,
    Place,
    innermost_place,
    last_link,
    learner_place,
    operand_texts,
)
from tensorkit_widgets.tracing.tally import Tally, tally_of
from tensorkit_widgets.tracing.view_or_copy import judge

MOST_STEPS = 200
"""Steps that one recording keeps unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that a call raised: its class, the library's own words, and what they mean for these operands."""

    kind: str
    message: str
    diagnosis: Diagnosis | None = None
    conflicts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One call, after it returned or raised.

    Attributes:
        number: counted from 1 in the order in which the calls finished.
        op: the public name of the operation, such as ``"add_"``.
        call: the call as it was written, what was computed before it elided: ``….view(-1)``.
        place: where it is written: line, column, the whole expression, the whole line.
        inputs: the tensors that went in, as they were before.
        outputs: the tensors that came out.
        writes: inputs that were written to, before and after.
        kind: ``"view"``, ``"copy"``, ``"in place"``, ``"same"``, ``"made"``, ``"value"`` or ``"error"``.
        why: the reason, a clause that can follow a colon.
        value: what came out, in short, where it is no tensor.
        bytes_moved: what the engine's copier counted; None for a library that does not count.
        bytes_made: the size of the storages that are new in this step.
        kernels: names of the device kernels that were launched.
        failure: the error, if it raised.
        thread: 0 for the thread that records; others are numbered as they are met.
        level: 0 for the learner's own line, 1 for calls inside a function that the line called.
    """

    number: int
    op: str
    call: str
    place: Place
    inputs: tuple[Seen, ...]
    outputs: tuple[Seen, ...]
    writes: tuple[Write, ...]
    kind: str
    why: str
    value: str = ""
    bytes_moved: int | None = None
    bytes_made: int = 0
    kernels: tuple[str, ...] = ()
    failure: Failure | None = None
    thread: int = 0
    level: int = 0


@dataclass(frozen=True, slots=True)
class Recording:
    """A finished recording.

    Attributes:
        steps: in order; the first ones, and the one that raised.
        left_out: calls that were not kept because there were too many.
        beyond: what these did, counted.
    """

    steps: tuple[TraceStep, ...]
    left_out: int
    beyond: Tally = field(default_factory=Tally)

    @property
    def bytes_moved(self) -> int:
        """All that the engine's copier moved."""
        return sum(step.bytes_moved or 0 for step in self.steps) + self.beyond.moved


@dataclass(eq=False)
class Open:
    """A call that runs: it alone holds its tensors, and only until it ends.

    Its role says who told of it: ``"engine"``, ``"told"`` for one reported by hand, ``"through"`` for a function of the
    learner's own, whose calls are told one level deeper.
    """

    op: str
    place: Place
    call: str
    tensors: list[Any]
    names: list[str]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    level: int
    thread: int
    role: str = "told"
    before: list[Seen | None] = field(default_factory=list)
    counted: bool = False
    moved: int = 0
    kernels: list[str] = field(default_factory=list)
    told_inside: bool = False
    versions: list[int | None] = field(default_factory=list)
    error: BaseException | None = None


class _Here(threading.local):
    """What a recorder knows of each thread: its number, and the calls that are open on it."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.stack: list[Open] = []


class Recorder:
    """Collects steps: it hears the engine's events, and calls of other libraries are reported by hand.

    Args:
        limit: the most steps that are kept.
        all_threads: record what other threads do, too.
    """

    def __init__(self, limit: int = MOST_STEPS, all_threads: bool = False) -> None:
        if limit < 1:
            raise ValueError(f"a recording keeps at least one step, not {limit}")
        self.limit, self.all_threads = limit, all_threads
        self._steps: list[TraceStep] = []
        self._left_out = 0
        self._beyond = Tally()
        self._ledger = Ledger()
        self._here = _Here()
        self._here.number, self._threads = 0, 1
        self._lock = forks.rlock()
        self._last_error: BaseException | None = None

    # -- what came of it -------------------------------------------------------------------------------------------

    @property
    def steps(self) -> tuple[TraceStep, ...]:
        """What is recorded so far."""
        with self._lock:
            return tuple(self._steps)

    @property
    def left_out(self) -> int:
        """How many calls were not kept."""
        return self._left_out

    @property
    def beyond(self) -> Tally:
        """What the calls that were not kept did, counted."""
        return self._beyond

    @property
    def bytes_moved(self) -> int:
        """All that the engine's copier moved."""
        return self.recording().bytes_moved

    def recording(self) -> Recording:
        """What is recorded so far, frozen."""
        return Recording(self.steps, self._left_out, self._beyond)

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[TraceStep]:
        return iter(self.steps)

    # -- one call --------------------------------------------------------------------------------------------------

    def begin(
        self,
        op: str,
        place: Place,
        tensors: Sequence[Any],
        names: Sequence[str],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
        level: int = 0,
        role: str = "told",
    ) -> Open:
        """A call is about to run."""
        thread = self._thread()
        call = last_link(place.code) if place.code else _spelled(op, names, args)
        opened = Open(op, place, call, list(tensors), list(names), args, kwargs or {}, level, thread, role)
        opened.counted = role == "engine" or any(map(_is_ours, tensors))
        if len(self._steps) < self.limit:
            opened.before = self._look(opened)
        else:
            opened.versions = [version_of(tensor) for tensor in opened.tensors]
        self._stack().append(opened)
        return opened

    def _look(self, opened: Open) -> list[Seen | None]:
        """The operands as they are now. No lock is held meanwhile: looking takes one of its own."""
        with tracing.silence():
            return [see(self._ledger, t, n) for t, n in zip(opened.tensors, opened.names, strict=True)]

    def end(self, opened: Open, output: Any) -> None:
        """The call returned."""
        self._drop(opened)
        with tracing.silence():
            if opened.versions or len(self._steps) >= self.limit:
                self._count(opened, output)
                return
            step = self._finished(opened, output)
        self._keep(step)

    def _count(self, opened: Open, output: Any) -> None:
        """A call too many to keep: what it did is counted all the same."""
        versions = opened.versions or [None] * len(opened.tensors)
        moved = opened.moved if opened.counted else 0
        by_name = _writes_by_name(opened.op)
        found = tally_of(opened.op, opened.tensors, versions, output, moved, by_name)
        with self._lock:
            self._left_out += 1
            self._beyond += found

    def fail(self, opened: Open, error: BaseException) -> None:
        """The call raised."""
        self._drop(opened)
        before = opened.before or self._look(opened)
        step = self._failed(opened, [seen for seen in before if seen is not None], error)
        with self._lock:
            if len(self._steps) >= self.limit:
                # The step that raised is the one that the learner asks about.
                last = self._steps.pop()
                self._left_out += 1
                self._beyond += Tally({last.kind: 1}, last.bytes_moved or 0, last.bytes_made)
        self._keep(step)
        self._last_error = error

    def _keep(self, step: TraceStep) -> None:
        with self._lock:
            if len(self._steps) < self.limit:
                self._steps.append(replace(step, number=len(self._steps) + 1))
            else:
                self._left_out += 1
                self._beyond += Tally({step.kind: 1}, step.bytes_moved or 0, step.bytes_made)

    def forget(self, opened: Open) -> None:
        """The call was none that is worth a step."""
        self._drop(opened)

    def missed(self) -> None:
        """A call could not be told."""
        self._left_out += 1

    def running(self) -> Open | None:
        """The innermost call of this thread that has not ended."""
        stack = self._stack()
        return stack[-1] if stack else None

    def _stack(self) -> list[Open]:
        return self._here.stack

    def _thread(self) -> int:
        """The number of this thread; the system's own numbers come again when a thread has ended."""
        if self._here.number is None:
            with self._lock:
                self._here.number = self._threads
                self._threads += 1
        return self._here.number

    def _drop(self, opened: Open) -> None:
        stack = self._stack()
        if opened in stack:
            del stack[stack.index(opened) :]

    # -- frozen ----------------------------------------------------------------------------------------------------

    def _finished(self, opened: Open, output: Any) -> TraceStep:
        found = tensors_in((output,))
        name = _output_name(opened.place.code, len(found))
        before = [seen for seen in opened.before if seen is not None]
        written = self._writes(opened, output)
        writes = tuple(written.values())
        after = {key: write.after for key, write in written.items()}
        outputs = [
            seen for t in found if (seen := after.get(id(t)) or see(self._ledger, t, name)) is not None
        ]
        same = any(output is t for t in opened.tensors)
        kind, why = judge(opened.op, before, outputs, writes, same, opened.args, opened.kwargs)
        known = {seen.storage for seen in before}
        fresh = (
            {s.storage: s.meta.nbytes for s in outputs if s.storage not in known} if kind in _MAKES else {}
        )
        counted = opened.counted or any(seen.meta.library == "tensorkit" for seen in outputs)
        return TraceStep(
            0, opened.op, opened.call, opened.place, tuple(before), tuple(outputs), writes,
            kind, why, "" if outputs else _brief(output), opened.moved if counted else None,
            sum(fresh.values()), tuple(opened.kernels), None, opened.thread, opened.level,
        )  # fmt: skip

    def _writes(self, opened: Open, output: Any) -> dict[int, Write]:
        """What was written to, by the identity of the tensor."""
        found: dict[int, Write] = {}
        for tensor, before in zip(opened.tensors, opened.before, strict=False):
            told = tensor is output and _writes_by_name(opened.op)
            if before is None or id(tensor) in found or (not told and surely_unchanged(tensor, before)):
                continue
            after = see(self._ledger, tensor, before.name)
            write = None if after is None else compare(_place_of(opened, tensor), before, after, adopted=told)
            if write is not None:
                found[id(tensor)] = write
        return found

    def _failed(self, opened: Open, before: list[Seen], error: BaseException) -> TraceStep:
        # What went into a function is not what went into the call that failed inside it.
        operands = () if opened.role == "through" else tuple(before)
        case = Case(
            opened.op, str(error), type(error).__name__, operands, opened.args, dict(opened.kwargs),
            opened.place.code, _pairs(error),
        )  # fmt: skip
        failure = Failure(type(error).__name__, str(error), diagnose(case), _pairs(error))
        return TraceStep(
            0, opened.op, opened.call, opened.place, tuple(before), (), (), "error",
            "it raised, and nothing came out", "", opened.moved if opened.counted else None, 0,
            tuple(opened.kernels), failure, opened.thread, opened.level,
        )  # fmt: skip

    # -- the engine's events ---------------------------------------------------------------------------------------

    def hear(self, event: tracing.Event) -> None:
        """One event of the engine; what goes wrong in the telling is never the learner's trouble."""
        try:
            self._hear(event)
        except Exception:
            self.missed()

    def _hear(self, event: tracing.Event) -> None:
        running = self.running()
        if isinstance(event, tracing.CopyEvent | tracing.LaunchEvent | tracing.LibraryEvent):
            if running is not None:
                running.counted = True
                _count(running, event)
        elif not isinstance(event, tracing.QueueEvent) and event.depth == 0:
            self._hear_call(event, running)

    def _hear_call(self, event: Any, running: Open | None) -> None:
        if isinstance(event, tracing.CallEvent):
            if running is None or running.role == "through":
                if running is not None:
                    running.told_inside = True
                self._begin_engine(event, 0 if running is None else running.level + 1)
        elif running is not None and isinstance(event, tracing.FailEvent) and running.role == "told":
            running.error = event.error
        elif running is not None and running.role == "engine":
            if isinstance(event, tracing.FailEvent):
                self.fail(running, event.error)
            elif event.output is NotImplemented:
                self.forget(running)
            else:
                self.end(running, _written_one(event) if event.output is None else event.output)

    def _begin_engine(self, event: tracing.CallEvent, level: int) -> None:
        tensors = tensors_in((*event.args, *event.kwargs.values()))
        place, known = (
            learner_place(tensors) if len(self._steps) < self.limit else (NOWHERE, [""] * len(tensors))
        )
        if event.name == "__setitem__" and "=" in place.source:
            place = replace(place, code=place.source)
        names = _names(known, place.code)
        self.begin(event.name, place, tensors, names, event.args[1:], event.kwargs, level, "engine")

    def raised(self, error: BaseException) -> None:
        """The error that ended the run, as it reached the learner; it gets a step if none has told of it."""
        last = self._steps[-1] if self._steps else None
        failure = None if last is None else last.failure
        if failure is not None and failure.message == str(error):
            return
        raw = self._last_error
        if last is not None and failure is not None and type(raw) is type(error) is TypeError:
            # A wrong call is put into other words on its way out.
            case = Case(last.op, str(error), "TypeError", last.inputs, (), {}, last.place.code)
            with self._lock:
                self._steps[-1] = replace(last, failure=Failure("TypeError", str(error), diagnose(case)))
        else:
            self.fail(self.begin("", innermost_place(error), (), ()), error)


_MAKES = frozenset({"made", "copy"})


def _is_ours(tensor: Any) -> bool:
    return type(tensor).__module__.partition(".")[0] == "tensorkit"


def _writes_by_name(op: str) -> bool:
    """Whether an operation says by its name that it writes numbers: ``add_``, but not ``requires_grad_``."""
    return op.endswith("_") and not op.endswith("__") and op not in _FLAGS


_FLAGS = frozenset({"requires_grad_", "detach_", "share_memory_"})


def _pairs(error: BaseException) -> tuple[tuple[int, int], ...]:
    return tuple((int(d), int(e)) for d, e in getattr(error, "conflicts", None) or ())


def _count(running: Open, event: tracing.CopyEvent | tracing.LaunchEvent | tracing.LibraryEvent) -> None:
    if isinstance(event, tracing.CopyEvent):
        running.moved += event.nbytes
    elif isinstance(event, tracing.LibraryEvent):
        running.kernels.append(f"{event.name} by {event.library} on {event.device} ({event.runner})")
    else:
        running.kernels.append(f"{event.kernel} on {event.device} ({event.runner})")


def _written_one(event: tracing.OpEvent) -> Any:
    """What an operation that returns nothing has written to: ``t[0] = 1``."""
    return event.args[0] if event.name == "__setitem__" else None


def _place_of(opened: Open, tensor: Any) -> int:
    seen = [t for t, before in zip(opened.tensors, opened.before, strict=False) if before is not None]
    return next((place for place, held in enumerate(seen) if held is tensor), -1)


def _names(known: Sequence[str], code: str) -> list[str]:
    """What the learner calls each tensor: a name, or the operand's own text where it has none."""
    texts = iter([text for text in operand_texts(code) if not text.isidentifier()])
    return [given or next(texts, "") for given in known]


def _output_name(code: str, count: int) -> str:
    return code if count == 1 and len(code) <= 60 else ""


def _brief(value: Any) -> str:
    """A result that is no tensor, in a few characters; nothing of the learner's own classes is called."""
    if value is None:
        return ""
    if isinstance(value, numpy.generic):
        value = value.item()
    if isinstance(value, bool | int | float | complex | str | tuple | list):
        text = repr(value)
        return text if len(text) <= 60 else text[:59] + "…"
    return f"a {type(value).__name__}"


def _spelled(op: str, names: Sequence[str], args: tuple[Any, ...]) -> str:
    """A call whose source is not known, put together again."""
    given = [repr(arg) for arg in args if isinstance(arg, bool | int | float | str | tuple)]
    first = names[0] if names and names[0] else "…"
    return f"{first}.{op}({', '.join(given)})" if names else f"{op}({', '.join(given)})"


@contextmanager
def record(limit: int = MOST_STEPS, *, all_threads: bool = False) -> Iterator[Recorder]:
    """Record every operation of the engine that the block calls; recordings may be nested.

    Args:
        limit: the most steps that are kept; `Recorder.left_out` says how many were not.
        all_threads: record what other threads do meanwhile, too; a step says which thread it was.

    An error of the block passes through; the recording then ends with the step that raised.

    >>> try:
    ...     with record() as recording:
    ...         tk.ones(2, 3).t().view(-1)
    ... except RuntimeError:
    ...     pass
    >>> recording.steps[-1].kind, recording.steps[-1].failure.diagnosis.name
    ('error', 'view-strides')
    """
    recorder = Recorder(limit, all_threads)
    with tracing.listen(recorder.hear, all_threads=all_threads, calls=True):
        try:
            yield recorder
        except Exception as error:
            recorder.raised(error)
            raise
        finally:
            recorder._last_error = None
            recorder._here.stack.clear()
