"""Losses: how far an answer is from the right one. https://docs.pytorch.org/docs/stable/nn.functional.html"""

from __future__ import annotations
