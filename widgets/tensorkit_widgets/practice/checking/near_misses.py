"""What a typed answer that no slip of its card knows has to do with the right one: for rows of numbers, and numbers.

>>> near_miss((3, 4), (4, 3)).says, near_miss((3, 4), (3,)).says
('the right numbers, in another order.', 'you gave 1 number; the answer has 2.')
>>> near_miss((9,), (10,)).says
'that is off by one.'
>>> near_miss(14, 15)
Not yet: that is off by one.
>>> near_miss(14, 15, slots=20).says
'that is off by one: count again, from 0.'
>>> near_miss(14, 60, slots=20).says
'there are 20 slots, numbered from 0 to 19.'
>>> near_miss(14, 8) is None
True
"""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Verdict


def near_miss(right: object, answer: object, slots: int = 0) -> Verdict | None:
    """A verdict with a reason, or None where the two have nothing to do with each other.

    `slots`: how many slots there are, where the answer is one of them.
    """
    if isinstance(right, tuple) and isinstance(answer, tuple):
        return _row(right, answer, slots)
    if type(right) is int and isinstance(answer, (int, float)):
        return _number(right, answer, slots)
    return None


def reason(right: object, answer: object, otherwise: str) -> Verdict:
    """The same, with what to say where the two have nothing to do with each other."""
    found = near_miss(right, answer)
    return Verdict(False, otherwise) if found is None else found


def _row(right: tuple[Any, ...], answer: tuple[Any, ...], slots: int) -> Verdict | None:
    if not all(isinstance(n, (int, float)) for n in (*right, *answer)):
        return None
    if len(answer) != len(right):
        given = f"you gave {len(answer)} number{'' if len(answer) == 1 else 's'}"
        return Verdict(False, f"{given}; the answer has {len(right)}.")
    if len(right) == 1:
        return _number(right[0], answer[0], slots)
    if slots and any(not 0 <= n < slots for n in answer):
        return _outside(slots)
    if any(n < 0 for n in answer) and not any(n < 0 for n in right):
        return Verdict(False, "no number of the right answer is negative.")
    if sorted(answer) == sorted(right):
        return Verdict(False, "the right numbers, in another order.")
    wrong = [place for place, (n, m) in enumerate(zip(answer, right, strict=True), start=1) if n != m]
    if len(wrong) == 1 < len(right):
        return Verdict(False, f"all but number {wrong[0]} of the row are right.")
    return None


def _number(right: int, answer: float, slots: int) -> Verdict | None:
    if slots and not 0 <= answer < slots:
        return _outside(slots)
    if answer < 0 <= right:
        return Verdict(False, "the right number is not negative.")
    if abs(answer - right) == 1:
        return Verdict(False, f"that is off by one{': count again, from 0' if slots else ''}.")
    return None


def _outside(slots: int) -> Verdict:
    return Verdict(False, f"there are {slots} slots, numbered from 0 to {slots - 1}.")
