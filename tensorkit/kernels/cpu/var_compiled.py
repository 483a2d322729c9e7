"""How far numbers of single precision lie from a centre: sums of differences and of their squares, compiled.

See ``kernels.jit.compiler``. NumPy needs an array of the differences for that, as large as the numbers.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.jit.compiler import loop


@loop("void(f4[::1],i8,i8,f4[::1],f8[:,::1])", reordered=True)
def row_moments(a, step, columns, centres, out):  # type: ignore[no-untyped-def]
    for i in range(centres.size):
        x, centre = a[i * step : i * step + columns], centres[i]
        left: Any = 0.0
        total: Any = 0.0
        for j in range(0, columns, 4096):  # short enough to be exact in single precision
            part, some, squares = x[j : j + 4096], numpy.float32(0), numpy.float32(0)
            for k in range(part.size):
                apart = part[k] - centre
                some += apart
                squares += apart * apart
            left += some
            total += squares
        out[i, 0], out[i, 1] = left, total
