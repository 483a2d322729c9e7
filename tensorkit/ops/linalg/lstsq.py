"""What comes nearest to a solution or an inverse where there is none, and the rank, which says whether there is."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.library import through_library
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable
from tensorkit.dtypes import LIMITED, can_cast, dtype, int64
from tensorkit.errors import LinAlgError
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import lapack
from tensorkit.ops.linalg.checks import (
    adjoint,
    as_tensor,
    blank,
    check_matrix,
    check_tensor,
    converted,
    epsilon,
    host,
    is_meta,
    named,
    unless_filled,
)
from tensorkit.ops.linalg.svd_eig import eigh, eigvalsh, linalg_svd, svdvals
from tensorkit.ops.shared.copy import deliver_into
from tensorkit.ops.shared.signature_parts import OUTS
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import broadcast_sizes, contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh, on_storage

# -- pseudoinverse ------------------------------------------------------------------------------------------------


def through_inverse(g: Any, A: Any, P: Any) -> Any:
    """The gradient of a matrix from that of its pseudoinverse `P` (Golub and Pereyra)."""
    turned, back = adjoint(P), adjoint(g)
    inside = -turned.matmul(g).matmul(turned)
    narrow = back.matmul(P).matmul(turned)  # both products in the smaller of the two dimensions
    wide = turned.matmul(P).matmul(back)
    return inside + narrow - A.matmul(P.matmul(narrow)) + wide - wide.matmul(P).matmul(A)


def _pinv_back(g: Any, c: Any) -> Any:
    return through_inverse(g, c.input, c.out)


def _by_matrix_alone(call: dict[str, Any]) -> bool:
    """A pseudoinverse is differentiated by its matrix: a tolerance that wants a gradient is refused."""
    for name, label in (("atol", "atol"), ("rtol", "rtol"), ("rcond", "rtol")):
        if isinstance(call[name], Tensor) and requires_grad(call[name]):
            raise RuntimeError(
                f"The function 'linalg_pinv' is not differentiable with respect to argument '{label}'. This input "
                "cannot have requires_grad True."
            )
    return True


def _bound(value: Any, name: str, argument: str) -> Any:
    """A tolerance as a number or an array."""
    if not isinstance(value, Tensor):
        return value
    if value._dtype.is_complex:
        raise RuntimeError(
            f"{name}: {argument} tensor of complex type is not supported. Got {value._dtype.label}"
        )
    return value._nd()


def _cutoff(input: Tensor, largest: Array, atol: Any, rtol: Any, name: str) -> Array:
    """Below which size a singular value counts as zero."""
    absolute, relative = _bound(atol, name, "atol"), _bound(rtol, name, "rtol")
    if relative is None:
        given = absolute is not None and numpy.asarray(absolute) > 0
        relative = numpy.where(given, 0.0, epsilon(input._dtype) * max(input._lay().size[-2:]))
    if absolute is None:
        absolute = 0.0
    relative = numpy.asarray(relative, largest.dtype)
    scaled: Array = kernels.quiet(numpy.multiply, relative, largest)
    return numpy.asarray(numpy.maximum(numpy.asarray(absolute, largest.dtype), scaled))


def _largest(values: Array) -> Array:
    return numpy.asarray(values.max(-1) if values.shape[-1] else numpy.zeros(values.shape[:-1], values.dtype))


def _pseudoinverse(input: Tensor, atol: Any, rtol: Any, hermitian: bool) -> Tensor:
    size, kind, name = input._lay().size, input._dtype, "tensorkit.linalg.pinv"
    if len(size) < 2 or kind.category < 2 or kernels.is_half(kind):
        raise RuntimeError(
            f"linalg.pinv({kind.label}{{{list(size)}}}): expected a tensor with 2 or more dimensions of float, double, "
            "cfloat or cdouble types"
        )
    for label, bound in (("atol", atol), ("rtol", rtol)):
        _bound(bound, name, label)
    turned = (*size[:-2], size[-1], size[-2])
    if not input.numel() or is_meta(input):
        return blank(turned, kind, input._device)
    if hermitian:
        values, vectors = (part._nd() for part in eigh(input))
        left = right = vectors
        sizes = numpy.abs(values)
    else:
        left, sizes, last = (part._nd() for part in linalg_svd(input, False))
        values, right = sizes, last.swapaxes(-1, -2).conj()
    kept = sizes > numpy.asarray(_cutoff(input, _largest(sizes), atol, rtol, name))[..., None]
    inverted = numpy.where(kept, kernels.quiet(numpy.divide, 1, values), numpy.array(0, values.dtype))
    found = kernels.quiet(numpy.matmul, right * inverted[..., None, :], left.swapaxes(-1, -2).conj())
    return as_tensor(found, kind)


@op(
    strict=True,
    kind="copy",
    derivative=Rule("LinalgPinvBackward0", applies=_by_matrix_alone, input=_pinv_back),
    rounded=500,
    namespace="linalg",
    library="LAPACK",
)
@takes(
    "(Tensor input, *, Tensor atol = None, Tensor rtol = None, bool hermitian = False, Tensor out = None)",
    "(Tensor input, *, float atol = None, float rtol = None, bool hermitian = False, Tensor out = None)",
    "(Tensor input, Tensor rcond, bool hermitian = False, *, Tensor out = None)",
    "(Tensor input, float rcond, bool hermitian = False, *, Tensor out = None)",
)
def pinv(
    input: Tensor,
    rcond: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """The pseudoinverse: what inverts a matrix as far as it can be inverted, and gives zero elsewhere.

    Args:
        input: ``(*, m, n)``; the result is ``(*, n, m)``.
        rcond: the old name of `rtol`.
        hermitian: whether the matrices are symmetric or Hermitian, so that eigenvalues do.
        atol, rtol: singular values up to this size, and up to this multiple of the largest, count as zero.

    Raises:
        RuntimeError: for integers, and for fewer than two dimensions.

    >>> tk.linalg.pinv(tk.tensor([[2.0, 0.0], [0.0, 0.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    check_tensor("linalg_pinv", "input", 1, input)
    if state.grad:  # nothing is recorded: the matrix wants no gradient
        _by_matrix_alone({"atol": atol, "rtol": rtol, "rcond": rcond})
    if rcond is not None:
        _bound(rcond, "tensorkit.linalg.pinv", "rcond")
        atol, rtol = 0.0, rcond
    found = _pseudoinverse(input, atol, rtol, hermitian)
    return found if out is None else converted(found.contiguous(), out, "linalg.pinv")


@op(strict=True, kind="copy", rounded=500)
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudoinverse: the old spelling of `tensorkit.linalg.pinv`, with a smaller tolerance.

    >>> tk.pinverse(tk.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    check_tensor("pinverse", "input", 1, input)
    return pinv(input, rcond)


# -- rank ---------------------------------------------------------------------------------------------------------


def _check_rank_out(out: Any, name: str) -> None:
    if isinstance(out, Tensor) and not can_cast(int64, out._dtype):
        raise RuntimeError(
            f"{name}: Expected result to be safely castable from Long dtype, but got result with dtype "
            f"{out._dtype.label}"
        )


@op(strict=True, kind="reduce", namespace="linalg", out_overlap="allowed", library="LAPACK")
@takes(
    "(Tensor input, *, Tensor atol = None, Tensor rtol = None, bool hermitian = False, Tensor out = None)",
    "(Tensor input, *, float atol = None, float rtol = None, bool hermitian = False, Tensor out = None)",
    "(Tensor input, Tensor tol, bool hermitian = False, *, Tensor out = None)",
    "(Tensor input, float tol, bool hermitian = False, *, Tensor out = None)",
)
def matrix_rank(
    input: Tensor,
    tol: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """How many singular values of a matrix are not zero, within a tolerance.

    Args:
        tol: the old name of `atol`. hermitian: whether the matrices are symmetric or Hermitian.
        atol, rtol: what counts as zero: up to this size, and up to this multiple of the largest.

    Raises:
        RuntimeError: for integers, and for fewer than two dimensions.

    >>> tk.linalg.matrix_rank(tk.ones(2, 2))
    tensor(1)
    """
    check_tensor("linalg_matrix_rank", "input", 1, input)
    name, size = "tensorkit.linalg.matrix_rank", input._lay().size
    if tol is not None:
        atol, rtol = tol, 0.0
    check_matrix(input, name, "input")
    _check_rank_out(out, name)
    for label, bound in (("atol", atol), ("rtol", rtol)):
        _bound(bound, name, label)
    if rtol is None and (input._dtype.category < 2 or kernels.is_half(input._dtype)):
        raise RuntimeError("This function doesn't handle types other than float and double")
    if is_meta(input):
        return blank(size[:-2], int64)
    if not input.numel():
        found = as_tensor(numpy.zeros(size[:-2], numpy.int64), int64)
        found._bump()
        return found if out is None else deliver_into(found, out)
    values = numpy.abs(eigvalsh(input)._nd()) if hermitian else svdvals(input)._nd()
    least = numpy.asarray(_cutoff(input, _largest(values), atol, rtol, name))[..., None]
    found = as_tensor((values > least).sum(-1), int64)
    found._bump()  # PyTorch writes the count into a tensor of its own
    if out is not None and out._dtype in LIMITED:
        raise missing_kernel("sum_cpu", out._dtype.label)
    return found if out is None else deliver_into(found, out)


# -- least squares ------------------------------------------------------------------------------------------------


def _is_vector(input: Any, b: Any) -> bool:
    return len(b) == len(input) - 1


def _lifted(c: Any) -> tuple[Any, Any, Any]:
    """The matrix, the right-hand side and the solution, each as a matrix."""
    if _is_vector(c.input.size(), c.b.size()):
        return c.input, c.b.unsqueeze(-1), c.out.unsqueeze(-1)
    return c.input, c.b, c.out


def _gradients_of(g: Any, c: Any) -> tuple[Any, Any]:
    """The gradients of the solution and of the residuals, as matrices."""
    vector = _is_vector(c.input.size(), c.b.size())
    first = g[0].unsqueeze(-1) if vector and g[0] is not None else g[0]
    second = g[1] if g[1] is not None and g[1].numel() else None
    return first, second


def _lstsq_back_input(g: Any, c: Any) -> Any:
    A, B, X = _lifted(c)
    first, second = _gradients_of(g, c)
    found = None
    if first is not None:
        found = through_inverse(first.matmul(adjoint(B)), A, pinv(A))
    if second is not None:  # of the sum of squares: the solution is where it does not move
        left = 2 * (A.matmul(X) - B) * second.unsqueeze(-2)
        more = left.matmul(adjoint(X))
        found = more if found is None else found + more
    return found


def _lstsq_back_b(g: Any, c: Any) -> Any:
    A, B, X = _lifted(c)
    first, second = _gradients_of(g, c)
    found = None if first is None else adjoint(pinv(A)).matmul(first)
    if second is not None:
        more = 2 * (B - A.matmul(X)) * second.unsqueeze(-2)
        found = more if found is None else found + more
    if found is not None and _is_vector(A.size(), c.b_face.size):
        return found.squeeze(-1)
    return found


def check_lstsq(input: Tensor, b: Tensor, rcond: Any, driver: Any) -> bool:
    """PyTorch's checks; whether the right-hand side is a vector for each matrix."""
    name, own, given = "tensorkit.linalg.lstsq", input._lay().size, b._lay().size
    if len(own) < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if not given:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if input._dtype is not b._dtype:
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype {input._dtype.label} and "
            f"other's dtype {b._dtype.label}"
        )
    if not 0 <= len(own) - len(given) <= 1:
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        )
    vector = _is_vector(own, given)
    if vector and len(given) > 1 and own[:-1] != given:
        vector = False
    at = -1 if vector else -2
    if own[-2] != (given[at] if len(given) >= -at else 0):
        raise RuntimeError(f"{name}: input.size(-2) should match other.size({at})")
    if driver is not None and driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if input._dtype.category < 2 or kernels.is_half(input._dtype):
        if rcond is not None:
            raise missing_kernel("linalg_lstsq_cpu", input._dtype.label)
        raise RuntimeError("This function doesn't handle types other than float and double")
    return vector


def _top(sides: Array, rows: int, kind: dtype) -> Tensor:
    """The first rows of matrices that lie column by column: the storage keeps the others."""
    turned = sides.swapaxes(-1, -2)
    held = fresh(turned if turned.flags.c_contiguous else numpy.ascontiguousarray(turned), kind)
    *batch, m, k = sides.shape
    whole = contiguous_stride((*batch, k, m))
    size, stride = (*batch, rows, k), (*whole[:-2], 1, whole[-2])
    return on_storage(held._store(), Layout(size, stride, 0), kind)


def _without_last(X: Tensor) -> Tensor:
    lay = X._lay()
    return on_storage(X._store(), Layout(lay.size[:-1], lay.stride[:-1], 0), X._dtype)


def _residuals(sides: Array, n: int, ranks: Array | None, driver: str, m: int) -> Array:
    """The sums of squares that remain, where all ranks are full and the method leaves them."""
    if m <= n or driver == "gelsy" or (ranks is not None and not (ranks == n).all()):
        return numpy.zeros(0, sides.real.dtype)
    rest = sides[..., n:, :]
    squares = kernels.quiet(numpy.multiply, rest, rest.conj()).real
    return numpy.asarray(squares.sum(-2))


def solved_in_squares(
    matrix: Array, right: Array, name: str, *, driver: str, cutoff: float
) -> tuple[Array, Array | None, Array | None]:
    """LAPACK's solutions, ranks and singular values (``lapack.least_squares``), its refusal as an error of ours."""
    try:
        return lapack.least_squares(matrix, right, driver=driver, cutoff=cutoff)
    except numpy.linalg.LinAlgError as error:
        raise LinAlgError(
            f"tensorkit.{name}: The least squares solution could not be computed because the input matrix does "
            f"not have full rank (error code: {error})."
        ) from None


def _right_sides(input: Tensor, b: Tensor, vector: bool) -> tuple[Array, tuple[int, ...]]:
    """The right-hand sides as matrices, and the batch of the left ones.

    PyTorch counts whatever has a dimension less as vectors where it works out the size of the solution, and copies it
    there as it is.
    """
    size, right = input._lay().size, host(b, "linalg_lstsq")
    lifted = (*right.shape, 1) if _is_vector(size, right.shape) else right.shape
    if vector:
        right = right[..., None]
    batch = broadcast_sizes(size[:-2], lifted[:-2])
    if lifted != right.shape:
        target = (*batch, *right.shape[-2:])
        both = broadcast_sizes(target, right.shape)
        if both != target:
            raise RuntimeError(
                f"output with shape {list(target)} doesn't match the broadcast shape {list(both)}"
            )
        right = numpy.broadcast_to(right, target)
    return right, size[:-2]


def _by_matrix(found: Array | None, own: tuple[int, ...]) -> Array | None:
    """What is known of each matrix, once, however many right-hand sides it was broadcast to."""
    if found is None:
        return None
    part = found[tuple(slice(0, n) for n in own)]
    shape = (*own, *found.shape[len(own) :])
    return part if part.shape == shape else numpy.zeros(shape, found.dtype)


def _solved(input: Any, b: Any, rcond: Any = None, driver: str | None = None) -> Any:
    """Solutions, residuals, ranks and singular values."""
    vector = check_lstsq(input, b, rcond, driver)
    driver = "gelsy" if driver is None else driver
    kind, (m, n) = input._dtype, input._lay().size[-2:]
    cutoff = epsilon(kind) * max(m, n) if rcond is None else rcond
    right, own = _right_sides(input, b, vector)
    sides, ranks, values = solved_in_squares(
        host(input, "linalg_lstsq"), right, "linalg.lstsq", driver=driver, cutoff=cutoff
    )
    ranks, values = _by_matrix(ranks, own), _by_matrix(values, own)
    X, real, nothing = _top(sides, n, kind), kind.to_real(), numpy.zeros(0)
    residuals = as_tensor(_residuals(sides, n, ranks, driver, m), real)
    known = (
        as_tensor(nothing if ranks is None else ranks, int64),
        as_tensor(nothing if values is None else values, real),
    )
    return named("linalg_lstsq", (_without_last(X) if vector else X, residuals, *known))


_solved_by_library = through_library("linalg_lstsq", "LAPACK", _solved)


def _lstsq_body(input: Any, b: Any, rcond: Any, driver: str | None, held: list[Tensor]) -> tuple[Tensor, ...]:
    """Solutions, residuals and ranks; the singular values, which have no derivative, are put into a list."""
    *parts, values = _solved_by_library(input, b, rcond, driver)
    held.append(values)
    return tuple(parts)


_recorded_lstsq = differentiable(
    _lstsq_body,
    Rule("LinalgLstsqBackward0", input=_lstsq_back_input, b=_lstsq_back_b),
    "linalg_lstsq",
    "copy",
)


@op(strict=True, kind="copy", rounded=2000, namespace="linalg")
@takes(f"(Tensor input, Tensor b, float rcond = None, *, str driver = None, {OUTS})")
def lstsq(
    input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None, out: Any = None
) -> Any:
    """The ``X`` that comes nearest to ``A @ X = B``: with the least sum of squares, and of those the shortest.

    Args:
        input: ``A``, ``(*, m, n)``. b: ``B``, ``(*, m, k)`` or ``(*, m)``, of the same dtype.
        rcond: what counts as zero beside the largest singular value.
        driver: LAPACK's method: "gelsy" (the default), "gels" for full rank, "gelsd", "gelss".

    Returns:
        A named tuple ``(solution, residuals, rank, singular_values)``; what the method does not give is empty.

    Raises:
        tensorkit.linalg.LinAlgError: when "gels" meets a matrix without full rank.
        RuntimeError: when the sides do not fit.

    >>> x = tk.tensor([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])  # a line through three points
    >>> tk.linalg.lstsq(x, tk.tensor([1.0, 3.0, 5.0])).solution
    tensor([2.0000, 1.0000])
    """
    check_tensor("linalg_lstsq", "input", 1, input)
    check_tensor("linalg_lstsq", "b", 2, b)
    values: list[Tensor] = []
    X, residuals, ranks = _recorded_lstsq(input, b, rcond, driver, values)
    if out is not None and len(out):
        X = unless_filled(X, out[0])
    return named("linalg_lstsq", (X, residuals, ranks, values[0]), out, castable="tensorkit.linalg.lstsq")
