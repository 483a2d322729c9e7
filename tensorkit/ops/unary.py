"""Functions of one number: roots, exponentials, logarithms, angles, rounding."""

from __future__ import annotations

__all__: list[str] = []
