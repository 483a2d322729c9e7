"""Emulated kernels compute as Numba does: generated lines, for every two kinds of numbers, against Numba itself.

A few pairs of kinds are asked each time, and all 169 with ``TENSORKIT_FUZZ_SECONDS``.
"""

from __future__ import annotations

import pytest

from tests.cuda.arithmetic.lines import KINDS, differences
from tests.torch_oracle import fuzz_seconds

pytestmark = pytest.mark.fuzz

EVERY = [(left, right) for left in KINDS for right in KINDS]
SOME = [
    ("bool", "uint8"), ("int8", "int64"), ("uint8", "int8"), ("uint16", "float32"), ("int64", "uint32"),
    ("float32", "float64"), ("float32", "int32"), ("complex64", "int16"), ("uint8", "int32"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), EVERY if fuzz_seconds() else SOME)
def test_a_kernels_lines_compute_as_numba_compiles_them(left: str, right: str) -> None:
    count, found = differences(left, right)
    assert count > 100
    assert not found, "\n".join(map(str, found[:20]))
