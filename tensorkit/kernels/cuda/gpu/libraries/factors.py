"""Factorisations by cuSOLVER, of one matrix or of each of a batch, and what is read of the factors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy

from tensorkit.kernels.cuda.gpu.libraries.place import Refused

Parts = tuple[Any, ...]


def adjoint(array: Any) -> Any:
    """Each matrix conjugated and transposed."""
    turned = array.swapaxes(-1, -2)
    return turned.conj() if array.dtype.kind == "c" else turned


def finite(cupy: Any, array: Any) -> tuple[Any, Any]:
    """An array with zeros for each matrix with an element that is not finite; and which those are, if there are any."""
    lost = ~cupy.all(cupy.isfinite(array), axis=(-2, -1))
    if not bool(lost.any()):
        return array, None
    return cupy.where(lost[..., None, None], array.dtype.type(0), array), lost


# -- LU -----------------------------------------------------------------------------------------------------------


def lu(cupy: Any, array: Any) -> tuple[Any, Any]:
    """Both factors of each matrix in one, and the swaps of its rows, counted from 1."""
    from cupyx.scipy import linalg

    *batch, m, n = array.shape
    packed, swaps = cupy.empty(array.shape, array.dtype), cupy.empty((*batch, min(m, n)), numpy.int32)
    if array.size:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a singular matrix: `zero_pivots` tells
            for at in numpy.ndindex(*batch):
                packed[at], found = linalg.lu_factor(array[at], check_finite=False)
                swaps[at] = found + 1
    return packed, swaps


def zero_pivots(cupy: Any, packed: Any) -> Any:
    """The first zero pivot of each matrix, counted from 1; 0 for none."""
    if not packed.size:
        return cupy.zeros(packed.shape[:-2], numpy.int32)
    zero = cupy.diagonal(packed, 0, -2, -1) == 0
    first = cupy.argmax(zero, axis=-1) + 1
    return cupy.where(cupy.any(zero, axis=-1), first, 0).astype(numpy.int32)


def factors_or_refused(cupy: Any, array: Any, pivot: bool) -> tuple[Any, Any, Any]:
    """`lu`, and which pivots were zero.

    Raises:
        Refused: without swaps, which cuSOLVER would do but CuPy does not offer.
    """
    if not pivot and array.size:
        raise Refused
    packed, swaps = lu(cupy, array)
    return packed, swaps, zero_pivots(cupy, packed)


def permutation(cupy: Any, swaps: Any, rows: int) -> Any:
    """The order of the rows after the swaps: row ``order[i]`` of the matrix became row ``i``."""
    batch = swaps.shape[:-1]
    if swaps.size and bool(((swaps < 1) | (swaps > rows)).any()):
        raise Refused
    flat = swaps.reshape(-1, swaps.shape[-1]).astype(numpy.int64) - 1
    order = cupy.zeros((len(flat), rows), numpy.int64) + cupy.arange(rows)
    every = cupy.arange(len(flat))
    for i in range(flat.shape[1]):
        here, there = order[:, i].copy(), order[every, flat[:, i]]
        order[every, flat[:, i]] = here
        order[:, i] = there
    return order.reshape((*batch, rows))


def permutation_matrix(cupy: Any, swaps: Any, rows: int, count: int) -> Any:
    """The permutation of the rows by the first `count` swaps, as a matrix of truth values."""
    order = permutation(cupy, swaps[..., :count], rows)
    return cupy.arange(rows)[:, None] == order[..., None, :]


def _diagonal(cupy: Any, array: Any) -> tuple[Any, Any]:
    """The pivots of a matrix, and the sign of its swaps."""
    packed, swaps = lu(cupy, array)
    moved = cupy.count_nonzero(swaps != cupy.arange(1, swaps.shape[-1] + 1), axis=-1)
    return cupy.diagonal(packed, 0, -2, -1), (1 - 2 * (moved % 2)).astype(array.dtype)


def determinant(cupy: Any, array: Any) -> Any:
    """The product of the pivots."""
    if array.dtype.kind not in "fc" or array.dtype == numpy.float16:
        return cupy.ones(array.shape[:-2], array.dtype)  # only of empty matrices
    pivots, sign = _diagonal(cupy, array)
    return cupy.prod(pivots, axis=-1) * sign


def slogdet(cupy: Any, array: Any) -> Parts:
    """The determinant's sign, its size as a logarithm, and what it was read of."""
    pivots, sign = _diagonal(cupy, array)
    sizes = cupy.abs(pivots)
    units = cupy.where(
        sizes == 0, array.dtype.type(0), pivots / cupy.where(sizes == 0, sizes.dtype.type(1), sizes)
    )
    return cupy.prod(units, axis=-1) * sign, cupy.sum(cupy.log(sizes), axis=-1)


# -- Cholesky -----------------------------------------------------------------------------------------------------


def cholesky(cupy: Any, array: Any, upper: bool) -> Any:
    """The triangular factor of each matrix, of which one triangle is read.

    Raises:
        numpy.linalg.LinAlgError: where one of them is not positive-definite.
    """
    found = cupy.linalg.cholesky(adjoint(array) if upper else array)
    if bool(cupy.isnan(found).any()):
        raise numpy.linalg.LinAlgError
    return adjoint(found) if upper else found


def _first_minor(cupy: Any, matrix: Any, upper: bool) -> int:
    """The order of the first minor of a matrix that is not positive, by halving; 0 where all are."""
    low, high = 0, len(matrix) + 1
    while high - low > 1:
        middle = (low + high) // 2
        try:
            cholesky(cupy, matrix[:middle, :middle], upper)
            low = middle
        except numpy.linalg.LinAlgError:
            high = middle
    return high if high <= len(matrix) else 0


def cholesky_ex(cupy: Any, array: Any, upper: bool, check_errors: bool) -> Parts:
    """`cholesky`, and for each matrix the order of the first minor that is not positive."""
    info = cupy.zeros(array.shape[:-2], numpy.int32)
    if not array.size:
        return array, info
    try:
        return cholesky(cupy, array, upper), info
    except numpy.linalg.LinAlgError:
        if check_errors:
            raise
    found = cupy.zeros(array.shape, array.dtype)
    for at in numpy.ndindex(*array.shape[:-2]):
        order = _first_minor(cupy, array[at], upper)
        info[at] = order
        if not order:
            found[at] = cholesky(cupy, array[at], upper)
    return found, info


# -- QR -----------------------------------------------------------------------------------------------------------


def qr(cupy: Any, array: Any, mode: str) -> Parts:
    """A matrix as one with orthonormal columns times an upper triangle; in the mode "r" the triangle alone."""
    if mode == "r":
        return cupy.empty(0, array.dtype), cupy.linalg.qr(array, "r")
    q, r = cupy.linalg.qr(array, mode)
    return q, r


def geqrf(cupy: Any, array: Any) -> Parts:
    """The upper triangle, below it the reflectors, and their factors."""
    batch, least = array.shape[:-2], min(array.shape[-2:])
    packed, taus = cupy.empty(array.shape, array.dtype), cupy.empty((*batch, least), array.dtype)
    for at in numpy.ndindex(*batch):
        turned, taus[at] = cupy.linalg.qr(array[at], "raw")
        packed[at] = turned.swapaxes(0, 1)
    return packed, taus


# -- singular values and eigenvalues ------------------------------------------------------------------------------


def svd(cupy: Any, array: Any, full: bool, vectors: bool) -> Any:
    """Singular values and, if requested, vectors: nan where an element is infinite.

    Raises:
        Refused: where an element is nan.
    """
    if bool(cupy.isnan(array).any()):
        raise Refused
    given, lost = finite(cupy, array)
    found = cupy.linalg.svd(given, full_matrices=full, compute_uv=vectors)
    if lost is None:
        return found
    dims = (2, 1, 2) if vectors else (1,)
    parts = found if vectors else (found,)
    marked = [
        cupy.where(lost.reshape(lost.shape + (1,) * n), part.dtype.type(numpy.nan), part)
        for part, n in zip(parts, dims, strict=True)
    ]
    return tuple(marked) if vectors else marked[0]


def eigh(cupy: Any, array: Any, triangle: str, vectors: bool) -> Any:
    """Eigenvalues in ascending order, and vectors, of matrices of which one triangle is read."""
    if finite(cupy, array)[1] is not None:
        raise Refused
    found = cupy.linalg.eigh if vectors else cupy.linalg.eigvalsh
    return found(array, triangle.upper())


def eig(cupy: Any, array: Any, vectors: bool) -> Any:
    """Complex eigenvalues, and vectors; CuPy has them from version 14 on.

    Raises:
        Refused: where an element is not finite, and in an older CuPy.
    """
    found = getattr(cupy.linalg, "eig" if vectors else "eigvals", None)
    if found is None or finite(cupy, array)[1] is not None:
        raise Refused
    return found(array)
