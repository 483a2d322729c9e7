"""The fills that turn a generator's bits into numbers, in an array's order of memory.

Source: Box and Muller, "A note on the generation of random normal deviates" (1958).
"""

from __future__ import annotations

import math
from math import cos, log1p, pi, sin, sqrt
from typing import Any

import numpy

from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.kernels.cpu.random import random_compiled, sampling
from tensorkit.kernels.cpu.random.box_muller import box_muller
from tensorkit.kernels.jit import compiler
from tensorkit.kernels.jit.threads import spread
from tensorkit.kernels.sizes import FEW_DRAWS, NORMALS_IN_BLOCKS, PIECE, TINY
from tensorkit.random.generator import Generator
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import iterator_strides
from tensorkit.tensor import Array

_LOW_53, _BIT_24, _BIT_53 = (1 << 53) - 1, 2.0**-24, 2.0**-53
_TURN = 2.0 * pi * _BIT_53


# -- the fills ----------------------------------------------------------------------------------------------


def fill_uniform(out: Array, generator: Generator, low: float = 0.0, high: float = 1.0) -> None:
    """Fill with numbers from [low, high), in any floating point dtype; complex ones take two each.

    float32 takes the low 24 bits of a draw, float64 the low 53 of two; narrower ones round a float32.
    """
    with generator.lock:
        values, real = _flat(out)
        if real.dtype.char in "fd":
            _units(real, generator)
            _stretch(real, low, high)
        else:
            wide = numpy.empty(real.size, dtype=numpy.float32)
            _units(wide, generator)
            _stretch(wide, low, high)
            real[...] = wide
            real[real == high] = low  # rounded up onto the end that is not part of the range
        if not out.flags.c_contiguous:
            _lay_down(out, values)


def fill_normal(out: Array, generator: Generator, mean: float = 0.0, std: float = 1.0) -> None:
    """Fill with normally distributed numbers, in any floating point dtype; complex ones take two each.

    Contiguous arrays of 16 numbers and more go block by block; all others take Box–Muller pairs in double
    precision, and an odd one out keeps its partner for the next call.
    """
    with generator.lock:
        values, real = _flat(out)
        if out.dtype.kind == "c":
            std /= math.sqrt(2.0)  # half of the variance for each part
        if real.size < NORMALS_IN_BLOCKS or not out.flags.c_contiguous:
            pairs = _pairs(real.size, generator, _is_double(real))
            real[...] = _as_dtype(sampling.fused(pairs, std, mean), real.dtype)
        elif real.dtype.char in "fd":
            _units(real, generator)
            _normal_blocks(real, generator, mean, std)
        else:
            wide = numpy.empty(real.size, dtype=numpy.float32)
            _units(wide[: real.size // 16 * 16], generator)  # the narrow types draw whole blocks only
            _normal_blocks(wide, generator, mean, std)
            real[...] = wide
        if not out.flags.c_contiguous:
            _lay_down(out, values)


def few_uniform(count: int, kind: numpy.dtype[Any], generator: Generator) -> Array:
    """What `fill_uniform` fills a row of float32 or float64 with: the short way for fewer than `NORMALS_IN_BLOCKS`."""
    with generator.lock:
        draw = generator.one_by_one()
        if kind.itemsize == 4:
            numbers = [(draw() & 0xFFFFFF) * _BIT_24 for _ in range(count)]
        else:
            numbers = [((draw() << 32 | draw()) & _LOW_53) * _BIT_53 for _ in range(count)]
    return numpy.array(numbers, kind)


def few_normal(count: int, kind: numpy.dtype[Any], generator: Generator) -> Array:
    """What `fill_normal` fills a row of float32 or float64 with: the short way for fewer than `NORMALS_IN_BLOCKS`."""
    with generator.lock:
        spare = generator._spare
        numbers = [] if spare is None else [spare]
        if len(numbers) < count:
            words = generator.one_by_one()((count - len(numbers) + 1) // 2 * 4).tolist()
            for at in range(0, len(words), 4):
                angle = _TURN * ((words[at] << 32 | words[at + 1]) & _LOW_53)
                length = sqrt(-2.0 * log1p(-_BIT_53 * ((words[at + 2] << 32 | words[at + 3]) & _LOW_53)))
                numbers.append(length * cos(angle))
                numbers.append(length * sin(angle))
        generator._spare = numbers.pop() if len(numbers) > count else None
    return numpy.array(numbers, kind)


def fill_some_uniform(row: Array, generator: Generator) -> None:
    """`fill_uniform` of `NORMALS_IN_BLOCKS` to `FEW_DRAWS` numbers of single or double precision, nothing looked at."""
    fast = (random_compiled.units.ready or random_compiled.units.often()) if row.dtype.char == "f" else None
    if fast is None:
        fill_uniform(row, generator)
        return
    with generator.lock:
        fast(generator.one_by_one()(row.size), row)


def fill_some_normal(row: Array, generator: Generator) -> None:
    """`fill_normal` of such a row: of an odd size the last 16 are drawn again, with the words that come next."""
    loop = random_compiled.normal_of_words
    fast = (loop.ready or loop.often()) if row.dtype.char == "f" else None
    if fast is None:
        fill_normal(row, generator)
        return
    count = row.size
    with generator.lock:
        fast(generator.one_by_one()(count + 16 if count % 16 else count), row)


def fill_integers(out: Array, generator: Generator, low: int, high: int) -> None:
    """Fill with integers from low to high - 1 (int64 bounds), in any dtype that is not complex.

    Ranges under 2**28 take one draw a number, longer ones two.
    """
    with generator.lock:
        span = high - low
        if span < 2**28:
            numbers = (generator.words(out.size) % numpy.uint32(span)).astype(numpy.int64)
            numbers += low
        else:
            long = generator.long_words(out.size) % numpy.uint64(span) + numpy.uint64(low % 2**64)
            numbers = long.view(numpy.int64)
        _lay_down(out, _as_dtype(numbers, out.dtype))


def fill_permutation(out: Array, generator: Generator) -> None:
    """Fill a 1-D array of n numbers with 0 … n - 1 in random order (Fisher and Yates, from the front)."""
    count = out.size
    with generator.lock:
        if TINY <= count < FEW_DRAWS and out.dtype == numpy.int64 and out.flags.carray:
            fast = sampling.swaps.often()
            if fast is not None:
                fast(generator.one_by_one()(count - 1), out)
                return
        left = numpy.arange(count, 1, -1, dtype=numpy.uint32 if count < 2**32 else numpy.int64)
        chosen = generator.words(left.size) % left + numpy.arange(left.size)
    order = sampling.permutation(chosen, count)
    if out.dtype == order.dtype:
        out[...] = order
    else:
        _lay_down(out, _as_dtype(order, out.dtype))


def fill_bernoulli(out: Array, generator: Generator, probability: float | Array) -> None:
    """Fill with ones and zeros: one where a uniform number is below `probability`.

    A Python number is compared with 53-bit uniforms; an array of out's size with its own dtype's.
    """
    with generator.lock:
        if not isinstance(probability, numpy.ndarray):
            wide = numpy.empty(out.size, dtype=numpy.float64)
            _units(wide, generator)
            _lay_down(out, (wide < probability).astype(out.dtype))
            return
        kind = numpy.float64 if probability.dtype == numpy.float64 else numpy.float32
        units = numpy.empty(out.size, dtype=kind)
        _units(units, generator)
        drawn = numpy.empty_like(out, dtype=kind, subok=False)
        _lay_down(drawn, units)
        out[...] = drawn < probability


def fill_exponential(out: Array, generator: Generator, rate: float = 1.0) -> None:
    """Fill with exponentially distributed numbers, in any real floating point dtype; each takes a 53-bit uniform."""
    units = uniform_numbers(out.size, generator)
    numbers = sampling.by_the_c_library(math.log1p, numpy.negative(units, out=units), _is_double(out))
    numbers *= -1.0 / rate if rate else -math.inf
    _lay_down(out, _as_dtype(numbers, out.dtype))


def fill_cauchy(out: Array, generator: Generator, median: float = 0.0, sigma: float = 1.0) -> None:
    """Fill with Cauchy distributed numbers: the tangent of an even angle; each takes a 53-bit uniform."""
    units = uniform_numbers(out.size, generator)
    numbers = sampling.by_the_c_library(math.tan, math.pi * (units - 0.5), _is_double(out))
    _lay_down(out, _as_dtype(sampling.fused(numbers, sigma, median), out.dtype))


def fill_log_normal(out: Array, generator: Generator, mean: float = 1.0, std: float = 2.0) -> None:
    """Fill with e to the power of normally distributed numbers, which come in Box–Muller pairs at any size."""
    with generator.lock:
        powers = _pairs(out.size, generator, _is_double(out))
    powers = sampling.fused(powers, std, mean)
    _lay_down(out, _as_dtype(sampling.by_the_c_library(sampling.exp, powers, _is_double(out)), out.dtype))


def fill_geometric(out: Array, generator: Generator, p: float) -> None:
    """Fill with numbers of tries until one succeeds, in any dtype but bool and complex; each takes a 53-bit uniform."""
    units = uniform_numbers(out.size, generator)
    # So rare a success has such large numbers that the last bit of the logarithm matters.
    numbers = sampling.by_the_c_library(sampling.log, units, p < 1e-6)
    numbers /= math.log1p(-p)
    _lay_down(out, _wrapped(numpy.ceil(numbers, out=numbers), out.dtype))


def fill_poisson(out: Array, generator: Generator, rates: Array) -> None:
    """Fill with numbers of events; `rates` has out's size. How many draws a number takes depends on chance."""
    lender = _Lender(generator)
    with generator.lock:
        ordered = rates.transpose(_memory_order(out)).astype(numpy.float64).reshape(-1)
        _lay_down(out, _as_dtype(sampling.poisson(ordered, lender.take, lender.give_back), out.dtype))


def fill_full_range(out: Array, generator: Generator, signed: bool = False) -> None:
    """Fill with whole numbers that the dtype can count to: from 0 to its largest, floating point to 2**digits.

    Args:
        signed: from all 64 bits as they are: from -2**63 on.
    """
    kind = out.dtype
    with generator.lock:
        if signed or kind in (numpy.int64, numpy.float64):
            long = generator.long_words(out.size)
            if not signed:
                long %= numpy.uint64(2**53 + 1 if kind == numpy.float64 else 2**63)
            numbers = long.view(numpy.int64)
        else:
            numbers = (generator.words(out.size) % numpy.uint32(count_to(kind))).astype(numpy.int64)
    _lay_down(out, _as_dtype(numbers, kind))


# -- from bits to numbers -----------------------------------------------------------------------------------


def uniform_numbers(count: int, generator: Generator) -> Array:
    """The next numbers from [0, 1) with 53 bits, float64: two draws each."""
    units = numpy.empty(count, dtype=numpy.float64)
    with generator.lock:
        _units(units, generator)
    return units


class _Lender:
    """Numbers as `uniform_numbers` gives them, of which those not needed can be given back."""

    def __init__(self, generator: Generator) -> None:
        self.generator = generator

    def take(self, count: int) -> Array:
        """The next ones."""
        self.generator._ready()
        self.before = self.generator._bits.state, self.generator._untouched
        self.taken = count
        return uniform_numbers(count, self.generator)

    def give_back(self, count: int) -> None:
        """The last `count` of those last taken were not needed."""
        if count:
            self.generator._bits.state, self.generator._untouched = self.before
            self.generator.long_words(self.taken - count)


def _units(out: Array, generator: Generator) -> None:
    """Numbers from [0, 1) into a flat array: multiples of 2**-24 (float32) or of 2**-53 (float64)."""
    single = out.dtype.char == "f"
    for start in range(0, out.size, PIECE):
        part = out[start : start + PIECE]
        fast = _compiled(random_compiled.units, part.size) if single and part.flags.c_contiguous else None
        if fast is not None:
            fast(
                generator.wide_words(part.size) if part.size < FEW_DRAWS else generator.words(part.size), part
            )
            continue
        words = generator.words(part.size) if single else generator.long_words(part.size)
        words &= words.dtype.type(0xFFFFFF if single else (1 << 53) - 1)
        # Signed, because processors turn signed integers into floating point in one step.
        whole = words.view(numpy.int32 if single else numpy.int64)
        numpy.multiply(whole, 2.0**-24 if single else 2.0**-53, out=part, dtype=out.dtype, casting="unsafe")


def _stretch(out: Array, low: float, high: float) -> None:
    """From [0, 1) to [low, high), with one rounding in float32, as a fused multiply-add would."""
    if low == 0.0 and high == 1.0:
        return
    first, last = out.dtype.type(low), out.dtype.type(high)
    if out.dtype == numpy.float64:
        out[...] = sampling.fused(out, high - low, low)
    else:
        out[...] = out.astype(numpy.float64) * float(last - first) + float(first)
    out[out == last] = first


def _normal_blocks(out: Array, generator: Generator, mean: float, std: float) -> None:
    """Uniforms to normal numbers, in place, block by block; the last 16 of an odd size are drawn again."""
    whole = out.size // 16 * 16
    fast = _compiled(random_compiled.normal, whole) if out.dtype.char == "f" else None
    if fast is not None and whole < PIECE:
        fast(out[:whole])
    elif fast is not None:
        spread(lambda first, last: fast(out[16 * first : 16 * last]), whole // 16, PIECE // 16)
    done = fast is not None
    if not done or mean != 0.0 or std != 1.0:
        for start in range(0, whole, PIECE):
            _box_muller(out[start : min(start + PIECE, whole)], mean, std, done)
    if whole < out.size:
        tail = out[-16:]
        _units(tail, generator)
        if fast is not None:
            fast(tail)
        _box_muller(tail, mean, std, done)


def _compiled(loop: compiler.Loop, count: int) -> Any:
    """The compiled loop over `count` numbers, if there is one: for few of them it must be wanted often."""
    return loop.compiled() if count >= PIECE else loop.often()


def _box_muller(blocks: Array, mean: float, std: float, done: bool = False) -> None:
    """In each block of 16, the first 8 give the radii, the last 8 the angles; cosines, then sines.

    Args:
        done: whether these are normal numbers already, which need only be scaled and moved.
    """
    if not done:
        pairs = blocks.reshape(-1, 2, 8)
        first, second = 1 - pairs[:, 0].reshape(-1), pairs[:, 1].reshape(-1)
        cosines, sines = (box_muller if blocks.dtype == numpy.float32 else _double_box_muller)(first, second)
        pairs[:, 0], pairs[:, 1] = cosines.reshape(-1, 8), sines.reshape(-1, 8)
    if std != 1.0 or mean != 0.0:
        if blocks.dtype == numpy.float64:
            blocks[...] = sampling.fused(blocks, std, mean)
        else:
            blocks[...] = blocks.astype(numpy.float64) * blocks.dtype.type(std) + blocks.dtype.type(mean)


def _double_box_muller(u: Array, v: Array) -> tuple[Array, Array]:
    # The C library's logarithm, number by number: NumPy's vector version differs in the last bit at times.
    logarithm = numpy.fromiter(map(math.log, u.tolist()), dtype=numpy.float64, count=u.size)
    radius, angle = numpy.sqrt(-2.0 * logarithm), 2.0 * math.pi * v
    return radius * numpy.cos(angle), radius * numpy.sin(angle)


def _pairs(count: int, generator: Generator, exact: bool = True) -> Array:
    """Standard normal numbers in double precision, two for two uniforms: the cosine's, then the sine's.

    Args:
        exact: False where the numbers are rounded to a narrower type anyway; the one that is kept is always exact.
    """
    out = numpy.empty(count, dtype=numpy.float64)
    kept = 0
    if count and generator._spare is not None:
        out[0], generator._spare, kept = generator._spare, None, 1
    turns, shrinks = uniform_numbers((count - kept + 1) // 2 * 2, generator).reshape(-1, 2).T
    exactly = turns.size if exact or turns.size < NORMALS_IN_BLOCKS else 1
    made = numpy.empty((turns.size, 2), dtype=numpy.float64)
    fast = slice(0, turns.size - exactly)
    radius, angle = numpy.sqrt(-2.0 * numpy.log1p(-shrinks[fast])), 2.0 * math.pi * turns[fast]
    made[fast, 0], made[fast, 1] = radius * numpy.cos(angle), radius * numpy.sin(angle)
    for place in range(turns.size - exactly, turns.size):
        length, turn = math.sqrt(-2.0 * math.log1p(-shrinks[place])), 2.0 * math.pi * float(turns[place])
        made[place] = length * math.cos(turn), length * math.sin(turn)
    numbers = made.reshape(-1)
    out[kept:] = numbers[: count - kept]
    if numbers.size > count - kept:
        generator._spare = float(numbers[-1])
    return out


def _as_dtype(numbers: Array, kind: numpy.dtype[Any]) -> Array:
    if kind.itemsize == 2 and kind.kind not in "iu":  # float16 and bfloat16 are reached through float32
        numbers = quiet(numbers.astype, numpy.float32)
    return quiet(numbers.astype, kind, copy=False)  # type: ignore[no-any-return]


def _is_double(out: Array) -> bool:
    return bool(out.dtype == numpy.float64)


def count_to(kind: numpy.dtype[Any]) -> int:
    """How many whole numbers, from 0 on, `fill_full_range` draws from for a dtype that takes one draw."""
    if kind.kind == "b":
        return 2
    if kind.kind in "iu":
        return int(numpy.iinfo(kind).max) + 1
    return {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24}[kind.name] + 1


def _wrapped(numbers: Array, kind: numpy.dtype[Any]) -> Array:
    """Whole numbers in a dtype, as a processor converts them: what does not fit 32 bits becomes the least number."""
    if kind.kind not in "iu":
        return _as_dtype(numbers, kind)
    bits = 64 if kind.itemsize == 8 else 32
    numbers[~(numpy.abs(numbers) < 2.0 ** (bits - 1))] = -(2.0 ** (bits - 1))
    return numbers.astype(f"int{bits}").astype(kind)


# -- into the array's memory --------------------------------------------------------------------------------


def _flat(out: Array) -> tuple[Array, Array]:
    """A flat array to draw into (out's own memory where it is contiguous), and the same as real numbers."""
    values = out.reshape(-1) if out.flags.c_contiguous else numpy.empty(out.size, dtype=out.dtype)
    real = (
        values.view({8: numpy.float32, 16: numpy.float64}[out.itemsize]) if out.dtype.kind == "c" else values
    )
    return values, real


def _lay_down(out: Array, values: Array) -> None:
    """Write flat values into an array in the order of its memory."""
    ordered = out.transpose(_memory_order(out))
    ordered[...] = values.reshape(ordered.shape)


def _memory_order(out: Array) -> list[int]:
    """The dimensions from the longest step in memory to the shortest, as PyTorch sorts them."""
    steps = iterator_strides(out.shape, [Layout(out.shape, out.strides, 0)])
    return sorted(range(out.ndim), key=lambda dim: steps[dim], reverse=True)
