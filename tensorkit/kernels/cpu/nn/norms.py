"""Rows made to have mean 0 and variance 1, and the gradients of that: by a compiled loop, or by NumPy."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cpu.nn import norm_compiled
from tensorkit.kernels.cpu.parallel import found
from tensorkit.kernels.jit.compiler import Loop
from tensorkit.kernels.jit.threads import spread
from tensorkit.kernels.sizes import LOOPS, NORMED_BY_LOOP, PIECE

Array = numpy.ndarray[Any, Any]


def _loop(loop: Loop, x: Array) -> Any:
    """The compiled loop, if it is there and for numbers of this kind."""
    return found(loop, x.size) if x.size >= LOOPS and x.dtype.char in "fd" else None


def _solid(array: Array) -> Array:
    """Row-major, and such as a loop takes: memory that may be written to."""
    return array if array.flags.carray else array.copy()


def _grain(rows: Array) -> int:
    return max(1, PIECE // max(1, int(rows.shape[1])))


def _row(values: Array | None, count: int, usual: int, kind: Any) -> Array:
    """The weights or biases of a row in its dtype; if there are none, ones or zeros."""
    if values is None:
        return numpy.full(count, usual, kind)
    return _solid(values).astype(kind, copy=False).reshape(count)


def layer_norm(
    out: Array, mean: Array, rstd: Array, x: Array, weight: Array | None, bias: Array | None, *, eps: float
) -> None:
    """Fill three results: the rows that `mean` has an element for, normalised; their means; one over their spread."""
    means, scales = mean.reshape(-1), rstd.reshape(-1)
    if not x.size:
        means[...], scales[...] = 0, numpy.nan
        return
    rows, made = _solid(x).reshape(means.size, -1), out.reshape(means.size, -1)
    count = rows.shape[1]
    by, shift = _row(weight, count, 1, x.dtype), _row(bias, count, 0, x.dtype)
    fast = _loop(norm_compiled.layer_norm, rows)
    if fast is not None:
        spread(
            lambda i, j: fast(rows[i:j], by, shift, made[i:j], means[i:j], scales[i:j], eps),
            len(rows),
            _grain(rows),
        )
        return
    centre = rows.mean(1, keepdims=True)
    apart = rows - centre
    square = numpy.square(apart).mean(1, keepdims=True)
    scale = 1 / numpy.sqrt(numpy.where(numpy.isinf(square), numpy.nan, square) + eps, dtype=x.dtype)
    centre[numpy.isinf(centre)] = numpy.nan  # PyTorch's way of adding them gives nan
    made[...] = apart * scale * by + shift
    means[...], scales[...] = centre[:, 0], scale[:, 0]


def layer_norm_back(
    out: Array,
    of_weight: Array,
    of_bias: Array,
    grad: Array,
    x: Array,
    weight: Array | None,
    mean: Array,
    rstd: Array,
) -> None:
    """Fill the gradients of the input, the weights and the biases; those without elements are not wanted."""
    means, scales = (_solid(one).astype(x.dtype, copy=False).reshape(-1) for one in (mean, rstd))
    rows, pulls = (_solid(one).reshape(means.size, -1) for one in (x, grad))
    made, count = out.reshape(means.size if out.size else 0, -1 if out.size else 0), rows.shape[1]
    by = _row(weight, count, 1, x.dtype)
    fast, grain = _loop(norm_compiled.layer_norm_back, rows), _grain(rows)
    if fast is None:
        _back(made, of_weight, of_bias, pulls, rows, by, means[:, None], scales[:, None])
        return
    shares = -(-len(rows) // grain) if of_bias.size else 1
    parts = numpy.zeros((2, shares, of_bias.size), x.dtype)

    def piece(i: int, j: int) -> None:
        share = parts[:, i // grain if of_bias.size else 0]
        fast(pulls[i:j], rows[i:j], by, means[i:j], scales[i:j], made[i:j], share[0], share[1])

    spread(piece, len(rows), grain, grain if of_bias.size else 0)
    if of_bias.size:
        of_weight.reshape(-1)[...], of_bias.reshape(-1)[...] = parts.sum(1)


def _back(
    out: Array,
    of_weight: Array,
    of_bias: Array,
    grad: Array,
    x: Array,
    weight: Array,
    mean: Array,
    rstd: Array,
) -> None:
    even = (x - mean) * rstd
    if of_bias.size:
        of_weight.reshape(-1)[...], of_bias.reshape(-1)[...] = (grad * even).sum(0), grad.sum(0)
    if out.size:
        steep = grad * weight
        turn = (steep * even).mean(1, keepdims=True)
        out[...] = rstd * (steep - steep.mean(1, keepdims=True) - even * turn)


# -- channels -------------------------------------------------------------------------------------------------------


def _channels(x: Array) -> Array:
    """(n, channels, ...) as three dimensions, row-major."""
    return _solid(x).reshape(x.shape[0], x.shape[1], -1)


def _fast(loop: Loop, rows: Array) -> Any:
    return _loop(loop, rows) if rows.shape[2] >= NORMED_BY_LOOP else None


def channel_moments(mean: Array, var: Array, x: Array) -> None:
    """Fill the mean and the variance of each channel, in double precision."""
    rows = _channels(x)
    fast = _fast(norm_compiled.channel_moments, rows)
    if fast is not None:
        spread(lambda i, j: fast(rows, mean, var, i, j), mean.size, _grain(rows[0]))
        return
    centre = rows.mean((0, 2), dtype=numpy.float64, keepdims=True)
    mean[...] = centre[0, :, 0]
    var[...] = numpy.square(rows - centre).mean((0, 2))


def channel_scaled(out: Array, x: Array, centre: Array, scale: Array, shift: Array) -> None:
    """Fill ``(x - centre) * scale + shift``, which each channel has one of."""
    rows = _channels(x)
    given = [_row(one, rows.shape[1], 0, x.dtype) for one in (centre, scale, shift)]
    fast = _fast(norm_compiled.channel_scaled, rows)
    made = out.reshape(rows.shape) if out.flags.c_contiguous else numpy.empty_like(rows)
    if fast is not None:
        spread(lambda i, j: fast(rows, *given, made, i, j), len(rows), _grain(rows.reshape(len(rows), -1)))
    else:
        middle, by, end = (one[:, None] for one in given)
        made[...] = (rows - middle) * by + end
    if not out.flags.c_contiguous:
        out[...] = made.reshape(out.shape)


def channel_back(
    out: Array,
    of_weight: Array,
    of_bias: Array,
    grad: Array,
    x: Array,
    weight: Array | None,
    mean: Array,
    rstd: Array,
    *,
    training: bool,
) -> None:
    """Fill the gradients of the input, if it has elements, the weights and the biases."""
    rows, pulls = _channels(x), _channels(grad)
    mean, rstd = (_row(one, mean.size, 0, numpy.float64) for one in (mean, rstd))
    by = _row(weight, mean.size, 1, numpy.float64)
    made = numpy.empty(rows.shape if out.size else (0, 0, 0), x.dtype)
    fast = _fast(norm_compiled.channel_back, rows)
    shares = numpy.empty((2, mean.size))
    if fast is not None:
        spread(
            lambda i, j: fast(pulls, rows, mean, rstd, by, made, shares[0], shares[1], training, i, j),
            mean.size,
            _grain(rows[0]),
        )
    else:
        even = (rows - mean.astype(x.dtype)[:, None]) * rstd.astype(x.dtype)[:, None]
        shares[0] = (pulls * even).sum((0, 2), dtype=numpy.float64)
        shares[1] = pulls.sum((0, 2), dtype=numpy.float64)
        lean, shift = shares * training / (rows.size / mean.size)
        leant = pulls - even * lean.astype(x.dtype)[:, None] - shift.astype(x.dtype)[:, None]
        made = leant * (rstd * by).astype(x.dtype)[:, None]
    of_weight[...], of_bias[...] = shares
    if out.size:
        out[...] = made.reshape(out.shape)


def group_norm(
    out: Array, mean: Array, rstd: Array, x: Array, weight: Array | None, bias: Array | None, *, eps: float
) -> None:
    """Fill three results: groups of channels, normalised; their means; one over their spread."""
    layer_norm(numpy.empty(x.shape, x.dtype), mean, rstd, x, None, None, eps=eps)
    if not x.size:
        return
    channels = x.shape[1]
    many = channels // mean.shape[1]
    scale, centre = (numpy.repeat(one.astype(x.dtype), many, 1) for one in (rstd, mean))
    scale = scale * _row(weight, channels, 1, x.dtype)
    shift = _row(bias, channels, 0, x.dtype) - scale * centre
    out[...] = (_channels(x) * scale[..., None] + shift[..., None]).reshape(x.shape)
