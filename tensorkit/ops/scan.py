"""Running sums, products and extremes; differences and areas."""

from __future__ import annotations

__all__: list[str] = []
