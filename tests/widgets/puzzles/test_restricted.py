"""Functions under a rule: three right ways each, wrong ones understood, a forbidden call found with its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets.broadcast.widget import BroadcastExplorer
from tensorkit_widgets.practice.checking.functions import function_check
from tensorkit_widgets.practice.facts import MISCONCEPTIONS, Answer
from tensorkit_widgets.puzzles import Restricted, sitting
from tensorkit_widgets.puzzles.restricted import Attempt
from tensorkit_widgets.puzzles.restrictions import RESTRICTIONS
from tensorkit_widgets.puzzles.sitting import SITTINGS

Function = Callable[..., Any]


def col(n: int) -> Any:
    return tk.arange(n)[:, None]


def row(n: int) -> Any:
    return tk.arange(n)


def identity(n: int) -> Any:
    return (col(n) == row(n)).float()


#: Besides the solution, which is a way of its own.
RIGHT: dict[str, tuple[Function, ...]] = {
    "trace": (
        lambda a: a.as_strided((a.shape[0],), (a.shape[1] + 1,), 0).sum(),
        lambda a: a.as_strided((len(a), 1), (len(a) + 1, 1)).sum().sum(),
    ),
    "matvec": (
        lambda a, v: (v.as_strided(a.shape, (0, 1)) * a).sum(dim=1),
        lambda a, v: (a.as_strided((a.shape[1], a.shape[0]), (1, a.shape[1]))
                      * v.as_strided((a.shape[1], a.shape[0]), (1, 0))).sum(0),
    ),
    "matmat": (
        lambda a, b: (a.as_strided((len(a), len(b), b.shape[1]), (len(b), 1, 0))
                      * b.as_strided((len(a), len(b), b.shape[1]), (0, b.shape[1], 1))).sum(1),
        lambda a, b: (a.as_strided((len(b), len(a), b.shape[1]), (1, len(b), 0))
                      * b.as_strided((len(b), len(a), b.shape[1]), (b.shape[1], 0, 1))).sum(0),
    ),
    "laplace": (
        lambda image, kernel: (kernel * image.as_strided(
            (len(image) - 2, image.shape[1] - 2, 3, 3), (image.shape[1], 1) * 2)).sum(3).sum(2),
        lambda image, kernel: (image.as_strided(
            (3, 3, len(image) - 2, image.shape[1] - 2), (image.shape[1], 1) * 2)
            * kernel.as_strided((3, 3, len(image) - 2, image.shape[1] - 2), (3, 1, 0, 0))).sum((0, 1)),
    ),
    "eye": (
        lambda n: 1.0 * (row(n) == col(n)),
        lambda n: ((col(n) <= row(n)) & (col(n) >= row(n))).float(),
    ),
    "triu": (
        lambda a: a * (row(len(a)) >= col(len(a))),
        lambda a: (col(len(a)) < row(len(a)) + 1) * a,
    ),
    "cumsum": (
        lambda x: x @ (col(len(x)) <= row(len(x))).float(),
        lambda x: (1.0 * (row(len(x)) < col(len(x)) + 1)) @ x,
    ),
    "one_hot": (
        lambda labels, n: 1.0 * (tk.arange(n) == labels.unsqueeze(1)),
        lambda labels, n: (col(n) == labels).t().float(),
    ),
    "length_mask": (
        lambda lengths, n: lengths[:, None] > tk.arange(n),
        lambda lengths, n: ~(tk.arange(n) >= lengths[:, None]),
    ),
    "outer": (
        lambda a, b: (b[:, None] * a).t(),
        lambda a, b: a[:, None] @ b[None],
    ),
    "diff": (
        lambda x: x - (col(len(x)) == row(len(x)) + 1).float() @ x,
        lambda x: (identity(len(x)) - (col(len(x)) - 1 == row(len(x))).float()) @ x,
    ),
    "roll": (
        lambda x, k: (col(len(x)) == (row(len(x)) + k) % len(x)).float() @ x,
        lambda x, k: x @ ((col(len(x)) + k) % len(x) == row(len(x))).float(),
    ),
    "flip": (
        lambda x: (row(len(x)) == len(x) - 1 - col(len(x))).float() @ x,
        lambda x: x @ (row(len(x)) + col(len(x)) == len(x) - 1).float(),
    ),
    "bincount": (
        lambda labels, n: (labels == labels).long() @ (labels[:, None] == tk.arange(n)).long(),
        lambda labels, n: (tk.arange(n)[:, None] == labels).long() @ (0 * labels + 1),
    ),
    "repeat_interleave": (
        lambda x, k: x @ (col(len(x)) == row(len(x) * k) // k).float(),
        lambda x, k: ((col(len(x) * k) >= k * row(len(x))) & (col(len(x) * k) < k * row(len(x)) + k)).float() @ x,
    ),
    "compress": (
        lambda x, keep: ((((col(len(x)) >= row(len(x))).float() @ keep.float()) - 1 == col(len(x))) * keep).float() @ x,
        lambda x, keep: x @ (((keep.long() @ (col(len(x)) <= row(len(x))).long())[:, None] == row(len(x)) + 1)
                             & keep[:, None]).float(),
    ),
}  # fmt: skip

#: For each: calls that the rule forbids, and what is named.
BROKEN: dict[str, tuple[Function, str]] = {
    "trace": (lambda a: a.trace(), "trace"),
    "matvec": (lambda a, v: a @ v, "matmul"),
    "matmat": (lambda a, b: a.mm(b), "mm"),
    "laplace": (lambda image, kernel: (image.unfold(0, 3, 1).unfold(1, 3, 1) * kernel).sum((2, 3)), "unfold"),
    "eye": (lambda n: tk.eye(n), "eye"),
    "triu": (lambda a: a.triu(), "triu"),
    "cumsum": (lambda x: tk.stack([x[: i + 1].sum() for i in range(len(x))]), "indexing with numbers"),
    "one_hot": (lambda labels, n: tk.eye(n)[labels], "eye"),
    "length_mask": (lambda lengths, n: tk.stack([tk.arange(n) < m for m in lengths]), "unbind"),
    "outer": (lambda a, b: tk.outer(a, b), "outer"),
    "diff": (lambda x: tk.cat([x[:1], x[1:] - x[:-1]]), "indexing with numbers"),
    "roll": (lambda x, k: x[(tk.arange(len(x)) - k) % len(x)], "indexing with numbers"),
    "flip": (lambda x: tk.tensor(x.tolist()[::-1]), "tolist"),
    "bincount": (lambda labels, n: (col(n) == labels).sum(1), "sum"),
    "repeat_interleave": (lambda x, k: x[:, None].expand(-1, k).reshape(-1), "reshape"),
    "compress": (lambda x, keep: tk.where(keep, x, 0 * x), "where"),
}
NAMES = [one.name for one in RESTRICTIONS]


def solution(card: Restricted) -> Function:
    names: dict[str, Any] = {"tk": tk}
    exec(card.restriction.solution, names)
    return names[card.restriction.name]  # type: ignore[no-any-return]


def test_there_are_four_and_twelve() -> None:
    for letter in "BC":
        assert sum(one.sitting == letter for one in RESTRICTIONS) == SITTINGS[letter][1]
    assert list(RIGHT) == list(BROKEN) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_three_right_ways_are_right(name: str) -> None:
    card = Restricted(name, record=False)
    verdicts = [card.check(way) for way in (solution(card), *RIGHT[name])]
    assert [verdict.correct for verdict in verdicts] == [True] * 3, verdicts
    assert "the fewest that we know" in verdicts[0].says
    calls = [int(verdict.says.split()[0]) for verdict in verdicts]
    assert min(calls) == card.restriction.par


def test_a_way_with_fewer_calls_than_the_shown_one_is_told_so() -> None:
    verdict = Restricted("matvec", record=False).check(lambda a, v: (a * v).sum(1))
    assert verdict.says.startswith("2 calls: ours takes 3.")


@pytest.mark.parametrize("name", NAMES)
def test_wrong_ways_are_understood(name: str) -> None:
    card = Restricted(name, record=False)
    check = function_check(*card.restriction.cases, slips=card.restriction.slips)
    for slip in card.restriction.slips:
        verdict = check(Answer(slip.looks["behaves"]))
        assert (verdict.correct, verdict.says, verdict.misconception) == (
            False,
            slip.says,
            slip.misconception,
        )
        assert slip.misconception in {"", *MISCONCEPTIONS}
    assert len(card.restriction.hints) == 3


@pytest.mark.parametrize("name", NAMES)
def test_a_forbidden_call_is_named_with_its_line(name: str) -> None:
    function, called = BROKEN[name]
    verdict = Restricted(name, record=False).check(function)
    line = function.__code__.co_firstlineno
    assert verdict.correct is False
    assert verdict.says.startswith(f"line {line} uses ")
    assert called in verdict.says.partition(":")[0]


def test_the_line_is_the_learners_and_is_quoted() -> None:
    def cumsum(x: Any) -> Any:
        i = tk.arange(len(x))
        mask = i[:, None] >= i
        return tk.where(mask, x, tk.zeros(1)).sum(1)

    verdict = Restricted("cumsum", record=False).check(cumsum)
    line = cumsum.__code__.co_firstlineno + 3
    assert f"line {line} uses `zeros`: `return tk.where(mask, x, tk.zeros(1)).sum(1)`" in verdict.says
    assert "Allowed here: `arange`" in verdict.says


def test_a_wrong_try_is_drawn_in_the_learners_own_words() -> None:
    def cumsum(x: Any) -> Any:
        i = tk.arange(len(x))
        mask = i[:, None] < i
        return mask.float() @ x

    verdict = Restricted("cumsum", record=False).check(cumsum)
    assert isinstance(verdict, Attempt)
    assert isinstance(verdict.picture, BroadcastExplorer)
    assert verdict.picture.text().startswith("BroadcastExplorer: i[:, None] < i, sizes (4, 1) and (4,)") or (
        "i[:, None], stretched" in verdict.picture.text()
    )
    assert verdict.picture.size == (4, 4)


def test_a_wrong_try_without_two_tensors_has_no_picture() -> None:
    verdict = Restricted("eye", record=False).check(lambda n: tk.arange(n) * 0.0)
    assert isinstance(verdict, Attempt)
    assert verdict.picture is None


@pytest.mark.parametrize(
    ("answer", "says"),
    [(..., "nothing to judge yet"), (lambda x: ..., "nothing to judge yet"), (3, "give the function itself")],
)
def test_what_is_no_answer_is_not_judged(answer: object, says: str) -> None:
    verdict = Restricted("flip", record=False).check(answer)
    assert verdict.correct is None
    assert says in verdict.says


def test_a_function_that_stops_is_told_its_error() -> None:
    verdict = Restricted("flip", record=False).check(lambda x: x @ tk.arange(3))
    assert verdict.correct is False
    assert "of 4 numbers" in verdict.says


def test_it_is_kept_by_its_sitting() -> None:
    card = Restricted("outer")
    assert "0 of 12 solved" in sitting("C")
    card.check(lambda a, b: b[:, None] * a)
    assert "0 of 12 solved. Begun: outer." in sitting("C")
    card.check(lambda a, b: a[:, None] * b)
    assert "1 of 12 solved" in sitting("C")
    assert "0 of 4 solved" in sitting("B")


def test_there_is_no_such_puzzle() -> None:
    with pytest.raises(LookupError, match="no puzzle is called 'sort'; there are trace, matvec"):
        Restricted("sort")
