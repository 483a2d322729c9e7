"""Linear algebra: products, norms, solvers and factorisations.

Their public names are `tensorkit.linalg`.

Source: https://docs.pytorch.org/docs/stable/linalg.html
"""

__all__: list[str] = []
