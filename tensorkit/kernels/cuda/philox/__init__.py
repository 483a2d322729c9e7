"""Random numbers on a device: Philox, with PyTorch's rule of which thread draws which element.

Where to read: `kernels` (what a thread does), `launch` (the distributions), `counts` (Poisson's, which takes as many
random numbers as it needs).
"""

from __future__ import annotations

from tensorkit.kernels.cuda.philox.counts import STEPS, draw_counts
from tensorkit.kernels.cuda.philox.launch import draw, steps_of

__all__ = ["STEPS", "draw", "draw_counts", "steps_of"]
