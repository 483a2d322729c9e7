"""Systems of equations solved with factors that are there already."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.library import through_library
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable
from tensorkit.dtypes import dtype, int32, uint16, uint32, uint64
from tensorkit.elementwise.promotion import one_device
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
    unless_filled,
)
from tensorkit.ops.linalg.solve_inv import SINGULAR, check_sides, solve_triangular
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.signature_parts import OUTS
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Array, Tensor

# -- LU -----------------------------------------------------------------------------------------------------------


def _permutation_matrix(LU_pivots: Tensor, rows: int, count: int, kind: dtype) -> Tensor:
    """The matrix ``P`` of ``A = P @ L @ U``, by the first `count` swaps."""
    if is_meta(LU_pivots):
        return blank((*LU_pivots._lay().size[:-1], rows, rows), kind)
    swaps = host(LU_pivots, "lu_unpack")[..., :count]
    if swaps.size and not (swaps.min() >= 1 and swaps.max() <= rows):
        raise RuntimeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
            "Did you properly pass the result of lu_factor?"
        )
    if rows and kind in (uint16, uint32, uint64):
        raise missing_kernel("scatter_gather_scalar_cpu", kind.label)
    order = lapack.permutation(swaps, rows)
    return as_tensor(order[..., None, :] == numpy.arange(rows)[:, None], kind)


permutation_matrix = through_library("lu_unpack", "LAPACK", _permutation_matrix)


def _unpack_back(g: Any, c: Any) -> Any:
    """Each factor's gradient goes to its triangle; a wide or high matrix has more than one of them has."""
    m, n = c.LU_data_face.size[-2:]
    least = min(m, n)
    lower = None if g[0] is None else g[0].tril(-1)
    upper = None if g[1] is None else g[1].triu()
    if lower is not None and n > least:
        lower = _padded(lower, n - least, -1)
    if upper is not None and m > least:
        upper = _padded(upper, m - least, -2)
    if lower is None or upper is None:
        return upper if lower is None else lower
    return lower + upper


def _padded(matrix: Any, count: int, dim: int) -> Any:
    """Zeros put behind the last row or column."""
    least = matrix.size(dim)
    if dim == -1:
        return matrix.matmul(identity(matrix, least, least + count))
    return identity(matrix, least + count, least).matmul(matrix)


def _unpack_body(LU_data: Any) -> tuple[Tensor, Tensor]:
    *batch, m, n = LU_data._lay().size
    least = min(m, n)
    if is_meta(LU_data):
        return blank((*batch, m, least), LU_data.dtype), blank((*batch, least, n), LU_data.dtype)
    if is_on_device(LU_data):
        lower = LU_data.narrow(-1, 0, least).tril(-1)
        lower.diagonal(0, -2, -1).fill_(1)
        return lower, LU_data.narrow(-2, 0, least).triu()
    array = host(LU_data, "lu_unpack")
    L = numpy.tril(array[..., :, :least], -1)
    L[..., range(least), range(least)] = 1
    return as_tensor(L, LU_data.dtype), as_tensor(numpy.triu(array[..., :least, :]), LU_data.dtype)


unpack_factors = differentiable(
    _unpack_body, Rule("LuUnpackBackward0", LU_data=_unpack_back), "lu_unpack", "copy"
)


def _check_packed(LU_data: Tensor, LU_pivots: Tensor, data: bool, pivots: bool) -> None:
    size, kind = list(LU_data._lay().size), LU_data._dtype
    if len(size) < 2:
        raise RuntimeError(
            f"tensorkit.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {size} instead"
        )
    if pivots and LU_pivots._dtype is not int32:
        raise RuntimeError(
            "tensorkit.lu_unpack: LU_pivots is expected to be a contiguous tensor of tensorkit.int32 dtype.\n"
            "Note: this function is intended to be used with the output produced by tensorkit.linalg.lu_factor"
        )
    if data and kind in (uint16, uint32, uint64) and LU_data.numel():
        raise missing_kernel("triu" if size[-2] > size[-1] else "tril", kind.label)


@op(strict=True, kind="copy", methods=())
@takes(f"(Tensor LU_data, Tensor LU_pivots, bool unpack_data = True, bool unpack_pivots = True, *, {OUTS})")
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
    *,
    out: Any = None,
) -> Any:
    """The three factors ``P @ L @ U`` out of what `tensorkit.linalg.lu_factor` gave.

    Args:
        LU_data: both factors in one matrix ``(*, m, n)``. LU_pivots: the swaps, int32, counted from 1.
        unpack_data, unpack_pivots: what is wanted; the other parts are empty.

    Returns:
        A named triple ``(P, L, U)``.

    >>> P, L, U = tk.lu_unpack(*tk.linalg.lu_factor(tk.tensor([[0.0, 2.0], [1.0, 3.0]])))
    >>> P @ L @ U
    tensor([[0., 2.],
            [1., 3.]])
    """
    check_tensor("lu_unpack", "LU_data", 1, LU_data)
    check_tensor("lu_unpack", "LU_pivots", 2, LU_pivots)
    _check_packed(LU_data, LU_pivots, unpack_data, unpack_pivots)
    one_device(LU_data, LU_pivots)
    kind, size, where = LU_data._dtype, LU_data._lay().size, LU_data._device
    m, n = size[-2:]
    P = blank((*size[:-2], m, m) if unpack_pivots else (0,), kind, where)
    L, U = (blank((0,), kind, where) for _ in range(2))
    if unpack_pivots and not is_meta(LU_data):
        P = permutation_matrix(LU_pivots, m, min(m, n) if LU_data.numel() else 0, kind)
    if unpack_data:
        L, U = unpack_factors(LU_data)
    return named("lu_unpack", (P, L, U), out)


def _lu_solve_back_B(g: Any, c: Any) -> Any:
    return linalg_lu_solve(c.LU, c.pivots, g, left=c.left, adjoint=not c.adjoint)


def _lu_solve_back_LU(g: Any, c: Any) -> Any:
    """Through ``A = P @ L @ U``: the gradients of both factors, each in its triangle."""
    P, L, U = lu_unpack(c.LU, c.pivots)
    if c.left:
        return _through_factors(g, c.out, P, L, U, c.adjoint)
    # X A = B says A^H X^H = B^H.
    return _through_factors(adjoint(g), adjoint(c.out), P, L, U, not c.adjoint)


def _through_factors(g: Any, X: Any, P: Any, L: Any, U: Any, turned: bool) -> Any:
    if turned:
        R = solve_triangular(L, P.mT.matmul(g), upper=False, unitriangular=True)
        S = solve_triangular(U, R, upper=True)
        swapped = P.mT.matmul(X)
        lower, upper = swapped.matmul(adjoint(R)), adjoint(L).matmul(swapped).matmul(adjoint(S))
    else:
        R = solve_triangular(adjoint(U), g, upper=False)
        S = solve_triangular(adjoint(L), R, upper=True, unitriangular=True)
        lower, upper = S.matmul(adjoint(U.matmul(X))), R.matmul(adjoint(X))
    return -(lower.tril(-1) + upper.triu())


_LU_SOLVE = Rule("LinalgLuSolveBackward0", LU=_lu_solve_back_LU, B=_lu_solve_back_B)


def _check_lu(LU: Tensor, pivots: Tensor, B: Tensor, left: bool) -> tuple[int, ...]:
    """Refuse what `lu_solve` cannot use; the size of the result."""
    name = "linalg.lu_solve"
    check_floating(LU, f"tensorkit.{name}")
    if LU._dtype is not B._dtype:
        raise RuntimeError(
            f"{name}: Expected LU and B to have the same dtype, but found LU of type {LU._dtype.label} and B of type "
            f"{B._dtype.label} instead"
        )
    if pivots._dtype is not int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type tensorkit.int32")
    check_square(LU, f"tensorkit.{name}")
    size, swaps = LU._lay().size, pivots._lay().size
    if not swaps:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    check_sides(LU, B, left, name)
    if swaps[-1] != size[-1]:
        raise RuntimeError(
            f"{name}: Number of pivots per batch should be same as the dimension of the matrix"
        )
    if swaps != size[:-1]:
        raise RuntimeError(
            f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(swaps)} instead"
        )
    right = B._lay().size
    return (*broadcast_sizes(right[:-2], size[:-2]), *right[-2:])


def _check_swaps(swaps: Array, rows: int) -> None:
    """Refuse swaps with rows that are not there: LAPACK would write beside the matrix."""
    for wrong, limit in (
        (swaps < 1, "greater or equal to 1"),
        (swaps > rows, "smaller or equal to LU.size(-2)"),
    ):
        if wrong.any():
            raise RuntimeError(
                f"Pivots given to lu_solve must all be {limit}. Did you properly pass the result of lu_factor?"
            )


def _lu_solved(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
    size = _check_lu(LU, pivots, B, left)
    if is_meta(LU, B):
        return blank(size, LU._dtype, columns=left)
    factors, swaps, right = (host(t, "linalg_lu_solve") for t in (LU, pivots, B))
    if 0 not in size:
        _check_swaps(swaps, factors.shape[-1])
        kernel_dtypes(LU, "linalg.lu_solve_cpu")
    if left:
        return in_columns(lapack.lu_solve(factors, swaps, right, adjoint=adjoint), LU._dtype)
    # From the right: the system of all adjoints.
    turned = right.swapaxes(-1, -2).conj()
    found = lapack.lu_solve(factors, swaps, turned, adjoint=not adjoint)
    return as_tensor(found.swapaxes(-1, -2).conj(), LU._dtype)


@op(
    strict=True,
    kind="copy",
    name="lu_solve",
    derivative=_LU_SOLVE,
    rounded=500,
    namespace="linalg",
    library="LAPACK",
)
def linalg_lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    adjoint: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Solve ``A @ X = B`` with the factors of ``A`` from `tensorkit.linalg.lu_factor`.

    Args:
        LU: ``(*, n, n)``. pivots: ``(*, n)``, int32. B: ``(*, n, k)``.
        left: solve ``X @ A = B`` if False.
        adjoint: solve with the matrix conjugated and transposed.

    Raises:
        RuntimeError: when the factors are not square, the sides do not fit, or a pivot is out of range.

    >>> LU, pivots = tk.linalg.lu_factor(tk.tensor([[2.0, 0.0], [0.0, 4.0]]))
    >>> tk.linalg.lu_solve(LU, pivots, tk.ones(2, 1))
    tensor([[0.5000],
            [0.2500]])
    """
    check_tensor("linalg_lu_solve", "LU", 1, LU)
    check_tensor("linalg_lu_solve", "pivots", 2, pivots)
    check_tensor("linalg_lu_solve", "B", 3, B)
    return only(_lu_solved(LU, pivots, B, left, adjoint), out)


@op(kind="copy", rounded=500, strict=True, out_error="linalg_lu_solve")
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The old spelling of `tensorkit.linalg.lu_solve`, its arguments in another order.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore")
    >>> tk.lu_solve(tk.ones(2, 1), *tk.linalg.lu_factor(2 * tk.eye(2)))
    tensor([[0.5000],
            [0.5000]])
    """
    check_tensor("lu_solve", "input", 1, input)
    warn(
        "tensorkit.lu_solve is deprecated in favor of tensorkit.linalg.lu_solve"
        "and will be removed in a future PyTorch release.\n"
        "Note that tensorkit.linalg.lu_solve has its arguments reversed.\n"
        "X = tensorkit.lu_solve(B, LU, pivots)\nshould be replaced with\nX = tensorkit.linalg.lu_solve(LU, pivots, B)"
    )
    return only(linalg_lu_solve(LU_data, LU_pivots, input), out)


# -- Cholesky -----------------------------------------------------------------------------------------------------


def _old_sides(b: Tensor, A: Tensor, name: str) -> tuple[int, ...]:
    """The checks of the older solvers; the size of the result."""
    own, given = A._lay().size, b._lay().size
    if A._dtype is not b._dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {b._dtype.label} and A of type "
            f"{A._dtype.label} instead."
        )
    check_square(A, "")
    if own[-1] != given[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {own[-1]} by {own[-1]} but each b matrix is "
            f"{given[-2]} by {given[-1]}"
        )
    return (*broadcast_sizes(given[:-2], own[:-2]), *given[-2:])


def _cholesky_back_input(g: Any, c: Any) -> Any:
    return cholesky_solve(g, c.input2, c.upper)


def _cholesky_back_factor(g: Any, c: Any) -> Any:
    right = cholesky_solve(g, c.input2, c.upper)
    common = right.matmul(adjoint(c.out))
    common = common + adjoint(common)
    return -(c.input2.matmul(common)) if c.upper else -(common.matmul(c.input2))


@op(
    strict=True,
    kind="copy",
    derivative=Rule("CholeskySolveBackward0", input=_cholesky_back_input, input2=_cholesky_back_factor),
    rounded=2000,
    library="LAPACK",
)
def cholesky_solve(
    input: Tensor, input2: Tensor, upper: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Solve ``A @ X = B`` with the triangular factor of ``A`` from `tensorkit.linalg.cholesky`.

    Args:
        input: the right-hand side ``(*, n, k)``. input2: the factor ``(*, n, n)``.
        upper: whether the factor is the upper one.

    Raises:
        RuntimeError: when the factor is not square, or the sides do not fit.

    >>> tk.cholesky_solve(tk.ones(2, 1), 2 * tk.eye(2))
    tensor([[0.2500],
            [0.2500]])
    """
    check_tensor("cholesky_solve", "input", 1, input)
    check_tensor("cholesky_solve", "input2", 2, input2)
    for label, tensor in (("b", input), ("u", input2)):
        if tensor.dim() < 2:
            raise RuntimeError(
                f"{label} should have at least 2 dimensions, but has {tensor.dim()} dimensions instead"
            )
    size = _old_sides(input, input2, "cholesky_solve")
    kernel_dtypes(input, "cholesky_solve_cpu")
    if is_meta(input, input2):
        made = blank(size, input._dtype, columns=True)
    else:
        arrays = host(input2, "cholesky_solve"), host(input, "cholesky_solve")
        made = in_columns(lapack.cholesky_solve(*arrays, upper=upper), input._dtype)
    return made if out is None else converted(made.contiguous(), out, "cholesky_solve")


def _cholesky_inverse_back(g: Any, c: Any) -> Any:
    inverse = c.out
    common = inverse.matmul(g + adjoint(g)).matmul(inverse)
    return -(c.input.matmul(common)) if c.upper else -(common.matmul(c.input))


@op(
    strict=True,
    kind="copy",
    derivative=Rule("CholeskyInverseBackward0", input=_cholesky_inverse_back),
    rounded=2000,
    library="LAPACK",
)
def cholesky_inverse(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a matrix, from its triangular factor of `tensorkit.linalg.cholesky`.

    Raises:
        tensorkit.linalg.LinAlgError: when the factor is singular. RuntimeError: when it is not square.

    >>> tk.cholesky_inverse(2 * tk.eye(2))
    tensor([[0.2500, 0.0000],
            [0.0000, 0.2500]])
    """
    check_tensor("cholesky_inverse", "input", 1, input)
    check_square(input, "cholesky_inverse")
    if input._dtype.category < 2 or is_half(input._dtype):
        raise missing_kernel("cholesky_inverse_out_cpu", input._dtype.label)
    if is_meta(input):
        return _inverted(blank(input._lay().size, input._dtype, columns=True), out)
    array = host(input, "cholesky_inverse")
    zeros = numpy.diagonal(array, 0, -2, -1) == 0
    info = numpy.where(zeros.any(-1), zeros.argmax(-1) + 1 if array.size else 0, 0)
    check_info(info, SINGULAR.format, "cholesky_inverse")
    return _inverted(in_columns(lapack.cholesky_inverse(array, upper=upper), input._dtype), out)


def _inverted(made: Tensor, out: Tensor | None) -> Tensor:
    return made if out is None else converted(unless_filled(made, out), out, "cholesky_inverse")


# -- the old triangular solver ------------------------------------------------------------------------------------


def _old_matrix(c: Any) -> Any:
    return c.A.transpose(-2, -1) if c.transpose else c.A


def _old_back_input(g: Any, c: Any) -> Any:
    g = g[0]
    if g is None:
        return None
    return solve_triangular(
        adjoint(_old_matrix(c)), g, upper=c.upper == c.transpose, unitriangular=c.unitriangular
    )


def _old_back_A(g: Any, c: Any) -> Any:
    whole = g[1]
    if g[0] is not None:
        right = _old_back_input(g, c)
        found = -right.matmul(adjoint(c.out))
        found = found.transpose(-2, -1) if c.transpose else found
        found = found.triu(int(c.unitriangular)) if c.upper else found.tril(-int(c.unitriangular))
        whole = found if whole is None else whole + found
    return whole


@op(
    strict=True,
    kind="copy",
    derivative=Rule("TriangularSolveBackward0", input=_old_back_input, A=_old_back_A),
    rounded=200,
    library="LAPACK",
)
@takes(
    "(Tensor input, Tensor A, bool upper = True, bool transpose = False, "
    f"bool unitriangular = False, *, {OUTS})"
)
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    *,
    out: Any = None,
) -> Any:
    """The old spelling of `tensorkit.linalg.solve_triangular`: the right-hand side comes first.

    Returns:
        A named pair ``(solution, cloned_coefficient)``; the second is a copy of `A`.

    Raises:
        RuntimeError: when `A` is not square, or the sides do not fit.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore")
    >>> tk.triangular_solve(tk.ones(2, 1), 2 * tk.eye(2)).solution
    tensor([[0.5000],
            [0.5000]])
    """
    check_tensor("triangular_solve", "input", 1, input)
    check_tensor("triangular_solve", "A", 2, A)
    for label, tensor in (("b", input), ("A", A)):
        if tensor.dim() < 2:
            raise RuntimeError(
                f"tensorkit.triangular_solve: Expected {label} to have at least 2 dimensions, but it has "
                f"{tensor.dim()} dimensions instead"
            )
    size = _old_sides(input, A, "triangular_solve")
    warn(
        "tensorkit.triangular_solve is deprecated in favor of tensorkit.linalg.solve_triangularand will be removed in "
        "a future PyTorch release.\ntensorkit.linalg.solve_triangular has its arguments reversed and does not return "
        "a copy of one of the inputs.\nX = tensorkit.triangular_solve(B, A).solution\nshould be replaced with\n"
        "X = tensorkit.linalg.solve_triangular(A, B)."
    )
    kernel_dtypes(A, "triangular_solve_cpu")
    whole = (*size[:-2], *A._lay().size[-2:])
    if is_meta(input, A):
        parts = blank(size, A._dtype, columns=True), blank(whole, A._dtype, columns=True)
        return named("triangular_solve", parts, out)
    matrix = host(A, "triangular_solve")
    found = lapack.triangular_solve(
        matrix, host(input, "triangular_solve"), upper=upper, transpose=int(transpose), unit=unitriangular
    )
    copied = lapack.columns(numpy.broadcast_to(matrix, whole))
    return named("triangular_solve", (in_columns(found, A._dtype), in_columns(copied, A._dtype)), out)
