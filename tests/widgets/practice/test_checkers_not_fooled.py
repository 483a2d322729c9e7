"""No checker of the lessons takes for right what is not an answer, and nothing that is given to a card comes back out.

Each exercise gets constants, garbage, functions that raise, that return a constant or never end, an error in place of
a value, an empty tensor, and, where the order of an answer counts, the right parts of it in another order. One of
these may be right only where one of the exercise's own solutions is that very value.
"""

from __future__ import annotations

import gc
import inspect
import itertools
import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import tensorkit
from tensorkit_widgets.practice.catalogue import Task
from tensorkit_widgets.practice.checking import time_limit
from tensorkit_widgets.practice.checking.checks import Checker, number_check, plain_check, tuple_check
from tensorkit_widgets.practice.checking.checks_autograd import letters_check
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.checking.typed import numbers_in, word_in
from tensorkit_widgets.practice.exercise import Exercise
from tensorkit_widgets.practice.facts import Slip, Verdict
from tests.widgets.practice.test_lessons import TASKS, _start
from tests.widgets.practice_helpers import blank_memory

__all__ = ["blank_memory"]  # a fixture

LONG = "a very long answer " * 20_000
SHORT_S = 0.05
LONGEST_WAIT_S = 30.0

CONSTANTS: tuple[Any, ...] = (0, 1, "", None, True, False, 0.0, 1.0, "0", "1", (), (0,), (1, 1))


def garbage() -> list[Any]:
    """Values that answer nothing, fresh ones: a check may write into them."""
    return [
        object(),
        ["several", "words"],
        [],
        {},
        math.nan,
        math.inf,
        LONG,
        b"bytes",
        ValueError("an error is not an answer"),
        ValueError,
        Verdict(True),
        tensorkit.zeros(0),
        tensorkit.tensor(math.nan),
        iter([1, 2]),
    ]


def refuses(*_: Any, **__: Any) -> Any:
    raise ValueError("this function refuses everything")


def ends_the_program(*_: Any, **__: Any) -> Any:
    raise SystemExit(3)


def calls_itself(*given: Any, **named: Any) -> Any:
    return calls_itself(*given, **named)


def never_ends(*_: Any, **__: Any) -> Any:
    while True:
        pass


def constant(value: object) -> Callable[..., Any]:
    return lambda *_, **__: value


def for_any_arguments() -> list[Callable[..., Any]]:
    """Functions that do not do what any exercise is about."""
    errors = [refuses, ends_the_program, calls_itself]
    values = [*CONSTANTS, *garbage()]
    return [*errors, *(constant(value) for value in values)]


@contextmanager
def no_collection() -> Iterator[None]:
    """No collection of garbage meanwhile.

    `calls_itself` fills the whole stack. Python may collect there what earlier tests left behind, and the finalizers
    of that (llvmlite's, say) find no room left to run: they would fail a test that has nothing to do with them.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Card:
    """An exercise's card as a learner uses it: `Exercise.check`, and the box where there is one."""

    def __init__(self, name: str, task: Task) -> None:
        self.name, self.task = name, task
        self.card = Exercise(name, record=False)

    def judged(self, value: object) -> Verdict:
        with no_collection():
            return self.card.check(value, base=_start(self.task, tensorkit))

    def fooled_by(self, values: list[Any]) -> list[str]:
        """Those that are judged right, and are not."""
        return [
            told(value) for value in values if self.judged(value).correct and not is_right(self.task, value)
        ]


def told(value: object) -> str:
    return f"{type(value).__name__} {value!r}"[:80]


def is_right(task: Task, value: object) -> bool:
    """Is this very value one of the exercise's own solutions, up to the ways in which an answer may be typed?"""
    t = _start(task, tensorkit)
    solutions = [solve(tensorkit, t) for solve in task.right]
    return any(same_answer(value, solution) for solution in solutions)


def same_answer(one: object, other: object) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float, str, tuple, list)) and isinstance(other, (int, float, str, tuple, list)):
        numbers = numbers_in(one)
        return numbers == numbers_in(other) if numbers is not None else word_in(one) == word_in(other)
    return False


@contextmanager
def quickly(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stop what does not end after a moment instead of ten seconds."""
    with monkeypatch.context() as patch:
        patch.setattr(time_limit, "LONGEST_S", SHORT_S)
        yield


def takes_a_function(task: Task) -> bool:
    """Does the exercise ask for a function (or a kernel), and call it?"""
    return "def " in task.solution


each_task = pytest.mark.parametrize(("name", "task"), TASKS.items(), ids=TASKS)
BOXES = {name: task for name, task in TASKS.items() if task.entry}
each_box = pytest.mark.parametrize(("name", "task"), BOXES.items(), ids=BOXES)
each_function = pytest.mark.parametrize(
    ("name", "task"),
    [pair for pair in TASKS.items() if takes_a_function(pair[1])],
    ids=[name for name, task in TASKS.items() if takes_a_function(task)],
)


@each_task
def test_a_constant_is_no_answer(name: str, task: Task, blank_memory: None) -> None:
    assert Card(name, task).fooled_by([*CONSTANTS]) == []


@each_task
def test_garbage_is_no_answer(name: str, task: Task, blank_memory: None) -> None:
    assert Card(name, task).fooled_by(garbage()) == []


@each_task
def test_a_function_that_does_something_else_is_no_answer(name: str, task: Task, blank_memory: None) -> None:
    assert Card(name, task).fooled_by(for_any_arguments()) == []


@pytest.mark.parametrize(
    ("name", "task"),
    [(name, task) for name, task in TASKS.items() if takes_a_function(task)],
    ids=[name for name, task in TASKS.items() if takes_a_function(task)],
)
def test_what_is_right_once_is_not_right_always(name: str, task: Task, blank_memory: None) -> None:
    """A function that gives, whatever it is called with, what the right one gave in one of the cases."""
    card = Card(name, task)
    fooling = [value for value in returned(card) if card.judged(constant(value)).correct]
    assert [told(value) for value in fooling] == []


def returned(card: Card) -> list[object]:
    """What a right function returns in the cases of its check; nothing where it cannot be watched, such as a kernel."""
    seen: list[object] = []
    right: Any = card.task.right[0](tensorkit, _start(card.task, tensorkit))

    def watched(*given: Any, **named: Any) -> Any:
        seen.append(right(*given, **named))
        return seen[-1]

    return seen if card.judged(watched).correct else []


@each_box
def test_what_is_typed_into_the_box_is_judged_too(name: str, task: Task, blank_memory: None) -> None:
    """The box knows text alone."""
    card = Card(name, task)
    for text in (
        "",
        "0",
        "1",
        "True",
        "None",
        "nan",
        "((((",
        "()",
        "1e999",
        LONG,
        "<b>bold</b>",
        "lambda: 0",
    ):
        card.card.again()
        card.card._typed(text)
        assert not card.card.solved or is_right(task, text), text
        assert card.card.html


@each_function
def test_a_function_that_never_ends_is_stopped(
    name: str, task: Task, blank_memory: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = time.monotonic()
    with quickly(monkeypatch):
        verdict = Card(name, task).judged(never_ends)
    assert verdict.correct is False, repr(verdict)
    assert "still running" in verdict.says
    assert time.monotonic() - began < LONGEST_WAIT_S


# ------------------------------------------------------------------ the right parts in another order


def made_by(check: Checker) -> str:
    """Which function made a checker: `letters_check`, `tuple_check` …"""
    return check.judge.__qualname__.partition(".")[0]


def letters_of(task: Task) -> str:
    """The letters of an answer that is a row of letters; '' for any other."""
    t = _start(task, tensorkit)
    for text in (value for solve in task.right if isinstance(value := solve(tensorkit, t), str)):
        parts = [part for part in re.split(r"[\s,.;]+", text.upper()) if part and part != "AND"]
        if parts and all(re.fullmatch("[A-H]+|[A-Z]", part) for part in parts):
            return "".join(parts)
    return ""


LETTERS = {name: row for name, task in TASKS.items() if len(row := letters_of(task)) > 1}
CHOSEN = {name: row for name, row in LETTERS.items() if made_by(TASKS[name].check) == "letters_check"}
ORDERED = {name: row for name, row in LETTERS.items() if name not in CHOSEN}
LAYOUTS = {name: task for name, task in TASKS.items() if made_by(task.check) == "layout_check"}
ROWS = {name: task for name, task in TASKS.items() if made_by(task.check) == "tuple_check"}


@pytest.mark.parametrize("name", ORDERED)
def test_the_right_letters_in_another_order_are_wrong(name: str, blank_memory: None) -> None:
    row, card = ORDERED[name], Card(name, TASKS[name])
    orders = set(itertools.islice(itertools.permutations(row), 200))
    right = [order for order in orders if card.judged(" ".join(order)).correct]
    assert right == [tuple(row)]


@pytest.mark.parametrize("name", CHOSEN)
def test_other_letters_than_the_right_ones_are_wrong(name: str, blank_memory: None) -> None:
    """All of the right letters and no more; where the order counts, they are right in no other."""
    row, card = CHOSEN[name], Card(name, TASKS[name])
    known = inspect.getclosurevars(TASKS[name].check.judge).nonlocals["says"]
    ordered = inspect.getclosurevars(TASKS[name].check.judge).nonlocals["ordered"]
    choose = itertools.permutations if ordered else itertools.combinations
    choices = [letters for n in range(1, len(known) + 1) for letters in choose(known, n)]
    right = [letters for letters in choices if card.judged(" ".join(letters)).correct]
    assert list(map("".join, right)) == [
        "".join(row if ordered else [letter for letter in known if letter in row])
    ]


@pytest.mark.parametrize("name", ROWS)
def test_the_right_numbers_in_another_order_are_wrong(name: str, blank_memory: None) -> None:
    task = TASKS[name]
    card = Card(name, task)
    solutions = [
        numbers for solve in task.right if (numbers := numbers_in(solve(tensorkit, _start(task, tensorkit))))
    ]
    assert solutions
    (right,) = set(solutions)
    for other in set(itertools.permutations(right)) - {right}:
        assert card.judged(other).correct is False, other
        assert card.judged(str(other)).correct is False, other
    for longer in ((*right, right[-1]), (1, *right), right[:-1]):
        assert not card.judged(longer).correct, longer


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_with_its_rows_changed_over_is_wrong(name: str, blank_memory: None) -> None:
    task = TASKS[name]
    card, t = Card(name, task), _start(task, tensorkit)
    solutions = [value for solve in task.right if isinstance(value := solve(tensorkit, t), tuple)]
    assert solutions
    for size, stride, *offset in solutions:
        others = [(stride, size, *offset), (size[::-1], stride, *offset), (size, stride[::-1], *offset)]
        for other in [one for one in others if one != (size, stride, *offset)]:
            assert card.judged(other).correct is False, other
            assert card.judged(str(other)).correct is False, other


# ------------------------------------------------------------------ a checker that is fooled would be seen


def a_task(check: Checker, *right: object) -> Task:
    solves = tuple((lambda _tk, _t, value=value: value) for value in right)
    return Task("made_up", "Made up", "What?", check, (), "def answer(): ...", right=solves)


def fooled(check: Checker, values: list[Any], *right: object) -> list[str]:
    task = a_task(check, *right)
    card = Card.__new__(Card)
    card.name, card.task, card.card = "made up", task, Exercise("What?", check=check, record=False)
    return card.fooled_by(values)


def test_a_checker_that_can_be_fooled_is_found(blank_memory: None) -> None:
    assert fooled(plain_check(lambda value: not value), [*CONSTANTS])
    assert fooled(plain_check(lambda value: bool(callable(value))), for_any_arguments())
    assert fooled(plain_check(lambda value: value != 3), garbage())


def test_a_right_solution_may_be_a_constant(blank_memory: None) -> None:
    assert fooled(number_check(1), [*CONSTANTS], 1) == []
    assert fooled(number_check(1), [*CONSTANTS], 2)


def test_a_check_that_lets_an_error_pass_is_found(blank_memory: None) -> None:
    """`Checker` turns errors into sentences: nothing else does."""

    def judge(*_: Any) -> Verdict:
        raise KeyError("out of the card")

    with pytest.raises(KeyError):
        judge(0)
    assert fooled(Checker(judge), [*CONSTANTS, *garbage()]) == []


def test_a_check_of_one_case_alone_is_found(blank_memory: None) -> None:
    check = function_check(Case("of one", lambda: (1,), 2))
    card = Card.__new__(Card)
    card.name, card.task = "made up", a_task(check, lambda n: n + 1)
    card.card = Exercise("What?", check=check, record=False)
    assert returned(card) == [2]
    assert card.judged(constant(2)).correct


def test_what_never_ends_is_stopped_as_the_lessons_do(
    blank_memory: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = function_check(Case("of one", lambda: (1,), 2))
    with quickly(monkeypatch):
        verdict = Exercise("What?", check=check, record=False).check(never_ends)
    assert "of one: it was still running" in verdict.says


def test_the_order_counts_where_it_should() -> None:
    assert ORDERED
    assert CHOSEN
    assert ROWS
    assert LAYOUTS
    judged_by_letters = {name for name, task in TASKS.items() if made_by(task.check) == "letters_check"}
    assert judged_by_letters == set(CHOSEN)
    assert made_by(tuple_check(1, 2)) == "tuple_check"
    assert made_by(letters_check("A", {"A": Slip("", "no.", given="A")})) == "letters_check"
