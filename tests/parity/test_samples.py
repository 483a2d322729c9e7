"""Every registered operation against PyTorch: its samples, in every dtype, over every kind of memory."""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tensorkit import dtypes
from tensorkit.dispatch.registry import Op, Sample, registry
from tests.parity.compare import LAYOUTS, Operand, Outcome, compare
from tests.parity.coverage import Coverage, Tally
from tests.parity.differences import DELIBERATE, Case, Deliberate, find, signed_zeros, tolerance
from tests.torch_oracle import every_other, exhaust, fuzz_seconds

pytestmark = pytest.mark.parity

OPS = sorted((op for op in registry.values() if op.samples), key=lambda op: op.name)
DTYPES = tuple(kind.name for kind in dtypes.ALL)
#: Beside a sample's own sizes: without elements, with one, without dimensions.
RESIZED = ("first 0", "last 0", "ones", "0-d")
TALLY = Tally("operations on samples", ("telling values", "mixed dtypes", *RESIZED))
COVERAGE = Coverage("operations by the dtypes in which they gave a value")
RAN: set[str] = set()
SEEN: Counter[Deliberate] = Counter()


def _resized(size: tuple[int, ...], how: str) -> tuple[int, ...]:
    if how == "first 0":
        return (0, *size[1:]) if size else ()
    if how == "last 0":
        return (*size[:-1], 0) if size else ()
    return (1,) * len(size) if how == "ones" else ()


def _case(op: Op, sample: Sample, rng: random.Random, **fixed: Any) -> Case:
    """The sample on operands that `fixed` says something about; the rest is drawn."""
    dtype = fixed.get("dtype") or rng.choice(DTYPES)
    how = fixed.get("resized", "")
    operands = {}
    for place, (name, size) in enumerate(sample.sizes.items()):
        drawn = rng.choice(LAYOUTS)
        operands[name] = Operand(
            size=_resized(size, how) if how else size,
            dtype=rng.choice(DTYPES) if place and fixed.get("mixed") else dtype,
            layout=fixed.get("layout", drawn) if place == 0 else drawn,
            seed=rng.randrange(1000),
            values=fixed.get("values", "small"),
        )
    return Case(op.name, op.kind, sample.call, operands)


def _cases(op: Op, sample: Sample, rng: random.Random, turn: int) -> Iterator[Case]:
    if not sample.sizes:
        yield _case(op, sample, rng)
        return
    for number, dtype in enumerate(DTYPES):
        drawn = (_case(op, sample, rng, dtype=dtype, layout=layout) for layout in LAYOUTS)
        yield from every_other(list(drawn), number + turn)
        TALLY.count("telling values")
        yield _case(op, sample, rng, dtype=dtype, values="telling")
        if len(sample.sizes) > 1:
            TALLY.count("mixed dtypes")
            yield _case(op, sample, rng, dtype=dtype, mixed=True)
    for how in RESIZED:
        for _ in range(3):
            TALLY.count(how)
            yield _case(op, sample, rng, resized=how)


def _unexpected(torch: Any, case: Case) -> str | None:
    """What differs in a way that nobody meant."""
    for operand in case.operands.values():
        TALLY.operand(operand)
    allowed = tolerance(case)
    text = case.layout() == "plain" and not allowed

    def told(outcome: Outcome) -> None:
        if outcome.error is None:
            COVERAGE.add(case.op, case.dtypes())

    signs = signed_zeros(case)
    found = compare(torch, case.call, case.operands, tolerance=allowed, text=text, signs=signs, told=told)
    if found is None:
        return None
    meant = find(case, found)
    if meant is not None:
        SEEN[meant] += 1
    return None if meant else found.text


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_an_operation_does_what_pytorch_does(op: Op, torch: Any) -> None:
    rng = random.Random(zlib.crc32(op.name.encode()) if fuzz_seconds() == 0 else None)

    def all_samples() -> None:
        cases = (case for turn, sample in enumerate(op.samples) for case in _cases(op, sample, rng, turn))
        wrong = [found for case in cases if (found := _unexpected(torch, case))]
        assert not wrong, f"{len(wrong)} cases, among them:\n" + "\n".join(wrong[:8])

    exhaust(all_samples, "samples", len(OPS))
    RAN.add(op.name)


def _all_ran() -> None:
    missing = {op.name for op in OPS} - RAN
    if missing:
        pytest.skip(f"{len(missing)} operations were not chosen or failed in this run")


def test_every_dtype_and_every_kind_of_memory_was_tried(torch: Any) -> None:
    _all_ran()
    assert TALLY.never() == []


def test_every_deliberate_difference_is_still_one(torch: Any) -> None:
    _all_ran()
    assert [entry.reason for entry in DELIBERATE if not (entry.rare or SEEN[entry])] == []
