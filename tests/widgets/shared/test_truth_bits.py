"""Whatever a BitView prints is what NumPy's and ml_dtypes' bits, and PyTorch's casts, say."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets import BitView
from tests.torch_oracle import require_torch
from tests.widgets.printed_bits import DTYPES, fields, is_float, lies

pytestmark = pytest.mark.parity
"""Casts are PyTorch's."""


def patterns(name: str) -> list[str]:
    """Bits that are hard: zeros, ones, limits, subnormals, inf, nan, and some by chance."""
    wide = 8 * DTYPES[name].itemsize
    if name == "bool":
        return ["0" * 8, "0" * 7 + "1"]
    chance = random.Random(name)
    some = [f"{chance.getrandbits(wide):0{wide}b}" for _ in range(4)]
    if not is_float(name):
        ends = [
            0,
            1,
            2**wide - 1,
            2 ** (wide - 1),
            2 ** (wide - 1) - 1,
            2 ** (wide - 1) + 1,
            2 ** (wide // 2) + 3,
        ]
        return [f"{end:0{wide}b}" for end in ends] + some
    exponent, many = fields(name)
    parts = [
        (0, 0), (0, 1), (0, 2**many - 1), (1, 0), (2**exponent - 2, 2**many - 1), (2**exponent - 1, 0),
        (2**exponent - 1, 1), (2 ** (exponent - 1) - 1, 0), (2 ** (exponent - 1) - 1, 2**many - 1),
        (2 ** (exponent - 1) - 5, 2**many // 5 * 3),
    ]  # fmt: skip
    return [f"{sign}{e:0{exponent}b}{f:0{many}b}" for e, f in parts for sign in (0, 1)] + some


def made(bits: str, name: str) -> Any:
    """A tensor of one element with these bits."""
    wide = len(bits) // 8
    raw = numpy.frombuffer(int(bits, 2).to_bytes(wide, "little"), f"u{wide}").copy()
    return tk.from_numpy(raw).view(getattr(tk, name))


ROWS = (("float64", "float32", "int64"), ("float16", "bfloat16", "uint8"), ("int8", "int16", "int32", "bool"))


@pytest.mark.parametrize("name", DTYPES)
def test_bits_print_what_is_so(name: str) -> None:
    torch = require_torch()
    for k, bits in enumerate(patterns(name)):
        view = BitView(made(bits, name), dtypes=(name, *(one for one in ROWS[k % 3] if one != name)))
        assert view.bits() == bits
        assert not lies(view, torch), bits
        view.close()


@pytest.mark.parametrize("name", DTYPES)
def test_every_row_that_is_explained_says_what_is_so(name: str) -> None:
    torch = require_torch()
    for bits in patterns(name)[::5]:
        view = BitView(made(bits, name), dtypes=(name,))
        for other in DTYPES:
            view.show(other).explain(other)
            assert not lies(view, torch), (bits, other)
        view.close()


@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("name", DTYPES)
def test_a_cast_tells_what_is_so(name: str, target: str) -> None:
    torch = require_torch()
    first = list(DTYPES).index(target) % 4  # each number goes to another dtype in its turn
    for bits in patterns(name)[first :: 4 if is_float(name) else 3] or patterns(name):
        view = BitView(made(bits, name)).cast(target)
        assert not lies(view, torch), bits
        view.close()


NUMBERS = [
    0.1,
    -0.0,
    1e-45,
    1e300,
    5e-324,
    float("nan"),
    float("-inf"),
    2**53 + 1,
    255,
    -(2**63),
    3.7,
    65504.0,
    True,
]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_that_is_pressed_prints_what_is_so(number: Any) -> None:
    torch = require_torch()
    view = BitView(number)
    assert not lies(view, torch)
    for name in ("float16", "int8", "bfloat16", "float64"):
        view.show(name, "float32").explain(name)
        for place in (0, 7, 3):
            view.flip(place, name)
            assert not lies(view, torch), (name, place)
        for key in ("next:low", "next:high"):
            view._heard(None, {"kind": "go", "key": key}, [])
            assert not lies(view, torch), (name, key)
    view.set("0.3")
    assert not lies(view, torch)
    view.close()


def test_an_element_is_the_tensors_own_whatever_its_strides() -> None:
    torch = require_torch()
    t = tk.arange(-6, 6, dtype=tk.int8).view(3, 4).t()[1:, ::2]
    for i in range(3):
        for j in range(2):
            view = BitView(t, index=(i, j))
            assert int(view.bits(), 2) == int(t[i, j].item()) & 0xFF
            assert not lies(view, torch)
            view.close()
