"""`plot_images`: a batch of image tensors as a grid, pixel for pixel."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy

from tensorkit_widgets.plots.canvas import Canvas
from tensorkit_widgets.plots.style import axes_for, describe_figure
from tensorkit_widgets.snapshot.adapter import describe, library_of, quietly
from tensorkit_widgets.snapshot.geometry import Ints

MOST = 100
"""Images that one grid shows; more would be stamps."""
MOST_PIXELS = 1024
"""Pixels of a side that are read; every second, third … of a larger image."""

_CELL, _GAP, _TITLE = 150.0, 14.0, 26.0
_CHANNELS = (1, 3, 4)
_ORDERS = ("CHW", "HWC", "HW")


def plot_images(
    batch: Any, *, order: str | None = None, titles: Sequence[Any] | None = None, columns: int | None = None,
    limits: tuple[float, float] | None = None, ax: Any = None, figsize: tuple[float, float] | None = None,
    theme: str | None = None,
) -> Any:  # fmt: skip
    """A grid of images, as they stand in the tensor: one image, a batch of them, or a list.

    Bytes run from 0 to 255 and floats from 0 to 1. Numbers outside of that are refused unless `limits` says what is
    black and what is white: a wrong scale is a common slip, and a picture that is stretched silently would hide it.

    Args:
        batch: ``(H, W)``, ``(C, H, W)``, ``(H, W, C)`` or these with one leading dimension, of tensorkit, NumPy or
            PyTorch; or a list of images, which may have different sizes.
        order: ``"CHW"``, ``"HWC"`` or ``"HW"``; by default what the sizes suggest (1, 3 or 4 channels, first or last).
        titles: one for each image.
        columns: images in a line; by default as many as make the grid about square.
        limits: the numbers that are black and white.
        ax: the axes to draw on; a new figure without.
        figsize: width and height of the new figure in inches; None fits the grid.
        theme: ``"light"``, ``"dark"``, or None for what the ground of `ax` asks for.

    Returns:
        The `matplotlib.axes.Axes`, with one `AxesImage` for each image in ``ax.images``.

    Raises:
        TypeError: for something that cannot be drawn, or complex numbers.
        ValueError: for sizes that are no image, too many images, titles of another number, floats outside of 0 to 1.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> ax = plot_images(tk.rand(5, 3, 8, 8), titles=range(5))
    >>> len(ax.images), ax.images[0].get_array().shape
    (5, (8, 8, 3))
    >>> matplotlib.pyplot.close(ax.figure)
    """
    if order is not None and order not in _ORDERS:
        raise ValueError(f"order must be 'CHW', 'HWC' or 'HW', not {order!r}")
    pixels = [_pixels(*each, limits) for each in _images(batch, order)]
    words = _titles(titles, len(pixels))
    across = _columns(columns, len(pixels))
    down, row = -(-len(pixels) // across), _CELL + _GAP + (_TITLE if words else 0.0)
    width, height = across * (_CELL + _GAP) + _GAP, down * row + _GAP
    scale = min(0.011, 12.0 / width)
    ax, colours = axes_for(ax, (width * scale, height * scale) if figsize is None else figsize, theme)
    page = Canvas(ax, colours, width, 0.0, height)
    for k, image in enumerate(pixels):
        line, place = divmod(k, across)
        _place(page, image, _GAP + place * (_CELL + _GAP), _GAP + line * row, words[k] if words else "")
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    count = f"{len(pixels)} image{'s' * (len(pixels) != 1)}"
    sizes = dict.fromkeys(f"{image.shape[0]} × {image.shape[1]}" for image in pixels)
    describe_figure(
        ax, count, f"{count} of {', '.join(sizes)} pixels" + (": " + ", ".join(words) if words else "")
    )
    return ax


def _images(batch: Any, order: str | None) -> list[tuple[Any, Ints, str]]:
    """The images one by one, each as (tensor, leading index, order)."""
    several = list(batch) if isinstance(batch, list | tuple) else [batch]
    found = [each for tensor in several for each in _of(tensor, order)]
    if not found:
        raise ValueError("there is no image to draw: the batch is empty")
    if len(found) > MOST:
        raise ValueError(
            f"{len(found):,} images are more than one grid shows ({MOST}): choose some, such as batch[:25]"
        )
    return found


def _of(tensor: Any, order: str | None) -> Iterator[tuple[Any, Ints, str]]:
    meta = describe(tensor)
    if meta.dtype.startswith("complex"):
        raise TypeError("an image is made of real numbers, not of complex ones")
    if meta.fault:
        raise ValueError(meta.fault)
    size = meta.size
    order = order or _order(size)
    ahead = len(size) - len(order)
    if ahead not in (0, 1):
        raise ValueError(
            f"a tensor of size {list(size)} is no batch of images read as {order}: that has {len(order)} or "
            f"{len(order) + 1} dimensions"
        )
    channels = 1 if order == "HW" else size[ahead if order == "CHW" else -1]
    if channels not in _CHANNELS:
        raise ValueError(
            f"an image has 1, 3 or 4 channels, but read as {order} a size of {list(size)} has {channels}"
        )
    if ahead and size[0] > MOST:
        raise ValueError(
            f"{size[0]:,} images are more than one grid shows ({MOST}): choose some, such as batch[:25]"
        )
    if 0 in size[ahead:]:
        raise ValueError(f"an image of size {list(size[ahead:])} has no pixels")
    for k in range(size[0]) if ahead else (None,):
        yield tensor, () if k is None else (k,), order


def _order(size: Ints) -> str:
    """How the sizes are read: channels first or last where there are 1, 3 or 4 of them."""
    if len(size) in (3, 4) and size[-3] in _CHANNELS:
        return "CHW"
    if len(size) in (3, 4) and size[-1] in _CHANNELS:
        return "HWC"
    if len(size) not in (2, 3):
        raise ValueError(f"an image has a height and a width, but the size is {list(size)}")
    return "HW"


def _pixels(tensor: Any, lead: Ints, order: str, limits: tuple[float, float] | None) -> Any:
    """One image as bytes (H, W, 3 or 4), read from its tensor; a large one thinned out."""
    meta = describe(tensor)
    size = meta.size[len(lead) :]
    rows, columns = {"HW": (0, 1), "CHW": (1, 2), "HWC": (0, 1)}[order]
    step = max(1, -(-max(size[rows], size[columns]) // MOST_PIXELS))
    key: list[Any] = [*lead, *([slice(None)] * len(order))]
    key[len(lead) + rows] = key[len(lead) + columns] = slice(None, None, step)
    with quietly(library_of(tensor)):
        part = tensor[tuple(key)]
        if meta.library != "numpy":
            part = part.detach().cpu()
            part = (part.float() if meta.dtype == "bfloat16" else part).numpy()
    array = numpy.asarray(part)
    array = array[..., None] if order == "HW" else array.transpose(1, 2, 0) if order == "CHW" else array
    shown = _bytes(array, limits)
    return numpy.repeat(shown, 3, -1) if shown.shape[-1] == 1 else shown


def _bytes(array: Any, limits: tuple[float, float] | None) -> Any:
    """Numbers as bytes from 0 to 255; what is not a number is black."""
    if array.dtype == numpy.uint8 and limits is None:
        return array
    if array.dtype == numpy.bool_:
        return array.astype(numpy.uint8) * 255
    numbers = numpy.nan_to_num(array.astype(numpy.float64), nan=0.0)
    if limits is None:
        limits = (0.0, 1.0) if array.dtype.kind == "f" or array.dtype.name == "bfloat16" else (0.0, 255.0)
        low, high = float(numbers.min()), float(numbers.max())
        if low < limits[0] or high > limits[1]:
            raise ValueError(
                f"these numbers run from {low:g} to {high:g}, and an image of {array.dtype.name} from {limits[0]:g} to "
                f"{limits[1]:g}: give limits=({low:g}, {high:g}) to stretch them"
            )
    black, white = (float(limit) for limit in limits)
    if not (math.isfinite(black) and math.isfinite(white)) or black == white:
        raise ValueError(f"limits must be two different numbers, not {limits!r}")
    return (numpy.clip((numbers - black) / (white - black), 0, 1) * 255).round().astype(numpy.uint8)


def _titles(titles: Sequence[Any] | None, count: int) -> list[str]:
    if titles is None:
        return []
    words = [str(title) for title in titles]
    if len(words) != count:
        raise ValueError(f"there are {len(words)} titles for {count} images")
    return words


def _columns(columns: int | None, count: int) -> int:
    if columns is None:
        return min(count, max(1, math.ceil(math.sqrt(count * 1.6))))
    if not isinstance(columns, int) or isinstance(columns, bool) or columns < 1:
        raise ValueError(f"columns must be a whole number from 1, not {columns!r}")
    return min(columns, count)


def _place(page: Canvas, image: Any, x: float, y: float, title: str) -> None:
    """An image in its square, as large as it fits, its title above."""
    if title:
        room = int(_CELL / 8.2)
        shown = title if len(title) <= room else title[: room - 1] + "…"
        page.text(x + _CELL / 2, y + 16, shown, size=15, anchor="center", gid="title")
        y += _TITLE
    rows, columns = image.shape[:2]
    unit = _CELL / max(rows, columns)
    wide, high = columns * unit, rows * unit
    left, top = x + (_CELL - wide) / 2, y + (_CELL - high) / 2
    page.ax.imshow(
        image,
        extent=(left, left + wide, top + high, top),
        interpolation="nearest",
        aspect="equal",
        origin="upper",
    )
    page.box(left, top, wide, high, edge="line", line=1.0, gid="frame")
