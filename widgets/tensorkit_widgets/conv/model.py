"""A convolution as its library computes it, and the views that it is made of: nothing is calculated here."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from tensorkit_widgets.snapshot.adapter import describe, library_of, quietly
from tensorkit_widgets.snapshot.geometry import Ints

Pair = tuple[int, int]


@dataclass(frozen=True)
class Convolution:
    """One image, one of its channels, and one kernel.

    Attributes:
        plane: the channel with its padding: (height, width).
        kernel: what lies on a window: (kernel height, kernel width).
        windows: every window as a view of the plane: (rows, columns, kernel height, kernel width).
        result: the sums of all channels: (rows, columns).
        shares: what each channel adds to each element: (channels, rows, columns).
        edge: rows and columns of padding above and at the left.
        inside: the channel's own height and width.
    """

    plane: Any
    kernel: Any
    windows: Any
    result: Any
    shares: Any
    edge: Pair
    inside: Pair


def convolved(
    x: Any, w: Any, stride: Pair, padding: Pair | str, dilation: Pair, chosen: tuple[int, int, int]
) -> Convolution:
    """The convolution of one image, computed by the library itself.

    Args:
        x: (height, width), (channels, height, width) or (images, channels, height, width).
        w: (height, width), (channels, height, width) or (kernels, channels, height, width).
        chosen: the numbers of the image, the channel and the kernel that are looked at.

    Raises:
        RuntimeError: whatever the library refuses.
    """
    image, channel, kernel = chosen
    lib = sys.modules[library_of(x)]
    with quietly(library_of(x)), lib.no_grad():
        images, kernels = _of_four(x)[image : image + 1], _of_four(w)[kernel : kernel + 1]
        result = lib.nn.functional.conv2d(images, kernels, None, stride, padding, dilation)
        left, right, top, bottom = _sides(padding, describe(kernels).size[-2:], dilation)
        padded = images
        if any((left, right, top, bottom)):
            padded = lib.nn.functional.pad(images, (left, right, top, bottom))
        windows = _windows(
            padded[0], describe(result).size[-2:], describe(kernels).size[-2:], stride, dilation
        )
        return Convolution(
            padded[0, channel],
            kernels[0, channel],
            windows[channel],
            result[0, 0],
            (windows * kernels[0][:, None, None]).sum((3, 4)),
            (top, left),
            (describe(images).size[-2], describe(images).size[-1]),
        )


def _of_four(tensor: Any) -> Any:
    """With the dimensions that it lacks in front."""
    for _ in range(4 - len(describe(tensor).size)):
        tensor = tensor[None]
    return tensor


def _sides(padding: Pair | str, kernel: Ints, dilation: Pair) -> tuple[int, int, int, int]:
    """How much is added at the left, the right, the top and the bottom."""
    if isinstance(padding, str):
        whole = [d * (k - 1) if padding == "same" else 0 for d, k in zip(dilation, kernel, strict=True)]
        (top, bottom), (left, right) = ((n // 2, n - n // 2) for n in whole)
        return left, right, top, bottom
    return padding[1], padding[1], padding[0], padding[0]


def _windows(image: Any, rows: Ints, kernel: Ints, stride: Pair, dilation: Pair) -> Any:
    """All windows of all channels, without a copy: neighbours share their numbers."""
    meta = describe(image)
    channel, down, across = meta.stride
    return image.as_strided(
        (meta.size[0], *rows, *kernel),
        (channel, down * stride[0], across * stride[1], down * dilation[0], across * dilation[1]),
        meta.offset,
    )
