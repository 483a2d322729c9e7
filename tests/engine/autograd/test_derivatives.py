"""Every operation's derivative: against small differences, and first and second derivatives against PyTorch's.

The cases are drawn from the operations' own samples, so an operation with a new derivative is covered the day that it
is registered, and one that PyTorch can differentiate but we cannot fails here. Operands are views of what is
differentiated by: transposed, cut out, behind others, expanded.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

import numpy as np
import pytest

import tensorkit
from tensorkit.autograd import GradcheckError, gradcheck, gradgradcheck
from tensorkit.dispatch.registry import Op, Sample, registry
from tests.parity.differences import factorises
from tests.torch_oracle import every_other, exhaust, fuzz_seconds, require_torch

pytestmark = pytest.mark.parity

OPS = sorted((op for op in registry.values() if any(s.sizes for s in op.samples)), key=lambda op: op.name)
LAYOUTS = ("plain", "transposed", "sliced", "offset", "expanded")
#: Where derivatives are a matter of convention: zeros, ties, constants, a few whole numbers of both signs, nan.
KINKS = ("zeros", "constant", "few", "nan")
#: How often each thing was compared, and of which operations, for the test that nothing was left out.
SEEN: Counter[str] = Counter()
RAN: set[str] = set()
DIFFERENTIATED: set[str] = set()
DIFFERENCED: set[str] = set()


@dataclass(frozen=True)
class Case:
    """One call: how each operand lies, what numbers it holds, of which dtype, and which operands want gradients."""

    call: str
    sizes: tuple[tuple[str, tuple[int, ...]], ...]
    layouts: tuple[str, ...]
    values: str = "positive"
    dtype: str = "float64"
    wants: tuple[bool, ...] = ()
    seed: int = 0


# -- operands -----------------------------------------------------------------------------------------------------


def _numbers(count: int, case: Case, place: int) -> list[Any]:
    rng = np.random.default_rng((case.seed, place))
    if case.values in KINKS:
        drawn = {"zeros": np.zeros(count), "constant": np.full(count, 2.0)}.get(
            case.values, rng.integers(-2, 3, count).astype(float)
        )
        if case.values == "nan":
            drawn[1::3] = math.nan
    else:
        # Apart from one another and from whole numbers: no kink or jump is within reach of a small difference.
        drawn = (rng.permutation(count) + 1) * 0.37 % 3 + 0.21 + 0.013 * place + 1e-3 * rng.random(count)
        if case.values == "mixed":
            drawn *= rng.choice([-1.0, 1.0], count)
    if case.dtype == "complex128":
        drawn = drawn + 1j * drawn[::-1] * (0 if case.values in ("zeros", "constant") else 0.7)
    return drawn.tolist()


def _wide(size: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """The size of what a view of this size and layout is cut out of."""
    if layout == "transposed":
        return size[::-1]
    if layout == "sliced":
        return tuple(2 * n for n in size)
    if layout == "offset":
        return (math.prod(size) + 2,)
    return size[1:] if layout == "expanded" and size and size[0] else size


def _operand(base: Any, size: tuple[int, ...], layout: str) -> Any:
    """A view of that size and layout, of a tensor that was made from the leaf."""
    own = base * 1
    if layout == "transposed":
        return own.permute(tuple(reversed(range(len(size)))))
    if layout == "sliced":
        return own[tuple(slice(1, None, 2) for _ in size)] if size else own
    if layout == "offset":
        return own[2:].view(size)
    return own.expand(size) if layout == "expanded" and size and size[0] else own


def leaves_of(lib: Any, case: Case) -> tuple[Any, ...]:
    made = []
    wants = case.wants or (True,) * len(case.sizes)
    for place, ((_, size), layout, wanted) in enumerate(zip(case.sizes, case.layouts, wants, strict=True)):
        wide = _wide(size, layout)
        numbers = lib.tensor(_numbers(math.prod(wide), case, place), dtype=getattr(lib, case.dtype)).view(
            wide
        )
        made.append(numbers.requires_grad_(wanted))
    return tuple(made)


# -- running ------------------------------------------------------------------------------------------------------


@functools.cache
def _compiled(call: str) -> CodeType:
    return compile(call, "<case>", "eval")


def _tensors(value: Any) -> Iterator[Any]:
    if hasattr(value, "requires_grad_"):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _tensors(part)


def called(lib: Any, case: Case, leaves: tuple[Any, ...]) -> tuple[Any, ...]:
    """Every tensor of the result, and every operand that was written to."""
    names = {
        name: _operand(leaf, size, layout)
        for leaf, (name, size), layout in zip(leaves, case.sizes, case.layouts, strict=True)
    }
    value = eval(_compiled(case.call), {"tk": lib, **names})
    found = list(_tensors(value))
    return (*found, *(t for t in names.values() if t._version and not any(t is other for other in found)))


def pattern(lib: Any, like: Any, shift: int) -> Any:
    count = like.numel()
    numbers: list[Any] = [((3 * i + shift) % 7) / 4 - 0.5 for i in range(count)]
    if like.is_complex():
        numbers = [complex(n, 0.3 - n) for n in numbers]
    return lib.tensor(numbers, dtype=like.dtype).view(like.size())


def _plain(grads: tuple[Any, ...]) -> list[Any]:
    # PyTorch may give zeros that it has not written down yet: a copy has them.
    return [None if g is None else g.detach().clone().tolist() for g in grads]


def derivatives(lib: Any, case: Case) -> dict[str, Any]:
    """What is compared: results, where they are, nodes, first and second derivatives; or the error."""
    done: dict[str, Any] = {}
    leaves = leaves_of(lib, case)
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    try:
        outputs = called(lib, case, leaves)
        done["differentiable"] = [out.requires_grad for out in outputs]
        done["places"] = sorted({str(out.device) for out in outputs})
        done["nodes"] = [out.grad_fn and out.grad_fn.name().split("::")[-1] for out in outputs]
        paths = [out for out in outputs if out.requires_grad]
        if not paths:
            return done
        starts = [pattern(lib, out, i).requires_grad_() for i, out in enumerate(paths)]
        first = lib.autograd.grad(paths, wanted, starts, create_graph=True, allow_unused=True)
        done["places of gradients"] = sorted({str(g.device) for g in first if g is not None})
        done["first"] = _plain(first)
        again = [g for g in first if g is not None and g.requires_grad]
        if again:
            seconds = [pattern(lib, g, 2 + i) for i, g in enumerate(again)]
            done["second"] = _plain(
                lib.autograd.grad(
                    again, [*wanted, *starts], seconds, allow_unused=True, materialize_grads=True
                )
            )
    except Exception as problem:
        done["error"] = problem
    return done


def _sentence(error: BaseException) -> str:
    return re.split(r"(?<=\.)\s|\n", str(error).replace("torch.", "tensorkit.").strip())[0].strip()


def same(ours: Any, theirs: Any, atol: float = 1e-12) -> bool:
    if isinstance(theirs, BaseException) or isinstance(ours, BaseException):
        known = [kind.__name__ for kind in type(ours).__mro__]
        # Which sign "not a number" has is the processor's.
        said, expected = (text.replace("-nan", "nan") for text in (str(ours), _sentence(theirs)))
        return type(theirs).__name__.lstrip("_") in known and said.startswith(expected)
    if ours is None or theirs is None or any(isinstance(part, (str, bool)) for part in theirs):
        return bool(ours == theirs)
    return len(ours) == len(theirs) and all(
        _same_numbers(*pair, atol) for pair in zip(ours, theirs, strict=True)
    )


def _same_numbers(ours: Any, theirs: Any, atol: float) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    a, b = np.asarray(ours), np.asarray(theirs)
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-9, atol=atol, equal_nan=True)


#: Calls on which the two differ on purpose.
DELIBERATE = {
    **dict.fromkeys(
        (
            "7 % a",
            "tk.as_strided_scatter(a, b, (2,), (2,))",
            "a.as_strided_scatter(b, (2, 2), (1, 3), 1)",
            "a.as_strided_scatter(b, (2,), (1,), storage_offset=0)",
        ),
        "PyTorch has no derivative of a number's remainder by a tensor, and takes that of as_strided_scatter by the "
        "tensor from what was written over, not from the rest; tensorkit has the right ones",
    ),
    "a.set_(b).stride()": "set_ of a view takes the view out of its family here; PyTorch reads it from its base again",
}


def _against_pytorch(torch: Any, case: Case, atol: float = 1e-12) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = derivatives(tensorkit, case), derivatives(torch, case)
    SEEN.update(theirs.keys())
    for key in dict.fromkeys((*theirs, *ours)):
        if not same(ours.get(key), theirs.get(key), atol):
            if case.call in DELIBERATE:
                SEEN[case.call] += 1
                return None
            return f"{case}:\n    {key}: {ours.get(key)!r}\n    PyTorch: {theirs.get(key)!r}"
    return None


_REFUSED = ("derivative for", "single memory location", "to have non-zero size")
"""Of what PyTorch refuses on the way back too: the comparison with it has seen to that."""


def _against_differences(case: Case, twice: bool = True) -> str | None:
    """Compare with small differences, where the call has derivatives and all of its results are numbers.

    ``twice``: the derivatives' own derivatives too by every element, otherwise along one line through the operands:
    each element more takes as many calls again.
    """
    leaves = leaves_of(tensorkit, case)

    def paths(*given: Any) -> tuple[Any, ...]:
        return tuple(out for out in called(tensorkit, case, given) if out.requires_grad)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            outputs = paths(*leaves)
        except Exception:
            return None  # refused, in PyTorch's words: the comparison has seen to that
        if any(out.dtype not in (tensorkit.float64, tensorkit.complex128) for out in outputs):
            return None  # too few digits for small differences
        if not outputs or not all(
            np.isfinite(out.detach().resolve_conj().resolve_neg().numpy()).all() for out in outputs
        ):
            return None
        try:
            gradcheck(paths, leaves)
            SEEN["small differences"] += 1
            if twice:
                gradgradcheck(paths, leaves)
            else:
                gradgradcheck(*_along_a_line(paths, leaves, case.seed))
            SEEN["small differences of derivatives"] += 1
        except GradcheckError as wrong:
            return f"{case}: {wrong}"
        except RuntimeError as refused:
            if any(words in str(refused) for words in _REFUSED):
                return None
            raise
    return None


def _along_a_line(paths: Callable[..., Any], leaves: tuple[Any, ...], seed: int) -> tuple[Any, tuple[Any]]:
    """One number made of all results, as a function of how far one goes from the operands in some direction."""
    rng = np.random.default_rng(seed)

    def weights(tensor: Any) -> Any:
        drawn = tensorkit.tensor(rng.uniform(0.5, 1.5, tensor.numel()).tolist(), dtype=tensor.dtype)
        return drawn.view(tensor.size())

    ways = [weights(leaf) for leaf in leaves]
    shares = [weights(out) for out in paths(*leaves)]

    def moved(step: Any) -> Any:
        there = [leaf.detach() + step * way for leaf, way in zip(leaves, ways, strict=True)]
        parts = [(out * share).sum() for out, share in zip(paths(*there), shares, strict=True)]
        total = sum(parts[1:], parts[0])
        return tensorkit.view_as_real(total) if total.is_complex() else total

    return moved, (tensorkit.zeros((), dtype=tensorkit.float64, requires_grad=True),)


# -- cases --------------------------------------------------------------------------------------------------------


def plain_case(sample: Sample, rng: random.Random) -> Case:
    sizes = tuple(sample.sizes.items())
    return Case(sample.call, sizes, ("plain",) * len(sizes), seed=rng.randrange(1000))


def _compared(
    sample: Sample, rng: random.Random, turn: int | None = None, kinks: tuple[str, ...] = KINKS
) -> Iterator[Case]:
    """Every layout; complex numbers; one operand alone; and the points where derivatives are a convention."""
    case = plain_case(sample, rng)
    count = len(case.sizes)
    laid = []
    for layout in LAYOUTS:
        others = tuple(rng.choice(LAYOUTS) for _ in range(count - 1))
        laid.append(replace(case, layouts=(layout, *others), values=rng.choice(("positive", "mixed"))))
    yield from laid if turn is None else every_other(laid, turn)
    yield replace(case, dtype="complex128", layouts=tuple(rng.choice(LAYOUTS) for _ in range(count)))
    for values in kinks if turn is None else every_other(kinks, turn):
        yield replace(case, values=values)
    if count > 1:
        for wants in itertools.product((False, True), repeat=count):
            if sum(wants) == 1:
                yield replace(case, wants=wants, values="mixed")


#: Small differences see what these do beyond their operand's elements; derivatives, PyTorch's too, do not.
_BEYOND = {
    **dict.fromkeys(("as_strided", "as_strided_", "as_strided_copy"), ("plain", "transposed", "offset")),
    "set_": (),
}
#: Written in place, these leave their tensor's history as it was, in PyTorch too: no derivative to be right or wrong.
# The derivative of a draw by its mean is 0 by agreement.
_BEYOND |= {"normal": (), "range": (), "logical_and": (), "logical_or": (), "logical_xor": ()}


def _differenced(op: Op, rng: random.Random) -> Iterator[Case]:
    """Each sample once, with real numbers; each operation once, with complex ones."""
    known = _BEYOND.get(op.name, LAYOUTS)
    for number, sample in enumerate(s for s in op.samples if s.sizes and known):
        case = plain_case(sample, rng)
        count = len(case.sizes)
        layouts = (
            known[(number + len(op.name)) % len(known)],
            *(rng.choice(LAYOUTS) for _ in range(count - 1)),
        )
        yield replace(case, layouts=layouts)
        if number == 0:
            yield replace(case, dtype="complex128")


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_derivatives_are_pytorchs(op: Op) -> None:
    torch = require_torch()
    rng = random.Random(zlib.crc32(op.name.encode()) if fuzz_seconds() == 0 else None)

    def all_samples() -> None:
        # What a factorisation makes of a singular matrix, or of what is no number, is chance; and it may magnify.
        linear = factorises(op.name)
        kinks = () if linear else KINKS
        samples = [sample for sample in op.samples if sample.sizes]
        turns = range(len(samples)) if len(samples) > 1 else [None]
        cases = [
            case
            for turn, sample in zip(turns, samples, strict=True)
            for case in _compared(sample, rng, turn, kinks)
        ]
        cases = [case for case in cases if not (linear and "expanded" in case.layouts)]
        before = SEEN["first"]
        atol = 1e-9 if linear else 1e-12
        wrong = [found for case in cases if (found := _against_pytorch(torch, case, atol))]
        if SEEN["first"] > before:
            DIFFERENTIATED.add(op.name)
        assert not wrong, f"{len(wrong)} of {len(cases)} cases, among them:\n" + "\n".join(wrong[:6])

    exhaust(all_samples, "gradients of samples", len(OPS))
    RAN.add(op.name)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_derivatives_are_small_differences(op: Op) -> None:
    rng = random.Random(zlib.crc32(op.name.encode()) if fuzz_seconds() == 0 else None)

    def all_samples() -> None:
        before = SEEN["small differences"]
        # Every sample's second derivatives are compared with PyTorch's too, element by element.
        cases = [
            (case, number % 3 == 0 or fuzz_seconds() > 0) for number, case in enumerate(_differenced(op, rng))
        ]
        wrong = [found for case, twice in cases if (found := _against_differences(case, twice))]
        assert not wrong, f"{len(wrong)} cases, among them:\n" + "\n".join(wrong[:3])
        if SEEN["small differences"] > before:
            DIFFERENCED.add(op.name)

    exhaust(all_samples, "second derivatives of samples", len(OPS))


# -- the comparison itself ----------------------------------------------------------------------------------------


def test_nothing_was_left_out() -> None:
    if {op.name for op in OPS} - RAN:
        pytest.skip("not every operation was chosen, or one failed")
    ruled = {op.name for op in OPS if op.derivative is not None and op.differentiable}
    assert ruled - DIFFERENTIATED == set()
    assert ruled - DIFFERENCED - {name for name, layouts in _BEYOND.items() if not layouts} == set()
    assert SEEN["first"] > 1000
    assert SEEN["second"] > 300
    assert SEEN["small differences"] > 150
    assert SEEN["small differences of derivatives"] > 150
    assert [call for call in DELIBERATE if not SEEN[call]] == []


def _found(name: str) -> list[str]:
    """What the comparisons say of an operation."""
    op, rng = registry[name], random.Random(0)
    compared = [case for sample in op.samples if sample.sizes for case in _compared(sample, rng)]
    by_pytorch = filter(None, (_against_pytorch(require_torch(), case) for case in compared))
    return [*by_pytorch, *filter(None, map(_against_differences, _differenced(op, rng)))]


def _exchange(monkeypatch: pytest.MonkeyPatch, rule: Any, formula: Any) -> None:
    """Another formula for the gradient of the input, also in the nodes that have theirs at hand."""
    monkeypatch.setitem(rule.formulas, "input", formula)
    for node in rule._classes.values():
        monkeypatch.setattr(node, "alone", staticmethod(formula))


def test_a_wrong_factor_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _found("neg") == []
    _exchange(monkeypatch, registry["neg"].derivative, lambda g, c: g * -1.01)
    found = _found("neg")
    assert any("first: " in text for text in found)
    assert any("Jacobian mismatch" in text for text in found)


def test_a_derivative_that_cannot_be_differentiated_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = registry["abs"].derivative
    right = rule.formulas["input"]
    _exchange(monkeypatch, rule, lambda g, c: right(g.detach(), c))
    assert any("second: " in text for text in _found("abs"))


def test_a_warning_names_the_line_that_called() -> None:
    """Recorded or not, as a function or as a method."""
    for alone in (tensorkit.ones(1), tensorkit.ones(1, requires_grad=True)):
        for call in (lambda t: t.std(), tensorkit.std, lambda t: tensorkit.std(t, 0)):
            with pytest.warns(UserWarning, match="degrees of freedom") as caught:
                call(alone)
            assert caught[0].filename == __file__


def test_a_rule_that_is_missing_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    negative = tensorkit.neg
    monkeypatch.setattr(tensorkit, "neg", lambda tensor: negative(tensor.detach()))
    assert any("differentiable: [False]" in text for text in _found("neg"))
