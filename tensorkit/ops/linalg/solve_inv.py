"""Systems of linear equations, and inverses.

A system is solved with the LU factors of its matrix, as PyTorch does it: the last digits, and which pivot is found to
be zero, are then the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.library import through_library
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import int32
from tensorkit.elementwise.output import check_overlap, resize_out
from tensorkit.kernels.cpu import lapack
from tensorkit.ops.linalg.checks import (
    adjoint,
    as_tensor,
    blank,
    check_cast,
    check_floating,
    check_info,
    check_matrix,
    check_square,
    check_tensor,
    column_stride,
    converted,
    host,
    in_columns,
    is_meta,
    kernel_dtypes,
    named,
    only,
    unrecorded_part,
)
from tensorkit.ops.shared.signature_parts import OUTS
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Array, Tensor

# -- checks -------------------------------------------------------------------------------------------------------


def _same_dtype(A: Tensor, B: Tensor, name: str, first: str = "A") -> None:
    if A._dtype is not B._dtype:
        raise RuntimeError(
            f"{name}: Expected {first} and B to have the same dtype, but found {first} of type {A._dtype.label} and "
            f"B of type {B._dtype.label} instead"
        )


def _fitting(A: tuple[int, ...], B: tuple[int, ...], left: bool, name: str) -> None:
    """Refuse sides that do not fit: the sizes of the matrix and of the right-hand side."""
    if A[-2] != B[-2] if left else A[-1] != B[-1]:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {equation} "
            f"({A[-2]}x{A[-1]} and {B[-2]}x{B[-1]})"
        )


def check_sides(A: Tensor, B: Tensor, left: bool, name: str) -> None:
    """Refuse a right-hand side that is not a matrix, or one that does not fit."""
    check_matrix(B, name, "B")
    _fitting(A._lay().size, B._lay().size, left, name)


def _batched(A: tuple[int, ...], B: tuple[int, ...]) -> tuple[int, ...]:
    """The size of the right-hand side when both batches are broadcast."""
    return (*broadcast_sizes(B[:-2], A[:-2]), *B[-2:])


def _is_vector(A: tuple[int, ...], B: tuple[int, ...]) -> bool:
    """Whether the right-hand side is a vector, or one for each matrix."""
    return len(B) == 1 or (len(A) - 1 == len(B) and A[:-1] == B)


# -- inverses -----------------------------------------------------------------------------------------------------

SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."


def _inverse_back(g: Any, c: Any) -> Any:
    g = unrecorded_part(g, 0)
    turned = adjoint(c.out)
    return -turned.matmul(g.matmul(turned))


_INVERSE = Rule("LinalgInvExBackward0", A=_inverse_back)


def _inverted(A: Tensor) -> tuple[Tensor, Array | Tensor]:
    check_square(A, "linalg.inv")
    check_floating(A, "linalg.inv", low=False)
    size = A._lay().size
    if is_meta(A):
        return blank(size, A._dtype, columns=True), blank(size[:-2], int32)
    array = host(A, "linalg_inv_ex")
    right = numpy.broadcast_to(numpy.eye(size[-1], dtype=array.dtype), size)
    found, info = lapack.solve(array, right)
    return in_columns(found, A._dtype), info


def _inv_body(A: Tensor, *, name: str = "linalg.inv") -> Tensor:
    found, info = _inverted(A)
    if isinstance(info, numpy.ndarray):
        check_info(info, SINGULAR.format, name)
    return found


@op(
    kind="copy",
    derivative=_INVERSE,
    rounded=200,
    namespace="linalg",
    out_error="linalg_inv_ex",
    library="LAPACK",
)
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a square matrix, or of each matrix of a batch.

    To solve a system of equations, `tensorkit.linalg.solve` is faster and more exact.

    Args:
        A: ``(*, n, n)``, of floats or complex numbers of 32 or 64 bits a part.

    Raises:
        tensorkit.linalg.LinAlgError: when a matrix is singular. RuntimeError: when one is not square.

    >>> tk.linalg.inv(tk.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    check_tensor("linalg_inv", "A", 1, A)
    return only(_inv_body(A), out)


@op(kind="copy", derivative=Rule("LinalgInvExBackward0", input=_inverse_back), rounded=200, library="LAPACK")
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a square matrix: another name for `tensorkit.linalg.inv`.

    Raises:
        tensorkit.linalg.LinAlgError: when a matrix is singular. RuntimeError: when one is not square.

    >>> tk.tensor([[0.0, 2.0], [1.0, 0.0]]).inverse()
    tensor([[0.0000, 1.0000],
            [0.5000, 0.0000]])
    """
    check_tensor("inverse", "input", 1, input)
    return only(_inv_body(input), out)


@op(
    strict=True,
    kind="copy",
    derivative=Rule("LinalgInvExBackward0", A=_inverse_back),
    rounded=200,
    namespace="linalg",
    library="LAPACK",
)
@takes(f"(Tensor A, *, bool check_errors = False, {OUTS})")
def inv_ex(A: Tensor, *, check_errors: bool = False, out: Any = None) -> Any:
    """The inverse, and for each matrix 0, or which diagonal element of its factors was found to be zero.

    Returns:
        A named pair ``(inverse, info)``.

    >>> tk.linalg.inv_ex(tk.zeros(2, 2)).info
    tensor(1, dtype=tensorkit.int32)
    """
    check_tensor("linalg_inv_ex", "A", 1, A)
    found, info = _inverted(A)
    if isinstance(info, numpy.ndarray):
        if check_errors:
            check_info(info, SINGULAR.format, "linalg.inv_ex")
        info = as_tensor(info, int32)
    return named("linalg_inv_ex", (found, info), out)


# -- solve --------------------------------------------------------------------------------------------------------


def _solve_right(g: Any, c: Any, A: Any) -> Any:
    """The gradient of the right-hand side: the system solved with the adjoint matrix."""
    vector = _is_vector(tuple(A.size()), tuple(c.B_face.size))
    g = g.unsqueeze(-1) if vector else g
    return solve(adjoint(A), g, left=c.left)


def _solve_back_B(g: Any, c: Any) -> Any:
    found = _solve_right(unrecorded_part(g, 0), c, c.A)
    return found.squeeze(-1) if _is_vector(tuple(c.A_face.size), tuple(c.B_face.size)) else found


def _solve_back_A(g: Any, c: Any) -> Any:
    vector = _is_vector(tuple(c.A_face.size), tuple(c.B_face.size))
    right = _solve_right(unrecorded_part(g, 0), c, c.A)
    found = c.out.unsqueeze(-1) if vector else c.out
    return -right.matmul(adjoint(found)) if c.left else -adjoint(found).matmul(right)


_SOLVE = Rule("LinalgSolveExBackward0", A=_solve_back_A, B=_solve_back_B)


def _solved(A: Tensor, B: Tensor, left: bool) -> tuple[Tensor, Array | None]:
    name = "linalg.solve"
    check_floating(A, name)
    _same_dtype(A, B, name)
    sizes = A._lay().size, B._lay().size
    vector = _is_vector(*sizes)
    check_square(A, name)
    if not vector:
        check_matrix(B, name, "B")
    right = (*sizes[1], 1) if vector else sizes[1]
    _fitting(sizes[0], right, left, name)
    size = _batched(sizes[0], right)
    if not left and vector:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    kernel_dtypes(A, "lu_cpu")
    size = size[:-1] if vector else size
    if is_meta(A, B):
        return blank(size, A._dtype, columns=left), None
    return _solve_arrays(A, B, size, left, vector)


def _solve_arrays(
    A: Tensor, B: Tensor, size: tuple[int, ...], left: bool, vector: bool
) -> tuple[Tensor, Array]:
    """`solve` on the elements; from the right it is the transposed system."""
    matrix, right = host(A, "linalg_solve_ex"), host(B, "linalg_solve_ex")
    if left:
        found, info = lapack.solve(matrix, right[..., None] if vector else right)
        if vector:
            return _strided(found[..., 0], A, column_stride(size)), info
        return in_columns(found, A._dtype), info
    found, info = lapack.solve(matrix.swapaxes(-1, -2), right.swapaxes(-1, -2))
    return as_tensor(found.swapaxes(-1, -2), A._dtype), info


def _strided(array: Array, A: Tensor, stride: tuple[int, ...]) -> Tensor:
    """A result written out with these strides."""
    layout = Layout(array.shape, stride, 0)
    made = blank(array.shape, A._dtype, A._device, columns=True)
    assert made._lay() == layout
    made._nd()[...] = array
    return made


def _refuse_singular(info: Array | None, name: str) -> None:
    if info is not None:
        check_info(info, lambda _: "The solver failed because the input matrix is singular.", name)


def _check_pair(name: str, A: Any, B: Any) -> None:
    check_tensor(name, "A", 1, A)
    check_tensor(name, "B", 2, B)


@op(
    strict=True,
    kind="copy",
    derivative=_SOLVE,
    rounded=2000,
    namespace="linalg",
    out_error="_linalg_solve_ex",
    library="LAPACK",
)
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """Solve a system of linear equations: the ``X`` with ``A @ X = B``.

    Args:
        A: square matrices ``(*, n, n)``, of floats or complex numbers of 32 or 64 bits a part.
        B: right-hand sides ``(*, n, k)`` or ``(*, n)``, of the same dtype; batches are broadcast.
        left: solve ``X @ A = B`` if False.

    Raises:
        tensorkit.linalg.LinAlgError: when a matrix is singular.
        RuntimeError: when a matrix is not square, or the sides do not fit.

    >>> A = tk.tensor([[2.0, 3.0, -1.0], [1.0, -2.0, 8.0], [6.0, 1.0, -3.0]])
    >>> tk.linalg.solve(A, tk.tensor([5.0, 21.0, -1.0]))
    tensor([1., 2., 3.])
    """
    _check_pair("linalg_solve", A, B)
    found, info = _solved(A, B, left)
    _refuse_singular(info, "tensorkit.linalg.solve")
    return only(found, out)


@op(
    kind="copy",
    derivative=_SOLVE,
    rounded=2000,
    namespace="linalg",
    strict=True,
    out_error="_linalg_solve_ex",
    library="LAPACK",
)
@takes(f"(Tensor A, Tensor B, *, bool left = True, bool check_errors = False, {OUTS})")
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Any = None) -> Any:
    """`solve`, and for each matrix 0, or which diagonal element of its factors is zero.

    Returns:
        A named pair ``(result, info)``.

    >>> tk.linalg.solve_ex(tk.eye(2), tk.ones(2)).info
    tensor(0, dtype=tensorkit.int32)
    """
    _check_pair("linalg_solve_ex", A, B)
    found, info = _solved(A, B, left)
    if check_errors:
        _refuse_singular(info, "tensorkit.linalg.solve_ex")
    noted = blank(A._lay().size[:-2], int32) if info is None else as_tensor(info, int32)
    return named("linalg_solve_ex", (found, noted), out)


# -- triangular systems -------------------------------------------------------------------------------------------


def _triangular_right(g: Any, c: Any, A: Any) -> Any:
    return solve_triangular(adjoint(A), g, upper=not c.upper, left=c.left, unitriangular=c.unitriangular)


def _triangular_back_B(g: Any, c: Any) -> Any:
    return _triangular_right(g, c, c.input)


def _half(matrix: Any, upper: bool, unit: bool) -> Any:
    """The triangle that is read, as far as it may change."""
    return matrix.triu(int(unit)) if upper else matrix.tril(-int(unit))


def _triangular_back_A(g: Any, c: Any) -> Any:
    right = _triangular_right(g, c, c.input)
    whole = -right.matmul(adjoint(c.out)) if c.left else -adjoint(c.out).matmul(right)
    return _half(whole, c.upper, c.unitriangular)


@op(
    strict=True,
    kind="copy",
    derivative=Rule("LinalgSolveTriangularBackward0", input=_triangular_back_A, B=_triangular_back_B),
    rounded=200,
    namespace="linalg",
    library="LAPACK",
)
def solve_triangular(
    input: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Solve ``A @ X = B`` with a triangular matrix; its other triangle is not read, nor is it tested for zeros.

    Args:
        input: ``A``, ``(*, n, n)``. B: ``(*, n, k)``; batches are broadcast.
        upper: which triangle to read.
        left: solve ``X @ A = B`` if False.
        unitriangular: take the diagonal for ones, unread.

    Raises:
        RuntimeError: when ``A`` is not square, or the sides do not fit.

    >>> tk.linalg.solve_triangular(tk.tensor([[2.0, 1.0], [9.0, 1.0]]), tk.ones(2, 1), upper=True)
    tensor([[0.],
            [1.]])
    """
    A = input
    _check_pair("linalg_solve_triangular", input, B)
    name = "linalg.solve_triangular"
    check_square(A, name)
    check_sides(A, B, left, name)
    size = _batched(A._lay().size, B._lay().size)
    _same_dtype(A, B, name)
    kernel_dtypes(A, "triangular_solve_cpu")
    if is_meta(A, B):
        return only(blank(size, A._dtype, columns=True), out)
    if out is not None:
        _prepare_solution(out, B, size)
    found = lapack.triangular_solve(
        host(A, "linalg_solve_triangular"),
        host(B, "linalg_solve_triangular"),
        upper=upper,
        left=left,
        unit=unitriangular,
    )
    return only(in_columns(found, A._dtype), out)


def _prepare_solution(out: Any, B: Tensor, size: tuple[int, ...]) -> None:
    """What PyTorch does before it solves in `out` itself: it gets its size, and the right-hand sides."""
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type_name(out)}")
    if out._dtype is not B._dtype:
        raise RuntimeError(f"expected scalar type {B._dtype.label} but found {out._dtype.label}")
    resize_out(out, size, column_stride(size))
    check_overlap(out, B)


# -- tensors as matrices ------------------------------------------------------------------------------------------


@op(strict=True, kind="copy", rounded=500, namespace="linalg", out_recording="in place")
def tensorinv(input: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a tensor read as a matrix: its first `ind` dimensions are the rows, the others the columns.

    Raises:
        tensorkit.linalg.LinAlgError: when there is no inverse. RuntimeError: when the matrix is not square.

    >>> tk.linalg.tensorinv(tk.eye(6).reshape(2, 3, 6)).size()
    tensorkit.Size([6, 2, 3])
    """
    check_tensor("linalg_tensorinv", "input", 1, input)
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    size = tuple(input.size())
    if ind > len(size):
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {len(size)}")
    rows, columns = math.prod(size[:ind]), math.prod(size[ind:])
    if isinstance(out, Tensor):
        check_cast(input._dtype, out._dtype, "tensorinv")
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )
    found = _inverse_of_tensor(input.reshape((rows, columns)))
    made = found.reshape((*size[ind:], *size[:ind]))
    return made if out is None else converted(made.contiguous(), out, "tensorinv")


_inverse_of_tensor = differentiable(
    through_library("linalg_inv", "LAPACK", lambda A: _inv_body(A, name="inv")),
    _INVERSE,
    "linalg_inv",
    "copy",
)


@op(strict=True, kind="copy", rounded=2000, namespace="linalg", out_recording="in place")
@takes("(Tensor input, Tensor other, tuple of ints dims = None, *, Tensor out = None)")
def tensorsolve(
    input: Tensor, other: Tensor, dims: Sequence[int] | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Solve ``tensordot(input, X, X.ndim) == other`` for the tensor ``X``.

    Args:
        dims: dimensions of `input` to move to its end first.

    Raises:
        tensorkit.linalg.LinAlgError: when there is no solution.
        RuntimeError: when the tensor, read as a matrix, is not square.

    >>> tk.linalg.tensorsolve(2 * tk.eye(6).reshape(2, 3, 6), tk.ones(2, 3))
    tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000])
    """
    check_tensor("linalg_tensorsolve", "input", 1, input)
    check_tensor("linalg_tensorsolve", "other", 2, other)
    if dims is not None:
        ends = [i - len(dims) for i in range(len(dims))]
        input = input.movedim(list(dims), ends)
    size, count = tuple(input.size()), other.dim()
    columns, rows = math.prod(size[count:]), other.numel()
    if columns != rows:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {columns} != {rows}"
        )
    found = solve(input.reshape((columns, columns)), other.reshape((-1,)))
    made = found.reshape(size[count:])
    return made if out is None else converted(made.contiguous(), out, "tensorsolve")
