"""Singular values and eigenvalues, with their vectors."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dtypes import dtype
from tensorkit.kernels.cpu import lapack
from tensorkit.kernels.cpu.elementwise import is_half
from tensorkit.ops.linalg.checks import (
    adjoint,
    as_tensor,
    blank,
    check_floating,
    check_info,
    check_matrix,
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
from tensorkit.ops.linalg.solve_inv import solve
from tensorkit.ops.shared.signature_parts import OUTS
from tensorkit.tensor import Array, Tensor

_SAME_PHASE = 1e-2  # PyTorch's bound on how much of a gradient may lie along what is not determined


def _on_diagonal(values: Any, matrix: Any) -> Any:
    """A matrix with these values on its diagonal, made by broadcasting."""
    return values.unsqueeze(-1) * identity(values, matrix.size(-1))


def _skew(matrix: Any) -> Any:
    return matrix - adjoint(matrix)


def _imaginary_diagonal(matrix: Any) -> Any:
    return matrix.diagonal(0, -2, -1).imag


# -- singular values ----------------------------------------------------------------------------------------------


def _gaps(S: Any) -> Any:
    """``S_j ** 2 - S_i ** 2``, written as a product, and 1 on the diagonal."""
    rows, columns = S.unsqueeze(-1), S.unsqueeze(-2)
    return (columns - rows) * (columns + rows) + identity(S, S.size(-1))


def _check_phases(gU: Any, gVh: Any, U: Any, Vh: Any) -> Any:
    """The imaginary diagonals that the phases of the vectors leave; refused where a gradient depends on them."""
    left = None if gU is None else _imaginary_diagonal(adjoint(U).matmul(gU))
    right = None if gVh is None else _imaginary_diagonal(Vh.matmul(adjoint(gVh)))
    both = right if left is None else left if right is None else left + right
    if both is not None and both.numel() and float(both.detach().abs().max()) > _SAME_PHASE:
        raise RuntimeError(
            "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. "
            "The specified loss function depends on this phase term, making it ill-defined."
        )
    return left


def through_svd(gU: Any, gS: Any, gVh: Any, U: Any, S: Any, Vh: Any) -> Any:
    """The gradient of a matrix from those of its singular values and vectors."""
    if gU is None and gVh is None:
        return (
            (U * gS.unsqueeze(-2)).matmul(Vh)
            if U.size(-2) >= Vh.size(-1)
            else U.matmul(gS.unsqueeze(-1) * Vh)
        )
    m, n, k = U.size(-2), Vh.size(-1), S.size(-1)
    phases = _check_phases(gU, gVh, U, Vh) if U.is_complex() else None
    skewed_U = None if gU is None else _skew(adjoint(U).matmul(gU))
    skewed_V = None if gVh is None else _skew(Vh.matmul(adjoint(gVh)))
    E = _gaps(S)
    rows, columns = S.unsqueeze(-1), S.unsqueeze(-2)
    inner: Any = None
    if skewed_U is not None:
        inner = (skewed_U / E) * columns
    if skewed_V is not None:
        other = rows * (skewed_V / E)
        inner = other if inner is None else inner + other
    # What the diagonal holds is the phases' business, and so far twice an imaginary number divided by one.
    inner = inner - inner * identity(inner, k)
    if gS is not None:
        inner = inner + _on_diagonal(gS.to(inner.dtype), inner)
    if phases is not None:
        turned = (phases / S).to(inner.dtype) * 1j
        inner = inner + _on_diagonal(turned, inner)
    return _completed(inner, gU, gVh, U, S, Vh, m, n, k)


def _completed(inner: Any, gU: Any, gVh: Any, U: Any, S: Any, Vh: Any, m: int, n: int, k: int) -> Any:
    """What lies in the space of the vectors, and of a high or wide matrix what lies outside."""
    found = U.matmul(inner.matmul(Vh)) if m >= n else U.matmul(inner).matmul(Vh)
    if m > k and gU is not None:
        scaled = gU / S.unsqueeze(-2)
        found = found + (scaled - U.matmul(adjoint(U).matmul(scaled))).matmul(Vh)
    if n > k and gVh is not None:
        scaled = gVh / S.unsqueeze(-1)
        found = found + U.matmul(scaled - scaled.matmul(adjoint(Vh)).matmul(Vh))
    return found


def _narrowed(part: Any, k: int, dim: int) -> Any:
    return part if part is None or part.size(dim) == k else part.narrow(dim, 0, k)


def _svd_back(g: Any, c: Any) -> Any:
    k = c.indices.size(-1)
    gU, gVh = _narrowed(g[0], k, -1), _narrowed(g[2], k, -2)
    return through_svd(gU, g[1], gVh, _narrowed(c.out, k, -1), c.indices, _narrowed(c.third, k, -2))


def _check_svd(A: Tensor, driver: Any = None) -> None:
    check_matrix(A, "linalg.svd")
    check_floating(A, "linalg.svd")
    if driver is not None and A.numel():
        raise RuntimeError(
            "tensorkit.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    kernel_dtypes(A, "linalg_svd_cpu")


def _refuse_lost(array: Array) -> None:
    """Refuse matrices with nan elements."""
    lost = numpy.asarray(
        numpy.isnan(array).any((-2, -1)) if array.size else numpy.zeros(array.shape[:-2], bool)
    )
    check_info(
        lost.astype(numpy.int32),
        lambda _: "The algorithm failed to converge because the input matrix contained non-finite values.",
        "linalg.svd",
    )


def singular_parts(A: Tensor, full: bool) -> tuple[Tensor, Tensor, Tensor]:
    """``U``, the singular values, and ``V`` conjugated and transposed."""
    *batch, m, n = A._lay().size
    k, real = min(m, n), A._dtype.to_real()
    if is_meta(A):
        return (
            blank((*batch, m, m if full else k), A._dtype, columns=True),
            blank((*batch, k), real),
            blank((*batch, n if full else k, n), A._dtype, columns=True),
        )
    array = host(A, "linalg_svd")
    _refuse_lost(array)
    left, values, right = lapack.svd(array, full=full, vectors=True)
    assert left is not None
    assert right is not None
    return in_columns(left, A._dtype), as_tensor(values, real), in_columns(right, A._dtype)


@op(
    kind="copy",
    name="svd",
    derivative=Rule("LinalgSvdBackward0", A=_svd_back),
    rounded=500,
    namespace="linalg",
    strict=True,
    out_error="_linalg_svd",
    library="LAPACK",
)
@takes(f"(Tensor A, bool full_matrices = True, *, str driver = None, {OUTS})")
def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: Any = None) -> Any:
    """A matrix as ``U @ diag(S) @ Vh``: a rotation, stretches, another rotation.

    Args:
        A: ``(*, m, n)``.
        full_matrices: give all columns of ``U`` and all rows of ``Vh``, those that meet no singular value too.

    Returns:
        A named triple ``(U, S, Vh)``; the singular values are real, in descending order. The vectors belong to them
        only up to their sign, or in the complex case their phase.

    Raises:
        tensorkit.linalg.LinAlgError: when an element is nan. RuntimeError: for fewer than two dimensions.

    >>> tk.linalg.svd(tk.tensor([[0.0, 2.0], [3.0, 0.0]])).S
    tensor([3., 2.])
    """
    check_tensor("linalg_svd", "A", 1, A)
    _check_svd(A, driver)
    return named("linalg_svd", singular_parts(A, full_matrices), out)


def _values_back(g: Any, c: Any) -> Any:
    U, _, Vh = linalg_svd(c.A, False)
    return U.matmul(g.unsqueeze(-1) * Vh)


@op(
    kind="copy",
    derivative=Rule("LinalgSvdBackward0", A=_values_back),
    rounded=500,
    namespace="linalg",
    out_error="_linalg_svd",
    library="LAPACK",
)
def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """The singular values of a matrix, in descending order.

    Raises:
        tensorkit.linalg.LinAlgError: when an element is nan. RuntimeError: for fewer than two dimensions.

    >>> tk.linalg.svdvals(tk.tensor([[0.0, 2.0], [3.0, 0.0]]))
    tensor([3., 2.])
    """
    check_tensor("linalg_svdvals", "A", 1, A)
    _check_svd(A, driver)
    *batch, m, n = A._lay().size
    real = A._dtype.to_real()
    if is_meta(A):
        return only(blank((*batch, min(m, n)), real), out)
    array = host(A, "linalg_svd")
    _refuse_lost(array)
    return only(as_tensor(lapack.svd(array, full=False, vectors=False)[1], real), out)


@op(strict=True, kind="copy", rounded=500, out_recording="in place")
@takes(f"(Tensor input, bool some = True, bool compute_uv = True, *, {OUTS})")
def svd(input: Tensor, some: bool = True, compute_uv: bool = True, *, out: Any = None) -> Any:
    """The old spelling of `tensorkit.linalg.svd`; it gives ``V`` itself, and by default no superfluous vectors.

    Args:
        some: leave out the vectors that meet no singular value.
        compute_uv: whether to compute the vectors; without, they are zeros.

    Returns:
        A named triple ``(U, S, V)``.

    >>> tk.svd(tk.tensor([[0.0, 2.0], [3.0, 0.0]])).S
    tensor([3., 2.])
    """
    check_tensor("svd", "input", 1, input)
    if input.dim() < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {input.dim()} dimensions instead"
        )
    if compute_uv:
        U, S, Vh = linalg_svd(input, not some)
    else:
        S = svdvals(input)
        *batch, m, n = input._lay().size
        U = input.new_zeros((*batch, m, m))
        Vh = input.new_zeros((*batch, n, n))
        U._bump()  # PyTorch writes these zeros afterwards
        Vh._bump()
    V = Vh.transpose(-2, -1)
    return named("svd", (U, S, V.conj() if V.is_complex() else V), out)


# -- eigenvalues of symmetric matrices ----------------------------------------------------------------------------


def _through_eigh(g: Any, c: Any) -> Any:
    """The gradients of eigenvalues and eigenvectors, as one matrix between the eigenvectors."""
    gL, gV, L, V = g[0], g[1], c.out, c.indices
    if gV is None:
        return (V * gL.unsqueeze(-2)).matmul(adjoint(V))
    inner = adjoint(V).matmul(gV)
    if V.is_complex() and inner.numel():
        along = _imaginary_diagonal(inner).detach().abs().max()
        if float(along) > _SAME_PHASE:
            raise RuntimeError(
                "linalg_eigh_backward: The eigenvectors in the complex case are specified up to multiplication by "
                "e^{i phi}. The specified loss function depends on this quantity, so it is ill-defined."
            )
    unit = identity(L, L.size(-1))
    gaps = L.unsqueeze(-2) - L.unsqueeze(-1) + unit
    inner = 0.5 * _skew(inner) / gaps  # the vectors stay orthonormal
    inner = inner - inner * unit
    if gL is not None:
        inner = inner + _on_diagonal(gL.to(inner.dtype), inner)
    return V.matmul(inner.matmul(adjoint(V)))


def _check_eigh(input: Tensor, UPLO: str) -> bool:
    """Whether the upper triangle is to be read."""
    check_square(input, "linalg.eigh")
    if not isinstance(UPLO, str) or UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    kernel_dtypes(input, "linalg_eigh_cpu")
    return UPLO.upper() == "U"


@op(
    kind="copy",
    derivative=Rule("LinalgEighBackward0", input=_through_eigh),
    rounded=500,
    namespace="linalg",
    strict=True,
    out_error="_linalg_eigh",
    library="LAPACK",
)
@takes(f'(Tensor input, str UPLO = "L", *, {OUTS})')
def eigh(input: Tensor, UPLO: str = "L", *, out: Any = None) -> Any:
    """Eigenvalues and eigenvectors of a symmetric or Hermitian matrix: ``V @ diag(L) @ V.mH``.

    Args:
        input: ``(*, n, n)``, of which one triangle is read: the lower one, or with ``UPLO="U"`` the upper one.

    Returns:
        A named pair ``(eigenvalues, eigenvectors)``; the eigenvalues are real, in ascending order, the vectors the
        columns of a matrix. They belong to them only up to their sign, or in the complex case their phase.

    Raises:
        RuntimeError: when a matrix is not square.

    >>> tk.linalg.eigh(tk.tensor([[2.0, 1.0], [1.0, 2.0]])).eigenvalues
    tensor([1., 3.])
    """
    check_tensor("linalg_eigh", "input", 1, input)
    upper = _check_eigh(input, UPLO)
    size, real = input._lay().size, input._dtype.to_real()
    if is_meta(input):
        return named("linalg_eigh", (blank(size[:-1], real), blank(size, input._dtype, columns=True)), out)
    values, vectors = lapack.eigh(host(input, "linalg_eigh"), upper=upper, vectors=True)
    assert vectors is not None
    return named("linalg_eigh", (as_tensor(values, real), in_columns(vectors, input._dtype)), out)


def _eigvalsh_back(g: Any, c: Any) -> Any:
    _, V = eigh(c.input, c.UPLO)
    return (V * g.unsqueeze(-2)).matmul(adjoint(V))


@op(
    kind="copy",
    derivative=Rule("LinalgEighBackward0", input=_eigvalsh_back),
    rounded=500,
    namespace="linalg",
    out_error="_linalg_eigh",
    library="LAPACK",
)
def eigvalsh(input: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of a symmetric or Hermitian matrix, in ascending order.

    Raises:
        RuntimeError: when a matrix is not square.

    >>> tk.linalg.eigvalsh(tk.tensor([[2.0, 1.0], [1.0, 2.0]]))
    tensor([1., 3.])
    """
    check_tensor("linalg_eigvalsh", "input", 1, input)
    upper = _check_eigh(input, UPLO)
    real = input._dtype.to_real()
    if is_meta(input):
        return only(blank(input._lay().size[:-1], real), out)
    values, _ = lapack.eigh(host(input, "linalg_eigvalsh"), upper=upper, vectors=False)
    return only(as_tensor(values, real), out)


# -- eigenvalues of any square matrix -----------------------------------------------------------------------------


def _through_eig(g: Any, c: Any) -> Any:
    gL, gV, L, V = g[0], g[1], c.out, c.indices
    if gV is None:
        return solve(adjoint(V), gL.unsqueeze(-1) * adjoint(V))
    turned = adjoint(V)
    inner = turned.matmul(gV)
    along = inner.diagonal(0, -2, -1)
    if inner.numel() and float(along.imag.detach().abs().max()) > _SAME_PHASE:
        raise RuntimeError(
            "linalg_eig_backward: The eigenvectors in the complex case are specified up to multiplication by e^{i "
            "phi}. The specified loss function depends on this quantity, so it is ill-defined."
        )
    # The vectors have length 1: of what moves one along itself nothing remains.
    inner = inner - turned.matmul(V * along.real.unsqueeze(-2))
    unit = identity(V, L.size(-1))
    gaps = (L.unsqueeze(-2) - L.unsqueeze(-1)).conj() + unit
    inner = inner / gaps
    inner = inner - inner * unit
    if gL is not None:
        inner = inner + _on_diagonal(gL, inner)
    return solve(turned, inner.matmul(turned))


def _check_eig(input: Tensor, name: str) -> dtype:
    """The dtype of the results."""
    if input._dtype.category < 2:
        raise RuntimeError(f"Unknown Complex ScalarType for {input._dtype.label}")
    check_square(input, name)
    if is_half(input._dtype):
        raise missing_kernel("linalg_eig_out_cpu", input._dtype.label)
    if input._device == CPU and not numpy.isfinite(input._nd()).all():
        raise RuntimeError("tensorkit.linalg.eig: input tensor should not contain infs or NaNs.")
    return input._dtype.to_complex()


@op(
    kind="copy",
    derivative=Rule("LinalgEigBackward0", input=_through_eig),
    rounded=2000,
    namespace="linalg",
    strict=True,
    library="LAPACK",
)
@takes(f"(Tensor input, *, {OUTS})")
def eig(input: Tensor, *, out: Any = None) -> Any:
    """Eigenvalues and eigenvectors of a square matrix: ``A @ V == V @ diag(L)``. They are always complex.

    Returns:
        A named pair ``(eigenvalues, eigenvectors)``; the vectors, of length 1, are the columns of a matrix. Their
        order, and their phases, are not determined.

    Raises:
        RuntimeError: when a matrix is not square, or an element is not finite.

    >>> tk.linalg.eig(tk.tensor([[0.0, -1.0], [1.0, 0.0]])).eigenvalues
    tensor([0.+1.j, 0.-1.j])
    """
    check_tensor("linalg_eig", "input", 1, input)
    kind, size, name = _check_eig(input, "linalg.eig"), input._lay().size, "tensorkit.linalg.eig"
    if is_meta(input):
        return named(
            "linalg_eig", (blank(size[:-1], kind), blank(size, kind, columns=True)), out, castable=name
        )
    values, vectors = lapack.eig(host(input, "linalg_eig"), vectors=True)
    assert vectors is not None
    return named("linalg_eig", (as_tensor(values, kind), in_columns(vectors, kind)), out, castable=name)


def _eigvals_back(g: Any, c: Any) -> Any:
    _, V = eig(c.input)
    return solve(adjoint(V), g.unsqueeze(-1) * adjoint(V))


@op(
    kind="copy",
    derivative=Rule("LinalgEigBackward0", input=_eigvals_back),
    rounded=2000,
    namespace="linalg",
    library="LAPACK",
)
def eigvals(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex eigenvalues of a square matrix, in no particular order.

    Raises:
        RuntimeError: when a matrix is not square, or an element is not finite.

    >>> tk.linalg.eigvals(tk.tensor([[0.0, -1.0], [1.0, 0.0]]))
    tensor([0.+1.j, 0.-1.j])
    """
    check_tensor("linalg_eigvals", "input", 1, input)
    kind = _check_eig(input, "linalg.eigvals")
    if is_meta(input):
        made = blank(input._lay().size[:-1], kind)
    else:
        made = as_tensor(lapack.eig(host(input, "linalg_eigvals"), vectors=False)[0], kind)
    return made if out is None else converted(made, out, "tensorkit.linalg.eigvals", "eigenvalues")
