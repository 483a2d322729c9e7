"""The body that draws random numbers, and how 128 random bits become two or four of them.

Philox (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011) has no state that goes from draw to
draw: ten rounds of multiplication turn a counter and a key into 128 bits. The key is the seed; the counter is the
number of the draw and the number of the thread, so that every thread has a stream of its own and all can draw at once.

Which thread draws which element is PyTorch's rule: there are `threads` of them, thread t draws the elements t,
t + threads, …, `unroll` of them from each 128 bits. How many threads there are depends on the number of elements and,
for many, on how many multiprocessors the device has.
"""

from __future__ import annotations

import math
from typing import Any

from numpy import float32, float64, int64, uint64

cuda: Any = None
place: Any = None
at: Any = None
write: Any = None
numbers: Any = None
split: Any = None
transform: Any = None

Ints = tuple[int, ...]
_LOW = uint64(0xFFFFFFFF)


def philox(seed: Any, thread: Any, draw: Any) -> Any:
    """128 random bits as four numbers of 32 bits, each held in 64."""
    key_0 = uint64(seed) & _LOW
    key_1 = uint64(seed) >> uint64(32)
    c_0 = uint64(draw) & _LOW
    c_1 = uint64(draw) >> uint64(32)
    c_2 = uint64(thread) & _LOW
    c_3 = uint64(thread) >> uint64(32)
    for _ in range(10):
        one = uint64(0xD2511F53) * c_0
        two = uint64(0xCD9E8D57) * c_2
        c_0 = (two >> uint64(32)) ^ c_1 ^ key_0
        c_1 = two & _LOW
        c_2 = (one >> uint64(32)) ^ c_3 ^ key_1
        c_3 = one & _LOW
        key_0 = (key_0 + uint64(0x9E3779B9)) & _LOW
        key_1 = (key_1 + uint64(0xBB67AE85)) & _LOW
    return c_0, c_1, c_2, c_3


def fill(
    count: int,
    threads: int,
    unroll: int,
    first_step: int,
    next_step: int,
    out: Any,
    size: Ints,
    out_stride: Ints,
    seed: int,
    offset: int,
    scalars: Any,
) -> None:
    """``out[i] = transform(random number i)``, the elements counted in the order of `size`.

    Args:
        first_step: between the first elements of two threads; next_step: between two elements of one draw.
    """
    thread = cuda.grid(1)
    while thread < threads:
        draw = int64(0)
        first = int64(thread) * first_step
        while first < count:
            drawn = split(philox(seed, thread, offset + draw))
            i = first
            k = 0
            while k < unroll:
                if i < count:
                    write(out, at(place(i, size), out_stride), transform(drawn[k], *numbers(scalars)))
                i += next_step
                k += 1
            first += threads * unroll
            draw += 1
        thread += cuda.gridsize(1)


# -- from bits to numbers ---------------------------------------------------------------------------------------------


def _unit(word: Any) -> Any:
    """A number from (0, 1] for 32 bits."""
    return float32(float32(word) * float32(2.3283064e-10)) + float32(2.3283064e-10 / 2)


def _long_unit(low: Any, high: Any) -> Any:
    """A number from (0, 1] for 64 bits, 53 of which are used."""
    bits = low ^ (high << uint64(21))
    return float64(bits) * float64(1.1102230246251565e-16) + float64(1.1102230246251565e-16 / 2)


def four_uniforms(words: Any) -> Any:
    return _unit(words[0]), _unit(words[1]), _unit(words[2]), _unit(words[3])


def two_uniforms(words: Any) -> Any:
    return _long_unit(words[0], words[1]), _long_unit(words[2], words[3])


def _pair(x: Any, y: Any) -> Any:
    """Two normally distributed numbers (Box and Muller, 1958)."""
    u = _unit(x)
    v = float32(float32(y) * float32(2.3283064e-10 * 2 * math.pi)) + float32(2.3283064e-10 * math.pi)
    far = float32(math.sqrt(float32(float32(-2) * float32(math.log(u)))))
    return float32(far * float32(math.sin(v))), float32(far * float32(math.cos(v)))


def four_normals(words: Any) -> Any:
    a, b = _pair(words[0], words[1])
    c, d = _pair(words[2], words[3])
    return a, b, c, d


def two_normals(words: Any) -> Any:
    u = _long_unit(words[0], words[1])
    bits = words[2] ^ (words[3] << uint64(21))
    v = float64(bits) * float64(2 * 1.1102230246251565e-16) + float64(1.1102230246251565e-16)
    far = math.sqrt(-2.0 * math.log(u))
    return far * math.sin(math.pi * v), far * math.cos(math.pi * v)


def four_words(words: Any) -> Any:
    return words


def two_long_words(words: Any) -> Any:
    return (words[0] << uint64(32)) | words[1], (words[2] << uint64(32)) | words[3]
