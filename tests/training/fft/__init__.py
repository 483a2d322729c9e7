"""Fourier transforms, against PyTorch."""
