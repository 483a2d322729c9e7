"""The functions of numbers that a kernel finds: `math` and `numpy` as they are compiled for a GPU.

A function outside its domain gives nan or inf, and no error. An integer becomes a float64, and a float32 stays one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy

from tensorkit.kernels.cuda.traced.arithmetic import KINDS, as_kind, floating_kind, kind_of

Function = Callable[..., Any]

_UFUNCS = {
    "sqrt": numpy.sqrt, "exp": numpy.exp, "exp2": numpy.exp2, "expm1": numpy.expm1, "log": numpy.log,
    "log2": numpy.log2, "log10": numpy.log10, "log1p": numpy.log1p, "sin": numpy.sin, "cos": numpy.cos,
    "tan": numpy.tan, "asin": numpy.arcsin, "acos": numpy.arccos, "atan": numpy.arctan, "atan2": numpy.arctan2,
    "sinh": numpy.sinh, "cosh": numpy.cosh, "tanh": numpy.tanh, "asinh": numpy.arcsinh, "acosh": numpy.arccosh,
    "atanh": numpy.arctanh, "pow": numpy.power, "fabs": numpy.fabs, "fmod": numpy.fmod, "hypot": numpy.hypot,
    "copysign": numpy.copysign, "nextafter": numpy.nextafter, "degrees": numpy.degrees, "radians": numpy.radians,
    "floor": numpy.floor, "ceil": numpy.ceil, "trunc": numpy.trunc, "isnan": numpy.isnan, "isinf": numpy.isinf,
    "isfinite": numpy.isfinite, "modf": numpy.modf, "frexp": numpy.frexp,
}  # fmt: skip
_BY_RANGE = ("copysign", "fmod", "remainder", "nextafter", "frexp", "ldexp", "pow")
"""Those that take a small integer as a float32; the others take every integer as a float64."""


def _math_kind(name: str, kinds: tuple[str, ...]) -> str:
    """In which kind of floating point number a function of ``math`` computes."""
    whole = not any(kind.startswith(("float", "complex")) for kind in kinds)
    if whole and name not in _BY_RANGE:
        return "float64"
    return floating_kind(*kinds) if kinds == ("float16",) else floating_kind(*kinds, "float32")


class MachineMath:
    """The module ``math`` as kernels have it.

    >>> MachineMath().sqrt(4), MachineMath().pi > 3, MachineMath().erf(0.0)
    (np.float64(2.0), True, np.float64(0.0))
    """

    def __getattr__(self, name: str) -> Any:
        found = getattr(math, name)
        return self.function(name, found) if callable(found) else found

    @staticmethod
    @cache
    def function(name: str, found: Function) -> Function:
        """A function of ``math`` that answers as a GPU does."""
        work = _UFUNCS.get(name) or _guarded(found)

        def answer(*given: Any) -> Any:
            kinds = tuple(map(kind_of, given))
            if not given or not all(kinds):
                return work(*given)
            if name == "ldexp":
                kind = _math_kind(name, kinds[:1])
                return numpy.ldexp(as_kind(kind, given[0]), int(given[1]))
            kind = _math_kind(name, kinds)
            result = work(*(as_kind(kind, one) for one in given))
            return numpy.dtype(kind).type(result) if isinstance(result, float) else result

        return answer


def _guarded(found: Function) -> Function:
    def work(*x: Any) -> Any:
        try:
            return found(*x)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return work


class Converter:
    """A type of numbers as a kernel uses it: called, it converts as C does."""

    def __init__(self, kind: str) -> None:
        self.name, self.dtype = kind, numpy.dtype(kind)

    def __call__(self, value: Any = 0) -> Any:
        return as_kind(self.name, value)

    def __repr__(self) -> str:
        return self.name


def converter(value: Any) -> Any:
    """What stands for a type of numbers, NumPy's or Numba's; None for everything else."""
    if isinstance(value, type):
        kind = KINDS.get(value, "") if issubclass(value, numpy.generic) else ""
    else:
        kind = (
            getattr(value, "name", "") if type(value).__module__.startswith(("numba.", "numba_cuda.")) else ""
        )
    return Converter(kind) if kind in KINDS.values() else None


class MachineNumpy:
    """The module ``numpy`` as kernels have it: its types of numbers convert as C does."""

    def __getattr__(self, name: str) -> Any:
        return of_machine(getattr(numpy, name))


def of_machine(value: Any) -> Any:
    """A type of numbers or a function of numbers as a kernel has it; everything else as it is."""
    if isinstance(value, numpy.ufunc):
        return _typed(value)
    return converter(value) or value


@cache
def _typed(ufunc: numpy.ufunc) -> Function:
    """A function of NumPy whose numbers are typed: Python's too, and no small integer becomes a float16."""

    def answer(*given: Any, **more: Any) -> Any:
        if more or not all(map(kind_of, given)):
            return ufunc(*given, **more)
        typed = [numpy.dtype(kind_of(one)).type(one) for one in given]
        found = ufunc(*typed)
        if getattr(found, "dtype", None) == numpy.float16 and not any(
            isinstance(one, numpy.float16) for one in typed
        ):
            found = ufunc(*map(numpy.float32, typed))
        return found

    return answer
