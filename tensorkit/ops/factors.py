"""Matrices taken apart: QR, Cholesky, LU, eigenvalues, singular values."""

from __future__ import annotations

__all__: list[str] = []
