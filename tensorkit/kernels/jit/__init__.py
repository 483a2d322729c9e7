"""How Numba's loops are compiled, cached and run on threads.

The loops themselves are in `kernels.cpu`.
"""

__all__: list[str] = []
