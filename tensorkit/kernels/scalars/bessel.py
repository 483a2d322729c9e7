"""The modified Bessel function of order 0, by its Chebyshev series in the numbers' own precision.

Source: S. L. Moshier, Cephes Mathematical Library (1984-2000), ``i0``.
"""

# The types of the arguments are the compiler's to find.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return"

from __future__ import annotations

from numpy import exp, float64, sqrt

from tensorkit.kernels.scalars.forms import Scalar, real

# exp(-x) I0(x): up to 8 in x / 2 - 2, beyond (times the root of x) in 32 / x - 2.
NEAR = (
    *(-4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16),
    *(1.71539128555513303061e-15, -1.16853328779934516808e-14, 7.67618549860493561688e-14),
    *(-4.85644678311192946090e-13, 2.95505266312963983461e-12, -1.72682629144155570723e-11),
    *(9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9),
    *(-1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7),
    *(1.11738753912010371815e-6, -4.41673835845875056359e-6, 1.64484480707288970893e-5),
    *(-5.75419501008210370398e-5, 1.88502885095841655729e-4, -5.76375574538582365885e-4),
    *(1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2),
    *(-2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2),
    *(1.71620901522208775349e-1, -3.04682672343198398683e-1, 6.76795274409476084995e-1),
)
FAR = (
    *(-7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17),
    *(3.46122286769746109310e-17, -2.82762398051658348494e-16, -3.42548561967721913462e-16),
    *(1.77256013305652638360e-15, 3.81168066935262242075e-15, -9.55484669882830764870e-15),
    *(-4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13),
    *(7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11),
    *(-3.14991652796324136454e-11, 1.18891471078464383424e-11, 4.94060238822496958910e-10),
    *(3.39623202570838634515e-9, 2.26666899049817806459e-8, 2.04891858946906374183e-7),
    *(2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3),
    *(8.04490411014108831608e-1,),
)


def _near(y):
    """A step multiplies and subtracts at once, and then adds."""
    this, last, before = real(NEAR[0]), real(0), real(0)
    for k in range(1, 30):
        before, last = last, this
        this = real(float64(y) * float64(last) - float64(before)) + real(NEAR[k])
    return real(0.5) * (this - before)


def _far(y):
    this, last, before = real(FAR[0]), real(0), real(0)
    for k in range(1, 25):
        before, last = last, this
        this = real(float64(y) * float64(last) - float64(before)) + real(FAR[k])
    return real(0.5) * (this - before)


def _i0(a):
    x = abs(a)
    power = real(exp(float64(x)))
    if x <= 8:
        return power * _near(x / real(2) - real(2))
    return power * _far(real(32) / x - real(2)) / sqrt(x)


def _i0e(a):
    x = abs(a)
    return _near(x / real(2) - real(2)) if x <= 8 else _far(real(32) / x - real(2)) / sqrt(x)


I0 = Scalar("i0", real=_i0)
I0E = Scalar("special_i0e", real=_i0e)
