"""Arithmetic over rows that do not follow one another in memory, compiled: see ``kernels.jit.compiler``.

NumPy is as fast for arrays that are one row; for others it begins again for each row, and takes two to four times as
long as need be.
"""

from __future__ import annotations

import numpy

from tensorkit.kernels.jit.rowwise import rowwise

#: The ufuncs of `two_by_row`, by number.
TWO = (numpy.add, numpy.subtract, numpy.multiply, numpy.divide, numpy.maximum, numpy.minimum)
#: Added to that number where the result takes the place of the first operand.
IN_PLACE = 16
#: What `one_by_row` knows.
ONE = (numpy.negative, numpy.absolute, numpy.floor, numpy.ceil, numpy.trunc, numpy.sqrt, numpy.square)


@rowwise(2, extra=",i8")
def two_by_row(a, sa, b, sb, out, so, rows, columns, which):  # type: ignore[no-untyped-def]
    row = numpy.empty(columns, out.dtype)
    inside = which >= 16
    which = which - 16 if inside else which
    for i in range(rows):
        z = out[i * so : i * so + columns]
        # A step of -1 says that there is one number for each row.
        if sb < 0:
            v = b[i]
            for j in range(columns):
                row[j] = v
            y = row
        else:
            y = b[i * sb : i * sb + columns]
        if sa < 0:
            v = a[i]
            if which == 0:
                for j in range(columns):
                    z[j] = v + y[j]
            elif which == 1:
                for j in range(columns):
                    z[j] = v - y[j]
            elif which == 2:
                for j in range(columns):
                    z[j] = v * y[j]
            elif which == 3:
                for j in range(columns):
                    z[j] = v / y[j]
            elif which == 4:
                for j in range(columns):
                    w = y[j]
                    z[j] = v if v >= w or v != v else w
            else:
                for j in range(columns):
                    w = y[j]
                    z[j] = v if v <= w or v != v else w
            continue
        x = a[i * sa : i * sa + columns]
        if inside and which < 4:  # said so that the compiler sees it: else it takes one at a time
            if which == 0:
                for j in range(columns):
                    z[j] += y[j]
            elif which == 1:
                for j in range(columns):
                    z[j] -= y[j]
            elif which == 2:
                for j in range(columns):
                    z[j] *= y[j]
            else:
                for j in range(columns):
                    z[j] /= y[j]
            continue
        if which == 0:
            for j in range(columns):
                z[j] = x[j] + y[j]
        elif which == 1:
            for j in range(columns):
                z[j] = x[j] - y[j]
        elif which == 2:
            for j in range(columns):
                z[j] = x[j] * y[j]
        elif which == 3:
            for j in range(columns):
                z[j] = x[j] / y[j]
        elif which == 4:
            for j in range(columns):
                u, w = x[j], y[j]
                z[j] = u if u >= w or u != u else w
        else:
            for j in range(columns):
                u, w = x[j], y[j]
                z[j] = u if u <= w or u != u else w


@rowwise(1, extra=",i8")
def one_by_row(a, sa, out, so, rows, columns, which):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * so : i * so + columns]
        if which == 0:
            for j in range(columns):
                y[j] = -x[j]
        elif which == 1:
            for j in range(columns):
                y[j] = abs(x[j])
        elif which == 2:
            for j in range(columns):
                y[j] = numpy.floor(x[j])
        elif which == 3:
            for j in range(columns):
                y[j] = numpy.ceil(x[j])
        elif which == 4:
            for j in range(columns):
                y[j] = numpy.trunc(x[j])
        elif which == 5:
            for j in range(columns):
                y[j] = numpy.sqrt(x[j])
        else:
            for j in range(columns):
                y[j] = x[j] * x[j]
