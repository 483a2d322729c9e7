"""A step of an LSTM, and the same backwards, for all numbers at once: compiled, or in NumPy until that is done.

Products of matrices and tangents are not among it: NumPy has them at their fastest.
"""

from __future__ import annotations

import numpy

from tensorkit.kernels.jit.compiler import loop

_ONE, _HALF = numpy.float32(1), numpy.float32(0.5)


@loop("void(f4[:,::1],f4[:,:],f4[:,::1])")
def step(gates, before, cell):  # type: ignore[no-untyped-def]
    # A logistic function is a tangent, moved: (tanh(x / 2) + 1) / 2. The new numbers are tangents already.
    size = cell.shape[1]
    put, keep, new = gates[:, :size], gates[:, size : 2 * size], gates[:, 2 * size : 3 * size]
    put[:] = (put + _ONE) * _HALF
    keep[:] = (keep + _ONE) * _HALF
    out = gates[:, 3 * size :]
    out[:] = (out + _ONE) * _HALF
    cell[:] = keep * before + put * new


@loop("void(f4[:,::1],f4[:,::1],f4[:,::1],f4[:,:],f4[:,:],f4[:,::1])")
def step_back(slopes, gates, bent, before, hidden, last):  # type: ignore[no-untyped-def]
    size = bent.shape[1]
    put, keep, new = gates[:, :size], gates[:, size : 2 * size], gates[:, 2 * size : 3 * size]
    out = gates[:, 3 * size :]
    last[:] = last + hidden * out * (_ONE - bent * bent)
    slopes[:, :size] = last * new * put * (_ONE - put)
    slopes[:, size : 2 * size] = last * before * keep * (_ONE - keep)
    slopes[:, 2 * size : 3 * size] = last * put * (_ONE - new * new)
    slopes[:, 3 * size :] = hidden * bent * out * (_ONE - out)
    last[:] = last * keep
