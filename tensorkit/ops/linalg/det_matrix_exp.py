"""Determinants, and the exponential of a matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dtypes import dtype, float32
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import lapack
from tensorkit.ops.linalg.checks import (
    adjoint,
    as_tensor,
    blank,
    check_floating,
    check_square,
    check_tensor,
    host,
    identity,
    is_meta,
    kernel_dtypes,
    named,
    only,
)
from tensorkit.ops.linalg.cholesky_lu import placed
from tensorkit.ops.linalg.solve_inv import solve
from tensorkit.ops.linalg.svd_eig import linalg_svd
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.signature_parts import OUTS
from tensorkit.tensor import Array, Tensor

# -- determinants -------------------------------------------------------------------------------------------------


def _pivots_of(A: Tensor) -> tuple[Array, Array]:
    """The diagonal of the upper LU factor, and the sign of the row swaps.

    The transpose of a row-major matrix is factorised, which has the same determinant, as PyTorch does it: so
    a determinant that is zero up to rounding is the same.
    """
    array = host(A, "_linalg_det")
    if A.is_contiguous() and not A._dtype.is_complex:
        array = array.swapaxes(-1, -2)
    factors, pivots, _ = lapack.lu(array)
    swaps = (pivots != numpy.arange(1, pivots.shape[-1] + 1)).sum(-1)
    return numpy.diagonal(factors, 0, -2, -1), numpy.where(swaps % 2, -1, 1)


def _determinant(A: Tensor, name: str = "linalg.det") -> Tensor:
    check_square(A, name)
    check_floating(A, name)
    kernel_dtypes(A, "lu_cpu")
    if is_meta(A):
        return blank(A._lay().size[:-2], A._dtype)
    if not A._dtype.category >= 2 or kernels.is_half(A._dtype):
        return as_tensor(numpy.ones(A._lay().size[:-2]), A._dtype)
    diagonal, sign = _pivots_of(A)
    product = kernels.quiet(numpy.multiply.reduce, diagonal, -1)
    return as_tensor(kernels.quiet(numpy.multiply, product, sign.astype(diagonal.real.dtype)), A._dtype)


def _others(S: Any) -> Any:
    """For each element the product of all others, without a division: some may be zero."""
    k = S.size(-1)
    unit = identity(S, k)
    total = None
    for i in range(k):
        product = unit.select(0, i)
        for j in range(k):
            product = product if j == i else product * S.narrow(-1, j, 1)
        total = product if total is None else total + product
    return total


def _through_det(g: Any, A: Any, out: Any) -> Any:
    if not A.numel():
        return A.new_zeros(A.size())
    if (out.detach() != 0).all().item():
        weight = (g * out.conj()).unsqueeze(-1).expand(A.size()[:-1])
        return solve(adjoint(A), weight.diag_embed().mT)
    # The adjugate of a singular matrix, by its singular values: no inverse has to exist.
    U, S, Vh = linalg_svd(A)
    turn = (linalg_det(U) * linalg_det(Vh)).conj() * g
    return (U * (turn.unsqueeze(-1) * _others(S).to(A.dtype)).unsqueeze(-2)).matmul(Vh)


def _det_back(g: Any, c: Any) -> Any:
    return _through_det(g, c.input, c.out)


def _det_back_A(g: Any, c: Any) -> Any:
    return _through_det(g, c.A, c.out)


@op(
    kind="reduce",
    name="det",
    derivative=Rule("LinalgDetBackward0", A=_det_back_A),
    rounded=100,
    namespace="linalg",
    out_error="_linalg_det",
    library="LAPACK",
)
def linalg_det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of a square matrix, or of each matrix of a batch.

    Raises:
        RuntimeError: when a matrix is not square.

    >>> tk.linalg.det(tk.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)
    """
    check_tensor("linalg_det", "A", 1, A)
    return only(_determinant(A), out)


@op(kind="reduce", derivative=Rule("LinalgDetBackward0", input=_det_back), rounded=100, library="LAPACK")
def det(input: Tensor) -> Tensor:
    """The determinant of a square matrix: another name for `tensorkit.linalg.det`.

    >>> tk.tensor([[1.0, 2.0], [3.0, 4.0]]).det()
    tensor(-2.)
    """
    check_tensor("det", "input", 1, input)
    return _determinant(input)


def _signed_log(A: Tensor, name: str) -> tuple[Tensor, Tensor]:
    check_square(A, name)
    check_floating(A, name, low=False)
    size, real = A._lay().size[:-2], A._dtype.to_real()
    if is_meta(A):
        return blank(size, A._dtype), blank(size, real)
    diagonal, sign = _pivots_of(A)
    magnitude = kernels.quiet(numpy.abs, diagonal)
    if A._dtype.is_complex:
        turned = kernels.quiet(numpy.divide, diagonal, numpy.where(magnitude == 0, 1, magnitude))
    else:
        turned = numpy.sign(diagonal)
    signs = kernels.quiet(numpy.multiply, numpy.multiply.reduce(turned, -1), sign.astype(diagonal.real.dtype))
    logarithm = kernels.quiet(numpy.add.reduce, kernels.quiet(numpy.log, magnitude), -1)
    return as_tensor(signs, A._dtype), as_tensor(logarithm, real)


def _slogdet_back(g: Any, c: Any) -> Any:
    return _through_slogdet(g, c.input, c.out)


def _slogdet_back_A(g: Any, c: Any) -> Any:
    return _through_slogdet(g, c.A, c.out)


def _through_slogdet(g: Any, A: Any, sign: Any) -> Any:
    weight = g[1]
    if A.is_complex() and g[0] is not None:
        turned = (g[0].conj() * sign).imag * -1j
        weight = turned if weight is None else weight + turned
    if weight is None:  # the sign of a real determinant does not move
        return None
    return solve(adjoint(A), weight.to(A.dtype).unsqueeze(-1).expand(A.size()[:-1]).diag_embed().mT)


@op(
    kind="reduce",
    name="slogdet",
    derivative=Rule("LinalgSlogdetBackward0", A=_slogdet_back_A),
    rounded=100,
    namespace="linalg",
    strict=True,
    out_error="_linalg_slogdet",
    library="LAPACK",
)
@takes(f"(Tensor A, *, {OUTS})")
def linalg_slogdet(A: Tensor, *, out: Any = None) -> Any:
    """The sign of a determinant, and the logarithm of its magnitude, which is there even where it overflows.

    Returns:
        A named pair ``(sign, logabsdet)``; of a singular matrix ``(0, -inf)``.

    Raises:
        RuntimeError: when a matrix is not square.

    >>> tk.linalg.slogdet(tk.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensorkit.return_types.linalg_slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(0.6931))
    """
    check_tensor("linalg_slogdet", "A", 1, A)
    return named("linalg_slogdet", _signed_log(A, "linalg.slogdet"), out)


@op(
    kind="reduce",
    derivative=Rule("LinalgSlogdetBackward0", input=_slogdet_back),
    rounded=100,
    strict=True,
    library="LAPACK",
)
@takes(f"(Tensor input, *, {OUTS})")
def slogdet(input: Tensor, *, out: Any = None) -> Any:
    """The sign and the logarithm of a determinant: another name for `tensorkit.linalg.slogdet`.

    >>> tk.slogdet(tk.eye(2)).logabsdet
    tensor(0.)
    """
    check_tensor("slogdet", "input", 1, input)
    return named("slogdet", _signed_log(input, "linalg.slogdet"), out)


@op(kind="reduce", rounded=100)
def logdet(input: Tensor) -> Tensor:
    """The logarithm of a determinant; not a number where a real one is negative.

    Raises:
        RuntimeError: when a matrix is not square.

    >>> tk.logdet(tk.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor(0.6931)
    """
    check_tensor("logdet", "input", 1, input)
    check_square(input, "logdet")
    check_floating(input, "logdet", low=False)
    sign, logarithm = linalg_slogdet(input)
    if input._dtype.is_complex:
        return sign.log() + logarithm  # type: ignore[no-any-return]
    found: Tensor = where(sign == -1, math.nan, logarithm)
    return found


# -- the exponential ----------------------------------------------------------------------------------------------


def _exponential(A: Tensor, kind: dtype) -> Tensor:
    check_square(A, "linalg.matrix_exp")
    check_floating(A, "linalg.matrix_exp")
    if is_meta(A):
        return blank(A._lay().size, kind)
    array = host(A, "linalg_matrix_exp")
    wide = kernels.cast(array, float32) if kernels.is_half(kind) else array
    return as_tensor(lapack.exponential(wide), kind)


def _exponential_back(g: Any, c: Any) -> Any:
    """One block of the exponential of a 2 × 2 block matrix is the derivative of the exponential."""
    A, n = adjoint(c.input), c.input.size(-1)
    if not A.numel():
        return g
    blocks = placed(placed(A, 2 * n, 0, -1), 2 * n, 0, -2) + placed(placed(A, 2 * n, n, -1), 2 * n, n, -2)
    blocks = blocks + placed(placed(g, 2 * n, n, -1), 2 * n, 0, -2)
    return matrix_exp(blocks).narrow(-2, 0, n).narrow(-1, n, n)


@op(
    kind="copy",
    derivative=Rule("LinalgMatrixExpBackward0", input=_exponential_back),
    rounded=50,
    library="LAPACK",
)
def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of a square matrix: the sum of ``A ** k / k!``.

    Raises:
        RuntimeError: when a matrix is not square, and for integers.

    >>> tk.matrix_exp(tk.tensor([[0.0, 1.0], [0.0, 0.0]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    check_tensor("matrix_exp", "input", 1, input)
    return _exponential(input, input._dtype)


@op(kind="copy", name="matrix_exp", rounded=50, namespace="linalg")
def linalg_matrix_exp(input: Tensor) -> Tensor:
    """The exponential of a square matrix: another name for `tensorkit.matrix_exp`.

    >>> tk.linalg.matrix_exp(tk.zeros(1, 1))
    tensor([[1.]])
    """
    check_tensor("linalg_matrix_exp", "input", 1, input)
    return matrix_exp(input)
