"""Bits as Python reads and rounds them, against NumPy and ml_dtypes, and casts against the engine's own."""

from __future__ import annotations

import math
import platform
import warnings
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets.bits.formats import FORMATS, _beyond, bits_of, cast, value_of

NARROW = [name for name, format in FORMATS.items() if format.width <= 16 and name != "bool"]
FLOATS = [name for name, format in FORMATS.items() if format.kind == "float"]


def held(name: str, bits: Any) -> Any:
    """The numbers of these bits, by NumPy's or ml_dtypes' view."""
    format = FORMATS[name]
    return numpy.asarray(bits, numpy.uint64).astype(format.carrier).view(format.numpy)


def all_bits(name: str) -> list[int]:
    """All of a narrow dtype; of a wide one some, and its edges."""
    width = FORMATS[name].width
    if width <= 16:
        return list(range(1 << width if name != "bool" else 2))
    drawn = (
        numpy.random.default_rng(0).integers(0, 1 << width, 500, dtype=numpy.uint64, endpoint=False)
        if width < 64
        else (numpy.random.default_rng(0).integers(0, (1 << 64) - 1, 500, dtype=numpy.uint64))
    )
    edges = {
        0,
        1,
        (1 << width) - 1,
        1 << (width - 1),
        (1 << (width - 1)) - 1,
        (1 << 24) + 1,
        (1 << 60) + (1 << 36) + 1,
    }
    numbers = (
        0.5,
        -1.5,
        127.9,
        128,
        255.5,
        300,
        -129,
        65519.9,
        65520,
        2.0**31,
        -(2.0**63),
        2.0**64,
        3e38,
        math.inf,
    )
    if name in FLOATS:
        edges |= {bits_of(number, FORMATS[name]) for number in numbers}
    return [*map(int, drawn), *(bits & ((1 << width) - 1) for bits in edges)]


@pytest.mark.parametrize("name", NARROW)
def test_every_value_of_a_narrow_dtype(name: str) -> None:
    bits = all_bits(name)
    with numpy.errstate(all="ignore"):
        wanted = held(name, bits).astype("float64" if name in FLOATS else "int64").tolist()
    found = [value_of(one, FORMATS[name]) for one in bits]
    assert [repr(one).lstrip("-") if one != one else one for one in found] == [
        "nan" if one != one else one for one in wanted
    ]
    assert [math.copysign(1, one) for one in found] == [math.copysign(1, one) for one in wanted]


@pytest.mark.parametrize("name", FLOATS)
def test_numbers_are_rounded_as_numpy_rounds_them(name: str) -> None:
    format = FORMATS[name]
    rng = numpy.random.default_rng(1)
    numbers = rng.integers(0, (1 << 63) - 1, 2000, dtype=numpy.uint64).view(numpy.float64)
    with numpy.errstate(all="ignore"):
        near = held(name, rng.integers(0, 1 << min(format.width, 63), 2000)).astype(numpy.float64)
        halves = near * (1 + 2.0 ** -(format.mantissa + 1))
        given = numpy.concatenate([numbers, near, -near, halves, numpy.nextafter(halves, 0)])
        given = given[~numpy.isnan(given)]
        wanted = given.astype(format.numpy).view(format.carrier).tolist()
    assert [bits_of(number, format) for number in given.tolist()] == wanted


def engines(name: str, target: str, bits: list[int]) -> list[int]:
    """What the engine's own cast makes of these numbers."""
    # Many at once go by other instructions, which answer otherwise; so do halves, once that loop is compiled.
    if (target == "uint32" or (name, target) == ("float16", "float32")) and len(bits) > 1:
        return [engines(name, target, [one])[0] for one in bits]
    wide, out = FORMATS[name].width // 8, FORMATS[target].width // 8
    stored = numpy.asarray(bits, numpy.uint64).astype(f"u{wide}").view("u1" if wide == 1 else f"i{wide}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = tk.from_numpy(stored).view(getattr(tk, name)).to(getattr(tk, target))
    seen = made.view(tk.uint8 if out == 1 else getattr(tk, f"int{8 * out}")).numpy()
    return [int(one) for one in seen.view(f"u{out}").tolist()]


@pytest.mark.parametrize("name", FORMATS)
def test_casts_are_the_engines(name: str) -> None:
    bits = all_bits(name)
    bits = bits[:: 61 if len(bits) > 1000 else 1]
    for target in FORMATS:
        if target != name:
            assert [cast(one, name, target) for one in bits] == engines(name, target, bits), target


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="other processors answer otherwise")
@pytest.mark.parametrize("name", FLOATS)
def test_beyond_an_integers_range_it_is_what_most_laptops_answer(name: str) -> None:
    bits = all_bits(name)[:: 61 if FORMATS[name].width == 16 else 1]
    for target, format in FORMATS.items():
        if format.kind in ("int", "uint"):
            numbers = [float(value_of(one, FORMATS[name])) for one in bits]
            found = [_beyond(number, format) & ((1 << format.width) - 1) for number in numbers]
            assert found == engines(name, target, bits), target
