"""Linear algebra: what PyTorch offers as ``torch.linalg``.

>>> A = tk.tensor([[2.0, 3.0, -1.0], [1.0, -2.0, 8.0], [6.0, 1.0, -3.0]])
>>> tk.linalg.solve(A, tk.tensor([5.0, 21.0, -1.0]))
tensor([1., 2., 3.])
"""

from __future__ import annotations

from tensorkit.errors import LinAlgError
from tensorkit.ops.linalg.cholesky_lu import cholesky_ex, lu_factor, lu_factor_ex
from tensorkit.ops.linalg.cholesky_lu import linalg_cholesky as cholesky
from tensorkit.ops.linalg.cholesky_lu import linalg_lu as lu
from tensorkit.ops.linalg.cholesky_solve_lu_solve import linalg_lu_solve as lu_solve
from tensorkit.ops.linalg.det_matrix_exp import linalg_det as det
from tensorkit.ops.linalg.det_matrix_exp import linalg_matrix_exp as matrix_exp
from tensorkit.ops.linalg.det_matrix_exp import linalg_slogdet as slogdet
from tensorkit.ops.linalg.ldl import ldl_factor, ldl_factor_ex, ldl_solve
from tensorkit.ops.linalg.lstsq import lstsq, matrix_rank, pinv
from tensorkit.ops.linalg.matrix_power import linalg_matrix_power as matrix_power
from tensorkit.ops.linalg.norms import cond, matrix_norm
from tensorkit.ops.linalg.norms import linalg_norm as norm
from tensorkit.ops.linalg.norms import linalg_vector_norm as vector_norm
from tensorkit.ops.linalg.qr import householder_product
from tensorkit.ops.linalg.qr import linalg_qr as qr
from tensorkit.ops.linalg.solve_inv import (
    inv,
    inv_ex,
    solve,
    solve_ex,
    solve_triangular,
    tensorinv,
    tensorsolve,
)
from tensorkit.ops.linalg.svd_eig import eig, eigh, eigvals, eigvalsh, svdvals
from tensorkit.ops.linalg.svd_eig import linalg_svd as svd
from tensorkit.ops.linalg.trace import diagonal, vander
from tensorkit.ops.matrix_products.cross import linalg_cross as cross
from tensorkit.ops.matrix_products.multi_dot import matmul, multi_dot
from tensorkit.ops.matrix_products.vecdot import vecdot

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]


def __dir__() -> list[str]:
    return __all__
