"""Tests of `tensorkit.utils.checkpoint`: PyTorch runs the same program."""
