"""The largest and the smallest, and where they are."""

from __future__ import annotations

__all__: list[str] = []
