"""Tests of `tensorkit.utils.data`: PyTorch runs the same program."""
