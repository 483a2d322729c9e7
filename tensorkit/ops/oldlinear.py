"""Linear algebra as it was spelled in 2018 and later: each of these warns and names today's function.

PyTorch 2.13 does not have them any more, or keeps a name that only raises; lessons of that time run here unchanged.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.dispatch import offers
from tensorkit.errors import warn
from tensorkit.kernels import lapack
from tensorkit.ops.factored import cholesky_inverse, cholesky_solve, linalg_lu_solve, triangular_solve
from tensorkit.ops.factors import linalg_cholesky, lu_factor
from tensorkit.ops.leastsquares import matrix_rank as linalg_matrix_rank
from tensorkit.ops.matrices import as_tensor, check_square, check_tensor, in_columns
from tensorkit.ops.orthogonal import geqrf
from tensorkit.ops.spectral import eig as linalg_eig
from tensorkit.ops.spectral import eigh, eigvals, eigvalsh
from tensorkit.tensor import Tensor, attach

__all__ = [
    "eig",
    "gels",
    "gesv",
    "lstsq",
    "matrix_rank",
    "potrf",
    "potri",
    "potrs",
    "solve",
    "symeig",
    "trtrs",
]


def _old(name: str, now: str) -> None:
    warn(f"tensorkit.{name} is an old spelling: use tensorkit.{now}.", FutureWarning)


def _least_squares(input: Tensor, A: Tensor) -> tuple[Tensor, Tensor]:
    """The solutions above what the residuals are made of, and the QR factors of the matrix."""
    right = input if input.dim() > 1 else input.unsqueeze(-1)
    sides, _, _ = lapack.least_squares(A._nd(), right._nd(), driver="gels", cutoff=0.0)
    return in_columns(sides, A._dtype), geqrf(A)[0]


@offers
def gels(input: Tensor, A: Tensor, *, out: Any = None) -> tuple[Tensor, Tensor]:
    """Least squares as of 2018: the right-hand side comes first. Today: `tensorkit.linalg.lstsq`.

    Args:
        input: the right-hand sides ``(m, k)``. A: a matrix ``(m, n)`` of full rank.

    Returns:
        A pair: a matrix ``(max(m, n), k)`` whose first ``n`` rows are the solution, and the QR factors of `A`.

    Raises:
        tensorkit.linalg.LinAlgError: when the matrix has not full rank.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> x = tk.tensor([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> solution, _ = tk.gels(tk.tensor([[1.0], [3.0], [5.0]]), x)
    >>> bool((solution[:2, 0] - tk.tensor([2.0, 1.0])).abs().max() < 1e-5)
    True

    Source: PyTorch 0.4, ``torch.gels``.
    """
    check_tensor("gels", "input", 1, input)
    check_tensor("gels", "A", 2, A)
    _old("gels", "linalg.lstsq(A, B)")
    return _least_squares(input, A)


@offers
def lstsq(input: Tensor, A: Tensor, *, out: Any = None) -> tuple[Tensor, Tensor]:
    """Least squares as of 2019: `gels` by another name. Today: `tensorkit.linalg.lstsq`.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> tk.lstsq(tk.ones(2, 1), 2 * tk.eye(2))[0]
    tensor([[0.5000],
            [0.5000]])

    Source: PyTorch 1.2, ``torch.lstsq``.
    """
    check_tensor("lstsq", "input", 1, input)
    check_tensor("lstsq", "A", 2, A)
    _old("lstsq", "linalg.lstsq(A, B)")
    return _least_squares(input, A)


@offers
def eig(input: Tensor, eigenvectors: bool = False, *, out: Any = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues as of 2018, without complex numbers. Today: `tensorkit.linalg.eig`.

    Returns:
        A pair: ``(n, 2)`` with the real and imaginary parts of the eigenvalues, and the eigenvectors: an empty tensor
        unless they are asked for. Of a pair of complex ones one column is the real part, the next the imaginary part.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> tk.eig(tk.tensor([[0.0, -1.0], [1.0, 0.0]]))[0]
    tensor([[ 0.,  1.],
            [ 0., -1.]])

    Source: PyTorch 0.4, ``torch.eig``.
    """
    check_tensor("eig", "input", 1, input)
    _old("eig", "linalg.eig(A)")
    if not eigenvectors:
        values = eigvals(input)
        return _parts(values, input), input.new_empty((0,))
    values, vectors = linalg_eig(input)
    if input.is_complex():
        return values, vectors
    return _parts(values, input), _real_vectors(values, vectors)


def _parts(values: Tensor, input: Tensor) -> Tensor:
    """Complex numbers as rows of two real ones."""
    if input.is_complex():
        return values
    numbers = values._nd()
    return as_tensor(numpy.stack((numbers.real, numbers.imag), -1), values._dtype.to_real())


def _real_vectors(values: Tensor, vectors: Tensor) -> Tensor:
    """LAPACK's way of keeping pairs of complex vectors in real columns."""
    numbers, found = values._nd(), vectors._nd()
    real = found.real.copy()
    second = numpy.flatnonzero(numbers.imag < 0)
    real[..., second] = found.imag[..., second - 1]
    return in_columns(real, vectors._dtype.to_real())


@offers
def symeig(
    input: Tensor, eigenvectors: bool = False, upper: bool = True, *, out: Any = None
) -> tuple[Tensor, Tensor]:
    """Eigenvalues of a symmetric matrix as of 2018. Today: `tensorkit.linalg.eigh`.

    Args:
        eigenvectors: whether to compute the vectors too; else they are an empty tensor.
        upper: which triangle to read.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> tk.symeig(tk.tensor([[2.0, 1.0], [1.0, 2.0]]))[0]
    tensor([1., 3.])

    Source: PyTorch 0.4, ``torch.symeig``.
    """
    check_tensor("symeig", "input", 1, input)
    _old("symeig", "linalg.eigh(A)")
    triangle = "U" if upper else "L"
    if eigenvectors:
        return tuple(eigh(input, triangle))
    return eigvalsh(input, triangle), input.new_empty((0,))


def _solved(input: Tensor, A: Tensor) -> tuple[Tensor, Tensor]:
    check_square(A, "solve")
    LU, pivots = lu_factor(A)
    return linalg_lu_solve(LU, pivots, input), LU


@offers
def solve(input: Tensor, A: Tensor, *, out: Any = None) -> tuple[Tensor, Tensor]:
    """A system of equations as of 2019: the right-hand side comes first. Today: `tensorkit.linalg.solve`.

    Returns:
        A pair: the solution, and the LU factors of `A`.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> tk.solve(tk.ones(2, 1), 2 * tk.eye(2))[0]
    tensor([[0.5000],
            [0.5000]])

    Source: PyTorch 1.1, ``torch.solve``.
    """
    check_tensor("solve", "input", 1, input)
    check_tensor("solve", "A", 2, A)
    _old("solve", "linalg.solve(A, B)")
    return _solved(input, A)


@offers
def gesv(input: Tensor, A: Tensor, *, out: Any = None) -> tuple[Tensor, Tensor]:
    """A system of equations as of 2018: `solve` by LAPACK's name. Today: `tensorkit.linalg.solve`.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> tk.gesv(tk.ones(1, 1), 2 * tk.eye(1))[0]
    tensor([[0.5000]])

    Source: PyTorch 0.4, ``torch.gesv``.
    """
    check_tensor("gesv", "input", 1, input)
    check_tensor("gesv", "A", 2, A)
    _old("gesv", "linalg.solve(A, B)")
    return _solved(input, A)


@offers
def trtrs(
    input: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """A triangular system as of 2018. Today: `tensorkit.linalg.solve_triangular`.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore")
    >>> tk.trtrs(tk.ones(1, 1), 2 * tk.eye(1))[0]
    tensor([[0.5000]])

    Source: PyTorch 0.4, ``torch.trtrs``.
    """
    check_tensor("trtrs", "input", 1, input)
    _old("trtrs", "linalg.solve_triangular(A, B, upper=...)")
    return tuple(triangular_solve(input, A, upper, transpose, unitriangular))


@offers
def potrf(input: Tensor, upper: bool = True, *, out: Any = None) -> Tensor:
    """The Cholesky factor as of 2018. Today: `tensorkit.linalg.cholesky`.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> tk.potrf(4 * tk.eye(1))
    tensor([[2.]])

    Source: PyTorch 0.4, ``torch.potrf``.
    """
    check_tensor("potrf", "input", 1, input)
    _old("potrf", "linalg.cholesky(A)")
    return linalg_cholesky(input, upper=upper)


@offers
def potri(input: Tensor, upper: bool = True, *, out: Any = None) -> Tensor:
    """The inverse from a Cholesky factor as of 2018. Today: `tensorkit.cholesky_inverse`.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> tk.potri(2 * tk.eye(1))
    tensor([[0.2500]])

    Source: PyTorch 0.4, ``torch.potri``.
    """
    check_tensor("potri", "input", 1, input)
    _old("potri", "cholesky_inverse(L)")
    return cholesky_inverse(input, upper)


@offers
def potrs(input: Tensor, input2: Tensor, upper: bool = True, *, out: Any = None) -> Tensor:
    """A system with a Cholesky factor as of 2018. Today: `tensorkit.cholesky_solve`.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> tk.potrs(tk.ones(1, 1), 2 * tk.eye(1))
    tensor([[0.2500]])

    Source: PyTorch 0.4, ``torch.potrs``.
    """
    check_tensor("potrs", "input", 1, input)
    _old("potrs", "cholesky_solve(B, L)")
    return cholesky_solve(input, input2, upper)


@offers
def matrix_rank(input: Tensor, tol: Any = None, symmetric: bool = False) -> Tensor:
    """The rank of a matrix as of 2019. Today: `tensorkit.linalg.matrix_rank`.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> tk.matrix_rank(tk.ones(2, 2))
    tensor(1)

    Source: PyTorch 1.0, ``torch.matrix_rank``.
    """
    check_tensor("matrix_rank", "input", 1, input)
    _old("matrix_rank", "linalg.matrix_rank(A, hermitian=...)")
    return linalg_matrix_rank(input, tol, symmetric)


def _attach_methods() -> None:
    for function in (gels, lstsq, eig, symeig, solve, gesv, trtrs, potrf, potri, potrs):
        attach(function.__name__, function)


_attach_methods()
