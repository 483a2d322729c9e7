"""Sums on the CPU: along any dimensions (`sum`), of many numbers compiled, and in PyTorch's order (`sum_in_order`)."""
