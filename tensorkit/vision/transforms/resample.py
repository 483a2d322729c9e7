"""Other sizes of a picture: each new row is a weighted sum of old rows, and then each column of columns.

The weights of one direction are a matrix, so that a picture is resized by two products, and gradients flow.

Source: the filters are those of ``torch.nn.functional.interpolate`` and of Pillow.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Any

import numpy
from PIL import Image

from tensorkit.ops.creation.empty import empty
from tensorkit.ops.shared.tensor_data import from_numpy
from tensorkit.tensor import Tensor

__all__ = ["InterpolationMode", "pil_filter", "resampled", "weights"]

Filter = Image.Resampling


class InterpolationMode(Enum):
    """How pixels between pixels are found; the last three only in pictures of PIL's.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.InterpolationMode.html
    """

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


_PIL = {
    InterpolationMode.NEAREST: Filter.NEAREST,
    InterpolationMode.NEAREST_EXACT: Filter.NEAREST,
    InterpolationMode.BILINEAR: Filter.BILINEAR,
    InterpolationMode.BICUBIC: Filter.BICUBIC,
    InterpolationMode.BOX: Filter.BOX,
    InterpolationMode.HAMMING: Filter.HAMMING,
    InterpolationMode.LANCZOS: Filter.LANCZOS,
}


def pil_filter(mode: InterpolationMode) -> Filter:
    """What PIL calls it."""
    return _PIL[mode]


def _linear(x: Any) -> Any:
    return numpy.clip(1 - numpy.abs(x), 0, None)


def _cubic(x: Any, a: float) -> Any:
    x = numpy.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return numpy.where(x < 1, near, numpy.where(x < 2, far, 0.0))


def weights(old: int, new: int, mode: InterpolationMode, antialias: bool) -> Any:
    """What each of `new` pixels has of each of `old` ones, along one direction.

    Args:
        old: how many pixels there are.
        new: how many there will be.
        mode: nearest, nearest-exact, bilinear or bicubic.
        antialias: whether a pixel of a smaller picture is the mean of all that it covers, as in PIL.

    Returns:
        A matrix of float64 of size (new, old), whose rows add up to 1.

    >>> weights(4, 2, InterpolationMode.BILINEAR, antialias=False)
    array([[0.5, 0.5, 0. , 0. ],
           [0. , 0. , 0.5, 0.5]])
    """
    scale = old / new
    matrix = numpy.zeros((new, old))
    places = numpy.arange(new)
    if mode in (InterpolationMode.NEAREST, InterpolationMode.NEAREST_EXACT):
        shift = 0.5 if mode is InterpolationMode.NEAREST_EXACT else 0.0
        matrix[places, numpy.minimum(((places + shift) * scale).astype(int), old - 1)] = 1
        return matrix
    cubic = mode is InterpolationMode.BICUBIC
    if antialias:
        wide = max(scale, 1.0)
        centre = (places + 0.5) * scale
        reach = (2 if cubic else 1) * wide
        for row, middle in zip(matrix, centre, strict=True):
            first, last = max(int(middle - reach + 0.5), 0), min(int(middle + reach + 0.5), old)
            x = (numpy.arange(first, last) - middle + 0.5) / wide
            share = _cubic(x, -0.5) if cubic else _linear(x)
            row[first:last] = share / share.sum()
        return matrix
    source = (places + 0.5) * scale - 0.5
    if not cubic:
        source = numpy.maximum(source, 0)
    for row, x in zip(matrix, source, strict=True):
        base = math.floor(x)
        for tap in range(base - 1, base + 3) if cubic else (base, base + 1):
            share = _cubic(x - tap, -0.75) if cubic else _linear(x - tap)
            row[min(max(tap, 0), old - 1)] += share  # what lies outside is the pixel at the edge
    return matrix


def resampled(image: Any, size: tuple[int, int], mode: InterpolationMode, antialias: bool) -> Tensor:
    """A picture of another height and width.

    Args:
        image: of size (..., height, width).
        size: the new height and width.
        mode: nearest, nearest-exact, bilinear or bicubic.
        antialias: see `weights`.

    Raises:
        ValueError: for another mode.
    """
    if mode in (InterpolationMode.BOX, InterpolationMode.HAMMING, InterpolationMode.LANCZOS):
        raise ValueError("This Interpolation mode is unsupported with Tensor input")
    height, width = (
        weights(old, new, mode, antialias) for old, new in zip(image.shape[-2:], size, strict=True)
    )
    if mode in (InterpolationMode.NEAREST, InterpolationMode.NEAREST_EXACT):
        rows: Any = from_numpy(height.argmax(1))
        columns: Any = from_numpy(width.argmax(1))
        picked: Tensor = image.index_select(-2, rows.to(image.device)).index_select(
            -1, columns.to(image.device)
        )
        return picked
    exact = image.is_floating_point()
    kind: Any = image.dtype if exact else empty(0).dtype
    left: Any = from_numpy(height)
    right: Any = from_numpy(width.T.copy())
    made = left.to(image.device, kind) @ image.to(kind) @ right.to(image.device, kind)
    if exact:
        return made  # type: ignore[no-any-return]
    if mode is InterpolationMode.BICUBIC or image.dtype.itemsize == 1:
        made = made.clamp(0, 255) if image.dtype.itemsize == 1 else made
    done: Tensor = made.round().to(image.dtype)
    return done
