"""Tests of the kernels: each size class and each compiled loop against NumPy's own arithmetic."""
