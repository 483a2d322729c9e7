"""Activations: what a layer makes of each number. https://docs.pytorch.org/docs/stable/nn.functional.html"""

from __future__ import annotations
