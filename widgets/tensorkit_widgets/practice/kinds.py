"""What a question, a task, a quiz and a puzzle are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from tensorkit_widgets.practice.checking.checks import Checker
from tensorkit_widgets.practice.facts import Slip, Verdict
from tensorkit_widgets.practice.option_order import OptionOrder

Pick = Literal["", "slot", "step", "cells"]
"""What is chosen in a picture: a slot, the way from one slot to another, some elements; or nothing."""


class SealedAnswer(Protocol):
    """A right answer that nobody can read, and that can still judge one."""

    @property
    def kind(self) -> str:
        """What kind of answer is wanted."""

    def judge(self, answer: object, options: tuple[str, ...]) -> Verdict:
        """The verdict on an answer."""


@dataclass(frozen=True)
class Question:
    """A prediction to make, or a question of a quiz.

    `answer` is one of `options`, or a whole number, a row of whole numbers (a size, a stride), or a word.
    The options are shuffled for each learner; `order` says which keep their places (`option_order`).
    `picture(tk)` is a tensor in whose picture the answer is given, and `pick` how: see `Predict`.
    `recall` marks one that asks about an earlier lesson: it is remembered, not predicted.
    `devices` is how many CUDA devices the proof needs; where there are none, tensorkit plays them.
    `proof(tk)` must give the answer when it is run, under tensorkit and under PyTorch: a test runs it.

    In a quiz, `answer` may also be a tuple of several `options` (a slip whose `given` is an option then speaks of
    that option, ticked wrongly or missed), or a float within `tolerance`; `also` are further right words or rows.
    With `check` and `base(tk)` the answer is a short line of code such as `t[1:].t()`: it is read by the grammar of
    `expression`, applied to the base, and judged by what comes out. `entry` is the example shown in the box,
    `solution` a right line; `right` and `wrong` (with the misconception, or '') are lines that tests try.
    """

    name: str
    ask: str
    answer: object = None
    why: str = ""
    options: tuple[str, ...] = ()
    slips: tuple[Slip, ...] = ()
    recall: bool = False
    proof: Callable[[Any], object] | None = None
    also: tuple[object, ...] = ()
    tolerance: float = 0.0
    check: Checker | None = None
    base: Callable[[Any], Any] | None = None
    entry: str = ""
    solution: str = ""
    right: tuple[str, ...] = field(default=(), repr=False)
    wrong: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    sealed: SealedAnswer | None = None
    order: OptionOrder = "free"
    picture: Callable[[Any], Any] | None = None
    pick: Pick = ""
    devices: int = 0


@dataclass(frozen=True)
class QuizSheet:
    """A quiz of a lesson: several questions under one title. `recall` marks one about earlier lessons.

    `test` marks one that is asked before the course, which keeps the answers and shows no results, or after it.
    Neither is dealt in a review.
    """

    name: str
    title: str
    questions: tuple[Question, ...]
    recall: bool = False
    test: Literal["", "before", "after"] = ""


@dataclass(frozen=True)
class Stray:
    """A line that does not belong into a puzzle's program, with the misconception that it tempts to."""

    line: str
    misconception: str = ""
    says: str = ""


@dataclass(frozen=True)
class Puzzle:
    """Lines of a program to put in order.

    `program` is a right one, line by line, indented by four spaces; `strays` are lines among it that do not belong,
    or that belong instead of another. The learner's program is run in a fresh namespace with what `setup(tk)` gives;
    `check` then judges the value of the name `result` (and `base`, where the check wants the tensor that it started
    from). `slips` are recognised in a program that fails: their `when` looks at an `Arranged`. `right` are at least
    three right programs, written differently, as text; `wrong` are pairs of a program and the misconception that it
    must be told ('' for none). Tests run all of them.
    """

    name: str
    title: str
    prompt: str
    program: str
    result: str
    check: Checker
    hints: tuple[str, ...] = ()
    strays: tuple[Stray, ...] = ()
    slips: tuple[Slip, ...] = ()
    base: str = ""
    setup: Callable[[Any], Mapping[str, Any]] | None = None
    right: tuple[str, ...] = field(default=(), repr=False)
    wrong: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Task:
    """An exercise.

    `stage` is where it stands in the fading row ("faded": the prompt has code with a gap in it); `entry`, when
    given, is the example shown in an answer box (without it the answer is Python, in a cell). `base(tk)` makes the
    tensor that the prompt starts from.
    `right` are solutions `(tk, t) -> value`, at least three and written differently; `wrong` are pairs of
    such a function and the misconception that it must be told ('' for none). Tests run all of them.
    `devices` is how many CUDA devices the check needs: it puts tensors of tensorkit there (`on_devices`).
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
    devices: int = 0
