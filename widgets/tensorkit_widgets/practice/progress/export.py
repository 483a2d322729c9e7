"""`python -m tensorkit_widgets FOLDER... --csv FILE`: the answers of one or many learners as a table for their teacher.

Each row is one answer. A learner is known by the random name in the file of answers, which tells nothing else.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tensorkit.lab.errors import LabError
from tensorkit.process.whole_file import beside
from tensorkit_widgets.practice.progress_file import ProgressFile
from tensorkit_widgets.practice.session_log import events

COLUMNS = ("learner", "lesson", "card", "kind", "answer", "right", "misconception", "sure", "time")

_FORMULA = re.compile(r"[=@\t\r]|[+-](?![\d.]+$)")
"""How a text begins that a spreadsheet would run."""


def rows(folder: Path) -> Iterator[tuple[str, ...]]:
    """The answers in a folder of lessons, card by card, the oldest of each first.

    Raises:
        LabError: when there are none, or they cannot be read.
    """
    file = ProgressFile(folder / ".tensorkit" / "progress.json")
    found = file.read()
    if not found:
        raise LabError(file.trouble or f"There are no answers in {folder}.")
    for key, record in found.items():
        kind, _, name = key.partition(" ")
        history = record.get("history")
        for event in events({"history": tuple(history) if isinstance(history, list) else ()}):
            card = str(event.get("asked") or name)
            lesson = card[:2] if re.match(r"\d\d\.", card) else ""
            right, sure = _yes(event["correct"]), _yes(event.get("sure"))
            row = (lesson, card, kind, event["said"], right, event["misconception"], sure, event["at"])
            yield (file.learner, *(f"'{text}" if _FORMULA.match(text) else text for text in row))


def _yes(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else ""


def export(folders: Sequence[Path], target: Path) -> int:
    """Write the answers in these folders to one file, and print how many there are; 0, the exit code.

    Raises:
        LabError: as `rows` does; nothing is written then.
    """
    table = [row for folder in folders for row in rows(folder)]
    with (
        beside(target) as path,
        path.open("w", newline="", encoding="utf-8", errors="backslashreplace") as file,
    ):
        csv.writer(file).writerows([COLUMNS, *table])
    learners = len({row[0] for row in table})
    print(f"{target}: {len(table)} answer(s) of {learners} learner(s).")
    return 0
