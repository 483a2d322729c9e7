"""Pointwise operations as PyTorch's TensorIterator runs them: promote, broadcast, plan the output, choose a
kernel.

The operations themselves are in `ops.pointwise`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorkit.old_names import attributes_from

__all__: list[str] = []

if not TYPE_CHECKING:
    __getattr__ = attributes_from(__name__, "apply", "block", "plan", "promotion", "output")
