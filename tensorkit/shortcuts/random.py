"""Shortcuts of random numbers: a few of the default dtype, from the default generator."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes, random
from tensorkit.device import default_chosen
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.kernels.sizes import NORMALS_IN_BLOCKS, SMALL
from tensorkit.ops.random.draw import Fill
from tensorkit.random import Generator, default_generator
from tensorkit.shortcuts.creation import plain_size
from tensorkit.tensor import Array, Tensor, fresh

_Few = Callable[[int, numpy.dtype[Any], Generator], Array]


def _few(size: tuple[Any, ...], draw_few: _Few, fill_some: Fill) -> Tensor | None:
    """A few numbers of the default dtype from the default generator; None for any other call."""
    kind = dtypes.get_default_dtype()
    if kind is not dtypes.float32 and kind is not dtypes.float64:
        return None
    if len(size) == 1 and size[0].__class__ is int:
        count, sizes = size[0], None
    else:
        sizes = plain_size(size)
        if sizes is None:
            return None
        count = math.prod(sizes)
    if not 0 < count <= SMALL:
        return None
    if count < NORMALS_IN_BLOCKS:
        row = draw_few(count, kind.numpy, default_generator)
    else:
        row = numpy.empty(count, kind.numpy)
        fill_some(row, default_generator)
    return fresh(row if sizes is None else row.reshape(sizes), kind)


@shortcut("rand", buys="rand(3)")
def rand_of_few(*size: Any) -> Tensor | None:
    """``rand`` of a size alone."""
    if default_chosen.once:
        return None
    return _few(size, random.few_uniform, random.fill_some_uniform)


@shortcut("randn", buys="randn(3)")
def randn_of_few(*size: Any) -> Tensor | None:
    """``randn`` of a size alone."""
    return None if default_chosen.once else _few(size, random.few_normal, random.fill_some_normal)


@shortcut("randperm", buys="randperm, contiguous, 1")
def randperm_of_few(n: Any = None, *more: Any) -> Tensor | None:
    """``randperm(n)``."""
    if more or n.__class__ is not int or not 0 < n <= SMALL or default_chosen.once:
        return None
    if n == 1:  # there is nothing to draw
        return fresh(numpy.zeros(1, numpy.int64), dtypes.int64)
    order = numpy.empty(n, numpy.int64)
    random.fill_permutation(order, default_generator)
    return fresh(order, dtypes.int64)
