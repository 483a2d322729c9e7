"""The modified Bessel functions of the first kind, and the same scaled down by an exponential."""

from __future__ import annotations

from typing import Any

import ml_dtypes

from tensorkit.autograd.graph import Rule
from tensorkit.ops.special import about, float_block, of_scipy
from tensorkit.spellings import samples_of_one, unary

__all__ = ["i0", "i0e", "i1", "i1e"]


def _apart(x: Any) -> tuple[Any, Any]:
    """Where a number is so far from 0 that its reciprocal says something, and the numbers with the others lifted."""
    least = float(ml_dtypes.finfo(x._dtype.numpy).eps)  # type: ignore[no-untyped-call]
    away = x.abs().gt(least)
    return away, x.where(away, least)


def _i1_back(g: Any, c: Any) -> Any:
    away, x = _apart(c.input)
    return g * (x.i0() - c.out * x.reciprocal()).where(away, 0.5)


def _i1e_back(g: Any, c: Any) -> Any:
    away, x = _apart(c.input)
    return g * (i0e(x) - c.out * (x.sgn() + x.reciprocal())).where(away, 0.5)


def _i0_back(g: Any, c: Any) -> Any:
    return g * i1(c.input)


def _i0e_back(g: Any, c: Any) -> Any:
    return g * (i1e(c.input) - c.input.sgn() * c.out)


i0 = unary(
    float_block("i0", of_scipy("i0"), None, "i0_vml_cpu"),
    derivative=Rule("I0Backward0", input=_i0_back),
    rounded=2,
    samples=samples_of_one("i0", special="i0"),
    doc=about(
        "i0",
        "The modified Bessel function of the first kind and order 0, of every element.",
        "0.0, 1.0",
        "1.0000, 1.2661",
    ),
)

i0e = unary(
    float_block("special_i0e", of_scipy("i0e"), None, "i0e_cpu"),
    namespace="special",
    derivative=Rule("SpecialI0EBackward0", input=_i0e_back),
    rounded=2,
    samples=samples_of_one("special.i0e"),
    doc=about(
        "special.i0e",
        "``i0(input) * exp(-abs(input))`` of every element, which is finite where `i0` is too large.",
        "0.0, 100.0",
        "1.0000, 0.0399",
    ),
)

i1 = unary(
    float_block("special_i1", of_scipy("i1"), None, "i1_cpu"),
    namespace="special",
    derivative=Rule("SpecialI1Backward0", input=_i1_back),
    rounded=2,
    samples=samples_of_one("special.i1"),
    doc=about(
        "special.i1",
        "The modified Bessel function of the first kind and order 1, of every element: the derivative of `i0`.",
        "0.0, 1.0",
        "0.0000, 0.5652",
    ),
)

i1e = unary(
    float_block("special_i1e", of_scipy("i1e"), None, "i1e_cpu"),
    namespace="special",
    derivative=Rule("SpecialI1EBackward0", input=_i1e_back),
    rounded=2,
    samples=samples_of_one("special.i1e"),
    doc=about(
        "special.i1e",
        "``i1(input) * exp(-abs(input))`` of every element, which is finite where `i1` is too large.",
        "0.0, 100.0",
        "0.0000, 0.0397",
    ),
)
