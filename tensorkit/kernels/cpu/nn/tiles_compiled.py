"""Convolution without columns, compiled: see ``kernels.jit.compiler``.

A block of 8 rows and up to 32 columns of a product stays in the processor's registers while it is added up, and the
elements under the windows are read from where they lie in the image. Tables say how far they lie from the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.kernels.cpu.strided_2d import ahead, first
from tensorkit.kernels.jit.compiler import loop, step

ROWS, COLUMNS, PANEL = 8, 48, 32
_LANES = 16
_CHUNK = 256  # places whose results, in rows of 32, stay in the cache that is nearest to the processor


def _add_1(out, apart, a, rows, a_steps, b, b_steps, count):  # type: ignore[no-untyped-def]
    """``out[apart * r + z] += sum(a[rows[r] + a_steps[k]] * b[b_steps[k] + z])`` for 8 rows and 16 columns."""


def _add_2(out, apart, a, rows, a_steps, b, b_steps, count):  # type: ignore[no-untyped-def]
    """The same for 32 columns."""


def _add_3(out, apart, a, rows, a_steps, b, b_steps, count):  # type: ignore[no-untyped-def]
    """The same for 48 columns."""


def _in_registers(vectors: int) -> Callable[[Any], Any]:
    """The sums as vectors of a processor; one with fewer and shorter registers takes a few rows at a time."""

    def made(numba: Any) -> Any:
        from llvmlite import binding, ir

        many = bool(binding.get_host_cpu_features().get("avx512f"))
        at_once = ROWS if many else 4 if vectors == 1 else 2
        vector, lane = ir.VectorType(ir.FloatType(), _LANES), ir.IntType(32)
        undefined, fused = ir.Constant(vector, ir.Undefined), ("contract",)

        def add(
            typing: Any,
            out: Any,
            apart: Any,
            a: Any,
            rows: Any,
            a_steps: Any,
            b: Any,
            b_steps: Any,
            count: Any,
        ) -> Any:
            def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
                target, apart, a, rows, a_steps, b, b_steps, count = values

                def place(start: Any, z: int) -> Any:
                    return builder.gep(builder.bitcast(start, vector.as_pointer()), [ir.Constant(lane, z)])

                def everywhere(number: Any) -> Any:
                    alone = builder.insert_element(undefined, number, ir.Constant(lane, 0))
                    zeros = ir.Constant(ir.VectorType(lane, _LANES), [0] * _LANES)
                    return builder.shuffle_vector(alone, undefined, zeros)

                for begin in range(0, ROWS, at_once):
                    some = [ir.Constant(apart.type, r) for r in range(begin, begin + at_once)]
                    starts = [builder.gep(a, [builder.load(builder.gep(rows, [r]))]) for r in some]
                    ends = [builder.gep(target, [builder.mul(apart, r)]) for r in some]
                    places = [[place(end, z) for z in range(vectors)] for end in ends]
                    sums = [
                        [numba.core.cgutils.alloca_once_value(builder, builder.load(p, align=4)) for p in row]
                        for row in places
                    ]
                    with numba.core.cgutils.for_range(builder, count) as at:
                        onwards = builder.load(builder.gep(a_steps, [at.index]))
                        under = builder.gep(b, [builder.load(builder.gep(b_steps, [at.index]))])
                        numbers = [builder.load(place(under, z), align=4) for z in range(vectors)]
                        for start, row in zip(starts, sums, strict=True):
                            factor = everywhere(builder.load(builder.gep(start, [onwards])))
                            for number, total in zip(numbers, row, strict=True):
                                product = builder.fmul(factor, number, flags=fused)
                                builder.store(builder.fadd(builder.load(total), product, flags=fused), total)
                    for row, there in zip(sums, places, strict=True):
                        for total, p in zip(row, there, strict=True):
                            builder.store(builder.load(total), p, align=4)
                return context.get_dummy_value()

            size = numba.types.intp
            return numba.types.void(out, size, a, rows, a_steps, b, b_steps, size), code

        return numba.extending.intrinsic(add)

    return made


step(_add_1)(_in_registers(1))
step(_add_2)(_in_registers(2))
step(_add_3)(_in_registers(3))


def _copy(target, source, count):  # type: ignore[no-untyped-def]
    for i in range(count):
        target[i] = source[i]


def _put(frame, rows, begins, wide):  # type: ignore[no-untyped-def]
    """Lay rows of an image where they begin in its frame, whose zeros stay what they are."""
    for i in range(begins.size):
        _copy(ahead(frame, begins[i]), ahead(rows, i * wide), wide)


@loop("void(f4[:,:,:,::1],f4[:,:,::1],f4[:,:,::1],f4[::1],f4[::1],i8[::1],i8[::1],i8[::1])")
def convolve(out, images, weights, bias, frame, begins, taps, starts):  # type: ignore[no-untyped-def]
    """Fill (images, channels, rows, columns): `images` is (images, rows, columns), `weights` (blocks, taps, 8).

    The sums are of all elements of the framed image, the frame's too, as if it were one row; `starts` says where rows
    of the result begin.
    """
    count, high, wide = out.shape[1], out.shape[2], out.shape[3]
    across = -(-(starts[high - 1] + wide) // COLUMNS) * COLUMNS
    sums = numpy.empty((ROWS, across), numpy.float32)
    rows, onwards = numpy.arange(ROWS), numpy.arange(taps.size) * ROWS
    for n in range(out.shape[0]):
        _put(
            first(frame), ahead(first(images), n * images.shape[1] * images.shape[2]), begins, images.shape[2]
        )
        for block in range(weights.shape[0]):
            here = min(ROWS, count - block * ROWS)
            weight = ahead(first(weights), block * taps.size * ROWS)
            for r in range(ROWS):
                sums[r] = bias[block * ROWS + r]
            for place in range(0, across, COLUMNS):
                target = ahead(first(sums), place)
                under = ahead(first(frame), place)
                _add_3(target, across, weight, first(rows), first(onwards), under, first(taps), taps.size)
            for r in range(here):
                target = ahead(first(out), (n * count + block * ROWS + r) * high * wide)
                for i in range(high):
                    _copy(ahead(target, i * wide), ahead(first(sums), r * across + starts[i]), wide)


@loop("void(f4[:,:,::1],f4[:,:,::1],f4[:,:,::1],f4[::1],i8[::1],i8[::1],i8[::1])")
def weigh(out, images, results, frame, begins, taps, places):  # type: ignore[no-untyped-def]
    """Add to (panels, taps, channels of a panel) what the elements under a window are multiplied with."""
    panels, wide, count = out.shape[0], out.shape[2], results.shape[1]
    given = numpy.zeros(_CHUNK * wide, numpy.float32)
    onwards = numpy.arange(_CHUNK) * wide
    for n in range(results.shape[0]):
        _put(
            first(frame), ahead(first(images), n * images.shape[1] * images.shape[2]), begins, images.shape[2]
        )
        for begin in range(0, places.size, _CHUNK):
            some, where = min(_CHUNK, places.size - begin), ahead(first(places), begin)
            for panel in range(panels):
                source = ahead(first(results), (n * count + panel * wide) * places.size + begin)
                here = min(wide, count - panel * wide)
                for k in range(some):
                    for o in range(here):
                        given[numpy.uint64(k * wide + o)] = source[o * places.size + k]
                for t in range(0, taps.size, ROWS):
                    target, rows = ahead(first(out), (panel * taps.size + t) * wide), ahead(first(taps), t)
                    if wide == PANEL:
                        _add_2(target, wide, first(frame), rows, where, first(given), first(onwards), some)
                    else:
                        _add_1(target, wide, first(frame), rows, where, first(given), first(onwards), some)
