"""`arange` and `linspace` to the last bit: PyTorch multiplies and adds in one rounding, and counts in vectors."""

from __future__ import annotations

import random

import pytest

import tensorkit as tk
from tests.torch_oracle import fused, require_torch

pytestmark = pytest.mark.parity


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("call", ["arange({0}, {1}, {3})", "linspace({0}, {1}, {2})"])
def test_evenly_spaced_numbers_are_pytorchs_to_the_last_bit(call: str, kind: str) -> None:
    torch, rng = require_torch(), random.Random(0)
    for _ in range(300):
        start = round(rng.uniform(-10, 10), rng.choice((0, 1, 3)))
        end, count = round(start + rng.uniform(0.1, 10), 2), rng.randint(1, 90)
        text = call.format(start, end, count, rng.choice((0.1, 0.25, 0.3, 0.01)))
        ours = eval(f"tk.{text[:-1]}, dtype=tk.{kind})", {"tk": tk}).tolist()
        theirs = eval(f"tk.{text[:-1]}, dtype=tk.{kind})", {"tk": torch}).tolist()
        near = pytest.approx(theirs, rel=1e-6, abs=1e-6 if kind == "float32" else 1e-14)
        assert ours == (theirs if fused() else near), text


def test_the_middle_of_an_odd_line_is_where_pytorch_has_it() -> None:
    torch = require_torch()
    middles = [lib.linspace(-1, 1, 7)[3].item() for lib in (tk, torch)]
    assert middles[0] == middles[1] != 0 or not fused()
    assert middles == pytest.approx([0, 0], abs=1e-6)
    for size in (1e308, 1e300):
        ours, theirs = (lib.linspace(-size, size, 5, dtype=lib.float64) for lib in (tk, torch))
        assert str(ours).replace("tensorkit", "torch") == str(theirs)
