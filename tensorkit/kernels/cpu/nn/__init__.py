"""Loops of networks: norms, and windows that move over images. Pooling has a folder of its own."""

from __future__ import annotations

__all__: list[str] = []
