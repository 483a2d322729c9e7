"""Special functions: the error function, the gamma function and their kin."""

from __future__ import annotations

__all__: list[str] = []
