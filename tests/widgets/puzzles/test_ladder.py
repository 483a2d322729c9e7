"""The stride ladder: twelve rungs that dials reach, four that none do, and what is said on the way."""

from __future__ import annotations

import itertools

import pytest

import tensorkit as tk
from tensorkit_widgets.practice.facts import MISCONCEPTIONS
from tensorkit_widgets.puzzles import Ladder, sitting
from tensorkit_widgets.puzzles.rungs import REASONS, RUNGS
from tensorkit_widgets.puzzles.sitting import SITTINGS

NUMBERS = range(1, len(RUNGS) + 1)
REACHED = [number for number in NUMBERS if RUNGS[number - 1].reason is None]
REFUSED = [number for number in NUMBERS if RUNGS[number - 1].reason is not None]


def test_twelve_can_be_reached_and_four_cannot() -> None:
    assert (len(REACHED), len(REFUSED)) == (12, 4)
    assert len(RUNGS) == SITTINGS["A"][1]
    assert len({rung.values + rung.size for rung in RUNGS}) == 16


@pytest.mark.parametrize("number", REACHED)
def test_the_dials_that_read_it_solve_it(number: int) -> None:
    rung, card = RUNGS[number - 1], Ladder(number, record=False)
    assert (
        tuple(tk.arange(16).as_strided(rung.size, rung.stride, rung.offset).flatten().tolist()) == rung.values
    )
    assert not card.solved
    card.turn(rung.size, rung.stride, rung.offset)
    assert card.solved
    assert card.verdict is not None
    assert card.verdict.says.endswith(rung.why)


@pytest.mark.parametrize("number", REACHED)
def test_no_reason_fits_what_can_be_reached(number: int) -> None:
    card = Ladder(number, record=False)
    assert not any(card.claim(reason).correct for reason in REASONS)
    assert not card.solved
    assert "there are dials" in card.claim("uneven").says


@pytest.mark.parametrize("number", REFUSED)
def test_one_reason_alone_fits_what_cannot_be_reached(number: int) -> None:
    rung = RUNGS[number - 1]
    right = [reason for reason in REASONS if Ladder(number, record=False).claim(reason).correct]
    assert right == [rung.reason]


@pytest.mark.parametrize("number", REFUSED)
def test_indeed_no_dials_read_it(number: int) -> None:
    """All strides and offsets of a row of four or five, tried."""
    rung = RUNGS[number - 1]
    storage = tk.arange(16)
    read = {
        tuple(range(offset, offset + rung.size[0] * stride, stride)) if stride else (offset,) * rung.size[0]
        for offset, stride in itertools.product(range(16), repeat=2)
        if offset + (rung.size[0] - 1) * stride < len(storage)
    }
    assert rung.values not in read


@pytest.mark.parametrize("number", REACHED)
def test_a_reading_that_is_understood_is_told_why(number: int) -> None:
    for slip in RUNGS[number - 1].slips:
        card = Ladder(number, record=False)
        if slip.looks["given"] == ((4, 4), (4, 1), 0):
            card.turn((4,), (1,), 0)  # it begins there, and is told when it comes back
        card.turn(*slip.looks["given"])
        assert card.verdict is not None
        assert (card.verdict.correct, card.verdict.says) == (False, slip.says)
        assert slip.misconception in {"", *MISCONCEPTIONS}
        assert not card.solved


def test_how_far_the_dials_are_is_said() -> None:
    card = Ladder(3, record=False)
    assert "Your reading has 2 dimensions; the target has 1." in card.html
    card.turn((3,), (5,), 0)
    assert "Your reading has the size (3,); the target has (4,)." in card.html
    card.turn((4,), (2,), 1)
    assert "0 of 4 elements are right." in card.html


def test_what_the_engine_refuses_is_drawn_and_solves_nothing() -> None:
    card = Ladder(12, record=False).turn((5,), (5,), 0)
    assert not card.solved
    assert "was refused" in card.dials.text()


def test_the_picture_tells_no_answer_before_it_is_solved() -> None:
    for number in NUMBERS:
        card = Ladder(number, record=False)
        assert RUNGS[number - 1].why not in card.html + card.text() + card.static_html()
        assert "as_strided" not in card.html


def test_a_message_of_the_browser_claims() -> None:
    card = Ladder(5, record=False)
    card._heard(card, {"do": "claim", "value": ""}, [])
    assert "Choose a reason first." in card.html
    card._heard(card, {"do": "claim", "value": "negative"}, [])
    assert card.solved


def test_it_is_kept_by_its_sitting() -> None:
    assert "0 of 16 solved" in sitting("A")
    Ladder(1).turn((4,), (1,), 8)
    Ladder(7).claim("beyond")
    assert "1 of 16 solved. Begun: Rung 7: Steps that grow." in sitting("A")
    assert Ladder(1).solved
    Ladder(1).again()
    assert "0 of 16 solved" in sitting("A")


@pytest.mark.parametrize("rung", [0, 17, "3", True, 2.0])
def test_there_is_no_such_rung(rung: object) -> None:
    with pytest.raises(LookupError, match="the rungs 1 to 16"):
        Ladder(rung)  # type: ignore[arg-type]


def test_there_is_no_such_reason_and_no_such_sitting() -> None:
    with pytest.raises(ValueError, match="the reasons are negative, uneven, beyond, twice"):
        Ladder(3, record=False).claim("tired")
    with pytest.raises(LookupError, match="the sittings are A, B, C, D"):
        sitting("E")
