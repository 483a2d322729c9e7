"""The bodies that follow indices: gather, scatter, and several indices made one.

An index out of range is written into `fault` (a flag, the index, the size it had to be below) and nothing else is done
for it: no other memory is read or written. The launcher checks the flag when the device is synchronised.
"""

from __future__ import annotations

from typing import Any

cuda: Any = None
place: Any = None
at: Any = None
read_a: Any = None
store: Any = None
write: Any = None
numbers: Any = None
zero: Any = None

Ints = tuple[int, ...]


def gather(
    count: int,
    out: Any,
    a: Any,
    index: Any,
    size: Ints,
    out_stride: Ints,
    a_stride: Ints,
    index_stride: Ints,
    length: int,
    step: int,
    fault: Any,
) -> None:
    """``out[i] = a[i + index[i] * step]``; along the indexed dimension the stride of `a` is 0."""
    i = cuda.grid(1)
    while i < count:
        where = place(i, size)
        chosen = index[at(where, index_stride)]
        if chosen < 0 or chosen >= length:
            fault[1] = chosen
            fault[2] = length
            fault[0] = 1
        else:
            out[at(where, out_stride)] = a[at(where, a_stride) + chosen * step]
        i += cuda.gridsize(1)


def scatter_lines(
    lines: int,
    count: int,
    out: Any,
    index: Any,
    a: Any,
    size: Ints,
    out_stride: Ints,
    index_stride: Ints,
    a_stride: Ints,
    out_step: int,
    index_step: int,
    a_step: int,
    length: int,
    fault: Any,
) -> None:
    """``store(out, index[i], a[i])`` along each line; a line is one thread's, so that later ones come later."""
    line = cuda.grid(1)
    while line < lines:
        where = place(line, size)
        target = at(where, out_stride)
        indices = at(where, index_stride)
        source = at(where, a_stride)
        i = 0
        while i < count:
            chosen = index[indices + i * index_step]
            if chosen < 0 or chosen >= length:
                fault[1] = chosen
                fault[2] = length
                fault[0] = 1
            else:
                store(out, target + chosen * out_step, read_a(a, source + i * a_step))
            i += 1
        line += cuda.gridsize(1)


def locate(
    count: int,
    out: Any,
    index: Any,
    size: Ints,
    out_stride: Ints,
    index_stride: Ints,
    length: int,
    step: int,
    fault: Any,
) -> None:
    """``out[i] += index[i] * step``, where a negative index counts from the end: several indices become one."""
    i = cuda.grid(1)
    while i < count:
        where = place(i, size)
        chosen = index[at(where, index_stride)]
        if chosen < -length or chosen >= length:
            fault[1] = chosen
            fault[2] = length
            fault[0] = 1
        else:
            if chosen < 0:
                chosen += length
            out[at(where, out_stride)] += chosen * step
        i += cuda.gridsize(1)


def count_up(count: int, out: Any, stride: int, half: int, scalars: Any) -> None:
    """``out[i] = first + i * step``, from element `half` on ``last - (count - 1 - i) * step``."""
    i = cuda.grid(1)
    first, last, step = numbers(scalars)
    while i < count:
        value = first + step * i if i < half else last - step * (count - 1 - i)
        write(out, i * stride, value)
        i += cuda.gridsize(1)


def triangle(
    count: int,
    out: Any,
    a: Any,
    size: Ints,
    out_stride: Ints,
    a_stride: Ints,
    columns: int,
    rows: int,
    diagonal: int,
    lower: int,
) -> None:
    """One side of a diagonal of each matrix, and zeros on the other; the elements are counted row by row."""
    i = cuda.grid(1)
    while i < count:
        where = place(i, size)
        across = i % columns - (i // columns) % rows
        inside = across <= diagonal if lower else across >= diagonal
        value = a[at(where, a_stride)]
        out[at(where, out_stride)] = value if inside else zero
        i += cuda.gridsize(1)
