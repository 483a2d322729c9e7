"""Probability distributions, against PyTorch."""
