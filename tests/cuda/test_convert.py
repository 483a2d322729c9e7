"""Half precision taken apart by hand must agree with NumPy and ml_dtypes on every bit pattern."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy
import pytest

from tensorkit.kernels.cuda import compile as compiler
from tensorkit.kernels.cuda import half
from tensorkit.kernels.cuda.compile import Int, Kernel, Pointer

Array = numpy.ndarray[Any, Any]
PATTERNS = numpy.arange(65536, dtype=numpy.uint16)
KINDS = {
    "float16": (half.decode_half, half.encode_half, numpy.dtype(numpy.float16)),
    "bfloat16": (half.decode_bfloat16, half.encode_bfloat16, numpy.dtype(ml_dtypes.bfloat16)),
}


def each(count: int, out: Any, source: Any) -> None:
    for i in range(count):
        out[i] = one(source[i])  # noqa: F821 - handed in


def run(function: Callable[[Any], Any], source: Array, out: Array) -> Array:
    """Compiled code's answer for every element."""
    arguments = (Int(), Pointer(out.dtype.name), Pointer(source.dtype.name))
    kernel = Kernel("each", each, {"one": function}, arguments)
    compiler.host(kernel)(len(source), out.ctypes.data, source.ctypes.data)
    return out


def floats() -> Array:
    """Random bit patterns, ordinary numbers of many magnitudes, and the awkward ones."""
    rng = numpy.random.default_rng(3)
    any_bits = rng.integers(0, 2**32, 100_000, dtype=numpy.uint32).view(numpy.float32)
    scale = 10.0 ** rng.integers(-9, 6, 100_000)
    usual = (rng.standard_normal(100_000) * scale).astype(numpy.float32)
    edges = [
        65504,
        65519.996,
        65520,
        2**-24,
        2**-25,
        2**-25 * 1.0001,
        2**-14,
        0.0,
        -0.0,
        numpy.inf,
        -numpy.inf,
    ]
    return numpy.concatenate([any_bits, usual, numpy.array(edges, numpy.float32)])


def same(a: Array, b: Array) -> bool:
    """Equal bit for bit, or both nan."""
    bits = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
    return bool((bits | (numpy.isnan(a) & numpy.isnan(b))).all())


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", KINDS)
def test_every_half_is_read_exactly(name: str) -> None:
    decode, _, kind = KINDS[name]
    expected = PATTERNS.view(kind).astype(numpy.float32)
    assert same(run(decode, PATTERNS, numpy.empty(65536, numpy.float32)), expected)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", KINDS)
def test_every_float_is_rounded_to_nearest_even(name: str) -> None:
    _, encode, kind = KINDS[name]
    source = floats()
    got = run(half.chain(encode, numpy.uint16), source, numpy.empty(len(source), numpy.uint16))
    assert same(got.view(kind), source.astype(kind))


@pytest.mark.parametrize("name", KINDS)
def test_python_agrees_with_compiled_code(name: str) -> None:
    decode, encode, _ = KINDS[name]
    some = PATTERNS[::97].copy()
    compiled = run(decode, some, numpy.empty(len(some), numpy.float32))
    with numpy.errstate(all="ignore"):
        assert same(numpy.array([decode(bits) for bits in some], numpy.float32), compiled)
        rounded = numpy.array([encode(value) for value in compiled], numpy.uint16)
    assert (rounded == run(half.chain(encode, numpy.uint16), compiled, numpy.empty_like(some))).all()
