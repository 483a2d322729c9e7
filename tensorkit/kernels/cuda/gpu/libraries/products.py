"""Products by cuBLAS, and what is added to them."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit.kernels.cuda.gpu.libraries.place import Refused

_UNKNOWN = ("bool", "uint16", "uint32", "uint64")


def _check(*arrays: Any) -> None:
    """Refuse numbers that no product takes, and two dtypes in one."""
    if arrays[0].dtype.name in _UNKNOWN or any(array.dtype != arrays[0].dtype for array in arrays):
        raise Refused


def times(cupy: Any, a: Any, b: Any) -> Any:
    """The product of two matrices, of a matrix and a vector, of two vectors, or of two batches of matrices."""
    if not a.shape[-1]:  # a sum of nothing
        return cupy.zeros(a.shape[:-1] + b.shape[b.ndim - 1 + (b.ndim == 1) :], a.dtype)
    _check(a, b)
    return cupy.matmul(a, b)


def _factor(value: Any, kind: Any) -> Any:
    """`beta` or `alpha` as a number of a dtype: whole for whole numbers, modulo what fits."""
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, complex) and kind.kind != "c":
        raise Refused
    return numpy.asarray(int(plain) if kind.kind in "iu" else plain).astype(kind)[()]


def _combined(cupy: Any, base: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """``beta × base + alpha × product``, 16 bits wide numbers as float32; 0 ignores what it would be multiplied by."""
    kind = product.dtype
    wide = numpy.dtype(numpy.float32) if kind == numpy.float16 else kind
    product = product.astype(wide, copy=False)
    found = product * _factor(alpha, wide) if alpha != 1 else product
    if beta == 0:
        return found
    base = base.astype(wide, copy=False)
    return found + (base * _factor(beta, wide) if beta != 1 else base)


def added(cupy: Any, base: Any, a: Any, b: Any, beta: Any, alpha: Any, *, always: bool = False) -> Any:
    """``beta × base + alpha × a @ b``.

    Args:
        always: whether to multiply even if `alpha` is 0, which spreads what is infinite or no number.
    """
    if alpha == 0 and not always:
        _check(a, b)
        product = cupy.zeros(a.shape[:-1] + b.shape[b.ndim - 1 + (b.ndim == 1) :], a.dtype)
    else:
        halves = a.dtype == numpy.float16 and (alpha, beta) != (1, 0)
        wide = numpy.float32 if halves else a.dtype
        product = times(cupy, a.astype(wide, copy=False), b.astype(wide, copy=False))
    if base.dtype != a.dtype:
        raise Refused
    return _combined(cupy, base, product, beta, alpha)


def baddbmm(cupy: Any, input: Any, batch1: Any, batch2: Any, beta: Any, alpha: Any) -> Any:
    """A batch of products, each added to a matrix."""
    return added(cupy, input, batch1, batch2, beta, alpha, always=True)


def addbmm(cupy: Any, input: Any, batch1: Any, batch2: Any, beta: Any, alpha: Any) -> Any:
    """The sum of a batch of products: one wide matrix times one tall one adds the batch up on the way."""
    b, n, m = batch1.shape
    wide = cupy.moveaxis(batch1, 0, 1).reshape(n, b * m)
    return added(cupy, input, wide, batch2.reshape(b * m, batch2.shape[-1]), beta, alpha)


def addr(cupy: Any, input: Any, vec1: Any, vec2: Any, beta: Any, alpha: Any) -> Any:
    """The outer product of two vectors, added."""
    kind = numpy.result_type(input.dtype, vec1.dtype, vec2.dtype)
    if kind.name in _UNKNOWN:
        raise Refused
    wide = numpy.dtype(numpy.float32) if kind == numpy.float16 else kind
    column, row = vec1.astype(wide)[:, None], vec2.astype(wide)
    return _combined(cupy, input.astype(wide), column * _factor(alpha, wide) * row, beta, 1)


def cross(cupy: Any, input: Any, other: Any, dim: int) -> Any:
    """The cross product of two vectors, along a dimension of three."""
    _check(input, other)
    size = numpy.broadcast_shapes(input.shape, other.shape)
    a, b = (cupy.moveaxis(cupy.broadcast_to(array, size), dim, 0) for array in (input, other))
    parts = [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return cupy.stack(parts, dim % len(size))


def trace(cupy: Any, input: Any) -> Any:
    """The sum of a matrix's diagonal; of whole numbers as int64."""
    if not math.prod(input.shape):
        return cupy.zeros((), input.dtype)
    whole = input.dtype.kind in "biu"
    return cupy.trace(input, dtype=numpy.dtype(numpy.int64) if whole else input.dtype)
