"""Pictures in files, as tensors of bytes of size (channels, height, width).

Source: https://docs.pytorch.org/vision/stable/io.html
"""

from __future__ import annotations

import io as _io
from enum import Enum
from pathlib import Path
from typing import Any

import numpy
from PIL import Image, UnidentifiedImageError

from tensorkit.dtypes import uint8
from tensorkit.ops.shared.tensor_data import from_numpy
from tensorkit.tensor import Tensor
from tensorkit.vision.transforms.convert import pil_to_tensor

__all__ = [
    "ImageReadMode",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "encode_jpeg",
    "encode_png",
    "read_file",
    "read_image",
    "write_file",
    "write_jpeg",
    "write_png",
]


def __dir__() -> list[str]:
    return __all__


class ImageReadMode(Enum):
    """Which colours a picture is read with.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.io.ImageReadMode.html
    """

    UNCHANGED = 0
    GRAY = 1
    GRAY_ALPHA = 2
    RGB = 3
    RGB_ALPHA = 4
    RGBA = 4  # noqa: PIE796 - its name of today


_MODES = {
    ImageReadMode.GRAY: "L",
    ImageReadMode.GRAY_ALPHA: "LA",
    ImageReadMode.RGB: "RGB",
    ImageReadMode.RGBA: "RGBA",
}


def read_file(path: str | Path) -> Tensor:
    """The bytes of a file, as a tensor of one dimension."""
    return from_numpy(numpy.frombuffer(bytearray(Path(path).read_bytes()), numpy.uint8))


def write_file(filename: str | Path, data: Any) -> None:
    """Write the bytes of a tensor of one dimension to a file.

    Raises:
        RuntimeError: for another tensor.
    """
    if data.dtype is not uint8 or data.dim() != 1:
        raise RuntimeError("Input tensor should be a one dimensional tensor of uint8")
    Path(filename).write_bytes(data.cpu().numpy().tobytes())


def decode_image(
    input: Any, mode: ImageReadMode | str = ImageReadMode.UNCHANGED, apply_exif_orientation: bool = False
) -> Tensor:
    """A picture, of the bytes of its file.

    Args:
        input: the bytes, as `read_file` gives them, or the file's name.
        mode: with which colours; by default those of the file.
        apply_exif_orientation: whether it is turned as the camera says.

    Returns:
        A tensor of bytes, of size (channels, height, width).

    Raises:
        RuntimeError: when they are not an image.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.io.decode_image.html
    """
    content = Path(input).read_bytes() if isinstance(input, (str, Path)) else input.cpu().numpy().tobytes()
    chosen = ImageReadMode[mode.upper()] if isinstance(mode, str) else mode
    try:
        picture = Image.open(_io.BytesIO(content))
        if apply_exif_orientation:
            from_camera = picture.getexif().get(0x0112, 1)
            for turn in _TURNS.get(from_camera, ()):
                picture = picture.transpose(turn)  # type: ignore[assignment]
        if chosen is not ImageReadMode.UNCHANGED:
            picture = picture.convert(_MODES[chosen])  # type: ignore[assignment]
        elif picture.mode in ("P", "1", "CMYK"):
            picture = picture.convert("RGB" if picture.mode != "1" else "L")  # type: ignore[assignment]
        return pil_to_tensor(picture)
    except UnidentifiedImageError:
        raise RuntimeError(
            "Unsupported image file. Only jpeg, png, webp and gif are currently supported."
        ) from None


_Turn = Image.Transpose
#: What undoes how a camera was held, by the number that it writes.
_TURNS = {
    2: [_Turn.FLIP_LEFT_RIGHT],
    3: [_Turn.ROTATE_180],
    4: [_Turn.FLIP_TOP_BOTTOM],
    5: [_Turn.TRANSPOSE],
    6: [_Turn.ROTATE_270],
    7: [_Turn.TRANSVERSE],
    8: [_Turn.ROTATE_90],
}


def read_image(
    path: str | Path,
    mode: ImageReadMode | str = ImageReadMode.UNCHANGED,
    apply_exif_orientation: bool = False,
) -> Tensor:
    """The picture in a file, as a tensor of bytes of size (channels, height, width).

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.io.read_image.html
    """
    return decode_image(read_file(path), mode, apply_exif_orientation)


decode_png = decode_image
decode_jpeg = decode_image


def _encoded(input: Any, format: str, **how: Any) -> Tensor:
    if input.dtype is not uint8:
        raise RuntimeError("Input tensor dtype should be uint8")
    if input.dim() != 3:
        raise RuntimeError("Input data should be a 3-dimensional tensor")
    if input.shape[0] not in (1, 3):
        raise RuntimeError(f"The number of channels should be 1 or 3, got: {input.shape[0]}")
    pixels = input.cpu().numpy().transpose(1, 2, 0)
    picture = Image.fromarray(numpy.ascontiguousarray(pixels[:, :, 0] if input.shape[0] == 1 else pixels))
    content = _io.BytesIO()
    picture.save(content, format, **how)
    return from_numpy(numpy.frombuffer(bytearray(content.getvalue()), numpy.uint8))


def encode_png(input: Any, compression_level: int = 6) -> Tensor:
    """The bytes of a PNG file of a picture.

    Args:
        input: bytes, of size (channels, height, width), with 1 or 3 channels.
        compression_level: 0 to 9.

    Raises:
        RuntimeError: for another tensor or level.

    >>> picture = tk.tensor([[[0, 128, 255]]], dtype=tk.uint8)
    >>> decode_image(encode_png(picture))
    tensor([[[  0, 128, 255]]], dtype=tensorkit.uint8)

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.io.encode_png.html
    """
    if not 0 <= compression_level <= 9:
        raise RuntimeError("Compression level should be between 0 and 9")
    return _encoded(input, "PNG", compress_level=compression_level)


def encode_jpeg(input: Any, quality: int = 75) -> Tensor:
    """The bytes of a JPEG file of a picture.

    Args:
        input: bytes, of size (channels, height, width), with 1 or 3 channels.
        quality: 1 to 100.

    Raises:
        RuntimeError: for another tensor. ValueError: for another quality.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.io.encode_jpeg.html
    """
    if not 1 <= quality <= 100:
        raise ValueError("Image quality should be a positive number between 1 and 100")
    return _encoded(input, "JPEG", quality=quality)


def write_png(input: Any, filename: str | Path, compression_level: int = 6) -> None:
    """Write a picture to a PNG file; see `encode_png`."""
    write_file(filename, encode_png(input, compression_level))


def write_jpeg(input: Any, filename: str | Path, quality: int = 75) -> None:
    """Write a picture to a JPEG file; see `encode_jpeg`."""
    write_file(filename, encode_jpeg(input, quality))
