"""Random numbers of a part of a tensor: the element with a number has the same one on every mesh.

They come from Philox, which computes the k-th number without those before it.
"""

from __future__ import annotations

from itertools import product
from math import log2
from typing import Any

import numpy

from tensorkit.distributed.tensor.layout import Box
from tensorkit.finfo import finfo
from tensorkit.ops.shared.tensor_data import from_numpy
from tensorkit.tensor import Tensor

_BLOCK = 4
"""How many words of 64 bits Philox makes at once."""


def _words(seed: int, begin: int, count: int) -> numpy.ndarray[Any, Any]:
    """Words of 64 bits, two for each element, of elements that follow one another."""
    first, skip = divmod(2 * begin, _BLOCK)
    made = numpy.random.Philox(key=seed % 2**64, counter=first).random_raw(skip + 2 * count)
    return made[skip:].reshape(count, 2)


def _uniform(words: numpy.ndarray[Any, Any], digits: int) -> numpy.ndarray[Any, Any]:
    """From 0 to 1 without it: with as many binary digits as the dtype has, none is rounded up to 1."""
    made = (words >> numpy.uint64(64 - digits)) * 2.0**-digits
    return made[:, 0] + 1j * made[:, 1]


def _normal(words: numpy.ndarray[Any, Any], digits: int) -> numpy.ndarray[Any, Any]:
    """By Box and Muller."""
    one, other = (words >> numpy.uint64(11)).T * 2.0**-53
    return numpy.sqrt(-2 * numpy.log1p(-one)) * numpy.exp(2j * numpy.pi * other)  # type: ignore[no-any-return]


def drawn(name: str, dtype: Any, size: tuple[int, ...], box: Box, seed: int) -> Tensor:
    """The part of a random tensor that a box of its elements is."""
    widths = [end - begin for begin, end in box]
    made = numpy.empty(widths, numpy.complex128)
    digits = 1 - round(log2(finfo(dtype).eps))
    if made.size:
        draw = _uniform if name == "rand" else _normal
        split = next((d for d in range(len(size), 0, -1) if tuple(box[d - 1]) != (0, size[d - 1])), 0)
        run = int(numpy.prod(widths[max(split - 1, 0) :], dtype=numpy.int64))
        flat = made.reshape(-1, run)
        strides = [int(numpy.prod(size[d + 1 :], dtype=numpy.int64)) for d in range(len(size))]
        starts = product(*(range(*one) for one in box[: max(split - 1, 0)]))
        last = box[split - 1][0] * strides[split - 1] if split else 0
        for row, start in zip(flat, starts, strict=True):
            begin = sum(k * s for k, s in zip(start, strides, strict=False)) + last
            row[:] = draw(_words(seed, begin, run), digits)
    if not dtype.is_complex:
        return from_numpy(made.real.copy()).to(dtype)
    if name == "randn":  # of variance 1 in all
        made /= numpy.sqrt(2)
    return from_numpy(made).to(dtype)
