"""Programs that write in every way: after every step each tensor of the family is what it is in PyTorch.

Compared are whether a step is refused and what it returns; and of each tensor its values, dtype, size, strides,
offset, version, the bits of conjugates and negatives, the size of its storage, and with whom it shares that. Sentences
and warnings are compared of item writes alone: of calls they are for the tests of samples and of wrong calls. Before
the next step ours take the bytes of PyTorch's, so that last digits do not add up.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np
import pytest

import tensorkit
from tensorkit.dispatch import registry
from tests.parity.compare import Operand, build, plain_text, same_error, same_tensor
from tests.parity.differences import Case, factorises, signed_zeros, tolerance
from tests.parity.drawing import run_programs
from tests.parity.programs import Hand
from tests.parity.tally import Tally
from tests.parity.writing_programs import KINDS, Step, built, first_steps, next_step
from tests.recording import recorded

pytestmark = pytest.mark.parity

PROGRAMS = 400
MEMBERS = 9
TALLY = Tally(
    "programs that write",
    (
        "programs", "programs cut short", "steps", "steps refused", "warnings", "tensors compared",
        "values left to chance", "factorisations compared with their own", "refused by tensorkit, and unchanged",
        "out= resized", "out= in an operand", *KINDS,
    ),
)  # fmt: skip

_UNSUPPORTED = "unsupported operation: "
_SINGULAR = ("singular", "is zero", "positive-definite")
_MIDWAY = (
    "Number of elements of source",
    "histogram_cpu",
    "ZeroDivisionError",
    "out of bounds",
    "out of range",
    "_reduce_a",
    "Expected p_in",
    "neg_cpu",
    "view size is not compatible",
)
#: Dtypes by how few digits they keep, as multiples of the tolerance of float64.
_COARSE = ("bfloat16", "float16", "float32", "complex64", "float64", "complex128")
_RELATIVE = {"bfloat16": 2e-2, "float16": 2e-3, "float64": 1e-13, "complex128": 1e-13}


#: What sorts where its results lie.
_SORTING = ("sort", "msort", "topk", "kthvalue", "median", "nanmedian", "mode")

Ran = tuple[BaseException | None, list[str], Any]


class _Over(Exception):
    """The program ends here, without a failure: from now on the two libraries may differ."""


@dataclass(frozen=True)
class Last:
    """The last step of a program, and what was there before it.

    Attributes:
        error: how PyTorch refused it.
        bits: whether a view with bits was to be written into.
        unsigned: whether it met negatives, float16 and float32.
        meets: whether something that it reads lies in what it writes.
        twice: whether two things that it writes lie in the same memory.
        shared: whether elements of what it writes share a slot.
        fits: whether all that it writes had the result's size, and the dtype of what it reads.
        resized: whether PyTorch gave a member another size.
    """

    step: Step
    error: BaseException | None
    bits: bool = False
    unsigned: bool = False
    meets: bool = False
    twice: bool = False
    shared: bool = False
    fits: bool = True
    resized: bool = False

    def factorised(self) -> bool:
        """Whether it was a function of linear algebra whose results LAPACK decides."""
        return bool(self.step.op) and factorises(self.step.op)

    def refused(self) -> bool:
        """Whether PyTorch refused a call with ``out=``."""
        return self.error is not None and self.step.kind.startswith("out=")


#: Where tensorkit does otherwise on purpose: why, and of which last step and which difference.
DELIBERATE: dict[str, Callable[[Last, str], bool]] = {
    "PyTorch fails in its own checks where some of its functions are given a view of conjugates or negatives as out=; "
    "tensorkit writes what they stand for": lambda last, found: (
        last.bits and last.refused() and found.startswith("tensorkit returned")
    ),
    "some mixtures of dtypes PyTorch refuses by an assertion of its own; tensorkit computes them": (
        lambda last, found: (
            found.startswith("tensorkit returned") and "INTERNAL ASSERT FAILED" in str(last.error)
        )
    ),
    "before a call is refused, some of what was given as out= may have been resized or counted as written; which it is "
    "depends on PyTorch's way around, and tensorkit mostly leaves all as it was": (
        lambda last, found: (
            last.refused()
            and re.match(r"m\d+: (size|stride|storage|contiguous|offset|version)", found) is not None
        )
    ),
    "of what is given as out=, kron counts no write, nanmean two, and diff and the factorisations up to three where "
    "PyTorch takes a way around": (
        lambda last, found: (
            "version" in found
            and (
                last.step.op in ("kron", "nanmean", "svd")
                or ((last.resized or not last.fits) and (last.step.op == "diff" or last.factorised()))
            )
        )
    ),
    "addbmm into a tensor of another dtype or size loses some of the products in PyTorch; tensorkit adds them": (
        lambda last, found: (
            last.step.op == "addbmm"
            and (not last.fits or last.resized or ": size" in found)
            and (re.search(": (values|size|stride|storage)", found) is not None or "can't be cast" in found)
        )
    ),
    "where elements of out= share memory, with each other or with what is read, some of PyTorch's functions refuse and "
    "others write in whatever order; tensorkit refuses some of these and writes some of those, once all is read": (
        lambda last, found: (
            last.step.kind.startswith("out=")
            and (last.meets or last.shared)
            and re.match(rf"tensorkit (raised|returned, PyTorch raised) RuntimeError\('{_UNSUPPORTED}", found)
            is not None
        )
    ),
    "where a tensor is written into itself with one dimension more, PyTorch may take that for a part of its memory and "
    "refuse; tensorkit writes": lambda last, found: (
        last.step.kind == "t[...] = x"
        and last.meets
        and found.startswith(f"tensorkit returned, PyTorch raised RuntimeError('{_UNSUPPORTED}")
    ),
    "with an exponent in a tensor without dimensions PyTorch computes powers of complex numbers by logarithms, so that "
    "0 to the 0 is no number, and of -0.0 and -inf no roots; tensorkit takes it for the number that it is": (
        lambda last, found: (
            last.step.op in ("pow", "float_power")
            and re.search(r": values .*(j\)|-0\.0|inf)", found, re.DOTALL) is not None
        )
    ),
    "addmv without columns gives in PyTorch what is added to in its own size; tensorkit broadcasts it": (
        lambda last, found: last.step.op == "addmv" and "size" in found
    ),
    "the product of two vectors that stand for conjugates is a view of a conjugate in PyTorch; tensorkit computes it": (
        lambda last, found: (
            last.step.op in ("dot", "inner", "matmul", "tensordot", "vdot") and ": conjugate" in found
        )
    ),
    "PyTorch fails where it would take memory of out= beyond its end by columns; tensorkit resizes it": (
        lambda last, found: last.factorised() and "PyTorch raised RuntimeError('setStorage" in found
    ),
    "there is no complex32, of which PyTorch speaks where a complex number meets float16": (
        lambda last, found: "ComplexHalf" in found
    ),
    "where a divisor lies in what is divided, PyTorch may meet a zero that it has just written": (
        lambda last, found: last.meets and "ZeroDivisionError" in found
    ),
    "what is given twice as out= of several is refused, or written for the one result or the other": (
        lambda last, found: last.step.kind == "out= of several" and last.twice
    ),
    "from or into a view of negatives PyTorch copies float16 as float32, and back, without the sign": (
        lambda last, found: (
            last.unsigned
            and (last.step.kind == "t[...] = x" or "copy" in last.step.op)
            and ": values" in found
        )
    ),
    "solve_triangular writes into another dtype in PyTorch where out= lies in the order of neither rows nor columns; "
    "tensorkit refuses all other dtypes": lambda last, found: (
        last.step.op == "linalg_solve_triangular"
        and not last.fits
        and found.startswith("tensorkit raised RuntimeError('expected scalar type")
    ),
    "some functions of linear algebra lay out= of another dtype, or without elements, by columns in PyTorch": (
        lambda last, found: (
            last.factorised()
            and (not last.fits or ": conjugate" in found)
            and re.match(r"(m\d+|result): (stride|storage|contiguous|conjugate)", found) is not None
        )
    ),
}


@functools.lru_cache(20000)
def _compiled(line: str) -> CodeType:
    return compile(line, "<program>", "exec")


@dataclass
class Side:
    """One library, and the tensors of the program by name."""

    lib: Any
    names: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names.update(tk=self.lib, build=build, Operand=Operand)

    def run(self, line: str) -> Ran:
        error: BaseException | None = None
        self.names["result"] = None
        with recorded() as caught:
            try:
                exec(_compiled(line), self.names)
            except Exception as problem:
                error = problem.with_traceback(None)
        said = [plain_text(str(w.message)).split("\n")[0] for w in caught]
        return error, said, self.names.pop("result", None)

    def tensor(self, expression: str) -> Any:
        """What an expression stands for, if it is a tensor."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = eval(expression, self.names)
            except Exception:
                return None
        return found if hasattr(found, "untyped_storage") else None

    def sharing(self, members: list[str]) -> list[Any]:
        """For each member the first that lies in the same storage, and how many bytes further it begins."""
        starts: dict[int, tuple[str, int]] = {}
        found: list[Any] = []
        for name in members:
            tensor = self.names[name]
            storage = tensor.untyped_storage()
            start = storage.data_ptr() if storage.nbytes() else 0
            first = starts.setdefault(start, (name, start)) if start else (name, 0)
            found.append((name, first[0]))
        return found


@dataclass
class Program:
    """One program in both libraries."""

    torch: Any
    dtype: str = ""
    lines: list[str] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    last: Last = field(default_factory=lambda: Last(built("", Operand((), "bool")), None))

    def __post_init__(self) -> None:
        self.ours, self.theirs = Side(tensorkit), Side(self.torch)

    def expect(self, found: str | None) -> None:
        """Fail with the whole program when something differs, unless it is meant to: then the program ends."""
        if found is None:
            return
        reason = next((why for why, covers in DELIBERATE.items() if covers(self.last, found)), None)
        if reason is not None:
            TALLY.count("programs cut short")
            raise _Over(reason)
        raise AssertionError(f"{found}\nafter\n" + "\n".join(self.lines))

    def step(self, step: Step) -> None:
        """Run a line in both; then compare all that there is."""
        if step.writes and self._ends_pytorch(step):
            return
        chance, allowed, signs = self._chance_decides(step), self._tolerance(step), self._signs(step)
        shapes = self._shapes()
        bits = any(target._bits for target in self._involved(step.writes))
        involved = list(self._involved((*step.writes, *step.reads)))
        kinds = {str(tensor.dtype).partition(".")[2] for tensor in involved}
        unsigned = {"float16", "float32"} <= kinds and any(tensor.is_neg() for tensor in involved)
        shared = any(map(_overlaps_itself, self._involved(step.writes)))
        targets = list(self._involved(step.writes))
        twice = any(_meet(one, other) for place, one in enumerate(targets) for other in targets[:place])
        meets, fits, held = self._meets(step), self._fits(step), self._held()
        expected = None if meets or shared else self._without_out(step)
        self.lines.append(step.line)
        if step.op:
            for side in (self.ours, self.theirs):
                side.lib.manual_seed(3)
        # The value of a call, to be compared too.
        line = f"result = {step.line}" if step.kind.startswith(("out=", "in-place")) else step.line
        mine, reference = self.ours.run(line), self.theirs.run(line)
        resized = self._shapes() != shapes
        self.last = Last(step, reference[0], bits, unsigned, meets, twice, shared, fits, resized)
        self._count(step, reference, chance)
        self._compare_errors(step, mine, reference)
        if mine[0] is not None and step.kind.startswith(("out=", "in-place")):
            self._unchanged(held)
        if step.defines and reference[0] is None:
            self.members.append(step.defines)
        TALLY.count("out= resized", resized and step.kind.startswith("out="))
        # PyTorch may have written some of it before it refuses.
        unwritten = reference[0] is not None and (
            step.kind.startswith("out=") or any(word in repr(reference[0]) for word in _MIDWAY)
        )
        if expected is not None and mine[0] is None:
            self._compare_own(mine[2], expected, allowed)
        self._compare(chance or unwritten, allowed, signs)
        self._compare_results(mine[2], reference[2], chance, allowed, signs)

    def _without_out(self, step: Step) -> tuple[Any, ...] | None:
        """What our own factorisation gives without ``out=``: its values are LAPACK's, and those of PyTorch's others."""
        if not (step.kind.startswith("out=") and factorises(step.op)):
            return None
        call = step.line[: step.line.rindex("out=")].rstrip(", ") + ")"
        error, _, result = self.ours.run(f"result = {call}")
        return None if error is not None else tuple(result) if isinstance(result, tuple) else (result,)

    def _compare_own(self, written: Any, expected: tuple[Any, ...], allowed: float) -> None:
        """Whether a factorisation's results lie in what was given as ``out=``."""
        parts = tuple(written) if isinstance(written, tuple) else (written,)
        for one, other in zip(parts, expected, strict=True):
            self.expect(
                None if one.size() == other.size() else f"own: size {one.size()} against {other.size()}"
            )
            mine, own = (np.asarray(t.resolve_conj().to(one.dtype).tolist()) for t in (one, other))
            same = np.allclose(mine, own, rtol=1e-4 + allowed, atol=1e-4 + allowed, equal_nan=True)
            self.expect(None if same else f"own: {mine.tolist()} against {own.tolist()}")
            TALLY.count("factorisations compared with their own")

    def _compare_errors(self, step: Step, mine: Ran, reference: Ran) -> None:
        """Of a call whether it is refused: which of its faults is named is for the tests of samples and wrong calls."""
        if step.op and None not in (mine[0], reference[0]):
            return
        if self.last.factorised() and any(word in repr((mine[0], reference[0])) for word in _SINGULAR):
            raise _Over  # whether a matrix is singular is chance, but for exact numbers
        self.expect(same_error(mine[0], reference[0]))
        # How often a warning is given is chance where PyTorch looks twice.
        if not step.op and set(mine[1]) != set(reference[1]):
            self.expect(f"warnings {mine[1]} against {reference[1]}")

    def _count(self, step: Step, outcome: Ran, chance: bool) -> None:
        TALLY.count("steps")
        TALLY.count(step.kind)
        TALLY.count("steps refused", outcome[0] is not None)
        TALLY.count("warnings", len(outcome[1]))
        TALLY.count("values left to chance", chance)

    def _held(self) -> dict[str, tuple[Any, bytes]]:
        """Of each member of ours its geometry and the bytes of its memory."""
        return {
            name: ((tuple(tensor.size()), tensor.stride(), tensor.storage_offset()), _memory(tensor))
            for name, tensor in ((name, self.ours.names[name]) for name in self.members)
        }

    def _unchanged(self, held: dict[str, tuple[Any, bytes]]) -> None:
        """What tensorkit refuses to do has not been half done."""
        for name, (geometry, memory) in held.items():
            tensor = self.ours.names[name]
            same = (tuple(tensor.size()), tensor.stride(), tensor.storage_offset()) == geometry
            if same and not _memory(tensor).startswith(
                memory
            ):  # it may have grown for what was to be resized
                self.expect(f"{name}: half written by what tensorkit refused")
            TALLY.count("refused by tensorkit, and unchanged", same)

    # -- before a step --------------------------------------------------------------------------------------------

    def _involved(self, expressions: tuple[str, ...]) -> Iterator[Any]:
        for expression in expressions:
            tensor = self.ours.tensor(expression)
            if tensor is not None:
                yield tensor

    def _ends_pytorch(self, step: Step) -> bool:
        """Whether PyTorch would use other memory that it has resized, or divide the least integer by -1: it may die."""
        if (
            step.op == "narrow_copy"
        ):  # which writes beyond an output that is not contiguous, and ruins the heap
            return not all(target.is_contiguous() for target in self._involved(step.writes))
        if step.op == "range":  # which divides by a step that PyTorch has rounded to 0, in integers
            return not all(_is_inexact(target) for target in self._involved(step.writes))
        if step.op == "lu_unpack":  # which reads beyond the pivots of fewer rows, or of no batch
            pivots = len(re.findall(r"\d+", step.line.partition("tensor([")[2].partition("]")[0]))
            return any(t.dim() != 2 or min(t.size()) != pivots for t in self._involved(step.reads))
        # C++'s sort runs over the end where what it compares changes meanwhile.
        if step.op in _SORTING:
            sorted_into = list(self._involved(step.writes))
            if any(_meet(sorted_into[0], other) for other in sorted_into[1:]):
                return True
        for place, (expression, size) in enumerate(zip(step.writes, step.sizes, strict=False)):
            others = (*step.reads, *step.writes[:place], *step.writes[place + 1 :])
            for target in self._involved((expression,)):
                if tuple(target.size()) != size and any(
                    other.untyped_storage() is target.untyped_storage() for other in self._involved(others)
                ):
                    return True
        for tensor in self._involved((*step.writes, *step.reads)):
            kind = str(tensor.dtype).split(".")[1]
            if kind.startswith("int") and tensor.numel() and tensor.min().item() == np.iinfo(kind).min:
                return True
        return False

    def _chance_decides(self, step: Step) -> bool:
        """Whether the values hang on the order of writing, on memory that nobody wrote, or on a library's rounding."""
        if not step.writes:
            return False
        if step.op.startswith(("empty", "resize")) or (step.op and factorises(step.op)):
            return True
        targets = list(self._involved(step.writes))
        if any(_overlaps_itself(target) for target in targets):
            return True
        if self._meets(step):
            TALLY.count("out= in an operand", step.kind.startswith("out="))
            return True
        if step.kind in ("**=", "//=", "%=") and ".sum()" in step.line:
            return True  # which make much of a last digit
        inexact = self._tolerance(step) > 0
        # Rounded to integers, a last digit is a whole number.
        return inexact and any(not _is_inexact(target) for target in targets)

    def _meets(self, step: Step) -> bool:
        """Whether something that a step reads, or another that it writes, lies in what it writes."""
        targets = list(self._involved(step.writes))
        sources = list(self._involved(step.reads))
        return any(
            _meet(target, other)
            for place, target in enumerate(targets)
            for other in (*targets[:place], *sources)
        )

    def _fits(self, step: Step) -> bool:
        """Whether all that a step writes has elements, the size of the result and the dtype of what it reads."""
        targets = list(self._involved(step.writes))
        kinds = {target.dtype for target in (*targets, *self._involved(step.reads))}
        sizes = [tuple(target.size()) for target in targets]
        full = all(target.numel() for target in targets)
        return full and len(kinds) == 1 and (not step.sizes or sizes == list(step.sizes))

    def _tolerance(self, step: Step) -> float:
        """How far from PyTorch's a value may be: relatively, and to the size of the largest."""
        added = ".sum()" in step.line
        if not step.op and not added:
            return 0.0
        names = (*step.writes, *step.reads, *(self.members if added else ()))
        kinds = [str(t.dtype).split(".")[1] for t in self._involved(names)]
        operands = {str(place): Operand((1,), kind) for place, kind in enumerate(kinds)}
        ops = [op for op in (step.op, "sum" if added else "") if op]
        times = max(tolerance(Case(op, registry[op].kind, step.line, operands)) for op in ops)
        if "bool" in kinds or any("int" in kind for kind in kinds):
            kinds.append("float32")  # what is computed of integers
        coarse = [kind for kind in kinds if kind in _COARSE] or ["float32"]
        return times * max(_RELATIVE.get(kind, 2e-6) for kind in coarse)

    def _signs(self, step: Step) -> bool:
        if step.op == "logaddexp2":  # a result that is 0 but for rounding
            return False
        return not step.op or signed_zeros(Case(step.op, "", step.line, {}))

    def _shapes(self) -> list[Any]:
        return [tuple(self.theirs.names[name].size()) for name in self.members]

    # -- after a step ---------------------------------------------------------------------------------------------

    def _compare(self, chance: bool, allowed: float, signs: bool) -> None:
        for name in self.members:
            ours, theirs = self.ours.names[name], self.theirs.names[name]
            if chance:
                _take_bytes(ours, theirs)
            self.expect(_prefixed(name, _same(ours, theirs, allowed, signs)))
            TALLY.count("tensors compared")
            TALLY.tensor(ours)
        shared = [side.sharing(self.members) for side in (self.ours, self.theirs)]
        self.expect(None if shared[0] == shared[1] else f"memory {shared[0]} against {shared[1]}")
        for name in self.members:
            ours, theirs = self.ours.names[name], self.theirs.names[name]
            _take_bytes(ours, theirs)
            if _is_wild(theirs):
                _refill(self.torch, ours, theirs)

    def _compare_results(self, ours: Any, theirs: Any, chance: bool, allowed: float, signs: bool) -> None:
        """What a call returned: the same members, or tensors with the same in them."""
        many = [list(v) if isinstance(v, (tuple, list)) else [v] for v in (ours, theirs)]
        self.expect(
            None if len(many[0]) == len(many[1]) else f"{len(many[0])} results against {len(many[1])}"
        )
        self.expect(
            None
            if isinstance(ours, tuple) == isinstance(theirs, tuple)
            else f"result {type(ours)} against {type(theirs)}"
        )
        for one, other in zip(*many, strict=True):
            known = [
                [value is side.names[name] for name in self.members]
                for value, side in ((one, self.ours), (other, self.theirs))
            ]
            self.expect(None if known[0] == known[1] else f"result is {known[0]} against {known[1]}")
            if any(known[0]) or not hasattr(other, "untyped_storage"):
                continue
            if chance:
                _take_bytes(one, other)
            refilled = any(_meet(one, self.ours.names[name]) for name in self.members)
            if not refilled:
                self.expect(_prefixed("result", _same(one, other, allowed, signs)))


def _prefixed(name: str, found: str | None) -> str | None:
    return found and f"{name}: {found}"


def _same(ours: Any, theirs: Any, allowed: float, signs: bool) -> str | None:
    bits = [(t.is_conj(), t.is_neg(), t.requires_grad) for t in (ours, theirs)]
    if bits[0] != bits[1]:
        return f"conjugate, negative, wants a gradient: {bits[0]} against {bits[1]}"
    kind = str(theirs.dtype).split(".")[1]
    times = allowed / _RELATIVE.get(kind, 2e-6)
    return same_tensor(ours, theirs, tolerance=times, signs=signs)


def _is_inexact(tensor: Any) -> bool:
    return bool(tensor.is_floating_point() or tensor.is_complex())


def _memory(tensor: Any) -> bytes:
    storage = tensor.untyped_storage()
    return ctypes.string_at(storage.data_ptr(), storage.nbytes()) if storage.nbytes() else b""


def _slots(tensor: Any) -> list[int]:
    return list(tensor._lay().slots())


def _overlaps_itself(tensor: Any) -> bool:
    slots = _slots(tensor)
    return len(set(slots)) < len(slots)


def _bytes_of(tensor: Any) -> set[int]:
    item = tensor.element_size()
    return {slot * item + byte for slot in _slots(tensor) for byte in range(item)}


def _meet(one: Any, other: Any) -> bool:
    """Whether two tensors have bytes in common."""
    if one.untyped_storage() is not other.untyped_storage():
        return False
    return not _bytes_of(one).isdisjoint(_bytes_of(other))


def _take_bytes(ours: Any, theirs: Any) -> None:
    """Give our storage PyTorch's bytes, behind the back of either library."""
    mine, reference = ours.untyped_storage(), theirs.untyped_storage()
    if mine.nbytes() == reference.nbytes() > 0:
        ctypes.memmove(mine.data_ptr(), reference.data_ptr(), reference.nbytes())


def _is_wild(tensor: Any) -> bool:
    """Whether numbers became so large, or so little numbers, that the next step could only meet chance."""
    if not tensor.numel():
        return False
    if not _is_inexact(tensor):
        return bool(tensor.dtype.itemsize > 1 and not -1000 < tensor.double().abs().max().item() < 1000)
    return not bool((tensor.abs() < 1000).all())


def _refill(torch: Any, ours: Any, theirs: Any) -> None:
    """Small numbers in the place of wild ones, in both storages."""
    storage = theirs.untyped_storage()
    count = storage.nbytes() // theirs.element_size()
    numbers = (torch.arange(count) % 5 + 1).to(theirs.dtype)
    for own in (ours.untyped_storage(), storage):
        ctypes.memmove(own.data_ptr(), numbers.data_ptr(), count * theirs.element_size())


def _play(data: bytes, torch: Any) -> None:
    hand = Hand(data)
    program = Program(torch)
    program.dtype, steps = first_steps(hand)
    for step in steps:
        program.step(step)
    for _ in range(hand.pick((4, 3, 5, 6))):
        full = len(program.members) >= MEMBERS
        for step in next_step(hand, torch, program.theirs.names, program.members, program.dtype, full=full):
            program.step(step)
    TALLY.count("programs")


def _to_its_end(data: bytes, torch: Any) -> None:
    with contextlib.suppress(_Over):
        _play(data, torch)


def test_every_step_of_a_program_is_pytorchs(torch: Any) -> None:
    run_programs(lambda data: _to_its_end(data, torch), count=PROGRAMS, length=120, seed=5, share=0.25)
    assert TALLY.never() == []


def _plain(size: tuple[int, ...], dtype: str = "float32", layout: str = "plain") -> Operand:
    return Operand(size, dtype, layout, 7)


#: What generated programs found: the operands of a call with ``out=``, which come last, and the call.
FOUND: dict[str, tuple[tuple[Operand, ...], str, int]] = {
    "a refused one of several": (
        (_plain((3, 3)), _plain((3, 3)), _plain((), "int64")),
        "tk.linalg.inv_ex(m0, out=(m1, m2))",
        2,
    ),
    "shared slots in one of several": (
        (_plain((3, 4)), _plain((3, 4), "float32", "expanded"), _plain((3, 4), "int64")),
        "tk.sort(m0, out=(m1, m2))",
        2,
    ),
    "shared slots of another size": (
        (_plain((2, 3)), _plain((2, 3, 2), "float32", "expanded")),
        "tk.round(m0, out=m1)",
        1,
    ),
    "shared slots that are resized by columns": (
        (_plain((3, 3)), _plain((2, 3, 2), "float32", "expanded")),
        "tk.linalg.inv(m0, out=m1)",
        1,
    ),
    "shared slots of a sum's kin": (
        (_plain((3, 4)), _plain((3,), "int64", "expanded")),
        "tk.argmax(m0, 1, out=m1)",
        1,
    ),
    "shared slots of a mean": (
        (_plain((3, 3)), _plain((3,), "float32", "expanded")),
        "tk.mean(m0, 0, out=m1)",
        1,
    ),
    "resized row by row": ((_plain((3, 2)), _plain((2,)), _plain((3,))), "tk.orgqr(m0, m1, out=m2)", 1),
    "resized row by row, of several": (
        (_plain((3, 2)), _plain((3,)), _plain((0,))),
        "tk.geqrf(m0, out=(m1, m2))",
        2,
    ),
    "an offset that stays": (
        (_plain(()), _plain((1,), "float32", "offset"), _plain((), "int64")),
        "tk.kthvalue(m0, 1, out=(m1, m2))",
        2,
    ),
    "parts that are resized": (
        (_plain((2, 3)), _plain((5,)), _plain((3,))),
        "tk.unbind_copy(m0, out=(m1, m2))",
        2,
    ),
    "a draw that is resized": (
        (_plain((0,)),),
        "tk.rand(3, generator=tk.Generator().manual_seed(3), out=m0)",
        1,
    ),
    "a draw of another dtype": ((_plain((2,)),), "tk.normal(1, 1, (2,), dtype=tk.int64, out=m0)", 1),
    "truth as bytes": ((_plain((2, 3)), _plain((), "uint8")), "tk.all(m0 / 8, out=m1)", 1),
    "the operand seen another way": (
        (_plain((2, 3)),),
        "tk.index_add(m0, 0, tk.tensor([0]), tk.ones(1, 3), out=m0.view(2, 3))",
        0,
    ),
    "places in the operand": ((_plain((), "int64"),), "tk.nonzero(m0, out=m0)", 1),
    "a number before a tensor": (
        (_plain((2, 3), "int64"), _plain((2, 3), "int64")),
        "tk.bitwise_and(2, m0, out=m1)",
        1,
    ),
    "a number among bounds": ((_plain((3,)), _plain((), "int64")), "tk.bucketize(2, m0, out=m1)", 1),
    "an old flag": ((_plain((2, 3)), _plain(())), "tk.var(m0, False, out=m1)", 1),
    "sizes of complex numbers": ((_plain((2, 3), "complex64"),), "tk.abs(m0, out=m0)", 1),
    "sizes in another dtype": (
        (_plain((2, 3), "complex64"), _plain((2, 3), "float64")),
        "tk.abs(m0, out=m1)",
        1,
    ),
    "no difference at all": ((_plain((2, 3)), _plain((5,))), "tk.diff(m0, n=0, out=m1)", 1),
    "a step of another dtype": (
        (_plain((2, 3), "int64"), _plain((2, 3))),
        "tk.heaviside(m0, m0, out=m1)",
        1,
    ),
    "whole numbers, turned": (
        (_plain((2, 3), "int32", "transposed"), _plain((0,), "int32")),
        "tk.nan_to_num(m0, out=m1)",
        1,
    ),
    "negatives, resized": (
        (_plain((2, 3), "float32", "transposed"), _plain((1,), "float32", "turned")),
        "tk.cos(m0, out=m1)",
        1,
    ),
    "the smaller of two": (
        (_plain((2, 3), "int32"), _plain((2, 3), "int32")),
        "tk.minimum(m0, m0, out=m1)",
        1,
    ),
    "narrowed without a word": ((_plain((3,)), _plain((3,))), "tk.narrow_copy(m0, 0, 0, 2, out=m1)", 1),
    "crossed without a word": ((_plain((3,)), _plain((3,))), "tk.cross(m0, m0, out=m1)", 1),
    "one number of bools": ((_plain((2, 3), "bool"),), "tk.linspace(1, 2, 1, out=m0)", 1),
    "one power of bools": ((_plain((2, 3), "bool"),), "tk.logspace(1, 2, 1, out=m0)", 1),
    "a draw that is refused": ((_plain((5,)), _plain((0,))), "tk.normal(m0, 2, out=m1)", 1),
    "a draw of integers, resized": (
        (_plain((0, 3), "int32"),),
        "tk.rand(2, generator=tk.Generator().manual_seed(3), out=m0)",
        1,
    ),
    "a draw of no integers": (
        (_plain((0,), "int32"),),
        "tk.randn(0, generator=tk.Generator().manual_seed(3), out=m0)",
        1,
    ),
    "a draw into negatives": (
        (_plain((3,), "float32", "turned"),),
        "tk.randn(2, generator=tk.Generator().manual_seed(3), out=m0)",
        1,
    ),
    "normal numbers, broadcast": (
        (_plain((2, 3)), _plain((3,))),
        "tk.normal(m0, 2, generator=tk.Generator().manual_seed(3), out=m1)",
        1,
    ),
    "places among complex numbers": (
        (_plain((3,), "complex64"), _plain((3,), "int64")),
        "tk.searchsorted(m0, m0, out=m1)",
        1,
    ),
    "a spread that is infinite": ((_plain((2,)), _plain((), "float64")), "tk.var(m0 * 1e30, out=m1)", 1),
    "a spread in sixteen bits": ((_plain((3,)), _plain((), "float16")), "tk.var(m0 * 1e30, out=m1)", 1),
    "a spread among complex numbers": (
        (_plain((2, 3)), _plain((3,), "complex64")),
        "tk.var(m0, 0, out=m1)",
        1,
    ),
    "a real mean of complex numbers": ((_plain((3,), "complex64"), _plain(())), "tk.mean(m0, out=m1)", 1),
    "sizes in shared slots": (
        (_plain((2, 3), "complex64"), _plain((2, 3, 2), "float32", "expanded")),
        "tk.abs(m0, out=m1)",
        1,
    ),
    "taken in the order of the places": (
        (_plain((3,)), _plain((2, 2, 2))),
        "tk.take(m0, tk.tensor([[0, 2], [1, 1]]).t(), out=m1)",
        1,
    ),
    "not, in uint64": ((_plain((3,)), _plain((3,), "uint64")), "tk.logical_not(m0, out=m1)", 1),
    "a rank in uint64": ((_plain((2, 3)), _plain((), "uint64")), "tk.linalg.matrix_rank(m0, out=m1)", 1),
    "added to in uint64": (
        (_plain((2, 3), "uint64"), Operand((2, 3), "uint64", "plain", 9)),
        "tk.index_add(m0, 0, tk.tensor([0]), m0[:1], out=m1)",
        1,
    ),
    "powers in shared slots": (
        (_plain((2, 3)), _plain((3, 2), "float64", "expanded")),
        "tk.float_power(m0, m0, out=m1)",
        1,
    ),
    "the larger in shared slots": (
        (_plain((2, 3)), _plain((3, 2), "float32", "expanded")),
        "tk.max(m0, m0, out=m1)",
        1,
    ),
    "the least, in its own indices": (
        (_plain((2, 2), "int64"), _plain((2,), "int64")),
        "tk.kthvalue(m0, 1, out=(m1, m0[0]))",
        0,
    ),
    "the middle, in itself": (
        (_plain((3,), "int64"), _plain((), "int64")),
        "tk.median(m0, 0, out=(m0, m1))",
        0,
    ),
    "exponents as the fractions lie": (
        (_plain((2, 3), "float32", "transposed"), _plain((2, 3)), _plain((2, 3, 2), "int32")),
        "tk.frexp(m0, out=(m1, m2))",
        2,
    ),
    "an older name": ((_plain((3,)), _plain((3, 3))), "tk.ger(m0, m0, out=m1)", 1),
    "more than a dtype counts": ((_plain((2, 3), "uint8"),), "tk.randperm(300, dtype=tk.uint8, out=m0)", 1),
    "a sum of products in another dtype": (
        (_plain((2, 2), "bool"), _plain((3, 2, 1), "uint8"), _plain((2, 2), "uint8")),
        "tk.addbmm(m0, m1, m1.mT, out=m2)",
        1,
    ),
    "a complex spread in shared slots": (
        (_plain((2, 3), "complex64"), _plain((2,), "complex64", "expanded")),
        "tk.std(m0, out=m1)",
        1,
    ),
    "the least of nothing": ((_plain((0,), "int64"), _plain((), "int16")), "tk.min(m0, out=m1)", 1),
    "a factor of nothing": (
        (_plain((0, 3), "int64"), _plain((0, 3), "float16")),
        "tk.cholesky(m0, out=m1)",
        1,
    ),
    "a draw that wants a gradient": (
        (_plain((3,), "float32", "turned"),),
        "tk.normal(1, 2, [3], requires_grad=True, generator=tk.Generator().manual_seed(3), out=m0)",
        1,
    ),
    "sizes of columns, resized": (
        (_plain((2, 3), "complex64", "transposed"), _plain((0,))),
        "tk.abs(m0, out=m1)",
        1,
    ),
    "slices into nothing": (
        (_plain((0, 3)), _plain((2, 3)), _plain((0, 3))),
        "tk.index_add(m0, 0, tk.tensor([0, 1]), m1, out=m2)",
        1,
    ),
    "a row times a matrix": (
        (_plain((2,)), _plain((2, 3)), _plain((3,), "float32", "sliced")),
        "tk.matmul(m0, m1, out=m2)",
        1,
    ),
    "fewer reflectors than columns": (
        (_plain((2, 3), "float64"), _plain((2,), "float64"), _plain((2, 3), "float64")),
        "tk.ormqr(m0, m1, m0, out=m2)",
        1,
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_the_programs_found_stays_mended(name: str, torch: Any) -> None:
    operands, call, outs = FOUND[name]
    program = Program(torch)
    for place, operand in enumerate(operands):
        program.step(built(f"m{place}", operand))
    written = tuple(f"m{place}" for place in range(len(operands)))[-outs:] if outs else ("m0",)
    kind = "out= of several" if outs > 1 else "out="
    name = call[3 : call.index("(")].replace(".", "_")
    program.step(Step(kind, call, "", written, tuple({"m0"} - set(written)), name))
    assert len(program.lines) == len(operands) + 1


#: The same for other lines than calls with ``out=``: the only operand, and the line.
FOUND_LINES: dict[str, tuple[Operand, str]] = {
    "filled with its own": (_plain((3,), "int64", "expanded"), "m0[:] = m0[0]"),
    "negatives as bools": (_plain((2,), "bool"), "m0[...] = tk._neg_view(m0.float())"),
    "negatives as large counts": (_plain((2, 3), "uint32"), "m0[...] = tk._neg_view(m0.half())"),
    "batches of nothing": (
        _plain((2, 2), "float32", "expanded"),
        "m0.addbmm_(m0.new_ones(0, 2, 2), m0.new_ones(0, 2, 2))",
    ),
    "pairs of nothing": (
        _plain((3, 2, 2), "float32", "expanded"),
        "m0.baddbmm_(m0.new_ones(3, 2, 0), m0.new_ones(3, 0, 2))",
    ),
    "negatives of itself": (_plain((3,)), "m0[:2].add_(tk._neg_view(m0)[1:])"),
    "into negatives": (_plain((1,), "float32", "turned"), "m0 += m0.flatten()[0]"),
    "conjugates where it points": (_plain((2, 2), "complex64"), "m0[tk.tensor([1])] = m0[0].conj()"),
    "an operand that is too small": (_plain((2,)), "tk.add(m0, tk.ones(2, 2), out=m0)"),
    "a product with nothing": (
        _plain((3,), "int32", "expanded"),
        "m0.addmv_(m0.new_ones(3, 0), m0.new_ones(0), beta=2)",
    ),
}


@pytest.mark.parametrize("name", FOUND_LINES)
def test_what_other_lines_found_stays_mended(name: str, torch: Any) -> None:
    operand, line = FOUND_LINES[name]
    ours, theirs = Side(tensorkit), Side(torch)
    for side in (ours, theirs):
        side.run(built("m0", operand).line)
    mine, reference = ours.run(line), theirs.run(line)
    assert same_error(mine[0], reference[0]) is None
    assert _same(ours.names["m0"], theirs.names["m0"], 0.0, True) is None
