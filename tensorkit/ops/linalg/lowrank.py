"""Singular values of matrices of low rank, with the help of chance.

Source: N. Halko, P.-G. Martinsson, J. Tropp, "Finding structure with randomness", 2009, arXiv:0909.4061.
"""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.ops.linalg.qr import linalg_qr
from tensorkit.ops.linalg.svd_eig import linalg_svd
from tensorkit.ops.random.rand import randn
from tensorkit.tensor import Tensor

_FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)


def _less(first: Tensor, second: Tensor | None, by: Tensor) -> Tensor:
    """The product of a difference, of which the second part need not be there."""
    product: Tensor = first.matmul(by)
    return product if second is None else product - second.matmul(by)


def _basis(A: Tensor, M: Tensor | None, q: Any, niter: int | None) -> Tensor:
    """Columns at right angles that span nearly what `A` leads to: algorithm 4.4, which starts with random vectors."""
    kind = A.dtype if A.is_complex() or A.dtype in _FLOATS else dtypes.float32
    start = randn(A.shape[-1], q, dtype=kind, device=A.device)
    columns: Tensor = linalg_qr(_less(A, M, start))[0]
    for _ in range(2 if niter is None else niter):
        columns = linalg_qr(_less(A.mH, None if M is None else M.mH, columns))[0]
        columns = linalg_qr(_less(A, M, columns))[0]
    return columns


def _lowrank(A: Tensor, q: Any, niter: Any, M: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """Algorithm 5.1: the singular values of the small matrix that is left within the basis."""
    m, n = A.shape[-2:]
    if M is not None:
        M = M.broadcast_to(A.shape)
    wide = m < n
    if wide:
        A, M = A.mH, None if M is None else M.mH
    columns = _basis(A, M, 6 if q is None else q, niter)
    small = columns.mH.matmul(A)
    if M is not None:
        small = small - columns.mH.matmul(M)
    U, S, Vh = linalg_svd(small, full_matrices=False)
    U, V = columns.matmul(U), Vh.mH
    return (V, S, U) if wide else (U, S, V)


@op(kind="copy", methods=(), rounded=50)
@takes(python=lambda A, q=6, niter=2, M=None: None)
def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Take a matrix of low rank apart, nearly: ``A = U @ diag(S) @ V.mH``. It draws random numbers.

    Args:
        A: a matrix, or a batch of them, of size ``(*, m, n)``.
        q: about how many singular values there are, rather one too many.
        niter: how often to go over it again.
        M: what to subtract first; its size broadcasts to that of `A`.

    Returns:
        A tuple of ``U`` of size ``(*, m, q)``, ``S`` of size ``(*, q)`` and ``V`` of size ``(*, n, q)``.

    Raises:
        ValueError: for fewer than two dimensions.

    >>> _ = tk.manual_seed(0)
    >>> U, S, V = tk.svd_lowrank(tk.ones(3, 4), q=2)
    >>> tk.allclose(U @ S.diag() @ V.mH, tk.ones(3, 4))
    True
    """
    return _lowrank(A, q, niter, M)


@op(kind="copy", methods=(), rounded=50)
@takes(python=lambda A, q=None, center=True, niter=2: None)
def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """Find the directions in which points are spread most: their principal components. It draws random numbers.

    Args:
        A: points in rows, of size ``(*, m, n)``.
        q: how many directions: at most m and n; by default 6, or as many as there are.
        center: whether to subtract the mean of the points first.
        niter: how often to go over it again.

    Returns:
        A tuple as `svd_lowrank` gives it: the columns of ``V`` are the directions, ``S ** 2 / (m - 1)`` how far the
        points are spread along them.

    Raises:
        ValueError: for a `q` or `niter` that cannot be, and fewer than two dimensions.

    >>> _ = tk.manual_seed(0)
    >>> U, S, V = tk.pca_lowrank(tk.tensor([[0.0, 0], [1, 1], [2, 2]]), q=1)
    >>> S.round(decimals=4)
    tensor([2.])
    """
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if not niter >= 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return _lowrank(A - A.mean(dim=(-2,), keepdim=True) if center else A, q, niter, None)
