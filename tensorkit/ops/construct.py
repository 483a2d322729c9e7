"""Further ways to make a tensor: grids, indices, complex numbers, buffers."""

from __future__ import annotations

__all__: list[str] = []
