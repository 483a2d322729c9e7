"""Kernels of windows that move over images: convolution and what its gradients are, unfolding and folding.

Where to read: `kernels` (what a thread does), `launch` (the operands' layouts, made ready).
"""

from __future__ import annotations

from tensorkit.kernels.cuda.windows.launch import convolve, fold, spread, unfold, weigh

__all__ = ["convolve", "fold", "spread", "unfold", "weigh"]
