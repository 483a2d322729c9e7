"""The functions of ``nn.functional`` that are more than an operation: checks of arguments, and `inplace`."""

from __future__ import annotations
