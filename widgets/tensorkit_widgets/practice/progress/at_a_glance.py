"""The course at a glance: a line for each lesson, a square for each of its cards, filled as far as it is right."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tensorkit_widgets.practice.catalogue import lesson_numbers
from tensorkit_widgets.practice.markup import escape, plain
from tensorkit_widgets.practice.session_log import events

SIGNS = {"right": "■", "later": "◧", "wrong": "□", "": "·"}
"""How a card is drawn in text: right at once, right in the end, not yet right, not answered."""

MEANS = {
    "right": "right at once",
    "later": "right in the end",
    "wrong": "not right yet",
    "": "not answered yet",
}

_SIDE, _GAP, _LINE, _NAMES = 12, 3, 22, 250


@dataclass(frozen=True)
class LessonRow:
    """A lesson's number and title, and of each of its cards what it is called and how far it is (see `MEANS`)."""

    number: str
    title: str
    cards: tuple[tuple[str, str], ...]

    @property
    def right(self) -> int:
        """How many of its cards are right."""
        return sum(state in ("right", "later") for _, state in self.cards)

    @property
    def begun(self) -> bool:
        """Whether any of them was answered."""
        return any(state for _, state in self.cards)


def lesson_rows(states: Mapping[str, Mapping[str, Any]]) -> list[LessonRow]:
    """All lessons with cards: predictions first, then exercises."""
    rows = []
    for number in lesson_numbers():
        lesson = importlib.import_module(f"tensorkit_widgets.lessons.lesson{number}")
        cards = tuple(
            (plain(called), _state(states.get(f"{kind} {number}.{name}", {})))
            for kind, name, called in _cards(lesson)
        )
        rows.append(LessonRow(number, lesson.TITLE, cards))
    return rows


def _cards(lesson: Any) -> Iterator[tuple[str, str, str]]:
    """(kind, name, what it is called) of a lesson's cards; what is asked from memory is no card of the lesson."""
    for asked in lesson.QUESTIONS:
        if not asked.recall:
            yield "predict", asked.name, asked.ask.partition("\n")[0]
    for task in lesson.TASKS:
        yield "exercise", task.name, task.title
    for puzzle in getattr(lesson, "PUZZLES", ()):
        yield "parsons", puzzle.name, puzzle.title


def _state(state: Mapping[str, Any]) -> str:
    past = events(state)
    if not past:
        return ""
    if past[0]["correct"] and past[-1]["correct"]:
        return "right"
    return "later" if past[-1]["correct"] or state.get("solved") is True else "wrong"


def rows_text(rows: list[LessonRow]) -> str:
    """A line of signs for each lesson that was begun, and what they mean."""
    begun = [row for row in rows if row.begun]
    if not begun:
        return ""
    lines = [
        f"    {row.number}  {''.join(SIGNS[state] for _, state in row.cards)}  {row.right} of {len(row.cards)}"
        for row in begun
    ]
    return "\n".join([*lines, f"    ({', '.join(f'{SIGNS[key]} {MEANS[key]}' for key in SIGNS)})"])


def rows_svg(rows: list[LessonRow]) -> str:
    """The same for all lessons as a picture that takes the page's own colour: readable on light and on dark."""
    most = max((len(row.cards) for row in rows), default=0)
    width = _NAMES + most * (_SIDE + _GAP) + 60
    height = _LINE * (len(rows) + 1)
    drawn = [line for place, row in enumerate(rows) for line in _drawn(row, place * _LINE)]
    drawn += _legend(_LINE * len(rows))
    done = ", ".join(f"{row.number}: {row.right} of {len(row.cards)}" for row in rows if row.begun)
    label = f"Cards that are right, by lesson. {done or 'None yet'}."
    style = 'style="max-width: 100%; height: auto; font: 13px sans-serif" fill="currentColor" stroke="none"'
    return (
        f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {width} {height}" width="{width}" {style}>'
        f"{''.join(drawn)}</svg>"
    )


def _drawn(row: LessonRow, top: int) -> Iterator[str]:
    faint = "" if row.begun else ' opacity="0.6"'
    yield f'<text x="0" y="{top + 14}"{faint}>{row.number} · {escape(row.title)}</text>'
    for place, (called, state) in enumerate(row.cards):
        yield _square(_NAMES + place * (_SIDE + _GAP), top + 4, state, f"{called}: {MEANS[state]}")
    if row.begun:
        end = _NAMES + len(row.cards) * (_SIDE + _GAP) + 6
        yield f'<text x="{end}" y="{top + 14}">{row.right} of {len(row.cards)}</text>'


def _legend(top: int) -> Iterator[str]:
    at = 0
    for state, means in MEANS.items():
        yield _square(at, top + 6, state, means)
        yield f'<text x="{at + _SIDE + 6}" y="{top + 16}">{means}</text>'
        at += 130


def _square(x: int, y: int, state: str, means: str) -> str:
    edge = 'fill="none" stroke="currentColor"'
    inside = f"<title>{escape(means)}</title>"
    if state == "":
        middle = _SIDE / 2
        return f'<circle cx="{x + middle}" cy="{y + middle}" r="2" opacity="0.6">{inside}</circle>'
    if state == "right":
        return f'<rect x="{x}" y="{y}" width="{_SIDE}" height="{_SIDE}">{inside}</rect>'
    frame = (
        f'<rect x="{x + 0.5}" y="{y + 0.5}" width="{_SIDE - 1}" height="{_SIDE - 1}" {edge}>{inside}</rect>'
    )
    half = f'<rect x="{x}" y="{y}" width="{_SIDE / 2}" height="{_SIDE}"/>' if state == "later" else ""
    return frame + half
