"""The Bessel functions of both kinds and the Airy function: waves that die away, by quotients of polynomials.

SciPy has them all, nearer to the truth than PyTorch. The polynomials are those of the Cephes library, some of which
Cephes divides by polynomials whose first coefficient is 1 and not written down; PyTorch forgets that 1, and is wrong
by up to 1e-6 between 2 and 20. It also computes in the dtype's own precision. Both is done here as there.

Source: S. L. Moshier, Cephes Mathematical Library (1984-2000), ``j0``, ``j1`` and ``airy``.
"""

from __future__ import annotations

from typing import Any

import numpy

Array = numpy.ndarray[Any, Any]
_Quotient = tuple[tuple[float, ...], tuple[float, ...]]

# Numerators and denominators, the highest power first: up to 5 of x squared, beyond of (5 / x) squared.
_J0: _Quotient = (
    (-4794432209.782018, 1956174919465.5657, -249248344360967.72, 9708622510473064.0),
    (
        499.563147152651,
        173785.4016763747,
        48440965.83399621,
        11185553704.535683,
        2112775201154.892,
        310518229857422.56,
        3.1812195594320496e16,
        1.7108629408104315e18,
    ),
)
_Y0: _Quotient = (
    (
        15592.436785523574,
        -14663929.59039716,
        5435264770.518765,
        -982136065717.9115,
        87590639439536.7,
        -3466283033847297.0,
        4.4273326857256984e16,
        -1.8495080043698668e16,
    ),
    (
        1041.2835366425984,
        626107.330137135,
        268919633.39381415,
        86400248710.3935,
        20297961275010.555,
        3171577528429750.5,
        2.5059625617265306e17,
    ),
)
_J1: _Quotient = (
    (-899971225.7055594, 452228297998.19403, -72749424522181.83, 3682957328638529.0),
    (
        620.8364781180543,
        256987.25675774884,
        83514679.14319493,
        22151159547.97925,
        4749141220799.914,
        784369607876235.9,
        8.952223361846274e16,
        5.322786203326801e18,
    ),
)
_Y1: _Quotient = (
    (
        1263204747.9017804,
        -647355876379.1603,
        114509511541823.73,
        -8127702555013251.0,
        2.024394757135949e17,
        -7.788771962659501e17,
    ),
    (
        594.3015923461282,
        235564.09294306856,
        73481194.44597217,
        18760131610.870617,
        3882312774962.3857,
        620557727146953.8,
        6.871410873553005e16,
        3.9727060811656064e18,
    ),
)
_COSINE0: _Quotient = (
    (
        0.0007969367292973471,
        0.08283523921074408,
        1.239533716464143,
        5.447250030587687,
        8.74716500199817,
        5.303240382353949,
        1.0,
    ),
    (
        0.0009244088105588637,
        0.08562884743544745,
        1.2535274390105895,
        5.470977403304171,
        8.761908832370695,
        5.306052882353947,
        1.0,
    ),
)
_SINE0: _Quotient = (
    (
        -0.011366383889846916,
        -1.2825271867050931,
        -19.553954425773597,
        -93.20601521237683,
        -177.68116798048806,
        -147.07750515495118,
        -51.41053267665993,
        -6.050143506007285,
    ),
    (
        64.3178256118178,
        856.4300259769806,
        3882.4018360540163,
        7240.467741956525,
        5930.727011873169,
        2062.0933166032783,
        242.0057402402914,
    ),
)
_COSINE1: _Quotient = (
    (
        0.0007621256162081731,
        0.07313970569409176,
        1.1271960812968493,
        5.112079511468076,
        8.424045901417724,
        5.214515986823615,
        1.0,
    ),
    (
        0.0005713231280725487,
        0.06884559087544954,
        1.105142326340617,
        5.073863861286015,
        8.399855543276042,
        5.209828486823619,
        1.0,
    ),
)
_SINE1: _Quotient = (
    (
        0.05108625947501766,
        4.982138729512334,
        75.82382841325453,
        366.7796093601508,
        710.8563049989261,
        597.4896124006136,
        211.68875710057213,
        25.207020585802372,
    ),
    (
        74.23732770356752,
        1056.4488603826283,
        4986.410583376536,
        9562.318924047562,
        7997.041604473507,
        2826.1927851763908,
        336.0936078106983,
    ),
)
# The Airy function's: on the right, and the two that multiply sine and cosine on the left.
_FALLING: _Quotient = (
    (
        0.346538101525629,
        12.007595273964581,
        76.27960536152345,
        168.08922493463058,
        159.75639135016442,
        70.53609068404442,
        14.026469116338967,
        1.0,
    ),
    (
        0.5675945326387702,
        14.75625625848472,
        84.51389701414746,
        177.31808814540045,
        164.2346928715297,
        71.47784008255756,
        14.095913560783403,
        1.0,
    ),
)
_SINE: _Quotient = (
    (
        -0.1316963234183318,
        -0.6264565444319123,
        -0.6931580360369335,
        -0.2797799815451191,
        -0.04919001326095003,
        -0.004062659235948854,
        -0.0001592764962392621,
        -2.776491081552329e-06,
        -1.6778769848911465e-08,
    ),
    (
        13.356042070655324,
        32.682503279522464,
        26.736704094149957,
        9.187074029072596,
        1.4752914677166642,
        0.11568717379518804,
        0.004402916416152112,
        7.547203482874142e-05,
        4.5185009297058035e-07,
    ),
)
_COSINE: _Quotient = (
    (
        0.01973399320916857,
        0.39110302961568827,
        1.0657989759959559,
        0.9391692298166502,
        0.35146565610554764,
        0.06338889196289255,
        0.005858041130483885,
        0.000282851600836737,
        6.98793669997261e-06,
        8.117892395543892e-08,
        3.415517847659236e-10,
    ),
    (
        9.30892908077442,
        19.835292871831214,
        15.564662893286462,
        5.476860694229755,
        0.9542936116189619,
        0.08645808263523921,
        0.004126565238242226,
        0.00010125908511650914,
        1.1716673321441352e-06,
        4.9183457006293e-09,
    ),
)
# The squares of the first two zeros of each function of the first kind.
_ZEROS0 = (5.783185962946785, 30.471262343662087)
_ZEROS1 = (14.681970642123893, 49.21845632169460)

_EIGHTH = 0.7853981633974483  # of a turn
_THREE_EIGHTHS = 2.356194490192345
_TWO_OVER_PI = 0.6366197723675814
_ITS_ROOT = 0.7978845608028654
_ROOT_OF_PI = 0.5641895835477563  # and its reciprocal
_AT_0, _SLOPE_AT_0 = 0.3550280538878172, 0.2588194037928068


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    total = 0 * x
    for coefficient in coefficients:
        total = total * x + coefficient
    return total


def _quotient(of: _Quotient, x: Array) -> Array:
    found: Array = _polynomial(of[0], x) / _polynomial(of[1], x)
    return found


def _waves(
    x: Array, slow: Array, square: Array, turned: float, first: bool, of: tuple[_Quotient, _Quotient]
) -> Array:
    """Beyond 5 a wave of the angle ``x - turned``: of the first kind, or of the second, which runs behind it."""
    angle = x - turned
    upright, across = (numpy.cos(angle), -numpy.sin(angle)) if first else (numpy.sin(angle), numpy.cos(angle))
    wave = _quotient(of[0], square) * upright + slow * _quotient(of[1], square) * across
    lowered: Array = wave * _ITS_ROOT / numpy.sqrt(x)
    return lowered


def _far0(x: Array, first: bool) -> Array:
    return _waves(x, 5 / x, 25 / (x * x), _EIGHTH, first, (_COSINE0, _SINE0))


def _far1(x: Array, first: bool) -> Array:
    slow = 5 / x
    return _waves(x, slow, slow * slow, _THREE_EIGHTHS, first, (_COSINE1, _SINE1))


def bessel_j0(x: Array) -> Array:
    """The Bessel function of the first kind of order 0: 1 at 0, and even.

    >>> bessel_j0(numpy.array([0.5, 1.0, -10.0])).round(4)
    array([ 0.9385,  0.7652, -0.2459])
    """
    x = numpy.abs(x)
    square = x * x
    near = (square - _ZEROS0[0]) * (square - _ZEROS0[1]) * _polynomial(_J0[0], square)
    near = near / _polynomial(_J0[1], square)
    near = numpy.where(x < x.dtype.type(0.00001), 1 - square / 4, near)
    return numpy.where(x <= 5, near, _far0(x, True))


def bessel_j1(x: Array) -> Array:
    """The Bessel function of the first kind of order 1: 0 at 0, and odd.

    >>> bessel_j1(numpy.array([0.5, 1.0, -10.0])).round(4)
    array([ 0.2423,  0.4401, -0.0435])
    """
    away = numpy.abs(x)
    square = away * away
    near = _quotient(_J1, square) * x * (square - _ZEROS1[0]) * (square - _ZEROS1[1])
    far = _far1(away, True)
    return numpy.where(away <= 5, near, numpy.where(x < 0, -far, far))


def _second_kind(x: Array, near: Array, far: Array) -> Array:
    """-inf at 0, nan below it."""
    found = numpy.where(x <= 5, near, far)
    return numpy.where(x == 0, -numpy.inf, numpy.where(x < 0, numpy.nan, found)).astype(x.dtype)


def bessel_y0(x: Array) -> Array:
    """The Bessel function of the second kind of order 0.

    >>> bessel_y0(numpy.array([0.5, 1.0, 10.0])).round(4)
    array([-0.4445,  0.0883,  0.0557])
    """
    near = _quotient(_Y0, x * x) + _TWO_OVER_PI * numpy.log(x) * bessel_j0(x)
    return _second_kind(x, near, _far0(x, False))


def bessel_y1(x: Array) -> Array:
    """The Bessel function of the second kind of order 1.

    >>> bessel_y1(numpy.array([0.5, 1.0, 10.0])).round(4)
    array([-1.4715, -0.7812,  0.249 ])
    """
    near = x * _quotient(_Y1, x * x) + _TWO_OVER_PI * (bessel_j1(x) * numpy.log(x) - 1 / x)
    return _second_kind(x, near, _far1(x, False))


def _series(x: Array) -> Array:
    """The Airy function by its series around 0, as far as it goes on telling something."""
    cube, total, slope = x * x * x, numpy.ones_like(x), x
    even, odd, least = total, slope, numpy.finfo(x.dtype).eps
    for k in range(2, 300, 3):
        even = even * cube / k / (k + 1)
        odd = odd * cube / (k + 1) / (k + 2)
        total, slope = total + even, slope + odd
        if not (numpy.abs(even / total) > least).any():
            break
    return _AT_0 * total - _SLOPE_AT_0 * slope


def airy_ai(x: Array) -> Array:
    """A wave to the left of 0, falling faster than an exponential to the right; at both infinities nan.

    >>> airy_ai(numpy.array([0.0, 1.0, -5.0])).round(4)
    array([0.355 , 0.1353, 0.3508])
    """
    left, right = numpy.minimum(x, -2), numpy.maximum(x, 2)
    third = -2 * left * numpy.sqrt(-left) / 3
    z = 1 / third
    square, angle = z * z, third + _EIGHTH
    upright = numpy.sin(angle) * (1 + square * _polynomial(_SINE[0], square) / _polynomial(_SINE[1], square))
    across = numpy.cos(angle) * (z * _polynomial(_COSINE[0], square) / _polynomial(_COSINE[1], square))
    wave = _ROOT_OF_PI / numpy.sqrt(numpy.sqrt(-left)) * (upright - across)
    zeta = 2 * right * numpy.sqrt(right) / 3
    fall = _ROOT_OF_PI * _quotient(_FALLING, 1 / zeta)
    fall = fall / (2 * numpy.sqrt(numpy.sqrt(right)) * numpy.exp(zeta))
    limit, gone = x.dtype.type(2.09), x.dtype.type(103.892)
    found = numpy.where(
        x < -limit, wave, numpy.where(x >= limit, fall, _series(numpy.clip(x, -limit, limit)))
    )
    return numpy.where(numpy.isinf(x), numpy.nan, numpy.where(x > gone, 0, found)).astype(x.dtype)
