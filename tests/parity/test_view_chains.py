"""Chains of views with writes in between: after every step each member of the family is what it is in PyTorch."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from typing import Any

import pytest

import tensorkit
from tensorkit import dtypes
from tests.parity.compare import same_error, same_tensor
from tests.parity.coverage import Tally
from tests.parity.programs.hypothesis_draws import run_programs
from tests.parity.programs.views import VIEWS, WRITES, Brackets, Hand, view_call, write_call

pytestmark = pytest.mark.parity

CHAINS = 2100
DTYPES = tuple(kind.name for kind in dtypes.ALL)
TALLY = Tally(
    "chains of views and writes",
    ("chains", "views", "views refused", "writes", "writes refused", "copies", "[...]", *VIEWS, *WRITES),
)
_USES_V = re.compile(r"\bv\b")
MEMBERS = 9  # of one family


@dataclass
class Family:
    """The tensors of one program in both libraries, the base first, and the program so far."""

    torch: Any
    ours: list[Any] = field(default_factory=list)
    theirs: list[Any] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def evaluate(self, call: str, at: int, other: int = 0) -> tuple[Any, Any, str | None]:
        """What both libraries make of a call on one member: two values, and how their errors differ."""
        self.lines.append(f"m{at}: {call}" + (f"  (v is m{other})" if _USES_V.search(call) else ""))
        values, errors = [], []
        for lib, members in ((tensorkit, self.ours), (self.torch, self.theirs)):
            try:
                names = {"tk": lib, "t": members[at], "v": members[other], "key": Brackets()}
                values.append(eval(call, names))
                errors.append(None)
            except Exception as problem:
                values.append(None)
                errors.append(problem)
        return values[0], values[1], same_error(errors[0], errors[1])

    def expect(self, found: str | None) -> None:
        """Fail with the whole program when something differs."""
        assert found is None, f"{found}\nafter\n" + "\n".join(self.lines)

    def check(self, position: int, *, text: bool = False) -> None:
        """One member: all that `same_tensor` looks at, and where in the base's memory it begins."""
        mine, reference = self.ours[position], self.theirs[position]
        found = same_tensor(mine, reference, text=text)
        self.expect(found and f"m{position}: {found}")
        self.expect(_distance(self.ours, position, _distance(self.theirs, position, None)))

    def add(self, mine: Any, reference: Any) -> None:
        """A new member; or none, when the step gave a member itself, which both libraries must agree on."""
        known = [[value is member for member in members] for value, members in self._pairs(mine, reference)]
        self.expect(None if known[0] == known[1] else f"identity {known[0]} against {known[1]}")
        if not any(known[0]):
            self.ours.append(mine)
            self.theirs.append(reference)
        TALLY.tensor(mine)
        self.check((known[0].index(True) if any(known[0]) else len(self.ours) - 1), text=True)

    def _pairs(self, mine: Any, reference: Any) -> tuple[tuple[Any, list[Any]], tuple[Any, list[Any]]]:
        return (mine, self.ours), (reference, self.theirs)


def _distance(members: list[Any], position: int, expected: Any) -> Any:
    """How many bytes after the base a member begins (None in another storage); with `expected`, what differs."""
    base, member = members[0], members[position]
    start = base.untyped_storage().data_ptr()
    shared = start and member.untyped_storage().data_ptr() == start
    found = member.data_ptr() - base.data_ptr() if shared and member.numel() and base.numel() else "apart"
    if expected is None:
        return found
    return None if found == expected else f"m{position}: data_ptr {found} against {expected}"


def _begin(hand: Hand, torch: Any) -> Family:
    dtype = hand.pick(DTYPES)
    size = tuple(hand.pick((2, 3, 1, 4, 2, 3)) for _ in range(hand.pick((2, 3, 1, 2, 4, 0))))
    if size and hand.chance(8):
        size = (*size[:-1], 0)
    family = Family(torch)
    first = f"(tk.arange({_count(size)}) % 7 - 2).to(tk.{dtype}).view({size})"
    family.lines.append(f"m0 = {first}")
    family.ours.append(eval(first, {"tk": tensorkit}))
    family.theirs.append(eval(first, {"tk": torch}))
    TALLY.tensor(family.ours[0])
    return family


def _count(size: tuple[int, ...]) -> int:
    count = 1
    for length in size:
        count *= length
    return count


def _view_step(hand: Hand, family: Family) -> None:
    at = hand.pick(range(len(family.ours) - 1, -1, -1))
    name, call = view_call(hand, family.ours[at])
    apart = family.ours[at].untyped_storage().data_ptr()
    mine, reference, differs = family.evaluate(call, at)
    family.expect(differs)
    TALLY.count(name)
    TALLY.count("views" if mine is not None else "views refused")
    if mine is not None:
        TALLY.count("copies", mine.untyped_storage().data_ptr() != apart)
        family.add(mine, reference)


def _slots(tensor: Any) -> set[int]:
    """The bytes of the storage at which a tensor's elements begin and end."""
    item = tensor.element_size()
    return {slot * item + byte for slot in tensor._lay().slots() for byte in range(item)}


def _has_nan(tensor: Any) -> bool:
    """Arithmetic may give "not a number" other bits, and a view of another dtype would show them."""
    return any(number != number for number in tensor.flatten().tolist())


def _chance_decides(target: Any, source: Any, call: str) -> bool:
    """Whether the result hangs on the order of writing or on the processor: then there is no right answer."""
    if call.startswith(("add_", "sub_", "mul_", "scatter_")) and (_has_nan(target) or _has_nan(source)):
        return True
    if len(_slots(target)) < target.numel() * target.element_size():
        return "storage" not in call
    together = source.untyped_storage() is target.untyped_storage() and not _slots(target).isdisjoint(
        _slots(source)
    )
    return together and _USES_V.search(call) is not None


def _write_step(hand: Hand, family: Family) -> None:
    at, other = (hand.pick(range(len(family.ours))) for _ in range(2))
    name, call = write_call(hand, family.ours[at])
    if _chance_decides(family.ours[at], family.ours[other], call.removeprefix("t.")):
        return
    before = family.ours[at]._version
    _, _, differs = family.evaluate(call, at, other)
    family.expect(differs)
    TALLY.count(name)
    TALLY.count("writes" if family.ours[at]._version > before or "storage" in call else "writes refused")
    for position in range(len(family.ours)):
        family.check(position)
    family.check(at, text=True)


def _program(data: bytes, torch: Any) -> None:
    hand = Hand(data)
    family = _begin(hand, torch)
    family.check(0, text=True)
    for _ in range(hand.pick((8, 10, 12, 6))):
        if hand.chance(35):
            _write_step(hand, family)
        elif len(family.ours) < MEMBERS:
            _view_step(hand, family)
    TALLY.count("chains")


def _quiet(data: bytes, torch: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the samples compare warnings; here both may warn once per program
        _program(data, torch)


def test_every_step_of_a_chain_is_pytorchs(torch: Any) -> None:
    run_programs(lambda data: _quiet(data, torch), count=CHAINS, length=200, seed=2, share="chains of views")
    assert TALLY.counts["chains"] >= 2000
    assert TALLY.never() == []
