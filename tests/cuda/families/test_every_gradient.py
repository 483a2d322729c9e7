"""Every operation's derivatives on an emulated device: those of the CPU, and they stay there.

The CPU's own are compared with PyTorch's in `tests.engine.autograd.test_derivatives`. Here the same calls meet tensors
on the second of two devices, which is not the current one: each result must want a gradient where it does on the CPU,
name the same node, and have the same first and second derivatives, without a tensor made on another device.
"""

from __future__ import annotations

import random
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

import tensorkit as tk
from tensorkit.dispatch.registry import Op, Sample
from tensorkit.errors import AcceleratorError, MissingKernelError
from tests.cuda.elsewhere import Elsewhere
from tests.cuda.families.test_every_operation import OF_THE_HOST
from tests.engine.autograd.test_derivatives import OPS, Case, derivatives, plain_case, same
from tests.parity.differences import factorises
from tests.torch_oracle import fuzz_seconds

pytestmark = pytest.mark.fuzz

THERE = "cuda:1"
#: How many samples of an operation are compared in an ordinary run: with derivatives, and without; of a factorisation
#: all are.
FEW = {"first": 2, "differentiable": 3}
#: What PyTorch says where a sample's generator, or its bound, would have to be elsewhere too.
UNMOVED = ("for generator but found 'cpu'", "must be a scalar tensor and on CPU")
SEEN: Counter[str] = Counter()
RAN: set[str] = set()
KNOWN: set[str] = set()  # differentiated, or refused in one of these ways


def cases(sample: Sample, rng: random.Random, first: bool) -> Iterator[Case]:
    """The sample on plain tensors, with complex numbers at first, and with each operand wanting a gradient alone."""
    case = plain_case(sample, rng)
    yield case
    if first:
        yield replace(case, dtype="complex128")
    for place in range(len(case.sizes) if len(case.sizes) > 1 else 0):
        yield replace(case, wants=tuple(place == n for n in range(len(case.sizes))), values="mixed")


def difference(case: Case) -> str | None:
    """What the derivatives of a call are otherwise on a device; None where they are the same."""
    with warnings.catch_warnings(), tk.cuda.emulate(devices=2):
        warnings.simplefilter("ignore")
        here, there = derivatives(tk, case), derivatives(Elsewhere(THERE), case)
    SEEN.update(here.keys() & there.keys())
    if "error" in here or "error" in there:
        found = unlike(here.get("error"), there.get("error"))
        return found and f"{case}: {found}"
    drawn = "manual_seed" in case.call  # a device draws other numbers
    for key in here.keys() | there.keys():
        if key.startswith("places"):
            alike = there[key] == [THERE] * len(here[key])
        else:
            alike = (drawn and key in ("first", "second")) or same(there.get(key), here.get(key), 1e-9)
        if not alike:
            return f"{case}:\n    {key}: {there.get(key)!r}\n    on the CPU: {here.get(key)!r}"
    return None


def unlike(here: Exception | None, there: Exception | None) -> str | None:
    """What is wrong with an error on a device, seeing that of the CPU."""
    special = isinstance(there, MissingKernelError) and "aten::special" in str(
        there
    )  # no kernels, and they say so
    if special or any(words in str(there) for words in UNMOVED):
        SEEN["refused"] += 1
        return None
    if type(here) is type(there) or (here is not None and isinstance(there, AcceleratorError)):
        return None  # an index out of range is told later
    return f"raised {there!r} where the CPU raised {here!r}"


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_derivatives_on_a_device_are_those_of_the_cpu(op: Op) -> None:
    if op.name in OF_THE_HOST:
        pytest.skip("it looks at the host's memory")
    rng = random.Random(zlib.crc32(op.name.encode()) if fuzz_seconds() == 0 else None)
    wrong, compared = [], Counter[str]()
    whole = fuzz_seconds() > 0 or (factorises(op.name) and "lowrank" not in op.name)
    for sample in op.samples:
        if not sample.sizes or (not whole and any(compared[key] >= count for key, count in FEW.items())):
            continue
        before = SEEN.copy()
        for case in cases(sample, rng, not compared):
            if (found := difference(case)) is not None:
                wrong.append(found)
        compared.update((SEEN - before).keys())
    RAN.add(op.name)
    if compared["first"] or compared["refused"]:
        KNOWN.add(op.name)
    assert not wrong, f"{len(wrong)} cases, among them:\n" + "\n".join(wrong[:4])


def test_nothing_was_left_out() -> None:
    """Runs after the others: what has derivatives was differentiated on a device, or is known to be refused there."""
    if {op.name for op in OPS} - OF_THE_HOST - RAN:
        pytest.skip("not every operation was chosen")
    ruled = {op.name for op in OPS if op.derivative is not None and op.differentiable} - OF_THE_HOST
    assert ruled - KNOWN == set()
    assert SEEN["first"] > 1000
    assert SEEN["second"] > 300
