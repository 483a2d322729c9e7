"""Functions that learners may write in two exercises of lesson 13, right and wrong, and the checks that call them."""

from __future__ import annotations

from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Slip, Unreadable, is_tensor
from tensorkit_widgets.practice.markup import quoted

PLUS = "x += y vs x = x + y"

_DAYS = ((144.0, 220.0, 138.0), (145.0, 162.0, 142.0), (170.0, 124.0, 158.0))
"""The pressures of three patients on three mornings."""


def _mornings(count: int) -> Case:
    """The average before the first morning, and what it is after some of them."""

    def arguments() -> tuple[Any, ...]:
        return tensorkit.full((3,), 120.0), tensorkit.tensor(_DAYS[count - 1])

    def looks(given: tuple[Any, ...], got: Any) -> object:
        average, new = given
        back = "itself" if got is average else "nothing" if got is None else "another"
        if back == "another" and not is_tensor(got):
            raise Unreadable(f"it should return `average`; yours returned {quoted(got)}.")
        return tuple(average.tolist()), tuple(new.tolist()), back

    def tells(found: Any) -> str:
        average, new, _back = found
        if new != _DAYS[count - 1]:
            return f"`new` was written to; it holds {list(new)} now."
        if average != wanted:
            return f"`average` holds {list(average)} now; it should hold {list(wanted)}."
        return "the numbers are right. Return `average` itself, as `add_` does."

    wanted = tuple(0.75 * 120.0 + 0.25 * pressure for pressure in _DAYS[count - 1])
    return Case(
        f"on morning {count}, from averages of 120",
        arguments,
        (wanted, _DAYS[count - 1], "itself"),
        looks,
        tells,
    )


def rebound_average(average: Any, new: Any) -> Any:
    average = average * 0.75 + new * 0.25
    return average


def written_average(average: Any, new: Any) -> Any:
    average[:] = average * 0.75 + new * 0.25
    return average


def spoilt_new(average: Any, new: Any) -> Any:
    new *= 0.25
    average *= 0.75
    average += new
    return average


def added_average(average: Any, new: Any) -> Any:
    average *= 0.75
    average += 0.25 * new
    return average


def silent_average(average: Any, new: Any) -> None:
    average.mul_(0.75).add_(new, alpha=0.25)


def swapped_average(average: Any, new: Any) -> Any:
    return average.mul_(0.25).add_(new, alpha=0.75)


UPDATE = function_check(
    _mornings(1),
    _mornings(2),
    _mornings(3),
    slips=(
        Slip(
            PLUS,
            "`average` is as it was: `average = …` moves the name inside your function to a new tensor. The rest of "
            "the program still holds the old one.",
            behaves=(rebound_average, lambda average, new: average.mul(0.75).add(new, alpha=0.25)),
        ),
        Slip(
            PLUS,
            "`average` is right, but `new` holds a quarter of the pressures now: `new *= 0.25` writes into your "
            "caller's measurements.",
            behaves=(spoilt_new, lambda average, new: average.mul_(0.75).add_(new.mul_(0.25))),
        ),
        Slip("", "you have swapped 0.75 and 0.25.", behaves=swapped_average),
    ),
)


_PIXELS = (((0.0, 51.0), (102.0, 255.0)), ((10.0, 30.0), (20.0, 60.0)))


def _photo(number: int) -> Case:
    """A photograph of four grey pixels."""
    pixels = tuple(pixel for row in _PIXELS[number] for pixel in row)

    def looks(given: tuple[Any, ...], got: Any) -> object:
        if not is_tensor(got):
            raise Unreadable(f"it should return a tensor; yours returned {quoted(got)}.")
        return tuple(got.reshape(-1).tolist()), tuple(given[0].reshape(-1).tolist())

    def tells(found: Any) -> str:
        got, after = found
        if after != pixels:
            return f"your caller's photograph holds {[round(n, 3) for n in after]} now."
        return f"it returned {[round(n, 3) for n in got]}; it should be {[round(n, 3) for n in wanted]}."

    scaled = [pixel / 255 for pixel in pixels]
    wanted = tuple(pixel - sum(scaled) / 4 for pixel in scaled)
    return Case(
        f"for the photograph {[list(row) for row in _PIXELS[number]]}",
        lambda: (tensorkit.tensor(_PIXELS[number]),),
        (wanted, pixels),
        looks,
        tells,
    )


def given_normalised(photo: Any) -> Any:
    photo /= 255
    photo -= photo.mean()
    return photo


def half_normalised(photo: Any) -> Any:
    photo /= 255
    photo = photo - photo.mean()
    return photo


def sliced_normalised(photo: Any) -> Any:
    photo = photo[:]
    photo /= 255
    photo -= photo.mean()
    return photo


def cloned_normalised(photo: Any) -> Any:
    photo = photo.clone()
    photo /= 255
    photo -= photo.mean()
    return photo


def divided_normalised(photo: Any) -> Any:
    photo = photo / 255
    photo -= photo.mean()
    return photo


NORMALISED = function_check(
    _photo(0),
    _photo(1),
    slips=(
        Slip(
            PLUS,
            "the result is right, but it is written over your caller's photograph: `/=` and `-=` write into it, "
            "through a slice or a view of it as well.",
            behaves=(given_normalised, sliced_normalised),
        ),
        Slip(
            PLUS,
            "one of the two lines still writes: your caller's photograph has been divided by 255.",
            behaves=half_normalised,
        ),
    ),
)
