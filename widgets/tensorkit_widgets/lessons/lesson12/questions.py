"""The questions of lesson 12, with what proves them."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

__all__ = ["QUESTIONS"]

LOOPS = "element loops"


def _loop(tk: Any) -> str:
    x = tk.arange(1000.0)

    def walk() -> None:
        total = 0
        for i in range(len(x)):
            total += x[i]

    ratio = _best(walk) / _best(x.sum)
    return "More than a hundred times as long" if ratio > 100 else "About ten times as long"


def _best(work: Callable[[], object]) -> float:
    return min(timeit.repeat(work, number=1, repeat=5))


QUESTIONS = (
    Question(
        "loop",
        "`x` holds 1000 numbers. A loop does `total += x[i]` for each of them; `x.sum()` adds them up in one call. "
        "How long does the loop take?",
        "More than a hundred times as long",
        "A thousand times Python makes a tensor object for one number, and calls the engine to add it. `sum` is one "
        "call, and walks the storage without Python.",
        options=(
            "About as long: it is the same sum",
            "About ten times as long",
            "More than a hundred times as long",
        ),
        slips=(
            Slip(
                LOOPS,
                "The additions are the same. What takes the time is all that Python does around each of them.",
                given="About as long: it is the same sum",
            ),
            Slip(
                LOOPS,
                "It is far more: two calls of the engine for each number.",
                given="About ten times as long",
            ),
        ),
        proof=_loop,
    ),
)
