"""Distinct values, bins and places in an order."""

from __future__ import annotations

__all__: list[str] = []
