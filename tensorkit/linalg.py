"""Linear algebra: what PyTorch offers as ``torch.linalg``.

>>> import tensorkit as tk
>>> A = tk.tensor([[2.0, 3.0, -1.0], [1.0, -2.0, 8.0], [6.0, 1.0, -3.0]])
>>> tk.linalg.solve(A, tk.tensor([5.0, 21.0, -1.0]))
tensor([1., 2., 3.])
"""

from __future__ import annotations

from tensorkit.errors import LinAlgError
from tensorkit.ops.chains import diagonal, matmul, multi_dot, vander, vecdot
from tensorkit.ops.chains import linalg_cross as cross
from tensorkit.ops.chains import linalg_matrix_power as matrix_power
from tensorkit.ops.factored import linalg_lu_solve as lu_solve
from tensorkit.ops.solvers import inv, inv_ex, solve, solve_ex, solve_triangular, tensorinv, tensorsolve

__all__ = [
    "LinAlgError",
    "cross",
    "diagonal",
    "inv",
    "inv_ex",
    "lu_solve",
    "matmul",
    "matrix_power",
    "multi_dot",
    "solve",
    "solve_ex",
    "solve_triangular",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
]
