"""What a block of code took from its generators: their states before and after every call, and what lay between."""

from __future__ import annotations

import linecache
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import tensorkit as tk
from tensorkit import tracing
from tensorkit_widgets.generator_stream.model import Marks, Reading, Stream, Taken, marks_of, parts_of
from tensorkit_widgets.snapshot.number_text import short

MOST_KEPT = 200
"""Steps that are kept."""

_OWN = tuple(str(Path(str(file)).parent) + "/" for file in (tk.__file__, Path(__file__).parent))


@dataclass
class _Watched:
    """A generator that is watched: as it was met, as it was last looked at, and its row once it has one."""

    generator: Any
    name: str
    met: Any
    marks: Marks
    row: int | None = None


class Recorder:
    """A recording that may still go on.

    Attributes:
        steps: what was kept. left_out: how many steps were not.
        readings: the rows, in the order in which they were met.
    """

    def __init__(self) -> None:
        self.steps: list[Taken] = []
        self.readings: list[Reading] = []
        self.left_out = 0
        self._watched: dict[int, _Watched] = {}

    def begin(self) -> None:
        """Nothing that was drawn before counts."""
        self._watched.clear()
        self._meet(tk.default_generator, "the default generator")

    def hear(self, event: tracing.Event) -> None:
        """A call is about to be made, or has returned."""
        if not isinstance(event, tracing.CallEvent | tracing.OpEvent) or event.depth:
            return
        if isinstance(event, tracing.OpEvent):
            self._drawn(event)
            return
        given = event.kwargs.get("generator")
        if isinstance(given, tk.Generator) and given.device.type == "cpu" and id(given) not in self._watched:
            self._meet(given, _name_of(given))
        self._look()

    def finish(self) -> None:
        """The block has ended: a seed at its end is seen too, and no generator is held any longer."""
        self._look()
        self._watched.clear()

    # ---- looking at states

    def _meet(self, generator: Any, name: str) -> None:
        self._watched[id(generator)] = _Watched(generator, name, generator.clone_state(), marks_of(generator))

    def _row(self, one: _Watched, marks: Marks) -> int:
        """The row of a generator in this state: each seed has its own."""
        for row, reading in enumerate(self.readings):
            if reading.name == one.name and reading.stream.place(marks) is not None:
                return row
        stream = Stream(one.met if marks == marks_of(one.met) else one.generator, marks)
        self.readings.append(Reading(one.name, stream, stream.place(marks) or 0))
        return len(self.readings) - 1

    def _begun(self, row: int) -> bool:
        return any(step.row == row for step in self.steps)

    def _look(self) -> None:
        """What has changed while no operation ran: a seed, or another state."""
        for one in list(self._watched.values()):
            marks = marks_of(one.generator)
            if marks == one.marks:
                continue
            row = self._row(one, marks)
            reading = self.readings[row]
            place = reading.stream.place(marks) or 0
            begun = self._begun(row)  # what was before the block is of no interest
            reading.lane += begun
            kind, call = ("seed", f"manual_seed({marks.seed})") if marks.fresh else ("back", "set_state")
            self._add(kind, call, call, row, reading.at if begun else place, place)
            one.marks, one.row = marks, row

    def _drawn(self, event: tracing.OpEvent) -> None:
        for one in list(self._watched.values()):
            before, after = one.marks, marks_of(one.generator)
            if after == before:
                continue
            row = self._row(one, before) if one.row is None else one.row
            reading = self.readings[row]
            first, stop = reading.stream.place(before), reading.stream.place(after)
            one.marks, one.row = after, row
            if first is None or stop is None:
                continue
            if first != reading.at and self._begun(row):  # another generator of the same name and seed
                reading.lane += 1
            out = event.output if isinstance(event.output, tk.Tensor) else None
            made = out.numel() if out is not None else 0
            parts = parts_of(event.name, made, stop - first)
            line, call = _written(event)
            self._add(
                "draw", line, call, row, first, stop, made, _shown(out), parts, (before.spare, after.spare)
            )

    def _add(self, kind: str, line: str, call: str, row: int, first: int, stop: int, *more: Any) -> None:
        reading = self.readings[row]
        reading.at = stop
        if len(self.steps) >= MOST_KEPT:
            self.left_out += 1
            return
        number = len(self.steps) + 1
        self.steps.append(Taken(number, kind, line, call, row, reading.lane, first, stop, *more))


def _shown(tensor: Any) -> str:
    """The first few numbers of a tensor."""
    if tensor is None or not tensor.numel():
        return ""
    with tracing.silence():
        values = tensor.detach().reshape(-1)[:4].tolist()
    kind = str(tensor.dtype).rpartition(".")[2]
    return ", ".join(short(value, kind) for value in values) + (", …" if tensor.numel() > 4 else "")


# ---- how it is written


def _learners_frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame


def _name_of(generator: Any) -> str:
    frame = _learners_frame()
    for names in (frame.f_locals, frame.f_globals) if frame is not None else ():
        for name, held in list(names.items()):
            if held is generator and name.isidentifier() and name[0] != "_":
                return name
    return "a generator"


def _written(event: tracing.OpEvent) -> tuple[str, str]:
    """The learner's line, and the call alone."""
    frame = _learners_frame()
    line = ""
    if frame is not None:
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
        line = line.partition("  #")[0].strip()
    method = bool(event.args) and isinstance(event.args[0], tk.Tensor)
    given = [_said(value) for value in event.args[1 if method else 0 :]]
    given += [
        f"{key}={_said(value)}" for key, value in event.kwargs.items() if key in ("size", "p", "mean", "std")
    ]
    call = f"{'.' if method else ''}{event.name}({', '.join(given)})"
    return line or call, call


def _said(value: Any) -> str:
    if isinstance(value, tk.Tensor):
        return "…"
    if isinstance(value, tuple | list):
        inside = ", ".join(map(_said, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return repr(value) if isinstance(value, int | float | str) else type(value).__name__
