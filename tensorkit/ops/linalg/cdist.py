"""Distances between points: of every point of one set and every point of another, or of all pairs of one set."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.library import through_library
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.promotion import check_devices
from tensorkit.errors import MissingKernelError
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.matrix_products.product import deliver_product
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Array, Tensor

_BLOCK = 1 << 21  # differences that are held at once
_MODES = {
    "use_mm_for_euclid_dist_if_necessary": 0,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}
_BY_PRODUCTS = 25  # points from which on PyTorch multiplies matrices instead


# -- point by point -----------------------------------------------------------------------------------------------


def _distances(a: Array, b: Array, p: float) -> Array:
    """The distance of every pair of points of two row-major batches."""
    out = numpy.empty((*a.shape[:-1], b.shape[-2]), a.dtype)
    for one, other, place in zip(a, b, out, strict=True):
        if p in (0, math.inf):
            _by_blocks(one, other, p, place)
        else:
            place[...] = _minkowski(one, other, p)
    return out


def _minkowski(a: Array, b: Array, p: float) -> Array:
    from scipy.spatial.distance import cdist as measured

    wide = a.astype(numpy.float64), b.astype(numpy.float64)
    name = "cityblock" if p == 1 else "euclidean" if p == 2 else "minkowski"
    found: Array = kernels.quiet(measured, *wide, name, **({"p": p} if name == "minkowski" else {}))
    return found


def _by_blocks(a: Array, b: Array, p: float, out: Array) -> None:
    """The number of coordinates that differ (p = 0), or the largest difference, which is never nan (p = ∞)."""
    step = max(1, _BLOCK // b.size)
    for start in range(0, len(a), step):
        apart = numpy.abs(kernels.quiet(numpy.subtract, a[start : start + step, None], b))
        if p == 0:
            out[start : start + step] = numpy.minimum(numpy.ceil(apart), 1).sum(-1)
        else:
            out[start : start + step] = numpy.fmax.reduce(apart, axis=-1, initial=0)


def _slopes(apart: Array, dist: Array, p: float) -> Array:
    """How each distance grows with a coordinate of the first point; 0 where the points are the same."""
    slope: Array = numpy.sign(apart)
    if p == 1:
        return slope
    if p == math.inf:
        slope *= numpy.where(numpy.isnan(dist), dist, numpy.abs(apart) == dist)
        return slope
    if p == 2:
        slope = apart / dist
    elif p < 2:
        slope *= numpy.abs(apart) ** (p - 1) / dist ** (p - 1)
    else:
        slope = apart * numpy.abs(apart) ** (p - 2) / dist ** (p - 1)
    same: Array = (dist == 0) | ((apart == 0) & (p < 1))
    numpy.copyto(slope, 0, where=same)
    return slope


def _pulled(grad: Array, a: Array, b: Array, dist: Array, p: float) -> Array:
    """The gradient of the first points, from that of all distances."""
    out = numpy.zeros_like(a)
    if p == 0 or not b.size:
        return out
    for g, one, other, far, place in zip(grad, a, b, dist, out, strict=True):
        step = max(1, _BLOCK // other.size)
        for start in range(0, len(one), step):
            rows = slice(start, start + step)
            slopes = kernels.quiet(_slopes, one[rows, None] - other, far[rows, :, None], p)
            place[rows] = kernels.quiet(numpy.einsum, "ij,ijk->ik", g[rows], slopes)
    return out


# -- operations ---------------------------------------------------------------------------------------------------


def _batched(tensor: Tensor, batch: tuple[int, ...]) -> Array:
    """The points of a tensor, expanded, as one batch of row-major matrices."""
    size = tensor._lay().size[-2:]
    expanded = tensor.expand((*batch, *size))._nd()
    return numpy.ascontiguousarray(expanded).reshape(math.prod(batch), *size)


def _batch(x1: Tensor, x2: Tensor) -> tuple[int, ...]:
    return broadcast_sizes(x1._lay().size[:-2], x2._lay().size[:-2])


def _forward(x1: Tensor, x2: Tensor, p: float) -> Tensor:
    batch, kind = _batch(x1, x2), x1._dtype
    size = (*batch, x1.size(-2), x2.size(-2))

    def body() -> Array:
        if not math.prod(size) or not x1.size(-1):
            return numpy.zeros(size, kind.numpy)
        if kernels.is_half(kind):
            raise missing_kernel("cdist", kind.label)
        if x2._dtype is not kind:
            raise RuntimeError(f"expected scalar type {kind.label} but found {x2._dtype.label}")
        return _distances(_batched(x1, batch), _batched(x2, batch), p).reshape(size)

    return deliver_product("_cdist_forward", body, size, kind, check_devices((x1, x2)), None)


def _backward(grad: Tensor, x1: Tensor, x2: Tensor, p: float, cdist: Tensor) -> Tensor:
    batch, kind = _batch(x1, x2), x1._dtype
    size = (*batch, *x1._lay().size[-2:])

    def body() -> Array:
        points = _batched(x1, batch), _batched(x2, batch)
        found = _pulled(_batched(grad, batch), *points, _batched(cdist, batch), p)
        return kernels.cast(found, kind).reshape(size)

    return deliver_product("_cdist_backward", body, size, kind, grad._device, None)


def _none(g: Any, c: Any) -> Any:
    raise MissingKernelError(
        "the derivative for '_cdist_backward' is not implemented.\nThe distance by matrix products has a second "
        "derivative: compute_mode='use_mm_for_euclid_dist'."
    )


_cdist_backward = differentiable(
    through_library("_cdist_backward", "BLAS", _backward),
    Rule("CdistBackwardBackward0", grad=_none, x1=_none, x2=_none, cdist=_none),
    "_cdist_backward",
    "reduce",
)
_cdist_forward = differentiable(
    through_library("_cdist_forward", "BLAS", _forward),
    Rule(
        "CdistBackward0",
        x1=lambda g, c: _cdist_backward(g.contiguous(), c.x1, c.x2, c.p, c.out),
        x2=lambda g, c: _cdist_backward(g.mT.contiguous(), c.x2, c.x1, c.p, c.out.mT.contiguous()),
    ),
    "_cdist_forward",
    "reduce",
)


def _euclidean(x1: Tensor, x2: Tensor) -> Tensor:
    """Distances by one matrix product: (a - b)² = a² - 2ab + b². Fast, and inexact for neighbours."""
    squares = [one.pow(2).sum(-1, keepdim=True) for one in (x1, x2)]
    product = (x1 * -2).matmul(x2.mT) + squares[0] + squares[1].mT
    distances: Tensor = product.clamp_min(0).sqrt()
    return distances


def _euclidean_ratio(g: Any, c: Any) -> Any:
    return (g / c.out).masked_fill_(c.out.eq(0), 0)


def _euclidean_first(g: Any, c: Any) -> Any:
    ratio = _euclidean_ratio(g, c)
    return c.x1 * ratio.sum(-1, keepdim=True) - ratio.matmul(c.x2)


def _euclidean_second(g: Any, c: Any) -> Any:
    ratio = _euclidean_ratio(g, c)
    return c.x2 * ratio.sum(-2).unsqueeze(-1) - ratio.mT.matmul(c.x1)


_euclidean_dist = differentiable(
    _euclidean,
    Rule("EuclideanDistBackward0", x1=_euclidean_first, x2=_euclidean_second),
    "_euclidean_dist",
    "reduce",
)


def _by_products(x1: Tensor, x2: Tensor) -> Tensor:
    batch = _batch(x1, x2)
    rows, columns = x1.size(-2), x2.size(-2)
    if x1._dtype is not x2._dtype:
        names = [_CPP[x1._dtype], _CPP[x2._dtype]]
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {names[0]} != {names[1]}")
    many = math.prod(batch)
    if many != 1:
        x1, x2 = (
            one.expand((*batch, *one.size()[-2:])).contiguous().view(many, *one.size()[-2:])
            for one in (x1, x2)
        )
    return _euclidean_dist(x1, x2).view((*batch, rows, columns))  # type: ignore[no-any-return]


_CPP: dict[dtype, str] = {
    dtypes.float16: "c10::Half",
    dtypes.bfloat16: "c10::BFloat16",
    dtypes.float32: "float",
    dtypes.float64: "double",
}


def _check_points(x1: Any, x2: Any, p: Any) -> None:
    if not isinstance(plain_number(p), (int, float)):
        raise TypeError(f"cdist(): argument 'p' (position 3) must be float, not {type_name(p)}")
    for label, points in (("X1", x1), ("X2", x2)):
        if points.dim() < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {label} got: {points.dim()}D")
    if x1.size(-1) != x2.size(-1):
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.size(-1)} X2: {x2.size(-1)}"
        )
    for label, points in (("X1", x1), ("X2", x2)):
        if not points._dtype.is_floating_point:
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, {label} got: {points._dtype.label}"
            )
    if not p >= 0:
        raise RuntimeError("cdist only supports non-negative p values")


@op(kind="reduce", rounded=4, methods=())
@takes(
    "(Tensor x1, Tensor x2, float p = 2, int compute_mode = None)",
    python=lambda x1, x2, p=2.0, compute_mode="": ("cdist", (x1, x2, p, None), {}),
)
def cdist(
    x1: Tensor, x2: Tensor, p: Any = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor:
    """The distance of every point of one set from every point of another.

    Args:
        x1, x2: n × m and k × m, with the same or broadcast batch dimensions in front: a point is a row.
        p: of the norm that measures: 2 as the crow flies, 1 along the streets, ``inf`` the largest difference, 0 the
            number of differences.
        compute_mode: whether to use matrix products for ``p = 2``: faster, and less exact for neighbours; by default
            from 26 points on.

    Returns:
        n × k distances.

    Raises:
        RuntimeError: for a dtype that is not floating point, or sizes that do not fit.

    >>> tk.cdist(tk.tensor([[0.0, 0.0], [3.0, 0.0]]), tk.tensor([[0.0, 4.0]]))
    tensor([[4.],
            [5.]])
    """
    for position, (label, value) in enumerate((("x1", x1), ("x2", x2)), 1):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"cdist(): argument '{label}' (position {position}) must be Tensor, not {type_name(value)}"
            )
    if compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    _check_points(x1, x2, p)
    mode, p = _MODES[compute_mode], float(p)
    many = x1.size(-2) > _BY_PRODUCTS or x2.size(-2) > _BY_PRODUCTS
    empty = not x1.size(-2) or not x2.size(-2) or not x1.size(-1) or 0 in _batch(x1, x2)
    if p == 2 and not empty and (mode == 1 or (mode == 0 and many)):
        return _by_products(x1, x2)
    return _cdist_forward(x1, x2, p)  # type: ignore[no-any-return]


# -- within one set -----------------------------------------------------------------------------------------------


def _far(apart: Array, p: float) -> Any:
    """The lengths of differences, in their own precision; unlike `cdist`, PyTorch widens nothing here."""
    far: Array = numpy.abs(apart)
    if p == 0:
        return numpy.minimum(numpy.ceil(far), 1).sum(-1)
    if p == math.inf:
        return far.max(-1, initial=0)
    if p == 1:
        return far.sum(-1)
    if p == 2:
        return numpy.sqrt((far * far).sum(-1))
    kind = apart.dtype.type
    return (far ** kind(p)).sum(-1) ** (1 / kind(p))


def _pairs(input: Tensor, p: float) -> Tensor:
    points, kind = input.size(-2), input._dtype
    size = (points * max(points - 1, 0) // 2,)

    def body() -> Array:
        if not size[0] or not input.size(-1):
            return numpy.zeros(size, kind.numpy)
        if kernels.is_half(kind):
            raise missing_kernel("pdist", kind.label)
        rows = _batched(input, ())[0]
        far = [
            kernels.quiet(lambda a, b: _far(a - b, p), row, rows[place:])
            for place, row in enumerate(rows[:-1], 1)
        ]
        return numpy.concatenate(far)

    return deliver_product("_pdist_forward", body, size, kind, input._device, None)


def _unpaired(grad: Tensor, input: Tensor, p: float, pdist: Tensor) -> Tensor:
    points, kind = input.size(-2), input._dtype

    def square(pairs: Tensor) -> Any:
        whole = numpy.zeros((1, points, points), kind.numpy)
        whole[0][numpy.triu_indices(points, 1)] = pairs._nd()
        return whole + whole.mT

    def body() -> Array:
        batch = _batched(input, ())
        found: Array = kernels.cast(_pulled(square(grad), batch, batch, square(pdist), p), kind)[0]
        return found

    return deliver_product("_pdist_backward", body, tuple(input.size()), kind, grad._device, None)


def _no_second(g: Any, c: Any) -> Any:
    raise MissingKernelError("the derivative for '_pdist_backward' is not implemented.")


_pdist_backward = differentiable(
    through_library("_pdist_backward", "BLAS", _unpaired),
    Rule("PdistBackwardBackward0", grad=_no_second, input=_no_second, pdist=_no_second),
    "_pdist_backward",
    "reduce",
)
_pdist_forward = differentiable(
    through_library("_pdist_forward", "BLAS", _pairs),
    Rule("PdistBackward0", input=lambda g, c: _pdist_backward(g, c.input, c.p, c.out)),
    "_pdist_forward",
    "reduce",
)


@op(strict=True, kind="reduce", rounded=4, methods=())
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distance of every two points of one set: first of the first from all others, and so on.

    Args:
        input: n × m: a point is a row.
        p: of the norm that measures, as for `cdist`.

    Returns:
        n (n - 1) / 2 distances.

    Raises:
        RuntimeError: for anything but a floating point matrix, and a negative `p`.

    >>> tk.pdist(tk.tensor([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]))
    tensor([3., 4., 5.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pdist.html
    """
    power = float(p)
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if not input._dtype.is_floating_point:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if not power >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return _pdist_forward(input, power)  # type: ignore[no-any-return]
