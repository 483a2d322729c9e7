"""Layers that walk along time: https://docs.pytorch.org/docs/stable/nn.html"""

from __future__ import annotations
