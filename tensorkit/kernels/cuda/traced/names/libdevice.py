"""NVIDIA's library of mathematics, ``numba.cuda.libdevice``, as far as its functions are plain mathematics.

Each is one function of NumPy or SciPy. What types it takes and gives is Numba's own table: ``sqrtf`` is the square root
of a float32.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy

Function = Callable[..., Any]

_SAME = (
    "cbrt", "ceil", "copysign", "cos", "cosh", "exp", "exp2", "expm1", "fabs", "floor", "fmax", "fmin", "fmod",
    "frexp", "hypot", "ldexp", "log", "log10", "log1p", "log2", "nextafter", "rint", "sin", "sinh", "sqrt", "tan",
    "tanh", "trunc",
)  # fmt: skip
"""What NumPy calls by the same name."""

_OF_SCIPY = {
    "erf": "erf", "erfc": "erfc", "erfcx": "erfcx", "erfinv": "erfinv", "erfcinv": "erfcinv", "lgamma": "gammaln",
    "tgamma": "gamma", "normcdf": "ndtr", "normcdfinv": "ndtri", "j0": "j0", "j1": "j1", "jn": "jn", "y0": "y0",
    "y1": "y1", "yn": "yn",
}  # fmt: skip


def _to_nearest(x: Any) -> Any:
    """Halves go away from zero."""
    whole = numpy.trunc(x)
    return whole + numpy.copysign(numpy.abs(x - whole) >= 0.5, x)


_MATHS: dict[str, Function] = {name: getattr(numpy, name) for name in _SAME} | {
    "acos": numpy.arccos, "acosh": numpy.arccosh, "asin": numpy.arcsin, "asinh": numpy.arcsinh, "atan": numpy.arctan,
    "atan2": numpy.arctan2, "atanh": numpy.arctanh, "nearbyint": numpy.rint, "round": _to_nearest, "pow": numpy.power,
    "powi": numpy.power, "scalbn": numpy.ldexp, "abs": numpy.abs, "llabs": numpy.abs, "max": max, "min": min,
    "llmax": max, "llmin": min, "modf": numpy.modf, "isnan": numpy.isnan, "isnand": numpy.isnan, "isinf": numpy.isinf,
    "isinfd": numpy.isinf, "finite": numpy.isfinite, "isfinited": numpy.isfinite,
    "sincos": lambda x: (numpy.sin(x), numpy.cos(x)), "exp10": lambda x: numpy.power(10, x, dtype=x.dtype),
    "rsqrt": lambda x: 1 / numpy.sqrt(x), "rcbrt": lambda x: 1 / numpy.cbrt(x), "fdividef": lambda x, y: x / y,
    "fdim": lambda x, y: 0.0 if x <= y else x - y, "saturate": lambda x: numpy.fmin(numpy.fmax(x, 0), 1),
}  # fmt: skip


def _maths(name: str) -> Function | None:
    """What a function of the library computes; None where it is not played.

    >>> _maths("sqrtf") is _maths("sqrt") is numpy.sqrt, _maths("byte_perm")
    (True, None)
    """
    plain = name.removeprefix("fast_")
    for known in (plain, plain.removesuffix("f")):
        if known in _OF_SCIPY:
            found: Function = getattr(import_module("scipy.special"), _OF_SCIPY[known])
            return found
        if known in _MATHS:
            return _MATHS[known]
    return None


@cache
def function(name: str) -> Function | None:
    """A function of ``numba.cuda.libdevice`` for numbers of the types that it takes; None where it is not played.

    >>> function("sqrtf")(2), function("sincos")(0)
    (np.float32(1.4142135), (np.float64(0.0), np.float64(1.0)))
    """
    maths, table = _maths(name), import_module("numba.cuda.libdevicefuncs")
    declared = table.functions.get(f"__nv_{name}")
    if maths is None or declared is None:
        return None
    signature = table.create_signature(*declared)
    takes = [numpy.dtype(str(kind)).type for kind in signature.args]
    result = signature.return_type
    gives = [numpy.dtype(str(kind)).type for kind in getattr(result, "types", (result,))]

    def called(*given: Any) -> Any:
        if len(given) != len(takes):
            raise TypeError(f"libdevice.{name}() takes {len(takes)} numbers, and was given {len(given)}")
        found = maths(*(kind(number) for kind, number in zip(takes, given, strict=True)))
        if len(gives) == 1:
            return gives[0](found)
        return tuple(kind(number) for kind, number in zip(gives, found, strict=True))

    return called
