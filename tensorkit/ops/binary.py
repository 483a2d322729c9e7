"""Arithmetic of two tensors beyond the four operations: remainders, extremes, hypotenuses, logarithms of sums."""

from __future__ import annotations

__all__: list[str] = []
