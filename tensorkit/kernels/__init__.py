"""Kernels: the same families of work over buffers, for the CPU and CUDA devices. `sizes` says when which is used."""

from __future__ import annotations
