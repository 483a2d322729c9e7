"""Operands that are copied before NumPy computes with them, and results that are copied to where they are to lie."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit.device import CPU
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import empty_strided
from tensorkit.kernels.sizes import TINY
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Array, Tensor


def lies_apart(operand: Any) -> bool:
    """Whether the elements lie in many short rows: NumPy copies them sooner than it computes with them there."""
    if operand.__class__ is not Tensor:
        return False
    lay = operand._layout or operand._lay()
    few = len(lay.size) < 2 or math.prod(lay.size) < TINY or 0 in lay.stride
    return not few and not lay.is_non_overlapping_and_dense()


def laid_out(made: Array, kind: dtype, layout: Layout) -> Tensor:
    """A new array copied to where PyTorch's strides put its elements."""
    held = empty_strided(made.shape, layout.stride, kind, CPU)
    numpy.copyto(held._nd(), made)
    return held
