"""Sums of products over named dimensions."""

from __future__ import annotations

__all__: list[str] = []
