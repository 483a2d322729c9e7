"""`Restricted`: a function to write with a few calls. A call too many is named with its line; a wrong try is drawn.

>>> Restricted("cumsum", record=False).check(lambda x: x.cumsum(0)).correct
False
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tensorkit_widgets.broadcast.widget import BroadcastExplorer
from tensorkit_widgets.practice.card import Card
from tensorkit_widgets.practice.checking.checks import Checker
from tensorkit_widgets.practice.exercise import FRESH, Exercise
from tensorkit_widgets.practice.facts import Answer, Verdict
from tensorkit_widgets.practice.kinds import Task
from tensorkit_widgets.puzzles.restrictions import find
from tensorkit_widgets.puzzles.rules import SIGNS, Watch
from tensorkit_widgets.puzzles.sitting import card_name
from tensorkit_widgets.widget.host import display


@dataclass(frozen=True, repr=False)
class Attempt(Verdict):
    """A verdict with the picture of what the learner's own line did."""

    picture: Any = field(default=None, compare=False)

    def _ipython_display_(self, **_options: Any) -> None:
        display({"text/plain": repr(self), "text/html": self._repr_html_()})
        if self.picture is not None:
            self.picture._ipython_display_()


class Restricted(Exercise):
    """A function to write under a rule: `Restricted("cumsum")`. Its `check(function)` judges what it does, and how.

    A call that the rule forbids is named, with its line. Of a wrong try the last place where two tensors met is drawn,
    on the first case that goes wrong.

    Raises `LookupError` for an unknown name.
    """

    def __init__(self, name: str, *, record: bool = True) -> None:
        self.recorded = record
        self.restriction = one = find(name)
        prompt = f"{one.prompt}\n\nAllowed: {one.rule.words}."
        self._watch: Watch | None = None
        self._task = Task(name, name, prompt, Checker(self._judge), one.hints, one.solution)
        Card.__init__(self, card_name(one.sitting, name), FRESH, (slip.misconception for slip in one.slips))

    def check(self, value: object = ..., base: object = None) -> Verdict:
        """Judge a function; `...` is nothing to judge yet."""
        self._watch = None
        verdict = super().check(value, base)
        if verdict.correct is not False or self._watch is None:
            return verdict
        return Attempt(verdict.correct, verdict.says, verdict.misconception, _drawn(self._watch))

    def _judge(self, answer: Answer) -> Verdict:
        if not callable(answer.value):
            return Verdict(None, "give the function itself, without calling it.")
        watch, right = self.restriction.watch(answer.value)
        self._watch = watch
        return self.restriction.judge(answer, watch, right)


def _drawn(watch: Watch) -> Any:
    """The learner's own expression, where two tensors met in it."""
    met = watch.meeting()
    if met is None:
        return None
    called, names = met
    left, right = called.args[:2]
    try:
        return BroadcastExplorer(left, right, SIGNS[called.name], names=names).run()
    except (TypeError, ValueError):
        return None
