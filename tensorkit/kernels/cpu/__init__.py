"""Loops over NumPy arrays: what computes on the CPU.

Arrays come in and go out; no tensor, no dtype rule, no gradient.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorkit.old_names import attributes_from

__all__: list[str] = []

if not TYPE_CHECKING:
    __getattr__ = attributes_from(__name__, "elementwise")
