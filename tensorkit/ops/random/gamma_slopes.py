"""How random values change with the parameters of their distribution, at the same quantile (implicit differentiation).

A value x of a distribution function F(x; a) moves by -(dF/da) / (dF/dx). Neither gamma's nor beta's has a formula in
elementary functions: each region of the parameters has an approximation of its own, good to about four digits, which
are PyTorch's (``ATen/native/Distributions.h``: its regions, and the coefficients that were fitted for it).

Sources: M. Jankowiak and F. Obermeyer, "Pathwise derivatives beyond the reparameterization trick" (2018); S. O. Rice,
"Saddle point approximations" (1968).
"""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.ops.pointwise.where import where
from tensorkit.tensor import Tensor

__all__ = ["dirichlet_slope", "gamma_slope"]

Table = tuple[tuple[float, ...], ...]


def _horner(coefficients: tuple[Any, ...], x: Any) -> Any:
    """A polynomial, its coefficients from the constant one up."""
    result = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        result = coefficient + x * result
    return result


# -- gamma ------------------------------------------------------------------------------------------------------------


def gamma_slope(shape: Tensor, x: Tensor) -> Any:
    """dx / d(shape) for values x of gamma distributions of rate 1, in double precision.

    Args:
        shape, x: of one size.
    """
    a, x = shape.to(dtypes.float64), x.to(dtypes.float64)
    middle = where((0.9 * a <= x) & (x <= 1.1 * a), _gamma_at_mean(a, x), _gamma_far_off(a, x))
    return where(x < 0.8, _gamma_small(a, x), where(a > 8.0, middle, _gamma_fitted(a, x)))


def _gamma_small(a: Any, x: Any) -> Any:
    """By six terms of the power series of F."""
    term, first, second = 1.0, 1.0 / a, 1.0 / (a * a)
    for i in range(1, 6):
        term = term * (-x / i)
        first = first + term / (a + i)
        second = second + term / ((a + i) * (a + i))
    power = x.pow(a)
    change = (x.log() - a.digamma()) * (power * first) - power * second
    return (-change / (x.pow(a - 1) * (-x).exp())).nan_to_num(
        nan=0.0, posinf=float("inf"), neginf=-float("inf")
    )


def _gamma_at_mean(a: Any, x: Any) -> Any:
    """Near the mean, where `_gamma_far_off` divides by zero."""
    above = 1440 * (a * a) + 6 * x * (53 - 120 * x) - 65 * x * x / a + a * (107 + 3600 * x)
    return (1 + 24 * a * (1 + 12 * a)) * above / (1244160 * (a * a) * (a * a))


def _gamma_far_off(a: Any, x: Any) -> Any:
    """By an expansion around the saddle point."""
    root, logs = (8 * a).sqrt(), (x / a).log()
    inverse = root / (a - x)
    power = (x - a - a * logs).pow(-1.5)
    both = where(x < a, inverse - power, inverse + power)
    change = logs * both - (2 / a).sqrt() * (a + x) / ((a - x) * (a - x))
    stirling = 1 + 1 / (12 * a) * (1 + 1 / (24 * a))
    return -stirling * (x * change) / root


# Coefficients of 1, u and u * u; in each of powers of v, four above the fraction and four below.
_GAMMA: tuple[Table, Table] = (
    (
        (0.16009398, -0.094634809, 0.025146376, -0.0030648343),
        (0.53487893, 0.1298071, 0.065735949, -0.0015649758),
        (0.040121004, -0.0065914022, -0.0026286047, -0.0013441777),
    ),
    (
        (1.0, 0.32668115, 0.10406089, 0.0014179084),
        (0.16639465, 0.020070113, -0.0035938915, -0.00058392623),
        (0.017050642, -0.0021309326, 0.00085092367, -1.5247877e-07),
    ),
)


def _gamma_fitted(a: Any, x: Any) -> Any:
    """e to the power of a fraction of two polynomials."""
    u, v = (x / a).log(), a.log()
    above, below = (
        _horner(tuple(_horner(column, u) for column in zip(*table, strict=True)), v) for table in _GAMMA
    )
    return (above / below).exp()


# -- beta, for Dirichlet's --------------------------------------------------------------------------------------------


def dirichlet_slope(x: Tensor, a: Tensor, total: Tensor) -> Any:
    """dx / da / (1 - x) for one element x of Dirichlet vectors, in double precision.

    Args:
        x: the element. a: its concentration. total: the sum of all concentrations.
    """
    x, a, total = (one.to(dtypes.float64) for one in (x, a, total))
    b = total - a
    near = total * x * (1 - x)
    inner = where((a > 6) & (b > 6), _beta_large(x, a, b), _beta_fitted(x, a, total))
    inner = where((x >= 0.5) & (near < 0.75), -_beta_other_small(1 - x, b, a), inner)
    return where((x <= 0.5) & (near < 2.5), _beta_small(x, a, b), inner)


def _beta_small(x: Any, a: Any, b: Any) -> Any:
    """The change with the first concentration, by the power series of F: x near 0."""
    factor = a.digamma() - (a + b).digamma() - x.log()
    term, series = 1.0, 1 / a * (factor + 1 / a)
    for i in range(1, 11):
        term = term * ((i - b) * x / i)
        series = series + term / (a + i) * (factor + 1 / (a + i))
    return (x * (1 - x).pow(-b) * series).nan_to_num(nan=0.0, posinf=float("inf"), neginf=-float("inf"))


def _beta_other_small(x: Any, a: Any, b: Any) -> Any:
    """The change with the second concentration, by the power series of F: x near 0."""
    factor = (a + b).digamma() - b.digamma()
    term, product, slope, series = 1.0, 1.0, 0.0, factor / a
    for i in range(1, 9):
        term = term * (-x / i)
        slope = slope * (b - i) + product
        product = product * (b - i)
        series = series + term / (a + i) * (slope + factor * product)
    return (-(1 - x).pow(1 - b) * series).nan_to_num(nan=0.0, posinf=float("inf"), neginf=-float("inf"))


def _beta_large(x: Any, a: Any, b: Any) -> Any:
    """By an expansion around the saddle point: both concentrations are large."""
    total = a + b
    mean = a / total
    deviation = (a * b / (total + 1)).sqrt() / total
    at_mean = (mean - 0.1 * deviation <= x) & (x <= mean + 0.1 * deviation)
    return where(at_mean, _beta_at_mean(x, a, b), _beta_far_off(x, a, b))


def _beta_at_mean(x: Any, a: Any, b: Any) -> Any:
    """Near the mean, where `_beta_far_off` divides by zero."""
    total, b2 = a + b, b * b
    by_a = (
        47 * x * b2 * b2,
        (43 + 20 * (16 + 27 * b) * x) * b2 * b,
        3 * (59 + 180 * b - 90 * x) * b2,
        (453 + 1620 * b * (1 - x) - 455 * x) * b,
        8 * (1 - x) * (135 * b - 11),
    )
    above = (1 + 12 * a) * (1 + 12 * b) / (total * total)
    return above / (1 - x) * _horner(by_a, a) / (12960 * a * a * a * b * b * (1 + 12 * total))


def _stirling(a: Any) -> Any:
    return 1 + 1 / (12 * a) + 1 / (288 * a * a)


def _beta_far_off(x: Any, a: Any, b: Any) -> Any:
    total = a + b
    away = a * (x - 1) + b * x
    below = (2 * a / b).sqrt() * total.pow(1.5) * away * away
    first = (2 * (a * a) * (x - 1) + a * b * (x - 1) - x * (b * b)) / below
    inverse = (8 * a * b / total).sqrt() / away
    power = (b * (b / (total * (1 - x))).log() + a * (a / (total * x)).log()).pow(-1.5)
    second = 0.5 * (a / (total * x)).log() * (inverse + where(x < a / total, power, -power))
    stirling = _stirling(a) * _stirling(b) / _stirling(total)
    return stirling * (-x / (2 * a * b / total).sqrt()) * (first + second)


# By powers of u, of v and of w: above the fraction, and below it.
_BETA: tuple[tuple[Table, ...], tuple[Table, ...]] = (
    (
        (
            (1.003668233, -0.01061107488, -0.0657888334, 0.01201642863),
            (0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033),
            (-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013),
        ),
        (
            (0.221950385, -0.3187676331, 0.01799915743, 0.01074823814),
            (-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057),
            (0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05),
        ),
        (
            (-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565),
            (0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181),
            (0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05),
        ),
    ),
    (
        (
            (1.0, -0.02924021934, -0.04438342661, 0.007285809825),
            (0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521),
            (-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149),
        ),
        (
            (0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273),
            (0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956),
            (-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05),
        ),
        (
            (0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05),
            (0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05),
            (-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06),
        ),
    ),
)


def _beta_fitted(x: Any, a: Any, total: Any) -> Any:
    """A simple formula, corrected by a fraction of two polynomials."""
    u = x.log()
    v = a.log() - u
    w = total.log() - v
    above, below = (
        _horner(tuple(_horner(tuple(_horner(row, w) for row in table), v) for table in tables), u)
        for tables in _BETA
    )
    return above / below * (x * (total.digamma() - a.digamma()) / (total - a))
