"""The operations that CuPy does on a GPU: PyTorch's name, and the function of CuPy arrays.

Each is called with CuPy and the operation's arguments by name, and gives an array or a tuple of them, in the order of
the operation's results. What an operation's body does not know before it has seen the numbers is in `BY_NUMBERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorkit import dtypes
from tensorkit.dtypes import dtype
from tensorkit.errors import MissingKernelError
from tensorkit.kernels.cuda.gpu.libraries import counting, distances, factors, products, sorting, systems
from tensorkit.kernels.cuda.gpu.libraries.place import Refused

Arguments = dict[str, Any]

#: The library that does on a GPU what the library of this name does on an emulated device.
LIBRARIES = {"BLAS": "cuBLAS", "LAPACK": "cuSOLVER", "NumPy": "CuPy", "NumPy sort": "CuPy"}

#: Operations that the meta device does not know the result of: their functions check their arguments themselves.
BY_NUMBERS = frozenset(("bincount", "isin", "linalg_lstsq", "unique", "unique_consecutive"))

#: The ones that give a named tuple.
WITH_NAMES = frozenset(("linalg_lstsq",))

#: Operations whose results lie otherwise on the meta device.
ROW_MAJOR = frozenset(("nonzero_static",))

#: LAPACK's operations that only move numbers, of whatever dtype.
ANY_DTYPE = frozenset(("lu_unpack",))


def kind_of(name: str, place: int, found: Any, given: list[dtype]) -> dtype:
    """The dtype of a result of an operation in `BY_NUMBERS`.

    Args:
        place: which result it is.
        found: its array. given: the dtypes of the operation's tensors.
    """
    if name.startswith("unique") and place == 0:
        return given[0]
    if name == "bincount" and given[1:] == [dtypes.float32]:
        return dtypes.float32
    return dtypes.from_numpy_dtype(found.dtype)


def _lu_factor(cp: Any, call: Arguments) -> Any:
    packed, swaps, zero = factors.factors_or_refused(cp, call["A"], call["pivot"])
    if bool((zero != 0).any()):
        raise Refused
    return packed, swaps


def _lu_factor_ex(cp: Any, call: Arguments) -> Any:
    found = factors.factors_or_refused(cp, call["A"], call["pivot"])
    if call["check_errors"] and bool((found[2] != 0).any()):
        raise Refused
    return found


def _pinv(cp: Any, call: Arguments) -> Any:
    bounds = (call["atol"], call["rtol"]) if call["rcond"] is None else (0.0, call["rcond"])
    return systems.pseudoinverse(cp, call["input"], call["hermitian"], *bounds)


def _rank(cp: Any, call: Arguments) -> Any:
    bounds = (call["atol"], call["rtol"]) if call["tol"] is None else (call["tol"], 0.0)
    return systems.rank(cp, call["input"], call["hermitian"], *bounds)


def _triangular_solve(cp: Any, call: Arguments) -> Any:
    A, upper = call["A"], call["upper"]
    if call["transpose"]:
        A, upper = A.swapaxes(-1, -2), not upper
    found = systems.triangle(cp, A, call["input"], lower=not upper, unit=call["unitriangular"])
    return found, cp.broadcast_to(call["A"], found.shape[:-2] + A.shape[-2:])


def _solve_triangular(cp: Any, call: Arguments) -> Any:
    how = {"lower": not call["upper"], "unit": call["unitriangular"], "left": call["left"]}
    return systems.triangle(cp, call["input"], call["B"], **how)


def _isin(cp: Any, call: Arguments) -> Any:
    first = call["elements"] if call["element"] is None else call["element"]
    second = call["test_elements"] if call["test_element"] is None else call["test_element"]
    return counting.isin(cp, first, second, call["invert"])


def _flags(call: Arguments) -> tuple[Any, ...]:
    return call.get("sorted", True), call["return_inverse"], call["return_counts"]


def _searchsorted(cp: Any, call: Arguments) -> Any:
    right = call["right"] or call["side"] == "right"
    return counting.searchsorted(cp, call["sorted_sequence"], call["input"], right, call["sorter"])


# fmt: off
TABLE: dict[str, Callable[[Any, Arguments], Any]] = {
    # products
    "mm": lambda cp, c: products.times(cp, c["input"], c["mat2"]),
    "bmm": lambda cp, c: products.times(cp, c["input"], c["mat2"]),
    "mv": lambda cp, c: products.times(cp, c["input"], c["vec"]),
    "dot": lambda cp, c: products.times(cp, c["input"], c["tensor"]),
    "vdot": lambda cp, c: products.times(cp, cp.conj(c["input"]), c["other"]),
    "addmm": lambda cp, c: products.added(cp, c["input"], c["mat1"], c["mat2"], c["beta"], c["alpha"]),
    "addmv": lambda cp, c: products.added(cp, c["input"], c["mat"], c["vec"], c["beta"], c["alpha"]),
    "addr": lambda cp, c: products.addr(cp, c["input"], c["vec1"], c["vec2"], c["beta"], c["alpha"]),
    "addbmm": lambda cp, c: products.addbmm(cp, c["input"], c["batch1"], c["batch2"], c["beta"], c["alpha"]),
    "baddbmm": lambda cp, c: products.baddbmm(cp, c["input"], c["batch1"], c["batch2"], c["beta"], c["alpha"]),
    "linalg_cross": lambda cp, c: products.cross(cp, c["input"], c["other"], c["dim"]),
    "trace": lambda cp, c: products.trace(cp, c["input"]),
    # distances
    "_cdist_forward": lambda cp, c: distances.between(cp, c["x1"], c["x2"], c["p"]),
    "_cdist_backward": lambda cp, c: distances.pulled(cp, *c.values()),
    "_pdist_forward": lambda cp, c: distances.pairs(cp, c["input"], c["p"]),
    "_pdist_backward": lambda cp, c: distances.unpaired(cp, *c.values()),
    # sorts
    "sort": lambda cp, c: sorting.sort(cp, c["input"], c["dim"], c["descending"]),
    "argsort": lambda cp, c: sorting.argsort(cp, c["input"], c["dim"], c["descending"]),
    "topk": lambda cp, c: sorting.topk(cp, c["input"], c["k"], c["dim"], c["largest"]),
    "kthvalue": lambda cp, c: sorting.kthvalue(cp, c["input"], c["k"], c["dim"], c["keepdim"]),
    "median": lambda cp, c: sorting.median(cp, c["input"], c["dim"], c["keepdim"], ignore=False),
    "nanmedian": lambda cp, c: sorting.median(cp, c["input"], c["dim"], c["keepdim"], ignore=True),
    "mode": lambda cp, c: sorting.mode(cp, c["input"], c["dim"], c["keepdim"]),
    # counts and places
    "bucketize": lambda cp, c: counting.searchsorted(cp, c["boundaries"], c["input"], c["right"]),
    "searchsorted": _searchsorted,
    "isin": _isin,
    "bincount": lambda cp, c: counting.bincount(cp, c["input"], c["weights"], c["minlength"]),
    "histc": lambda cp, c: counting.histc(cp, c["input"], c["bins"], c["min"], c["max"]),
    "nonzero_static": lambda cp, c: counting.nonzero_static(cp, c["input"], c["size"], c["fill_value"]),
    "unique": lambda cp, c: counting.unique(cp, c["input"], _flags(c), c["dim"]),
    "unique_consecutive": lambda cp, c: counting.unique_consecutive(cp, c["input"], _flags(c), c["dim"]),
    # factorisations
    "linalg_cholesky": lambda cp, c: factors.cholesky(cp, c["input"], c["upper"]),
    "linalg_cholesky_ex": lambda cp, c: factors.cholesky_ex(cp, c["input"], c["upper"], c["check_errors"]),
    "cholesky": lambda cp, c: factors.cholesky(cp, c["input"], c["upper"]),
    "linalg_lu_factor": _lu_factor,
    "linalg_lu_factor_ex": _lu_factor_ex,
    "lu_unpack": lambda cp, c: factors.permutation_matrix(cp, c["LU_pivots"], c["rows"], c["count"]),
    "linalg_qr": lambda cp, c: factors.qr(cp, c["A"], c["mode"]),
    "geqrf": lambda cp, c: factors.geqrf(cp, c["input"]),
    "linalg_svd": lambda cp, c: factors.svd(cp, c["A"], c["full_matrices"], True),
    "linalg_svdvals": lambda cp, c: factors.svd(cp, c["A"], False, False),
    "linalg_eigh": lambda cp, c: factors.eigh(cp, c["input"], c["UPLO"], True),
    "linalg_eigvalsh": lambda cp, c: factors.eigh(cp, c["input"], c["UPLO"], False),
    "linalg_eig": lambda cp, c: factors.eig(cp, c["input"], True),
    "linalg_eigvals": lambda cp, c: factors.eig(cp, c["input"], False),
    "linalg_det": lambda cp, c: factors.determinant(cp, c["A"]),
    "det": lambda cp, c: factors.determinant(cp, c["input"]),
    "linalg_slogdet": lambda cp, c: factors.slogdet(cp, c["A"]),
    "slogdet": lambda cp, c: factors.slogdet(cp, c["input"]),
    # systems
    "linalg_inv": lambda cp, c: systems.inverse(cp, c["A"]),
    "inverse": lambda cp, c: systems.inverse(cp, c["input"]),
    "linalg_inv_ex": lambda cp, c: systems.inverse_ex(cp, c["A"], c["check_errors"]),
    "linalg_solve": lambda cp, c: systems.solve(cp, c["A"], c["B"], c["left"]),
    "linalg_solve_ex": lambda cp, c: systems.solve_ex(cp, c["A"], c["B"], c["left"], c["check_errors"]),
    "linalg_lu_solve": lambda cp, c: systems.lu_solve(cp, c["LU"], c["pivots"], c["B"], c["left"], c["adjoint"]),
    "linalg_solve_triangular": _solve_triangular,
    "triangular_solve": _triangular_solve,
    "cholesky_solve": lambda cp, c: systems.cholesky_solve(cp, c["input"], c["input2"], c["upper"]),
    "cholesky_inverse": lambda cp, c: systems.cholesky_inverse(cp, c["input"], c["upper"]),
    "linalg_lstsq": lambda cp, c: systems.least_squares(cp, c["input"], c["b"], c["rcond"], c["driver"]),
    "linalg_pinv": _pinv,
    "linalg_matrix_rank": _rank,
    "matrix_exp": lambda cp, c: systems.exponential(cp, c["input"]),
}
# fmt: on


def function_for(name: str) -> Callable[[Any, Arguments], Any]:
    """The function of CuPy arrays for an operation.

    Raises:
        MissingKernelError: where CuPy has none.
    """
    found = TABLE.get(name)
    if found is None:
        raise MissingKernelError(
            f"Could not run 'aten::{name}' with arguments from the 'CUDA' backend: CuPy, which does such work on a "
            "GPU, has no function for it. Move the tensors first: t.cpu() returns a copy on the CPU."
        )
    return found
