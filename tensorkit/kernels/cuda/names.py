"""What the bare names in a scalar body stand for: its numbers' types, and the functions that a GPU calls otherwise.

The bodies of ``kernels.scalars`` are written with NumPy's names, which Python and Numba's code for this computer know.
For a GPU numba-cuda knows some of them, and has the others in Python's ``math`` or as functions of NVIDIA's libdevice,
one for each width.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy

from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda.compile import bind
from tensorkit.kernels.cuda.half import math_name
from tensorkit.kernels.scalars import forms

__all__ = ["specialised"]

Function = Callable[..., Any]

#: Functions that numba-cuda takes from ``math``, for both widths.
_MATH = {
    "copysign": math.copysign,
    "exp": math.exp,
    "expm1": math.expm1,
    "fmod": math.fmod,
    "log1p": math.log1p,
    "power": math.pow,
    "sqrt": math.sqrt,
}
#: Functions of libdevice, whose names end in "f" for float32.
_LIBDEVICE = ("ceil", "exp2", "floor", "nextafter", "rint", "trunc")


def _is_finite(x: Any) -> Any:
    return abs(x) < math.inf


@cache
def _on_gpu(single: bool) -> dict[str, Any]:
    from numba.cuda import libdevice

    found = {name: getattr(libdevice, name + "f" * single) for name in _LIBDEVICE}
    return {**found, **_MATH, "isfinite": _is_finite}


def _types(kind: dtype) -> dict[str, Any]:
    number = kind.to_real() if kind.is_complex else kind
    name = math_name(number)
    return {
        "real": getattr(numpy, name if number.is_floating_point else "float64"),
        "whole": getattr(numpy, name if number.category == 1 else "int64"),
    }


@cache
def specialised(function: Function, kind: dtype, gpu: bool) -> Function:
    """A copy of a scalar body, and of all it calls, for numbers of one dtype and for a GPU or this computer.

    Names that stand for something else in the module of the body, as they may in a learner's, are left alone.

    >>> from tensorkit import dtypes
    >>> from tensorkit.kernels.scalars.elementary import RSQRT
    >>> type(specialised(RSQRT.of(dtypes.float16), dtypes.float16, False)(numpy.float32(4))).__name__
    'float32'
    """
    around = getattr(function, "__globals__", {})
    names = {name: made for name, made in _types(kind).items() if around.get(name) is getattr(forms, name)}
    if gpu and around:
        # Functions of complex numbers compute in float64, and so do all those of the module `special`.
        wide = kind.is_complex or around.get("__name__") in _WIDE or names.get("real") is numpy.float64
        known = _on_gpu(not wide and math_name(kind) == "float32")
        names |= {name: there for name, there in known.items() if around.get(name) is getattr(numpy, name)}
    return bind(function, names, lambda inner: specialised(inner, kind, gpu))


_WIDE = tuple(f"{forms.__package__}.{name}" for name in ("complex_numbers", "gamma_shares", "special"))
