"""Kernels: the same families of work over buffers, for the CPU and for CUDA devices."""

from __future__ import annotations

__all__: list[str] = []
