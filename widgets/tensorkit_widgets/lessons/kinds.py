"""What a question and a task are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from tensorkit_widgets.practice import Slip
from tensorkit_widgets.practice_checks import Checker

__all__ = ["Question", "Task"]


@dataclass(frozen=True)
class Question:
    """A prediction to make.

    `answer` is one of `options`, or a whole number, a row of whole numbers (a size, a stride), or a word.
    `recall` marks one that asks about an earlier lesson: it is remembered, not predicted.
    `proof(tk)` must give the answer when it is run, under tensorkit and under PyTorch: a test runs it.
    """

    name: str
    ask: str
    answer: object
    why: str = ""
    options: tuple[str, ...] = ()
    slips: tuple[Slip, ...] = ()
    recall: bool = False
    proof: Callable[[Any], object] | None = None


@dataclass(frozen=True)
class Task:
    """An exercise.

    `stage` is where it stands in the fading row; `entry`, when given, is the example shown in an answer box
    (without it the answer is Python, in a cell). `base(tk)` makes the tensor that the prompt starts from.
    `right` are solutions `(tk, t) -> value`, at least three and written differently; `wrong` are pairs of
    such a function and the misconception that it must be told ('' for none). Tests run all of them.
    """

    name: str
    title: str
    prompt: str
    check: Checker
    hints: tuple[str, ...]
    solution: str
    stage: Literal["worked", "faded", "free", "reverse"] = "free"
    entry: str = ""
    base: Callable[[Any], Any] | None = None
    right: tuple[Callable[[Any, Any], object], ...] = field(default=(), repr=False)
    wrong: tuple[tuple[Callable[[Any, Any], object], str], ...] = field(default=(), repr=False)
