"""Products of elements: `prod`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.prod.html
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.unsaid import UNSAID
from tensorkit.dtypes import dtype
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import parallel
from tensorkit.kernels.sizes import PIECE, PRODUCT_FOLDED, TINY
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import (
    axes_of,
    check_kernel,
    named_all,
    numbered,
    one_axis,
    reduced_size,
    refuse_whole,
    result_kind,
)
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Array, Tensor


def _others(input: Any, axis: int) -> Any:
    """The product of all the other elements along a dimension, without a division: there may be zeros."""
    size = list(input.size())
    ones = input.new_ones([*size[:axis], 1, *size[axis + 1 :]])
    many = size[axis] - 1
    before = cat((ones, input.narrow(axis, 0, many)), axis).cumprod(axis)
    after = cat((ones, input.narrow(axis, 1, many).flip(axis)), axis).cumprod(axis).flip(axis)
    return _conj(before * after)


def _conj(value: Any) -> Any:
    return value.conj() if value.is_complex() else value


def _prod_back(g: Any, c: Any) -> Any:
    x = c.input.to(g.dtype)
    if not x.dim():
        return g.clone()
    if c.dim is UNSAID:
        return _prod_back_all(g, x, c.out)
    axis = normalise_dim(int(c.dim), x.dim())
    out = c.out if c.keepdim else c.out.unsqueeze(axis)
    g = g if c.keepdim else g.unsqueeze(axis)
    if not x.eq(0).any().item():
        return g * _conj(out / x)
    return g if x.size(axis) == 1 else g * _others(x, axis)


def _prod_back_all(g: Any, x: Any, out: Any) -> Any:
    zeros = x.eq(0).sum().item()
    if zeros == 0:
        return g * _conj(out / x)
    if zeros > 1 and not state.grad:
        return x.new_zeros(x.size())
    flat = x.reshape(-1)
    return (g.expand(1) if flat.size(0) == 1 else g * _others(flat, 0)).view(x.size())


def _folded(array: Array) -> Array:
    """The last dimension multiplied half by half, which NumPy does many at a time; along a row it goes one by one."""
    while array.shape[-1] > PRODUCT_FOLDED // 4:
        half, odd = divmod(array.shape[-1], 2)
        folded = array[..., :half] * array[..., half : 2 * half]
        if odd:
            folded[..., 0] *= array[..., -1]
        array = folded
    return array


def _folded_rows(array: Array) -> Array:
    """`_folded` by blocks of rows that stay close to the processor."""
    rows = array.reshape(-1, array.shape[-1])
    step = max(1, (PIECE) // rows.shape[1])
    parts = [_folded(rows[first : first + step]) for first in range(0, len(rows), step)]
    return numpy.concatenate(parts).reshape(*array.shape[:-1], -1) if parts else array


_MULTIPLIED_AT_ONCE = 64  # elements, from which on PyTorch multiplies several at once


def _product_of_halves(array: Array, axes: tuple[int, ...], keepdim: bool) -> Array:
    """PyTorch multiplies one after the other as they lie in memory, and rounds to 16 bits each time."""
    size = reduced_size(array.shape, axes, keepdim)
    if len(axes) != 1:
        array, axes = array.ravel("K"), (0,)
    one_by_one = kernels.quiet(numpy.multiply.accumulate, array, axis=axes[0])
    return one_by_one.take(-1, axes[0]).reshape(size)  # type: ignore[no-any-return]


def product(array: Array, axes: tuple[int, ...], keepdim: bool, kind: dtype) -> Array:
    """The product as `kind`; more than a few 16-bit numbers are multiplied as float32."""
    if kind.category == 0:
        return numpy.all(array != 0, axis=axes, keepdims=keepdim)  # type: ignore[no-any-return]
    if kernels.is_half(kind) and 0 < math.prod([array.shape[axis] for axis in axes]) < _MULTIPLIED_AT_ONCE:
        return _product_of_halves(kernels.cast(array, kind), axes, keepdim)
    source = kernels.cast(array, dtypes.float32 if kernels.is_half(kind) else kind)
    along = axes == tuple(range(source.ndim - len(axes), source.ndim))
    if axes and along and source.size:
        rows = source.reshape(-1, math.prod([source.shape[axis] for axis in axes]))
        quick = parallel.row_products(rows)
        if quick is not None:
            return quick.reshape(reduced_size(source.shape, axes, keepdim))
    if source.size > TINY and axes == (source.ndim - 1,) and source.shape[-1] >= PRODUCT_FOLDED:
        source = kernels.quiet(_folded_rows, source)
    return kernels.quiet(numpy.multiply.reduce, source, axis=axes, keepdims=keepdim, dtype=source.dtype)  # type: ignore[no-any-return]


@op(
    kind="reduce",
    rounded=1,
    derivative=Rule(numbered("ProdBackward", 0, 1), applies=refuse_whole, input=_prod_back),
    out_overlap="allowed",
)
@takes(
    "(Tensor input, *, tensorkit.dtype dtype = None)",
    "(Tensor input, int dim, bool keepdim = False, *, tensorkit.dtype dtype = None, Tensor out = None)",
)
@shortened("prod")
def prod(
    input: Tensor,
    dim: int = UNSAID,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Multiply all elements, or those along one dimension; of no elements the product is 1.

    Args:
        dim: one dimension. keepdim: keep it with size 1.
        dtype: convert to it first; bools and integers are multiplied as int64 unless told otherwise.

    >>> tk.tensor([[1, 2], [3, 4]]).prod(0)
    tensor([3, 8])
    """
    named_all(dim, keepdim, out)
    ndim = input.dim()
    axes = axes_of(UNSAID if dim is UNSAID else one_axis(dim, ndim), ndim)
    kind = result_kind("prod", input, dtype, out)
    check_kernel("prod_out_cpu", input, kind)
    return on_device.reduce("prod", input, axes, keepdim, kind, out, product)
