"""Kernels whose blocks of threads work together on a row: reductions, spread, softmax, running totals.

Where to read: `reduce_kernels` and `row_kernels` (what a block does, with shared memory and barriers), `reduce` and
`rows` (which arithmetic each is made of, and how it is launched).
"""

from __future__ import annotations

from tensorkit.kernels.cuda.rowwise import reduce, rows

__all__ = ["reduce", "rows"]
