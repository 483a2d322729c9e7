"""One program that writes, in both libraries: each step is run in both, and all that there is afterwards compared."""

from __future__ import annotations

import ctypes
import functools
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np

import tensorkit
from tensorkit.dispatch.registry import registry
from tests.parity.compare import Operand, build, plain_text, same_error, same_tensor
from tests.parity.coverage import Tally
from tests.parity.differences import Case, factorises, signed_zeros, tolerance
from tests.parity.programs.views import overlaps_itself, slots_of
from tests.parity.programs.writing import KINDS, Step, built
from tests.parity.programs.writing_differences import DELIBERATE, Last
from tests.support.warnings import recorded

TALLY = Tally(
    "programs that write",
    (
        "programs", "programs cut short", "steps", "steps refused", "warnings", "tensors compared",
        "values left to chance", "factorisations compared with their own", "refused by tensorkit, and unchanged",
        "out= resized", "out= in an operand", *KINDS,
    ),
)  # fmt: skip

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


class Over(Exception):
    """The program ends here, without a failure: from now on the two libraries may differ."""


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
            raise Over(reason)
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
        shared = any(map(overlaps_itself, self._involved(step.writes)))
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
            raise Over  # whether a matrix is singular is chance, but for exact numbers
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
            if any(t.dim() != 2 or min(t.size()) != pivots for t in self._involved(step.reads)):
                return True
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
        if any(overlaps_itself(target) for target in targets):
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
            self.expect(_prefixed(name, same(ours, theirs, allowed, signs)))
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
                self.expect(_prefixed("result", same(one, other, allowed, signs)))


def _prefixed(name: str, found: str | None) -> str | None:
    return found and f"{name}: {found}"


def same(ours: Any, theirs: Any, allowed: float, signs: bool) -> str | None:
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


def _bytes_of(tensor: Any) -> set[int]:
    item = tensor.element_size()
    return {slot * item + byte for slot in slots_of(tensor) for byte in range(item)}


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
