"""Reading and writing at places that tensors name: gather, scatter, index_add, masked_fill."""

from __future__ import annotations

__all__: list[str] = []
