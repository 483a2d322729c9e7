"""How random values change with the parameters of their distribution, at the same quantile (implicit differentiation).

A value x of a distribution function F(x; a) moves by -(dF/da) / (dF/dx). Neither gamma's nor beta's dF/da has a formula
in elementary functions: SciPy's F is differenced, in double precision, as its logarithm, and as that of 1 - F where F
is above a half. Where both are too small for a number, the first term of the series of F is left.

Source: M. Figurnov, S. Mohamed and A. Mnih, "Implicit reparameterization gradients" (2018).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.ops.shared.tensor_data import from_numpy
from tensorkit.ops.shared.to import host_array
from tensorkit.tensor import Array, Tensor


def gamma_slope(shape: Tensor, x: Tensor) -> Any:
    """dx / d(shape) for values x of gamma distributions of rate 1, in double precision.

    Args:
        shape, x: of one size.
    """
    return _on_host(_gamma, shape, x)


def dirichlet_slope(x: Tensor, a: Tensor, total: Tensor) -> Any:
    """dx / da / (1 - x) for one element x of Dirichlet vectors, in double precision.

    Args:
        x: the element. a: its concentration. total: the sum of all concentrations.
    """
    return _on_host(_beta, a, total - a, x) / (1 - x)


def _on_host(slope: Callable[..., Array], *tensors: Tensor) -> Any:
    arrays = (host_array(one.detach().to(dtypes.float64)) for one in tensors)
    made = quiet(slope, *numpy.broadcast_arrays(*arrays))
    return from_numpy(numpy.nan_to_num(made, posinf=numpy.inf, neginf=-numpy.inf)).to(tensors[0].device)


def _gamma(a: Array, x: Array) -> Array:
    from scipy import special

    density = special.xlogy(a - 1, x) - x - special.gammaln(a)
    below = _weighed(lambda a: numpy.log(special.gammainc(a, x)), a, density)
    above = _weighed(lambda a: numpy.log(special.gammaincc(a, x)), a, density)
    change = numpy.log(x) - special.digamma(a)
    below = numpy.where(numpy.isfinite(below), below, x / a * (change - 1 / a))
    above = numpy.where(numpy.isfinite(above), above, change)
    return numpy.where(special.gammainc(a, x) < 0.5, -below, above)


def _beta(a: Array, b: Array, x: Array) -> Array:
    from scipy import special

    density = special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b)
    below = _weighed(lambda a: numpy.log(special.betainc(a, b, x)), a, density)
    above = _weighed(lambda a: numpy.log(special.betaincc(a, b, x)), a, density)
    change = special.digamma(a + b) - special.digamma(a)
    below = numpy.where(numpy.isfinite(below), below, x / a * (change + numpy.log(x) - 1 / a))
    above = numpy.where(numpy.isfinite(above), above, (1 - x) / b * change)
    return numpy.where(special.betainc(a, b, x) < 0.5, -below, above)


def _weighed(log: Callable[[Array], Array], a: Array, density: Array) -> Array:
    """The change of a function with `a`, over the density: ``log`` is its logarithm, differenced over four points."""
    h = 0.01 * numpy.minimum(a, numpy.sqrt(a))
    change = (8 * (log(a + h) - log(a - h)) - (log(a + 2 * h) - log(a - 2 * h))) / (12 * h)
    weighed: Array = numpy.exp(log(a) - density) * change
    return weighed
