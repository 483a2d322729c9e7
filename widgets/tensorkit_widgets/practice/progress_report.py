"""`progress()`: what was answered, and which misconceptions were met and which dissolved. `forget()` deletes it.

python -m tensorkit_widgets FOLDER               says it in a terminal
python -m tensorkit_widgets FOLDER --forget      deletes it
python -m tensorkit_widgets FOLDER... --csv FILE writes the answers of one or many learners into a table
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from textwrap import shorten, wrap
from typing import Any

from tensorkit.lab.ending import command
from tensorkit.lab.errors import LabError
from tensorkit_widgets.practice import session_log
from tensorkit_widgets.practice.catalogue import (
    find_puzzle,
    find_question,
    find_quiz,
    find_task,
    is_name,
    lesson_title,
)
from tensorkit_widgets.practice.facts import MISCONCEPTIONS, Note
from tensorkit_widgets.practice.markup import escape, markup, plain
from tensorkit_widgets.practice.progress.at_a_glance import lesson_rows, rows_svg, rows_text
from tensorkit_widgets.practice.progress.export import export
from tensorkit_widgets.practice.progress.schedule import about
from tensorkit_widgets.practice.progress_file import ProgressFile
from tensorkit_widgets.practice.session_log import CARDS, State, events


@dataclass(frozen=True)
class Met:
    """A misconception that showed in an answer: how often, whether a later right answer dissolved it, and where.

    ``cards`` are the kinds and names of those that met it, such as ``"predict 02.slice_stride"``.
    """

    name: str
    times: int
    dissolved: bool
    cards: tuple[str, ...]


def progress(*, reset: bool = False) -> Note:
    """How the exercises, predictions, quizzes and puzzles stand, in all lessons, and the misconceptions met.

    A table in a notebook, and text everywhere else. With `reset=True` everything is forgotten, as by `forget()`.
    """
    return forget() if reset else _Report.of(_to_show(session_log.everything()), session_log.file())


def _to_show(states: Mapping[str, State]) -> Mapping[str, State]:
    """All states; how the test before the course went is not shown until the one after it has begun."""
    after = events(states.get("quiz 00.after", {}))
    return states if after else {key: state for key, state in states.items() if key != "quiz 00.before"}


def forget(name: str = "") -> Note:
    """Delete what was answered: all of it, a lesson's (`"02"`), or one question's (`"03.size_one"`).

    The file goes with the last of it. Cards on the page are asked again. Nothing was ever kept anywhere else.
    """
    gone = session_log.forgotten(name)
    for card in list(CARDS):
        if name in ("", card.name, card.name.partition(".")[0]):
            card.forget_state()
    file = session_log.file()
    what = (
        f"{len(gone)} card{'' if len(gone) == 1 else 's'} forgotten"
        if gone
        else "There was nothing to forget"
    )
    where = f", and {file.path} is deleted" if gone and not name and file.path else ""
    return Note(f"{what}{where}." if not file.trouble else f"{what}. {file.trouble}")


def misconceptions(states: Mapping[str, Mapping[str, Any]]) -> list[Met]:
    """The misconceptions met, in the order in which they showed first.

    One is dissolved by a right answer, after it last showed, to a question that would have recognised it.
    """
    times: dict[str, int] = {}
    cards: dict[str, dict[str, None]] = {}
    open_ones: dict[str, bool] = {}
    past = sorted(
        ((event["at"], key, event) for key, state in states.items() for event in events(state)),
        key=lambda entry: entry[:2],
    )
    for _, key, event in past:
        name = event["misconception"]
        if name:
            times[name] = times.get(name, 0) + 1
            cards.setdefault(name, {})[key] = None
            open_ones[name] = True
        elif event["correct"]:
            for known in (*about(states[key], event), *(e["misconception"] for e in events(states[key]))):
                if known in open_ones:
                    open_ones[known] = False
    return [Met(name, times[name], not open_ones[name], tuple(cards[name])) for name in times]


@dataclass(frozen=True)
class _Line:
    """How one card stands: its kind, what a learner knows it by, and how far it is."""

    kind: str
    called: str
    stands: str
    mood: str


class _Report(Note):
    """The report as text, which shows itself as tables where there is a page."""

    _html = ""

    @classmethod
    def of(cls, states: Mapping[str, State], file: ProgressFile) -> _Report:
        lessons = [
            (_headed(number), [line for key, state in cards if (line := _line(key, state))])
            for number, cards in groupby(_by_lesson(states), lambda entry: _lesson(entry[0]))
        ]
        lessons = [(heading, lines) for heading, lines in lessons if lines]
        met, where, rows = misconceptions(states), _kept(file), lesson_rows(states)
        report = cls(_text(lessons, met, where, rows_text(rows)))
        picture = f"<p>{rows_svg(rows)}</p>" if lessons else ""
        report._html = picture + _page(lessons, met, where)
        return report

    def _repr_html_(self) -> str:
        return self._html


Lessons = Sequence[tuple[str, Sequence[_Line]]]


def _kept(file: ProgressFile) -> str:
    if file.trouble:
        return file.trouble
    if file.path is not None and file.path.exists():
        return f"Kept in `{file.path}`, on this machine only; `forget()` deletes it."
    return ""


_NOTHING = "No card has been answered yet."


def _text(lessons: Lessons, met: Sequence[Met], where: str, glance: str = "") -> str:
    parts: list[str] = [f"**Your progress**\n\n{glance}"] if glance else []
    for heading, lines in lessons:
        parts += [f"**{heading}**", "\n".join(_in_text(line) for line in lines)]
    parts = parts if lessons else [_NOTHING]
    if met:
        parts += ["**Misconceptions met**", "\n".join(_told(one) for one in met)]
    return "\n\n".join([*parts, where] if where else parts)


def _in_text(line: _Line) -> str:
    """What it is called in a column, its words whole, and beside it how it stands."""
    first, *rest = wrap(line.called, _WIDE) or [""]
    return "\n".join([f"    {first:<{_WIDE}}  {line.stands}", *(f"      {words}" for words in rest)])


_CELL = 'style="text-align: left; vertical-align: top; white-space: normal; overflow-wrap: normal"'
_TABLE = 'style="border-collapse: collapse; margin: 0 0 16px; max-width: 900px"'


def _page(lessons: Lessons, met: Sequence[Met], where: str) -> str:
    """The same as tables: without colours of their own, so that they are readable on light and on dark."""
    parts: list[str] = []
    if lessons:
        groups = "".join(_group(heading, lines) for heading, lines in lessons)
        parts.append(_table("Your progress", ("", "Card", "So far"), groups))
    else:
        parts.append(f"<p>{escape(_NOTHING)}</p>")
    if met:
        rows = "".join(_row(*cells) for cells in map(_met_cells, met))
        heads = ("", "Misconception", "What dissolves it", "So far")
        parts.append(_table("Misconceptions met", heads, f"<tbody>{rows}</tbody>"))
    return "".join([*parts, markup(where)] if where else parts)


def _table(caption: str, heads: Sequence[str], body: str) -> str:
    row = "".join(f'<th scope="col" {_CELL}>{escape(head)}</th>' if head else "<td></td>" for head in heads)
    said = f'<caption style="text-align: left"><strong>{escape(caption)}</strong></caption>'
    return f"<table {_TABLE}>{said}<thead><tr>{row}</tr></thead>{body}</table>"


def _group(heading: str, lines: Sequence[_Line]) -> str:
    rows = "".join(
        _row(_MARKS[line.mood], f"{line.kind}: {line.called}", line.stands.replace(" ", "\u00a0"))
        for line in lines
    )
    head = f'<tr><th colspan="3" scope="rowgroup" {_CELL}>{escape(heading)}</th></tr>'
    return f"<tbody>{head}{rows}</tbody>"


def _row(*cells: str) -> str:
    mark, *rest = cells
    drawn = f'<td aria-hidden="true" {_CELL}>{mark}</td>'
    return f"<tr>{drawn}{''.join(f'<td {_CELL}>{escape(cell)}</td>' for cell in rest)}</tr>"


_MARKS = {"right": "✓", "wrong": "✗", "open": "…"}


def _met_cells(one: Met) -> tuple[str, str, str, str]:
    meaning = plain(MISCONCEPTIONS.get(one.name, ""))
    return _MARKS["right" if one.dissolved else "open"], plain(one.name), meaning, _stands(one)


def _lesson(key: str) -> str:
    """The number of a card's lesson; none for a question of one's own."""
    name = key.partition(" ")[2]
    return name[:2] if is_name(name) else ""


def _by_lesson(states: Mapping[str, State]) -> Sequence[tuple[str, State]]:
    """Lesson by lesson, within a lesson as they were met; questions of one's own come last."""
    return sorted(states.items(), key=lambda entry: _lesson(entry[0]) or "99")


def _headed(number: str) -> str:
    try:
        return f"{number} · {lesson_title(number)}" if number else "Reviews, and questions of your own"
    except LookupError:  # kept by another version of the kit
        return f"Lesson {number}"


def _called(key: str) -> str:
    """What a learner knows a card by: its title; of a prediction, which has none, how it begins."""
    kind, _, name = key.partition(" ")
    try:
        found = plain(_TITLES[kind](name)) if is_name(name) and kind in _TITLES else plain(name)
    except LookupError:
        found = name
    return shorten(" ".join(found.split()), _LONGEST, placeholder=" …")


_LONGEST = 150
"""Characters of what a card is called: enough for most questions, and all of a title."""

_WIDE = 52
"""Characters of a column of text: beside it there is room for how the card stands."""

_TITLES: dict[str, Callable[[str], str]] = {
    "exercise": lambda name: find_task(name).title,
    "parsons": lambda name: find_puzzle(name).title,
    "predict": lambda name: find_question(name).ask,
    "quiz": lambda name: find_quiz(name).title,
}


def _line(key: str, state: Mapping[str, Any]) -> _Line | None:
    kind = key.partition(" ")[0]
    done = _STANDS[kind](state) if kind in _STANDS else ""
    return _Line(_KINDS[kind], _called(key), done, _mood(kind, state)) if done else None


_KINDS = {
    "exercise": "Exercise",
    "parsons": "Puzzle",
    "predict": "Prediction",
    "quiz": "Quiz",
    "review": "Review",
}


def _mood(kind: str, state: Mapping[str, Any]) -> str:
    if kind in ("exercise", "parsons"):
        return "right" if state.get("solved") else "open"
    if kind in ("quiz", "review"):
        answered = state.get("right", ())
        return "right" if isinstance(answered, tuple) and all(one is True for one in answered) else "open"
    return "right" if events(state)[-1]["correct"] else "wrong"


def _exercise(state: Mapping[str, Any]) -> str:
    tries = f"{state.get('attempts', 0)} attempt{'' if state.get('attempts') == 1 else 's'}"
    return "solved in " + tries if state.get("solved") else f"open, {tries}"


def _predict(state: Mapping[str, Any]) -> str:
    past = events(state)
    if not past:
        return ""
    first, last = past[0], past[-1]
    if first["correct"]:
        return "as predicted" if last["correct"] else "right at first, not since"
    if last["correct"]:
        return "not as predicted at first, right since"
    return "not as predicted, and you were sure" if last.get("sure") is True else "not as predicted"


def _quiz(state: Mapping[str, Any]) -> str:
    answered = state.get("right", ())
    answered = answered if isinstance(answered, tuple) else ()
    return f"{sum(one is True for one in answered)} of {len(answered)} right" if events(state) else ""


_STANDS = {
    "exercise": _exercise,
    "parsons": _exercise,
    "predict": _predict,
    "quiz": _quiz,
    "review": _quiz,
}


def _stands(one: Met) -> str:
    often = {1: "met once", 2: "met twice"}.get(one.times, f"met {one.times} times")
    cards = "; ".join(" · ".join(filter(None, (_lesson(key), _called(key)))) for key in one.cards)
    return f"{often}, {'dissolved' if one.dissolved else f'still open: {cards}'}"


def _told(one: Met) -> str:
    lines = [f"    {plain(one.name):<38}  {_stands(one)}"]
    lines += [f"        {words}" for words in wrap(plain(MISCONCEPTIONS.get(one.name, "")), 100)]
    return "\n".join(lines)


def tell(folder: Path, *, forget: bool = False) -> int:
    """Print what was answered in a folder of lessons, or forget it; 1 when its file is in the way.

    Raises:
        LabError: when the folder is a file.
    """
    if folder.is_file():
        raise LabError(f"{folder} is a file, not a folder; name another.")
    session_log.use(ProgressFile(folder / ".tensorkit" / "progress.json"))
    print(repr(progress(reset=forget)))
    return 1 if session_log.file().trouble else 0


@command
def main(words: Sequence[str] | None = None) -> int:
    """The command of this module; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tensorkit_widgets", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folder", nargs="*", type=Path, default=[Path(".")], help="a folder of lessons")
    one_of = parser.add_mutually_exclusive_group()
    one_of.add_argument("--forget", action="store_true", help="delete what was answered")
    one_of.add_argument("--csv", metavar="FILE", type=Path, help="write the answers, one a row, into FILE")
    asked = parser.parse_args(words)
    if asked.csv is not None:
        return export(asked.folder, asked.csv)
    if len(asked.folder) > 1:
        parser.error("several folders go together with --csv only")
    return tell(asked.folder[0], forget=asked.forget)
