"""Pictures of PIL's and arrays as tensors, and back.

Source: ``torchvision.transforms.functional``.
"""

from __future__ import annotations

from typing import Any

import numpy
from PIL import Image

from tensorkit.dtypes import dtype, float32, float64, get_default_dtype, int32, int64, uint8
from tensorkit.finfo import iinfo
from tensorkit.ops.shared.tensor_data import from_numpy
from tensorkit.tensor import Tensor

_TYPES = {"I": numpy.int32, "I;16": numpy.uint16, "F": numpy.float32}


def _of_array(array: Any) -> Any:
    """A tensor of size (channels, height, width), of an array with the channels last."""
    return from_numpy(numpy.ascontiguousarray(array.transpose(2, 0, 1)))


def _pixels(pic: Image.Image) -> Any:
    array = numpy.array(pic, dtype=_TYPES.get(pic.mode, numpy.uint8))
    return array.reshape(pic.size[1], pic.size[0], len(pic.getbands()))


def _as_share(image: Any) -> Any:
    """Bytes as shares of 255; other numbers as they are."""
    return image.to(get_default_dtype()).div(255) if image.dtype is uint8 else image


def to_tensor(pic: Any) -> Tensor:
    """A picture as a tensor, of size (channels, height, width); bytes become numbers from 0 to 1.

    Args:
        pic: a picture of PIL's, or an array of size (height, width) or (height, width, channels).

    Raises:
        TypeError: for anything else. ValueError: for an array of other dimensions.

    >>> import numpy
    >>> to_tensor(numpy.array([[0, 255]], dtype=numpy.uint8))
    tensor([[[0., 1.]]])

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.to_tensor.html
    """
    if isinstance(pic, numpy.ndarray):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        shares: Tensor = _as_share(_of_array(pic[:, :, None] if pic.ndim == 2 else pic))
        return shares
    if not isinstance(pic, Image.Image):
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    array = _pixels(pic)
    made: Tensor = _as_share(_of_array(array * numpy.uint8(255) if pic.mode == "1" else array))
    return made


def pil_to_tensor(pic: Any) -> Tensor:
    """A picture of PIL's as a tensor of the same numbers, of size (channels, height, width).

    Raises:
        TypeError: for anything else.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.pil_to_tensor.html
    """
    if not isinstance(pic, Image.Image):
        raise TypeError(f"pic should be PIL Image. Got {type(pic)}")
    made: Tensor = _of_array(_pixels(pic))
    return made


def max_value(kind: dtype) -> int:
    """What white is in a dtype: 1 in a floating one, otherwise the greatest number."""
    return 1 if kind.is_floating_point else int(iinfo(kind).max)


def convert_image_dtype(image: Any, dtype: dtype = float32) -> Tensor:
    """A picture in another dtype, with its numbers scaled: white stays white.

    Raises:
        RuntimeError: when the floating dtype is too short for the integers.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.convert_image_dtype.html
    """
    if image.dtype is dtype:
        return image  # type: ignore[no-any-return]
    made: Tensor
    white, new_white = max_value(image.dtype), max_value(dtype)
    if image.is_floating_point():
        if dtype.is_floating_point:
            return image.to(dtype)  # type: ignore[no-any-return]
        if (image.dtype is float32 and dtype in (int32, int64)) or (
            image.dtype is float64 and dtype is int64
        ):
            raise RuntimeError(f"The cast from {image.dtype} to {dtype} cannot be performed safely.")
        made = image.mul(new_white + 1.0 - 1e-3).to(
            dtype
        )  # so that each integer has an equal share of 0 to 1
    elif dtype.is_floating_point:
        made = image.to(dtype) / white
    elif white > new_white:
        made = image.div((white + 1) // (new_white + 1), rounding_mode="floor").to(dtype)
    else:
        made = image.to(dtype) * ((new_white + 1) // (white + 1))
    return made


_ONE_CHANNEL = {"uint8": "L", "int16": "I;16", "uint16": "I;16", "int32": "I", "float32": "F"}
_MODES = {2: ["LA"], 3: ["RGB", "YCbCr", "HSV"], 4: ["RGBA", "CMYK", "RGBX"]}


def to_pil_image(pic: Any, mode: str | None = None) -> Image.Image:
    """A tensor or array as a picture of PIL's; floating numbers from 0 to 1 become bytes.

    Args:
        pic: a tensor of size (channels, height, width) or (height, width), or an array with the channels last.
        mode: PIL's name of the colours; by default it follows from the channels and the dtype.

    Raises:
        TypeError: for anything else, and for a dtype that PIL has not.
        ValueError: for other dimensions, more than 4 channels, or a mode that does not fit.

    >>> to_pil_image(tk.ones(3, 4, 5)).getpixel((0, 0))
    (255, 255, 255)

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.functional.to_pil_image.html
    """
    if not isinstance(pic, (Tensor, numpy.ndarray)):
        raise TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")
    if pic.ndim not in (2, 3):
        raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
    array = _last(pic, mode) if isinstance(pic, Tensor) else pic[:, :, None] if pic.ndim == 2 else pic
    channels = array.shape[2]
    if channels > 4:
        raise ValueError(f"pic should not have > 4 channels. Got {channels} channels.")
    chosen = _mode(channels, array.dtype.name, mode)
    content = numpy.ascontiguousarray(array[:, :, 0] if channels == 1 else array)
    return Image.frombytes(chosen, (array.shape[1], array.shape[0]), content.tobytes())


def _last(pic: Any, mode: str | None) -> Any:
    """The numbers of a tensor, with the channels last."""
    image = pic.unsqueeze(0) if pic.ndim == 2 else pic
    if image.is_floating_point() and mode != "F":
        image = image.mul(255).byte()
    return image.detach().cpu().numpy().transpose(1, 2, 0)


def _mode(channels: int, kind: str, mode: str | None) -> str:
    if channels == 1:
        fitting = _ONE_CHANNEL.get(kind)
        if mode is not None and mode != fitting:
            raise ValueError(f"Incorrect mode ({mode}) supplied for input type {kind}. Should be {fitting}")
        mode = fitting
    elif channels in _MODES:
        allowed = _MODES[channels]
        if mode is not None and mode not in allowed:
            raise ValueError(f"Only modes {allowed} are supported for {channels}D inputs")
        if mode is None and kind == "uint8":
            mode = allowed[0]
    if mode is None:
        raise TypeError(f"Input type {kind} is not supported")
    return mode
