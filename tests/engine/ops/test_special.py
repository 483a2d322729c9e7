"""Special functions over the whole of their range, where a sample says too little: what PyTorch's own formulas give."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tensorkit
from tests.torch_oracle import fused, require_torch

pytestmark = pytest.mark.parity

ENDS = (
    0.0,
    -0.0,
    numpy.inf,
    -numpy.inf,
    numpy.nan,
    1e-45,
    -1e-45,
    1e-5,
    1e30,
    -1e30,
    5,
    -5,
    2.09,
    -2.09,
    103.892,
)


def both(function: str, *arrays: Any) -> tuple[Any, Any]:
    """What a function of `special` makes of arrays, here and in PyTorch."""
    torch = require_torch()
    return tuple(
        getattr(lib.special, function)(*(lib.from_numpy(array) for array in arrays)).numpy()
        for lib in (tensorkit, torch)
    )


# -- waves --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1"])
def test_a_wave_is_pytorchs_near_zero_and_far_away(name: str, dtype: str) -> None:
    x = numpy.concatenate([numpy.linspace(-30, 30, 6001), numpy.linspace(-900, 900, 6001), ENDS]).astype(
        dtype
    )
    ours, theirs = both(name, x)
    assert ours.dtype == theirs.dtype
    numpy.testing.assert_array_equal(numpy.isnan(ours), numpy.isnan(theirs))
    exact = ~numpy.isnan(theirs) & ((theirs == 0) | numpy.isinf(theirs))
    numpy.testing.assert_array_equal(ours[exact], theirs[exact])
    numpy.testing.assert_array_equal(numpy.signbit(ours[exact]), numpy.signbit(theirs[exact]))
    rest = numpy.isfinite(theirs) & ~exact
    few = 8 * float(numpy.finfo(dtype).eps)
    numpy.testing.assert_allclose(ours[rest], theirs[rest], rtol=few, atol=few)


# -- polynomials --------------------------------------------------------------------------------------------------

POLYNOMIALS = sorted(name for name in tensorkit.special.__all__ if "polynomial" in name)
DEGREES = (-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 30, 100, 129, 513)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", POLYNOMIALS)
def test_a_polynomial_is_pytorchs_inside_outside_and_at_the_ends(name: str, dtype: str) -> None:
    last = 1 - numpy.finfo(dtype).eps / 2
    ends = (0, -0.0, 1, -1, last, -last, 1e-7, 1e-9, -1e-40, 1e30, numpy.inf, -numpy.inf)
    x = numpy.concatenate([numpy.linspace(-1.1, 1.1, 501), numpy.linspace(-6, 6, 501), ends]).astype(dtype)
    for degree in DEGREES:
        ours, theirs = both(name, x, numpy.array([degree + 0.5 if degree > 0 else degree], dtype))
        assert ours.dtype == theirs.dtype
        # Where rounding decides whether it is infinite.
        huge = numpy.abs(theirs) > numpy.finfo(dtype).max / 100
        # Float32 climbs as PyTorch's processor does, to the last bit. An angle's last bit counts as often as the degree
        # says, and more near an end.
        climbing = dtype == "float32" and ("chebyshev" not in name or degree < 5)
        rounded_apart = (
            dtype == "float32" and not fused()
        )  # each product before it is added: infinities come elsewhere
        missed = numpy.isnan(ours[~huge]) != numpy.isnan(theirs[~huge])
        assert missed.mean() < 0.01 if rounded_apart else not missed.any()
        rest = numpy.isfinite(theirs) & ~huge & (numpy.isfinite(ours) if rounded_apart else True)
        few = 0 if climbing and fused() else 64 * max(degree, 1) * float(numpy.finfo(dtype).eps)
        if (dtype == "float64" and "chebyshev" not in name) or rounded_apart:
            few *= 1e3  # near a zero the digits of the terms, which are as large as they like, are lost
        numpy.testing.assert_allclose(ours[rest], theirs[rest], rtol=few, atol=few)


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_a_degree_that_is_none_gives_zero(name: str) -> None:
    degrees = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 1e30, 2.0**63, -0.5, -3])
    ours, theirs = both(name, numpy.full(7, 0.3), degrees)
    numpy.testing.assert_array_equal(ours, theirs)
    assert ours.tolist() == [0, 0, 0, 0, 0, 1, 0]


# -- shares of the gamma function ---------------------------------------------------------------------------------


def small_and_others(seed: int) -> tuple[Any, Any]:
    """Numbers of float32 below the smallest normal one, and some of every size."""
    rng = numpy.random.default_rng(seed)
    bits = numpy.concatenate([rng.integers(1, 1 << 23, 120), 1 << numpy.arange(24), [3, (1 << 23) - 1]])
    others = numpy.exp(rng.uniform(-87, 8, 120))
    ends = (0.5, 1, 1.1, 2, 20, 0, numpy.inf)
    return bits.astype(numpy.uint32).view(numpy.float32), numpy.append(others, ends).astype(numpy.float32)


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
@pytest.mark.parametrize("which", ["a", "x", "both"])
def test_the_smallest_numbers_have_pytorchs_shares(name: str, which: str) -> None:
    for seed in range(3):
        small, others = small_and_others(seed)
        a, x = {"a": (small, others), "x": (others, small), "both": (small, small)}[which]
        ours, theirs = both(name, a[:, None], x[None])
        assert ours.dtype == theirs.dtype
        numpy.testing.assert_array_equal(ours == 0, theirs == 0)
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-4)
