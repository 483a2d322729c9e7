"""Programs for PyTorch, run with tensorkit in its place: which names they need, and how they run."""

from __future__ import annotations
