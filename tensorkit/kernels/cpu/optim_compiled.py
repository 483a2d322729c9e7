"""Steps of optimizers in one pass over memory, compiled: see ``kernels.jit.compiler``.

A step written with tensors reads and writes each of them several times, which costs more than the arithmetic. These do
the same, number by number and rounding by rounding, as `tensorkit.optim` has it in tensors.
"""

from __future__ import annotations

import numpy

from tensorkit.kernels.jit.compiler import loop


def _of(arrays: int, numbers: int, flag: str = "") -> list[str]:
    """Arrays of either precision, then numbers."""
    return [f"void({','.join([f'{kind}[::1]'] * arrays + ['f8'] * numbers)}{flag})" for kind in ("f4", "f8")]


def _larger(a, b):  # type: ignore[no-untyped-def]
    return a if a >= b or a != a else b


def _nearer(a, b, w, near, rest):  # type: ignore[no-untyped-def]
    # As `lerp` has it: from the end that is nearer.
    return a + w * (b - a) if near else b - (b - a) * rest


@loop(*_of(2, 2))
def descent(param, grad, rate, decay):  # type: ignore[no-untyped-def]
    real = param.dtype.type
    r, d = real(-rate), real(decay)
    for i in range(param.size):
        g = grad[i]
        if decay != 0:
            g = g + param[i] * d
        param[i] = param[i] + g * r


@loop(*_of(3, 4, ",b1"))
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


@loop(*_of(5, 7, ",b1"))
def adam(param, grad, mean, square, most, shrink, decay, beta1, beta2, rate, root, eps, largest):  # type: ignore[no-untyped-def]
    real = param.dtype.type
    one, c, d, w = real(1), real(shrink), real(decay), real(1 - beta1)
    near, rest, k, s = abs(w) < real(0.5), one - w, real(beta2), real(1 - beta2)
    r, q, e = real(-rate), real(root), real(eps)
    for i in range(param.size):
        p, g = param[i] * c, grad[i]
        if decay != 0:
            g = g + p * d
        m = _nearer(mean[i], g, w, near, rest)
        v = square[i] * k + s * g * g
        mean[i], square[i] = m, v
        if largest:
            v = _larger(most[i], v)
            most[i] = v
        param[i] = p + r * m / (numpy.sqrt(v) / q + e)


@loop(*_of(4, 5))
def adamax(param, grad, mean, most, rate, decay, beta1, beta2, eps):  # type: ignore[no-untyped-def]
    real = param.dtype.type
    one, r, d, w, k, e = real(1), real(-rate), real(decay), real(1 - beta1), real(beta2), real(eps)
    near, rest = abs(w) < real(0.5), one - w
    for i in range(param.size):
        g = grad[i]
        if decay != 0:
            g = g + param[i] * d
        m = _nearer(mean[i], g, w, near, rest)
        u = _larger(most[i] * k, abs(g) + e)
        mean[i], most[i] = m, u
        param[i] = param[i] + r * m / u


@loop(*_of(4, 8))
def nadam(param, grad, mean, square, shrink, decay, beta1, beta2, past, ahead, correction, eps):  # type: ignore[no-untyped-def]
    real = param.dtype.type
    one, c, d, w = real(1), real(shrink), real(decay), real(1 - beta1)
    near, rest, k, s = abs(w) < real(0.5), one - w, real(beta2), real(1 - beta2)
    p, a, q, e = real(past), real(ahead), real(correction), real(eps)
    for i in range(param.size):
        x, g = param[i] * c, grad[i]
        if decay != 0:
            g = g + x * d
        m = _nearer(mean[i], g, w, near, rest)
        v = square[i] * k + s * g * g
        mean[i], square[i] = m, v
        divisor = numpy.sqrt(v / q) + e
        param[i] = x + p * g / divisor + a * m / divisor


@loop(*_of(4, 5))
def adadelta(param, grad, square, delta, rate, decay, kept, share, eps):  # type: ignore[no-untyped-def]
    real = param.dtype.type
    r, d, k, s, e = real(-rate), real(decay), real(kept), real(share), real(eps)
    for i in range(param.size):
        g = grad[i]
        if decay != 0:
            g = g + param[i] * d
        v = square[i] * k + s * g * g
        x = numpy.sqrt(delta[i] + e) / numpy.sqrt(v + e) * g
        square[i], delta[i] = v, delta[i] * k + s * x * x
        param[i] = param[i] + x * r


@loop(*_of(3, 4))
def averaged(param, grad, mean, shrink, decay, eta, share):  # type: ignore[no-untyped-def]
    real = param.dtype.type
    c, d, r, s = real(shrink), real(decay), real(-eta), real(share)
    for i in range(param.size):
        g = grad[i]
        if decay != 0:
            g = g + param[i] * d
        x = param[i] * c + g * r
        mean[i] = mean[i] + (x - mean[i]) * s if share != 1 else x
        param[i] = x


@loop(*_of(4, 6))
def by_root_with_momentum(param, grad, square, buffer, rate, decay, kept, share, eps, momentum):  # type: ignore[no-untyped-def]
    real = param.dtype.type
    r, d, k, s, e, m = real(-rate), real(decay), real(kept), real(share), real(eps), real(momentum)
    for i in range(param.size):
        g = grad[i]
        if decay != 0:
            g = g + param[i] * d
        v = square[i] * k + s * g * g
        b = buffer[i] * m + g / (numpy.sqrt(v) + e)
        square[i], buffer[i] = v, b
        param[i] = param[i] + b * r


@loop(*_of(3, 5))
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
