"""From an operation's scalar body to a `Kernel`: which body, which functions it is handed, which arguments.

A family is one body for any arithmetic. So far: ``zip`` (n inputs → one output, element by element). A
strided copy with a cast is its case of one input and the identity.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda import half, kernels
from tensorkit.kernels.cuda.compile import Argument, Int, Ints, Kernel, Numbers, Pointer

__all__ = ["Zip", "arranged", "scalar_values", "zip_kernel"]

READERS = ("read_a", "read_b", "read_c")


class Zip(NamedTuple):
    """All that decides which zip kernel is needed.

    Attributes:
        scalar: the arithmetic: a plain function of the inputs' elements and the scalars.
        out, inputs: what is stored.
        compute: the type the inputs are converted to first.
        dims: which special case of `bodies.PLACE`.
        scalars: how many.
    """

    scalar: Callable[..., Any]
    out: dtype
    inputs: tuple[dtype, ...]
    compute: dtype
    dims: int
    scalars: int


@cache
def zip_kernel(spec: Zip, native_half: bool) -> Kernel:
    """The kernel for a `Zip`; `native_half` is true for GPUs, which have a float16 of their own."""
    if len(spec.inputs) >= len(kernels.ZIPS):
        raise NotImplementedError(f"kernels take up to three inputs, not {len(spec.inputs)}")
    names: dict[str, Callable[..., Any]] = {
        "place": kernels.PLACE[spec.dims],
        "at": kernels.AT[spec.dims],
        "scalar": spec.scalar,
        "numbers": half.pairs(spec.compute, spec.scalars),
        "write": half.writer(spec.compute, spec.out, native_half),
    }
    for name, kind in zip(READERS, spec.inputs, strict=False):
        names[name] = half.reader(kind, spec.compute, native_half)
    stored = (spec.out, *spec.inputs)
    pointers = [Pointer(half.raw_name(kind.name, native_half)) for kind in stored]
    arguments: list[Argument] = [Int(), *pointers, *[Ints(spec.dims)] * (1 + len(stored)), _numbers(spec)]
    return Kernel(_name(spec), kernels.ZIPS[len(spec.inputs)], names, tuple(arguments))


def _name(spec: Zip) -> str:
    scalar = re.sub(r"\W", "", spec.scalar.__name__) or "scalar"
    kinds = "_".join(kind.name for kind in (*spec.inputs, spec.out))
    return f"{scalar}_{kinds}_{'contiguous' if spec.dims == 0 else f'{spec.dims}d'}"


def _numbers(spec: Zip) -> Numbers:
    kind = spec.compute
    if kind.is_complex:
        return Numbers(kind.to_real().name, 2 * spec.scalars)
    if kind.is_floating_point:
        return Numbers(half.math_name(kind), spec.scalars)
    return Numbers("uint64" if kind.name == "uint64" else "int64", spec.scalars)


@cache
def arranged(scalar: Callable[..., Any], pattern: str) -> Callable[..., Any]:
    """`scalar` with its tensors' elements first and its numbers last, as the bodies call it.

    Args:
        pattern: what `scalar` takes, in order: "t" an element of a tensor, "n" a number; ``2 - t`` is "nt".
    """
    if "nt" not in pattern:
        return scalar
    if pattern not in _ARRANGED:
        raise NotImplementedError(f"kernels take no operands in the order {pattern!r} (t: tensor, n: number)")
    made: Callable[..., Any] = _ARRANGED[pattern](scalar)
    made.__name__ = scalar.__name__
    return made


def _swapped(scalar: Any) -> Any:
    return lambda a, n: scalar(n, a)


def _number_first(scalar: Any) -> Any:
    return lambda a, b, n: scalar(n, a, b)


def _number_between(scalar: Any) -> Any:
    return lambda a, b, n: scalar(a, n, b)


def _numbers_first(scalar: Any) -> Any:
    return lambda a, m, n: scalar(m, n, a)


def _numbers_around(scalar: Any) -> Any:
    return lambda a, m, n: scalar(m, a, n)


_ARRANGED = {
    "nt": _swapped,
    "ntt": _number_first,
    "tnt": _number_between,
    "nnt": _numbers_first,
    "ntn": _numbers_around,
}


def scalar_values(scalars: tuple[Any, ...], compute: dtype) -> tuple[int | float, ...]:
    """The scalars as the kernel takes them: floats, 64-bit integers, or real and imaginary parts in turn."""
    if compute.is_complex:
        parts = [complex(value) for value in scalars]
        return tuple(part for value in parts for part in (value.real, value.imag))
    if compute.is_floating_point:
        return tuple(float(value) for value in scalars)
    wrapped = [int(value) & (2**64 - 1) for value in scalars]
    if compute.name == "uint64":
        return tuple(wrapped)
    return tuple(value - 2**64 if value >= 2**63 else value for value in wrapped)
