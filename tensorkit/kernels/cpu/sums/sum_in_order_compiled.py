"""Sums of float32 numbers in the order in which PyTorch adds them, compiled: see ``kernels.jit.compiler``.

In the benchmark it is `t.sum()` among the small tensors. What the order is, ``sum_in_order`` tells.
"""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cpu.strided_2d import ahead, first
from tensorkit.kernels.jit.compiler import loop, step


def _groups_added(sums, x, count):  # type: ignore[no-untyped-def]
    """Add rows of 32 numbers to the 32 sums."""


@step(_groups_added)
def _in_registers(numba: Any) -> Any:
    """`_groups_added` with the sums in the processor's registers meanwhile, not in memory."""
    from llvmlite import ir

    def groups_added(typing: Any, sums: Any, x: Any, count: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            group = ir.VectorType(ir.FloatType(), 32).as_pointer()
            target, rows = builder.bitcast(values[0], group), builder.bitcast(values[1], group)
            total = numba.core.cgutils.alloca_once_value(builder, builder.load(target, align=4))
            with numba.core.cgutils.for_range(builder, values[2]) as row:
                numbers = builder.load(builder.gep(rows, [row.index]), align=4)
                builder.store(builder.fadd(builder.load(total), numbers), total)
            builder.store(builder.load(total), target, align=4)
            return context.get_dummy_value()

        return numba.types.void(sums, x, numba.types.intp), code

    return numba.extending.intrinsic(groups_added)


def _few(x, n):  # type: ignore[no-untyped-def]
    """Fewer than 8 numbers: four by themselves, where there are four, and the others to the first of these."""
    total = numpy.float32(0)
    if n < 4:
        for i in range(n):
            total += x[i]
        return total
    total += x[0]
    for i in range(4, n):
        total += x[i]
    return total + x[1] + x[2] + x[3]


def _steps(groups):  # type: ignore[no-untyped-def]
    """The power of two of the groups that a level takes before its sum goes to the next one."""
    bits = 0
    while 1 << bits < groups:
        bits += 1
    return max(4, bits // 4)


def _added(x, n, levels):  # type: ignore[no-untyped-def]
    """The sum of `n` numbers. `levels` is scratch memory for four times 32 of them."""
    if n < 8:
        return _few(x, n)
    a, groups = first(levels), n // 32
    power = _steps(groups)
    for i in range(128):
        a[i] = 0
    mask, done = (1 << power) - 1, 0
    while done < groups:
        many = min(1 << power, groups - done)
        _groups_added(a, x, many)
        x = ahead(x, 32 * many)
        done += many
        if done & mask:
            break
        for level in range(1, 4):
            above = ahead(a, 32 * level)
            below = ahead(a, 32 * (level - 1))
            for i in range(32):
                above[i] += below[i]
                below[i] = 0
            if done & (mask << (level * power)):
                break
    for level in range(1, 4):
        for i in range(32):
            a[i] += a[32 * level + i]
    for _ in range(n // 8 - 4 * groups):
        for i in range(8):
            a[i] += x[i]
        x = ahead(x, 8)
    for part in range(1, 4):
        for i in range(8):
            a[i] += a[8 * part + i]
    total = numpy.float32(0)
    for i in range(n % 8):
        total += x[i]
    for i in range(8):
        total += a[i]
    return total


@loop("f4(f4[::1])")
def whole(row):  # type: ignore[no-untyped-def]
    return _added(first(row), row.size, numpy.empty(128, numpy.float32))


@loop("void(f4[:,::1],f4[::1])")
def each_row(rows, out):  # type: ignore[no-untyped-def]
    levels, x, n = numpy.empty(128, numpy.float32), first(rows), rows.shape[1]
    for i in range(rows.shape[0]):
        out[i] = _added(x, n, levels)
        x = ahead(x, n)
