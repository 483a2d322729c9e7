"""Numbers of events, each with a rate of its own: Poisson's distribution by Philox.

A count needs as many random numbers as it takes: a thread draws for its element until one is accepted. Each element has
a stream of its own, so that the counts do not depend on the grid. Low rates multiply random numbers until their product
is small enough (Knuth); from 10 on a bell curve is proposed, and rejected where it is too high (Hörmann, "The
transformed rejection method for generating Poisson random variables", 1993: PTRS).

PyTorch calls ``curand_poisson``, whose ways for low, middling and high rates NVIDIA does not document: the distribution
is the same here, the numbers are not.
"""

from __future__ import annotations

import math
from typing import Any

from numpy import int64, uint64

from tensorkit.kernels.cuda.compile import Int, Kernel, Pointer
from tensorkit.kernels.cuda.launch import check_reach, launch_kernel
from tensorkit.kernels.cuda.philox.kernels import philox, two_uniforms
from tensorkit.kernels.cuda.plan import Operand

cuda: Any = None

STEPS = 20  # by how much the offset of a generator goes up: as in PyTorch
_NEGATIVE = "invalid Poisson rate, expected rate to be non-negative"
_PROPOSED_FROM = 10.0
_CERTAIN_FROM = 1e18  # rates of which no more than a billionth is left to chance


def _pair(seed: int, element: int, offset: int, attempt: int) -> Any:
    """Two numbers from (0, 1]. The draws of other calls differ in the low bits of the counter, attempts in the high."""
    return two_uniforms(philox(seed, element, uint64(offset) + (uint64(attempt) << uint64(40))))


def _multiplied(rate: float, seed: int, element: int, offset: int) -> float:
    least = math.exp(-rate)
    product, count, attempt = 1.0, 0, 0
    while True:
        one, other = _pair(seed, element, offset, attempt)
        product *= one
        if product <= least:
            return float(count)
        product *= other
        if product <= least:
            return float(count + 1)
        count += 2
        attempt += 1


def _proposed(rate: float, seed: int, element: int, offset: int) -> float:
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    steepness = math.log(1.1239 + 1.1328 / (b - 3.4))
    surely = 0.9277 - 3.6224 / (b - 2.0)
    attempt = 0
    while True:
        across, up = _pair(seed, element, offset, attempt)
        across -= 0.5
        inside = 0.5 - abs(across)
        attempt += 1
        if inside <= 0.0:
            continue
        count = float(math.floor((2.0 * a / inside + b) * across + rate + 0.43))
        if inside >= 0.07 and up <= surely:
            return count
        if count < 0.0 or (inside < 0.013 and up > inside):
            continue
        height = math.log(up) + steepness - math.log(a / (inside * inside) + b)
        if height <= count * math.log(rate) - rate - math.lgamma(count + 1.0):
            return count


def _fill_counts(count: int, out: Any, rates: Any, seed: int, offset: int, fault: Any) -> None:
    """``out[i]`` events, of ``rates[i]`` on average."""
    i = cuda.grid(1)
    while i < count:
        rate = rates[i]
        value = 0.0
        if not rate >= 0.0:
            fault[0] = int64(1)
        elif rate >= _CERTAIN_FROM:
            value = rate
        elif rate >= _PROPOSED_FROM:
            value = _proposed(rate, seed, i, offset)
        elif rate > 0.0:
            value = _multiplied(rate, seed, i, offset)
        out[i] = value
        i += cuda.gridsize(1)


_ROWS = Pointer("float64")
_KERNEL = Kernel("poisson", _fill_counts, {}, (Int(), _ROWS, _ROWS, Int(), Int(), Pointer("int64")))


def draw_counts(out: Operand, rates: Operand, count: int, seed: int, offset: int) -> None:
    """Fill `out` with numbers of events; both operands hold float64, one after the other.

    A negative or nan rate is reported when the device is synchronised, as on any GPU.
    """
    if count:
        check_reach(((out, (count,)), (rates, (count,))))
        signed = seed - 2**64 if seed >= 2**63 else seed
        launch_kernel(_KERNEL, (count,), (out, rates), (signed, offset // 4), threads=count, guard=_NEGATIVE)
