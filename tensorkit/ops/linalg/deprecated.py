"""Linear algebra as it was spelled in 2018 and later: each of these warns and names today's function.

PyTorch 2.13 does not have them any more, or keeps a name that only raises; lessons of that time run here unchanged.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.autograd.grad_mode import is_grad_enabled
from tensorkit.autograd.graph import requires_grad
from tensorkit.dispatch.registry import offers, unlists
from tensorkit.errors import warn
from tensorkit.ops.linalg.checks import (
    as_tensor,
    check_floating,
    check_square,
    check_tensor,
    host,
    in_columns,
    into,
    only,
)
from tensorkit.ops.linalg.cholesky_lu import linalg_cholesky, lu_factor
from tensorkit.ops.linalg.cholesky_solve_lu_solve import (
    cholesky_inverse,
    cholesky_solve,
    linalg_lu_solve,
    triangular_solve,
)
from tensorkit.ops.linalg.lstsq import matrix_rank as linalg_matrix_rank
from tensorkit.ops.linalg.lstsq import solved_in_squares
from tensorkit.ops.linalg.qr import geqrf
from tensorkit.ops.linalg.svd_eig import eig as linalg_eig
from tensorkit.ops.linalg.svd_eig import eigh, eigvals, eigvalsh
from tensorkit.tensor import Tensor, attach


def _old(name: str, now: str) -> None:
    warn(f"tensorkit.{name} is an old spelling: use tensorkit.{now}.", FutureWarning)


def _check_sides(name: str, input: Tensor, A: Tensor) -> None:
    """Refuse anything but two CPU matrices of one dtype with the same number of rows."""
    sizes = tuple(input._lay().size), tuple(A._lay().size)
    if len(sizes[0]) not in (1, 2) or len(sizes[1]) != 2:
        raise RuntimeError(
            f"{name}: expected the right-hand sides, a matrix (m, k), and then a matrix A (m, n), but got the sizes "
            f"{list(sizes[0])} and {list(sizes[1])}. For batches use tensorkit.linalg.lstsq(A, B)."
        )
    if sizes[0][0] != sizes[1][0]:
        raise RuntimeError(
            f"{name}: Expected A and b to have same size at dim 0, but A has {sizes[1][0]} rows and B has "
            f"{sizes[0][0]} rows. The right-hand sides come first: {name}(B, A)."
        )
    if input._dtype is not A._dtype:
        raise RuntimeError(
            f"{name}: expected both matrices to have one dtype, but got {input._dtype} and {A._dtype}"
        )
    check_floating(A, name, low=False)


def _refuse_history(name: str, *tensors: Tensor) -> None:
    """Where PyTorch had no derivative: better an error than a result that has lost its history."""
    if is_grad_enabled() and any(map(requires_grad, tensors)):
        raise RuntimeError(f"the derivative for '{name}' is not implemented")


def _in_places(results: tuple[Tensor, Tensor], out: Any) -> tuple[Tensor, Tensor]:
    """A pair of results; written into the pair of tensors given as ``out=``, if there is one."""
    if out is None:
        return results
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError("argument 'out' must be a pair of Tensors")
    return into(results[0], out[0]), into(results[1], out[1])


def _least_squares(name: str, input: Tensor, A: Tensor, out: Any) -> tuple[Tensor, Tensor]:
    """The solutions above what the residuals are made of, and the QR factors of the matrix."""
    check_tensor(name, "input", 1, input)
    check_tensor(name, "A", 2, A)
    _old(name, "linalg.lstsq(A, B)")
    _check_sides(name, input, A)
    _refuse_history(name, input, A)
    right = host(input if input.dim() > 1 else input.unsqueeze(-1), name)
    sides, _, _ = solved_in_squares(host(A, name), right, name, driver="gels", cutoff=0.0)
    return _in_places((in_columns(sides, A._dtype), geqrf(A)[0]), out)


@unlists
def gels(input: Tensor, A: Tensor, *, out: Any = None) -> tuple[Tensor, Tensor]:
    """Least squares as of 2018: the right-hand side comes first. Today: `tensorkit.linalg.lstsq`.

    Args:
        input: the right-hand sides ``(m, k)``. A: a matrix ``(m, n)`` of full rank.

    Returns:
        A pair: a matrix ``(max(m, n), k)`` whose first ``n`` rows are the solution, and the QR factors of `A`.

    Raises:
        tensorkit.linalg.LinAlgError: when the matrix does not have full rank.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> x = tk.tensor([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> solution, _ = tk.gels(tk.tensor([[1.0], [3.0], [5.0]]), x)
    >>> bool((solution[:2, 0] - tk.tensor([2.0, 1.0])).abs().max() < 1e-5)
    True

    Source: PyTorch 0.4, ``torch.gels``.
    """
    return _least_squares("gels", input, A, out)


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
    return _least_squares("lstsq", input, A, out)


@offers
def eig(input: Tensor, eigenvectors: bool = False, *, out: Any = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues as of 2018, without complex numbers. Today: `tensorkit.linalg.eig`.

    Returns:
        A pair: ``(n, 2)`` with the real and imaginary parts of the eigenvalues, and the eigenvectors: an
        empty tensor unless requested. A complex pair takes two columns: the real part, then the imaginary part.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> tk.eig(tk.tensor([[0.0, -1.0], [1.0, 0.0]]))[0]
    tensor([[ 0.,  1.],
            [ 0., -1.]])

    Source: PyTorch 0.4, ``torch.eig``.
    """
    check_tensor("eig", "input", 1, input)
    _old("eig", "linalg.eig(A)")
    if not input.is_complex():  # of a complex matrix, today's results and their derivatives are the same
        _refuse_history("eig", input)
    if not eigenvectors:
        values = eigvals(input)
        return _in_places((_parts(values, input), input.new_empty((0,))), out)
    values, vectors = linalg_eig(input)
    if not input.is_complex():
        vectors = _real_vectors(values, vectors)
    return _in_places((_parts(values, input), vectors), out)


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
    values, vectors = (
        eigh(input, triangle) if eigenvectors else (eigvalsh(input, triangle), input.new_empty((0,)))
    )
    return _in_places((values, vectors), out)


def _solved(name: str, input: Tensor, A: Tensor, out: Any) -> tuple[Tensor, Tensor]:
    check_tensor(name, "input", 1, input)
    check_tensor(name, "A", 2, A)
    _old(name, "linalg.solve(A, B)")
    check_square(A, name)
    LU, pivots = lu_factor(A)
    return _in_places((linalg_lu_solve(LU, pivots, input), LU), out)


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
    return _solved("solve", input, A, out)


@unlists
def gesv(input: Tensor, A: Tensor, *, out: Any = None) -> tuple[Tensor, Tensor]:
    """A system of equations as of 2018: `solve` by LAPACK's name. Today: `tensorkit.linalg.solve`.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> tk.gesv(tk.ones(1, 1), 2 * tk.eye(1))[0]
    tensor([[0.5000]])

    Source: PyTorch 0.4, ``torch.gesv``.
    """
    return _solved("gesv", input, A, out)


@unlists
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


@unlists
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
    return only(linalg_cholesky(input, upper=upper), out)


@unlists
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
    return only(cholesky_inverse(input, upper), out)


@unlists
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
    return only(cholesky_solve(input, input2, upper), out)


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
    if tol is None:
        return linalg_matrix_rank(input, hermitian=symmetric)
    return linalg_matrix_rank(input, tol, symmetric)


def _attach_methods() -> None:
    for function in (gels, lstsq, eig, symeig, solve, gesv, trtrs, potrf, potri, potrs):
        attach(function.__name__, function)


_attach_methods()
