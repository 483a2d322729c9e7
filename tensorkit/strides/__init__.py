"""Layouts: size, stride and offset as integers, and how views make one of another.

No storage, no dtype, no NumPy array comes in here.

Source: https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

from tensorkit.strides.layout import Layout

__all__ = ["Layout"]
