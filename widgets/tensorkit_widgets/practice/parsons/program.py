"""The lines of a puzzle: numbered, shuffled in a way that is always the same, and put in an order by the learner.

A line goes by its number in the shuffled row: that is all that the browser sends, with how far it is indented.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tensorkit_widgets.practice.kinds import Puzzle, Stray

MOST_LINES = 40
DEEPEST = 6
"""Steps of indentation."""

_STEP = "    "

Placed = tuple[tuple[int, int], ...]
"""An order: (number of the line, steps of indentation) of each line, from the top."""


class BadOrder(ValueError):
    """This is no order of these lines; the message is a sentence for the learner."""


@dataclass(frozen=True)
class Arranged:
    """A program that was put together, for rules that look at its order.

    >>> program = Arranged((("x = 1", 0), ("if x:", 0), ("x = 2", 1)))
    >>> program.before("x = 1", "x = 2"), program.inside("x = 2", "if x:"), program.uses("x = 3")
    (True, True, False)
    """

    lines: tuple[tuple[str, int], ...]

    @property
    def code(self) -> str:
        """The program as text."""
        return "\n".join(_STEP * indent + line for line, indent in self.lines)

    def place(self, line: str) -> int | None:
        """Where this line stands, counted from 0; None when it is not used."""
        return next((i for i, (text, _) in enumerate(self.lines) if text == line), None)

    def uses(self, *lines: str) -> bool:
        """Are all of these lines in it?"""
        return all(self.place(line) is not None for line in lines)

    def before(self, one: str, other: str) -> bool:
        """Are both in it, and the one above the other?"""
        a, b = self.place(one), self.place(other)
        return a is not None and b is not None and a < b

    def inside(self, one: str, other: str) -> bool:
        """Are both in it, and the one in the block that the other opens?"""
        a, b = self.place(one), self.place(other)
        if a is None or b is None or a <= b:
            return False
        return all(indent > self.lines[b][1] for _, indent in self.lines[b + 1 : a + 1])


@dataclass(frozen=True)
class Lines:
    """The lines of a puzzle as they are offered: shuffled, and numbered from 1."""

    texts: tuple[str, ...]
    strays: tuple[Stray, ...]
    deep: bool
    """Does indentation matter?"""

    @staticmethod
    def of(puzzle: Puzzle) -> Lines:
        """The lines of this puzzle; `ValueError` when there are too many, or the program is badly indented."""
        program = split(puzzle.program)
        texts = [text for text, _ in program] + [stray.line.strip() for stray in puzzle.strays]
        if len(texts) > MOST_LINES:
            raise ValueError(f"a puzzle has at most {MOST_LINES} lines")
        deep = any(indent for _, indent in program)
        return Lines(_shuffled(texts, [text for text, _ in program]), puzzle.strays, deep)

    def text(self, number: int) -> str:
        """The line of this number."""
        return self.texts[number - 1]

    def rest(self, placed: Placed) -> tuple[int, ...]:
        """The numbers of the lines that are not used."""
        used = {number for number, _ in placed}
        return tuple(number for number in range(1, len(self.texts) + 1) if number not in used)

    def arranged(self, placed: Placed) -> Arranged:
        """The program of this order."""
        return Arranged(tuple((self.text(number), indent) for number, indent in placed))

    def checked(self, order: object) -> Placed:
        """An order given in Python: numbers, or pairs of a number and its steps of indentation.

        Raises `BadOrder`, in words.
        """
        pairs: list[tuple[int, int]] = []
        for item in order if isinstance(order, (list, tuple)) else [order]:
            pair = tuple(item) if isinstance(item, (list, tuple)) else (item, 0)
            whole = len(pair) == 2 and all(type(n) is int for n in pair)
            if not whole or not 1 <= pair[0] <= len(self.texts):
                raise BadOrder(
                    f"an order is made of the numbers 1 to {len(self.texts)}, such as [2, 1, (3, 1)]."
                )
            if pair[0] in (number for number, _ in pairs):
                raise BadOrder(f"line {pair[0]} is there twice.")
            if not 0 <= pair[1] <= (DEEPEST if self.deep else 0):
                raise BadOrder(
                    f"a line is indented by 0 to {DEEPEST} steps."
                    if self.deep
                    else "no line is indented here."
                )
            pairs.append((pair[0], pair[1]))
        return tuple(pairs)

    def read(self, text: str) -> Placed:
        """An order as the browser sends it: `3:0 1:1`."""
        if not re.fullmatch(r"(?:[0-9]{1,2}:[0-9]{1,2}(?: |$)){0,40}", text):
            raise BadOrder("this is no order of lines.")
        return self.checked([tuple(map(int, pair.split(":"))) for pair in text.split()])

    def find(self, code: str) -> Placed:
        """The order that gives this program; `BadOrder` when a line is none of ours."""
        placed: list[tuple[int, int]] = []
        for text, indent in split(code):
            free = (n for n in self.rest(tuple(placed)) if self.text(n) == text)
            number = next(free, None)
            if number is None:
                raise BadOrder(f"there is no line `{text}`, or not so often.")
            placed.append((number, indent))
        return self.checked(placed)


def split(code: str) -> list[tuple[str, int]]:
    """The lines of a program with their steps of indentation; empty lines are left out.

    >>> split("for row in t:" + chr(10) + "    f(row)")
    [('for row in t:', 0), ('f(row)', 1)]
    """
    lines = []
    for line in code.split("\n"):
        text = line.strip()
        if text:
            spaces = len(line) - len(line.lstrip(" "))
            if spaces % len(_STEP):
                raise ValueError(f"`{text}` is indented by {spaces} spaces, which is no multiple of four")
            lines.append((text, spaces // len(_STEP)))
    return lines


def _shuffled(texts: Sequence[str], program: Sequence[str]) -> tuple[str, ...]:
    """In an order that looks random, never tells the answer, and is the same in every session."""

    def lot(turn: int, number: int) -> str:
        return hashlib.sha256(f"{turn} {number} {texts[number]}".encode("utf-8", "replace")).hexdigest()

    for turn in range(20):
        row = [texts[i] for i in sorted(range(len(texts)), key=lambda i: lot(turn, i))]
        if [text for text in row if text in program] != list(program):
            break
    return tuple(row)
