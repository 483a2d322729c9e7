"""Random numbers on a device: Philox, with PyTorch's rule of which thread draws which element.

Where to read: `kernels` (what a thread does), `launch` (the distributions).
"""

from __future__ import annotations

from tensorkit.kernels.cuda.philox.launch import draw, steps_of

__all__ = ["draw", "steps_of"]
