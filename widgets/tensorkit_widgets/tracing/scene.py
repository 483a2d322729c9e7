"""The picture of a story: the part of the line that runs, view or copy and why, the tensors, the storages.

Picture 0 is the whole: the code, and every call in a line. Pictures 1, 2, … are the calls.
"""

from __future__ import annotations

from dataclasses import dataclass

from tensorkit_widgets.diagnosis.way_out import WayOut
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.refusal import draw_advice
from tensorkit_widgets.drawing.sheet import PAGE, Frame, Sheet, Table, paragraph
from tensorkit_widgets.drawing.words import sentence, wrap
from tensorkit_widgets.tracing.recorder import Failure, TraceStep
from tensorkit_widgets.tracing.scene_code import list_code, listed
from tensorkit_widgets.tracing.scene_list import Column, left_out_words, list_steps
from tensorkit_widgets.tracing.scene_storages import draw_strips, walk_words
from tensorkit_widgets.tracing.scene_tensors import draw_blocks
from tensorkit_widgets.tracing.words import (
    KINDS_SAID,
    cut,
    error_lines,
    link_text,
    moved_words,
    offers,
    story_words,
    why_sentence,
)

LEFT = 28.0
ROWS, ALL_ROWS = 8, 14
MOST_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Told:
    """A story as its picture knows it.

    ``code`` is empty for a trace, which has no code of its own; ``shown`` is the value of the last expression.
    """

    name: str
    code: str
    steps: tuple[TraceStep, ...]
    left_out: int = 0
    shown: str = ""
    outcome: str = ""
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class _Page:
    """How the width is shared out: the words, and beside them, or on a narrow page below them, the list of calls."""

    width: float

    @property
    def wide(self) -> float:
        return self.width - 2 * LEFT

    @property
    def beside(self) -> bool:
        return self.width > 700

    @property
    def aside(self) -> float:
        return self.wide if not self.beside else 330.0 if self.width > 900 else 270.0

    @property
    def talk(self) -> float:
        return self.wide - self.aside - 34 if self.beside else self.wide


def compose_story(told: Told, at: int, width: float = PAGE) -> Sheet:
    """One picture of it."""
    page = _Page(width)
    return _whole(told, page) if not at or not told.steps else _call(told, told.steps[at - 1], page)


# ---- the whole


def _whole(told: Told, page: _Page) -> Sheet:
    notes, frames, y = _code(told, None, 18.0, 12, page)
    lines = wrap(sentence(told.outcome), page.wide, 17)
    notes += paragraph(LEFT, y + 24, lines, "big", 24)
    y += 20 + 24 * len(lines)
    tables: list[Table] = []
    if told.steps:
        column = Column(LEFT, y + 8, page.wide, ALL_ROWS, more=True)
        table, more, y = list_steps(told.steps, told.left_out, 0, column)
        tables.append(table)
        notes += more
    if told.failure is not None and not (told.steps and told.steps[-1].failure is not None):
        more, frame, y = _alarm(told.failure, LEFT, y + 10, page.wide)
        notes += more
        frames.append(frame)
    if told.shown:
        more, y = _value(told.shown, y + 16, page)
        notes += more
    title = _title(told)
    words = [sentence(told.outcome), *_code_words(told.code)]
    words += [
        f"{s.number}. {'  ' * s.level}{link_text(s)}: {KINDS_SAID[s.kind][0]}" for s in told.steps[:ALL_ROWS]
    ]
    more_calls = len(told.steps) - min(len(told.steps), ALL_ROWS) + told.left_out
    if more_calls:
        words.append(f"and {more_calls:,} calls more")
    if told.left_out:
        words.append(f"{left_out_words(told.left_out, len(told.steps))}; the sums are of all of them.")
    if told.failure is not None:
        words += error_lines(told.failure)
    words += told.shown.splitlines()[:MOST_SHOWN]
    status = "ok" if told.failure is None else "raised"
    return Sheet(
        told.name, title, y + 20, tuple(tables), tuple(notes), tuple(frames), (), tuple(words), words[0], status,
        page.width,
    )  # fmt: skip


def _code_words(code: str) -> list[str]:
    """The code itself, for those who do not see it."""
    lines = code.rstrip().splitlines()
    more = [f"… and {len(lines) - 12} lines more"] if len(lines) > 12 else []
    return [*(f"> {cut(line, 120)}" for line in lines[:12]), *more] if len(lines) > 1 else []


def _title(told: Told) -> str:
    lines = [line.strip() for line in told.code.splitlines() if line.strip()]
    if not lines:
        many = len(told.steps) + told.left_out
        return f"{many:,} call{'s' * (many != 1)}"
    return cut(lines[0], 80) + (f" and {len(lines) - 1} more" if len(lines) > 1 else "")


def _code(
    told: Told, step: TraceStep | None, y: float, most: int, page: _Page
) -> tuple[list[Note], list[Frame], float]:
    if not told.code and step is None:
        return [], [], y
    return list_code(listed(told.code, step, most), LEFT, y, page.wide)


def _value(shown: str, y: float, page: _Page) -> tuple[list[Note], float]:
    """What the notebook would print."""
    lines = shown.splitlines()
    kept = [cut(line, int(page.wide / 10.4)) for line in lines[:MOST_SHOWN]] + ["…"] * (
        len(lines) > MOST_SHOWN
    )
    notes = [Note(LEFT, y + 14, "the value", "heading")]
    notes += [Note(LEFT, y + 42 + 24 * k, line, "code") for k, line in enumerate(kept)]
    return notes, y + 36 + 24 * len(kept)


# ---- one call


def _call(told: Told, step: TraceStep, page: _Page) -> Sheet:
    notes, frames, top = _code(told, step, 10.0, 7, page)
    frames = list(frames)
    more, boxes, y = _talk(step, top + 4, page)
    notes += more
    frames += boxes
    right = page.width - LEFT - page.aside
    column = Column(right, (top if page.beside else y) + 8, page.aside, ROWS if page.beside else 4)
    table, more, low = list_steps(told.steps, told.left_out, step.number, column)
    notes += more
    tables = [table]
    if page.beside and step.failure is not None and len(step.inputs) == 1 and len(told.steps) <= 4:
        # What failed stands beside what is said of it.
        tensors, more, blocks, shown, low = draw_blocks(step, low + 12, right, page.aside)
        y = max(y, low) + 4
    else:
        tensors, more, blocks, shown, y = draw_blocks(step, max(y, low) + 22, LEFT, page.wide)
    tables += tensors
    notes += more
    if step.value:
        notes += [
            Note(LEFT, y + 14, "out came", "heading"),
            Note(LEFT + 90, y + 16, cut(step.value, int((page.wide - 90) / 10.4)), "code"),
        ]
        y += 34
    strips, more, arcs, low = draw_strips(step, blocks, shown, y + 6, page.wide)
    tables += strips
    notes += more
    walk = walk_words(step)
    line = listed(told.code, step).at
    where = (
        [f"In line {line.number}: {line.text.strip()}"]
        if line is not None and line.number and told.code
        else []
    )
    words = (*story_words(step), *where, *([sentence(walk)] if walk else []))
    status = "raised" if step.failure is not None else "ok"
    title = f"step {step.number} of {len(told.steps):,}, {link_text(step)}"
    return Sheet(
        told.name, title, low + 4, tuple(tables), tuple(notes), tuple(frames), (), words, words[0], status,
        page.width, arcs=arcs, pinned=y if strips else None, pinned_most=0.5,
    )  # fmt: skip


def _talk(step: TraceStep, y: float, page: _Page) -> tuple[list[Note], list[Frame], float]:
    """What was called, what came of it, and why; of an error what it means and what to write."""
    word, role = KINDS_SAID[step.kind]
    inside = f", in line {step.place.line} inside a function" if step.level and step.place.line else ""
    thread = f", on thread {step.thread}" if step.thread else ""
    called, after = cut(link_text(step), int(page.talk / 12.1)), (inside + thread).removeprefix(", ")
    notes, beside = [Note(LEFT, y + 20, called, "sum")], LEFT + 12.1 * len(called) + 16
    if beside + 8.4 * len(word) + 7 * len(after) <= LEFT + page.talk:
        notes.append(Note(beside, y + 20, word, role, after=after))
        y += 28
    else:
        notes.append(Note(LEFT, y + 44, word, role, after=after))
        y += 52
    frames: list[Frame] = []
    if step.failure is not None:
        more, frame, y = _alarm(step.failure, LEFT, y + 4, page.talk)
        notes += more
        frames.append(frame)
    lines = wrap(why_sentence(step), page.talk, 15) if why_sentence(step) else []
    notes += paragraph(LEFT, y + 18, lines, "body", 22)
    y += 22 * len(lines) + 6
    if moved := moved_words(step):
        lines = wrap(moved, page.talk, 13)
        notes += paragraph(LEFT, y + 16, lines, "muted", 19)
        y += 19 * len(lines) + 6
    more, boxes, y = _next(step, y, page)
    return [*notes, *more], [*frames, *boxes], y


def _alarm(failure: Failure, x: float, y: float, width: float) -> tuple[list[Note], Frame, float]:
    """The library's own words."""
    lines = [part for line in error_lines(failure, explained=True) for part in wrap(line, width - 32, 15.6)]
    height = 20.0 * len(lines) + 18
    notes = list(paragraph(x + 16, y + 24, lines, "alarm"))
    return notes, Frame(x, y, width, height, "alarm"), y + height + 8


def _next(step: TraceStep, y: float, page: _Page) -> tuple[list[Note], list[Frame], float]:
    """What to do about an error, the code to write first."""
    found = step.failure.diagnosis if step.failure is not None else None
    if found is None or not found.then:
        return [], [], y
    notes, y = draw_advice(WayOut(found.why, found.then, offers(step)).advice, LEFT, y, page.talk)
    return notes, [], y
