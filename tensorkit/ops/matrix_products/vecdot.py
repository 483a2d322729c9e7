"""Vectors with vectors along a dimension: `linalg.vecdot`."""

from __future__ import annotations

from tensorkit.dispatch.op import op
from tensorkit.ops.matrix_products.product import check_tensors, copied_out, refuse_recording
from tensorkit.tensor import Tensor


@op(strict=True, kind="reduce", rounded=2, namespace="linalg", out_error="vdot", out_overlap="allowed")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The products of vectors that lie along a dimension: of `x`'s complex conjugate with `y`; the rest is broadcast.

    Raises:
        RuntimeError: for integers, for two dtypes, or sizes that do not fit.

    >>> tk.linalg.vecdot(tk.tensor([[1.0, 2.0], [3.0, 4.0]]), tk.tensor([1.0, 10.0]))
    tensor([21., 43.])
    """
    check_tensors("linalg_vecdot", x=x, y=y)
    if x._dtype.category < 2:
        raise RuntimeError(
            f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {x._dtype.label}"
        )
    if x._dtype is not y._dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {x._dtype.label} and y of "
            f"type {y._dtype.label} instead"
        )
    if out is not None and out._dtype is not x._dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected out of dtype{x._dtype.label} but found {out._dtype.label}"
        )
    if out is not None:
        refuse_recording("sum", x, y)
    result = x.vdot(y) if x.dim() == y.dim() == 1 else (x.conj() * y).sum(dim)
    return result if out is None else copied_out(result, out)
