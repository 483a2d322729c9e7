"""LAPACK over batches of matrices: arrays in, arrays out, never a Tensor.

LAPACK keeps matrices column by column. `columns` makes such a copy, which the routines then overwrite, so that no
further one is needed; results have their matrices in that order too. Single matrices go straight to SciPy's LAPACK;
many small ones to NumPy's generalised ufuncs where they do the same, because a loop in Python would cost more than
the work.

An ``info`` array holds LAPACK's answer for each matrix of the batch: 0 where all went well.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy

from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.kernels.jit import threads
from tensorkit.kernels.sizes import FEW_MATRICES, TINY

Array = numpy.ndarray[Any, Any]
_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}


@functools.cache
def _found(name: str, char: str) -> Any:
    from scipy.linalg import blas, lapack

    threads.tell_libraries()  # SciPy brings a library of its own
    return getattr(blas if name == "trsm" else lapack, _LETTERS[char] + name)


def _routine(name: str, array: Array) -> Any:
    return _found(name, array.dtype.char)


def columns(array: Array) -> Array:
    """A copy in which each matrix lies column by column."""
    *batch, m, n = array.shape
    made = numpy.empty((*batch, n, m), array.dtype).swapaxes(-1, -2)
    made[...] = array
    return made


def _wide(array: Array, batch: tuple[int, ...]) -> Array:
    return numpy.broadcast_to(array, batch + array.shape[-2:])


def _each(batch: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return iter(numpy.ndindex(*batch)) if batch else iter(((),))


def _many_small(array: Array) -> bool:
    matrices = array.size // max(1, array.shape[-1] * array.shape[-2])
    return bool(matrices >= FEW_MATRICES and max(array.shape[-2:]) <= TINY)


def _write(target: Array, made: Array) -> None:
    """What a routine returned, unless it wrote it in place already."""
    if not numpy.may_share_memory(target, made):
        target[...] = made


# -- triangular factors -------------------------------------------------------------------------------------------


def lu(array: Array) -> tuple[Array, Array, Array]:
    """Both factors in one matrix, the rows swapped (counted from 1), and which pivot was zero first."""
    factors = columns(array)
    batch, least = array.shape[:-2], min(array.shape[-2:])
    pivots, info = numpy.empty((*batch, least), numpy.int32), numpy.zeros(batch, numpy.int32)
    if factors.size:
        getrf = _routine("getrf", factors)
        for at in _each(batch):
            made, swapped, info[at] = getrf(factors[at], overwrite_a=1)
            _write(factors[at], made)
            pivots[at] = swapped
        pivots += 1
    return factors, pivots, info


def lu_solve(factors: Array, pivots: Array, right: Array, *, adjoint: bool = False) -> Array:
    """Solve with the factors that `lu` gave; batches are broadcast."""
    batch = numpy.broadcast_shapes(factors.shape[:-2], right.shape[:-2])
    solution = columns(_wide(right, batch))
    if solution.size:
        factors = _wide(factors if factors.shape[:-2] == batch else columns(factors), batch)
        swapped = numpy.broadcast_to(pivots, batch + pivots.shape[-1:]) - 1
        getrs = _routine("getrs", factors)
        trans = (2 if factors.dtype.kind == "c" else 1) if adjoint else 0
        for at in _each(batch):
            made, _ = getrs(factors[at], swapped[at], solution[at], trans=trans, overwrite_b=1)
            _write(solution[at], made)
    return solution


def permutation(pivots: Array, rows: int) -> Array:
    """The order of the rows after the swaps: row ``order[i]`` of the matrix became row ``i``."""
    batch = pivots.shape[:-1]
    order = numpy.broadcast_to(numpy.arange(rows), (*batch, rows)).copy()
    for i in range(pivots.shape[-1]):
        other = (pivots[..., i : i + 1] - 1).astype(numpy.int64)
        here = order[..., i : i + 1].copy()
        order[..., i : i + 1] = numpy.take_along_axis(order, other, -1)
        numpy.put_along_axis(order, other, here, -1)
    return order


def solve(matrix: Array, right: Array) -> tuple[Array, Array]:
    """Solve ``matrix @ x = right``; and which pivot of each matrix was zero first."""
    batch = numpy.broadcast_shapes(matrix.shape[:-2], right.shape[:-2])
    if _many_small(matrix) and right.size:
        try:
            found = quiet(numpy.linalg.solve, matrix, right)
        except numpy.linalg.LinAlgError:
            pass  # one is singular: find out which
        else:
            return columns(found), numpy.zeros(matrix.shape[:-2], numpy.int32)
    if matrix.ndim == right.ndim == 2 and matrix.size and right.size:
        solution = columns(right)
        _, _, made, info = _routine("gesv", solution)(columns(matrix), solution, overwrite_a=1, overwrite_b=1)
        if not info:  # else its solution is not begun: PyTorch divides by the zero
            return made, numpy.zeros((), numpy.int32)
    factors, pivots, info = lu(matrix)
    return lu_solve(factors, pivots, _wide(right, batch)), info


def triangular_solve(
    matrix: Array,
    right: Array,
    *,
    upper: bool,
    left: bool = True,
    transpose: int = 0,
    unit: bool = False,
) -> Array:
    """Solve with a triangular matrix; the other triangle is not read. A zero on the diagonal gives infinities."""
    batch = numpy.broadcast_shapes(matrix.shape[:-2], right.shape[:-2])
    solution = columns(_wide(right, batch))
    if solution.size:
        matrix = _wide(matrix, batch)
        trsm = _routine("trsm", solution)
        for at in _each(batch):
            one, above, turned = matrix[at], upper, transpose
            if not one.flags.f_contiguous and turned < 2 and one.T.flags.f_contiguous:
                one, above, turned = one.T, not above, 1 - turned
            made = trsm(
                1.0,
                one,
                solution[at],
                side=not left,
                lower=not above,
                trans_a=turned,
                diag=unit,
                overwrite_b=1,
            )
            _write(solution[at], made)
    return solution


def cholesky(array: Array, *, upper: bool) -> tuple[Array, Array]:
    """The triangular factor, and the order of the first minor that is not positive."""
    batch = array.shape[:-2]
    info = numpy.zeros(batch, numpy.int32)
    if _many_small(array) and not upper:
        try:
            found = quiet(numpy.linalg.cholesky, array)
            if not numpy.isnan(found).any():
                return columns(found), info
        except numpy.linalg.LinAlgError:
            pass  # find out which
    turned = array.swapaxes(-1, -2)  # of this a row-major half is what LAPACK wants
    factor = (numpy.tril(turned) if upper else numpy.triu(turned)).swapaxes(-1, -2)
    if factor.size:
        potrf = _routine("potrf", factor)
        for at in _each(batch):
            made, info[at] = potrf(factor[at], lower=not upper, clean=0, overwrite_a=1)
            _write(factor[at], made)
        # OpenBLAS goes on where a pivot is nan; LAPACK's own routine stops there.
        lost = quiet(numpy.isnan, numpy.diagonal(factor, 0, -2, -1))
        info = numpy.where((info == 0) & lost.any(-1), lost.argmax(-1) + 1, info).astype(numpy.int32)
    return factor, info


def cholesky_solve(factor: Array, right: Array, *, upper: bool) -> Array:
    """Solve with the matrix whose triangular factor is given."""
    batch = numpy.broadcast_shapes(factor.shape[:-2], right.shape[:-2])
    solution = columns(_wide(right, batch))
    if solution.size:
        factor = _wide(factor, batch)
        potrs = _routine("potrs", solution)
        for at in _each(batch):
            made, _ = potrs(factor[at], solution[at], lower=not upper, overwrite_b=1)
            _write(solution[at], made)
    return solution


def cholesky_inverse(factor: Array, *, upper: bool) -> Array:
    """The inverse of the matrix whose triangular factor is given."""
    inverse = columns(factor)
    if inverse.size:
        potri = _routine("potri", inverse)
        for at in _each(inverse.shape[:-2]):
            made, _ = potri(inverse[at], lower=not upper, overwrite_c=1)
            _write(inverse[at], made)
        half = numpy.triu(inverse, 1) if upper else numpy.tril(inverse, -1)
        whole = numpy.triu(inverse) if upper else numpy.tril(inverse)
        inverse[...] = whole + half.conj().swapaxes(-1, -2)
    return inverse


def indefinite(array: Array, *, hermitian: bool) -> tuple[Array, Array, Array]:
    """The factors of a symmetric matrix, with blocks of one and two on the diagonal, and the swaps."""
    factors = columns(numpy.tril(array))
    batch = array.shape[:-2]
    pivots, info = numpy.zeros((*batch, array.shape[-1]), numpy.int32), numpy.zeros(batch, numpy.int32)
    if factors.size:
        name = "hetrf" if hermitian and factors.dtype.kind == "c" else "sytrf"
        work = int(_routine(f"{name}_lwork", factors)(array.shape[-1], lower=1)[0].real)
        for at in _each(batch):
            made, swapped, info[at] = _routine(name, factors)(
                factors[at], lower=1, lwork=max(1, work), overwrite_a=1
            )
            _write(factors[at], made)
            pivots[at] = swapped
    return factors, pivots, info


def indefinite_solve(factors: Array, pivots: Array, right: Array, *, hermitian: bool) -> Array:
    """Solve with the factors that `indefinite` gave."""
    batch = numpy.broadcast_shapes(factors.shape[:-2], right.shape[:-2])
    solution = columns(_wide(right, batch))
    if solution.size:
        factors, swaps = _wide(factors, batch), numpy.broadcast_to(pivots, batch + pivots.shape[-1:])
        name = "hetrs" if hermitian and factors.dtype.kind == "c" else "sytrs"
        for at in _each(batch):
            made, _ = _routine(name, factors)(factors[at], swaps[at], solution[at], lower=1, overwrite_b=1)
            _write(solution[at], made)
    return solution


# -- orthogonal factors -------------------------------------------------------------------------------------------


def reflectors(array: Array) -> tuple[Array, Array]:
    """What `geqrf` gives: the triangle above, the reflectors below, and their factors."""
    packed = columns(array)
    batch, (m, n) = array.shape[:-2], array.shape[-2:]
    taus = numpy.zeros((*batch, min(m, n)), array.dtype)
    if packed.size:
        geqrf = _routine("geqrf", packed)
        work = int(_routine("geqrf_lwork", packed)(m, n)[0].real)
        for at in _each(batch):
            made, taus[at], _, _ = geqrf(packed[at], lwork=max(1, work), overwrite_a=1)
            _write(packed[at], made)
    return packed, taus


def householder(packed: Array, taus: Array, *, overwrite: bool = False) -> Array:
    """The product of the reflectors, as many columns as there are in `packed`, which may be written over."""
    made = packed if overwrite else columns(packed)
    m, n = packed.shape[-2:]
    if not made.size:
        return made
    if not taus.shape[-1]:
        made[...] = numpy.eye(m, n, dtype=made.dtype)
        return made
    name = "ungqr" if made.dtype.kind == "c" else "orgqr"
    routine = _routine(name, made)
    work = int(routine(made[(0,) * (made.ndim - 2)], taus[(0,) * (taus.ndim - 1)], lwork=-1)[1][0].real)
    for at in _each(made.shape[:-2]):
        found, _, _ = routine(made[at], taus[at], lwork=max(1, work), overwrite_a=1)
        _write(made[at], found)
    return made


def householder_times(packed: Array, taus: Array, other: Array, *, left: bool, transpose: bool) -> Array:
    """The product of the reflectors times another matrix, without forming it."""
    product = columns(other)
    packed = packed[..., : taus.shape[-1]]  # of a wide matrix there are fewer reflectors than columns
    if product.size and taus.shape[-1]:
        complex_numbers = product.dtype.kind == "c"
        routine = _routine("unmqr" if complex_numbers else "ormqr", product)
        side, trans = ("L" if left else "R"), ("C" if complex_numbers else "T") if transpose else "N"
        for at in _each(product.shape[:-2]):
            work = int(routine(side, trans, packed[at], taus[at], product[at], -1)[1][0].real)
            found, _, _ = routine(side, trans, packed[at], taus[at], product[at], max(1, work), overwrite_c=1)
            _write(product[at], found)
    return product


# -- spectra ------------------------------------------------------------------------------------------------------


def _finite(array: Array) -> Array:
    """Whether all elements of each matrix are finite."""
    return numpy.asarray(quiet(numpy.isfinite, array).all((-2, -1)))


def svd(array: Array, *, full: bool, vectors: bool) -> tuple[Array | None, Array, Array | None]:
    """``U``, the singular values, and ``V`` conjugated and transposed; nan where an element is not finite."""
    m, n = array.shape[-2:]
    batch, least = array.shape[:-2], min(m, n)
    wide = (m if full else least), (n if full else least)
    if not array.size:
        values = numpy.zeros((*batch, least), array.real.dtype)
        if not vectors:
            return None, values, None
        u = numpy.broadcast_to(numpy.eye(m, wide[0], dtype=array.dtype), (*batch, m, wide[0]))
        return (
            columns(u),
            values,
            columns(numpy.broadcast_to(numpy.eye(wide[1], n, dtype=array.dtype), (*batch, wide[1], n))),
        )
    finite = _finite(array)
    if not finite.all():
        array = numpy.where(finite[..., None, None], array, 0)
    if not vectors:
        values = quiet(numpy.linalg.svd, array, compute_uv=False)
        return None, _lost(values, finite[..., None]), None
    left, values, right = quiet(numpy.linalg.svd, array, full_matrices=full)
    lost = finite[..., None, None]
    return columns(_lost(left, lost)), _lost(values, finite[..., None]), columns(_lost(right, lost))


def _lost(values: Array, kept: Array) -> Array:
    return values if kept.all() else numpy.where(kept, values, numpy.array(numpy.nan, values.dtype))


def eigh(array: Array, *, upper: bool, vectors: bool) -> tuple[Array, Array | None]:
    """Eigenvalues in ascending order, and eigenvectors, of a matrix of which one triangle is read."""
    if not array.size:
        return numpy.zeros(array.shape[:-1], array.real.dtype), columns(array) if vectors else None
    finite = _finite(array)
    if not finite.all():  # only one triangle counts
        finite = _finite(numpy.triu(array) if upper else numpy.tril(array))
    if not finite.all():
        array = numpy.where(finite[..., None, None], array, 0)
    triangle = "U" if upper else "L"
    if not vectors:
        return _lost(quiet(numpy.linalg.eigvalsh, array, triangle), finite[..., None]), None
    values, found = quiet(numpy.linalg.eigh, array, triangle)
    return _lost(values, finite[..., None]), columns(_lost(found, finite[..., None, None]))


def eig(array: Array, *, vectors: bool) -> tuple[Array, Array | None]:
    """Complex eigenvalues, and eigenvectors, of finite matrices."""
    kind = numpy.result_type(array.dtype, numpy.complex64)
    if not array.size:
        return numpy.zeros(array.shape[:-1], kind), columns(array.astype(kind)) if vectors else None
    if not vectors:
        return quiet(numpy.linalg.eigvals, array).astype(kind, copy=False), None
    values, found = quiet(numpy.linalg.eig, array)
    return values.astype(kind, copy=False), columns(found.astype(kind, copy=False))


def exponential(array: Array) -> Array:
    """The exponential of each matrix; not a number where an element is not finite."""
    from scipy.linalg import expm

    if not array.size:
        return array.copy()
    finite = _finite(array)
    if not finite.all():
        array = numpy.where(finite[..., None, None], array, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = quiet(expm, array).astype(array.dtype, copy=False)
    return _lost(found, finite[..., None, None])


# -- least squares ------------------------------------------------------------------------------------------------


def least_squares(
    matrix: Array, right: Array, *, driver: str, cutoff: float
) -> tuple[Array, Array | None, Array | None]:
    """Solutions in the first rows of a matrix as high as the larger of both sides; ranks; singular values.

    With more equations than unknowns, the rows below the solution give the residuals.
    """
    finite = _finite(matrix) & _finite(right)
    if not finite.all():  # LAPACK would complain on the terminal
        matrix, right = (numpy.where(finite[..., None, None], part, 0) for part in (matrix, right))
        sides, ranks, values = least_squares(matrix, right, driver="gelsy", cutoff=cutoff)
        return _lost(sides, finite[..., None, None]), ranks, values
    batch = numpy.broadcast_shapes(matrix.shape[:-2], right.shape[:-2])
    (m, n), least = matrix.shape[-2:], min(matrix.shape[-2:])
    sides = numpy.zeros((*batch, max(m, n), right.shape[-1]), right.dtype)
    sides[..., :m, :] = right
    sides = columns(sides)
    ranks = None if driver == "gels" else numpy.zeros(batch, numpy.int64)
    values = numpy.zeros((*batch, least), matrix.real.dtype) if driver in ("gelsd", "gelss") else None
    if matrix.size and sides.size:
        systems = columns(_wide(matrix, batch))
        for at in _each(batch):
            made, rank, found = _driver(driver)(systems[at], sides[at], cutoff)
            _write(sides[at], made)
            if ranks is not None:
                ranks[at] = rank
            if values is not None:
                values[at] = found
    return sides, ranks, values


def _driver(name: str) -> Any:
    return {"gels": _gels, "gelsy": _gelsy, "gelsd": _gelsd, "gelss": _gelss}[name]


def _gels(a: Array, b: Array, cutoff: float) -> tuple[Array, int, None]:
    work = int(_routine("gels_lwork", a)(a.shape[0], a.shape[1], b.shape[1])[0].real)
    _, found, info = _routine("gels", a)(a, b, lwork=max(1, work), overwrite_a=1, overwrite_b=1)
    if info > 0:
        raise numpy.linalg.LinAlgError(str(info))
    return found, 0, None


def _gelsy(a: Array, b: Array, cutoff: float) -> tuple[Array, int, None]:
    work = int(_routine("gelsy_lwork", a)(a.shape[0], a.shape[1], b.shape[1], cutoff)[0].real)
    order = numpy.zeros((a.shape[1], 1), numpy.int32)
    _, found, _, rank, _ = _routine("gelsy", a)(
        a, b, order, cutoff, max(1, work), overwrite_a=1, overwrite_b=1
    )
    return found, rank, None


def _gelss(a: Array, b: Array, cutoff: float) -> tuple[Array, int, Array]:
    work = int(_routine("gelss_lwork", a)(a.shape[0], a.shape[1], b.shape[1], cutoff)[0].real)
    _, found, values, rank, _, _ = _routine("gelss", a)(
        a, b, cutoff, max(1, work), overwrite_a=1, overwrite_b=1
    )
    return found, rank, values


def _gelsd(a: Array, b: Array, cutoff: float) -> tuple[Array, int, Array]:
    sizes = _routine("gelsd_lwork", a)(a.shape[0], a.shape[1], b.shape[1], cutoff)[:-1]
    found, values, rank, _ = _routine("gelsd", a)(
        a, b, max(1, int(sizes[0].real)), *[max(1, int(size)) for size in sizes[1:]], cutoff, 1, 1
    )
    return found, rank, values
