"""Pointwise operations as PyTorch's TensorIterator runs them: promote, broadcast, plan the output, choose a
kernel.

The operations themselves are in `ops.pointwise`.
"""

from __future__ import annotations
