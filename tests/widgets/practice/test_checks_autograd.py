"""The checkers of autograd: they run the learner's function on leaves of the learner's own library."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets.practice.checking.checks import tensor_check
from tensorkit_widgets.practice.checking.checks_autograd import (
    Leaf,
    gives,
    gradient,
    letters_check,
    numbers_of,
    tracked_check,
    trial_check,
)
from tensorkit_widgets.practice.facts import Answer, Slip, Verdict
from tests.torch_oracle import require_torch

BASE = tk.zeros(2, requires_grad=True)


def doubled(function: Callable[..., Any], leaf: Leaf) -> Verdict | None:
    x = leaf(1.0, 2.0)
    function(x).sum().backward()
    return None if gradient(x) == (2.0, 2.0) else Verdict(False, f"the gradient is {gradient(x)}.")


@pytest.mark.parametrize("library", ["tensorkit", pytest.param("torch", marks=pytest.mark.parity)])
def test_leaves_are_of_the_library_of_the_base(library: str) -> None:
    module: Any = tk if library == "tensorkit" else require_torch()
    seen: list[Any] = []

    def function(x: Any) -> Any:
        seen.append(x)
        return x * 2

    assert trial_check(doubled)(Answer(function, module.zeros(2, requires_grad=True)))
    (leaf,) = seen
    assert isinstance(leaf, module.Tensor)
    assert leaf.is_leaf
    assert leaf.requires_grad


def test_what_a_function_raises_is_told_and_a_known_error_is_explained() -> None:
    known = {"leaf Variable": Slip("in-place on a leaf", "look away first.", given="")}

    def written(x: Any) -> Any:
        x += 1
        return x

    assert trial_check(doubled, errors=known)(Answer(written, BASE)).misconception == "in-place on a leaf"
    told = trial_check(doubled)(Answer(written, BASE))
    assert told.correct is False
    assert "a leaf Variable that requires grad" in told.says


def test_a_blank_is_not_judged_unless_all_is_well_beside_it() -> None:
    def blank(x: Any) -> Any:
        return ...

    def watches(function: Callable[..., Any], leaf: Leaf) -> Verdict | None:
        function(leaf(1.0))
        return None

    verdict = trial_check(lambda function, leaf: Verdict(function(leaf(1.0)) is None, "no."))(
        Answer(blank, BASE)
    )
    assert verdict.correct is None
    assert trial_check(watches)(Answer(blank, BASE)).correct is True


def test_without_a_function_or_a_base_there_is_nothing_to_judge() -> None:
    check = trial_check(doubled)
    assert check(Answer(3, BASE)).correct is None
    assert "base=x" in check(Answer(lambda x: x * 2)).says


def test_warnings_of_a_trial_stay_in_it() -> None:
    def warned(x: Any) -> Any:
        warnings.warn("of no use here", UserWarning, stacklevel=1)
        return x * 2

    assert trial_check(doubled)(Answer(warned, BASE))


def test_a_tensor_is_asked_for_its_history_after_its_numbers() -> None:
    check = tracked_check(
        tensor_check(size=(2,), values=(0.0, 0.0)),
        requires_grad=False,
        slip=Slip("detach vs clone", "it has a history.", given=""),
    )
    assert check(Answer(BASE.detach()))
    assert check(Answer(BASE.clone())).misconception == "detach vs clone"
    assert "element [0]" in check(Answer(tk.ones(2))).says


@pytest.mark.parametrize("chosen", ["AC", "c, a", "A and C", ["C", "A"], {"A", "C"}, " a;c. "])
def test_letters_in_any_order(chosen: object) -> None:
    check = letters_check("AC", {letter: Slip("", f"think of {letter}.", given=letter) for letter in "ABC"})
    assert check(Answer(chosen)).correct is True


@pytest.mark.parametrize(("chosen", "says"), [("A", "C"), ("ABC", "B"), ("B", "A")])
def test_the_first_wrong_letter_is_named(chosen: str, says: str) -> None:
    check = letters_check("AC", {letter: Slip("", f"think of {letter}.", given=letter) for letter in "ABC"})
    assert check(Answer(chosen)).says == f"think of {says}."


@pytest.mark.parametrize("junk", ["", "AX", 3, ["A", 3], "A" * 1000, None])
def test_what_is_no_letter_is_not_judged(junk: object) -> None:
    check = letters_check("AC", {letter: Slip("", f"think of {letter}.", given=letter) for letter in "ABC"})
    assert check(Answer(junk)).correct is None


def test_numbers_and_gradients() -> None:
    x = tk.arange(2.0).requires_grad_()
    assert gradient(x) is None
    (x * x).sum().backward()
    assert gradient(x) == (0.0, 2.0)
    assert numbers_of(x) == (0.0, 1.0)
    assert numbers_of([1.0]) is None


CUBES = gives("of 2", (12.0,), lambda function, leaf: function(leaf(2.0)))


def test_a_blank_answer_of_a_function_is_not_judged() -> None:
    assert trial_check(CUBES)(Answer(lambda x: ..., BASE)).correct is None


def test_a_misconception_is_known_by_what_it_does_in_every_trial() -> None:
    value = Slip("a value is not a gradient", "that is the value.", behaves=lambda x: x**3)
    twice = gives("of 3", (27.0,), lambda function, leaf: function(leaf(3.0)))
    check = trial_check(CUBES, twice, slips=[value])
    assert check(Answer(lambda x: 3 * x * x, BASE)).correct is True
    assert check(Answer(lambda x: x * x * x, BASE)) == value.verdict()
    # The same number as the misconception's in one trial only is another mistake.
    assert check(Answer(lambda x: 4 * x, BASE)).misconception == ""


@pytest.mark.parametrize(
    ("function", "says"),
    [(lambda x: None, "returned nothing"), (lambda x: (x,), "a tuple"), (lambda x: 8, "yours gave")],
)
def test_what_is_no_tensor_gets_a_sentence(function: Callable[..., Any], says: str) -> None:
    assert says in trial_check(CUBES)(Answer(function, BASE)).says
