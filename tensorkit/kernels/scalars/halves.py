"""Half precision, bit by bit: 16-bit floating point numbers from float32 and back.

>>> hex(encode_half(float32(1.5))), float(decode_half(0x3E00))
('0x3e00', 1.5)
"""

from __future__ import annotations

from typing import Any

from numpy import float32, int64, uint32


def decode_half(raw: Any) -> Any:
    """float16 bits → float32. Multiplying by 2¹¹² only moves the exponent, subnormal numbers included."""
    bits = (int64(raw) & 0x7FFF) << 13
    value = uint32(bits).view(float32) * float32(2.0**112)
    if bits >= 0x0F800000:  # infinity or nan
        value = uint32(bits | 0x7F800000).view(float32)
    if int64(raw) & 0x8000:
        value = -value
    return value


def encode_half(value: Any) -> Any:
    """float32 → float16 bits, to nearest, ties to even."""
    bits = int64(float32(value).view(uint32))
    sign = (bits >> 16) & 0x8000
    size = bits & 0x7FFFFFFF
    if size > 0x7F800000:  # nan
        return sign | 0x7E00
    if size >= 0x47800000:  # 65536 and above, and infinity
        return sign | 0x7C00
    if size < 0x38800000:  # subnormal: adding a half leaves the wanted bits, rounded, at the end
        shifted = uint32(size).view(float32) + float32(0.5)
        return sign | (int64(float32(shifted).view(uint32)) - 0x3F000000)
    rounded = size + 0xFFF + ((size >> 13) & 1)
    return sign | ((rounded - 0x38000000) >> 13)


def decode_bfloat16(raw: Any) -> Any:
    """bfloat16 bits → float32: they are its upper half."""
    return uint32(int64(raw) << 16).view(float32)


def encode_bfloat16(value: Any) -> Any:
    """float32 → bfloat16 bits, to nearest, ties to even."""
    bits = int64(float32(value).view(uint32))
    if (bits & 0x7FFFFFFF) > 0x7F800000:
        return ((bits >> 16) & 0x8000) | 0x7FC0
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) & 0xFFFF


def to_half(value: Any) -> Any:
    """The nearest float32 that float16 holds.

    >>> float(to_half(float32(2049)))
    2048.0
    """
    return decode_half(encode_half(float32(value)))


def to_bfloat16(value: Any) -> Any:
    """The nearest float32 that bfloat16 holds."""
    return decode_bfloat16(encode_bfloat16(float32(value)))
