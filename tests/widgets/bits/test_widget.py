"""BitView: bits as NumPy reads them, casts as the engine makes them, and writes that reach the tensor."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets import BitView, StrideExplorer
from tensorkit_widgets.bits.casts import story
from tensorkit_widgets.bits.formats import (
    FORMATS,
    bits_of,
    cast,
    exact,
    exactly,
    neighbours,
    parse_number,
    rough,
    value_of,
    written,
)
from tests.torch_oracle import require_torch

NUMBERS = [
    0.0, -0.0, 0.1, 0.5, 1.0, -1.0, -2.5, 3.7, 127.0, 128.0, 255.0, 256.0, 300.7, 65504.0, 65519.0, 65520.0, 1e-45,
    6e-8,    1e20, 3.4e38, 1e300, 2.0**24 + 1, 2.0**31, float("inf"), float("-inf"), float("nan"),
]  # fmt: skip
WHOLE = [0, 1, -1, 127, 128, 255, 256, 300, -129, 2**15, 2**24 + 1, 2**31, 2**40 + 5, 2**62, -(2**63)]
FLOATS = [name for name, format in FORMATS.items() if format.kind == "float"]


@pytest.fixture
def view() -> Iterator[Any]:
    made: list[BitView] = []

    def make(*args: Any, **options: Any) -> BitView:
        made.append(BitView(*args, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def tell(w: BitView, kind: str, **message: Any) -> None:
    """A message as the browser sends it."""
    w._heard(None, {"kind": kind, **message}, [])


# ---- bits and casts


@pytest.mark.parametrize("name", list(FORMATS))
def test_bits_are_numpys(name: str) -> None:
    format = FORMATS[name]
    for _ in range(300):
        bits = random.getrandbits(1 if name == "bool" else format.width)
        held = numpy.asarray([bits], format.carrier).view(format.numpy)[0]
        value = value_of(bits, format)
        assert value == held or (value != value and held != held)
        if value == value:
            assert bits_of(value, format) == bits


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", list(FORMATS))
@pytest.mark.parametrize("library", ["tensorkit", pytest.param("torch", marks=pytest.mark.parity)])
def test_a_cast_is_the_librarys_own(source: str, target: str, library: str) -> None:
    lib = tk if library == "tensorkit" else require_torch()
    for number in NUMBERS:
        bits = bits_of(number, FORMATS[source])
        start = value_of(bits, FORMATS[source])
        want = lib.tensor(start, dtype=getattr(lib, source)).to(getattr(lib, target)).item()
        got = value_of(cast(bits, source, target), FORMATS[target])
        assert got == want or (got != got and want != want), (number, got, want)
        assert math.copysign(1, got) == math.copysign(1, want) or got != got


@pytest.mark.parametrize("target", list(FORMATS))
@pytest.mark.parametrize("library", ["tensorkit", pytest.param("torch", marks=pytest.mark.parity)])
def test_a_cast_of_whole_numbers_is_the_librarys_own(target: str, library: str) -> None:
    lib = tk if library == "tensorkit" else require_torch()
    for number in WHOLE:
        want = lib.tensor(number).to(getattr(lib, target)).item()
        bits = cast(bits_of(number, FORMATS["int64"]), "int64", target)
        assert value_of(bits, FORMATS[target]) == want


def test_bfloat16_is_rounded_to_even_as_ml_dtypes_does() -> None:
    for bits in (random.getrandbits(32) & 0x7F7FFFFF for _ in range(500)):
        value = numpy.asarray([bits], "u4").view("f4")
        want = value.astype(ml_dtypes.bfloat16).view("u2")[0]
        assert cast(bits, "float32", "bfloat16") == want


@pytest.mark.parametrize("name", list(FORMATS))
def test_neighbours_are_the_next_numbers(name: str) -> None:
    format = FORMATS[name]
    for _ in range(300):
        bits = random.getrandbits(1 if name == "bool" else format.width)
        value = value_of(bits, format)
        low, high = neighbours(bits, format)
        if value != value:
            assert (low, high) == (None, None)
            continue
        assert low is None or value_of(low, format) < value
        assert high is None or value_of(high, format) > value
        if name in ("float16", "float32", "float64") and high is not None:
            with numpy.errstate(all="ignore"):
                want = numpy.nextafter(
                    numpy.asarray([value], format.numpy), numpy.asarray([numpy.inf], format.numpy)
                )
            assert value_of(high, format) == want[0]


def test_the_ends_have_one_neighbour() -> None:
    half = FORMATS["float16"]
    infinite = bits_of(float("inf"), half)
    assert neighbours(infinite, half) == (bits_of(65504, half), None)
    assert neighbours(bits_of(65504, half), half)[1] == infinite
    assert neighbours(0, half) == (0x8001, 1)
    assert neighbours(0x8000, half) == (0x8001, 1)
    assert neighbours(127, FORMATS["int8"]) == (126, None)
    assert neighbours(0x80, FORMATS["int8"]) == (None, 0x81)


@pytest.mark.parametrize("name", FLOATS)
def test_the_written_number_reads_back(name: str) -> None:
    format = FORMATS[name]
    for bits in (random.getrandbits(format.width) for _ in range(300)):
        number = exact(bits, format)
        if number is None:
            continue
        assert bits_of(float(written(bits, format)), format) == bits
        text = exactly(number, 2000)
        if "e" not in text:
            assert Fraction(text.rstrip(".")) == number
        float(rough(number))


def test_typed_numbers_are_parsed_and_never_evaluated() -> None:
    assert parse_number("0x7f") == (127, Fraction(127))
    assert parse_number("−3") == (-3, Fraction(-3))
    assert parse_number("1e400")[0] == math.inf
    assert parse_number("nan")[1] is None
    for text in ("__import__('os')", "1+1", "", "0.1.2", "x" * 500, "[1]", "1j", "None", "9" * 61):
        with pytest.raises(ValueError, match="is no number"):
            parse_number(text)


# ---- what it says of a cast


@pytest.mark.parametrize(
    ("number", "source", "target", "verdict"),
    [
        (3.7, "float32", "int32", "cut: 0.7 is dropped"),
        (-2.5, "float32", "int64", "cut: 0.5 is dropped"),
        (300, "int64", "uint8", "wraps: 300 - 256 = 44"),
        (-1, "int8", "uint8", "wraps: -1 + 256 = 255"),
        (2**40, "int64", "int32", "wraps"),
        (70000.0, "float32", "float16", "too large: inf"),
        (1e-9, "float32", "float16", "too small: 0"),
        (float("nan"), "float32", "int32", "nan is no whole number"),
        (float("nan"), "float32", "float16", "nan stays nan"),
        (float("nan"), "float32", "bool", "nan is not 0"),
        (-0.0, "float32", "bool", "-0 is 0"),
        (300.7, "float32", "uint8", "does not fit: became 44"),
        (2**24 + 1, "int64", "float32", "rounded by -1"),
        (0.5, "float64", "bfloat16", "the same number"),
        (True, "bool", "float32", "False is 0, True is 1"),
    ],
)
def test_the_verdict_of_a_cast(number: Any, source: str, target: str, verdict: str) -> None:
    told = story(bits_of(number, FORMATS[source]), FORMATS[source], FORMATS[target])
    assert told.verdict == verdict
    assert all(told.steps)


def test_halfway_goes_to_the_even_one() -> None:
    for number, result in ((1.00390625, 1.0), (1.01171875, 1.015625)):
        told = story(bits_of(number, FORMATS["float32"]), FORMATS["float32"], FORMATS["bfloat16"])
        assert value_of(told.result, FORMATS["bfloat16"]) == result
        assert "in the very middle" in told.steps[1]


@pytest.mark.parametrize("source", list(FORMATS))
@pytest.mark.parametrize("target", list(FORMATS))
def test_every_cast_can_be_told_and_drawn(source: str, target: str, view: Any) -> None:
    format = FORMATS[source]
    for _ in range(12):
        bits = random.getrandbits(1 if source == "bool" else format.width)
        told = story(bits, format, FORMATS[target])
        assert told.result == cast(bits, source, target)
        if told.between is not None:
            low, high = (exact(end, FORMATS[target]) for end in told.between)
            number = exact(bits, format)
            assert number is not None
            assert low is None or low <= number
            assert high is None or number <= high
    w = view(tk.tensor(1).to(getattr(tk, source))).cast(target).run()
    assert w.frame["svg"], w.frame["reason"]


# ---- the widget


def test_a_bit_is_flipped_and_the_rows_follow(view: Any) -> None:
    w = view(0.1)
    assert w.bits("float16") == "0010111001100110"
    tell(w, "flip", key="float16:15")
    assert (w.dtype, w.value) == ("float16", -0.0999755859375)
    assert w.bits("float32") == "10111101110011001100000000000000"
    assert w.frame["facts"]["data"]["explained"] == "float16"
    w.undo()
    assert (w.dtype, w.value) == ("float64", 0.1)


def test_a_neighbour_is_pressed(view: Any) -> None:
    w = view(1.0, dtypes="float16")
    tell(w, "go", key="next:high")
    assert w.value == 1.0009765625
    tell(w, "go", key="next:low")
    tell(w, "go", key="next:low")
    assert w.value == 0.99951171875
    w = view(127, dtypes=["int8"])
    tell(w, "go", key="next:high")
    assert w.value == 127


def test_a_number_is_typed(view: Any) -> None:
    w = view(0.1)
    tell(w, "value", value="0.3")
    assert w.value == 0.3
    assert "0.3 was meant; this is 1.19e-8 more." in w.text()
    tell(w, "value", value="300")
    assert w.dtype == "int64"
    tell(w, "value", value="<script>")
    assert w.value == 300
    assert "is no number" in w.frame["facts"]["complaint"]
    assert w.set("nan").value != 0
    assert "not a number" in w.text()


def test_rows_come_and_go(view: Any) -> None:
    w = view(0.1)
    tell(w, "show-int8", value=True)
    assert w.frame["facts"]["data"]["shown"] == "float32,float16,bfloat16,int8"
    assert w.frame["facts"]["data"]["explained"] == "int8"
    for name in ("float32", "float16", "bfloat16", "int8"):
        tell(w, f"show-{name}", value=False)
    assert w.frame["facts"]["status"] == "empty"
    w.show(tk.float64, "bool").explain("bool")
    assert "True" in w.text()


def _each_library() -> list[Any]:
    return [tk, numpy, pytest.param("torch", marks=pytest.mark.parity)]


@pytest.mark.parametrize("library", _each_library())
@pytest.mark.parametrize(
    "name", ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
)
def test_a_flip_is_written_into_the_tensor(library: Any, name: str, view: Any) -> None:
    lib = require_torch() if library == "torch" else library
    make = numpy.array if lib is numpy else lib.tensor
    dtype = {"numpy": numpy.dtype(name)}.get(lib.__name__) or getattr(lib, name)
    t = (
        make([[0, 1, 0], [1, 1, 1]], dtype=dtype).T
        if lib is numpy
        else make([[0, 1, 0], [1, 1, 1]], dtype=dtype).t()
    )
    w = view(t, index=(-1, 0))
    assert w.dtype == name
    place = FORMATS[name].width - 2 if name != "bool" else 0
    tell(w, "flip", key=f"{name}:{place}")
    assert not w.frame["facts"]["complaint"]
    want = value_of(1 << place, FORMATS[name])
    assert t[2, 0].item() == want == w.value
    assert t[0, 0].item() == 0
    w.undo()
    assert t[2, 0].item() == 0


@pytest.mark.parity
def test_bfloat16_of_every_library_is_written(view: Any) -> None:
    torch = require_torch()
    for t in (
        tk.ones(2, dtype=tk.bfloat16),
        torch.ones(2, dtype=torch.bfloat16),
        numpy.ones(2, ml_dtypes.bfloat16),
    ):
        view(t, index=1).flip(15)
        assert float(t[1]) == -1.0


def test_a_write_keeps_every_bit_of_a_nan(view: Any) -> None:
    t = tk.tensor([float("nan")])
    w = view(t)
    before = w.bits()
    tell(w, "flip", key="float32:3")
    assert w.bits() == before[:-4] + "1" + before[-3:]
    assert t.isnan().item()


def test_a_leaf_that_requires_grad_and_its_counter(view: Any) -> None:
    t = tk.ones(2, requires_grad=True)
    view(t).flip(31)
    assert t.tolist() == [-1.0, 1.0]
    assert t.is_leaf
    assert t._version == 1


def test_the_cast_of_a_tensor_cannot_be_pressed(view: Any) -> None:
    t = tk.tensor([0.1])
    w = view(t)
    tell(w, "flip", key="float16:3")
    assert "only those bits can be changed" in w.frame["facts"]["complaint"]
    assert 'data-key="float16:3" data-kin' not in w.frame["svg"]
    assert t.item() == numpy.float32(0.1)
    with pytest.raises(ValueError, match="is a cast of them"):
        w.flip(3, "float16")


def test_a_write_shows_in_another_picture_and_back(view: Any) -> None:
    t = tk.tensor([1.0, 2.0])
    w, other = view(t, index=1), StrideExplorer(t)
    tell(w, "flip", key="float32:31")
    assert "-2." in other.text()
    t[1] = 7
    w.refresh()
    assert w.value == 7
    w.undo()
    assert t[1].item() == 2, "undo brings back what was there before the flip"
    other.close()


def test_an_index_is_chosen(view: Any) -> None:
    w = view(tk.arange(6).view(2, 3))
    tell(w, "index-1", value=2)
    tell(w, "index-0", value=99)
    assert w.value == 5
    tell(w, "index-7", value=1)
    assert w.undo().value == 2


def test_reading_only_and_other_refusals_are_said(view: Any) -> None:
    a = numpy.ones(2)
    a.flags.writeable = False
    w = view(a)
    tell(w, "flip", key="float64:0")
    assert "read-only" in w.frame["facts"]["complaint"]
    assert w.value == 1.0
    w = view(tk.tensor([1], dtype=tk.uint8))
    tell(w, "value", value="300")
    assert "uint8 goes from 0 to 255" in w.frame["facts"]["complaint"]


@pytest.mark.parametrize(
    ("x", "options", "error"),
    [
        (tk.empty(0), {}, ValueError), (tk.ones(2), {"index": 2}, IndexError),
        (tk.ones(2), {"index": (0, 0)}, IndexError),
        (tk.ones(2), {"index": "a"}, TypeError), (1j, {}, TypeError), (tk.ones(1, dtype=tk.complex64), {}, TypeError),
        ("0.1", {}, TypeError), (None, {}, TypeError), (2**70, {}, ValueError),
        (0.1, {"index": 0}, TypeError), (0.1, {"dtypes": "float8"}, ValueError), (0.1, {"colour": "red"}, TypeError),
        (numpy.array(["a"]), {}, TypeError),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused(x: Any, options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        BitView(x, **options)


@pytest.mark.parametrize("value", [*NUMBERS, *WHOLE, True, False])
def test_every_number_is_drawn_in_every_dtype(value: Any, view: Any) -> None:
    w = view(value, dtypes=list(FORMATS))
    for name in FORMATS:
        w.explain(name)
        assert w.frame["svg"], w.frame["reason"]
        for note in w._sheet(0).notes:
            wide = 0.602 * {"sum": 20, "value": 25}.get(note.role, 8)
            assert note.x + wide * len(note.text) <= 940 or note.anchor == "end", note.text


def test_an_integer_beyond_all_dtypes_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="a number of 16610 bits has more than 64 bits"):
        BitView(10**5000)


def test_large_strange_and_changed_tensors(view: Any) -> None:
    assert view(tk.zeros(1).expand(10**9), index=10**9 - 1).value == 0
    assert view(tk.arange(4.0).as_strided((2, 2), (0, 1), 1), index=(1, 1)).value == 2
    assert view(tk.ones((1,) * 10)).value == 1
    assert view(numpy.array(2.5, dtype=">f4")).bits() == f"{bits_of(2.5, FORMATS['float32']):032b}"
    assert view(numpy.float32(0.1)).dtype == "float32"
    assert view(numpy.float64(0.1)).dtype == "float64"
    meta = view(tk.empty(2, device="meta"))
    assert meta.frame["facts"]["status"] == "unreadable"
    t = tk.ones(4)
    w = view(t, index=3)
    t.resize_(2)
    w.refresh()
    assert "there is no element [3]" in w.text()


def test_hostile_names_are_escaped(view: Any) -> None:
    w = view(0.1, name="<script>alert(1)</script>&\"'")
    assert "<script" not in w.svg()
    assert "<script" not in w.frame["svg"]
    assert "<script>" in w.text()


def test_flips_and_casts_by_python(view: Any) -> None:
    w = view(5, dtypes="int8")
    assert w.flip(7).value == -123
    with pytest.raises(IndexError, match="int8 has no bit 8"):
        w.flip(8)
    assert w.cast("uint8").steps == 3
    assert w.run().frame["facts"]["status"] == "cast"
    assert w.cast().steps == 0


def test_two_pictures_of_one_tensor_written_from_two_threads(view: Any) -> None:
    t = tk.zeros(2)
    both = [view(t, index=0), view(t, index=1)]

    def press(w: BitView) -> None:
        for _ in range(40):
            tell(w, "flip", key="float32:31")

    threads = [threading.Thread(target=press, args=(w,), daemon=True) for w in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(200)
        assert not thread.is_alive(), "each waits for the other"
    assert t.tolist() == [0, 0]


def test_a_typed_negative_zero_is_one() -> None:
    w = BitView(1.0)
    w.set("-0")
    assert (str(w.value), w.bits()[0]) == ("-0.0", "1")
    w.set("−0")
    assert str(w.value) == "-0.0"
    assert str(BitView(1.0).set("0").value) == "0"


def test_no_button_looks_pressed_for_a_row_that_a_cast_does_not_draw() -> None:
    w = BitView(0.1, dtypes=("float32", "float16", "bfloat16"))
    shown = {c.role: (c.value, c.enabled) for c in w._controls() if c.role.startswith("show-")}
    assert shown["show-float16"] == (True, True)
    during = {c.role: (c.value, c.enabled) for c in w.cast("int8")._controls() if c.role.startswith("show-")}
    assert set(during.values()) == {(False, False)}
    assert {c.role: (c.value, c.enabled) for c in w.cast()._controls() if c.role.startswith("show-")} == shown
