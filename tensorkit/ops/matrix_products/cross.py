"""Cross products: `cross`, `linalg.cross`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import refuse_shared, resize_out
from tensorkit.elementwise.promotion import check_devices
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.matrix_products.product import LACKS, check_out, check_tensors, deliver_product
from tensorkit.strides.sizes import broadcast_sizes, normalise_dim
from tensorkit.tensor import Array, Tensor


def _crossed(a: Array, b: Array, axis: int, kind: dtype) -> Array:
    """The cross product of each pair of triples along an axis."""
    work = dtypes.float32 if kernels.is_half(kind) else kind
    x, y = (numpy.moveaxis(kernels.cast(one, work), axis, 0) for one in (a, b))
    out = numpy.empty(a.shape, kind.numpy)
    rows = numpy.moveaxis(out, axis, 0)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        parts = (kernels.quiet(numpy.multiply, x[m], y[n]) for m, n in ((j, k), (k, j)))
        if kernels.is_half(kind):  # PyTorch rounds each product
            parts = (kernels.cast(kernels.cast(part, kind), work) for part in parts)
        kernels.quiet(numpy.copyto, rows[i, ...], kernels.quiet(numpy.subtract, *parts), casting="unsafe")
    return out


def _cross_body(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    if input.dim() != other.dim():
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    lengths = input.size(dim), other.size(dim)
    if lengths != (3, 3):
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {lengths[0]} and {lengths[1]}"
        )
    size = broadcast_sizes(input._lay().size, other._lay().size)
    where, kind = check_devices((input, other)), input._dtype
    if out is not None:
        check_out(out, kind)
        resize_out(out, size)
        refuse_shared(out, input)
        refuse_shared(out, other)

    def body() -> Array:
        if kind in LACKS:
            raise missing_kernel("cross", kind.label)
        if other._dtype is not kind:
            raise RuntimeError(f"expected scalar type {kind.label} but found {other._dtype.label}")
        a, b = (one.expand(size)._nd() for one in (input, other))
        return _crossed(a, b, normalise_dim(dim, len(size)), kind)

    return deliver_product("linalg_cross", body, size, kind, where, out)


def _cross_again(a: Any, b: Any, dim: int) -> Any:
    return linalg_cross(a, b, dim=dim)


@op(
    kind="reduce",
    rounded=2,
    name="cross",
    namespace="linalg",
    derivative=Rule(
        "LinalgCrossBackward0",
        input=lambda g, c: _cross_again(c.other.conj(), g, c.dim),
        other=lambda g, c: _cross_again(g, c.input.conj(), c.dim),
    ),
    library="BLAS",
)
def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of three elements that lie along a dimension; the others are broadcast.

    Raises:
        RuntimeError: when the dimension does not have three elements, or numbers of dimensions or dtypes differ.

    >>> tk.linalg.cross(tk.tensor([1, 0, 0]), tk.tensor([0, 1, 0]))
    tensor([0, 0, 1])
    """
    check_tensors("linalg_cross", input=input, other=other)
    return _cross_body(input, other, dim=dim, out=out)


_NO_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or "
    "simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross "
    "in a future release.".replace("torch.", "tensorkit.")
)


@op(kind="reduce", rounded=2)
def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross product along a dimension: the first of three elements, if none is named, which is deprecated.

    >>> tk.cross(tk.tensor([1, 0, 0]), tk.tensor([0, 1, 0]), dim=0)
    tensor([0, 0, 1])
    """
    check_tensors("cross", input=input, other=other)
    if dim is None:
        if out is None:
            warn(_NO_DIM)
        if 3 not in input._lay().size:
            raise RuntimeError("no dimension of size 3 in input")
        dim = input._lay().size.index(3)
    return linalg_cross(input, other, dim=dim, out=out)
