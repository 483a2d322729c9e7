"""The checkers: each judges by behaviour, and names the misconception that it recognises.

>>> import tensorkit as tk
>>> t = tk.arange(6.).view(2, 3)
>>> check = tensor_check(size=(3, 2), stride=(1, 3), shares=True, slips=[
...     Slip("permute vs view", "that is what `view` gives.", size=(3, 2), stride=(2, 1))])
>>> check(Answer(t.t(), t))
Right.
>>> check(Answer(t.view(3, 2), t)).misconception
'permute vs view'

Later lessons make theirs from these, or write any function from an `Answer` to a `Verdict`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tensorkit_widgets.practice.facts import (
    MOST_ELEMENTS,
    Answer,
    Facts,
    Slip,
    Unreadable,
    Verdict,
    is_tensor,
    read,
    same,
    slots,
)
from tensorkit_widgets.practice.markup import LONGEST_TEXT, shown, told

__all__ = [
    "BLANK",
    "Case",
    "Checker",
    "choice_check",
    "function_check",
    "layout_check",
    "number_check",
    "numbers_in",
    "plain_check",
    "tensor_check",
    "tuple_check",
]


BLANK = "nothing to judge yet. Put your answer in place of the `...` and run the cell again."


@dataclass(frozen=True)
class Checker:
    """A judgement of answers that never raises: `Answer` in, `Verdict` out.

    A blank answer is not judged, and whatever the learner's own objects raise becomes a sentence.

    >>> Checker(lambda answer: Verdict(answer.value == 3))(Answer(3))
    Right.
    >>> Checker(lambda answer: Verdict(answer.value > 3))(Answer("3"))
    Not yet: your answer could not be looked at (TypeError: '>' not supported between ...).
    """

    judge: Callable[[Answer], Verdict]

    def __call__(self, answer: Answer) -> Verdict:
        if answer.value is Ellipsis:
            return Verdict(None, BLANK)
        try:
            return self.judge(answer)
        except Unreadable as problem:
            return Verdict(False, str(problem))
        except Exception as error:
            return Verdict(False, f"your answer could not be looked at ({told(error)}).")


def plain_check(function: Callable[[Any], Verdict | bool | str]) -> Checker:
    """A checker from a function of the value: it gives a `Verdict`, a bool, or what is wrong ('' if nothing).

    >>> plain_check(lambda n: "" if n == 3 else "count again.")(Answer(4))
    Not yet: count again.
    """

    def check(answer: Answer) -> Verdict:
        found = function(answer.value)
        if isinstance(found, Verdict):
            return found
        if isinstance(found, str):
            return Verdict(not found, found)
        return Verdict(bool(found), "" if found else "that is not it.")

    return Checker(check)


def _wrong(
    slips: Iterable[Slip],
    answer: Answer,
    says: str,
    misconception: str = "",
    mine: Facts | None = None,
    base: Facts | None = None,
) -> Verdict:
    """The slip that was made, or else what was seen to be wrong."""
    slip = next((slip for slip in slips if slip.fits(answer, mine, base)), None)
    return slip.verdict() if slip else Verdict(False, says, misconception)


def tensor_check(
    *,
    size: Sequence[int],
    stride: Sequence[int] | None = None,
    offset: int = 0,
    dtype: str = "",
    values: Any = None,
    shares: bool | None = None,
    slips: Iterable[Slip] = (),
) -> Checker:
    """Check a tensor by its size, the slots that it reads, its dtype, its values, and whose storage it uses.

    `stride` and `offset` are compared by the slots that they reach, so the stride of a dimension of size 1
    is free. `shares=True` wants the base's storage, `False` wants another. `values` is a nested sequence, or
    a function of the base's `Facts` that gives one.
    """
    known = tuple(slips)

    def check(answer: Answer) -> Verdict:
        if shares is not None and answer.base is None:
            return Verdict(None, "give me the tensor that you started from as well: `check(answer, base=t)`.")
        mine = read(answer.value)
        base = None if answer.base is None else read(answer.base)
        problem = _tensor_problem(mine, base, tuple(size), stride, offset, dtype, values, shares)
        if problem is None:
            return Verdict(True)
        says, misconception = problem
        return _wrong(known, answer, says, misconception, mine, base)

    return Checker(check)


def _tensor_problem(
    mine: Facts,
    base: Facts | None,
    size: tuple[int, ...],
    stride: Sequence[int] | None,
    offset: int,
    dtype: str,
    values: Any,
    shares: bool | None,
) -> tuple[str, str] | None:
    """The first thing that is not as it should be: a sentence, and the misconception or ''."""
    if mine.size != size:
        return (f"the size is {mine.size}; it should be {size}.", "")
    if dtype and mine.dtype != dtype:
        return (f"the dtype is {mine.dtype}; it should be {dtype}.", "")
    if shares is True and not mine.shares(base):
        return (
            "the numbers lie in a storage of their own: this is a copy, not a view.",
            "a copy is not a view",
        )
    if shares is False and mine.shares(base):
        return (
            "this is still a view: a write to it would change the tensor that it came from.",
            "a slice aliases its base",
        )
    if stride is not None:
        problem = _slot_problem(mine.size, mine.stride, mine.offset, stride, offset)
        if problem:
            return (problem, "")
    return None if values is None else _value_problem(mine, values(base) if callable(values) else values)


def _slot_problem(
    size: Sequence[int], stride: Sequence[int], offset: int, right: Sequence[int], right_offset: int
) -> str:
    pairs = zip(slots(size, stride, offset), slots(size, right, right_offset), strict=True)
    for position, (slot, wanted) in enumerate(pairs):
        if slot != wanted:
            return (
                f"element {_element(position, size)} reads slot {slot} of the storage; "
                f"it should read slot {wanted}."
            )
    return ""


def _value_problem(mine: Facts, wanted: Any) -> tuple[str, str] | None:
    for position, (a, b) in enumerate(zip(mine.values, _flat(wanted), strict=True)):
        if not (a == b or (a != a and b != b)):
            return (f"element {_element(position, mine.size)} is {a}; it should be {b}.", "")
    return None


def _flat(values: object) -> list[Any]:
    return [x for v in values for x in _flat(v)] if isinstance(values, (tuple, list)) else [values]


def _element(position: int, size: Sequence[int]) -> list[int]:
    """The index of the element at this place in reading order."""
    index = []
    for n in reversed(size):
        position, i = divmod(position, n)
        index.append(i)
    return index[::-1]


_NUMBERS = re.compile(
    r"\s*(?:(?:torch|tensorkit|tk)\.Size)?[\s(\[]*(-?\d{1,12}(?:[\s,;]+-?\d{1,12})*)?[\s,)\]]*"
)


def numbers_in(value: object) -> tuple[int, ...] | None:
    """The integers of an answer given as a number, a sequence or text; None when it is none of these.

    >>> numbers_in("(4, 1)"), numbers_in("4 1"), numbers_in([4, 1]), numbers_in(4), numbers_in("four")
    ((4, 1), (4, 1), (4, 1), (4,), None)
    """
    if isinstance(value, str):
        match = _NUMBERS.fullmatch(value) if len(value) <= LONGEST_TEXT else None
        return tuple(int(n) for n in re.findall(r"-?\d+", match[1] or "")) if match else None
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return (int(value),)
    if isinstance(value, float) and value.is_integer():
        return (int(value),)
    if isinstance(value, (tuple, list)):
        whole = all(isinstance(n, int) and not isinstance(n, bool) for n in value)
        return tuple(int(n) for n in value) if whole else None
    return None


def tuple_check(*right: int, slips: Iterable[Slip] = ()) -> Checker:
    """Check a size, a stride or any row of integers, given as a tuple, a `Size`, a list or text."""
    known = tuple(slips)

    def check(answer: Answer) -> Verdict:
        got = numbers_in(answer.value)
        if got is None:
            return Verdict(None, f"{shown(answer.value)} is not a row of whole numbers, such as (2, 3).")
        if got == right:
            return Verdict(True)
        says = f"{_row(got)} is not it."
        if len(got) != len(right):
            says = f"you gave {_count(len(got), 'number')}; each of the {len(right)} dimensions has one."
        return _wrong(known, Answer(got), says)

    return Checker(check)


def _row(numbers: tuple[int, ...]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else str(numbers)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def number_check(right: int, slips: Iterable[Slip] = ()) -> Checker:
    """Check one whole number, given as a number, a 0-d tensor or text."""
    known = tuple(slips)

    def check(answer: Answer) -> Verdict:
        value = answer.value
        if is_tensor(value) and read(value).size == ():
            value = read(value).values[0]
        got = numbers_in(value)
        if got is None or len(got) != 1:
            return Verdict(
                None, f"{shown(answer.value)} is not one whole number, such as {8 if right == 7 else 7}."
            )
        if got == (right,):
            return Verdict(True)
        return _wrong(known, Answer(got[0]), f"{got[0]} is not it.")

    return Checker(check)


def layout_check(
    *, size: Sequence[int], stride: Sequence[int], offset: int = 0, slips: Iterable[Slip] = ()
) -> Checker:
    """Check a layout, given as `(size, stride, offset)`, as text such as `(2, 3), (1, 2), 0`, or as a tensor.

    Judged by the slots that it reads: two spellings of the same picture are both right.
    """
    known = tuple(slips)

    def check(answer: Answer) -> Verdict:
        mine = _layout_of(answer.value)
        if mine is None:
            return Verdict(None, "give `(size, stride, offset)`, for example `((2, 3), (3, 1), 0)`.")
        facts = Facts(*mine)
        if len(facts.stride) != len(facts.size):
            problem = (
                f"{facts.size} and {facts.stride} are no layout: each dimension has one size and one stride."
            )
        elif facts.size != tuple(size):
            problem = f"the tensor that is meant has another size than {facts.size}."
        else:
            problem = _slot_problem(facts.size, facts.stride, facts.offset, stride, offset)
        if not problem:
            return Verdict(True)
        return _wrong(known, answer, problem, mine=facts)

    return Checker(check)


def _layout_of(value: object) -> tuple[tuple[int, ...], tuple[int, ...], int] | None:
    if is_tensor(value):
        facts = read(value)
        return facts.size, facts.stride, facts.offset
    parts: list[object] = []
    if isinstance(value, str):
        found = re.findall(r"\(([^()]*)\)|(-?\d{1,12})", value[:LONGEST_TEXT])
        parts = [f"({group})" if group else number for group, number in found]
    elif isinstance(value, (tuple, list)):
        parts = list(value)
    rows = [numbers_in(part) for part in parts]
    if len(rows) == 2:
        rows.append((0,))
    if len(rows) != 3 or rows[0] is None or rows[1] is None or rows[2] is None or len(rows[2]) != 1:
        return None
    if math.prod(rows[0]) > MOST_ELEMENTS or min(rows[0], default=0) < 0:
        return None
    return rows[0], rows[1], rows[2][0]


def choice_check(right: str, slips: Iterable[Slip] = (), hint: str = "") -> Checker:
    """Check a word or an order of letters: case, spaces and punctuation do not matter."""
    known = tuple(slips)

    def check(answer: Answer) -> Verdict:
        if not isinstance(answer.value, str):
            return Verdict(None, f"{shown(answer.value)} is not text. {hint}".strip())
        if same(answer.value, right):
            return Verdict(True)
        return _wrong(known, answer, hint or f"{shown(answer.value)} is not it.")

    return Checker(check)


@dataclass(frozen=True)
class Case:
    """One call of the learner's function: what to call it with, what should come back, what if not."""

    says: str
    arguments: Callable[[], tuple[object, ...]]
    returns: object
    slip: Slip | None = None


def function_check(*cases: Case) -> Checker:
    """Check a function by calling it: the first case that goes wrong explains itself."""

    def check(answer: Answer) -> Verdict:
        function = answer.value
        if not callable(function):
            return Verdict(None, f"{shown(function)} is not a function: give its name, without calling it.")
        for case in cases:
            try:
                got = function(*case.arguments())
            except Exception as error:
                return Verdict(False, f"{case.says}: your function stopped with {told(error)}.")
            if got is Ellipsis:
                return Verdict(None, BLANK)
            if got is None:
                return Verdict(False, f"{case.says}: your function returned nothing. Is a `return` missing?")
            if not same(got, case.returns):
                if case.slip:
                    return case.slip.verdict()
                return Verdict(False, f"{case.says}: it should give {case.returns}, yours gave {shown(got)}.")
        return Verdict(True)

    return Checker(check)
