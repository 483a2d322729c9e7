"""Systems of equations by cuSOLVER and cuBLAS: inverses, triangles, least squares, and how many are independent."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cuda.gpu.libraries.factors import (
    adjoint,
    eigh,
    finite,
    lu,
    permutation,
    svd,
    zero_pivots,
)
from tensorkit.kernels.cuda.gpu.libraries.place import Refused


def _together(cupy: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Two batches of matrices, each written out for the batch of both."""
    batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    whole = (cupy.broadcast_to(array, batch + array.shape[-2:]) for array in (a, b))
    first, second = (cupy.ascontiguousarray(array) for array in whole)
    return first, second


# -- any matrix ---------------------------------------------------------------------------------------------------


def inverse(cupy: Any, array: Any) -> Any:
    """The inverse of each matrix.

    Raises:
        numpy.linalg.LinAlgError: where one of them is singular.
    """
    return cupy.linalg.inv(array)


def _solved(cupy: Any, A: Any, B: Any, left: bool) -> Any:
    vector = B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    right = B[..., None] if vector else B
    if not left:
        A, right = A.swapaxes(-1, -2), right.swapaxes(-1, -2)
    A, right = _together(cupy, A, right)
    found = cupy.linalg.solve(A, right) if right.size else right
    if vector:
        return found[..., 0]
    return found if left else found.swapaxes(-1, -2)


def solve(cupy: Any, A: Any, B: Any, left: bool) -> Any:
    """``A @ X = B``, or ``X @ A = B``.

    Raises:
        numpy.linalg.LinAlgError: where a matrix is singular.
    """
    return _solved(cupy, A, B, left)


def _with_info(cupy: Any, A: Any, check_errors: bool, work: Any) -> tuple[Any, Any]:
    """What `work` gives, and which pivots were zero; with them the result has nan."""
    import cupyx

    try:
        return work(), cupy.zeros(A.shape[:-2], numpy.int32)
    except numpy.linalg.LinAlgError:
        if check_errors:
            raise
    info = zero_pivots(cupy, lu(cupy, A)[0])
    with cupyx.errstate(linalg="ignore"):
        return work(), info


def inverse_ex(cupy: Any, array: Any, check_errors: bool) -> tuple[Any, Any]:
    """`inverse`, and of each matrix which pivot was zero first."""
    return _with_info(cupy, array, check_errors, lambda: cupy.linalg.inv(array))


def solve_ex(cupy: Any, A: Any, B: Any, left: bool, check_errors: bool) -> tuple[Any, Any]:
    """`solve`, and of each matrix which pivot was zero first."""
    return _with_info(cupy, A, check_errors, lambda: _solved(cupy, A, B, left))


def lu_solve(cupy: Any, LU: Any, pivots: Any, B: Any, left: bool, turned: bool) -> Any:
    """A system of a matrix whose factors are known, or of its adjoint."""
    if not left:  # from the right: the system of all adjoints
        return adjoint(lu_solve(cupy, LU, pivots, adjoint(B), True, not turned))
    order = permutation(cupy, pivots, LU.shape[-1])[..., None]
    packed, right = _together(cupy, LU, B)
    order = cupy.broadcast_to(order, right.shape)
    if turned:
        first = triangle(cupy, packed, right, lower=False, turned=True)
        last = triangle(cupy, packed, first, lower=True, unit=True, turned=True)
        return cupy.take_along_axis(last, cupy.argsort(order, axis=-2), -2)
    moved = cupy.take_along_axis(right, order, -2)
    first = triangle(cupy, packed, moved, lower=True, unit=True)
    return triangle(cupy, packed, first, lower=False)


# -- triangles ----------------------------------------------------------------------------------------------------


def triangle(
    cupy: Any, A: Any, B: Any, *, lower: bool, unit: bool = False, left: bool = True, turned: bool = False
) -> Any:
    """A system of a triangle, or of its adjoint; ones on the diagonal are taken for granted if `unit`."""
    from cupyx.scipy import linalg

    if not left:
        A, B = A.swapaxes(-1, -2), B.swapaxes(-1, -2)
        lower = not lower
    if turned:
        A, lower = adjoint(A), not lower
    A, B = _together(cupy, A, B)
    found = linalg.solve_triangular(A, B, lower=lower, unit_diagonal=unit) if B.size else B
    return found if left else found.swapaxes(-1, -2)


def cholesky_solve(cupy: Any, B: Any, factor: Any, upper: bool) -> Any:
    """A system of the matrix whose triangular factor is given."""
    first = triangle(cupy, factor, B, lower=not upper, turned=upper)
    return triangle(cupy, factor, first, lower=not upper, turned=not upper)


def cholesky_inverse(cupy: Any, factor: Any, upper: bool) -> Any:
    """The inverse of the matrix whose triangular factor is given.

    Raises:
        Refused: where there is none.
    """
    if bool((cupy.diagonal(factor, 0, -2, -1) == 0).any()):
        raise Refused
    return cholesky_solve(cupy, cupy.eye(factor.shape[-1], dtype=factor.dtype), factor, upper)


# -- what singular values tell ------------------------------------------------------------------------------------


def _cutoff(cupy: Any, array: Any, values: Any, atol: Any, rtol: Any) -> Any:
    """Below which size a singular value counts as zero."""
    kind = values.dtype.type
    if rtol is None:
        usual = kind(numpy.finfo(values.dtype).eps * max(array.shape[-2:]))
        if atol is None:
            rtol = usual
        else:
            rtol = cupy.where(cupy.asarray(atol) > 0, kind(0), usual)
    least = cupy.asarray(0 if atol is None else atol).astype(values.dtype)
    scaled = cupy.asarray(rtol).astype(values.dtype) * cupy.max(values, axis=-1)
    return cupy.maximum(least, scaled)[..., None]


def _reciprocal(cupy: Any, values: Any, kept: Any) -> Any:
    """The reciprocals of the values that are kept, and 0 for the others."""
    one = values.dtype.type(1)
    return cupy.where(kept, one / cupy.where(kept, values, one), values.dtype.type(0))


def pseudoinverse(cupy: Any, array: Any, hermitian: bool, atol: Any, rtol: Any) -> Any:
    """What inverts a matrix as far as it can be inverted."""
    if hermitian:
        values, left = eigh(cupy, array, "L", True)
        right, sizes = left, cupy.abs(values)
    else:
        left, values, last = svd(cupy, array, False, True)
        right, sizes = adjoint(last), values
    kept = sizes > _cutoff(cupy, array, sizes, atol, rtol)
    inverted = _reciprocal(cupy, values, kept)
    return cupy.matmul(right * inverted[..., None, :], adjoint(left))


def rank(cupy: Any, array: Any, hermitian: bool, atol: Any, rtol: Any) -> Any:
    """How many singular values of each matrix are not zero."""
    if not array.size:
        return cupy.zeros(array.shape[:-2], numpy.int64)
    if hermitian:
        values = cupy.abs(eigh(cupy, array, "L", False))
    else:
        values = svd(cupy, array, False, False)
    return cupy.count_nonzero(values > _cutoff(cupy, array, values, atol, rtol), axis=-1)


def _check_sides(A: Any, right: Any, driver: Any) -> None:
    """Refuse what the operation's body has to find words for."""
    drivers = (None, "gels", "gelsy", "gelsd", "gelss")
    if not A.size or A.dtype != right.dtype or right.shape[:-1] != A.shape[:-1] or driver not in drivers:
        raise Refused


def least_squares(cupy: Any, A: Any, B: Any, rcond: Any, driver: Any) -> tuple[Any, ...]:
    """The solution that comes nearest, what remains, ranks and singular values, as LAPACK's drivers give them."""
    if A.ndim < 2:
        raise Refused
    vector = B.ndim == A.ndim - 1 and B.shape == A.shape[:-1]
    right, (m, n) = B[..., None] if vector else B, A.shape[-2:]
    _check_sides(A, right, driver)
    cutoff = numpy.finfo(A.dtype).eps * max(m, n) if rcond is None else float(rcond)
    left, values, last = svd(cupy, A, False, True)
    kept = values > cupy.max(values, axis=-1)[..., None] * cutoff
    ranks = cupy.count_nonzero(kept, axis=-1)
    whole = bool((ranks == min(m, n)).all())
    if driver == "gels" and not whole:
        raise Refused
    inner = _reciprocal(cupy, values, kept)[..., None] * cupy.matmul(adjoint(left), right)
    solution = cupy.matmul(adjoint(last), inner)
    nothing = residuals = cupy.empty(0, values.dtype)
    if m > n and driver in ("gels", "gelsd", "gelss") and whole:
        rest = cupy.abs(cupy.matmul(A, solution) - right)
        residuals = cupy.sum(rest * rest, axis=-2)
    told = cupy.empty(0, numpy.int64) if driver == "gels" else ranks
    solution = solution[..., 0] if vector else solution
    return solution, residuals, told, values if driver in ("gelsd", "gelss") else nothing


def exponential(cupy: Any, array: Any) -> Any:
    """The exponential of each matrix; nan where an element is not finite."""
    from cupyx.scipy import linalg

    if array.dtype == numpy.float16:
        return exponential(cupy, array.astype(numpy.float32))
    given, lost = finite(cupy, array)
    found = cupy.empty(array.shape, array.dtype)
    for at in numpy.ndindex(*array.shape[:-2]):
        found[at] = linalg.expm(given[at])
    return found if lost is None else cupy.where(lost[..., None, None], array.dtype.type(numpy.nan), found)
