"""Sums of exponentials along rows of single precision, compiled: see ``kernels.jit.compiler``.

The largest of a row is found by the bits of its numbers, as whole numbers, and its exponentials are added in any order:
both are steps that a processor takes for sixteen numbers at once, which comparing and adding them in turn are not.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cpu.loop_steps import power
from tensorkit.kernels.jit.compiler import loop, step

#: Rows of at most this many elements are taken side by side.
SIDE_BY_SIDE = 32

_F, _I = numpy.float32, numpy.int32
_ZERO, _ENDLESS = _F(0), _F(numpy.inf)
_SIGN, _REST, _LEAST = _I(31), _I(0x7FFFFFFF), _I(-(2**31))


def _added(a, b):  # type: ignore[no-untyped-def]
    """``a + b``, where the order of a long sum is free."""
    return a + b


@step(_added)
def _added_in_any_order(numba: Any) -> Any:
    """`_added` with leave to take a sum in many lanes; for a whole loop that leave would be too much."""
    from numba.extending import intrinsic

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.fadd(*values, flags=("reassoc", "nsz"))

    def added(typing: Any, a: Any, b: Any) -> Any:
        return numba.float32(numba.float32, numba.float32), code

    return intrinsic(added)


def _key(number):  # type: ignore[no-untyped-def]
    """Whole numbers in the order of those of single precision; a nan is beyond an infinity."""
    bits = numpy.float32(number).view(numpy.int32)
    return _I(bits ^ _I(_I(bits >> _SIGN) & _REST))


def _largest(row):  # type: ignore[no-untyped-def]
    """The largest of a row."""
    top = _LEAST
    for j in range(row.size):
        key = _key(row[j])
        top = key if key > top else top
    return _I(top ^ _I(_I(top >> _SIGN) & _REST)).view(numpy.float32)


def _total(row, most):  # type: ignore[no-untyped-def]
    """The sum of ``exp(x - most)`` over a row, by parts that are short enough to be exact."""
    total: Any = 0.0
    for first in range(0, row.size, 4096):
        part, some = row[first : first + 4096], _ZERO
        for k in range(part.size):
            some = _added(some, power(part[k] - most))
        total += some
    return total


def _rows(a, sa, out, rows, columns, logarithm):  # type: ignore[no-untyped-def]
    for i in range(rows):
        x, y = a[i * sa : i * sa + columns], out[i * columns : (i + 1) * columns]
        most = _largest(x)
        if logarithm:
            shift = numpy.float32(numpy.log(_total(x, most)))
            for j in range(columns):
                y[j] = (x[j] - most) - shift
            continue
        total: Any = 0.0
        for first in range(0, columns, 4096):
            part, made, some = x[first : first + 4096], y[first : first + 4096], _ZERO
            for k in range(part.size):
                value = power(part[k] - most)
                made[k] = value
                some = _added(some, value)
            total += some
        share = numpy.float32(1 / total)
        for j in range(columns):
            y[j] = y[j] * share


def _short_rows(a, sa, out, rows, columns, logarithm):  # type: ignore[no-untyped-def]
    # The rows side by side: a row alone would be done before sixteen of its numbers were taken at once.
    tops, totals = numpy.empty(64, numpy.float32), numpy.empty(64, numpy.float64)
    kept = numpy.empty(64 * columns if logarithm else 0, numpy.float32)
    for first in range(0, rows, 64):
        many = min(64, rows - first)
        block, source = out[first * columns : (first + many) * columns], a[first * sa :]
        for i in range(many):
            tops[i], totals[i] = source[i * sa], 0
        for j in range(1, columns):
            for i in range(many):
                v, most = source[i * sa + j], tops[i]
                tops[i] = v if v > most else most
        for i in range(many):
            x, y, most = source[i * sa : i * sa + columns], block[i * columns : (i + 1) * columns], tops[i]
            for j in range(columns):
                y[j] = x[j] - most
        if logarithm:
            for k in range(block.size):
                kept[k] = power(block[k])
        else:  # said so that the compiler sees that all is in one place
            for k in range(block.size):
                block[k] = power(block[k])
        powers = kept if logarithm else block
        for j in range(columns):
            for i in range(many):
                totals[i] += powers[i * columns + j]
        for i in range(many):
            y = block[i * columns : (i + 1) * columns]
            if logarithm:
                shift = numpy.float32(numpy.log(totals[i]))
                for j in range(columns):
                    y[j] = y[j] - shift
            else:
                share = numpy.float32(1 / totals[i])
                for j in range(columns):
                    y[j] = y[j] * share


@loop("void(f4[::1],i8,f4[::1],i8,i8,b1)")
def softmax(a, sa, out, rows, columns, logarithm):  # type: ignore[no-untyped-def]
    _rows(a, sa, out, rows, columns, logarithm)


@loop("void(f4[::1],i8,f4[::1],i8,i8,b1)")
def softmax_of_short(a, sa, out, rows, columns, logarithm):  # type: ignore[no-untyped-def]
    _short_rows(a, sa, out, rows, columns, logarithm)


@loop("void(f4[:,::1],f4[:,::1],b1)")
def softmax_of_some(a, out, logarithm):  # type: ignore[no-untyped-def]
    rows, columns = out.shape
    if columns <= SIDE_BY_SIDE:
        _short_rows(a.reshape(-1), columns, out.reshape(-1), rows, columns, logarithm)
    else:
        _rows(a.reshape(-1), columns, out.reshape(-1), rows, columns, logarithm)


@loop("void(f4[::1],i8,f4[::1],i8)")
def log_sums(a, sa, out, columns):  # type: ignore[no-untyped-def]
    for i in range(out.size):
        x = a[i * sa : i * sa + columns]
        most = _largest(x)
        most = _ZERO if abs(most) == _ENDLESS else most  # an infinity is left as it is
        out[i] = numpy.log(_total(x, most)) + most


@loop("void(f4[:,::1],f4[:,::1],f4[:,::1])")
def log_softmax_back(g, logarithms, out):  # type: ignore[no-untyped-def]
    for i in range(g.shape[0]):
        x, y, made, total = g[i], logarithms[i], out[i], _ZERO
        for j in range(x.size):
            total = _added(total, x[j])
        for j in range(x.size):
            made[j] = x[j] - power(y[j]) * total
