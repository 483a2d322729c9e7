"""What a speaker needs of a lesson: what to say at each cell, the scenes there, and the minutes of each section.

All of it is written where the lesson is written, in a cell's metadata under ``tensorkit``:

| key | what it is |
|---|---|
| ``"notes"`` | what to say. A line that begins with ``▸`` is a direction (a key to press), and is not said |
| ``"cut"`` | what to leave out when time is short |
| ``"minutes"`` | at the first cell of a section: how long it may take, up to the next cell with minutes |
| ``"scenes"`` | the scenes of the cell's picture, each with ``"notes"`` of its own |

Notes may also be in a comment ``<!-- notes: … -->`` of a Markdown cell, which the audience does not see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from .files import read_notebook

PACE = 130
"""Words that a speaker says in a minute, when there is something to look at too."""

_COMMENT = re.compile(r"<!--\s*notes:\s*(.*?)\s*-->", re.S | re.I)
_HIDDEN = re.compile(r"<!--.*?-->", re.S)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$", re.M)
_LONGEST = 100
_DIRECTION = "▸"


@dataclass(frozen=True)
class Cue:
    """What a speaker needs of one cell: where it is, how it begins, what to say, and its scenes (name, notes)."""

    cell: int
    id: str
    kind: str
    heading: str
    first: str
    notes: str
    scenes: tuple[tuple[str, str], ...] = ()
    minutes: float = 0.0
    cut: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a talk: the cell that it begins with, the minutes that it may take, and the words of its notes."""

    first: int
    title: str
    minutes: float
    words: int

    @property
    def speaking(self) -> float:
        """The minutes that its words take, at `PACE`.

        Examples:
            >>> Section(0, "Strides", 6.0, 260).speaking
            2.0
        """
        return self.words / PACE


def cues(notebook: Mapping[str, Any]) -> list[Cue]:
    """The cue of every cell of a notebook (as its JSON is); what is of another kind than it should be says nothing.

    Examples:
        >>> markdown = {"cell_type": "markdown", "source": "# Strides\\n<!-- notes: wave -->", "metadata": {}}
        >>> code = {"cell_type": "code", "source": "x.t()", "metadata": {"tensorkit": {"notes": "ask first"}}}
        >>> [(cue.heading, cue.first, cue.notes) for cue in cues({"cells": [markdown, code]})]
        [('Strides', 'Strides', 'wave'), ('Strides', 'x.t()', 'ask first')]
    """
    heading, found = "", []
    for number, cell in enumerate(_cells(notebook)):
        source = _joined(cell.get("source", ""))
        kind = str(cell.get("cell_type", ""))
        settings = _table(_table(cell.get("metadata")).get("tensorkit"))
        notes = [_joined(settings.get("notes", ""))]
        if kind == "markdown":
            notes += _COMMENT.findall(source)
            source = _HIDDEN.sub("", source)
            titles = _HEADING.findall(source)
            heading = _plain(titles[-1]) if titles else heading
        said = "\n\n".join(filter(None, notes))
        found.append(
            Cue(
                number, str(cell.get("id", "")), kind, heading, _first(source), said,
                _scenes(settings.get("scenes")), _minutes(settings.get("minutes")), _joined(settings.get("cut", "")),
            )
        )  # fmt: skip
    return found


def sections(cues: Sequence[Cue]) -> list[Section]:
    """The parts of a talk, each from a cell with minutes to the next one; none when no cell has any.

    Examples:
        >>> talk = [Cue(0, "", "markdown", "Hello", "", "Good morning.", minutes=2.0),
        ...         Cue(1, "", "code", "Hello", "x", "▸ press N\\nThis is x.")]
        >>> sections(talk)
        [Section(first=0, title='Hello', minutes=2.0, words=5)]
    """
    marked = [place for place, cue in enumerate(cues) if cue.minutes]
    found = []
    for first, end in pairwise([*marked, len(cues)]):
        part = cues[first:end]
        notes = [text for cue in part for text in (cue.notes, *(notes for _, notes in cue.scenes))]
        words = sum(len(spoken(text).split()) for text in notes)
        found.append(Section(part[0].cell, part[0].heading, part[0].minutes, words))
    return found


def paces(lesson: Path) -> str:
    """A line for each section of a lesson's file: its minutes, and those that its words take.

    Raises:
        LabError: when the file is not a notebook.
    """
    found = sections(cues(read_notebook(lesson)))
    if not found:
        return "None of its cells gives minutes: the speaker's notes show the time since the start, not the time left."
    lines = [f"{one.minutes:6g} min, {one.speaking:4.1f} of them spoken:  {one.title}" for one in found]
    whole, said = sum(one.minutes for one in found), sum(one.speaking for one in found)
    return "\n".join([*lines, f"{whole:6g} min, {said:4.1f} of them spoken, at {PACE} words a minute."])


def spoken(notes: str) -> str:
    """The spoken part of some notes: all but the directions.

    Examples:
        >>> spoken("Who says five?\\n▸ R reveals\\nFive it is.")
        'Who says five?\\nFive it is.'
    """
    return "\n".join(line for line in notes.splitlines() if not line.lstrip().startswith(_DIRECTION))


def _cells(notebook: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    cells = notebook.get("cells")
    return map(_table, cells if isinstance(cells, list) else ())


def _table(given: Any) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}


def _joined(text: Any) -> str:
    """Notebooks write text as one string or as a list of lines."""
    if isinstance(text, list):
        return "".join(part if isinstance(part, str) else "" for part in text)
    return text if isinstance(text, str) else ""


def _minutes(given: Any) -> float:
    whole = isinstance(given, int | float) and not isinstance(given, bool)
    return float(given) if whole and 0 < given < 1000 else 0.0


def _first(source: str) -> str:
    line = next((line for line in source.splitlines() if line.strip()), "")
    return (
        _plain(line.strip().lstrip("# "))[:_LONGEST]
        if line.lstrip().startswith("#")
        else line.strip()[:_LONGEST]
    )


def _plain(markdown: str) -> str:
    return re.sub(r"[*`]", "", markdown)


def _scenes(given: Any) -> tuple[tuple[str, str], ...]:
    given = given if isinstance(given, list) else []
    named = [one for one in given if isinstance(one, dict) and isinstance(one.get("name"), str)]
    return tuple((one["name"], _joined(one.get("notes", ""))) for one in named)
