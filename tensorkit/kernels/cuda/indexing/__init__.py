"""Kernels that follow indices or count: gather, scatter, several indices made one, ranges, triangles.

Where to read: `kernels` (what a thread does), `launch` (the operands' layouts, made ready).
"""

from __future__ import annotations

from tensorkit.kernels.cuda.indexing.launch import count_up, gather, locate, scatter, triangle

__all__ = ["count_up", "gather", "locate", "scatter", "triangle"]
