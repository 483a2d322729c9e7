"""Norms of vectors and matrices, and how ill conditioned a matrix is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable
from tensorkit.dispatch.signatures import type_name
from tensorkit.errors import warn
from tensorkit.ops.creation.full import zeros
from tensorkit.ops.linalg.checks import (
    check_floating,
    check_matrix,
    check_square,
    check_tensor,
    converted,
    only,
)
from tensorkit.ops.linalg.solve_inv import inv_ex
from tensorkit.ops.linalg.svd_eig import svdvals
from tensorkit.ops.reduction.norm import norm_back, vector_norm
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.int_args import Dims, counted
from tensorkit.ops.shared.out_and_inplace import result_in
from tensorkit.ops.shared.signature_parts import REDUCED
from tensorkit.ops.shared.to import as_dtype
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Tensor

_ORDERS = "linalg.matrix_norm: Order {} not supported."


@op(strict=True, kind="reduce", name="vector_norm", rounded=2, namespace="linalg", out_overlap="allowed")
@takes(f"(Tensor input, Number ord = 2, tuple of ints dim = None, {REDUCED})")
def linalg_vector_norm(
    input: Tensor,
    ord: Any = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """The p-norm of a vector, or along the dimensions named; of all elements if none is.

    Args:
        ord: 2 for the length, 1 for the sum of sizes, infinity for the largest, 0 for how many are not zero.

    Raises:
        RuntimeError: for integers and bools, and where no elements have no such norm.

    >>> tk.linalg.vector_norm(tk.tensor([3.0, 4.0]))
    tensor(5.)
    """
    check_tensor("linalg_vector_norm", "input", 1, input)
    if isinstance(ord, str) or ord is None:
        raise TypeError(
            f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type_name(ord)}"
        )
    if isinstance(ord, complex):
        check_floating(input, "linalg.vector_norm")
    return vector_norm(input, ord, dim, keepdim, dtype, out)


# -- matrices -----------------------------------------------------------------------------------------------------


def _check_kind(A: Tensor, kind: Any, name: str) -> None:
    if kind is None:
        return
    own, chosen = A._dtype, as_dtype(kind, name)
    if chosen.category < 2:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {chosen.label}")
    if own.is_complex != chosen.is_complex:
        which = "complex for complex" if own.is_complex else "real for real"
        raise RuntimeError(f"{name}: dtype should be {which} inputs, but got {chosen.label}")
    if dtypes.promote_types(own, chosen) is not chosen:
        raise RuntimeError(
            f"{name}: the dtype of the input ({own.label}) should be convertible without narrowing to the specified "
            f"dtype ({chosen.label})"
        )


def _matrix_dims(A: Tensor, dim: Any, kind: Any, *, low: bool) -> tuple[int, int]:
    """The two dimensions of the matrices, counted from the front, after PyTorch's checks."""
    name = "linalg.matrix_norm"
    check_matrix(A, name)
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    check_floating(A, name, low=low)
    if len(dims) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {', '.join(map(str, dims))}")
    first, second = (normalise_dim(int(d), A.dim()) for d in dims)
    if first == second:
        raise RuntimeError(f"{name}: dims must be different. Got ({dims[0]}, {dims[1]})")
    _check_kind(A, kind, name)
    return first, second


def _extreme(values: Any, ord: float, dim: int, keepdim: bool) -> Any:
    return values.amax(dim, keepdim) if ord > 0 else values.amin(dim, keepdim)


def _of_singular_values(A: Any, ord: Any, dims: tuple[int, int], keepdim: bool, kind: Any) -> Any:
    """The largest or smallest singular value, or their sum."""
    order = [d for d in range(A.dim()) if d not in dims] + list(dims)
    wide = A if kind is None else A.to(kind)
    values = svdvals(wide.permute(order))
    found = values.sum(-1, keepdim) if ord == "nuc" else _extreme(values, ord, -1, keepdim)
    if not keepdim:
        return found
    back = sorted(range(len(order)), key=order.__getitem__)
    return found.unsqueeze(-1).permute(back)


def _norm_of(A: Any, ord: Any, dim: Any, keepdim: bool, kind: Any) -> Any:
    if isinstance(ord, str):
        if ord not in ("fro", "nuc"):
            raise RuntimeError(_ORDERS.format(ord))
        dims = _matrix_dims(A, dim, kind, low=ord == "fro")
        if ord == "fro":
            return vector_norm(A, 2, dims, keepdim, kind)
        return _of_singular_values(A, ord, dims, keepdim, kind)
    p = float(ord)
    if abs(p) not in (1, 2, math.inf):
        raise RuntimeError(_ORDERS.format(f"{p:g}"))
    dims = _matrix_dims(A, dim, kind, low=abs(p) != 2)
    along, over = dims if abs(p) == 1 else dims[::-1]
    if p > 0 and (A.size(over) == 0 or (p == 2 and A.size(along) == 0)):
        return _nothing(A, dims, keepdim, kind)
    if abs(p) == 2:
        return _of_singular_values(A, p, dims, keepdim, kind)
    if not keepdim and along < over:
        over -= 1
    return _extreme(vector_norm(A, 1, along, keepdim, kind), p, over, keepdim)


def _nothing(A: Any, dims: tuple[int, int], keepdim: bool, kind: Any) -> Tensor:
    """The norms of matrices without elements."""
    size = [1 if d in dims else n for d, n in enumerate(A.size()) if keepdim or d not in dims]
    real = (A.dtype if kind is None else as_dtype(kind, "linalg_matrix_norm")).to_real()
    return zeros(size, dtype=real, device=A.device).zero_()


@op(strict=True, kind="reduce", rounded=100, namespace="linalg", out_recording="in place")
@takes(
    f"(Tensor input, Number ord, tuple of ints dim = {{-2,-1}}, {REDUCED})",
    f'(Tensor input, str ord = "fro", tuple of ints dim = {{-2,-1}}, {REDUCED})',
)
def matrix_norm(
    input: Tensor,
    ord: Any = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """A norm of a matrix, or of each matrix of a batch.

    Args:
        ord: ``"fro"``, the root of the sum of squares; ``"nuc"``, the sum of the singular values; 2 and -2, the largest
            and the smallest of them; 1 and -1, the largest and smallest sum of sizes down a column; infinity and its
            negative, the same along a row.
        dim: the two dimensions of the matrices.

    Raises:
        RuntimeError: for another order, and for integers.

    >>> tk.linalg.matrix_norm(tk.tensor([[1.0, -2.0], [3.0, 4.0]]), 1)
    tensor(6.)
    """
    check_tensor("linalg_matrix_norm", "input", 1, input)
    found: Tensor = _norm_of(input, ord, dim, keepdim, dtype)
    if isinstance(out, Tensor) and out._dtype is not found._dtype:
        raise RuntimeError(
            f"linalg.matrix_norm expected out tensor dtype {found._dtype.label} but got: {out._dtype.label}"
        )
    return only(found, out)


@op(kind="reduce", name="norm", rounded=100, namespace="linalg", strict=True, out_recording="in place")
@takes(
    f"(Tensor input, Number ord = None, tuple of ints dim = None, {REDUCED})",
    f"(Tensor input, str ord, tuple of ints dim = None, {REDUCED})",
)
def linalg_norm(
    input: Tensor,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """A norm of a vector or a matrix: which, the number of dimensions says, or of those named in `dim`.

    Args:
        ord: as for `vector_norm` and `matrix_norm`; without it, the length of all elements as one vector.

    Raises:
        RuntimeError: for an order without `dim` beyond two dimensions.

    >>> tk.linalg.norm(tk.tensor([3.0, 4.0])), tk.linalg.norm(tk.ones(2, 2), 1)
    (tensor(5.), tensor(2.))
    """
    check_tensor("linalg_norm", "input", 1, input)
    if isinstance(dim, Tensor):
        dim = counted(dim)
    dims = (dim,) if isinstance(dim, int) else dim
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    if ord is not None and dims is None and input.dim() not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {input.dim()}D."
        )
    of_matrix = isinstance(ord, str) or (
        ord is not None and (input.dim() if dims is None else len(dims)) == 2
    )
    if of_matrix:
        found = matrix_norm(input, ord, (-2, -1) if dims is None else dims, keepdim, dtype=dtype)
    else:
        found = vector_norm(input, 2 if ord is None else ord, dims, keepdim, dtype)
    if isinstance(out, Tensor) and out._dtype is not found._dtype:
        raise RuntimeError(
            f"linalg.norm expected out tensor dtype {found._dtype.label} but got: {out._dtype.label}"
        )
    return only(found, out)


# -- condition ----------------------------------------------------------------------------------------------------


def _condition(input: Any, p: Any) -> Any:
    if isinstance(p, str):
        check_square(input, f"linalg.cond(ord={p})")
        if p not in ("fro", "nuc"):
            raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    elif input.dim() < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p is not None and not isinstance(p, str) and abs(p) not in (1, 2, math.inf):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p:g}")
    if not input.numel():
        return zeros(list(input.size()[:-2]), dtype=input.dtype.to_real(), device=input.device).zero_()
    order = 2.0 if p is None else p if isinstance(p, str) else float(p)
    if not isinstance(order, str) and abs(order) == 2:
        values = svdvals(input)
        large, small = values.narrow(-1, 0, 1), values.narrow(-1, values.size(-1) - 1, 1)
        return (large / small if order > 0 else small / large).squeeze(-1)
    if not isinstance(order, str):
        check_square(input, f"linalg.cond(ord={order:g})")
    if order == "nuc":
        values = svdvals(input)
        return values.sum(-1) * values.reciprocal().sum(-1)
    inverse = inv_ex(input)[0]
    product = matrix_norm(input, order) * matrix_norm(inverse, order)
    found = product.nan_to_num(math.inf, math.inf, -math.inf)
    found._bump()  # PyTorch replaces nan in place
    return found


@op(kind="reduce", rounded=1000, namespace="linalg", strict=True, out_recording="in place")
@takes("(Tensor input, Number p = None, *, Tensor out = None)", "(Tensor input, str p, *, Tensor out = None)")
def cond(input: Tensor, p: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The condition number of a matrix: how much a relative error of a right-hand side can grow when it is solved for.

    Args:
        p: the norm, as for `matrix_norm`; 2 by default. Infinite for a singular matrix.

    Raises:
        RuntimeError: for an unknown norm, and for all but 2 and -2 when the matrix is not square.

    >>> tk.linalg.cond(tk.tensor([[4.0, 0.0], [0.0, 1.0]]))
    tensor(4.)
    """
    check_tensor("linalg_cond", "input", 1, input)
    found: Tensor = _condition(input, p)
    return found if out is None else converted(found, out, "linalg.cond")


# -- of earlier years ---------------------------------------------------------------------------------------------


def _deprecated(name: str, instead: str) -> None:
    warn(
        f"at::{name} is deprecated and it is just left for JIT compatibility. It will be removed in a future PyTorch "
        f"release. Please use `{instead}` instead"
    )


def _frobenius_body(input: Tensor, dim: tuple[int, ...], keepdim: bool) -> Tensor:
    if input._dtype.category < 2:
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. "
            f"Got {input._dtype.label} instead."
        )
    return vector_norm(input, 2, dim or None, keepdim)


_frobenius = differentiable(
    _frobenius_body,
    Rule("NormBackward1", input=lambda g, c: norm_back(g, c.input, 2.0, c.out, c.dim or None, c.keepdim)),
    "norm",
    "reduce",
)


@op(strict=True, kind="reduce", methods=(), rounded=2, out_overlap="allowed")
@takes("(Tensor input, tuple of ints dim, bool keepdim = False, *, Tensor out = None)")
def frobenius_norm(input: Tensor, dim: Dims, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The root of the sum of squares along at most two dimensions, of which PyTorch warns: take `linalg.vector_norm`.

    Raises:
        RuntimeError: for integers and bools, for more dimensions, and for one named twice.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     tk.frobenius_norm(tk.tensor([[3.0, 4.0], [0.0, 5.0]]), 1)
    tensor([5., 5.])
    """
    dims = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    _deprecated("frobenius_norm", "linalg.vector_norm(A, 2., dim, keepdim)")
    if len(dims) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(dims)} dimensions instead.")
    found: Tensor = _frobenius(input, dims, keepdim)
    if out is None:
        return found
    result_in(out, found._dtype, found._lay().size, ())
    copy_into(out, found)
    out._bump()
    return out


@op(strict=True, kind="reduce", methods=(), rounded=100)
@takes(
    "(Tensor input, tuple of ints dim, bool keepdim = False, *, Tensor out = None)",
    "(Tensor input, bool keepdim = False, *, Tensor out = None)",
)
def nuclear_norm(
    input: Tensor, dim: Any = (-2, -1), keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The sum of the singular values of each matrix, of which PyTorch warns: take `linalg.matrix_norm`.

    Raises:
        RuntimeError: for integers, bools and 16-bit numbers, and for anything but a matrix.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     tk.nuclear_norm(tk.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor(7.)
    """
    if isinstance(dim, bool):
        dim, keepdim = (-2, -1), dim
    _deprecated("nuclear_norm", "linalg.matrix_norm(A, 'nuc', dim, keepdim)")
    return matrix_norm(input, "nuc", dim if isinstance(dim, (tuple, list)) else (dim, dim), keepdim, out=out)
