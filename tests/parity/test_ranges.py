"""Numbers at even distances are PyTorch's to the last bit: where its kernels round once and where twice shows there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorkit
from tests.parity.compare import same_error
from tests.torch_oracle import fused, require_torch

pytestmark = pytest.mark.parity

WHOLE = ("int64", "int32", "int16", "int8", "uint8")
FLOATING = ("float64", "float32", "float16", "bfloat16")
COMPLEX = ("complex64", "complex128")
#: No tiny ones: fused instructions are imitated by errors of rounding put back, which decide no tie.
DECIMALS = st.integers(-99_999, 99_999).map(lambda n: n / 1000)
NUMBERS = st.integers(-1000, 1000) | DECIMALS | st.sampled_from([0, -1, 255, 2**31, -(2**40), 0.1])
STEPS = st.integers(0, 100)


def answer(library: Any, call: str, names: dict[str, Any]) -> tuple[Any, BaseException | None]:
    try:
        return eval(call, {"tk": library, **names}).tolist(), None
    except Exception as error:
        return None, error


def agree(call: str, **names: Any) -> None:
    ours, theirs = (answer(library, call, names) for library in (tensorkit, require_torch()))
    assert same_error(ours[1], theirs[1]) is None, (call, names)
    if fused() or theirs[0] is None:
        assert repr(ours[0]) == repr(theirs[0]), (call, names)
    else:
        coarse = 1 if any(kind in call for kind in WHOLE) else 1e-2 if "16" in call else 1e-5
        assert len(ours[0]) == len(theirs[0])
        assert np.allclose(ours[0], theirs[0], rtol=min(coarse, 1e-2), atol=coarse), (call, names)


@settings(max_examples=500)
@given(st.sampled_from((*WHOLE, *FLOATING, *COMPLEX)), NUMBERS, NUMBERS, STEPS)
def test_linspace(kind: str, start: Any, end: Any, steps: int) -> None:
    agree(f"tk.linspace(start, end, steps, dtype=tk.{kind})", start=start, end=end, steps=steps)


# In double precision the powers themselves may be each other's neighbours: `tests/parity/test_samples.py` has them.
@settings(max_examples=500)
@given(
    st.sampled_from((*WHOLE, "float32", "float16", "bfloat16")),
    st.integers(-4, 9) | DECIMALS.map(lambda x: x % 13 - 4),
    st.integers(-4, 9) | DECIMALS.map(lambda x: x % 13 - 4),
    STEPS,
    st.sampled_from([10, 2, 2.0, 1.5, 3, 0.1, 1]),
)
def test_logspace(kind: str, start: Any, end: Any, steps: int, base: Any) -> None:
    agree(
        f"tk.logspace(start, end, steps, base, dtype=tk.{kind})",
        start=start,
        end=end,
        steps=steps,
        base=base,
    )


@settings(max_examples=500)
@given(
    st.sampled_from((*WHOLE, *FLOATING)),
    st.integers(-99, 99) | DECIMALS,
    st.integers(-99, 99) | DECIMALS,
    st.sampled_from([1, 2, -1, -3, 0.1, 0.3, 0.25, 1.7, -0.7, 0]),
)
def test_arange(kind: str, start: Any, end: Any, step: Any) -> None:
    agree(f"tk.arange(start, end, step, dtype=tk.{kind})", start=start, end=end, step=step)
