"""Random words turned into numbers, compiled: evenly spread, and the pairs of the Box-Muller transform.

The constants and their sources are in ``box_muller.py``.
"""

from __future__ import annotations

import math

import numpy

from tensorkit.kernels.cpu.loop_steps import fused
from tensorkit.kernels.cpu.random import box_muller
from tensorkit.kernels.jit.compiler import loop

_F = numpy.float32
_ONE = _F(1)
_ZERO, _HALF, _ROOT_HALF, _UNIT = _F(0), _F(0.5), _F(math.sqrt(0.5)), _F(2.0**-24)
_LN2, _TURN = box_muller.LN2, _F(2 * math.pi)
_L0, _L1, _L2, _L3, _L4, _L5, _L6, _L7, _L8 = box_muller.LOG
_S0, _S1, _S2 = box_muller.SINE
_C0, _C1, _C2 = box_muller.COSINE
_QUARTER_PI, _QUARTERS = box_muller.QUARTER_PI, _F(4 / math.pi)


def _logarithm(x):  # type: ignore[no-untyped-def]
    """The logarithm of a positive number, bit for bit as in ``box_muller.py``."""
    bits = numpy.float32(x).view(numpy.int32)
    mantissa = numpy.int32((bits & numpy.int32(0x7FFFFF)) | numpy.int32(0x3F000000)).view(numpy.float32)
    small = mantissa < _ROOT_HALF
    power = _F((bits >> numpy.int32(23)) - numpy.int32(126) - (numpy.int32(1) if small else numpy.int32(0)))
    x = (mantissa - _ONE) + (mantissa if small else _ZERO)
    square = x * x
    y = fused(_L0, x, _L1)
    y = fused(y, x, _L2)
    y = fused(y, x, _L3)
    y = fused(y, x, _L4)
    y = fused(y, x, _L5)
    y = fused(y, x, _L6)
    y = fused(y, x, _L7)
    y = fused(y, x, _L8)
    y = fused(y * x, square, power * _LN2[1]) - square * _HALF
    return (x + y) + power * _LN2[0]


def _units(words, numbers):  # type: ignore[no-untyped-def]
    # Signed, because processors turn signed integers into floating point in one step.
    for k in range(len(numbers)):
        numbers[k] = numpy.float32(numpy.int32(words[k] & numpy.uint32(0xFFFFFF))) * _UNIT


@loop("void(u4[::1],f4[::1])", "void(u8[::1],f4[::1])")
def units(words, numbers):  # type: ignore[no-untyped-def]
    _units(words, numbers)


def _normal(numbers):  # type: ignore[no-untyped-def]
    # The first 8 of each 16 numbers give radii, the others angles: laid side by side, they are taken many at once.
    us, vs = numpy.empty(1024, numpy.float32), numpy.empty(1024, numpy.float32)
    for first in range(0, len(numbers), 2048):
        many = min(2048, len(numbers) - first) // 2
        for k in range(0, many, 8):
            start = first + 2 * k
            for lane in range(8):
                us[k + lane], vs[k + lane] = numbers[start + lane], numbers[start + 8 + lane]
        for k in range(many):
            radius = numpy.sqrt(numpy.float32(-2) * _logarithm(_ONE - us[k]))
            x = _TURN * vs[k]
            octant = numpy.int32(numpy.int32(numpy.int32(x * _QUARTERS) + numpy.int32(1)) & numpy.int32(-2))
            steps = numpy.float32(octant)
            x = (x - steps * _QUARTER_PI[0]) - steps * _QUARTER_PI[1]
            x = fused(steps, -_QUARTER_PI[2], x)
            square = x * x
            cosine = fused(fused(_C0, square, _C1), square, _C2) * square
            cosine = fused(cosine, square, square * -_HALF) + _ONE
            sine = fused(fused(_S0, square, _S1), square, _S2) * square
            sine = fused(sine, x, x)
            swapped = (octant & numpy.int32(2)) != 0
            radius = -radius if (octant & numpy.int32(4)) != 0 else radius
            us[k] = radius * (-sine if swapped else cosine)
            vs[k] = radius * (cosine if swapped else sine)
        for k in range(0, many, 8):
            start = first + 2 * k
            for lane in range(8):
                numbers[start + lane], numbers[start + 8 + lane] = us[k + lane], vs[k + lane]


@loop("void(f4[::1])")
def normal(numbers):  # type: ignore[no-untyped-def]
    _normal(numbers)


@loop("void(u8[::1],f4[::1])")
def normal_of_words(words, numbers):  # type: ignore[no-untyped-def]
    count = len(numbers)
    whole = count // 16 * 16
    _units(words, numbers)
    _normal(numbers[:whole])
    if whole < count:
        _units(words[count:], numbers[count - 16 :])
        _normal(numbers[count - 16 :])
