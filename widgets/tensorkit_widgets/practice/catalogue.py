"""The questions and exercises of the lessons, by name, where a learner does not see the answers by accident.

`03.transpose_by_hand` is `transpose_by_hand` in `lessons/lesson03/`. Each lesson's folder has the lesson's `TITLE` and
lists its `QUESTIONS` (for `Predict`) and its `TASKS` (for `Exercise`), and where it has them its `QUIZZES` and its
`PUZZLES` (for `Parsons`).
All carry what proves them: a question the call that gives its answer, a task and a puzzle three right solutions
written differently and the wrong ones that they must recognise.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Any, cast

from tensorkit_widgets.practice.kinds import Puzzle, Question, QuizSheet, Task

__all__ = [
    "Puzzle",
    "Question",
    "QuizSheet",
    "Task",
    "find_puzzle",
    "find_question",
    "find_quiz",
    "find_task",
    "full_name",
    "is_name",
    "lesson_numbers",
    "lesson_title",
    "practised",
]


def is_name(text: str) -> bool:
    """Is this the name of a question or task, rather than a question itself?

    >>> is_name("03.transpose_by_hand"), is_name("What is 02.5?")
    (True, False)
    """
    return re.fullmatch(r"\d\d\.[a-z][a-z0-9_]*", text) is not None


def lesson_title(number: str) -> str:
    """What the lesson of this number is called; `LookupError` when there is none.

    >>> lesson_title("02")
    'Storage and strides'
    """
    try:
        return str(importlib.import_module(f"tensorkit_widgets.lessons.lesson{number}").TITLE)
    except ModuleNotFoundError:
        raise LookupError(f"there is no lesson {number}") from None


def _listed(name: str, listed: str, noun: str) -> dict[str, Any]:
    number = name.partition(".")[0]
    try:
        lesson = importlib.import_module(f"tensorkit_widgets.lessons.lesson{number}")
    except ModuleNotFoundError:
        many = "quizzes" if noun == "quiz" else f"{noun}s"
        raise LookupError(f"there is no lesson {number} with {many} in it") from None
    things = {f"{number}.{thing.name}": thing for thing in getattr(lesson, listed, ())}
    if not things:
        raise LookupError(f"lesson {number} has no {noun}")
    if name not in things:
        moved = _called(name.partition(".")[2], listed)
        now = f"; it is {' or '.join(map(repr, moved))} now" if moved else ""
        raise LookupError(f"no {noun} is called {name!r}{now}; lesson {number} has {', '.join(things)}")
    return things


def _called(bare: str, listed: str) -> list[str]:
    """The full names of the lessons' cards with this name."""
    homes = []
    for number in lesson_numbers():
        lesson = importlib.import_module(f"tensorkit_widgets.lessons.lesson{number}")
        homes += [f"{number}.{bare}" for thing in getattr(lesson, listed, ()) if thing.name == bare]
    return homes


def find_question(name: str) -> Question:
    """The question of this name; `LookupError` with the names that there are.

    >>> find_question("99.no_such_lesson")
    Traceback (most recent call last):
    LookupError: there is no lesson 99 with questions in it
    """
    return cast(Question, _listed(name, "QUESTIONS", "question")[name])


def find_task(name: str) -> Task:
    """The task of this name; `LookupError` with the names that there are.

    >>> find_task("03.transpose_by_hand").title
    'Transpose by hand'
    """
    return cast(Task, _listed(name, "TASKS", "exercise")[name])


def find_quiz(name: str) -> QuizSheet:
    """The quiz of this name; `LookupError` with the names that there are.

    >>> find_quiz("02.layouts").title
    'What storage, offset and stride are for'
    """
    return cast(QuizSheet, _listed(name, "QUIZZES", "quiz")[name])


def find_puzzle(name: str) -> Puzzle:
    """The puzzle of this name; `LookupError` with the names that there are.

    >>> find_puzzle("02.column_sums").title
    'The sums of the columns'
    """
    return cast(Puzzle, _listed(name, "PUZZLES", "puzzle")[name])


def practised(misconception: str, near: str = "") -> str:
    """Where a misconception is taken up again: an exercise or a quiz, of the lesson `near` or a later one.

    `''` when nowhere: what a learner has behind them is not named.

    >>> practised("squeeze eats the batch dimension", "04")
    'the exercise **Drop the channel, keep the batch** of lesson 04'
    >>> practised("bytes per element", "20").endswith("lesson 20")  # there it is in the quiz at the beginning
    False
    """
    for number in sorted(number for number in lesson_numbers() if number >= near):
        lesson = importlib.import_module(f"tensorkit_widgets.lessons.lesson{number}")
        exercises = (("exercise", task.title, {name for _, name in task.wrong}) for task in lesson.TASKS)
        quizzes = (
            ("quiz", sheet.title, {slip.misconception for asked in sheet.questions for slip in asked.slips})
            for sheet in getattr(lesson, "QUIZZES", ())
            if sheet.recall and number != near  # a lesson opens with its own; the others are in no lesson
        )
        for kind, title, names in (*exercises, *quizzes):
            if misconception and misconception in names:
                return f"the {kind} **{title}** of lesson {number}"
    return ""


def lesson_numbers() -> list[str]:
    """The numbers of the lessons that have cards, in their order."""
    modules = pkgutil.iter_modules(importlib.import_module("tensorkit_widgets.lessons").__path__)
    return sorted(found[1] for module in modules if (found := re.fullmatch(r"lesson(\d\d)", module.name)))


def full_name(name: str, listed: str) -> str:
    """A name with its lesson's number, where one lesson alone has that name; else the name as it is.

    >>> full_name("column_sums", "PUZZLES"), full_name("What is a view?", "PUZZLES")
    ('02.column_sums', 'What is a view?')
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        return name
    homes = _called(name, listed)
    if len(homes) > 1:
        raise LookupError(f"{name!r} is in several lessons; choose one of {', '.join(homes)}")
    return homes[0] if homes else name
