"""Tests of operations, a file for each of PyTorch's chapters."""
