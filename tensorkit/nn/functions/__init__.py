"""The functions of ``nn.functional`` that are more than an operation: what they say of an argument, and `inplace`."""

from __future__ import annotations
