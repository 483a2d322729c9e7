"""From random bits to numbers whose making needs more than one array formula: permutations, counts, choices.

Arrays in, arrays out; where the uniform numbers come from is the caller's business. Each loop below is written once,
in Python that Numba compiles (`loop`); until it has, long arrays take a road through NumPy where there is one.

Sources: R. Durstenfeld, "Algorithm 235: Random permutation" (1964); W. Hörmann, "The transformed rejection method
for generating Poisson random variables" (1993), algorithm PTRS.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.kernels.jit.compiler import loop
from tensorkit.kernels.sizes import SMALL, TINY

Array = numpy.ndarray[Any, Any]
#: How many counts are drawn before those that were not needed are given back.
_AT_A_TIME = 20_000


def by_the_c_library(function: Callable[[float], float], values: Array, exact: bool = True) -> Array:
    """A function of `math` of every element: NumPy's vectors of it differ in the last bit at times.

    Args:
        exact: False where the result is rounded to a narrower type anyway: then NumPy does.
    """
    if not exact:
        fast: Array = quiet(getattr(numpy, function.__name__), values)
        return fast
    return numpy.fromiter(map(function, values.tolist()), dtype=numpy.float64, count=values.size)


def exp(power: float) -> float:
    """e to that power: `math.exp` with infinity for what it refuses as too large."""
    try:
        return math.exp(power)
    except OverflowError:
        return math.inf


def log(number: float) -> float:
    """The natural logarithm: `math.log` with minus infinity for what it refuses, which is zero."""
    return math.log(number) if number else -math.inf


def fused(values: Array, factor: float, offset: float) -> Array:
    """``values * factor + offset`` in double precision with one rounding, as processors have a step for it.

    The parts of the product and of the sum that do not fit a number are computed too, and added last (T. J. Dekker,
    "A floating-point technique for extending the available precision", 1971).
    """
    if offset == 0.0 or factor == 1.0:
        result: Array = quiet(numpy.add, quiet(numpy.multiply, values, factor), offset)
    else:
        result = quiet(_fused, values, numpy.float64(factor), numpy.float64(offset))
    return result


def _fused(values: Array, factor: Any, offset: Any) -> Array:
    product = values * factor
    high, factor_high = _upper_half(values), _upper_half(factor)
    low, factor_low = values - high, factor - factor_high
    lost = high * factor_high - product
    lost += high * factor_low
    lost += low * factor_high
    lost += low * factor_low
    total = product + offset
    moved = total - product
    lost += (product - (total - moved)) + (offset - moved)
    lost += total
    # Where a half is too large to be split there is nothing to be gained.
    result: Array = numpy.where(numpy.isfinite(lost), lost, total)
    return result


def _upper_half(number: Any) -> Any:
    """The first 26 bits of a double's 53."""
    wide = number * 134217729.0
    return wide - (wide - number)


# -- permutations -------------------------------------------------------------------------------------------------


@loop("void(i8[::1], i8[::1])")
def shuffle(order: Any, other: Any) -> None:
    """Swap each element with the one at the place chosen for it, from the front."""
    for place in range(len(other)):
        kept = order[place]
        order[place] = order[other[place]]
        order[other[place]] = kept


@loop("void(u8[::1], i8[::1])")
def swaps(words: Any, order: Any) -> None:
    """Fill with 0 … count - 1 and swap each place with one that is not before it, as words of 32 bits choose it."""
    count = len(order)
    steps = numpy.empty(count, numpy.int32)
    steps[count - 1] = 0
    for place in range(count - 1):
        # The remainder of a division, in double precision: the quotients of words of 32 bits are nearer to no whole
        # number than it can tell, and four are divided at once.
        word, left = numpy.uint32(words[place]), numpy.uint32(count - place)
        whole = numpy.uint32(numpy.float64(word) / numpy.float64(left))
        steps[place] = numpy.int32(word - numpy.uint32(whole * left))
    for place in range(count):
        order[place] = place
    for place in range(count - 1):
        other = place + steps[place]
        kept = order[place]
        order[place] = order[other]
        order[other] = kept


def permutation(other: Array, count: int) -> Array:
    """0 … count - 1 after swapping each place i with ``other[i]``, which is never before i."""
    fast = shuffle.compiled() if count >= SMALL else shuffle.often() if count >= TINY else None
    if fast is not None:
        order: Array = numpy.arange(count)
        fast(order, other)
        return order
    if count >= SMALL:
        return _all_swaps(other, count)
    listed = list(range(count))
    shuffle(listed, other.tolist())
    return numpy.array(listed, dtype=numpy.int64)


def _all_swaps(other: Array, count: int) -> Array:
    """`permutation` without a loop over the places.

    Place i takes what the last earlier swap with ``other[i]`` put there: the element that had come to lie at the place
    of that swap. So every place points back to an earlier one, or to none, and keeps its own number.
    """
    places = numpy.arange(count)
    chosen = numpy.append(other, places[other.size :])
    moved = numpy.flatnonzero(chosen != places)
    origin = places.copy()
    origin[chosen[moved]] = moved  # of several the last one counts
    while not numpy.array_equal(further := origin[origin], origin):
        origin = further
    keys = numpy.sort(chosen << 32 | places)
    target, place = keys >> 32, keys & 0xFFFFFFFF
    again = target[1:] == target[:-1]
    result = chosen.copy()
    result[place[1:][again]] = origin[place[:-1][again]]
    return result


# -- Poisson ------------------------------------------------------------------------------------------------------


@loop("UniTuple(i8, 2)(f8[::1], f8[::1], f8[::1])")
def poisson_counts(rates: Any, units: Any, out: Any) -> tuple[int, int]:
    """Numbers of events, one for each rate, from uniform numbers as far as they last.

    Returns:
        How many counts were finished, and how many uniform numbers they took.
    """
    used = 0
    for place in range(len(rates)):
        rate = rates[place]
        at = used
        count = 0.0
        found = rate == 0.0
        if rate < 10.0:
            limit, product = math.exp(-rate), 1.0
            while not found and at < len(units):
                product *= units[at]
                at += 1
                if product > limit:
                    count += 1.0
                else:
                    found = True
        else:
            b = 0.931 + 2.53 * math.sqrt(rate)
            a = -0.059 + 0.02483 * b
            alpha, height = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2.0)
            while not found and at + 1 < len(units):
                u, v = units[at] - 0.5, units[at + 1]
                at += 2
                near = 0.5 - abs(u)
                count = (2.0 * a / near + b) * u + rate + 0.43 if near > 0.0 else math.nan
                if abs(count) < 4503599627370496.0:  # above, every number is whole
                    count = float(math.floor(count))
                if near >= 0.07 and v <= height:
                    found = True
                elif not (count < 0.0 or (near < 0.013 and v > near)):
                    left = math.log(v) if v > 0.0 else -math.inf
                    left += math.log(alpha) - math.log(a / (near * near) + b)
                    if count < 1e300:  # beyond, its factorial overflows
                        found = left <= -rate + count * math.log(rate) - math.lgamma(count + 1.0)
            # No number and what no int64 holds become the least one, as when a processor converts them.
            if not abs(count) < 9.223372036854775e18:
                count = -9223372036854775808.0
        if not found:
            return place, used
        out[place] = count
        used = at
    return len(rates), used


def poisson(rates: Array, units: Callable[[int], Array], give_back: Callable[[int], None]) -> Array:
    """`poisson_counts` of any number of rates.

    Args:
        units: gives the next uniform numbers.
        give_back: takes back that many of those last given.
    """
    counts, done = numpy.empty(rates.size), 0
    left = numpy.empty(0)
    run = (poisson_counts.compiled() if rates.size >= SMALL else None) or _poisson_by_lists
    while done < rates.size:
        part = rates[done : done + _AT_A_TIME]
        finished, used = run(part, left, counts[done:])
        done, left = done + finished, left[used:]
        if finished < part.size:
            left = numpy.concatenate((left, units(4 * (part.size - finished) + 16)))
    give_back(left.size)
    return counts


def _poisson_by_lists(rates: Array, units: Array, out: Array) -> tuple[int, int]:
    """The loop in Python, where lists are faster than arrays."""
    counts = [0.0] * rates.size
    finished, used = poisson_counts(rates.tolist(), units.tolist(), counts)
    out[:finished] = counts[:finished]
    return finished, used
