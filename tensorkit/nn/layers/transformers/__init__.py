"""Attention, and the layers made of it: https://docs.pytorch.org/docs/stable/nn.html"""

from __future__ import annotations
