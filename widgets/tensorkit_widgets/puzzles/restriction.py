"""A function to write under a rule: the cases that it is called on, what it may call, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tensorkit_widgets.practice.checking.functions import Case, alike, function_check, seen
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict
from tensorkit_widgets.puzzles.rules import Rule, Watch


@dataclass(frozen=True)
class Restriction:
    """A function to write under a rule, with the cases that it is called on.

    `par` is the fewest calls that we know of; `against` says what the engine's own does.
    """

    sitting: str
    name: str
    prompt: str
    rule: Rule
    cases: tuple[Case, ...]
    hints: tuple[str, ...]
    solution: str
    par: int
    against: str = ""
    slips: tuple[Slip, ...] = ()

    def watch(self, function: Callable[..., Any]) -> tuple[Watch, bool]:
        """Run it on one case after the other, up to the first that goes wrong; whether none did."""
        watch = Watch(self.rule)
        for case in self.cases:
            try:
                right = alike(seen(watch.run(function, case.arguments())), seen(case.returns))
            except Exception:
                right = False
            if not right:
                return watch, False
        return watch, True

    def judge(self, answer: Answer, watch: Watch, right: bool) -> Verdict:
        """First the rule, then what it gives; of a right one, what it costs."""
        if watch.broken is not None:
            return Verdict(False, f"{watch.broken}. Allowed here: {self.rule.words}.")
        if not right:
            return function_check(*self.cases, slips=self.slips)(answer)
        calls = len(watch.calls)
        best = "the fewest that we know" if calls == self.par else f"ours takes {self.par}"
        fewest = f"{self.par} are enough" if calls > self.par else best
        cost = f"{calls} call{'s' if calls != 1 else ''}: {fewest}. "
        cost += f"The largest tensor on the way has {watch.largest} elements ({watch.nbytes} bytes). {self.against}"
        return Verdict(True, cost.strip())
