"""The kernel bodies: what one thread does. Plain Python that three runners run.

A body is a *grid-stride loop*: thread number ``cuda.grid(1)`` takes that element, then the one
``cuda.gridsize(1)`` further on, until `count` is reached. Any number of threads gives the same result.
A body knows no tensor: it is handed pointers, a count, sizes and strides (in elements), and when it runs it
finds these names:

    cuda       who am I: ``grid`` and ``gridsize``; numba's own on a GPU, a stand-in elsewhere
    place      from the element's number to its coordinates, for this many dimensions
    at         from coordinates and strides to a slot
    read_a …   read a slot as the type that the arithmetic is done in
    write      write a result into a slot
    scalar     the arithmetic itself, such as ``a + alpha * b``, taken from the operation's block in ``ops``
    numbers    the scalars (alpha) as that function wants them

The runner builds a copy of the body whose globals hold them (see ``compile.bind``); here they are empty.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import int64, uint64

cuda: Any = None
place: Any = None
at: Any = None
read_a: Any = None
read_b: Any = None
read_c: Any = None
read_d: Any = None
read_e: Any = None
write: Any = None
scalar: Any = None
numbers: Any = None

Ints = tuple[int, ...]


def zip_0(count: int, out: Any, size: Ints, out_stride: Ints, scalars: Any) -> None:
    """``out[i] = scalar(*numbers)``: fill."""
    i = cuda.grid(1)
    while i < count:
        write(out, at(place(i, size), out_stride), scalar(*numbers(scalars)))
        i += cuda.gridsize(1)


def zip_1(count: int, out: Any, a: Any, size: Ints, out_stride: Ints, a_stride: Ints, scalars: Any) -> None:
    """``out[i] = scalar(a[i], *numbers)``: map; with ``scalar`` the identity, a strided copy with a cast."""
    i = cuda.grid(1)
    while i < count:
        where = place(i, size)
        write(out, at(where, out_stride), scalar(read_a(a, at(where, a_stride)), *numbers(scalars)))
        i += cuda.gridsize(1)


def zip_2(
    count: int,
    out: Any,
    a: Any,
    b: Any,
    size: Ints,
    out_stride: Ints,
    a_stride: Ints,
    b_stride: Ints,
    scalars: Any,
) -> None:
    """``out[i] = scalar(a[i], b[i], *numbers)``."""
    i = cuda.grid(1)
    while i < count:
        where = place(i, size)
        left = read_a(a, at(where, a_stride))
        right = read_b(b, at(where, b_stride))
        write(out, at(where, out_stride), scalar(left, right, *numbers(scalars)))
        i += cuda.gridsize(1)


def zip_3(
    count: int,
    out: Any,
    a: Any,
    b: Any,
    c: Any,
    size: Ints,
    out_stride: Ints,
    a_stride: Ints,
    b_stride: Ints,
    c_stride: Ints,
    scalars: Any,
) -> None:
    """``out[i] = scalar(a[i], b[i], c[i], *numbers)``."""
    i = cuda.grid(1)
    while i < count:
        where = place(i, size)
        first = read_a(a, at(where, a_stride))
        second = read_b(b, at(where, b_stride))
        third = read_c(c, at(where, c_stride))
        write(out, at(where, out_stride), scalar(first, second, third, *numbers(scalars)))
        i += cuda.gridsize(1)


def zip_4(
    count: int,
    out: Any,
    a: Any,
    b: Any,
    c: Any,
    d: Any,
    size: Ints,
    out_stride: Ints,
    a_stride: Ints,
    b_stride: Ints,
    c_stride: Ints,
    d_stride: Ints,
    scalars: Any,
) -> None:
    """``out[i] = scalar(a[i], b[i], c[i], d[i], *numbers)``."""
    i = cuda.grid(1)
    while i < count:
        where = place(i, size)
        first = read_a(a, at(where, a_stride))
        second = read_b(b, at(where, b_stride))
        third = read_c(c, at(where, c_stride))
        fourth = read_d(d, at(where, d_stride))
        write(out, at(where, out_stride), scalar(first, second, third, fourth, *numbers(scalars)))
        i += cuda.gridsize(1)


def zip_5(
    count: int,
    out: Any,
    a: Any,
    b: Any,
    c: Any,
    d: Any,
    e: Any,
    size: Ints,
    out_stride: Ints,
    a_stride: Ints,
    b_stride: Ints,
    c_stride: Ints,
    d_stride: Ints,
    e_stride: Ints,
    scalars: Any,
) -> None:
    """``out[i] = scalar(a[i], b[i], c[i], d[i], e[i], *numbers)``."""
    i = cuda.grid(1)
    while i < count:
        where = place(i, size)
        first = read_a(a, at(where, a_stride))
        second = read_b(b, at(where, b_stride))
        third = read_c(c, at(where, c_stride))
        fourth = read_d(d, at(where, d_stride))
        fifth = read_e(e, at(where, e_stride))
        write(out, at(where, out_stride), scalar(first, second, third, fourth, fifth, *numbers(scalars)))
        i += cuda.gridsize(1)


ZIPS: tuple[Callable[..., Any], ...] = (zip_0, zip_1, zip_2, zip_3, zip_4, zip_5)


# -- from an element's number to its slot ---------------------------------------------------------------


def split(i: Any, n: int) -> tuple[Any, Any]:
    """``divmod(i, n)`` for i ≥ 0. Unsigned, because Python's ``//`` spends instructions on signs."""
    row = int64(uint64(i) // uint64(n))
    return row, i - row * n


def place_0(i: int, size: Ints) -> int:
    """Contiguous: the element's number is its coordinate, and the slot too."""
    return i


def at_0(where: int, stride: Ints) -> int:
    return where


def place_1(i: int, size: Ints) -> int:
    return i


def at_1(where: int, stride: Ints) -> int:
    return where * stride[0]


def place_2(i: int, size: Ints) -> Any:
    return split(i, size[1])


def at_2(where: Ints, stride: Ints) -> int:
    return where[0] * stride[0] + where[1] * stride[1]


def place_3(i: int, size: Ints) -> Any:
    i, z = split(i, size[2])
    x, y = split(i, size[1])
    return x, y, z


def at_3(where: Ints, stride: Ints) -> int:
    return where[0] * stride[0] + where[1] * stride[1] + where[2] * stride[2]


def place_4(i: int, size: Ints) -> Any:
    i, z = split(i, size[3])
    i, y = split(i, size[2])
    w, x = split(i, size[1])
    return w, x, y, z


def at_4(where: Ints, stride: Ints) -> int:
    return where[0] * stride[0] + where[1] * stride[1] + where[2] * stride[2] + where[3] * stride[3]


def place_8(i: int, size: Ints) -> Any:
    i, z = split(i, size[7])
    i, y = split(i, size[6])
    i, x = split(i, size[5])
    i, w = split(i, size[4])
    i, v = split(i, size[3])
    i, u = split(i, size[2])
    s, t = split(i, size[1])
    return s, t, u, v, w, x, y, z


def at_8(where: Ints, stride: Ints) -> int:
    near = where[0] * stride[0] + where[1] * stride[1] + where[2] * stride[2] + where[3] * stride[3]
    far = where[4] * stride[4] + where[5] * stride[5] + where[6] * stride[6] + where[7] * stride[7]
    return near + far


# The special cases that are compiled; 5 to 7 dimensions are padded to 8.
PLACE: dict[int, Callable[..., Any]] = {
    0: place_0,
    1: place_1,
    2: place_2,
    3: place_3,
    4: place_4,
    8: place_8,
}
AT: dict[int, Callable[..., Any]] = {0: at_0, 1: at_1, 2: at_2, 3: at_3, 4: at_4, 8: at_8}
