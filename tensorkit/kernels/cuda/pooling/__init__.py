"""Kernels of pooling: the largest of each window, the sum of each; a thread for each.

Where to read: `kernels` (what a thread does), `launch` (how it comes to it).
"""

from __future__ import annotations

from tensorkit.kernels.cuda.pooling.launch import largest, total

__all__ = ["largest", "total"]
