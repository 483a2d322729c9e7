"""Operations of three operands: where, clamp, lerp, addcmul."""

from __future__ import annotations

__all__: list[str] = []
