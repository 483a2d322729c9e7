"""From an operation's scalar body to a `Kernel`: which body, which functions it is handed, which arguments.

A family is one body for any arithmetic. So far: ``zip`` (n inputs → one output, element by element). A
strided copy with a cast is its case of one input and the identity.

The bodies of ``kernels.scalars`` are written with NumPy's bare names, which Python and Numba's code for this computer
know. For a GPU numba-cuda knows some of them, and has the others in Python's ``math`` or as functions of NVIDIA's
libdevice, one for each width: `specialised` puts those in their place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy

from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda import half, kernels
from tensorkit.kernels.cuda.compile import Argument, Int, Ints, Kernel, Numbers, Pointer, bind
from tensorkit.kernels.scalars import forms

Function = Callable[..., Any]

READERS = ("read_a", "read_b", "read_c", "read_d", "read_e")


def widest(kinds: Iterable[dtype]) -> dtype:
    """The type that the others of one call are no wider than: where they differ, one of them is bool or an exponent."""
    return max(kinds, key=lambda kind: (kind.category, kind.itemsize))


class Zip(NamedTuple):
    """All that decides which zip kernel is needed.

    Attributes:
        scalar: the arithmetic: a plain function of the inputs' elements and the scalars.
        out, inputs: what is stored.
        compute: the type the inputs are converted to first: one for all, or one for each.
        dims: which special case of `bodies.PLACE`.
        scalars: how many.
        result: what the result is rounded to before it is converted to `out`; `out` itself if none is given.
        number: the type of the scalars; by default the one that all others are promoted to.
        pattern: the order in which `scalar` takes elements ("t") and scalars ("n"); by default the scalars last.
        name: what the kernel is called; by default the name of `scalar`.
        wide: whether the arithmetic is done in double precision anyhow.
    """

    scalar: Callable[..., Any]
    out: dtype
    inputs: tuple[dtype, ...]
    compute: dtype | tuple[dtype, ...]
    dims: int
    scalars: int
    result: dtype | None = None
    number: dtype | None = None
    pattern: str = ""
    wide: bool = False
    name: str = ""

    @property
    def arranged(self) -> Callable[..., Any]:
        """The arithmetic with the elements first and the scalars last."""
        return arranged(self.scalar, self.pattern) if self.pattern else self.scalar

    @property
    def computes(self) -> tuple[dtype, ...]:
        """What each input is converted to."""
        return self.compute if isinstance(self.compute, tuple) else (self.compute,) * len(self.inputs)

    @property
    def main(self) -> dtype:
        """What is computed in: the type that all others are promoted to."""
        if not isinstance(self.compute, tuple):
            return self.compute
        return widest(self.compute) if self.compute else self.number or self.out


@cache
def zip_kernel(spec: Zip, native_half: bool) -> Kernel:
    """The kernel for a `Zip`; `native_half` is true for GPUs, which have a float16 of their own."""
    if len(spec.inputs) >= len(kernels.ZIPS):
        raise NotImplementedError(f"kernels take up to five inputs, not {len(spec.inputs)}")
    number = spec.number or spec.main
    names: dict[str, Callable[..., Any]] = {
        "place": kernels.PLACE[spec.dims],
        "at": kernels.AT[spec.dims],
        "scalar": specialised(spec.arranged, spec.main, native_half),
        "numbers": half.pairs(number, spec.scalars),
        "write": half.writer(spec.result or spec.out, spec.out, native_half),
    }
    for name, kind, compute in zip(READERS, spec.inputs, spec.computes, strict=False):
        names[name] = half.reader(kind, compute, native_half)
    stored = (spec.out, *spec.inputs)
    pointers = [Pointer(half.raw_name(kind.name, native_half)) for kind in stored]
    scalars = _numbers(number, spec.scalars)
    arguments: list[Argument] = [Int(), *pointers, *[Ints(spec.dims)] * (1 + len(stored)), scalars]
    return Kernel(kernel_name(spec), kernels.ZIPS[len(spec.inputs)], names, tuple(arguments))


def kernel_name(spec: Zip) -> str:
    """What the kernel is called: the arithmetic, the dtypes of the inputs and of the output, the dimensions."""
    scalar = re.sub(r"\W", "", spec.name or spec.scalar.__name__) or "scalar"
    kinds = "_".join(kind.name for kind in (*spec.inputs, spec.out))
    return f"{scalar}_{kinds}_{'contiguous' if spec.dims == 0 else f'{spec.dims}d'}"


def _numbers(kind: dtype, count: int) -> Numbers:
    if kind.is_complex:
        return Numbers(kind.to_real().name, 2 * count)
    if kind.is_floating_point:
        return Numbers(half.math_name(kind), count)
    return Numbers("uint64" if kind.name == "uint64" else "int64", count)


@cache
def arranged(scalar: Callable[..., Any], pattern: str) -> Callable[..., Any]:
    """`scalar` with its tensors' elements first and its numbers last, as the bodies call it.

    Args:
        pattern: what `scalar` takes, in order: "t" an element of a tensor, "n" a number; ``2 - t`` is "nt".

    >>> arranged(lambda a, b: a - b, "nt")(1, 10)
    9
    """
    if "nt" not in pattern:
        return scalar
    # A compiler wants to see how many arguments there are: the function is written out.
    given = [f"{letter}{place}" for place, letter in enumerate(pattern)]
    inner = ", ".join(given)
    outer = ", ".join(sorted(given, key=lambda argument: argument[0] == "n"))
    made: Callable[..., Any] = eval(f"lambda scalar: lambda {outer}: scalar({inner})")(scalar)  # noqa: S307
    made.__name__, made.__module__ = scalar.__name__, scalar.__module__
    return made


def scalar_values(scalars: tuple[Any, ...], compute: dtype) -> tuple[int | float, ...]:
    """The scalars as the kernel takes them: floats, 64-bit integers, or real and imaginary parts in turn.

    They are what `compute` holds: integers wrap around, 16-bit numbers are rounded.

    >>> from tensorkit import dtypes
    >>> scalar_values((300, 0.1), dtypes.int8), scalar_values((0.1,), dtypes.bfloat16)
    ((44, 0), (0.10009765625,))
    """
    if compute.is_complex:
        parts = [complex(value) for value in scalars]
        return tuple(part for value in parts for part in (value.real, value.imag))
    if compute.is_floating_point:
        if compute.itemsize > 2:
            return tuple(float(value) for value in scalars)
        with numpy.errstate(over="ignore"):
            return tuple(float(numpy.asarray(float(value), compute.numpy)) for value in scalars)
    if compute.category == 0:
        return tuple(int(bool(value)) for value in scalars)
    bits = 8 * compute.itemsize
    wrapped = [int(value) & (2**bits - 1) for value in scalars]
    if not compute.is_signed:
        return tuple(wrapped)
    return tuple(value - 2**bits if value >= 2 ** (bits - 1) else value for value in wrapped)


# -- what the names in a scalar body stand for --------------------------------------------------------------------

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
    name = half.math_name(number)
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
        wide = kind.is_complex or around.get("__name__") in _IN_DOUBLE or names.get("real") is numpy.float64
        known = _on_gpu(not wide and half.math_name(kind) == "float32")
        names |= {name: there for name, there in known.items() if around.get(name) is getattr(numpy, name)}
    return bind(function, names, lambda inner: specialised(inner, kind, gpu))


#: Modules of ``kernels.scalars`` whose functions compute in float64.
_IN_DOUBLE = tuple(f"{forms.__package__}.{name}" for name in ("complex_numbers", "gamma_shares", "special"))
