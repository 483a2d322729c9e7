"""Brightness, contrast, saturation, hue, and grey, of pictures of PIL's and of tensors.

Source: https://docs.pytorch.org/vision/stable/transforms.html#color
"""

from __future__ import annotations

from typing import Any

import numpy
from PIL import Image, ImageEnhance

from tensorkit.dtypes import float32
from tensorkit.ops.joining.stack import stack
from tensorkit.tensor import Tensor
from tensorkit.vision.transforms.convert import convert_image_dtype, max_value


def _channels(img: Any, *allowed: int) -> None:
    count = 1 if img.ndim == 2 else img.shape[-3]
    if count not in allowed:
        raise TypeError(f"Input image tensor permitted channel values are {list(allowed)}, but found {count}")


def _blend(img: Any, other: Any, ratio: float) -> Any:
    ratio = float(ratio)
    return (ratio * img + (1.0 - ratio) * other).clamp(0, max_value(img.dtype)).to(img.dtype)


def _enhanced(img: Any, factor: float, name: str, by: Any, tensor: Any) -> Any:
    """What `by` of PIL's makes of its picture, or `tensor` of a tensor."""
    if factor < 0:
        raise ValueError(f"{name} ({factor}) is not non-negative.")
    if isinstance(img, Tensor):
        return tensor(img)
    if not isinstance(img, Image.Image):
        raise TypeError(f"img should be PIL Image. Got {type(img)}")
    return by(img).enhance(factor)


def rgb_to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """A picture in grey levels, of one channel, or of three that are equal.

    Raises:
        ValueError: for another number of channels.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.rgb_to_grayscale.html
    """
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")
    if not isinstance(img, Tensor):
        return to_grayscale(img, num_output_channels)
    image: Any = img
    if image.ndim < 3:
        raise TypeError(f"Input image tensor should have at least 3 dimensions, but found {image.ndim}")
    _channels(image, 1, 3)
    if image.shape[-3] == 3:
        red, green, blue = image.unbind(-3)
        image = (0.2989 * red + 0.587 * green + 0.114 * blue).to(image.dtype).unsqueeze(-3)
    if num_output_channels == 3:
        image = image.expand(*image.shape[:-3], 3, *image.shape[-2:])
    return image.clone() if image is img else image


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """A picture of PIL's in grey levels, of one channel, or of three that are equal.

    Raises:
        TypeError: for no picture of PIL's. ValueError: for another number of channels.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.to_grayscale.html
    """
    if not isinstance(img, Image.Image):
        raise TypeError("Input should be PIL Image")
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")
    grey = img.convert("L")
    return grey if num_output_channels == 1 else Image.merge("RGB", (grey, grey, grey))


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """Scale the brightness of a picture: 0 is black, 1 changes nothing.

    Raises:
        ValueError: for a negative factor.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.adjust_brightness.html
    """

    def tensor(image: Any) -> Any:
        _channels(image, 1, 3)
        return _blend(image, image.new_zeros(image.shape), brightness_factor)

    return _enhanced(img, brightness_factor, "brightness_factor", ImageEnhance.Brightness, tensor)


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """Scale the contrast of a picture: 0 is its mean grey, 1 changes nothing.

    Raises:
        ValueError: for a negative factor.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.adjust_contrast.html
    """

    def tensor(image: Any) -> Any:
        _channels(image, 1, 3)
        kind = image.dtype if image.is_floating_point() else float32
        grey = rgb_to_grayscale(image) if image.shape[-3] == 3 else image
        return _blend(image, grey.to(kind).mean(dim=(-3, -2, -1), keepdim=True), contrast_factor)

    return _enhanced(img, contrast_factor, "contrast_factor", ImageEnhance.Contrast, tensor)


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """Scale the saturation of a picture: 0 is grey, 1 changes nothing.

    Raises:
        ValueError: for a negative factor.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.adjust_saturation.html
    """

    def tensor(image: Any) -> Any:
        _channels(image, 1, 3)
        return image if image.shape[-3] == 1 else _blend(image, rgb_to_grayscale(image), saturation_factor)

    return _enhanced(img, saturation_factor, "saturation_factor", ImageEnhance.Color, tensor)


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """A picture with its colours moved round the circle of colours: 0.5 and -0.5 are half of it.

    Raises:
        ValueError: for a factor outside.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.adjust_hue.html
    """
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    if isinstance(img, Tensor):
        return _other_hue(img, hue_factor)
    if not isinstance(img, Image.Image):
        raise TypeError(f"img should be PIL Image. Got {type(img)}")
    if img.mode in ("L", "1", "I", "F"):
        return img
    hue, saturation, value = img.convert("HSV").split()
    turned = numpy.array(hue, dtype=numpy.uint8) + numpy.int32(hue_factor * 255).astype(numpy.uint8)
    return Image.merge("HSV", (Image.fromarray(turned), saturation, value)).convert(img.mode)


def _other_hue(img: Any, hue_factor: float) -> Any:
    _channels(img, 1, 3)
    if img.shape[-3] == 1:
        return img
    image = convert_image_dtype(img, float32)
    hue, saturation, value = _hsv(image)
    return convert_image_dtype(_rgb((hue + hue_factor) % 1.0, saturation, value), img.dtype)


def _hsv(image: Any) -> tuple[Any, Any, Any]:
    """Hue, saturation and value of red, green and blue."""
    red, green, blue = image.unbind(-3)
    most, least = image.amax(-3), image.amin(-3)
    same = most == least
    ones = most.new_ones(most.shape)
    spread = most - least
    saturation = spread / ones.where(same, most)
    divisor = ones.where(same, spread)
    off_red, off_green, off_blue = ((most - one) / divisor for one in (red, green, blue))
    of_red = (most == red) * (off_blue - off_green)
    of_green = ((most == green) & (most != red)) * (2.0 + off_red - off_blue)
    of_blue = ((most != green) & (most != red)) * (4.0 + off_green - off_red)
    return ((of_red + of_green + of_blue) / 6.0 + 1.0).fmod(1.0), saturation, most


def _rgb(hue: Any, saturation: Any, value: Any) -> Any:
    """Red, green and blue of hue, saturation and value."""
    sector = (hue * 6.0).floor()
    within = hue * 6.0 - sector
    low = (value * (1.0 - saturation)).clamp(0.0, 1.0)
    falling = (value * (1.0 - saturation * within)).clamp(0.0, 1.0)
    rising = (value * (1.0 - saturation * (1.0 - within))).clamp(0.0, 1.0)
    sector = sector.long() % 6
    # For each sixth of the circle, which of the four numbers red, green and blue are.
    table = (
        (value, falling, low, low, rising, value),
        (rising, value, value, falling, low, low),
        (low, low, rising, value, value, falling),
    )
    colours = [sum((sector == number) * part for number, part in enumerate(row)) for row in table]
    return stack(colours, -3)
