"""How Numba's loops are compiled, cached and run on threads.

The loops themselves are in `kernels.cpu`.
"""
