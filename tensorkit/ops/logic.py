"""Logic, bits and questions: and, or, not, shifts, isnan, isclose."""

from __future__ import annotations

__all__: list[str] = []
