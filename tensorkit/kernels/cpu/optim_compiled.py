"""Steps of optimizers in one pass over memory, compiled: see ``kernels.jit.compiler``.

A step written with tensors reads and writes each of them several times, which costs more than the arithmetic. These do
the same, number by number and rounding by rounding, as `tensorkit.optim` has it in tensors.
"""

from __future__ import annotations

import numpy

from tensorkit.kernels.jit.compiler import loop

__all__ = ["adam", "by_root", "descent", "momentum"]


@loop("void(f4[::1],f4[::1],f8,f8)", "void(f8[::1],f8[::1],f8,f8)")
def descent(param, grad, rate, decay):  # type: ignore[no-untyped-def]
    real = param.dtype.type
    r, d = real(-rate), real(decay)
    for i in range(param.size):
        g = grad[i]
        if decay != 0:
            g = g + param[i] * d
        param[i] = param[i] + g * r


@loop(
    "void(f4[::1],f4[::1],f4[::1],f8,f8,f8,f8,b1)",
    "void(f8[::1],f8[::1],f8[::1],f8,f8,f8,f8,b1)",
)
def momentum(param, grad, buffer, rate, decay, kept, share, nesterov):  # type: ignore[no-untyped-def]
    real = param.dtype.type
    r, d, k, s = real(-rate), real(decay), real(kept), real(share)
    for i in range(param.size):
        g = grad[i]
        if decay != 0:
            g = g + param[i] * d
        b = buffer[i] * k + g * s
        buffer[i] = b
        param[i] = param[i] + (g + b * k if nesterov else b) * r


@loop(
    "void(f4[::1],f4[::1],f4[::1],f4[::1],f8,f8,f8,f8,f8,f8,f8)",
    "void(f8[::1],f8[::1],f8[::1],f8[::1],f8,f8,f8,f8,f8,f8,f8)",
)
def adam(param, grad, mean, square, shrink, decay, beta1, beta2, rate, root, eps):  # type: ignore[no-untyped-def]
    real = param.dtype.type
    one, c, d, w = real(1), real(shrink), real(decay), real(1 - beta1)
    near, rest, k, s = abs(w) < real(0.5), one - w, real(beta2), real(1 - beta2)
    r, q, e = real(-rate), real(root), real(eps)
    for i in range(param.size):
        p, g = param[i] * c, grad[i]
        if decay != 0:
            g = g + p * d
        m = mean[i] + w * (g - mean[i]) if near else g - (g - mean[i]) * rest
        v = square[i] * k + s * g * g
        mean[i], square[i] = m, v
        param[i] = p + r * m / (numpy.sqrt(v) / q + e)


@loop("void(f4[::1],f4[::1],f4[::1],f8,f8,f8,f8,f8)", "void(f8[::1],f8[::1],f8[::1],f8,f8,f8,f8,f8)")
def by_root(param, grad, square, rate, decay, kept, share, eps):  # type: ignore[no-untyped-def]
    real = param.dtype.type
    r, d, k, s, e = real(-rate), real(decay), real(kept), real(share), real(eps)
    for i in range(param.size):
        g = grad[i]
        if decay != 0:
            g = g + param[i] * d
        v = square[i] * k + s * g * g
        square[i] = v
        param[i] = param[i] + r * g / (numpy.sqrt(v) + e)
