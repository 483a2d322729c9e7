"""Fourier transforms: the three that there are kernels for, what is made of them, and frequencies.

Source: https://docs.pytorch.org/docs/stable/fft.html
"""

from __future__ import annotations
