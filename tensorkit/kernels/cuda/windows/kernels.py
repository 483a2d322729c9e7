"""The bodies of convolution: a thread takes one element of the result, and looks for all that adds to it.

Images are (n, channels, depth, height, width); one or two spatial dimensions have others of length 1 before them.
`move` holds stride, padding and dilation, three numbers each. Beside the names that ``cuda.kernels`` explains:

    zero    of the type that is computed in
"""

from __future__ import annotations

from typing import Any

from tensorkit.kernels.cuda.kernels import split

cuda: Any = None
read_a: Any = None
read_b: Any = None
read_c: Any = None
write: Any = None
zero: Any = None

Ints = tuple[int, ...]


def place_5(i: int, size: Ints) -> Any:
    """The coordinates of element number i."""
    i, x = split(i, size[4])
    i, y = split(i, size[3])
    i, z = split(i, size[2])
    n, c = split(i, size[1])
    return n, c, z, y, x


def at_5(n: int, c: int, z: int, y: int, x: int, stride: Ints) -> int:
    """The slot of an element."""
    return n * stride[0] + c * stride[1] + z * stride[2] + y * stride[3] + x * stride[4]


def source(place: int, k: int, move: Ints, dim: int) -> int:
    """The index of the image's element under element k of a window; it may be out of range."""
    return place * move[dim] - move[3 + dim] + k * move[6 + dim]


def inside(z: int, y: int, x: int, size: Ints) -> bool:
    """Whether the image has such an element: around it are zeros."""
    return z >= 0 and z < size[2] and y >= 0 and y < size[3] and x >= 0 and x < size[4]


def target(element: int, k: int, move: Ints, dim: int, places: int) -> int:
    """The place at which a window's element k is over this element of the image; -1 if there is none."""
    begin = element + move[3 + dim] - k * move[6 + dim]
    if begin < 0 or begin % move[dim] != 0:
        return -1
    found = begin // move[dim]
    return found if found < places else -1


def convolve(
    count: int,
    out: Any,
    image: Any,
    weight: Any,
    bias: Any,
    size: Ints,
    image_size: Ints,
    kernel: Ints,
    out_stride: Ints,
    image_stride: Ints,
    weight_stride: Ints,
    bias_step: int,
    added: int,
    move: Ints,
    outs: int,
) -> None:
    """Products of the image under a window with the weight, added up; `outs` channels of the result are a group."""
    i = cuda.grid(1)
    while i < count:
        n, o, z, y, x = place_5(i, size)
        total = read_c(bias, o * bias_step) if added else zero
        first = o // outs * kernel[1]
        for c in range(kernel[1]):
            for kz in range(kernel[2]):
                iz = source(z, kz, move, 0)
                for ky in range(kernel[3]):
                    iy = source(y, ky, move, 1)
                    for kx in range(kernel[4]):
                        ix = source(x, kx, move, 2)
                        value = zero
                        if inside(iz, iy, ix, image_size):
                            value = read_a(image, at_5(n, first + c, iz, iy, ix, image_stride))
                        total += value * read_b(weight, at_5(o, c, kz, ky, kx, weight_stride))
        write(out, at_5(n, o, z, y, x, out_stride), total)
        i += cuda.gridsize(1)


def spread(
    count: int,
    out: Any,
    image: Any,
    weight: Any,
    bias: Any,
    size: Ints,
    image_size: Ints,
    kernel: Ints,
    out_stride: Ints,
    image_stride: Ints,
    weight_stride: Ints,
    bias_step: int,
    added: int,
    move: Ints,
    ins: int,
) -> None:
    """The opposite way: what all windows over this element bring it; `ins` channels of the image are a group."""
    i = cuda.grid(1)
    while i < count:
        n, o, z, y, x = place_5(i, size)
        total = read_c(bias, o * bias_step) if added else zero
        group, own = split(o, kernel[1])
        for c in range(group * ins, group * ins + ins):
            for kz in range(kernel[2]):
                iz = target(z, kz, move, 0, image_size[2])
                for ky in range(kernel[3]):
                    iy = target(y, ky, move, 1, image_size[3])
                    if iz >= 0 and iy >= 0:
                        for kx in range(kernel[4]):
                            ix = target(x, kx, move, 2, image_size[4])
                            if ix >= 0:
                                total += read_a(image, at_5(n, c, iz, iy, ix, image_stride)) * read_b(
                                    weight, at_5(c, own, kz, ky, kx, weight_stride)
                                )
        write(out, at_5(n, o, z, y, x, out_stride), total)
        i += cuda.gridsize(1)


def weigh(
    count: int,
    out: Any,
    image: Any,
    result: Any,
    kernel: Ints,
    image_size: Ints,
    size: Ints,
    out_stride: Ints,
    image_stride: Ints,
    result_stride: Ints,
    move: Ints,
    outs: int,
) -> None:
    """What one element of the weight was multiplied with, over all images and places."""
    i = cuda.grid(1)
    while i < count:
        o, c, kz, ky, kx = place_5(i, kernel)
        channel = o // outs * kernel[1] + c
        total = zero
        for n in range(size[0]):
            for z in range(size[2]):
                iz = source(z, kz, move, 0)
                for y in range(size[3]):
                    iy = source(y, ky, move, 1)
                    for x in range(size[4]):
                        ix = source(x, kx, move, 2)
                        value = zero
                        if inside(iz, iy, ix, image_size):
                            value = read_a(image, at_5(n, channel, iz, iy, ix, image_stride))
                        total += value * read_b(result, at_5(n, o, z, y, x, result_stride))
        write(out, at_5(o, c, kz, ky, kx, out_stride), total)
        i += cuda.gridsize(1)


def unfold(
    count: int,
    out: Any,
    image: Any,
    image_size: Ints,
    kernel: Ints,
    places: Ints,
    out_stride: Ints,
    image_stride: Ints,
    move: Ints,
) -> None:
    """One element of a column: the image's element under one element of one window, or zero."""
    i = cuda.grid(1)
    while i < count:
        rest, x = split(i, places[2])
        rest, y = split(rest, places[1])
        row, z = split(rest, places[0])
        rest, kx = split(row, kernel[2])
        rest, ky = split(rest, kernel[1])
        rest, kz = split(rest, kernel[0])
        n, c = split(rest, image_size[1])
        iz = source(z, kz, move, 0)
        iy = source(y, ky, move, 1)
        ix = source(x, kx, move, 2)
        value = zero
        if inside(iz, iy, ix, image_size):
            value = read_a(image, at_5(n, c, iz, iy, ix, image_stride))
        row -= n * image_size[1] * kernel[0] * kernel[1] * kernel[2]
        column = (z * places[1] + y) * places[2] + x
        write(out, n * out_stride[0] + row * out_stride[1] + column * out_stride[2], value)
        i += cuda.gridsize(1)


def fold(
    count: int,
    out: Any,
    columns: Any,
    size: Ints,
    kernel: Ints,
    places: Ints,
    out_stride: Ints,
    columns_stride: Ints,
    move: Ints,
) -> None:
    """One element of an image: all that stands for it in columns, added up."""
    i = cuda.grid(1)
    while i < count:
        n, c, z, y, x = place_5(i, size)
        total = zero
        for kz in range(kernel[0]):
            pz = target(z, kz, move, 0, places[0])
            for ky in range(kernel[1]):
                py = target(y, ky, move, 1, places[1])
                for kx in range(kernel[2]):
                    px = target(x, kx, move, 2, places[2])
                    if pz >= 0 and py >= 0 and px >= 0:
                        row = ((c * kernel[0] + kz) * kernel[1] + ky) * kernel[2] + kx
                        column = (pz * places[1] + py) * places[2] + px
                        total += read_a(
                            columns,
                            n * columns_stride[0] + row * columns_stride[1] + column * columns_stride[2],
                        )
        write(out, at_5(n, c, z, y, x, out_stride), total)
        i += cuda.gridsize(1)
