"""Checking a function by what it does on several cases, and knowing a misconception by what it would do there.

>>> check = function_check(
...     Case("of three equal numbers", lambda: (tk.full((3,), 2.0),), 2.0),
...     Case("of 1, 2 and 6", lambda: (tk.tensor([1.0, 2.0, 6.0]),), 3.0),
...     slips=[Slip("a value is not a gradient", "that is the sum.", behaves=lambda t: t.sum())])
>>> check(Answer(lambda t: t.mean()))
Right.
>>> check(Answer(lambda t: t.sum().item()))
Not yet: that is the sum.
(a value is not a gradient)
>>> check(Answer(lambda t: t.max()))
Not yet: of 1, 2 and 6: it should give 3.0, yours gave `tensor(6.)`.
>>> function_check(Case("of two", lambda: (2,), tk.zeros(2)))(Answer(lambda n: [0.0] * n))
Not yet: of two: it should give one tensor; yours gave a list of 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tensorkit_widgets.practice.checking.checks import BLANK, Checker
from tensorkit_widgets.practice.checking.known_errors import known_slip
from tensorkit_widgets.practice.checking.time_limit import Stopped
from tensorkit_widgets.practice.facts import Answer, Slip, Unreadable, Verdict, is_tensor, read
from tensorkit_widgets.practice.markup import quoted, shown, told

Function = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """One call of the learner's function: what it is called with, and what should come back.

    `arguments()` makes them fresh for every call. Where it is not the returned value that counts, `looks` takes the
    arguments and the returned value after the call, and gives what is compared with `returns`; `tells` makes a
    sentence of what was seen instead.
    """

    says: str
    arguments: Callable[[], tuple[object, ...]]
    returns: object
    looks: Callable[[tuple[Any, ...], Any], object] | None = None
    tells: Callable[[Any], str] | None = None


@dataclass(frozen=True)
class _Outcome:
    """What came of one call: an error, or what was seen after it."""

    got: object = None
    seen: object = None
    problem: str = ""
    error: Exception | None = None

    def like(self, other: _Outcome) -> bool:
        if self.error is not None or other.error is not None:
            return type(self.error) is type(other.error)
        return self.problem == other.problem and alike(self.seen, other.seen)

    def right(self, case: Case) -> bool:
        return self.error is None and not self.problem and alike(self.seen, seen(case.returns))


def function_check(*cases: Case, slips: Iterable[Slip] = ()) -> Checker:
    """Check a function by calling it on all cases.

    A wrong one is told the slip whose `behaves`, the function that somebody with the misconception would write, does
    the same on **every** case. Where none does, the error that it stops with, or the first case that goes wrong,
    explains itself.
    """
    known = tuple(slips)

    def check(answer: Answer) -> Verdict:
        function = answer.value
        if not callable(function):
            return Verdict(None, f"{quoted(function)} is not a function: give its name, without calling it.")
        mine = []
        for case in cases:
            mine.append(_called(function, case))
            if mine[-1].got is Ellipsis:
                return Verdict(None, BLANK)
        if all(outcome.right(case) for outcome, case in zip(mine, cases, strict=True)):
            return Verdict(True)

        def does_as(other: Function) -> bool:
            return all(_called(other, case).like(one) for one, case in zip(mine, cases, strict=True))

        slip = next((slip for slip in known if slip.fits(Answer(function, answer.base, does_as))), None)
        return slip.verdict() if slip else _first_fault(mine, cases)

    return Checker(check, known)


def _called(function: Function, case: Case) -> _Outcome:
    arguments = case.arguments()
    try:
        got = function(*arguments)
    except Stopped as stopped:
        stopped.where = stopped.where or case.says
        raise
    except Exception as error:
        return _Outcome(error=error)
    if got is Ellipsis:
        return _Outcome(got)
    try:
        return _Outcome(got, seen(got) if case.looks is None else case.looks(arguments, got))
    except Unreadable as problem:
        return _Outcome(got, problem=str(problem))


def _first_fault(mine: list[_Outcome], cases: tuple[Case, ...]) -> Verdict:
    outcome, case = next(pair for pair in zip(mine, cases, strict=True) if not pair[0].right(pair[1]))
    if outcome.error is not None:
        slip = known_slip(outcome.error)
        if slip is not None:
            return Verdict(False, f"{case.says}: {slip.says}", slip.misconception)
        return Verdict(False, f"{case.says}: your function stopped with {told(outcome.error)}.")
    if outcome.got is None and (case.looks is None or outcome.problem):
        return Verdict(False, f"{case.says}: your function returned nothing. Is a `return` missing?")
    if outcome.problem:
        return Verdict(False, f"{case.says}: {outcome.problem}")
    if case.tells is not None:
        return Verdict(False, f"{case.says}: {case.tells(outcome.seen)}")
    if is_tensor(case.returns) and isinstance(outcome.got, (list, tuple)):
        kind = type(outcome.got).__name__
        return Verdict(
            False, f"{case.says}: it should give one tensor; yours gave a {kind} of {len(outcome.got)}."
        )
    return Verdict(
        False, f"{case.says}: it should give {shown(case.returns)}, yours gave {quoted(outcome.got)}."
    )


def computed_check(want: Callable[[Any], Any], slips: Iterable[Slip] = ()) -> Checker:
    """Check what was computed from the base, within rounding.

    A wrong answer is told the slip whose `behaves` makes the same of the base.

    >>> total = Slip("a value is not a gradient", "that is the sum.", behaves=lambda t: t.sum())
    >>> check = computed_check(lambda t: t.mean(), slips=[total])
    >>> check(Answer(2.5, tk.arange(6.0)))
    Right.
    >>> check(Answer(15.0, tk.arange(6.0)))
    Not yet: that is the sum.
    (a value is not a gradient)
    """
    known = tuple(slips)

    def check(answer: Answer) -> Verdict:
        if answer.base is None:
            return Verdict(None, "give me the tensor that you started from as well: `check(answer, base=t)`.")
        wanted: Any = seen(want(answer.base))
        mine = seen(answer.value)
        if alike(mine, wanted):
            return Verdict(True)

        def does_as(make: Function) -> bool:
            try:
                return alike(mine, seen(make(answer.base)))
            except Exception:
                return False

        facts = read(answer.value) if isinstance(wanted, tuple) else None
        tried = Answer(answer.value, answer.base, does_as)
        slip = next((slip for slip in known if slip.fits(tried, facts)), None)
        if slip is not None:
            return slip.verdict()
        if facts is not None and facts.size != wanted[1]:
            return Verdict(False, f"the size is {facts.size}; it should be {wanted[1]}.")
        return Verdict(
            False,
            "the size is right, the numbers are not." if facts else f"{quoted(answer.value)} is not it.",
        )

    return Checker(check, known)


def seen(value: Any) -> object:
    """A value as it is compared: a tensor by size and numbers, a tensor of no dimensions as its number.

    >>> seen(tk.tensor(2)), seen(tk.tensor([True])), seen((1, 2))
    (2, ('tensor', (1,), (True,)), (1, 2))
    """
    if is_tensor(value):
        facts = read(value)
        return facts.values[0] if facts.size == () else ("tensor", facts.size, facts.values)
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        plain = value.tolist()
        return ("array", tuple(value.shape), _flat(plain)) if isinstance(plain, list) else plain
    if isinstance(value, (tuple, list)):
        return tuple(map(seen, value))
    return value


def _flat(values: Any) -> tuple[Any, ...]:
    return tuple(x for v in values for x in _flat(v)) if isinstance(values, list) else (values,)


def alike(one: Any, other: Any) -> bool:
    """Equal, with True no number, nan like nan, and floats as near as float32 brings them.

    >>> alike((1, 0.1 + 0.2), (1, 0.3)), alike(1, True)
    (True, False)
    """
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return one == other or math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-6)
    return type(one) is type(other) and bool(one == other)
