"""Programs of indexed reads and writes: after every step each tensor is what it is in PyTorch.

A program makes one tensor, lying in memory in one way or another, and then reads and writes it, and the views that it
read, through keys of every kind: integers, slices, masks, lists, ranges, arrays, tensors of indices and mixtures.
Compared are values, dtype, size, stride, offset, version, what shares memory with what, warnings, and what is refused
in which words. A program that fails is made smaller before it is shown.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import tensorkit
from tensorkit import dtypes
from tests.parity.compare import LAYOUTS, Operand, build, plain_text, same_error, same_tensor
from tests.parity.coverage import Tally
from tests.parity.programs.hypothesis_draws import run_programs
from tests.parity.programs.views import Brackets, Hand
from tests.support.warnings import recorded

pytestmark = pytest.mark.parity

PROGRAMS = 1200
DTYPES = tuple(kind.name for kind in dtypes.ALL)


# -- keys ---------------------------------------------------------------------------------------------------------


@dataclass
class Drawn:
    """What the parts of one key have in common: how many elements their lists pick, so that these broadcast."""

    hand: Hand
    count: int

    def number(self, length: int) -> int:
        """An index, of either sign; now and then one that is out of range."""
        if not length or self.hand.chance(2):
            return int(self.hand.pick((length, -length - 1, 7)))
        return int(self.hand.pick(range(-length, length)))

    def numbers(self, length: int) -> list[int]:
        count = self.count if not self.hand.chance(4) else self.hand.pick((1, 2, 0))
        return [self.number(length) for _ in range(count)]

    def truths(self, count: int) -> list[bool]:
        return [bool(self.hand.pick((True, False, True))) for _ in range(count)]


def _integer(drawn: Drawn, left: list[int]) -> str:
    return str(drawn.number(left.pop(0) if left else 0))


def _slice(drawn: Drawn, left: list[int]) -> str:
    length = left.pop(0) if left else 0
    start = drawn.hand.pick(range(-length - 1, length + 1))
    return str(drawn.hand.pick((":", f"{start}:", f":{start}", "::2", f"{start}::2")))


def _list(drawn: Drawn, left: list[int]) -> str:
    return str(drawn.numbers(left.pop(0) if left else 0))


def _tuple(drawn: Drawn, left: list[int]) -> str:
    return str(tuple(drawn.numbers(left.pop(0) if left else 0)))


def _range(drawn: Drawn, left: list[int]) -> str:
    length = left.pop(0) if left else 0
    return f"range({drawn.hand.pick(range(max(length, 1)))}, {length})"


def _tensor(drawn: Drawn, left: list[int]) -> str:
    kind = drawn.hand.pick(
        ("int64", "int64", "int32", "int64", "int64", "int64", "int32", "int16", "float32")
    )
    shape = drawn.hand.pick(("", "", ".view(-1, 1)", ".view(1, -1)", "[None].expand(2, -1).t()"))
    return f"tk.tensor({drawn.numbers(left.pop(0) if left else 0)}, dtype=tk.{kind}){shape}"


def _scalar(drawn: Drawn, left: list[int]) -> str:
    kind = drawn.hand.pick(("int64", "int32", "uint8", "int8"))
    return f"tk.tensor({drawn.number(left.pop(0) if left else 0) % 120}, dtype=tk.{kind})"


def _array(drawn: Drawn, left: list[int]) -> str:
    kind = drawn.hand.pick(("int64", "int32", "float64", "int16"))
    return f"np.array({drawn.numbers(left.pop(0) if left else 0)}, dtype=np.{kind})"


def _mask(drawn: Drawn, left: list[int]) -> str:
    length = left.pop(0) if left else 0
    truths = drawn.truths(length + drawn.hand.chance(4))
    made = drawn.hand.pick(("{}", "tk.tensor({})", "np.array({})", "tk.tensor({}, dtype=tk.uint8)"))
    return str(made).format(truths)


def _wide_mask(drawn: Drawn, left: list[int]) -> str:
    if len(left) < 2:
        return _mask(drawn, left)
    rows, columns = left.pop(0), left.pop(0)
    kind = drawn.hand.pick(("bool", "bool", "bool", "uint8"))
    turned = drawn.hand.chance(25)
    shape = f".view({columns}, {rows}).t()" if turned else f".view({rows}, {columns})"
    return f"tk.tensor({drawn.truths(rows * columns)}, dtype=tk.{kind}){shape}"


def _truth(drawn: Drawn, left: list[int]) -> str:
    return str(drawn.hand.pick(("True", "False", "tk.tensor(True)", "tk.tensor(False)")))


def _odd(drawn: Drawn, left: list[int]) -> str:
    return str(
        drawn.hand.pick(("1.5", "{}", "[[0], [1, 2]]", "np.bool_(True)", "np.int64(0)", "2**70", "'x'"))
    )


PARTS: dict[str, Callable[[Drawn, list[int]], str]] = {
    "list": _list,
    "slice": _slice,
    "tensor": _tensor,
    "integer": _integer,
    "mask": _mask,
    "None": lambda drawn, left: "None",
    "...": lambda drawn, left: "...",
    "wide mask": _wide_mask,
    "array": _array,
    "range": _range,
    "tuple": _tuple,
    "0-d": _scalar,
    "truth": _truth,
    "odd": _odd,
}
_OFTEN = ("list", "slice", "tensor", "integer", "mask", "list", "slice", "tensor", *PARTS)
TALLY = Tally(
    "programs of indexed reads and writes", ("programs", "reads", "refused", "writes", "copies", *PARTS)
)


def _key(hand: Hand, size: tuple[int, ...]) -> str:
    """What stands between the brackets."""
    drawn = Drawn(hand, hand.pick((2, 1, 3, 2, 0)))
    left, parts = list(size), []
    for _ in range(hand.pick((1, 2, 3, 1, 2))):
        if not left and not hand.chance(20):
            break
        name = hand.pick(_OFTEN)
        if name == "odd" and not hand.chance(30):
            name = "list"
        if name == "..." and "..." in parts:
            name = "None"
        if name == "...":  # the parts behind it are about the last dimensions
            left = left[-hand.pick((1, 2)) :]
        TALLY.count(name)
        parts.append(PARTS[name](drawn, left))
    if hand.chance(4):
        return f"[{', '.join(part for part in parts if ':' not in part)}]"
    return ", ".join(parts) or "..."


# -- programs -----------------------------------------------------------------------------------------------------


@dataclass
class Twins:
    """The tensors of one program in both libraries, the base first, and the program so far."""

    torch: Any
    ours: list[Any] = field(default_factory=list)
    theirs: list[Any] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def evaluate(self, call: str, at: int) -> tuple[Any, Any, BaseException | None]:
        """Both values, and PyTorch's exception; fails when the exceptions or the warnings differ."""
        self.lines.append(f"m{at}: {call}")
        values: list[Any] = []
        errors: list[BaseException | None] = []
        warned: list[list[str]] = []
        for lib, members in ((tensorkit, self.ours), (self.torch, self.theirs)):
            with recorded() as caught:
                try:
                    values.append(eval(call, {"tk": lib, "np": np, "t": members[at], "key": Brackets()}))
                    errors.append(None)
                except Exception as problem:
                    values.append(None)
                    errors.append(problem)
            warned.append([plain_text(str(w.message)) for w in caught])
        self.expect(same_error(errors[0], errors[1]))
        self.expect(None if warned[0] == warned[1] else f"warnings {warned[0]} against {warned[1]}")
        return values[0], values[1], errors[1]

    def expect(self, found: str | None) -> None:
        """Fail with the whole program when something differs."""
        assert found is None, f"{found}\nafter\n" + "\n".join(self.lines)

    def check(self, at: int, *, text: bool = False) -> None:
        """One member: all that can be seen of it, and whether it lies in the base's memory."""
        found = same_tensor(self.ours[at], self.theirs[at], text=text)
        self.expect(found and f"m{at}: {found}")
        shared = [_shares(members[0], members[at]) for members in (self.ours, self.theirs)]
        self.expect(None if shared[0] == shared[1] else f"m{at}: shares {shared[0]} against {shared[1]}")


def _shares(base: Any, member: Any) -> bool:
    start = base.untyped_storage().data_ptr()
    return bool(start and member.untyped_storage().data_ptr() == start)


def _begin(hand: Hand, torch: Any) -> Twins:
    size = tuple(hand.pick((3, 2, 4, 3, 1)) for _ in range(hand.pick((2, 3, 1, 2, 3, 4, 0))))
    if size and hand.chance(6):
        size = (*size[:-1], 0)
    operand = Operand(size, hand.pick(DTYPES), hand.pick(LAYOUTS), seed=hand.pick(range(50)))
    twins = Twins(torch, [build(tensorkit, operand)], [build(torch, operand)], [f"m0 = {operand}"])
    TALLY.tensor(twins.ours[0])
    return twins


def _read(hand: Hand, twins: Twins) -> None:
    at = hand.pick(range(len(twins.ours)))
    mine, reference, error = twins.evaluate(f"t[{_key(hand, tuple(twins.theirs[at].size()))}]", at)
    if error is not None:
        TALLY.count("refused")
        return
    twins.ours.append(mine)
    twins.theirs.append(reference)
    TALLY.count("reads")
    TALLY.count("copies", not _shares(twins.theirs[0], reference))
    twins.check(len(twins.ours) - 1, text=hand.chance(20))


def _value(hand: Hand, twins: Twins, at: int, key: str) -> str:
    """What to write: a number, or a tensor that mostly fits."""
    if hand.chance(35):
        return str(
            hand.pick(("1", "0", "-2", "2.5", "True", "300", "1j", "float('nan')", "'x'", "np.int64(3)"))
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            size = list(eval(f"t[{key}]", {"tk": twins.torch, "np": np, "t": twins.theirs[at]}).size())
    except Exception:
        size = [1]
    how = hand.pick(("as it is", "as it is", "fewer", "ones", "more", "wrong"))
    if how == "fewer":
        size = size[hand.pick((1, 2)) :]
    elif how == "more":
        size = [1, *size]
    elif how in ("ones", "wrong") and size:
        size[hand.pick(range(len(size)))] = 1 if how == "ones" else 5
    kind = "t.dtype" if not hand.chance(12) else f"tk.{hand.pick(DTYPES)}"
    count = int(np.prod(size, dtype=int))
    return f"(tk.arange({count}) % 5 + 1).to({kind}).view({tuple(size)})"


def _slots(tensor: Any) -> list[int]:
    """The slots of a tensor's elements: where two share one, the order of writing decides."""
    return list(tensor._lay().slots())


def _write(hand: Hand, twins: Twins) -> bool:
    """Write through one member; whether the program may go on."""
    at = hand.pick(range(len(twins.ours)))
    slots = _slots(twins.ours[at])
    key = _key(hand, tuple(twins.theirs[at].size()))
    value = _value(hand, twins, at, key)
    if len(set(slots)) < len(slots) and "(" in value:
        return True
    *_, error = twins.evaluate(f"t.__setitem__(key[{key}], {value})", at)
    TALLY.count("writes" if error is None else "refused")
    if error is not None and "out of bounds" in str(error):
        return (
            False  # PyTorch may have written some of it by then; `test_indexing` sees that tensorkit has not
        )
    for position in range(len(twins.ours)):
        twins.check(position)
    return True


def _program(data: bytes, torch: Any) -> None:
    hand = Hand(data)
    twins = _begin(hand, torch)
    twins.check(0)
    for _ in range(hand.pick((5, 3, 4, 6))):
        if hand.chance(45):
            if not _write(hand, twins):
                break
        else:
            _read(hand, twins)
    TALLY.count("programs")


def test_every_step_is_pytorchs(torch: Any) -> None:
    run_programs(lambda data: _program(data, torch), count=PROGRAMS, length=200, seed=3, share="indexing")
    assert TALLY.counts["programs"] >= PROGRAMS
    assert TALLY.never() == []
