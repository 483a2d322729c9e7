"""Copies in another order: tile, repeat, roll, flip, rotate."""

from __future__ import annotations

__all__: list[str] = []
