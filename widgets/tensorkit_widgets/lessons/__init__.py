"""The questions and exercises of the lessons, by name, where a learner does not see the answers by accident.

`02.transpose_by_hand` is `transpose_by_hand` in `lesson02.py`. Each lesson module lists its `QUESTIONS` (for
`Predict`) and its `TASKS` (for `Exercise`); both carry what proves them: a question the call that gives its
answer, a task three right solutions written differently and the wrong ones that it must recognise.
"""

from __future__ import annotations

import importlib
import re
from typing import Any, cast

from tensorkit_widgets.lessons.kinds import Question, Task

__all__ = ["Question", "Task", "find_question", "find_task", "is_name"]


def is_name(text: str) -> bool:
    """Is this the name of a question or task, rather than a question itself?

    >>> is_name("02.transpose_by_hand"), is_name("What is 02.5?")
    (True, False)
    """
    return re.fullmatch(r"\d\d\.[a-z][a-z0-9_]*", text) is not None


def _listed(name: str, listed: str, noun: str) -> dict[str, Any]:
    number = name.partition(".")[0]
    try:
        lesson = importlib.import_module(f"tensorkit_widgets.lessons.lesson{number}")
    except ModuleNotFoundError:
        raise LookupError(f"there is no lesson {number} with {noun}s in it") from None
    things = {f"{number}.{thing.name}": thing for thing in getattr(lesson, listed)}
    if name not in things:
        raise LookupError(f"no {noun} is called {name!r}; lesson {number} has {', '.join(things)}")
    return things


def find_question(name: str) -> Question:
    """The question of this name; `LookupError` with the names that there are.

    >>> find_question("99.no_such_lesson")
    Traceback (most recent call last):
    LookupError: there is no lesson 99 with questions in it
    """
    return cast(Question, _listed(name, "QUESTIONS", "question")[name])


def find_task(name: str) -> Task:
    """The task of this name; `LookupError` with the names that there are.

    >>> find_task("02.transpose_by_hand").title
    'Transpose by hand'
    """
    return cast(Task, _listed(name, "TASKS", "exercise")[name])
