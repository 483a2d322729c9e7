"""Orthogonal factorisations by Householder reflectors."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.device import CPU
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.errors import warn
from tensorkit.kernels.cpu import lapack
from tensorkit.kernels.cpu.elementwise import is_half
from tensorkit.ops.linalg.checks import (
    adjoint,
    as_tensor,
    blank,
    check_floating,
    check_matrix,
    check_tensor,
    converted,
    host,
    identity,
    in_columns,
    is_meta,
    named,
    only,
    unless_filled,
)
from tensorkit.ops.linalg.cholesky_lu import placed
from tensorkit.ops.linalg.solve_inv import solve_triangular
from tensorkit.ops.shared.signature_parts import OUTS
from tensorkit.tensor import Array, Tensor

# -- QR -----------------------------------------------------------------------------------------------------------


def _mirrored(upper: Any) -> Any:
    """A triangle and its mirror image, the diagonal once and real: what moves an upper triangle moves both."""
    whole = upper + adjoint(upper)
    return whole - 0.5 * whole * identity(whole, whole.size(-1))


def _square_back(gQ: Any, gR: Any, Q: Any, R: Any) -> Any:
    """The gradient of a matrix with at least as many rows as columns."""
    inner: Any = None if gR is None else gR.matmul(adjoint(R))
    if gQ is not None:
        turned = adjoint(Q).matmul(gQ)
        inner = -turned if inner is None else inner - turned
    found = Q.matmul(_mirrored(inner.triu()))
    if gQ is not None:
        found = found + gQ
    return solve_triangular(adjoint(R), found, upper=False, left=False)


def _check_qr_back(m: int, n: int, mode: str) -> None:
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
        )
    if mode == "complete" and m > n:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
        )


def _qr_back(g: Any, c: Any) -> Any:
    m, n = c.A_face.size[-2:]
    _check_qr_back(m, n, c.mode)
    gQ, gR, Q, R = g[0], g[1], c.out, c.indices
    if m >= n:
        return _square_back(gQ, gR, Q, R)
    # A wide matrix: its first columns give Q, and with Q the others give the rest of R.
    if gR is None:
        return placed(_square_back(gQ, None, Q, R.narrow(-1, 0, m)), n, 0, -1)
    rest, g_rest = R.narrow(-1, m, n - m), gR.narrow(-1, m, n - m)
    through = Q.matmul(rest).matmul(adjoint(g_rest))
    gQ = through if gQ is None else gQ + through
    first = _square_back(gQ, gR.narrow(-1, 0, m), Q, R.narrow(-1, 0, m))
    return placed(first, n, 0, -1) + placed(Q.matmul(g_rest), n, m, -1)


def _modes(mode: str) -> tuple[bool, bool]:
    """Whether Q is wanted, and whether without the columns that R does not need."""
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return mode != "r", mode != "complete"


def _qr_parts(A: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    check_matrix(A, "linalg.qr")
    check_floating(A, "linalg.qr")
    wanted, reduced = _modes(mode)
    if is_half(A._dtype):
        raise missing_kernel("geqrf_cpu", A._dtype.label)
    *batch, m, n = A._lay().size
    rows = min(m, n) if reduced else m
    if is_meta(A):
        Q = blank((*batch, m, rows), A._dtype, columns=True) if wanted else blank((0,), A._dtype)
        return Q, blank((*batch, rows, n), A._dtype, columns=True)
    packed, taus = lapack.reflectors(host(A, "linalg_qr"))
    R = in_columns(numpy.tril(packed[..., :rows, :].swapaxes(-1, -2)).swapaxes(-1, -2), A._dtype)
    if not wanted:
        return blank((0,), A._dtype, CPU), R
    return in_columns(_orthogonal(packed, taus, rows), A._dtype), R


def _orthogonal(packed: Array, taus: Array, width: int) -> Array:
    """The first columns of the product of the reflectors, as many as asked for."""
    *batch, m, n = packed.shape
    if width == n:
        return lapack.householder(packed, taus, overwrite=True)
    if width < n:
        return lapack.householder(packed[..., :width], taus)
    wide = numpy.zeros((*batch, m, width), packed.dtype)
    wide[..., :n] = packed
    return lapack.householder(wide, taus)


@op(
    strict=True,
    kind="copy",
    name="qr",
    derivative=Rule("LinalgQrBackward0", A=_qr_back),
    rounded=200,
    namespace="linalg",
    library="LAPACK",
)
@takes(f'(Tensor A, str mode = "reduced", *, {OUTS})')
def linalg_qr(A: Tensor, mode: str = "reduced", *, out: Any = None) -> Any:
    """A matrix as ``Q @ R``: orthonormal columns times an upper triangle.

    Args:
        A: ``(*, m, n)``.
        mode: "reduced" gives sizes ``(m, k)`` and ``(k, n)`` with ``k = min(m, n)``, "complete" ``(m, m)`` and
            ``(m, n)``, "r" only the second of the reduced ones.

    Returns:
        A named pair ``(Q, R)``.

    Raises:
        RuntimeError: for fewer than two dimensions and an unknown mode.

    >>> Q, R = tk.linalg.qr(tk.tensor([[0.0, 2.0], [3.0, 4.0]]))
    >>> R
    tensor([[-3., -4.],
            [ 0., -2.]])
    """
    check_tensor("linalg_qr", "A", 1, A)
    return named("linalg_qr", _qr_parts(A, mode), out)


_OLD_QR = (
    "tensorkit.qr is deprecated in favor of tensorkit.linalg.qr and will be removed in a future PyTorch release.\n"
    "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = tensorkit.qr(A, some)\n"
    "should be replaced with\nQ, R = tensorkit.linalg.qr(A, 'reduced' if some else 'complete')"
)


@op(strict=True, kind="copy", rounded=200, out_error="linalg_qr")
@takes(f"(Tensor input, bool some = True, *, {OUTS})")
def qr(input: Tensor, some: bool = True, *, out: Any = None) -> Any:
    """The old spelling of `tensorkit.linalg.qr`; `some` means the mode "reduced".

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore")
    >>> tk.qr(2 * tk.eye(2)).R
    tensor([[2., 0.],
            [0., 2.]])
    """
    check_tensor("qr", "input", 1, input)
    warn(_OLD_QR)
    return named("qr", linalg_qr(input, "reduced" if some else "complete"), out)


# -- the reflectors themselves ------------------------------------------------------------------------------------


def _refuse_complex(call: dict[str, Any]) -> bool:
    if call["input"].is_complex() and call["input"].dim() > 1 and state.grad and requires_grad(call["input"]):
        raise RuntimeError("geqrf does not support automatic differentiation for outputs with complex dtype.")
    return True


def _geqrf_back(g: Any, c: Any) -> Any:
    raise NotImplementedError("the derivative for 'geqrf' is not implemented.")


@op(
    kind="copy",
    derivative=Rule("GeqrfBackward0", applies=_refuse_complex, input=_geqrf_back),
    rounded=200,
    strict=True,
    differentiable=False,
    library="LAPACK",
)
@takes(f"(Tensor input, *, {OUTS})")
def geqrf(input: Tensor, *, out: Any = None) -> Any:
    """`qr` as LAPACK keeps it: the triangle, and below it the reflectors that `orgqr` and `ormqr` multiply.

    Returns:
        A named pair ``(a, tau)``.

    Raises:
        RuntimeError: for fewer than two dimensions.

    >>> tk.geqrf(tk.tensor([[3.0], [4.0]])).a
    tensor([[-5.0000],
            [ 0.5000]])
    """
    check_tensor("geqrf", "input", 1, input)
    size = input._lay().size
    if len(size) < 2:
        raise RuntimeError("tensorkit.geqrf: input must have at least 2 dimensions.")
    if input._dtype.category < 2 or is_half(input._dtype):
        raise missing_kernel("geqrf_cpu", input._dtype.label)
    if is_meta(input):
        parts = blank(size, input._dtype, columns=True), blank((*size[:-2], min(size[-2:])), input._dtype)
    else:
        packed, taus = lapack.reflectors(host(input, "geqrf"))
        parts = in_columns(packed, input._dtype), as_tensor(taus, input._dtype)
    if out is not None and len(out) == len(parts):
        parts = unless_filled(parts[0], out[0]), parts[1]
    return named("geqrf", parts, out, castable="tensorkit.geqrf")


def _reflected(packed: Any, tau: Any, turned: bool, W: Any, order: range) -> Any:
    """The reflectors, or their adjoints, applied to a matrix one after another."""
    for i in order:
        v, t = _reflector(packed, i), tau.narrow(-1, i, 1).unsqueeze(-1)
        t = t.conj() if turned and t.is_complex() else t
        W = W - t * v.matmul(adjoint(v).matmul(W))
    return W


def _reflector(packed: Any, i: int) -> Any:
    """The vector of one reflector: zeros, a one, and the elements below the diagonal."""
    m = packed.size(-2)
    unit = identity(packed, m)
    below = packed.narrow(-1, i, 1).tril(-1 - i)
    return below + unit.narrow(1, i, 1)


def _through_reflectors(g: Any, packed: Any, tau: Any, W: Any, turned: bool) -> tuple[Any, Any]:
    """The gradients of the reflectors and their factors, of ``H_0 @ H_1 @ ... @ W``, or of its adjoint's product."""
    count, n = tau.size(-1), packed.size(-1)
    order = range(count) if turned else range(count - 1, -1, -1)
    made = [W]
    for i in order:
        made.append(_reflected(packed, tau, turned, made[-1], range(i, i + 1)))
    g_packed = packed.new_zeros(packed.size())
    g_tau = tau.new_zeros(tau.size())
    for i, before in zip(reversed(order), reversed(made[:-1]), strict=True):
        v, t = _reflector(packed, i), tau.narrow(-1, i, 1).unsqueeze(-1)
        used = t.conj() if turned and t.is_complex() else t
        back = used.conj() if used.is_complex() else used
        w = adjoint(v).matmul(before)
        moved = (
            (g * (v.matmul(w)).conj()).sum((-2, -1)) if g.is_complex() else (g * v.matmul(w)).sum((-2, -1))
        )
        moved = -(moved.conj() if turned and moved.is_complex() else moved)
        g_tau = g_tau + placed(moved.unsqueeze(-1).unsqueeze(-1), count, i, -1).squeeze(-2)
        gv = -back * g.matmul(adjoint(w)) - used * before.matmul(adjoint(g).matmul(v))
        g_packed = g_packed + placed(gv.tril(-1 - i), n, i, -1)
        g = g - back * v.matmul(adjoint(v).matmul(g))
    return g_packed, g_tau


def _product_gradients(g: Any, c: Any) -> tuple[Any, Any]:
    m, n = c.input_face.size[-2:]
    W = identity(c.input, m, n).expand(c.input_face.size)
    return _through_reflectors(g, c.input, c.tau, W, False)


def _product_back_input(g: Any, c: Any) -> Any:
    return _product_gradients(g, c)[0]


def _product_back_tau(g: Any, c: Any) -> Any:
    return _product_gradients(g, c)[1]


def _check_reflectors(input: Tensor, tau: Tensor, name: str) -> None:
    size, factors = list(input._lay().size), list(tau._lay().size)
    if len(size) < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if size[-2] < size[-1]:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if size[-1] < (factors[-1] if factors else 0):
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if len(factors) != len(size) - 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {len(factors)} "
            f"and input.ndim is equal to {len(size)}"
        )
    if factors[:-1] != size[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {factors[:-1]}"
        )
    if tau._dtype is not input._dtype:
        raise RuntimeError(
            f"{name}: tau dtype {tau._dtype.label} does not match input dtype {input._dtype.label}"
        )


def _product(input: Tensor, tau: Tensor) -> Tensor:
    _check_reflectors(input, tau, "tensorkit.linalg.householder_product")
    size = input._lay().size
    if input._dtype.category < 2 or is_half(input._dtype):
        raise missing_kernel("orgqr_cpu", input._dtype.label)
    if is_meta(input, tau):
        return blank(size, input._dtype, columns=True)
    found = lapack.householder(
        host(input, "linalg_householder_product"), host(tau, "linalg_householder_product")
    )
    return in_columns(found, input._dtype)


_PRODUCT = Rule("LinalgHouseholderProductBackward0", input=_product_back_input, tau=_product_back_tau)


@op(kind="copy", derivative=_PRODUCT, rounded=200, namespace="linalg", library="LAPACK")
def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of a product of Householder reflectors: the ``Q`` of what `geqrf` gave.

    Args:
        input: ``(*, m, n)`` with the reflectors' vectors below the diagonal. tau: their factors, ``(*, k)``.

    Raises:
        RuntimeError: when the sizes do not fit.

    >>> tk.linalg.householder_product(*tk.geqrf(tk.tensor([[3.0], [4.0]])))
    tensor([[-0.6000],
            [-0.8000]])
    """
    check_tensor("linalg_householder_product", "input", 1, input)
    check_tensor("linalg_householder_product", "tau", 2, tau)
    made = _product(input, tau)
    name = "tensorkit.linalg.householder_product"
    return made if out is None else converted(unless_filled(made, out), out, name)


@op(kind="copy", rounded=200)
def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name for `tensorkit.linalg.householder_product`.

    >>> tk.orgqr(*tk.geqrf(tk.tensor([[3.0], [4.0]])))
    tensor([[-0.6000],
            [-0.8000]])
    """
    check_tensor("orgqr", "input", 1, input)
    check_tensor("orgqr", "input2", 2, input2)
    return householder_product(input, input2, out=out)


def _ormqr_back_input3(g: Any, c: Any) -> Any:
    return ormqr(c.input, c.input2, g, c.left, not c.transpose)


def _ormqr_gradients(g: Any, c: Any) -> tuple[Any, Any]:
    other, turned = c.input3, c.transpose
    if not c.left:  # C Q is (Q^H C^H)^H
        g, other, turned = adjoint(g), adjoint(other), not turned
    return _through_reflectors(g, c.input, c.input2, other, turned)


def _ormqr_back_input(g: Any, c: Any) -> Any:
    return _ormqr_gradients(g, c)[0]


def _ormqr_back_input2(g: Any, c: Any) -> Any:
    return _ormqr_gradients(g, c)[1]


def _check_ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool) -> None:
    name, size, sides = "tensorkit.ormqr", input._lay().size, other._lay().size
    if len(size) < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if len(sides) < 2:
        raise RuntimeError(f"{name}: other must have at least 2 dimensions.")
    at = -2 if left else -1
    if sides[at] < tau._lay().size[-1]:
        raise RuntimeError(f"{name}: other.shape[{at}] must be greater than or equal to tau.shape[-1]")
    if sides[at] != size[-2]:
        raise RuntimeError(f"{name}: other.shape[{at}] must be equal to input.shape[-2]")
    if tau._lay().size[-1] != min(sides[at], size[-1]):
        raise RuntimeError(f"{name}: tau.shape[-1] must be equal to min(other.shape[{at}], input.shape[-1])")
    if len(tau._lay().size) != len(size) - 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.dim()} and "
            f"input.ndim is equal to {len(size)}"
        )
    if len(size) != len(sides):
        raise RuntimeError(
            f"{name}: Expected other to have the same number of dimensions as input, but got other.ndim equal to "
            f"{len(sides)} and input.ndim is equal to {len(size)}"
        )
    _check_ormqr_batches(input, tau, other, name)


def _check_ormqr_batches(input: Tensor, tau: Tensor, other: Tensor, name: str) -> None:
    batch = list(input._lay().size[:-2])
    for label, found in (("tau", list(tau._lay().size[:-1])), ("other", list(other._lay().size[:-2]))):
        if found != batch:
            raise RuntimeError(
                f"{name}: Expected batch dimensions of {label} to be equal to input.shape[:-2], but got {found}"
            )
    for label, tensor in (("tau", tau), ("other", other)):
        if tensor._dtype is not input._dtype:
            raise RuntimeError(
                f"{name}: Expected input and {label} to have the same dtype, but input has dtype"
                f"{input._dtype.label} and {label} has dtype {tensor._dtype.label}"
            )


@op(
    strict=True,
    kind="copy",
    derivative=Rule(
        "OrmqrBackward0", input=_ormqr_back_input, input2=_ormqr_back_input2, input3=_ormqr_back_input3
    ),
    rounded=200,
    library="LAPACK",
)
def ormqr(
    input: Tensor,
    input2: Tensor,
    input3: Tensor,
    left: bool = True,
    transpose: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The ``Q`` of what `geqrf` gave times a matrix, without forming it.

    Args:
        input, input2: the reflectors and their factors. input3: the matrix.
        left: whether ``Q`` is the left factor. transpose: use its adjoint.

    Raises:
        RuntimeError: when the sizes do not fit.

    >>> tk.ormqr(*tk.geqrf(tk.tensor([[3.0], [4.0]])), tk.tensor([[1.0], [0.0]]))
    tensor([[-0.6000],
            [-0.8000]])
    """
    for position, (label, tensor) in enumerate((("input", input), ("input2", input2), ("input3", input3)), 1):
        check_tensor("ormqr", label, position, tensor)
    _check_ormqr(input, input2, input3, left)
    if input._dtype.category < 2 or is_half(input._dtype):
        raise missing_kernel("ormqr_cpu", input._dtype.label)
    if isinstance(out, Tensor) and out._dtype is not input._dtype:
        raise RuntimeError(
            "tensorkit.ormqr: Expected input and result to have the same dtype, but input has dtype"
            f"{input._dtype.label} and result has dtype {out._dtype.label}"
        )
    if is_meta(input, input2, input3):
        return only(blank(input3._lay().size, input._dtype, columns=True), out)
    found = lapack.householder_times(
        *(host(t, "ormqr") for t in (input, input2, input3)), left=left, transpose=transpose
    )
    return only(unless_filled(in_columns(found, input._dtype), out), out)
