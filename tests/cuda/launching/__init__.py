"""Tests of kernels on their way: compiled, kept, planned, run."""
