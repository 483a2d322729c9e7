"""What the kit's own kernels multiply, sort and count: as the library that does it otherwise, and without it."""

from __future__ import annotations

import pytest

import tensorkit as tk
from tensorkit import tracing
from tensorkit.dispatch.registry import Op, registry
from tests.cuda.families.test_every_operation import cases, difference, run

PRODUCTS = ("mm", "bmm", "mv", "dot", "vdot", "addmm", "addmv", "baddbmm", "addbmm", "matmul")


@pytest.mark.parametrize("op", [registry[name] for name in PRODUCTS], ids=lambda op: op.name)
def test_own_kernels_do_what_the_cpu_does(op: Op) -> None:
    wrong = []
    for sample in op.samples:
        for operands in cases(op, sample):
            with tk.cuda.emulate(devices=1), tk.backends.cuda.own_kernels(), tracing.record() as events:
                here = run(sample.call, operands, on_device=False)
                there = run(sample.call, operands, on_device=True)
                found = difference(here, there, op.rounded)
            if any(isinstance(event, tracing.LibraryEvent) for event in events):
                found = "a library did it"
            if found:
                wrong.append(f"{sample.call} on {operands}: {found}")
    assert not wrong, f"{len(wrong)} cases, among them:\n" + "\n".join(wrong[:5])
