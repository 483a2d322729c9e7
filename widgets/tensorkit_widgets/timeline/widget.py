"""`Timeline`: what the CPU asked of its devices, and when they did it.

    with tk_widgets.timeline() as line:
        a = x.to("cuda", non_blocking=True)
        b = a @ a
        tk.cuda.synchronize()
    line

>>> with tk.cuda.emulate(), timeline() as line:
...     a = tk.ones(1000, 1000, device="cuda")
...     b = a @ a
...     tk.cuda.synchronize()
>>> line
Timeline(3 events in 118 µs, simulated)
>>> line.spans[-1]
Span(number=3, kind='held', name='synchronize', lane='CPU', begin=16.0, end=118.0)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

from tensorkit import tracing
from tensorkit_widgets.drawing.sheet import PAGE, Sheet
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.timeline.model import Model
from tensorkit_widgets.timeline.recorder import MOST_KEPT, Recorder
from tensorkit_widgets.timeline.scene import Moment, compose_timeline
from tensorkit_widgets.timeline.schedule import Span
from tensorkit_widgets.widget.board import MOST_PAGES, Board, Control, State
from tensorkit_widgets.widget.picture import css

WHOLE = -1
"""In the place of a step: all of it at once."""


@dataclass(frozen=True)
class _State(State):
    near: bool = False


class Timeline(Board):
    """Recorded events of a program and its devices as lanes of time: the CPU's, and one for every stream.

    It draws what was recorded and nothing else. On a GPU the times are measured by its own clock; emulated devices
    have none, so the times follow from sizes by a `Model`, and the picture says that they are simulated. The live view
    begins before the first call, and steps or plays through them; a picture without a kernel shows all of them.

    Args:
        events: what `timeline` recorded, or `tensorkit.tracing.QueueEvent`s in the order of the program.
        model: how long things take where they cannot be measured.

    Raises:
        TypeError: for something else, or an unknown keyword.
    """

    kind = "timeline"
    plays = True
    widths = (440.0, 600.0, 760.0, PAGE)
    styles = ("sheet.css", "board.css", "timeline.css")
    _css = css("sheet.css", "board.css", "timeline.css")

    def __init__(
        self, events: Recorder | Iterable[tracing.QueueEvent], *, model: Model | None = None, **unknown: Any
    ) -> None:
        if unknown:
            raise TypeError(f"Timeline has no option {', '.join(sorted(unknown))}: it takes events and model")
        if model is not None and not isinstance(model, Model):
            raise TypeError(f"model must be a timeline.Model, not {type(model).__name__}")
        self._recorder = events if isinstance(events, Recorder) else Recorder.of(events)
        self._model = model or Model()
        self._begin(_State())

    # ---- what Python sees

    @property
    def events(self) -> tuple[tracing.QueueEvent, ...]:
        """What was recorded, in the order of the program."""
        return tuple(self._recorder.events)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Everything that is drawn: for each event its call, what the program waited, and the work of the stream."""
        return self._recorder.spans(self._model)

    @property
    def source(self) -> str:
        """``measured`` by a GPU's clock, or ``simulated`` by the model."""
        return "measured" if self._recorder.times is not None else "simulated"

    @property
    def left_out(self) -> int:
        """How many events were too many to keep."""
        return self._recorder.left_out

    # ---- the board

    def _steps(self) -> int:
        return len(self._recorder.events)

    def _sheet_now(self) -> Sheet:
        return self._sheet(self.at or WHOLE)

    def _compose(self) -> Sheet:
        """The live view begins before the first call; a picture without a kernel shows the whole then."""
        return self._sheet(self.at)

    def _sheet(self, at: int) -> Sheet:
        events = self.events
        spans = tuple(span for span in self.spans if span.number <= len(events))
        return compose_timeline(
            Moment(
                events, spans, max(0, min(at, len(events))), self._state.near, self.source,
                f"{self.source.capitalize()}: {self._about()[1]}", self.left_out, self._width, at == WHOLE,
            )
        )  # fmt: skip

    def _controls(self) -> Sequence[Control]:
        near = "near" if self._state.near else "all"
        options = (("all", "all of it"), ("near", "around the step"))
        return (
            Control("zoom", "choice", "time", near, options, title="how much of the time is drawn"),
            Control(
                "wait", "button", "next wait", enabled=any(k > self.at for k in self._waits()),
                title="go to the next call in which the CPU waits",
            ),
        )  # fmt: skip

    def _waits(self) -> list[int]:
        return [span.number for span in self.spans if span.kind in ("held", "error")]

    def _about(self) -> tuple[str, str]:
        if self.source == "measured":
            return "what is measured?", _MEASURED
        return "what is simulated?", self._model.said()

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        key, value = message.get("key"), message.get("value")
        if kind == "zoom" and value in ("all", "near"):
            self._change(near=value == "near")
        elif kind == "wait":
            self._go(next((k for k in self._waits() if k > self.at), self.at))
        elif kind == "tick" and isinstance(key, str) and (number := whole_number(key.rpartition(":")[2])):
            self._go(number)

    def _facts(self) -> Mapping[str, str]:
        event = self.events[self.at - 1] if self.at else None
        spans = self.spans
        work = next((s for s in spans if s.number == self.at and s.kind not in ("call", "held")), None)
        return {
            "events": str(len(self.events) + self.left_out), "source": self.source,
            "doing": event.kind if event else "", "lane": work.lane if work else "",
            "held": str(any(s.kind == "held" and s.number == self.at for s in spans)).lower(),
            "zoom": "near" if self._state.near else "all",
        }  # fmt: skip

    def alt(self) -> str:
        """One sentence for those who do not see the picture."""
        with self._guard:
            sheet = self._sheet_now()
        return f"Timeline: {sheet.title}. {sheet.said}"

    def _still(self) -> dict[str, str]:
        """With where the times are from behind a fold, as the live view has it."""
        still = super()._still()
        if "text/html" in still:
            asks, answer = self._about()
            still["text/html"] += f"<details><summary>{asks}</summary><p>{escape(answer)}</p></details>"
        return still

    def _kept_steps(self) -> Sequence[int]:
        """The whole and the events around the present one: a page to keep has room for so many."""
        first = max(1, min(self.at - MOST_PAGES // 2, self._steps() - MOST_PAGES + 1))
        return [WHOLE, *range(first, min(self._steps(), first + MOST_PAGES - 1) + 1)]

    def _first_kept(self) -> int:
        return self.at or WHOLE


_MEASURED = "The streams’ times are from the GPU’s own clock, the CPU’s from this computer’s."


@contextmanager
def timeline(*, model: Model | None = None, limit: int = MOST_KEPT) -> Iterator[Timeline]:
    """Record what this thread gives to devices in the block, and give the `Timeline` that shows it.

    On a GPU it waits for the devices at the end of the block, to read their clocks.

    Args:
        model: how long things take on an emulated device; by default `Model` as it is.
        limit: the most events that are kept.

    An error of the block passes through; a call that raised is not drawn.

    >>> with tk.cuda.emulate(), timeline() as line:
    ...     total = tk.ones(3, device="cuda").sum().item()
    >>> [(span.name, span.lane) for span in line.spans if span.kind in ("kernel", "copy")]
    [('fill', 'cuda:0 stream 0'), ('sum', 'cuda:0 stream 0'), ('cuda:0 → cpu', 'cuda:0 stream 0')]
    """
    recorder = Recorder(limit)
    shown = Timeline(recorder, model=model)
    try:
        with tracing.listen(recorder.hear, calls=True):
            yield shown
    finally:
        recorder.finish()
        shown.refresh()
