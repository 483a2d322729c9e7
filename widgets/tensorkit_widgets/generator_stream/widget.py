"""`GeneratorStream`: a generator is a row of numbers with a reading position, and calls take numbers off it.

    with GeneratorStream() as stream:
        tk.manual_seed(0)
        a = tk.rand(2)
        b = tk.rand(2)
    stream

>>> before = tk.rand(1)  # a seed that puts the position where it is already would be no step
>>> with GeneratorStream() as stream:
...     generator = tk.manual_seed(0)
...     a = tk.rand(2)
...     b = tk.randn(16)
>>> [(step.call, step.first, step.stop) for step in stream.taken]
[('manual_seed(0)', 0, 0), ('rand(2)', 0, 2), ('randn(16)', 2, 18)]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from tensorkit import tracing
from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.generator_stream.model import Taken
from tensorkit_widgets.generator_stream.recorder import Recorder
from tensorkit_widgets.generator_stream.scene import Flow, compose_stream
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.widget.board import MOST_PAGES, Board, State


class GeneratorStream(Board):
    """Which call took which draws: recorded in a ``with`` block, whose lines do what they would do anywhere.

    A row is the stream of one generator and one seed, from its first draw; `manual_seed` puts the reading position
    back. Generators of the CPU are watched: the default one, and those that a call of the block is given. Enter it
    again, and the recording goes on.

    Raises:
        TypeError: for an unknown keyword.
        RuntimeError: when it is entered inside itself.
    """

    kind = "generator-stream"

    def __init__(self, **unknown: Any) -> None:
        if unknown:
            raise TypeError(f"GeneratorStream has no option {', '.join(sorted(unknown))}: it takes none")
        self._recorder = Recorder()
        self._listening: ExitStack | None = None
        self._begin(State())

    def __enter__(self) -> Self:
        if self._listening is not None:
            raise RuntimeError("this GeneratorStream is recording already")
        self._recorder.begin()
        self._listening = ExitStack()
        self._listening.enter_context(tracing.listen(self._recorder.hear, calls=True))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._listening is not None:
            self._listening.close()
            self._listening = None
            self._recorder.finish()
            self.refresh()

    # ---- what Python sees

    @property
    def taken(self) -> tuple[Taken, ...]:
        """What happened, step by step: the draws that each call took, and the seeds between."""
        return tuple(self._recorder.steps)

    @property
    def left_out(self) -> int:
        """How many steps were too many to keep."""
        return self._recorder.left_out

    # ---- the board

    def _steps(self) -> int:
        return len(self._recorder.steps)

    def _sheet(self, at: int) -> Sheet:
        found = self._recorder
        return compose_stream(
            Flow(
                tuple(found.steps),
                tuple(found.readings),
                min(at, len(found.steps)),
                found.left_out,
                self._width,
            )
        )

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        key = message.get("key")
        if kind == "tick" and isinstance(key, str):
            number = whole_number(key.partition(":")[2].partition(".")[0])
            if number is not None:
                self._go(number)

    def _facts(self) -> Mapping[str, str]:
        step = self.taken[self.at - 1] if self.at else None
        return {
            "taken": str(self._steps() + self.left_out), "streams": str(len(self._recorder.readings)),
            "doing": step.kind if step else "", "first": str(step.first) if step else "",
            "stop": str(step.stop) if step else "",
        }  # fmt: skip

    def alt(self) -> str:
        """One sentence for those who do not see the picture."""
        with self._guard:
            sheet = self._sheet(self.at)
        return f"GeneratorStream: {sheet.title}. {sheet.said}"

    def _kept_steps(self) -> Sequence[int]:
        """The whole and the steps around the present one: a page to keep has room for so many."""
        first = max(1, min(self.at - MOST_PAGES // 2, self._steps() - MOST_PAGES + 1))
        return [0, *range(first, min(self._steps(), first + MOST_PAGES - 1) + 1)]
