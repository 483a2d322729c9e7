"""Emulated kernels compute as Numba does: generated lines, for every two kinds of numbers, against Numba itself.

A few pairs of kinds are asked each time, so that every kind stands once on each side; all 143 with
``TENSORKIT_FUZZ_SECONDS``.
"""

from __future__ import annotations

import pytest

from tests.cuda.arithmetic.lines import KINDS, differences
from tests.torch_oracle import fuzz_seconds

EVERY = [(left, right) for left in KINDS for right in KINDS]
SOME = [(left, KINDS[(place * 5 + 3) % len(KINDS)]) for place, left in enumerate(KINDS)]


@pytest.mark.parametrize(("left", "right"), EVERY if fuzz_seconds() else [*SOME, ("float32", "int32")])
def test_a_kernels_lines_compute_as_numba_compiles_them(left: str, right: str) -> None:
    count, found = differences(left, right)
    assert count > 100
    assert not found, "\n".join(map(str, found[:20]))
