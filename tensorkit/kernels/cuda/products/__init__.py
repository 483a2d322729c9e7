"""Products of matrices by kernels of the kit's own: tiles in shared memory, and rows times a vector."""

from __future__ import annotations

from tensorkit.kernels.cuda.products.launch import Sizes, multiply

__all__ = ["Sizes", "multiply"]
