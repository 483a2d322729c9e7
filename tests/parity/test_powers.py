"""Every pair of special numbers, raised one to the other: infinities, zeros of both signs, no numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy
import pytest

import tensorkit

pytestmark = pytest.mark.parity

REAL = (0.0, -0.0, 1, -1, 2.5, math.inf, -math.inf, math.nan)
NUMBERS = {
    "float32": list(REAL),
    "float64": list(REAL),
    "complex64": [complex(a, b) for a in REAL for b in REAL],
    "complex128": [complex(a, b) for a in REAL for b in REAL],
}


def _both(torch: Any, kind: str) -> list[Any]:
    return [lib.tensor(NUMBERS[kind], dtype=getattr(lib, kind)) for lib in (tensorkit, torch)]


def _agree(ours: Any, theirs: Any) -> Any:
    """Where two arrays are the same in both parts, to some units in the last place, and in the signs of zeros."""
    assert ours.dtype == theirs.dtype
    a, b = (array.view(array.real.dtype) for array in (ours, theirs))
    same = numpy.isclose(a, b, rtol=1e-5, atol=0, equal_nan=True)
    return (same & (numpy.isnan(a) | (numpy.signbit(a) == numpy.signbit(b)))).reshape(*ours.shape, -1).all(-1)


@pytest.mark.parametrize("kind", NUMBERS)
def test_every_pair_of_special_numbers(torch: Any, kind: str) -> None:
    ours, theirs = ((x[:, None] ** x).numpy() for x in _both(torch, kind))
    wrong = numpy.argwhere(~_agree(ours, theirs))
    assert not len(wrong), [(NUMBERS[kind][i], NUMBERS[kind][j]) for i, j in wrong[:5]]


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize(
    "number", [0, 1, 2, 3, 4, -1, -2, -3, 0.5, -0.5, 1.5, math.inf, math.nan, 1j, 2 + 1j]
)
def test_every_special_number_and_a_number(torch: Any, kind: str, number: Any) -> None:
    ours, theirs = _both(torch, kind)
    assert _agree((ours**number).numpy(), (theirs**number).numpy()).all(), "the exponent"
    assert _agree((number**ours).numpy(), (number**theirs).numpy()).all(), "the base"
