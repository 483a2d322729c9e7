"""A million elements: what the arithmetic itself costs, on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tensorkit
from tests.benchmarks.measure import Row, benchmark, codes, on_threads, require_torch

COUNT = 1_000_000
ROUNDS = 15
CODES = {
    "a + b": "a + b",
    "a.sum()": "a.sum()",
    "m.t().contiguous()": "m.t().contiguous()",
    "rand": "tk.rand(n)",
    "randn": "tk.randn(n)",
    "repr (its corners)": "repr(m)",
    "repr of 1,000 elements": "repr(s)",
}


def _names(library: Any) -> dict[str, Any]:
    a = library.arange(float(COUNT))
    return {"tk": library, "n": COUNT, "a": a, "b": a.clone(), "m": a.view(1000, 1000), "s": a[:1000] / 7}


@benchmark("A million elements, one thread")
def million() -> Iterator[Row]:
    torch = require_torch()
    ours, theirs = _names(tensorkit), _names(torch)
    with on_threads(torch, 1):
        for name, code in CODES.items():
            pair = codes(code, code, ours, theirs, ROUNDS)
            yield Row(name, pair.ratio, "× PyTorch", pair.told("tensorkit", "PyTorch"))
