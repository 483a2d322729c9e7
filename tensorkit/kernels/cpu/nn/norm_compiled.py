"""Rows made to have mean 0 and variance 1, and the gradients of that, compiled: see ``kernels.jit.compiler``."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.jit.compiler import loop

_ENDLESS = numpy.inf


@loop(
    "void(f4[:,::1],f4[::1],f4[::1],f4[:,::1],f4[::1],f4[::1],f8)",
    "void(f8[:,::1],f8[::1],f8[::1],f8[:,::1],f8[::1],f8[::1],f8)",
    reordered=True,
)
def layer_norm(x, weight, bias, out, mean, rstd, eps):  # type: ignore[no-untyped-def]
    real, count = x.dtype.type, x.shape[1]
    for i in range(x.shape[0]):
        row, made = x[i], out[i]
        total: Any = 0.0
        for first in range(0, count, 4096):  # short enough to be exact in single precision
            part, some = row[first : first + 4096], real(0)
            for k in range(part.size):
                some += part[k]
            total += some
        centre = real(total / count)
        total = 0.0
        for first in range(0, count, 4096):
            part, some = row[first : first + 4096], real(0)
            for k in range(part.size):
                apart = part[k] - centre
                some += apart * apart
            total += some
        scale = real(1 / numpy.sqrt(total / count + eps))
        if not abs(centre) < _ENDLESS or not total < _ENDLESS:  # PyTorch's way of adding them gives nan
            centre = centre if abs(centre) < _ENDLESS else real(numpy.nan)
            scale = real(numpy.nan)
        mean[i], rstd[i] = centre, scale
        for k in range(count):
            made[k] = (row[k] - centre) * scale * weight[k] + bias[k]


@loop(
    "void(f4[:,::1],f4[:,::1],f4[::1],f4[::1],f4[::1],f4[:,::1],f4[::1],f4[::1])",
    "void(f8[:,::1],f8[:,::1],f8[::1],f8[::1],f8[::1],f8[:,::1],f8[::1],f8[::1])",
    reordered=True,
)
def layer_norm_back(grad, x, weight, mean, rstd, out, of_weight, of_bias):  # type: ignore[no-untyped-def]
    real, count = x.dtype.type, x.shape[1]
    for i in range(x.shape[0]):
        g, row = grad[i], x[i]
        centre, scale = mean[i], rstd[i]
        if of_bias.size:
            for k in range(count):
                of_weight[k] += g[k] * (row[k] - centre) * scale
                of_bias[k] += g[k]
        if out.size:
            made, pull, turn = out[i], real(0), real(0)
            for k in range(count):
                steep = g[k] * weight[k]
                pull += steep
                turn += steep * (row[k] - centre)
            lean = turn * scale * scale * scale / real(count)
            shift = pull * scale / real(count)
            for k in range(count):
                made[k] = scale * g[k] * weight[k] - (row[k] - centre) * lean - shift


@loop("void(f4[:,:,::1],f8[::1],f8[::1],i8,i8)", "void(f8[:,:,::1],f8[::1],f8[::1],i8,i8)", reordered=True)
def channel_moments(x, mean, var, first, last):  # type: ignore[no-untyped-def]
    batch, _, length = x.shape
    for c in range(first, last):
        total: Any = 0.0
        for n in range(batch):
            row = x[n, c]
            for k in range(length):
                total += row[k]
        centre = total / (batch * length)
        total = 0.0
        for n in range(batch):
            row = x[n, c]
            for k in range(length):
                apart = row[k] - centre
                total += apart * apart
        mean[c], var[c] = centre, total / (batch * length)


@loop(
    "void(f4[:,:,::1],f4[::1],f4[::1],f4[::1],f4[:,:,::1],i8,i8)",
    "void(f8[:,:,::1],f8[::1],f8[::1],f8[::1],f8[:,:,::1],i8,i8)",
)
def channel_scaled(x, centre, scale, shift, out, first, last):  # type: ignore[no-untyped-def]
    for n in range(first, last):
        for c in range(x.shape[1]):
            row, made, middle, a, b = x[n, c], out[n, c], centre[c], scale[c], shift[c]
            for k in range(row.size):
                made[k] = (row[k] - middle) * a + b


@loop(
    "void(f4[:,:,::1],f4[:,:,::1],f8[::1],f8[::1],f8[::1],f4[:,:,::1],f8[::1],f8[::1],b1,i8,i8)",
    "void(f8[:,:,::1],f8[:,:,::1],f8[::1],f8[::1],f8[::1],f8[:,:,::1],f8[::1],f8[::1],b1,i8,i8)",
    reordered=True,
)
def channel_back(grad, x, mean, rstd, weight, out, of_weight, of_bias, training, first, last):  # type: ignore[no-untyped-def]
    batch, _, length = x.shape
    real = x.dtype.type
    for c in range(first, last):
        centre = real(mean[c])
        pull: Any = 0.0
        turn: Any = 0.0
        for n in range(batch):
            g, row = grad[n, c], x[n, c]
            for k in range(length):
                pull += g[k]
                turn += g[k] * (row[k] - centre)
        of_weight[c], of_bias[c] = turn * rstd[c], pull
        if out.size:
            even, lean = real(0), real(0)
            if training:
                even = real(pull / (batch * length))
                lean = real(turn * rstd[c] * rstd[c] / (batch * length))
            scale = real(rstd[c] * weight[c])
            for n in range(batch):
                g, row, made = grad[n, c], x[n, c], out[n, c]
                for k in range(length):
                    made[k] = (g[k] - even - (row[k] - centre) * lean) * scale
