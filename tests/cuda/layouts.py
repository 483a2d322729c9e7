"""Operands in every layout a tensor may have, drawn by Hypothesis: contiguous only by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from hypothesis import strategies as st

from tensorkit import dtypes
from tensorkit.kernels.cuda import Operand
from tensorkit.kernels.cuda.memory import EmulatedMemory

Array = numpy.ndarray[Any, Any]


@dataclass(frozen=True)
class Laid:
    """A NumPy view and the flat array that it lies in.

    Attributes:
        base: every slot, one-dimensional.
        view: the elements.
        kind: the dtype.
    """

    base: Array
    view: Array
    kind: dtypes.dtype

    def operand(self, memory: EmulatedMemory, index: int = 0) -> Operand:
        """The same slots in the same layout on a device."""
        buffer = memory.allocate(self.base.nbytes, index)
        memory.from_host(buffer, 0, self.base.view(numpy.uint8))
        item = self.kind.itemsize
        first = self.view.__array_interface__["data"][0] - self.base.__array_interface__["data"][0]
        stride = tuple(step // item for step in self.view.strides)
        return Operand(buffer, self.kind, stride, first // item if self.view.size else 0)


def read_back(memory: EmulatedMemory, operand: Operand, size: tuple[int, ...]) -> tuple[Array, Array]:
    """The elements of an operand on a device, and all slots of its buffer."""
    slots = memory.to_host(operand.buffer, 0, operand.buffer.nbytes).view(operand.dtype.numpy)
    item = operand.dtype.itemsize
    if 0 in size:
        return numpy.empty(size, operand.dtype.numpy), slots
    strides = [step * item for step in operand.stride]
    return numpy.lib.stride_tricks.as_strided(slots[operand.offset :], size, strides), slots


def numbers(kind: dtypes.dtype, count: int, seed: int) -> Array:
    """Small whole numbers of a dtype: exact in all of them."""
    values = numpy.random.default_rng(seed).integers(0, 9, count)
    return values.astype(kind.numpy)


@st.composite
def sizes(draw: st.DrawFn, most_dims: int = 6, most_elements: int = 60) -> tuple[int, ...]:
    """Sizes of 0 to `most_dims` dimensions, some of them 1, a few 0."""
    size: list[int] = []
    for _ in range(draw(st.integers(0, most_dims))):
        room = most_elements // max(1, int(numpy.prod(size)))
        size.append(draw(st.integers(1, max(1, min(5, room)))))
    if size and draw(st.integers(0, 9)) == 0:
        size[draw(st.integers(0, len(size) - 1))] = 0
    return tuple(size)


@st.composite
def laid(draw: st.DrawFn, size: tuple[int, ...], kind: dtypes.dtype, *, broadcast: bool = True) -> Laid:
    """One operand: permuted, sliced with steps forwards or backwards, padded, broadcast by stride 0."""
    order = draw(st.permutations(range(len(size))))
    steps = [draw(st.sampled_from((1, 1, 2, 3, -1, -2))) for _ in size]
    pads = [draw(st.integers(0, 2)) for _ in size]
    flat = [broadcast and n > 1 and draw(st.integers(0, 3)) == 0 for n in size]
    shape = [1 if flat[d] else max(1, size[d] * abs(steps[d]) + pads[d]) for d in order]
    base = numbers(kind, int(numpy.prod(shape)), draw(st.integers(0, 2**16)))
    block = base.reshape(shape).transpose(numpy.argsort(order))
    cuts = []
    for d, n in enumerate(size):
        if flat[d] or n == 0:
            cuts.append(slice(0, 1 if flat[d] else 0))
            continue
        first = pads[d] if steps[d] > 0 else pads[d] + (n - 1) * -steps[d]
        stop = first + n * steps[d]
        cuts.append(slice(first, stop if stop >= 0 else None, steps[d]))
    return Laid(base, numpy.broadcast_to(block[(*cuts, ...)], size), kind)
