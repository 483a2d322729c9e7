"""Reading a slot as the type that the arithmetic is done in, and writing a result back.

As in PyTorch, half precision is a way to *store* numbers: float16 and bfloat16 are computed in float32 and
rounded once, to nearest even, when they are stored. NumPy names are used because they mean the same to
Python, to Numba on the CPU and to Numba on a GPU; only there is float16 a type of its own (one instruction
each way), elsewhere it is taken apart by hand, as bfloat16 is everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy
from numpy import float32, int64, uint64

from tensorkit.dtypes import dtype
from tensorkit.kernels.scalars.halves import decode_bfloat16, decode_half, encode_bfloat16, encode_half

__all__ = [
    "chain",
    "converter",
    "decode_bfloat16",
    "decode_half",
    "encode_bfloat16",
    "encode_half",
    "float_to_uint64",
    "identity",
    "math_name",
    "not_zero",
    "pairs",
    "pairs_0",
    "pairs_1",
    "pairs_2",
    "pairs_3",
    "raw_name",
    "reader",
    "rounded",
    "real_part",
    "signed",
    "writer",
]

Function = Callable[..., Any]


def math_name(kind: dtype) -> str:
    """The name of the type in which arithmetic is done: float32 for the half precisions, 64 bits for integers."""
    if kind.category == 1:
        return "uint64" if kind.name == "uint64" else "int64"
    return "float32" if kind.name in ("float16", "bfloat16") else kind.name


def raw_name(kind: str, native_half: bool) -> str:
    """The NumPy name of what lies in memory: bool is bytes, the half precisions are 16 bits."""
    if kind == "float16" and native_half:
        return kind
    return {"bool": "uint8", "float16": "uint16", "bfloat16": "uint16"}.get(kind, kind)


# -- number to number -----------------------------------------------------------------------------------


def identity(x: Any) -> Any:
    """The scalar body of a copy."""
    return x


def not_zero(x: Any) -> Any:
    return x != 0


def real_part(x: Any) -> Any:
    return x.real


def signed(x: Any) -> Any:
    """Towards zero; the narrower types then keep the low bits, as C does."""
    return int64(x)


def float_to_uint64(x: Any) -> Any:
    if x < 0:
        return uint64(int64(x))
    return uint64(x)


def chain(first: Function, second: Function) -> Function:
    """``x ↦ second(first(x))``."""

    def both(x: Any) -> Any:
        return second(first(x))

    return both


def converter(source: dtype, target: str) -> Function:
    """From a number of type `source` to the NumPy type `target`, as C (and so PyTorch) converts."""
    kind: Function = getattr(numpy, target)
    if target == "bool":
        return not_zero
    if target.startswith("complex"):
        return kind if source.is_complex or source.is_floating_point else chain(_float_for(target), kind)
    if source.is_complex:
        return chain(real_part, converter(source.to_real(), target))
    if target.startswith("float") or not source.is_floating_point:
        return kind
    return float_to_uint64 if target == "uint64" else chain(signed, kind)


def _float_for(target: str) -> Function:
    wide: Function = numpy.float64
    narrow: Function = numpy.float32
    return wide if target == "complex128" else narrow


# -- what a body is handed ------------------------------------------------------------------------------


def _decoder(kind: str, native_half: bool) -> Function:
    if kind == "float16":
        return float32 if native_half else decode_half
    return {"bool": not_zero, "bfloat16": decode_bfloat16}.get(kind, identity)


def _encoder(kind: str, native_half: bool) -> Function:
    if kind == "float16":
        return chain(float32, numpy.float16) if native_half else chain(encode_half, numpy.uint16)
    special = {"bool": chain(not_zero, numpy.uint8), "bfloat16": chain(encode_bfloat16, numpy.uint16)}
    return special.get(kind) or getattr(numpy, kind)


def _widened(kind: dtype) -> Function:
    """From a number as `kind` holds it to what is computed with: integers in 64 bits."""
    if kind.category != 1:
        return identity
    wide: Function = numpy.uint64 if kind.name == "uint64" else numpy.int64
    return wide


@cache
def rounded(kind: dtype, native_half: bool) -> Function:
    """From any number of its class to one that `kind` holds, as it is computed with.

    >>> from tensorkit import dtypes
    >>> float(rounded(dtypes.float16, False)(float32(2049))), int(rounded(dtypes.int8, False)(300))
    (2048.0, 44)
    """
    if kind.name in ("float16", "bfloat16"):
        return chain(_encoder(kind.name, native_half), _decoder(kind.name, native_half))
    if kind.category == 0:
        return not_zero
    exact: Function = getattr(numpy, kind.name)
    return chain(chain(_whole(kind), exact), _widened(kind)) if kind.category == 1 else exact


def _whole(kind: dtype) -> Function:
    return identity if kind.name == "uint64" else signed


@cache
def reader(source: dtype, compute: dtype, native_half: bool) -> Function:
    """``read(pointer, i)``: slot i of an array of `source`, as `compute` holds it: as a number to compute with."""
    decode = _decoder(source.name, native_half)
    if source is compute:
        convert = _widened(compute)
    else:
        convert = converter(source, math_name(compute))
        if compute.category != 2 or compute.name != math_name(compute):
            convert = chain(convert, rounded(compute, native_half))

    def read(pointer: Any, i: int) -> Any:
        return convert(decode(pointer[i]))

    return read


@cache
def writer(result: dtype, target: dtype, native_half: bool) -> Function:
    """``write(pointer, i, value)``: a result, first as `result` holds it, into slot i of an array of `target`."""
    encode = _encoder(target.name, native_half)
    if result is target:
        convert = _whole(target) if target.category == 1 else identity
    else:
        convert = chain(rounded(result, native_half), converter(result, math_name(target)))

    def write(pointer: Any, i: int, value: Any) -> None:
        pointer[i] = encode(convert(value))

    return write


def pairs_0(parts: Any) -> Any:
    return parts


def pairs_1(parts: Any) -> Any:
    return (complex(parts[0], parts[1]),)


def pairs_2(parts: Any) -> Any:
    return complex(parts[0], parts[1]), complex(parts[2], parts[3])


def pairs_3(parts: Any) -> Any:
    return complex(parts[0], parts[1]), complex(parts[2], parts[3]), complex(parts[4], parts[5])


def pairs(compute: dtype, count: int) -> Function:
    """How a body gets its scalars: as they are, or, for complex arithmetic, from real and imaginary parts."""
    return (pairs_0, pairs_1, pairs_2, pairs_3)[count] if compute.is_complex else identity
