"""Other sizes of a picture: a tensor by `nn.functional.interpolate`, one of PIL's by PIL."""

from __future__ import annotations

from enum import Enum
from typing import Any

from PIL import Image

from tensorkit.dtypes import float32, uint8
from tensorkit.nn.functional import interpolate
from tensorkit.tensor import Tensor

Filter = Image.Resampling


_interpolate: Any = interpolate


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


def resampled(image: Any, size: tuple[int, int], mode: InterpolationMode, antialias: bool) -> Tensor:
    """A picture of another height and width.

    Args:
        image: of size (..., height, width).
        size: the new height and width.
        mode: nearest, nearest-exact, bilinear or bicubic.
        antialias: whether a pixel of a smaller picture is the mean of all that it covers, as in PIL.

    Raises:
        ValueError: for another mode.
    """
    if mode in (InterpolationMode.BOX, InterpolationMode.HAMMING, InterpolationMode.LANCZOS):
        raise ValueError("This Interpolation mode is unsupported with Tensor input")
    exact = image.is_floating_point()
    smooth = mode in (InterpolationMode.BILINEAR, InterpolationMode.BICUBIC)
    planes = image.reshape(1, -1, *image.shape[-2:])
    made: Tensor = _interpolate(
        planes if exact else planes.to(float32),
        size,
        mode=mode.value,
        align_corners=False if smooth else None,
        antialias=antialias and smooth,
    ).reshape(*image.shape[:-2], *size)
    if exact:
        return made
    made = made.round()
    return (made.clamp(0, 255) if image.dtype is uint8 else made).to(image.dtype)
