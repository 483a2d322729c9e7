"""Random numbers of many kinds, drawn as PyTorch draws them."""

from __future__ import annotations

__all__: list[str] = []
