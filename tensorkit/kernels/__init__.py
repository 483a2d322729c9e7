"""Kernels: the same families of work over buffers, for the CPU and for CUDA devices."""
