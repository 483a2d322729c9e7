"""What the kit's own kernels multiply, sort and count: as the library that does it otherwise, and without it."""

from __future__ import annotations

import pytest

import tensorkit as tk
from tensorkit import tracing
from tensorkit.dispatch.registry import Op, registry
from tests.cuda.families.test_every_operation import (
    Outcome,
    cases,
    difference,
    facts,
    run,
    same_numbers,
    tensors,
)

PRODUCTS = ("mm", "bmm", "mv", "dot", "vdot", "addmm", "addmv", "baddbmm", "addbmm", "matmul")
SORTING = (
    *("sort", "argsort", "msort", "topk", "kthvalue", "median", "nanmedian", "mode"),
    *("unique", "unique_consecutive", "searchsorted", "bucketize", "bincount", "histc"),
)
#: Where it shows which of several equal elements was meant: on the CPU that of PyTorch's algorithm, here the first one.
TELLING_TIES = {"sort", "argsort", "topk", "kthvalue", "mode", "unique"}


def differs(op: Op, here: Outcome, there: Outcome, values: str) -> str | None:
    if op.name not in TELLING_TIES or here.error is not None or there.error is not None:
        return difference(here, there, op.rounded)
    pairs = [*zip(tensors(here.value), tensors(there.value), strict=True)]
    for ours, theirs in pairs:
        if theirs.device.type != "cuda" or facts(ours) != facts(theirs):
            return f"{facts(theirs)} on {theirs.device} instead of {facts(ours)}"
    if (
        op.name == "mode" and values == "telling"
    ):  # of what is no number, PyTorch's algorithm counts some as others
        return None
    one, other = pairs[0][0].flatten(), pairs[0][1].cpu().flatten()
    if not one.is_complex():
        one, other = one.sort()[0], other.sort()[0]
    return None if same_numbers(one, other, 1) else f"{other.tolist()} instead of {one.tolist()}"


@pytest.mark.parametrize("op", [registry[name] for name in PRODUCTS + SORTING], ids=lambda op: op.name)
def test_own_kernels_do_what_the_cpu_does(op: Op) -> None:
    wrong = []
    for sample in op.samples:
        for operands in cases(op, sample):
            with tk.cuda.emulate(devices=1), tk.backends.cuda.own_kernels(), tracing.record() as events:
                here = run(sample.call, operands, on_device=False)
                there = run(sample.call, operands, on_device=True)
                found = differs(op, here, there, next((o.values for o in operands.values()), ""))
            named = {event.name for event in events if isinstance(event, tracing.LibraryEvent)}
            if named - {"unique_dim"}:
                found = f"a library did {named}"
            if found:
                wrong.append(f"{sample.call} on {operands}: {found}")
    assert not wrong, f"{len(wrong)} cases, among them:\n" + "\n".join(wrong[:5])
