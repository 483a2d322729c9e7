"""Sums of exponentials that do not overflow: logsumexp, softmax."""

from __future__ import annotations

__all__: list[str] = []
