"""`Trace`: what a piece of code did to its tensors, call by call, as pictures to step through.

    with tk_widgets.trace() as tr:
        y = x.t().reshape(-1)
        x.add_(1)
    tr

>>> x = tk.arange(6).view(2, 3)
>>> with trace() as tr:
...     y = x.t().reshape(-1)
>>> [(call.op, call.kind) for call in tr.calls], tr.bytes_moved
([('t', 'view'), ('reshape', 'copy')], 48)
>>> print(tr.goto(2).text().splitlines()[0])
Trace: step 2 of 2, ….reshape(-1)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from tensorkit_widgets.drawing.sheet import PAGE, Sheet
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.tracing.explain_model import Story
from tensorkit_widgets.tracing.recorder import MOST_STEPS, Recorder, Recording, TraceStep, record
from tensorkit_widgets.tracing.scene import Told, compose_story
from tensorkit_widgets.tracing.scene_code import listed
from tensorkit_widgets.tracing.text import outcome, summary
from tensorkit_widgets.tracing.words import offers
from tensorkit_widgets.widget.board import MOST_PAGES, Board, Control, State


class Trace(Board):
    """A recording as pictures: the whole, then every call, with its tensors and their storages.

    Args:
        recording: what `trace` or `tensorkit_widgets.tracing.recorder.record` gave. It holds numbers, and no tensor:
            what is shown is what was, whatever has happened since.

    Raises:
        TypeError: for something else, or an unknown keyword.
    """

    kind = "trace"
    widths = (440.0, 600.0, 740.0, PAGE)
    name: ClassVar[str] = "Trace"

    def __init__(self, recording: Recording | Recorder | Story, **unknown: Any) -> None:
        if unknown:
            raise TypeError(f"{self.name} has no option {', '.join(sorted(unknown))}: it takes a recording")
        if not isinstance(recording, Recording | Recorder | Story):
            raise TypeError(
                f"{self.name} shows a recording, not {type(recording).__name__}: use trace() or record()"
            )
        self._source = recording
        self._begin(State())
        if self.failed is not None:
            self.run()

    # ---- what Python sees

    @property
    def calls(self) -> tuple[TraceStep, ...]:
        """The calls, in the order in which they ended."""
        return tuple(self._source.steps)

    @property
    def left_out(self) -> int:
        """How many calls were too many to keep."""
        return self._source.left_out

    @property
    def bytes_moved(self) -> int:
        """All that the engine's copier moved, in the calls that were too many to keep as well."""
        return self._source.bytes_moved

    @property
    def failed(self) -> TraceStep | None:
        """The call that raised and ended the code, or None."""
        calls = self.calls
        return calls[-1] if calls and calls[-1].failure is not None else None

    @property
    def offers(self) -> tuple[str, ...]:
        """What to write in place of the code that raised, in the call that is shown."""
        call = self._call()
        return () if call is None else offers(call)

    # ---- the board

    def _steps(self) -> int:
        return len(self._source.steps)

    def _told(self) -> Told:
        source = self._source
        if isinstance(source, Story):
            return Told(
                self.name,
                source.code,
                source.steps,
                source.left_out,
                source.shown,
                outcome(source),
                source.failure,
            )
        steps = tuple(source.steps)
        return Told(self.name, "", steps, source.left_out, "", summary(steps, source.beyond))

    def _sheet(self, at: int) -> Sheet:
        return compose_story(self._told(), at, self._width)

    def _call(self) -> TraceStep | None:
        calls, at = self.calls, self.at
        return calls[at - 1] if 0 < at <= len(calls) else None

    def _controls(self) -> Sequence[Control]:
        out = []
        raised = next((call.number for call in self.calls if call.failure is not None), 0)
        if raised and raised != self.at:
            out.append(Control("error", "button", "To the error", title="the call that raised"))
        for k, code in enumerate(self.offers):
            out.append(
                Control(f"copy-{k}", "copy", f"Copy {code}", code, title="onto the clipboard", group="copy")
            )
        return out

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        key = message.get("key")
        if kind == "error":
            self._go(next((call.number for call in self.calls if call.failure is not None), self.at))
        elif kind == "show" and isinstance(key, str) and key.startswith("step:"):
            number = whole_number(key[5:])
            if number is not None and 0 < number <= self._steps():
                self._go(number)

    def _facts(self) -> Mapping[str, str]:
        call = self._call()
        facts = {"calls": str(self._steps() + self.left_out), "bytes": str(self.bytes_moved)}
        if call is None:
            return facts
        line = listed(self._told().code, call).at
        found = call.failure.diagnosis if call.failure is not None else None
        return facts | {
            "op": call.op, "did": call.kind, "line": str(line.number if line else 0),
            "running": line.running if line else "",
            "storages": ",".join(seen.storage for seen in call.outputs),
            "bad": ",".join(f"{c.operand}:{c.dim}" for c in found.culprits) if found else "",
            "diagnosis": found.name if found else "",
        }  # fmt: skip

    def _kept_steps(self) -> Sequence[int]:
        """The whole and the calls around the present one: a page to keep has room for so many."""
        first = max(1, min(self.at - MOST_PAGES // 2, self._steps() - MOST_PAGES + 1))
        return [0, *range(first, min(self._steps(), first + MOST_PAGES - 1) + 1)]


@contextmanager
def trace(limit: int = MOST_STEPS, *, all_threads: bool = False) -> Iterator[Trace]:
    """Record every operation of the engine that the block calls, and give the `Trace` that shows them.

    Args:
        limit: the most calls that are kept.
        all_threads: record what other threads do meanwhile, too.

    An error of the block passes through; the trace then ends with the call that raised.

    >>> with trace() as tr:
    ...     total = tk.ones(2, 3).sum()
    >>> tr
    Trace(2 calls)
    """
    shown: Trace | None = None
    try:
        with record(limit, all_threads=all_threads) as recorder:
            shown = Trace(recorder)
            yield shown
    finally:
        if shown is not None:
            shown.run() if shown.failed else shown.refresh()
