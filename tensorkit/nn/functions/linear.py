"""Layers of weights: what PyTorch offers in ``nn.functional`` of them."""

from __future__ import annotations

from tensorkit.ops.nn.linear import bilinear, linear

__all__ = ["bilinear", "linear"]
