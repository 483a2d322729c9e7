"""Factorisations by elimination: Cholesky and LU."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable
from tensorkit.dtypes import dtype, int32, uint16, uint32, uint64
from tensorkit.elementwise.output import resize_out
from tensorkit.errors import warn
from tensorkit.kernels.cpu import lapack
from tensorkit.kernels.cpu.elementwise import is_half
from tensorkit.ops.linalg.checks import (
    adjoint,
    as_tensor,
    blank,
    check_floating,
    check_info,
    check_square,
    check_tensor,
    converted,
    host,
    identity,
    in_columns,
    is_meta,
    kernel_dtypes,
    named,
    only,
)
from tensorkit.ops.linalg.cholesky_solve_lu_solve import permutation_matrix, unpack_factors
from tensorkit.ops.linalg.solve_inv import solve_triangular
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.signature_parts import OUTS
from tensorkit.tensor import Array, Tensor


def placed(matrix: Any, total: int, start: int, dim: int) -> Any:
    """A block of rows (dim -2) or columns (-1) of a matrix that is zero elsewhere."""
    count = matrix.size(dim)
    if count == total:
        return matrix
    whole = identity(matrix, total)
    if dim == -1:
        return matrix.matmul(whole.narrow(0, start, count))
    return whole.narrow(1, start, count).matmul(matrix)


# -- Cholesky -----------------------------------------------------------------------------------------------------


def _positive(order: int) -> str:
    return (
        "The factorization could not be completed because the input is not positive-definite (the leading minor of "
        f"order {order} is not positive-definite)."
    )


def _cholesky_back(g: Any, c: Any) -> Any:
    """The symmetric gradient: half of what moves each element and its mirror image together."""
    g = g[0] if isinstance(g, (list, tuple)) else g
    L, g = (adjoint(c.out), adjoint(g)) if c.upper else (c.out, g)
    inner = adjoint(L).matmul(g).tril()
    inner = 0.5 * (inner + adjoint(inner.tril(-1)))
    inner = solve_triangular(adjoint(L), inner, upper=True)
    return solve_triangular(L, inner, upper=False, left=False)


_CHOLESKY = Rule("LinalgCholeskyExBackward0", input=_cholesky_back)


def _factorised(input: Tensor, upper: bool) -> tuple[Tensor, Array | None]:
    check_square(input, "linalg.cholesky")
    check_floating(input, "linalg.cholesky")
    kernel_dtypes(input, "cholesky_cpu")
    if is_meta(input):
        return blank(input._lay().size, input._dtype, columns=True), None
    found, info = lapack.cholesky(host(input, "linalg_cholesky_ex"), upper=upper)
    return in_columns(found, input._dtype), info


@op(
    strict=True,
    kind="copy",
    name="cholesky",
    derivative=_CHOLESKY,
    rounded=200,
    namespace="linalg",
    out_error="linalg_cholesky_ex",
    library="LAPACK",
)
def linalg_cholesky(input: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """The triangular ``L`` with ``L @ L.mH`` equal to a symmetric or Hermitian positive-definite matrix.

    Args:
        input: ``(*, n, n)``; only one of its triangles is read.
        upper: give ``U = L.mH``, from the upper triangle.

    Raises:
        tensorkit.linalg.LinAlgError: when a matrix is not positive-definite.
        RuntimeError: when one is not square.

    >>> tk.linalg.cholesky(tk.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    check_tensor("linalg_cholesky", "input", 1, input)
    found, info = _factorised(input, upper)
    if info is not None:
        check_info(info, _positive, "linalg.cholesky")
    return only(found, out)


@op(
    strict=True,
    kind="copy",
    derivative=Rule("LinalgCholeskyExBackward0", input=_cholesky_back),
    rounded=200,
    namespace="linalg",
    library="LAPACK",
)
@takes(f"(Tensor input, *, bool upper = False, bool check_errors = False, {OUTS})")
def cholesky_ex(input: Tensor, *, upper: bool = False, check_errors: bool = False, out: Any = None) -> Any:
    """The triangular factor, and for each matrix 0, or the order of the first minor that is not positive.

    Returns:
        A named pair ``(L, info)``.

    >>> tk.linalg.cholesky_ex(tk.tensor([[1.0, 2.0], [2.0, 1.0]])).info
    tensor(2, dtype=tensorkit.int32)
    """
    check_tensor("linalg_cholesky_ex", "input", 1, input)
    found, info = _factorised(input, upper)
    if check_errors and info is not None:
        check_info(info, _positive, "linalg.cholesky_ex")
    noted = blank(input._lay().size[:-2], int32) if info is None else as_tensor(info, int32)
    return named("linalg_cholesky_ex", (found, noted), out)


_OLD_CHOLESKY = (
    "tensorkit.cholesky is deprecated in favor of tensorkit.linalg.cholesky and will be removed in a future PyTorch "
    "release.\nL = tensorkit.cholesky(A)\nshould be replaced with\nL = tensorkit.linalg.cholesky(A)\nand\n"
    "U = tensorkit.cholesky(A, upper=True)\nshould be replaced with\nU = tensorkit.linalg.cholesky(A).mH\n"
    "This transform will produce equivalent results for all valid (symmetric positive definite) inputs."
)


@op(
    strict=True,
    kind="copy",
    derivative=Rule("CholeskyBackward0", input=_cholesky_back),
    rounded=200,
    library="LAPACK",
)
def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The old spelling of `tensorkit.linalg.cholesky`.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore")
    >>> tk.cholesky(tk.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    check_tensor("cholesky", "input", 1, input)
    warn(_OLD_CHOLESKY)
    size = input._lay().size
    if not input.numel():
        made = blank(size, input._dtype, input._device)
        return made if out is None else _by_rows(made, out)
    check_square(input, "cholesky")
    kernel_dtypes(input, "cholesky_cpu")
    if is_meta(input):
        return only(blank(size, input._dtype, columns=True), out)
    found, info = lapack.cholesky(host(input, "cholesky"), upper=upper)
    check_info(info, _positive, "cholesky")
    made = in_columns(found, input._dtype)
    return made if out is None else converted(made.contiguous(), out, "cholesky")


def _by_rows(result: Tensor, out: Tensor) -> Tensor:
    """What the oldest functions do with ``out=``: converted, and row-major where it has to be resized."""
    resize_out(out, result._lay().size)
    copy_into(out, result)
    out._bump()
    return out


# -- LU -----------------------------------------------------------------------------------------------------------


def through_lu(gL: Any, gU: Any, P: Any, L: Any, U: Any) -> Any:
    """The gradient of a matrix from those of its factors, one of which may be missing."""
    m, n = L.size(-2), U.size(-1)
    least = min(m, n)
    L1, U1 = L.narrow(-2, 0, least), U.narrow(-1, 0, least)
    lower = None if gL is None else adjoint(L1).matmul(gL.narrow(-2, 0, least)).tril(-1)
    upper = None if gU is None else gU.narrow(-1, 0, least).matmul(adjoint(U1)).triu()
    if gU is not None and n > m:  # what U has beyond the square changes L's part
        rest = gU.narrow(-1, m, n - m).matmul(adjoint(U.narrow(-1, m, n - m))).tril(-1)
        lower = -rest if lower is None else lower - rest
    if gL is not None and m > n:
        rest = adjoint(L.narrow(-2, n, m - n)).matmul(gL.narrow(-2, n, m - n)).triu()
        upper = -rest if upper is None else upper - rest
    inner: Any = upper if lower is None else lower if upper is None else lower + upper
    if n >= m:
        inner = solve_triangular(adjoint(U1), inner, upper=False, left=False)
        wide = placed(inner, n, 0, -1)
        if gU is not None and n > m:
            wide = wide + placed(gU.narrow(-1, m, n - m), n, m, -1)
        return P.matmul(solve_triangular(adjoint(L), wide, upper=True, unitriangular=True))
    high = placed(solve_triangular(adjoint(L1), inner, upper=True, unitriangular=True), m, 0, -2)
    if gL is not None:
        high = high + placed(gL.narrow(-2, n, m - n), m, n, -2)
    return P.matmul(solve_triangular(adjoint(U), high, upper=False, left=False))


def _swaps(pivots: Any, rows: int, kind: dtype) -> Any:
    return permutation_matrix(pivots, rows, pivots.size(-1), kind)


def _lu_back(g: Any, c: Any) -> Any:
    return through_lu(g[0], g[1], _swaps(c.third, c.A_face.size[-2], c.out.dtype), c.out, c.indices)


def _lu_factor_back(g: Any, c: Any) -> Any:
    g = g[0]
    LU, (m, n) = c.out, c.A_face.size[-2:]
    least = min(m, n)
    unit = identity(LU, m, least)
    L, U = LU.narrow(-1, 0, least).tril(-1) + unit, LU.narrow(-2, 0, least).triu()
    gL, gU = g.narrow(-1, 0, least), g.narrow(-2, 0, least)
    return through_lu(gL.tril(-1), gU.triu(), _swaps(c.indices, m, LU.dtype), L, U)


_LU_FACTOR = Rule("LinalgLuFactorExBackward0", A=_lu_factor_back)


def _check_lu(A: Tensor, name: str, pivot: bool) -> None:
    size = list(A._lay().size)
    if len(size) < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {size} instead")
    if not A.numel():
        return
    if A._dtype.category < 2 or is_half(A._dtype):
        raise missing_kernel("lu_cpu", A._dtype.label)
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def _packed(A: Tensor, pivot: bool) -> tuple[Tensor, Tensor, Array | None]:
    _check_lu(A, "tensorkit.lu_factor", pivot)
    size = A._lay().size
    if is_meta(A):
        return blank(size, A._dtype, columns=True), blank((*size[:-2], min(size[-2:])), int32), None
    LU, pivots, info = lapack.lu(host(A, "linalg_lu_factor_ex"))
    return in_columns(LU, A._dtype), as_tensor(pivots, int32), info


def _refuse_zero(info: Array | None, name: str) -> None:
    """PyTorch's refusal of a factor that cannot be solved with."""
    wrong = numpy.flatnonzero(0 if info is None else info)
    if info is None or not wrong.size:
        return
    at = int(info.reshape(-1)[wrong[0]])
    where = f"(Batch element {wrong[0]}): " if info.ndim else ""
    raise RuntimeError(
        f"{name}: {where}U[{at},{at}] is zero and using it on lu_solve would result in a division by zero. If you "
        "still want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
    )


@op(
    strict=True,
    kind="copy",
    derivative=_LU_FACTOR,
    rounded=200,
    namespace="linalg",
    out_error="linalg_lu_factor_ex",
    library="LAPACK",
)
@takes(f"(Tensor A, *, bool pivot = True, {OUTS})")
def lu_factor(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    """Both LU factors of a matrix in one, and how its rows were swapped: what `tensorkit.linalg.lu_solve` takes.

    Returns:
        A named pair ``(LU, pivots)``.

    Raises:
        RuntimeError: when a pivot is zero, and without pivoting, which the CPU does not do.

    >>> tk.linalg.lu_factor(tk.tensor([[1.0, 2.0], [2.0, 2.0]]))
    tensorkit.return_types.linalg_lu_factor(
    LU=tensor([[2.0000, 2.0000],
            [0.5000, 1.0000]]),
    pivots=tensor([2, 2], dtype=tensorkit.int32))
    """
    check_tensor("linalg_lu_factor", "A", 1, A)
    LU, pivots, info = _packed(A, pivot)
    _refuse_zero(info, "tensorkit.linalg.lu_factor")
    return named("linalg_lu_factor", (LU, pivots), out)


@op(strict=True, kind="copy", derivative=_LU_FACTOR, rounded=200, namespace="linalg", library="LAPACK")
@takes(f"(Tensor A, *, bool pivot = True, bool check_errors = False, {OUTS})")
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Any = None) -> Any:
    """`lu_factor`, and for each matrix 0, or which pivot is zero.

    Returns:
        A named triple ``(LU, pivots, info)``.

    >>> tk.linalg.lu_factor_ex(tk.zeros(2, 2)).info
    tensor(1, dtype=tensorkit.int32)
    """
    check_tensor("linalg_lu_factor_ex", "A", 1, A)
    LU, pivots, info = _packed(A, pivot)
    if check_errors:
        _refuse_zero(info, "tensorkit.linalg.lu_factor_ex")
    noted = blank(A._lay().size[:-2], int32) if info is None else as_tensor(info, int32)
    return named("linalg_lu_factor_ex", (LU, pivots, noted), out)


def _lu_body(A: Any) -> tuple[Tensor, Tensor, Tensor]:
    LU, pivots, _ = lu_factor_ex(A)
    return (*unpack_factors(LU), pivots)


_lu_factors = differentiable(_lu_body, Rule("LinalgLuBackward0", A=_lu_back), "linalg_lu", "copy")


@op(strict=True, kind="copy", name="lu", rounded=200, namespace="linalg")
@takes(f"(Tensor A, *, bool pivot = True, {OUTS})")
def linalg_lu(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    """The factors of ``A = P @ L @ U``: a permutation, a unit lower triangle, an upper triangle.

    Returns:
        A named triple ``(P, L, U)`` of the sizes ``(*, m, m)``, ``(*, m, k)``, ``(*, k, n)`` with ``k = min(m, n)``.

    Raises:
        RuntimeError: without pivoting, which the CPU does not do.

    >>> P, L, U = tk.linalg.lu(tk.tensor([[1.0, 2.0], [2.0, 2.0]]))
    >>> U
    tensor([[2., 2.],
            [0., 1.]])
    """
    check_tensor("linalg_lu", "A", 1, A)
    _check_lu(A, "linalg.lu", pivot)
    *batch, m, _ = A._lay().size
    if pivot and A._dtype in (uint16, uint32, uint64) and m and 0 not in batch:
        raise missing_kernel("scatter_gather_scalar_cpu", A._dtype.label)
    L, U, pivots = _lu_factors(A)
    P = _swaps(pivots, m, A._dtype) if pivot else blank((0,), A._dtype, A._device)
    return named("linalg_lu", (P, L, U), out)


_OLD_LU = (
    "tensorkit.lu is deprecated in favor of tensorkit.linalg.lu_factor / tensorkit.linalg.lu_factor_ex and will be "
    "removed in a future PyTorch release.\nLU, pivots = tensorkit.lu(A, compute_pivots)\nshould be replaced with\n"
    "LU, pivots = tensorkit.linalg.lu_factor(A, compute_pivots)\nand\n"
    "LU, pivots, info = tensorkit.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
    "LU, pivots, info = tensorkit.linalg.lu_factor_ex(A, compute_pivots)"
)


@op(kind="copy", rounded=200)
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> tuple[Tensor, ...]:
    """The old spelling of `tensorkit.linalg.lu_factor_ex`.

    Returns:
        ``(LU, pivots)``, and for each matrix 0, or which pivot is zero, if `get_infos`.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore")
    >>> tk.lu(tk.tensor([[1.0, 2.0], [2.0, 2.0]]))[1]
    tensor([2, 2], dtype=tensorkit.int32)
    """
    check_tensor("lu", "A", 1, A)
    warn(_OLD_LU)
    LU, pivots, info = lu_factor_ex(A, pivot=pivot)
    found = (LU, pivots, info) if get_infos else (LU, pivots)
    if out is None:
        return found
    return tuple(_by_rows(part, target) for part, target in zip(found, out, strict=True))
