"""Linear algebra: norms, solvers, factorisations and functions of a matrix.

Their public names are `tensorkit.linalg`. Products are in `ops.matrix_products`.

Source: https://docs.pytorch.org/docs/stable/linalg.html
"""
