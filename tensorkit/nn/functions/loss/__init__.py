"""Losses, as functions: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions"""

from __future__ import annotations
