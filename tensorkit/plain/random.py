"""Random numbers: the same ones, from the same seed, as `tensorkit` and PyTorch draw on the CPU.

>>> _ = plain.manual_seed(0)
>>> plain.rand(2)
tensor([0.4963, 0.7682])
"""

from __future__ import annotations

import random
from typing import Any

from tensorkit.plain.tensors import Dtype, Tensor, float32, float64, int64, made, offered, size_of
from tensorkit.strides.layout import contiguous

_words = random.Random()  # Python's own generator is PyTorch's: a Mersenne Twister


@offered("manual_seed", method=False)
def manual_seed(seed: int) -> None:
    """Begin the stream of a seed.

    Python would stir the seed first. PyTorch fills the 624 words of the twister from it as their inventors did.
    """
    words = [seed & 0xFFFFFFFF]
    for place in range(1, 624):
        words.append((1812433253 * (words[-1] ^ words[-1] >> 30) + place) & 0xFFFFFFFF)
    _words.setstate((3, (*words, 624), None))


@offered("rand", method=False)
def rand(*size: Any, dtype: Dtype = float32) -> Tensor:
    """Numbers from 0 up to 1, without it: 24 bits of a word for float32, 53 bits of two for float64."""
    layout = contiguous(size_of(size))
    return made([_one(dtype) for _ in range(layout.numel)], dtype, layout)


def _one(dtype: Dtype) -> float:
    if dtype is float64:
        return (_words.getrandbits(32) << 32 | _words.getrandbits(32)) % 2**53 / 2**53
    return _words.getrandbits(32) % 2**24 / 2**24


@offered("randperm", method=False)
def randperm(n: int) -> Tensor:
    """The integers 0 … n - 1 in random order: each in turn changes places with one that is drawn."""
    numbers = list(range(n))
    for place in range(n - 1):
        other = place + _words.getrandbits(32) % (n - place)
        numbers[place], numbers[other] = numbers[other], numbers[place]
    return made(numbers, int64, contiguous((n,)))


manual_seed(random.SystemRandom().getrandbits(32))
