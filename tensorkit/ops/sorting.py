"""Sorting, choosing the k largest, medians, modes and quantiles."""

from __future__ import annotations

__all__: list[str] = []
