"""Compiled functions of single elements answer as NumPy's, SciPy's or the next wider dtype's do, to the last bit."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest
from scipy import special

from tensorkit.kernels.cpu import elementwise, elementwise_compiled
from tensorkit.kernels.jit.compiler import Loop
from tensorkit.ops.pointwise import arithmetic

Array = numpy.ndarray[Any, Any]
_COUNT = 20_000
_ODD = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    3.0,
    -6.0,
    0.1,
    -0.3,
    2.5,
    1e30,
    1e-30,
    2.0**24,
    numpy.inf,
    -numpy.inf,
    numpy.nan,
)


def _run(loop: Loop, *inputs: Array) -> Array:
    loop.compile()
    out = numpy.empty_like(inputs[0])
    given = [word for array in inputs for word in (array, array.size)]
    loop.ready(*given, out, out.size, 1, out.size)
    return out


def _pairs(kind: str) -> Iterator[tuple[Array, Array]]:
    draw = numpy.random.default_rng(7)
    info = numpy.finfo(kind)
    odd = [*_ODD, float(info.max), float(info.tiny), float(info.smallest_subnormal)]
    one, two = numpy.array(list(itertools.product(odd, odd)), kind).T
    yield one.copy(), two.copy()
    yield draw.standard_normal(_COUNT).astype(kind), draw.standard_normal(_COUNT).astype(kind)
    yield draw.integers(-999, 999, _COUNT).astype(kind), draw.integers(-9, 9, _COUNT).astype(kind)
    size = numpy.dtype(kind).itemsize
    bits = [numpy.frombuffer(draw.bytes(_COUNT * size), kind).copy() for _ in range(2)]
    yield bits[0], bits[1]
    step = (draw.random(_COUNT) + 0.5).astype(kind)  # dividends that are nearly multiples
    yield (step * draw.integers(1, 2**20, _COUNT).astype(kind)).astype(kind), step


def _same(one: Array, two: Array) -> bool:
    bits = f"u{one.itemsize}"
    equal = (one.view(bits) == two.view(bits)) | (numpy.isnan(one) & numpy.isnan(two))
    return bool(equal.all())


def _signed(one: Array, two: Array) -> Array:
    rest = numpy.fmod(one, two)
    return numpy.where((rest != 0) & ((two < 0) != (rest < 0)), rest + two, rest)


def _fraction(one: Array) -> Array:
    return one - numpy.trunc(one)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("kind", "loop", "function"),
    [
        ("f4", elementwise_compiled.rest, numpy.fmod),
        ("f8", elementwise_compiled.wide_rest, numpy.fmod),
        ("f4", elementwise_compiled.signed_rest, _signed),
        ("f8", elementwise_compiled.wide_signed_rest, _signed),
        ("f4", elementwise_compiled.floored, numpy.floor_divide),
        ("f8", elementwise_compiled.wide_floored, numpy.floor_divide),
        ("f4", elementwise_compiled.cut_quotient, lambda a, b: numpy.trunc(a / b)),
        ("f8", elementwise_compiled.cut_quotient, lambda a, b: numpy.trunc(a / b)),
        ("f4", elementwise_compiled.hypotenuse, numpy.hypot),
        ("f4", elementwise_compiled.following, numpy.nextafter),
    ],
)
def test_of_two_numbers_to_the_last_bit(
    kind: str, loop: Loop, function: Callable[[Array, Array], Array]
) -> None:
    for one, two in _pairs(kind):
        assert _same(_run(loop, one, two), elementwise.quiet(function, one, two))


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_fractions_to_the_last_bit(kind: str) -> None:
    for one, _ in _pairs(kind):
        assert _same(_run(elementwise_compiled.fraction, one), elementwise.quiet(_fraction, one))


def _nearly(found: Array, exact: Array) -> None:
    """At most one step from the exact number, rounded."""
    rounded = elementwise.quiet(exact.astype, numpy.float32)
    apart = numpy.abs(found.view(numpy.int32).astype(numpy.int64) - rounded.view(numpy.int32))
    alike = (found == rounded) | (numpy.isnan(found) & numpy.isnan(rounded))
    assert (alike | (numpy.isfinite(rounded) & (apart <= 1))).all()


def test_logarithms_and_the_error_function_in_double_precision() -> None:
    for one, two in _pairs("f4"):
        wide, other = (elementwise.quiet(array.astype, numpy.float64) for array in (one, two))
        _nearly(_run(elementwise_compiled.tenths, one), elementwise.quiet(numpy.log10, wide))
        _nearly(_run(elementwise_compiled.rest_of_error, one), special.erfc(wide))
        _nearly(
            _run(elementwise_compiled.exponential_sum, one, two),
            elementwise.quiet(numpy.logaddexp, wide, other),
        )


def test_hundreds_of_elements_are_given_to_a_loop_once_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    ready = elementwise_compiled.signed_rest
    ready.compile()
    run = ready.ready
    monkeypatch.setattr(ready, "ready", lambda *given: told.append(given[1]) or run(*given))
    one, number = numpy.linspace(-3, 3, 512, dtype=numpy.float32), numpy.array(0.7, numpy.float32)
    rest = numpy.fmod(one, number)
    wanted = numpy.where((rest != 0) & (rest < 0), rest + number, rest)
    assert _same(arithmetic._remainder(one, number), wanted)
    assert told == [512]
    assert _same(arithmetic._remainder(one[::2], number), wanted[::2])  # apart in memory
    assert arithmetic._remainder(one, number.astype(numpy.float64)).dtype == numpy.float64
    assert told == [512]
