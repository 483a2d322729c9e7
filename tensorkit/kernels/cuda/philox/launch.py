"""Drawing random numbers on a device: the distributions, and how many threads draw."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any, NamedTuple

from numpy import float32, int64, uint64

from tensorkit import dtypes
from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda import half
from tensorkit.kernels.cuda import kernels as zips
from tensorkit.kernels.cuda.compile import Argument, Int, Ints, Kernel, Numbers, Pointer
from tensorkit.kernels.cuda.emulator import runner_for
from tensorkit.kernels.cuda.launch import check_reach, launch_kernel
from tensorkit.kernels.cuda.philox import kernels
from tensorkit.kernels.cuda.plan import MOST_DIMS, Operand, coalesce

Sizes = tuple[int, ...]
Function = Callable[..., Any]
BLOCK = 256  # threads of a block, as PyTorch draws
WORDS = 4  # what one step of a generator gives, and what its offset counts


# -- from random bits to a distribution --------------------------------------------------------------------------------


def _uniform(x: Any, low: Any, high: Any) -> Any:
    value = x * (high - low) + low
    return low if value == high else value


def _as_drawn(x: Any) -> Any:
    return x


def _normal(x: Any, mean: Any, std: Any) -> Any:
    return x * std + mean


def _log_normal(x: Any, mean: Any, std: Any) -> Any:
    return math.exp(x * std + mean)


def _exponential(x: Any, rate: Any) -> Any:
    smallest = float32(1.1920929e-07) / 2
    logarithm = -smallest if x >= 1 - smallest else math.log(x)
    return -logarithm / rate


def _long_exponential(x: Any, rate: Any) -> Any:
    smallest = 2.220446049250313e-16 / 2
    logarithm = -smallest if x >= 1 - smallest else math.log(x)
    return -logarithm / rate


def _cauchy(x: Any, median: Any, sigma: Any) -> Any:
    return median + sigma * math.tan(math.pi * (x - 0.5))


def _geometric(x: Any, p: Any) -> Any:
    return math.ceil(math.log(x) / math.log(1 - p))


def _bernoulli(x: Any, p: Any) -> Any:
    return x < p


def _integer(x: Any, low: Any, count: Any) -> Any:
    """From a range of up to 2**64 numbers; a count of 0 stands for all of them."""
    if count == 0:
        return int64(x)
    return int64(uint64(x) % uint64(count)) + low


class _Distribution(NamedTuple):
    """How bits become numbers: four of 32 bits each, or two of 64."""

    four: Function
    two: Function
    transform: Function
    long_transform: Function | None = None


_DISTRIBUTIONS: dict[str, _Distribution] = {
    "uniform": _Distribution(kernels.four_uniforms, kernels.two_uniforms, _uniform),
    "as drawn": _Distribution(kernels.four_uniforms, kernels.two_uniforms, _as_drawn),
    "normal": _Distribution(kernels.four_normals, kernels.two_normals, _normal),
    "log_normal": _Distribution(kernels.four_normals, kernels.two_normals, _log_normal),
    "exponential": _Distribution(
        kernels.four_uniforms, kernels.two_uniforms, _exponential, _long_exponential
    ),
    "cauchy": _Distribution(kernels.four_uniforms, kernels.two_uniforms, _cauchy),
    "geometric": _Distribution(kernels.four_uniforms, kernels.two_uniforms, _geometric),
    "bernoulli": _Distribution(kernels.four_uniforms, kernels.two_uniforms, _bernoulli),
    "integers": _Distribution(kernels.four_words, kernels.two_long_words, _integer),
}


# -- the launch -----------------------------------------------------------------------------------------------------


@cache
def _kernel(how: str, out: dtype, wide: bool, dims: int, scalars: int, native: bool) -> Kernel:
    made = _DISTRIBUTIONS[how]
    compute = dtypes.int64 if how == "integers" else dtypes.float64 if wide else dtypes.float32
    transform = made.long_transform if wide and made.long_transform is not None else made.transform
    written = dtypes.bool if how == "bernoulli" else compute
    names = {
        "place": zips.PLACE[dims],
        "at": zips.AT[dims],
        "write": half.writer(written, out, native),
        "numbers": half.identity,
        "split": made.two if wide else made.four,
        "transform": transform,
    }
    arguments: tuple[Argument, ...] = (
        *(Int(), Int(), Int(), Int(), Int()),
        Pointer(half.raw_name(out.name, native)),
        *(Ints(dims), Ints(dims), Int(), Int()),
        Numbers(compute.name, scalars),
    )
    name = f"{how.replace(' ', '_')}_{out.name}{'_wide' if wide else ''}_{dims}d"
    return Kernel(name, kernels.fill, names, arguments)


def _threads(count: int, units: int, unit_threads: int) -> int:
    blocks = min(-(-count // BLOCK), units * (unit_threads // BLOCK))
    return blocks * BLOCK


def steps_of(count: int, wide: bool, units: int, unit_threads: int) -> int:
    """By how much drawing the elements advances a generator's offset."""
    if not count:
        return 0
    return ((count - 1) // (_threads(count, units, unit_threads) * (2 if wide else 4)) + 1) * WORDS


def draw(
    how: str,
    out: Operand,
    size: Sizes,
    seed: int,
    offset: int,
    wide: bool,
    units: int,
    unit_threads: int,
    scalars: tuple[Any, ...],
    together: bool = False,
) -> None:
    """Fill `out` in the order of its memory.

    Args:
        how: a distribution. wide: whether 64 random bits are used for each number.
        seed, offset: of the generator, the offset in numbers of 32 bits.
        units, unit_threads: the device's multiprocessors, and the threads of each: for many elements the layout
            of PyTorch's numbers depends on them.
        together: whether a thread's four numbers lie side by side, as where each has a chance of its own.
    """
    if 0 in size:
        return
    check_reach(((out, size),))
    walked, (stride,) = coalesce(size, (out.stride,))
    dims = max(1, len(walked)) if len(walked) <= 4 else MOST_DIMS
    missing = dims - len(walked)
    walked, stride = (1,) * missing + walked, (0,) * missing + stride
    count = prod(size)
    runner = runner_for(out.buffer)
    kernel = _kernel(how, out.dtype, wide, dims, len(scalars), runner.native_half)
    threads, unroll = _threads(count, units, unit_threads), 2 if wide else 4
    steps = 1, threads
    if together:
        threads, steps = -(-count // unroll), (unroll, 1)
    signed = seed - 2**64 if seed >= 2**63 else seed
    if how == "integers":
        scalars = tuple(n - 2**64 if n >= 2**63 else n for n in scalars)
    launch_kernel(
        kernel,
        (count, threads, unroll, *steps),
        (out,),
        (walked, stride, signed, offset // WORDS, scalars),
        threads=threads,
    )
