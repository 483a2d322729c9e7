"""Loops over NumPy arrays: what computes on the CPU.

Arrays come in and go out; no tensor, no dtype rule, no gradient.
"""

from __future__ import annotations
