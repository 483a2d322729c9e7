"""Distances between points, and their gradients: by CuPy's elementwise functions, some rows at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit.kernels.cuda.gpu.libraries.place import Refused

_BLOCK = 1 << 24  # differences that are held at once


def _check(*arrays: Any) -> None:
    if any(array.dtype.name not in ("float32", "float64") for array in arrays):
        raise Refused
    if any(array.dtype != arrays[0].dtype for array in arrays):
        raise Refused


def _lengths(cupy: Any, apart: Any, p: float) -> Any:
    """The p-norm of differences."""
    sizes = cupy.abs(apart)
    if p == 0:
        return cupy.sum(cupy.minimum(cupy.ceil(sizes), apart.dtype.type(1)), axis=-1)
    if p == math.inf:
        return cupy.max(sizes, axis=-1)
    if p == 1:
        return cupy.sum(sizes, axis=-1)
    if p == 2:
        return cupy.sqrt(cupy.sum(sizes * sizes, axis=-1))
    kind = apart.dtype.type
    return cupy.sum(sizes ** kind(p), axis=-1) ** kind(1 / p)


def _slopes(cupy: Any, apart: Any, far: Any, p: float) -> Any:
    """How each distance grows with a coordinate of the first point; 0 where the points are the same."""
    sizes, kind = cupy.abs(apart), apart.dtype.type
    if p == 1:
        return cupy.sign(apart)
    if p == math.inf:
        return cupy.sign(apart) * cupy.where(cupy.isnan(far), far, (sizes == far).astype(apart.dtype))
    if p == 2:
        slope = apart / far
    elif p < 2:
        slope = cupy.sign(apart) * sizes ** kind(p - 1) / far ** kind(p - 1)
    else:
        slope = apart * sizes ** kind(p - 2) / far ** kind(p - 1)
    same = (far == 0) | (sizes == 0) if p < 1 else far == 0
    return cupy.where(same, kind(0), slope)


def _row_blocks(a: Any, b: Any) -> list[slice]:
    """The first points in groups of rows whose differences fit the memory."""
    batch = math.prod(numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2]))
    step = max(1, _BLOCK // max(1, batch * math.prod(b.shape[-2:])))
    return [slice(start, start + step) for start in range(0, a.shape[-2], step)]


def between(cupy: Any, a: Any, b: Any, p: float) -> Any:
    """The distance of every point of one set from every point of another."""
    batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if not a.shape[-1]:
        return cupy.zeros((*batch, a.shape[-2], b.shape[-2]), a.dtype)
    _check(a, b)
    found = cupy.empty((*batch, a.shape[-2], b.shape[-2]), a.dtype)
    for rows in _row_blocks(a, b):
        found[..., rows, :] = _lengths(cupy, a[..., rows, None, :] - b[..., None, :, :], p)
    return found


def pulled(cupy: Any, grad: Any, a: Any, b: Any, p: float, far: Any) -> Any:
    """The gradient of the first points, from that of all distances."""
    batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    found = cupy.zeros((*batch, *a.shape[-2:]), a.dtype)
    if p == 0 or not b.size:
        return found
    _check(a, b)
    for rows in _row_blocks(a, b):
        slopes = _slopes(cupy, a[..., rows, None, :] - b[..., None, :, :], far[..., rows, :, None], p)
        found[..., rows, :] = cupy.sum(grad[..., rows, :, None] * slopes, axis=-2)
    return found


def _each_pair(cupy: Any, count: int) -> Any:
    """The numbers of the points of all pairs."""
    return cupy.nonzero(cupy.triu(cupy.ones((count, count), numpy.int8), 1))


def pairs(cupy: Any, input: Any, p: float) -> Any:
    """The distances of all pairs of one set."""
    first, second = _each_pair(cupy, len(input))
    return between(cupy, input, input, p)[first, second]


def unpaired(cupy: Any, grad: Any, input: Any, p: float, far: Any) -> Any:
    """The gradient of the points, from that of all pairs."""
    first, second = _each_pair(cupy, len(input))
    squares = []
    for values in (grad, far):
        whole = cupy.zeros((len(input), len(input)), input.dtype)
        whole[first, second] = values
        whole[second, first] = values
        squares.append(whole)
    return pulled(cupy, squares[0], input, input, p, squares[1])
