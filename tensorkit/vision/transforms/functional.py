"""Transforms as functions, of pictures of PIL's and of tensors of size (..., channels, height, width).

>>> picture = tk.arange(4.0).view(1, 2, 2)
>>> hflip(picture), crop(picture, top=1, left=0, height=1, width=2)
(tensor([[[1., 0.],
         [3., 2.]]]), tensor([[[2., 3.]]]))

Source: https://docs.pytorch.org/vision/stable/transforms.html#functional-transforms
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy
from PIL import Image, ImageOps

from tensorkit.ops.shared.tensor_data import as_tensor, from_numpy
from tensorkit.tensor import Tensor
from tensorkit.vision.transforms.color import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
    rgb_to_grayscale,
    to_grayscale,
)
from tensorkit.vision.transforms.convert import convert_image_dtype, pil_to_tensor, to_pil_image, to_tensor
from tensorkit.vision.transforms.resample import InterpolationMode, pil_filter, resampled

__all__ = [
    "InterpolationMode",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
    "adjust_saturation",
    "center_crop",
    "convert_image_dtype",
    "crop",
    "get_dimensions",
    "get_image_num_channels",
    "get_image_size",
    "hflip",
    "normalize",
    "pad",
    "pil_to_tensor",
    "resize",
    "resized_crop",
    "rgb_to_grayscale",
    "to_grayscale",
    "to_pil_image",
    "to_tensor",
    "vflip",
]

Size = int | Sequence[int]


def __dir__() -> list[str]:
    return __all__


def _check(img: Any) -> None:
    if isinstance(img, Tensor):
        if img.dim() < 2:
            raise TypeError("Tensor is not a torch image.")
    elif not isinstance(img, Image.Image):
        raise TypeError(f"Unexpected type {type(img)}")


def get_dimensions(img: Any) -> list[int]:
    """Channels, height and width."""
    _check(img)
    if isinstance(img, Tensor):
        return [1 if img.dim() == 2 else img.shape[-3], *img.shape[-2:]]
    return [len(img.getbands()), img.height, img.width]


def get_image_size(img: Any) -> list[int]:
    """Width and height."""
    return get_dimensions(img)[:0:-1]


def get_image_num_channels(img: Any) -> int:
    """How many channels."""
    return get_dimensions(img)[0]


def normalize(tensor: Any, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> Tensor:
    """Subtract a mean from each channel and divide it by a standard deviation.

    Args:
        tensor: a floating picture of size (..., channels, height, width).
        mean, std: one number for each channel, or one for all.
        inplace: whether the picture itself is changed.

    Raises:
        TypeError: for no floating tensor. ValueError: for fewer dimensions, and for a deviation of 0.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.normalize.html
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    image: Any = tensor
    if not image.is_floating_point():
        raise TypeError(f"Input tensor should be a float tensor. Got {image.dtype}.")
    if image.ndim < 3:
        raise ValueError(
            f"Expected tensor to be a tensor image of size (..., C, H, W). Got tensor.size() = {image.size()}"
        )
    image = image if inplace else image.clone()
    middle: Any = as_tensor(mean, dtype=image.dtype, device=image.device)
    spread: Any = as_tensor(std, dtype=image.dtype, device=image.device)
    if (spread == 0).any():
        raise ValueError(
            f"std evaluated to zero after conversion to {image.dtype}, leading to division by zero."
        )
    if middle.ndim == 1:
        middle = middle.view(-1, 1, 1)
    if spread.ndim == 1:
        spread = spread.view(-1, 1, 1)
    done: Tensor = image.sub_(middle).div_(spread)
    return done


# -- size -----------------------------------------------------------------------------------------------------------


def _new_size(height: int, width: int, size: Size, max_size: int | None) -> tuple[int, int]:
    """Height and width that `resize` means: one number is that of the shorter side."""
    given = [size] if isinstance(size, int) else list(size)
    if len(given) not in (1, 2):
        raise ValueError(
            f"Size must be an int or a 1 or 2 element tuple/list, not a {len(given)} element tuple/list"
        )
    if len(given) == 2:
        if max_size is not None:
            raise ValueError(
                "max_size should only be passed if size specifies the length of the smaller edge, "
                "i.e. size should be an int or a sequence of length 1 in torchscript mode."
            )
        return given[0], given[1]
    short, long = sorted((height, width))
    new_short, new_long = given[0], int(given[0] * long / short)
    if max_size is not None:
        if max_size <= new_short:
            raise ValueError(
                f"max_size = {max_size} must be strictly greater than the requested "
                f"size for the smaller edge size = {size}"
            )
        if new_long > max_size:
            new_short, new_long = int(max_size * new_short / new_long), max_size
    return (new_long, new_short) if width <= height else (new_short, new_long)


_BY_NUMBER = {
    Image.Resampling.NEAREST: InterpolationMode.NEAREST,
    Image.Resampling.BILINEAR: InterpolationMode.BILINEAR,
    Image.Resampling.BICUBIC: InterpolationMode.BICUBIC,
    Image.Resampling.BOX: InterpolationMode.BOX,
    Image.Resampling.HAMMING: InterpolationMode.HAMMING,
    Image.Resampling.LANCZOS: InterpolationMode.LANCZOS,
}


def resize(
    img: Any,
    size: Size,
    interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
    max_size: int | None = None,
    antialias: bool | None = True,
) -> Any:
    """A picture of another size.

    Args:
        img: a picture.
        size: height and width; one number is the shorter side's length, and the other follows.
        interpolation: how pixels between pixels are found; a number is PIL's.
        max_size: what the longer side may have at most, with one number as `size`.
        antialias: whether a pixel of a smaller tensor is the mean of what it covers; PIL's always are.

    Raises:
        TypeError: for no picture or no such mode. ValueError: for another `size`, and when `max_size` does not fit.

    >>> resize(tk.zeros(3, 10, 20), 5).shape
    tensorkit.Size([3, 5, 10])

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.resize.html
    """
    mode = _BY_NUMBER[Image.Resampling(interpolation)] if isinstance(interpolation, int) else interpolation
    if not isinstance(mode, InterpolationMode):
        raise TypeError(
            "Argument interpolation should be a InterpolationMode or a corresponding Pillow integer constant"
        )
    _, height, width = get_dimensions(img)
    new = _new_size(height, width, size, max_size)
    if new == (height, width):
        return img
    if isinstance(img, Tensor):
        return resampled(img, new, mode, bool(antialias))
    return img.resize((new[1], new[0]), pil_filter(mode))


def _sides(padding: Size) -> tuple[int, int, int, int]:
    """Left, top, right and bottom."""
    if not isinstance(padding, (int, tuple, list)):
        raise TypeError("Got inappropriate padding arg")
    several = [padding] if isinstance(padding, int) else list(padding)
    if len(several) not in (1, 2, 4):
        raise ValueError(
            f"Padding must be an int or a 1, 2, or 4 element tuple, not a {len(several)} element tuple"
        )
    left, top, right, bottom = several * (4 // len(several))
    return left, top, right, bottom


def pad(img: Any, padding: Size, fill: Any = 0, padding_mode: str = "constant") -> Any:
    """A picture with a border.

    Args:
        img: a picture.
        padding: one number for all sides, two for left/right and top/bottom, or four: left, top, right, bottom.
        fill: the border's colour, in mode ``"constant"``.
        padding_mode: ``"constant"``, ``"edge"`` (the last pixel goes on), ``"reflect"`` (as in a mirror on the last
            pixel) or ``"symmetric"`` (behind it).

    Raises:
        TypeError, ValueError: for other arguments.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.pad.html
    """
    _check(img)
    left, top, right, bottom = _sides(padding)
    if not isinstance(padding_mode, str):
        raise TypeError("Got inappropriate padding_mode arg")
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
    if isinstance(img, Tensor):
        return _padded(img, (left, top, right, bottom), fill, padding_mode)
    if padding_mode == "constant":
        several = len(img.getbands())
        if isinstance(fill, (tuple, list)):
            colour: Any = tuple(fill) if len(fill) > 1 or several == 1 else tuple(fill) * several
        else:
            colour = fill if several == 1 else (fill,) * several
        return ImageOps.expand(img, (left, top, right, bottom), fill=colour)
    array = numpy.asarray(img)
    widths: Any = [(top, bottom), (left, right)] + [(0, 0)] * (array.ndim - 2)
    made = Image.fromarray(numpy.pad(array, widths, mode=padding_mode))  # type: ignore[call-overload]
    if img.mode == "P":
        made.putpalette(img.getpalette())
    return made


def _padded(img: Any, sides: tuple[int, int, int, int], fill: Any, mode: str) -> Tensor:
    left, top, right, bottom = sides
    height, width = img.shape[-2:]
    made: Any
    if mode == "constant":
        made = img.new_zeros((*img.shape[:-2], height + top + bottom, width + left + right))
        several = fill if isinstance(fill, (tuple, list)) else [fill]
        made.add_(as_tensor(several, dtype=img.dtype, device=img.device).view(-1, 1, 1))
        made[..., top : top + height, left : left + width] = img
        return made  # type: ignore[no-any-return]
    how: Any = mode
    rows: Any = from_numpy(numpy.pad(numpy.arange(height), (top, bottom), mode=how))
    columns: Any = from_numpy(numpy.pad(numpy.arange(width), (left, right), mode=how))
    made = img.index_select(-2, rows.to(img.device)).index_select(-1, columns.to(img.device))
    return made  # type: ignore[no-any-return]


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """A part of a picture; black where it lies outside.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.crop.html
    """
    _check(img)
    if not isinstance(img, Tensor):
        return img.crop((left, top, left + width, top + height))
    _, rows, columns = get_dimensions(img)
    part: Any = img
    part = part[..., max(top, 0) : max(top + height, 0), max(left, 0) : max(left + width, 0)]
    outside = (
        max(min(left + width, 0) - left, 0),
        max(min(top + height, 0) - top, 0),
        max(left + width - max(columns, left), 0),
        max(top + height - max(rows, top), 0),
    )
    return _padded(part, outside, 0, "constant") if any(outside) else part


def center_crop(img: Any, output_size: Size) -> Any:
    """The middle of a picture; black where it is smaller.

    Args:
        img: a picture.
        output_size: height and width; one number is both.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.center_crop.html
    """
    sizes = [int(output_size)] * 2 if isinstance(output_size, numbers.Number) else list(output_size)  # type: ignore[arg-type]
    new_height, new_width = sizes * (2 // len(sizes))
    _, height, width = get_dimensions(img)
    wider, higher = max(new_width - width, 0), max(new_height - height, 0)
    if wider or higher:
        img = pad(img, [wider // 2, higher // 2, (wider + 1) // 2, (higher + 1) // 2])
        _, height, width = get_dimensions(img)
        if (new_height, new_width) == (height, width):
            return img
    top, left = round((height - new_height) / 2.0), round((width - new_width) / 2.0)
    return crop(img, top, left, new_height, new_width)


def resized_crop(
    img: Any,
    top: int,
    left: int,
    height: int,
    width: int,
    size: Size,
    interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
    antialias: bool | None = True,
) -> Any:
    """A part of a picture, in another size.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.resized_crop.html
    """
    return resize(crop(img, top, left, height, width), size, interpolation, antialias=antialias)


def hflip(img: Any) -> Any:
    """A picture with left and right exchanged.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.hflip.html
    """
    _check(img)
    return img.flip(-1) if isinstance(img, Tensor) else img.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


def vflip(img: Any) -> Any:
    """A picture with top and bottom exchanged.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.vflip.html
    """
    _check(img)
    return img.flip(-2) if isinstance(img, Tensor) else img.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
