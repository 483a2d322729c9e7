"""Tests of the engine: what PyTorch's own words do not ask for is asked here.

Comparisons by generated cases are in `parity`.
"""
