"""Norms, ranks and condition numbers of matrices, and functions of them."""

from __future__ import annotations

__all__: list[str] = []
