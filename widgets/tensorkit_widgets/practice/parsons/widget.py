"""`Parsons`: put the lines of a program in order; it is judged by running it.

>>> from tensorkit_widgets.practice.checking.checks import plain_check
>>> puzzle = Parsons("Make `u`, the column sums of `t`.", '''
... s = t.t()
... u = s.sum(1)
... ''', result="u", check=plain_check(lambda u: u.tolist() == [3, 5]), names={"t": tensorkit.arange(4).view(2, 2) + 0},
...     strays=[("s = t.view(2, 2)", "permute vs view", "That regroups the numbers, it does not turn them.")])
>>> puzzle.code = "s = t.view(2, 2)" + chr(10) + "u = s.sum(1)"
>>> puzzle.check().misconception
'permute vs view'
>>> puzzle.order = [number for number, line in puzzle.lines.items() if "view" not in line]
>>> puzzle.solved
False
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorkit
from tensorkit_widgets.practice.card import Card
from tensorkit_widgets.practice.catalogue import find_puzzle, full_name, is_name
from tensorkit_widgets.practice.checking.checks import Checker, plain_check
from tensorkit_widgets.practice.checking.known_errors import known_slip
from tensorkit_widgets.practice.facts import Answer, Note, Slip, Verdict
from tensorkit_widgets.practice.kinds import Puzzle, Stray
from tensorkit_widgets.practice.parsons.html import body, twin
from tensorkit_widgets.practice.parsons.program import Arranged, BadOrder, Lines, Placed
from tensorkit_widgets.practice.parsons.run import run

NOTHING_YET = "there is no line in your program yet."


class Parsons(Card):
    """Lines of a program to put in order; some may not belong. The program is run, and judged by what it makes.

    `Parsons("02.column_sums")`, or `Parsons("column_sums")` where one lesson alone has that name, is one of the
    lessons'. `Parsons(prompt, program, result=…, check=…)` is one of your own: `program` is a right one, `check`
    judges the value of the name `result` (a checker from `tensorkit_widgets.practice.checking.checks`, or any
    function of the value), `names` are what the program starts from, and `strays` are lines that do not belong, each
    alone or with the misconception's name and what to say. `slips` look at the order:
    `Slip(name, says, when=lambda answer, mine, base: answer.value.before("one line", "another"))`; see `Arranged`.

    The learner moves lines in the widget, or in Python: `puzzle.lines` are the lines by number,
    `puzzle.order = [3, 1, (2, 1)]` an order (a pair has its steps of indentation), `puzzle.code = "…"` a program
    of these lines. `puzzle.check()` runs it. `puzzle.hint()`, `puzzle.solution()`, `puzzle.solved`,
    `puzzle.attempts` and `puzzle.again()` are as in an `Exercise`.

    Raises `LookupError` for an unknown name.
    """

    kind = "parsons"
    label = "Lines to put in order"

    def __init__(
        self,
        prompt: str,
        program: str = "",
        *,
        result: str = "",
        check: Checker | Callable[[Any], Verdict | bool | str] | None = None,
        strays: Iterable[str | tuple[str, str, str]] = (),
        slips: Sequence[Slip] = (),
        hints: Sequence[str] = (),
        names: Mapping[str, Any] | None = None,
        base: str = "",
    ) -> None:
        named = prompt if program else full_name(prompt, "PUZZLES")
        if is_name(named):
            self._puzzle = find_puzzle(named)
        elif not program or check is None or not result:
            raise TypeError("a puzzle of your own needs a program, result= and check=")
        else:
            self._puzzle = Puzzle(
                prompt,
                "",
                prompt,
                program,
                result,
                check if isinstance(check, Checker) else plain_check(check),
                tuple(hints),
                tuple(_stray(stray) for stray in strays),
                tuple(slips),
                base,
                lambda _: dict(names or {}),
            )
        self._lines = Lines.of(self._puzzle)
        fresh = {
            "placed": (),
            "attempts": 0,
            "solved": False,
            "hints": 0,
            "solution": False,
            "verdict": None,
            "note": "",
        }
        super().__init__(named, fresh, _known(self._puzzle))

    def _settle(self) -> None:
        self._state["placed"] = self._lines.checked(self._state["placed"])

    @property
    def lines(self) -> dict[int, str]:
        """The lines that are offered, by the numbers that they go by."""
        return dict(enumerate(self._lines.texts, start=1))

    @property
    def order(self) -> tuple[int, ...]:
        """The numbers of the lines in the program, from the top."""
        return tuple(number for number, _ in self._placed)

    @order.setter
    def order(self, order: Sequence[int | tuple[int, int]]) -> None:
        self._place(self._lines.checked(order))

    @property
    def indents(self) -> tuple[int, ...]:
        """How many steps each line of the program is indented."""
        return tuple(indent for _, indent in self._placed)

    @property
    def code(self) -> str:
        """The program as it stands."""
        return self._lines.arranged(self._placed).code

    @code.setter
    def code(self, code: str) -> None:
        self._place(self._lines.find(code))

    @property
    def _placed(self) -> Placed:
        placed: Placed = self._state["placed"]
        return placed

    @property
    def solved(self) -> bool:
        """Was a right program checked?"""
        return bool(self._state["solved"])

    @property
    def attempts(self) -> int:
        """How many programs were judged, up to the first right one."""
        return int(self._state["attempts"])

    def check(self) -> Verdict:
        """Run the program as it stands, and judge what it makes."""
        placed = self._placed
        verdict = judge_program(self._puzzle, self._lines, placed)
        with self._guard:
            if verdict.correct is not None:
                self._remember(self._lines.arranged(placed).code, verdict)
                if not self.solved:
                    self._state["attempts"] += 1
                    self._state["solved"] = bool(verdict)
            self._state.update(verdict=verdict, note="")
            self._draw(f"{verdict.title}. {verdict.says}")
        return verdict

    def hint(self) -> Note:
        """The next hint; after the last one, the last again."""
        with self._guard:
            hints = self._puzzle.hints
            if not hints:
                return Note("There are no hints for this puzzle.")
            self._state["hints"] = min(self._state["hints"] + 1, len(hints))
            text = f"Hint {self._state['hints']} of {len(hints)}: {hints[self._state['hints'] - 1]}"
            self._draw(text)
            return Note(text)

    def solution(self) -> Note:
        """A right program. There may be others: what counts is what it makes."""
        with self._guard:
            self._state["solution"] = True
            self._draw("The solution is shown.")
            return Note("\n".join(f"    {line}" for line in self._puzzle.program.strip("\n").split("\n")))

    def _place(self, placed: Placed) -> None:
        with self._guard:
            if placed != self._placed:
                self._state.update(placed=placed, verdict=None)
            self._state["note"] = ""
            self._draw(self.announced, soon=True)  # the browser itself says where a line went

    def _ordered(self, text: str) -> None:
        """An order from the browser; what is none of ours changes nothing."""
        try:
            self._place(self._lines.read(text))
        except BadOrder as problem:
            with self._guard:
                self._state["note"] = str(problem)
                self._draw(str(problem))

    def _check_as(self, text: str) -> None:
        self._ordered(text)
        self.check()

    def _mood(self) -> str:
        verdict = self._state["verdict"]
        if verdict is None:
            return "right" if self.solved else "open"
        return {True: "right", False: "wrong", None: "open"}[verdict.correct]

    def _tally(self) -> str:
        tries = f"{self.attempts} attempt{'' if self.attempts == 1 else 's'}"
        if self.solved:
            return f"Solved in {tries}"
        return f"{tries} so far" if self.attempts else ""

    def _body(self, *, live: bool) -> str:
        return body(self._puzzle, self._lines, self._state, self._tally(), live=live)

    def _twin(self) -> str:
        return twin(self._puzzle, self._lines, self._state, self._tally())

    def _acts(self) -> Mapping[str, Callable[[str], object]]:
        return {
            "check": lambda _: self.check(),
            "order": self._ordered,
            "hint": lambda _: self.hint(),
            "solution": lambda _: self.solution(),
            "again": lambda _: self.again(),
        }


def judge_program(puzzle: Puzzle, lines: Lines, placed: Placed, tk: Any = tensorkit) -> Verdict:
    """Run the program of this order under `tk`, and judge what it makes.

    A program that does what it should is right, however its lines are ordered. One that does not is told which
    misconception is behind it: by a rule on its order, by a line that does not belong, by the check's own diagnosis,
    or by the error that it stops with.
    """
    if not placed:
        return Verdict(None, NOTHING_YET)
    arranged = lines.arranged(placed)
    ran = run(arranged.code, tk, puzzle.setup(tk) if puzzle.setup else {})
    if ran.error:
        verdict = Verdict(False, _stopped(arranged, ran.line, ran.error))
    elif puzzle.result not in ran.names:
        verdict = Verdict(False, f"your program runs, but never makes `{puzzle.result}`.")
    else:
        verdict = puzzle.check(Answer(ran.names[puzzle.result], ran.names.get(puzzle.base)))
        if verdict.correct is None:
            verdict = Verdict(False, verdict.says, verdict.misconception)
    if verdict:
        return verdict
    rule = next((slip for slip in puzzle.slips if slip.fits(Answer(arranged))), None)
    if rule:
        return rule.verdict()
    stray = next((s for s in puzzle.strays if s.says and arranged.uses(s.line)), None)
    if stray and not verdict.misconception:
        return Verdict(False, f"`{stray.line}`: {stray.says}", stray.misconception)
    known = known_slip(ran.raised) if ran.raised is not None else None
    if known and not verdict.misconception:
        where = f"your program stops at `{arranged.lines[ran.line - 1][0]}`: " if ran.line else ""
        return Verdict(False, f"{where}{known.says}", known.misconception)
    return verdict


def _stopped(arranged: Arranged, line: int, error: str) -> str:
    if not 1 <= line <= len(arranged.lines):
        return f"your program does not end well: {error}."
    return f"your program stops at `{arranged.lines[line - 1][0]}`: {error}."


def _known(puzzle: Puzzle) -> list[str]:
    strays = [stray.misconception for stray in puzzle.strays]
    return [*strays, *(slip.misconception for slip in puzzle.slips), *(name for _, name in puzzle.wrong)]


def _stray(given: str | tuple[str, str, str]) -> Stray:
    return Stray(given) if isinstance(given, str) else Stray(*given)
