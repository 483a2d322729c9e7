"""Layers of activations: https://docs.pytorch.org/docs/stable/nn.html"""

from __future__ import annotations
