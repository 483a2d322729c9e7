"""Programs of autograd: after every step each tensor stands in its graph where it does in PyTorch."""

from __future__ import annotations

import functools
import string
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np
import pytest

import tensorkit
from tests.parity.compare import plain_text, same_error
from tests.parity.coverage import Tally
from tests.parity.programs.autograd import KINDS, Step, first_step, next_step
from tests.parity.programs.hypothesis_draws import run_programs
from tests.parity.programs.views import Hand
from tests.support.warnings import recorded
from tests.torch_oracle import fuzz_seconds

pytestmark = pytest.mark.parity

PROGRAMS = 5200
MEMBERS = 9  # tensors of one program
NAMES = tuple(string.ascii_lowercase)
ASPECTS = (
    "dtype",
    "size",
    "stride",
    "offset",
    "_version",
    "requires_grad",
    "_is_view",
    "output_nr",
    "is_leaf",
    "grad_fn",
    "retains_grad",
    "grad",
)
TALLY = Tally("programs of autograd")
TALLY.names = (
    "programs",
    "programs looked at only at their end",
    "steps",
    "steps refused",
    "steps without recording",
    "tensors compared",
    "gradients compared",
    "graphs compared whole",
    "warnings",
    *KINDS,
    *(
        f"{kind} refused"
        for kind in ("backward", "autograd.grad", "add_", "copy_", "t[...] = tensor", "detach_")
    ),
    "history asked in vain",
)


# -- what is compared ---------------------------------------------------------------------------------------------


def _asked(question: Callable[[], Any]) -> Any:
    """An answer, or the refusal to give one."""
    try:
        return question()
    except RuntimeError as error:
        TALLY.count("history asked in vain")
        return f"{type(error).__name__}: {plain_text(str(_renamed(error)))}"


def _node(node: Any) -> Any:
    """A node's name and those of the nodes behind it."""
    if node is None:
        return None
    behind = [None if n is None else (type(n).__name__, nr) for n, nr in node.next_functions]
    return type(node).__name__, node.name().split("::")[-1], behind


def _gradient(tensor: Any) -> Any:
    grad = tensor.grad
    if grad is None:
        return None
    return str(grad.dtype)[-7:], tuple(grad.size()), _strides(grad), grad.requires_grad


def _strides(tensor: Any) -> Any:
    """The strides that are used: PyTorch is free in the others, and chooses otherwise from one loop to the next."""
    return tensor.numel() and [step for n, step in zip(tensor.size(), tensor.stride(), strict=True) if n > 1]


def _facts(tensor: Any) -> tuple[Any, ...]:
    return (
        str(tensor.dtype)[-7:],
        tuple(tensor.size()),
        _strides(tensor),
        tensor.numel() and tensor.storage_offset(),
        tensor._version,
        tensor.requires_grad,
        tensor._is_view(),
        tensor.output_nr,
        _asked(lambda: tensor.is_leaf),
        _asked(lambda: _node(tensor.grad_fn)),
        tensor.retains_grad,
        _asked(lambda: _gradient(tensor)),
    )


def _same_numbers(ours: Any, theirs: Any) -> bool:
    """Whether nested lists agree, but for the last digits of what was computed in another order."""
    if ours == theirs:
        return True
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if a.shape != b.shape:
        return False
    finite = b[np.isfinite(b)]
    scale = float(np.abs(finite).max()) if finite.size else 1.0
    return bool(np.allclose(a, b, rtol=1e-5, atol=1e-5 * max(scale, 1e-3), equal_nan=True))


def _graph(tensor: Any) -> Any:
    """The whole graph behind a tensor: each node's name, and which of the others stand behind it."""
    root = tensor.grad_fn
    numbers, order = {root: 0}, [root]
    found = []
    for node in order:
        behind = []
        for other, nr in node.next_functions if node is not None else ():
            if other is not None and other not in numbers:
                numbers[other] = len(order)
                order.append(other)
            behind.append(None if other is None else (numbers[other], nr))
        found.append((type(node).__name__, behind))
    return found


# -- one program in both libraries --------------------------------------------------------------------------------


@functools.lru_cache(20000)
def _compiled(line: str) -> CodeType:
    return compile(line, "<program>", "exec")


class _Side:
    """One library: its names, and what its hooks told."""

    def __init__(self, lib: Any) -> None:
        self.heard: list[Any] = []
        self.names: dict[str, Any] = {"tk": lib, "told": self.told}

    def told(self, tag: str, *tensors: Any) -> None:
        self.heard.append((tag, [t if t is None else t.detach().clone() for t in tensors]))

    def run(self, line: str) -> tuple[BaseException | None, list[str]]:
        error: BaseException | None = None
        with recorded() as caught:
            try:
                exec(_compiled(line), self.names)
            except Exception as problem:
                error = problem.with_traceback(None)
        return error, [w.category.__name__ for w in caught]

    def facts(self, name: str) -> tuple[Any, list[str]]:
        with recorded() as caught:
            found = _facts(self.names[name])
        return found, [w.category.__name__ for w in caught]


@dataclass
class Program:
    """The tensors of one program, by name, in both libraries; and its lines so far."""

    torch: Any
    lines: list[str] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    lost: bool = False  # whether numbers became infinite: which sign, and what comes of it, is chance

    def __post_init__(self) -> None:
        self.ours, self.theirs = _Side(tensorkit), _Side(self.torch)

    def expect(self, found: str | None) -> None:
        """Fail with the whole program when something differs."""
        if found is not None:
            raise AssertionError(f"{found}\nafter\n" + "\n".join(self.lines))

    def tensors(self) -> dict[str, Any]:
        return {name: self.ours.names[name] for name in self.members}

    def step(self, step: Step) -> None:
        """Run a line in both; they must succeed or fail alike, warn alike, and call the same hooks."""
        if self._chance_decides(step):
            return
        self.lines.append(step.line)
        mine, reference = self.ours.run(step.line), self.theirs.run(step.line)
        if _meant(mine[0], reference[0]) or (mine[0] is None and self._looks_in_vain(step, reference[0])):
            raise _Over
        # A long fuzz looks for states and values: which of several faults is told first is for the ordinary run.
        telling = fuzz_seconds() == 0 or None in (mine[0], reference[0])
        self.expect(same_error(_renamed(mine[0]), reference[0]) if telling else None)
        if telling and mine[1] != reference[1]:
            self.expect(f"warnings {mine[1]} against {reference[1]}")
        self._compare_told()
        self._count(step, reference)
        for name in step.deletes:
            self.members.remove(name)
        if reference[0] is None:
            for name in step.defines:
                self._define(name)

    def _count(self, step: Step, outcome: tuple[BaseException | None, list[str]]) -> None:
        TALLY.count("steps")
        TALLY.count(step.kind)
        TALLY.count("warnings", len(outcome[1]))
        TALLY.count("steps without recording", "no_grad" in step.line)
        if outcome[0] is not None:
            TALLY.count("steps refused")
            TALLY.count(f"{step.kind} refused")

    def _chance_decides(self, step: Step) -> bool:
        """Whether a write meets slots twice, so that the order of writing would decide."""
        writes = step.kind.endswith(("_", "=", "number", "tensor", "written"))
        if not writes or step.kind in ("t_", "requires_grad =", "grad.zero_"):
            return False
        names = [n for n in self.members if n in _words(step.line)]
        slots = {n: list(self.ours.names[n]._lay().slots()) for n in names}
        if any(len(set(s)) < len(s) and 0 not in self.ours.names[n].stride() for n, s in slots.items()):
            return True
        together = [n for n in names if _storage(self.ours.names[n]) is _storage(self.ours.names[names[0]])]
        return len(together) > 1

    def _define(self, name: str) -> None:
        """A new tensor; or none, when the step gave one that has a name already, in both libraries."""
        known = []
        for side in (self.ours, self.theirs):
            value = side.names[name]
            known.append([value is side.names[other] for other in self.members])
        self.expect(None if known[0] == known[1] else f"{name}: identity {known[0]} against {known[1]}")
        if self.ours.names[name] is not None and not any(known[0]):
            self.members.append(name)

    def _looks_in_vain(self, step: Step, theirs: BaseException | None) -> bool:
        """Whether PyTorch refuses what a node has saved that no gradient passes; tensorkit does not save it."""
        if "inputs=" in step.line and ("second time" in str(theirs) or "derivative for" in str(theirs)):
            return True  # of the node whose result is the only one that is asked for
        if theirs is None or "modified by an inplace operation" not in str(theirs):
            return False
        roots = [self.ours.names[word] for word in _words(step.line) & set(self.members)]
        graphs = [_graph(root) for root in roots if root.grad_fn is not None]
        leads_nowhere = any(
            name != "AccumulateGrad" and not any(behind) for graph in graphs for name, behind in graph
        )
        TALLY.count("differs on purpose: saved in vain", leads_nowhere)
        return leads_nowhere

    def _compare_told(self) -> None:
        mine, reference = self.ours.heard, self.theirs.heard
        tags = [[tag for tag, _ in heard] for heard in (mine, reference)]
        self.expect(None if tags[0] == tags[1] else f"hooks {tags[0]} against {tags[1]}")
        for (tag, ours), (_, theirs) in zip(mine, reference, strict=True):
            same_count = len(ours) == len(theirs)
            self.expect(
                None if same_count else f"the hook {tag!r} heard {len(ours)} gradients against {len(theirs)}"
            )
            for one, other in zip(ours, theirs, strict=True):
                values = [None if t is None else t.tolist() for t in (one, other)]
                self.lost = self.lost or (other is not None and not np.isfinite(values[1]).all())
                same = self.lost or (None in values and values[0] is values[1]) or _same_numbers(*values)
                self.expect(None if same else f"the hook {tag!r} heard {values[0]} against {values[1]}")
        self.ours.heard.clear()
        self.theirs.heard.clear()

    def check(self, name: str) -> None:
        """One tensor: its place in memory and in the graph, its values, its gradient."""
        (mine, warned), (reference, expected) = self.ours.facts(name), self.theirs.facts(name)
        if mine != reference and any(word in str(reference) for word in DELIBERATE):
            raise _Over
        apart = [one != other for one, other in zip(mine, reference, strict=False)]
        if fuzz_seconds() and sum(apart) == 1 and apart[ASPECTS.index("retains_grad") :][:1] == [True]:
            raise _Over  # of a view that was written to PyTorch loses track
        if mine != reference:
            # A tensor whose history cannot be told has an error in the place of its facts.
            aspects = zip(ASPECTS, mine, reference, strict=False)
            respect, one, other = next(
                ((r, a, b) for r, a, b in aspects if a != b), ("facts", mine, reference)
            )
            self.expect(f"{name}: {respect} {one} against {other}")
        self.expect(None if warned == expected else f"{name}: warnings {warned} against {expected}")
        ours, theirs = self.ours.names[name], self.theirs.names[name]
        self._same_values(name, ours, theirs)
        if isinstance(reference[-1], tuple):
            TALLY.count("gradients compared")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._same_values(f"{name}.grad", ours.grad, theirs.grad)
        TALLY.count("tensors compared")

    def _same_values(self, what: str, ours: Any, theirs: Any) -> None:
        mine, reference = ours.tolist(), theirs.tolist()
        if not np.isfinite(reference).all():
            self.lost = True
        if not self.lost and mine != reference and not _same_numbers(mine, reference):
            self.expect(f"{what}: values {mine} against {reference}")

    def check_graph(self, name: str) -> None:
        """All nodes that lie behind a tensor, and how they hang together."""
        mine, reference = (
            _asked(lambda: _graph(self.ours.names[name])),
            _asked(lambda: _graph(self.theirs.names[name])),
        )
        self.expect(None if mine == reference else f"{name}: graph {mine} against {reference}")
        TALLY.count("graphs compared whole")


class _Over(Exception):
    """The program ends here, without a failure: from now on the two libraries may differ."""


_UNRECORDED = "A view was created in no_grad mode"  # of which either library may speak alone
#: Where tensorkit does otherwise on purpose: a word in PyTorch's error, and why.
DELIBERATE = {
    "invalid gradient at index": "PyTorch refuses the gradients of a leaf, and of a view of it, that got another "
    "layout while nothing was recorded; tensorkit knows which layout they belong to",
    _UNRECORDED: "whether a view made while nothing was recorded is looked at again on "
    "the walk back depends on what an operation saves, which is not always the same",
    "unsupported operation: some elements of the input tensor": "where a tensor is written into itself with more "
    "dimensions, PyTorch may take that for a part of its memory and refuse; tensorkit writes",
    "saved by a node that no gradient passes": "PyTorch refuses what a node that no gradient passes has saved, if it "
    "was changed; tensorkit saves nothing there",
    "INTERNAL ASSERT FAILED": "PyTorch loses track of its own retain_grad and asks to report a bug",
}


def _meant(ours: BaseException | None, theirs: BaseException | None) -> bool:
    """Whether two outcomes differ as they are meant to."""
    reason = next((word for word in DELIBERATE if word in str(theirs)), None)
    if reason is None and _UNRECORDED in str(ours):
        reason = _UNRECORDED
    if reason is None or same_error(_renamed(ours), theirs) is None:
        return False
    TALLY.count(f"differs on purpose: {reason}")
    return True


def _renamed(error: BaseException | None) -> BaseException | None:
    """An error in PyTorch's names of C++."""
    if error is None or "tensorkit::" not in str(error):
        return error
    return type(error)(str(error).replace("tensorkit::", "torch::"))


def _words(line: str) -> set[str]:
    return set("".join(c if c.isalnum() or c == "_" else " " for c in line).split())


def _storage(tensor: Any) -> Any:
    return tensor.untyped_storage()


def _play(data: bytes, torch: Any) -> None:
    hand = Hand(data)
    program = Program(torch)
    watched = not hand.chance(25)  # to look is to ask for histories, which are made when they are asked for
    program.step(first_step(hand))
    fresh = list(NAMES[1:])
    for _ in range(hand.pick((8, 10, 12, 9))):
        full = len(program.members) >= MEMBERS
        step = next_step(hand, program.tensors(), fresh, full=full)
        fresh = [name for name in fresh if name not in step.defines]
        program.step(step)
        if watched:
            for name in program.members:
                program.check(name)
    for name in program.members:
        program.check(name)
    for name in program.members:
        program.check_graph(name)
    TALLY.count("programs")
    TALLY.count("programs with infinite numbers", program.lost)
    TALLY.count("programs looked at only at their end", not watched)


def _to_its_end(data: bytes, torch: Any) -> None:
    try:
        _play(data, torch)
    except _Over:
        TALLY.count("programs cut short")


def test_every_step_of_a_program_is_pytorchs(torch: Any) -> None:
    run_programs(lambda data: _to_its_end(data, torch), count=PROGRAMS, length=260, seed=3, share="autograd")
    assert TALLY.counts["programs"] >= 5000
    assert TALLY.never() == []
