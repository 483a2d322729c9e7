"""Reductions beyond sum and mean: products, counts, norms, moments."""

from __future__ import annotations

__all__: list[str] = []
