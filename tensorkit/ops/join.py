"""Several tensors made into one: cat, stack and their kin."""

from __future__ import annotations

__all__: list[str] = []
