"""The checkers: each judges by behaviour, and names the misconception that it recognises.

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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tensorkit_widgets.practice.checking.known_errors import known_slip
from tensorkit_widgets.practice.checking.near_misses import reason
from tensorkit_widgets.practice.checking.time_limit import LONGEST_S, Stopped, TookTooLong, limited
from tensorkit_widgets.practice.checking.typed import layout_parts, number_in, numbers_in, word_in
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
from tensorkit_widgets.practice.markup import quoted, told

BLANK = "nothing to judge yet. Put your answer in place of the `...` and run the cell again."

ENDLESS = f"it was still running after {LONGEST_S:.0f} seconds, and was stopped. Is there a loop in it that never ends?"

ENDS_ALL = (
    "it ends the whole program (`exit()`, `sys.exit()` or `raise SystemExit`) instead of giving an answer. "
    "Let it `return` one."
)


@dataclass(frozen=True)
class Checker:
    """A judgement of answers that never raises: `Answer` in, `Verdict` out.

    A blank answer is not judged, and whatever the learner's own objects raise becomes a sentence, as does what never
    ends: it is stopped. `slips` are those that it knows by what they do, for tests that try them.

    >>> Checker(lambda answer: Verdict(answer.value == 3))(Answer(3))
    Right.
    >>> Checker(lambda answer: Verdict(answer.value > 3))(Answer("3"))
    Not yet: your answer could not be looked at (TypeError: '>' not supported between ...).
    """

    judge: Callable[[Answer], Verdict]
    slips: tuple[Slip, ...] = ()

    def __call__(self, answer: Answer) -> Verdict:
        if answer.value is Ellipsis:
            return Verdict(None, BLANK)
        try:
            return limited(lambda: self.judge(answer))
        except (TookTooLong, Stopped) as late:
            where = f"{late.where}: " if late.where else ""
            return Verdict(False, f"{where}{ENDLESS}")
        except Unreadable as problem:
            return Verdict(False, str(problem))
        except SystemExit:
            return Verdict(False, ENDS_ALL)
        except Exception as error:
            slip = known_slip(error)
            if slip is not None:
                return slip.verdict()
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

        def does_as(make: Callable[[Any], object]) -> bool:
            try:
                return _like(make(answer.base), mine, base)
            except Exception:
                return False

        return _wrong(known, Answer(answer.value, answer.base, does_as), says, misconception, mine, base)

    return Checker(check, known)


def _like(made: object, mine: Facts, base: Facts | None) -> bool:
    """Is this tensor what the answer is: size, dtype and numbers, the same storage or another, and the same slots?"""
    facts = read(made)
    if (facts.size, facts.dtype, facts.shares(base)) != (mine.size, mine.dtype, mine.shares(base)):
        return False
    if facts.shares(base) and _slot_problem(facts.size, facts.stride, facts.offset, mine.stride, mine.offset):
        return False
    return _value_problem(mine, facts.values) is None


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


def tuple_check(*right: int, slips: Iterable[Slip] = ()) -> Checker:
    """Check a size, a stride or any row of integers, given as a tuple, a `Size`, a list or text."""
    known = tuple(slips)

    def check(answer: Answer) -> Verdict:
        got = numbers_in(answer.value)
        if got is None:
            return Verdict(None, f"{quoted(answer.value)} is not a row of whole numbers, such as (2, 3).")
        if got == right:
            return Verdict(True)
        near = reason(right, got, f"{_row(got)} is not it.")
        return _wrong(known, Answer(got), near.says, near.misconception)

    return Checker(check)


def _row(numbers: tuple[float, ...]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else str(numbers)


def number_check(right: int, slips: Iterable[Slip] = ()) -> Checker:
    """Check one whole number, given as a number, a 0-d tensor or text."""
    known = tuple(slips)

    def check(answer: Answer) -> Verdict:
        value = answer.value
        if is_tensor(value) and read(value).size == ():
            value = read(value).values[0]
        got = number_in(value)
        if got is None:
            return Verdict(
                None, f"{quoted(answer.value)} is not one whole number, such as {8 if right == 7 else 7}."
            )
        if got == right:
            return Verdict(True)
        near = reason(right, got, f"{got} is not it.")
        return _wrong(known, Answer(got), near.says, near.misconception)

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
            return Verdict(None, "give size, stride and offset, for example `((2, 3), (3, 1), 0)`.")
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
    parts = layout_parts(value) if isinstance(value, str) else value
    if not isinstance(parts, (tuple, list)) or len(parts) not in (2, 3):
        return None
    if any(isinstance(part, (int, float)) for part in parts[:2]):
        return None  # one row of numbers is a size or a stride, and no layout
    rows = [numbers_in(part) for part in parts] + [(0,)] * (3 - len(parts))
    size, stride, offset = map(_whole, rows)
    if size is None or stride is None or offset is None or len(offset) != 1:
        return None
    if math.prod(size) > MOST_ELEMENTS or min(size, default=0) < 0:
        return None
    return size, stride, offset[0]


def _whole(numbers: tuple[float, ...] | None) -> tuple[int, ...] | None:
    whole = numbers is not None and all(isinstance(n, int) for n in numbers)
    return tuple(int(n) for n in numbers) if whole and numbers is not None else None


def choice_check(right: str, slips: Iterable[Slip] = (), hint: str = "") -> Checker:
    """Check a word, an order of letters or the name of a dtype: case, spaces and punctuation do not matter."""
    known = tuple(slips)

    def check(answer: Answer) -> Verdict:
        said = word_in(answer.value)
        if said is None:
            return Verdict(None, f"{quoted(answer.value)} is not text. {hint}".strip())
        if same(said, right):
            return Verdict(True)
        return _wrong(known, Answer(said, answer.base), hint or f"{quoted(said)} is not it.")

    return Checker(check)
