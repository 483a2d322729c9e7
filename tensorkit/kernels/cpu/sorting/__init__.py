"""Orders of elements: sorting and selecting, with ties broken as PyTorch breaks them.

The largest or smallest alone are in `kernels.cpu.minmax_compiled`.
"""
