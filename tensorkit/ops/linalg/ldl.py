"""Factors of symmetric matrices that need not be positive-definite."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dtypes import dtype, int32, uint16, uint32, uint64
from tensorkit.errors import LinAlgError
from tensorkit.kernels.cpu import lapack
from tensorkit.ops.linalg.checks import (
    as_tensor,
    blank,
    check_floating,
    check_square,
    check_tensor,
    host,
    in_columns,
    is_meta,
    kernel_dtypes,
    named,
    only,
)
from tensorkit.ops.shared.signature_parts import OUTS
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Array, Tensor


def _no_way_back(g: Any, c: Any) -> Any:
    raise RuntimeError("derivative for aten::linalg_ldl_factor_ex is not implemented")


_NO_WAY_BACK = Rule("NotImplemented", input=_no_way_back)


def _factorised(input: Tensor, hermitian: bool) -> tuple[Tensor, Tensor, Array | None]:
    name, size = "tensorkit.linalg.ldl_factor_ex", input._lay().size
    check_square(input, name)
    check_floating(input, name)
    kernel_dtypes(input, "ldl_factor_kernel_cpu")
    if is_meta(input):
        return blank(size, input._dtype, columns=True), blank(size[:-1], int32), None
    LD, pivots, info = lapack.indefinite(host(input, "linalg_ldl_factor_ex"), hermitian=hermitian)
    return in_columns(LD, input._dtype), as_tensor(pivots, int32), info


def _refuse_zero(info: Array | None, name: str) -> None:
    wrong = numpy.flatnonzero(0 if info is None else info)
    if info is None or not wrong.size:
        return
    where = f"(Batch element {wrong[0]}): " if info.ndim else ""
    at = int(info.reshape(-1)[wrong[0]])
    raise LinAlgError(
        f"{name}: {where}the diagonal block {at} of the factor D is zero: the matrix is singular"
    )


@op(
    strict=True,
    kind="copy",
    derivative=_NO_WAY_BACK,
    rounded=200,
    namespace="linalg",
    out_error="aten::linalg_ldl_factor_ex",
    differentiable=False,
    library="LAPACK",
)
@takes(f"(Tensor input, *, bool hermitian = False, {OUTS})")
def ldl_factor(input: Tensor, *, hermitian: bool = False, out: Any = None) -> Any:
    """A symmetric matrix as ``L @ D @ L.mT``, both factors in one; ``D`` has blocks of one and two on its diagonal.

    Args:
        input: ``(*, n, n)``, of which the lower triangle is read.
        hermitian: whether a complex matrix equals its adjoint, rather than its transpose.

    Returns:
        A named pair ``(LD, pivots)``; the two rows of a block of two are marked by negative pivots.

    Raises:
        tensorkit.linalg.LinAlgError: when a block is zero. RuntimeError: when a matrix is not square.

    >>> tk.linalg.ldl_factor(tk.tensor([[4.0, 2.0], [2.0, 3.0]])).LD
    tensor([[4.0000, 0.0000],
            [0.5000, 2.0000]])
    """
    check_tensor("linalg_ldl_factor", "input", 1, input)
    LD, pivots, info = _factorised(input, hermitian)
    _refuse_zero(info, "tensorkit.linalg.ldl_factor")
    return named("linalg_ldl_factor", (LD, pivots), out)


@op(
    strict=True,
    kind="copy",
    derivative=_NO_WAY_BACK,
    rounded=200,
    namespace="linalg",
    out_error="aten::linalg_ldl_factor_ex",
    differentiable=False,
    library="LAPACK",
)
@takes(f"(Tensor input, *, bool hermitian = False, bool check_errors = False, {OUTS})")
def ldl_factor_ex(
    input: Tensor, *, hermitian: bool = False, check_errors: bool = False, out: Any = None
) -> Any:
    """`ldl_factor`, and for each matrix 0, or which block of ``D`` is zero.

    Returns:
        A named triple ``(LD, pivots, info)``.

    >>> tk.linalg.ldl_factor_ex(tk.eye(2)).info
    tensor(0, dtype=tensorkit.int32)
    """
    check_tensor("linalg_ldl_factor_ex", "input", 1, input)
    LD, pivots, info = _factorised(input, hermitian)
    if check_errors:
        _refuse_zero(info, "tensorkit.linalg.ldl_factor_ex")
    noted = blank(input._lay().size[:-2], int32) if info is None else as_tensor(info, int32)
    return named("linalg_ldl_factor_ex", (LD, pivots, noted), out)


def _check_solve(LD: Tensor, pivots: Tensor, B: Tensor) -> tuple[int, ...]:
    """PyTorch's checks; the size of the result."""
    name, size, given = "tensorkit.linalg.ldl_solve", LD._lay().size, B._lay().size
    check_square(LD, name)
    check_floating(LD, name)
    if LD._dtype is not B._dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {B._dtype.label} and A of type "
            f"{LD._dtype.label} instead."
        )
    if not given:
        raise IndexError("Dimension specified as -2 but tensor has no dimensions")
    if len(given) < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got -2)")
    if size[-1] != given[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {size[-1]} by {size[-1]} but each b matrix is "
            f"{given[-2]} by {given[-1]}"
        )
    if pivots._lay().size != size[:-1]:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._lay().size)} instead"
        )
    if pivots._dtype.category != 1:
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {pivots._dtype.label}")
    return (*broadcast_sizes(given[:-2], size[:-2]), *given[-2:])


def _check_swaps(swaps: Array, kind: dtype) -> None:
    """Refuse pivots out of range and incomplete blocks of two: LAPACK would write outside the matrix."""
    if not swaps.size:
        return
    if kind in (uint16, uint32, uint64):
        raise missing_kernel("abs_cpu", kind.label)
    rows, sentence = swaps.shape[-1], "Pivots given to ldl_solve must all satisfy |pivot| "
    after = ". Did you properly pass the result of ldl_factor?"
    far = numpy.abs(swaps)  # negative for the smallest integer
    if (far < 1).any():
        raise RuntimeError(f"{sentence}>= 1{after}")
    if (far > rows).any():
        raise RuntimeError(f"{sentence}<= LD.size(-2){after}")
    for one in swaps.reshape(-1, rows):
        _check_pairs(one)


def _check_pairs(swaps: Array) -> None:
    """Negative pivots mark blocks of two, so that of neighbours there must be an even number (PyTorch crashes)."""
    edges = numpy.flatnonzero(numpy.diff(numpy.concatenate(([0], swaps < 0, [0]))))
    for first, end in edges.reshape(-1, 2):
        if (end - first) % 2:
            raise RuntimeError(
                "Pivots given to ldl_solve must be negative in pairs, one pair for each block of two rows, but got "
                f"{end - first} in a row at {first}: {swaps[first:end].tolist()}. Pass the pivots as ldl_factor "
                "returned them, together with their LD."
            )


def _no_way_through(g: Any, c: Any) -> Any:
    raise RuntimeError("derivative for aten::linalg_ldl_solve is not implemented")


@op(
    kind="copy",
    derivative=Rule("NotImplemented", LD=_no_way_through, B=_no_way_through),
    rounded=500,
    namespace="linalg",
    out_error="aten::linalg_ldl_solve",
    differentiable=False,
    library="LAPACK",
)
def ldl_solve(
    LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Tensor | None = None
) -> Tensor:
    """Solve ``A @ X = B`` with the factors of ``A`` from `ldl_factor`.

    Args:
        LD: ``(*, n, n)``. pivots: ``(*, n)``, int32. B: ``(*, n, k)``.

    Raises:
        RuntimeError: when the factors are not square, the sides do not fit, or the pivots are not from `ldl_factor`.

    >>> A = tk.tensor([[4.0, 2.0], [2.0, 3.0]])
    >>> A @ tk.linalg.ldl_solve(*tk.linalg.ldl_factor(A), tk.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    for position, (label, tensor) in enumerate((("LD", LD), ("pivots", pivots), ("B", B)), 1):
        check_tensor("linalg_ldl_solve", label, position, tensor)
    size = _check_solve(LD, pivots, B)
    if is_meta(LD, B):
        return only(blank(size, LD._dtype, columns=True), out)
    factors, swaps, right = (host(t, "linalg_ldl_solve") for t in (LD, pivots, B))
    _check_swaps(swaps, pivots._dtype)
    kernel_dtypes(LD, "ldl_solve_kernel_cpu")
    found = lapack.indefinite_solve(factors, swaps.astype(numpy.int32), right, hermitian=hermitian)
    return only(in_columns(found, LD._dtype), out)
