"""Spellings of earlier years that still work: typed constructors, storages, new."""

from __future__ import annotations

__all__: list[str] = []
