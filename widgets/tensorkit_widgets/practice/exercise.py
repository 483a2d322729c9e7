"""`Exercise`: write Python in a cell, have it judged by what it does, and be told which slip it was.

>>> ex = Exercise("03.transpose_by_hand")
>>> t = tk.arange(12.).view(3, 4)
>>> ex.check(t.view(4, 3), base=t).misconception
'permute vs view'
>>> ex.check(t.as_strided((4, 3), (1, 4)), base=t).correct, ex.solved, ex.attempts
(True, True, 2)
>>> ex.again()
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tensorkit_widgets.practice.card import Card, button, entry_box, verdict_part
from tensorkit_widgets.practice.catalogue import Task, find_task, is_name
from tensorkit_widgets.practice.checking.checks import Checker, plain_check
from tensorkit_widgets.practice.facts import Answer, Note, Verdict
from tensorkit_widgets.practice.markup import escape, markup, plain
from tensorkit_widgets.practice.session_log import told_answer

FRESH: Mapping[str, Any] = {
    "attempts": 0, "solved": False, "hints": 0, "solution": False, "verdict": None,
}  # fmt: skip
"""How an exercise begins."""

_NOTHING = object()
"""No answer at all: `None` and `...` may be answers."""

_STAGES = {
    "worked": "Exercise · worked example first",
    "faded": "Exercise · with a start given",
    "free": "Exercise · on your own",
    "reverse": "Exercise · backwards",
}


class Exercise(Card):
    """An exercise with a check that diagnoses, hints in three steps, and a solution hidden until asked for.

    `Exercise("03.transpose_by_hand")` is one of the lessons'. `Exercise(prompt, check=…)` is your own:
    `check` is a checker from `tensorkit_widgets.practice.checking.checks`, or any function of the value that gives a
    `Verdict`, a bool, or what is wrong ('' if nothing). `entry` is an example answer for a box to type in.

    `ex.check(value, base=t)` judges a value, `t` being the tensor that you started from. `ex.hint()` gives
    the next hint, `ex.solution()` the solution; `ex.solved` and `ex.attempts` say how it stands. All of it is
    kept by name, so running the cell again loses nothing; `ex.again()` starts again. With `record=False` nothing is
    kept, and `progress()` does not tell of it: for showing how a card works.

    Raises `LookupError` for an unknown name.
    """

    kind = "exercise"
    label = "Exercise"

    def __init__(
        self,
        prompt: str,
        *,
        check: Checker | Callable[[Any], Verdict | bool | str] | None = None,
        hints: Sequence[str] = (),
        solution: str = "",
        entry: str = "",
        record: bool = True,
    ) -> None:
        self.recorded = record
        if is_name(prompt):
            self._task = find_task(prompt)
        elif check is None:
            raise TypeError("an exercise of your own needs check=, a function of the answer")
        else:
            checker = check if isinstance(check, Checker) else plain_check(check)
            self._task = Task(prompt, "", prompt, checker, tuple(hints), solution, entry=entry)
        super().__init__(prompt, FRESH, (name for _, name in self._task.wrong))

    @property
    def solved(self) -> bool:
        """Was a right answer given?"""
        return bool(self._state["solved"])

    @property
    def attempts(self) -> int:
        """How many answers were judged, up to the first right one."""
        return int(self._state["attempts"])

    def check(self, value: object = _NOTHING, base: object = None) -> Verdict:
        """Judge `value`; `base` is the tensor that the exercise started from, where one is needed.

        A function is called, and one that runs for longer than 10 seconds is stopped.
        """
        if value is _NOTHING:
            verdict = Verdict(None, f"nothing to judge yet. {self._where()}")
        else:
            verdict = self._task.check(Answer(value, base))
        with self._guard:
            if verdict.correct is not None:
                self._count(verdict, value)
        return verdict

    def _count(self, verdict: Verdict, value: object) -> None:
        if verdict.correct is not None:
            self._remember(told_answer(value), verdict)
        if verdict.correct is not None and not self.solved:
            self._state["attempts"] += 1
            self._state["solved"] = bool(verdict)
        self._state["verdict"] = verdict
        self._draw(f"{verdict.title}. {verdict.says}")

    def _where(self) -> str:
        """Where an answer goes."""
        if self._task.entry:
            return "Type your answer into the box, or give it in brackets: `check(…)`."
        return "Give your answer in the brackets of `check(…)`."

    def _typed(self, text: str) -> None:
        """An answer from the box; there, what cannot be judged is said on the card."""
        blank = Verdict(None, "nothing to judge yet. Type your answer into the box first.")
        with self._guard:
            self._count(self._task.check(Answer(text)) if text.strip() else blank, text)

    def hint(self) -> Note:
        """The next hint; after the last one, the last again."""
        with self._guard:
            hints = self._task.hints
            if not hints:
                return Note("There are no hints for this exercise.")
            self._state["hints"] = min(self._state["hints"] + 1, len(hints))
            text = f"Hint {self._state['hints']} of {len(hints)}: {hints[self._state['hints'] - 1]}"
            self._draw(text)
            return Note(text)

    def solution(self) -> Note:
        """A solution. There are others: the check knows them all."""
        with self._guard:
            if not self._task.solution:
                return Note("There is no written solution for this exercise.")
            self._state["solution"] = True
            self._draw("The solution is shown.")
            return Note(_as_code(self._task.solution))

    def _mood(self) -> str:
        verdict = self._state["verdict"]
        if verdict is None or verdict.correct is None:
            return "right" if self.solved else "open"
        return "right" if verdict.correct else "wrong"

    def _body(self, *, live: bool) -> str:
        task, state = self._task, self._state
        title = f" <span>{escape(task.title)}</span>" if task.title else ""
        parts = [
            f'<p class="tk-eyebrow"><strong>{_STAGES[task.stage]}</strong>{title}</p>',
            markup(task.prompt),
        ]
        if live and task.entry:
            box = entry_box("Your answer", f"for example {task.entry}")
            parts.append(f'<div class="tk-row">{box}{button("check", "Check")}</div>')
        if state["verdict"] is not None:
            parts.append(verdict_part(state["verdict"]))
        if state["hints"]:
            items = "".join(f"<li>{markup(hint)[3:-4]}</li>" for hint in task.hints[: state["hints"]])
            parts.append(f'<p class="tk-sub">Hints</p><ol class="tk-hints">{items}</ol>')
        if state["solution"]:
            parts.append(f'<p class="tk-sub">A solution</p>{markup(_as_code(task.solution))}')
        parts.append(self._foot(live))
        return "".join(parts)

    def _foot(self, live: bool) -> str:
        task, state = self._task, self._state
        buttons = ""
        if live and state["hints"] < len(task.hints):
            buttons += button("hint", f"Hint {state['hints'] + 1} of {len(task.hints)}", quiet=True)
        if live and task.solution and not state["solution"]:
            buttons += button("solution", "Show a solution", quiet=True)
        tally = f'<span class="tk-tally">{self._tally()}</span>' if self._tally() else ""
        return f'<div class="tk-row">{buttons}{tally}</div>' if buttons or tally else ""

    def _tally(self) -> str:
        tries = f"{self.attempts} attempt{'' if self.attempts == 1 else 's'}"
        if self.solved:
            return f"Solved in {tries}"
        return f"{tries} so far" if self.attempts else ""

    def _twin(self) -> str:
        task, state = self._task, self._state
        lines = [f"{_STAGES[task.stage]}: {plain(task.title or task.prompt)}"]
        lines += [plain(task.prompt)] if task.title else []
        lines += [f"{state['verdict']!r}"] if state["verdict"] is not None else []
        lines += [f"Hint {i + 1}: {plain(hint)}" for i, hint in enumerate(task.hints[: state["hints"]])]
        lines += ["A solution:", _as_code(task.solution)] if state["solution"] else []
        lines += [self._tally()] if self._tally() else []
        return "\n".join(lines)

    def _acts(self) -> Mapping[str, Callable[[str], object]]:
        acts: dict[str, Callable[[str], object]] = {
            "hint": lambda _: self.hint(),
            "solution": lambda _: self.solution(),
            "again": lambda _: self.again(),
        }
        if self._task.entry:
            acts["check"] = self._typed
        return acts


def _as_code(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.strip("\n").split("\n"))
