"""One operation on a tensor of a few elements: what the machinery around the arithmetic costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tensorkit
from tests.benchmarks.measure import Row, benchmark, codes, on_threads, require_torch

GOALS = {"a + b": 1.0, "t[1:]": 1.0, "t.t()": 1.0}
CODES = (
    "a + b",
    "a + 1.0",
    "a.add_(b)",
    "t[1:]",
    "t[1]",
    "t[1:, ::2]",
    "t.t()",
    "t.transpose(0, 1)",
    "t.permute(1, 0)",
    "t.view(4, 3)",
    "t.reshape(-1)",
    "r.expand(3, 4)",
    "t[1:] + 1.0",
    "r + t",
    "t.t() + t.t()",
    "-t",
    "t.clone()",
    "t.sum()",
    "t.sum(0)",
)


def _names(library: Any) -> dict[str, Any]:
    """The tensors that the codes speak of: one element, a matrix of 3 × 4, a row to expand."""
    return {
        "a": library.tensor([1.0]),
        "b": library.tensor([2.0]),
        "t": library.arange(12.0).view(3, 4),
        "r": library.arange(4.0).view(1, 4),
    }


@benchmark("One operation on a few elements")
def small() -> Iterator[Row]:
    torch = require_torch()
    with on_threads(torch, 1):
        for code in CODES:
            pair = codes(code, code, _names(tensorkit), _names(torch))
            yield Row(code, pair.ratio, "× PyTorch", pair.told("tensorkit", "PyTorch"), GOALS.get(code))
