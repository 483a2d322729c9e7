"""Functions of one number that compiled loops are made of: powers of e, and 16 bits as float32 and back.

Sources of the constants: the exponential function of single precision of S. L. Moshier's Cephes Mathematical Library
(1984-2000), ``expf``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.kernels.jit.compiler import step

Array = numpy.ndarray[Any, Any]
_F = numpy.float32
_LOG2E, _LN2_HIGH, _LN2_LOW = _F(1.4426950408889634), _F(0.693359375), _F(-2.12194440e-4)
_LOWEST, _HIGHEST = _F(-104.0), _F(89.0)  # beyond, powers of e are 0 and infinity
_E0, _E1, _E2 = _F(1.9875691500e-4), _F(1.3981999507e-3), _F(8.3334519073e-3)
_E3, _E4, _E5 = _F(4.1665795894e-2), _F(1.6666665459e-1), _F(5.0000001201e-1)
_ZERO, _ONE = _F(0), _F(1)


def power(x):  # type: ignore[no-untyped-def]
    """e to the power x in single precision, in steps that a processor takes for many numbers at once."""
    x = _LOWEST if x < _LOWEST else x
    x = _HIGHEST if x > _HIGHEST else x
    whole = numpy.rint(x * _LOG2E)
    r = fused(whole, -_LN2_LOW, fused(whole, -_LN2_HIGH, x))
    p = fused(fused(fused(fused(fused(_E0, r, _E1), r, _E2), r, _E3), r, _E4), r, _E5)
    p = fused(p, r * r, r) + _ONE
    n = numpy.int32(whole)
    half = n >> numpy.int32(
        1
    )  # in two steps, so that neither overflows, and the smallest numbers come out too
    first = numpy.int32((half + numpy.int32(127)) << numpy.int32(23)).view(numpy.float32)
    second = numpy.int32((n - half + numpy.int32(127)) << numpy.int32(23)).view(numpy.float32)
    first = _ZERO if x <= _LOWEST else first  # a processor takes long over a product that is too small for it
    return p * first * second


def wider(bits):  # type: ignore[no-untyped-def]
    """A float16 number, given by its bits, in single precision."""
    bits = _I(bits)
    number = numpy.float32(_I((bits & _I(0x7FFF)) << _I(13)).view(numpy.float32) * _SCALE)
    size = number.view(numpy.int32)
    # Infinity and nan: the largest exponent; a nan is made quiet.
    endless = _I(0x7F800000) | _I((bits & _I(0x3FF)) << _I(13))
    endless = endless | (_I(0x400000) if (bits & _I(0x3FF)) != 0 else _I(0))
    size = endless if (bits & _I(0x7C00)) == _I(0x7C00) else size
    return _I(size | _I((bits & _I(0x8000)) << _I(16))).view(numpy.float32)


def narrower(number):  # type: ignore[no-untyped-def]
    """The bits of the float16 number next to one of single precision."""
    bits = numpy.float32(number).view(numpy.int32)
    size = bits & _I(0x7FFFFFFF)
    number = numpy.int32(size).view(numpy.float32)
    # Small ones are rounded by an addition after which the last bit counts steps of 2**-24.
    small = numpy.float32(number + numpy.float32(0.5)).view(numpy.int32) - _I(0x3F000000)
    odd = (size >> _I(13)) & _I(1)
    usual = (size - _I(0x38000000) + _I(0xFFF) + odd) >> _I(13)
    found = small if size < _I(0x38800000) else usual
    found = _I(0x7C00) if size >= _I(0x477FF000) else found
    lost = _I(0x7E00) | ((size >> _I(13)) & _I(0x3FF))
    found = lost if size > _I(0x7F800000) else found
    return numpy.uint16(found | ((bits >> _I(16)) & _I(0x8000)))


def longer(bits):  # type: ignore[no-untyped-def]
    """A bfloat16 number, given by its bits, in single precision."""
    return _I(_I(bits) << _I(16)).view(numpy.float32)


def shorter(number):  # type: ignore[no-untyped-def]
    """The bits of the bfloat16 number next to one of single precision."""
    bits = numpy.float32(number).view(numpy.int32)
    high = _I(bits >> _I(16))
    found = _I(_I(bits + _I(0x7FFF)) + _I(high & _I(1))) >> _I(16)
    lost = _I(high & _I(0x8000)) | _I(0x7FC0)
    return numpy.uint16((lost if number != number else found) & _I(0xFFFF))


def _step_of_the_processor(wide: bool) -> Callable[[Any], Any]:
    """How to make `wider` or `narrower` one step of the processor; where it has none, that gives None."""

    def made(numba: Any) -> Any:
        from llvmlite import binding, ir
        from numba.extending import intrinsic

        if not binding.get_host_cpu_features().get("f16c"):
            return None

        def widening(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.fpext(builder.bitcast(args[0], ir.HalfType()), ir.FloatType())

        def narrowing(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(builder.fptrunc(args[0], ir.HalfType()), ir.IntType(16))

        def step(typing: Any, number: Any) -> Any:
            if wide:
                return numba.float32(numba.uint16), widening
            return numba.uint16(numba.float32), narrowing

        return intrinsic(step)

    return made


_I = numpy.int32
_SCALE = _F(2.0**112)  # from the exponents of float16, read as float32's, to what they mean

step(wider)(_step_of_the_processor(True))
step(narrower)(_step_of_the_processor(False))


def fused(a, b, c):  # type: ignore[no-untyped-def]
    """``a * b + c`` with one rounding."""
    return numpy.float32(numpy.float64(a) * numpy.float64(b) + numpy.float64(c))


@step(fused)
def _fused_by_the_processor(numba: Any) -> Any:
    """`fused` as the one step that most processors have for it; None where it would be a call of the C library."""
    from llvmlite import binding
    from numba.extending import intrinsic

    arm = binding.get_process_triple().startswith(("aarch64", "arm64"))
    if not arm and not binding.get_host_cpu_features().get("fma"):
        return None

    def fused(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fma(*args)

    def whole(typing: Any, a: Any, b: Any, c: Any) -> Any:
        return numba.float32(numba.float32, numba.float32, numba.float32), fused

    return intrinsic(whole)
