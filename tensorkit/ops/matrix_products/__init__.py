"""Products of matrices and vectors: `matmul`, `mm`, `dot`, `addmm`, `einsum`, `cross`.

Norms, factorisations, solvers and functions of a matrix are in `ops.linalg`.

Source: https://docs.pytorch.org/docs/stable/linalg.html#matrix-products
"""
