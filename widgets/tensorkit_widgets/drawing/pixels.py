"""Numbers as the pixels of a picture, and pixels as a PNG file: for whatever shows a tensor as an image.

>>> import numpy
>>> as_bytes(numpy.array([0.0, 0.5, 1.0]))[0].tolist()
[0, 128, 255]
>>> signed(numpy.array([0.0, 1.0, -1.0])).tolist()
[[255, 255, 255], [0, 114, 178], [194, 65, 12]]
"""

from __future__ import annotations

from io import BytesIO
from typing import Any

_UNSIGNED: dict[str, Any] = {"Software": None}  # no version of a library in the bytes

_ENDS = ((194.0, 65.0, 12.0), (0.0, 114.0, 178.0))
"""What -1 and 1 look like: a colour-blind reader tells them apart."""


def as_bytes(array: Any) -> tuple[Any, str]:
    """Numbers as bytes from 0 to 255, and a sentence when they had to be stretched for that."""
    import numpy

    if array.dtype == numpy.uint8:
        return array, ""
    if array.dtype == numpy.bool_:
        return array.astype(numpy.uint8) * 255, ""
    numbers = numpy.nan_to_num(array.astype(numpy.float64), nan=0.0, posinf=0.0, neginf=0.0)
    low, high = float(numbers.min()), float(numbers.max())
    if array.dtype.kind == "f" and low >= 0 and high <= 1:
        return (numbers * 255).round().astype(numpy.uint8), ""
    spread = (high - low) or 1.0
    said = f"The numbers run from {low:g} to {high:g}: in the picture the least is black and the greatest is white."
    return ((numbers - low) / spread * 255).round().astype(numpy.uint8), said


def signed(array: Any) -> Any:
    """Numbers from -1 to 1 as colours ``(…, 3)``: 0 is white, what is positive blue, what is negative orange."""
    import numpy

    ends = numpy.array(_ENDS)[(array > 0).astype(int)]
    return (255 + (ends - 255) * numpy.abs(array)[..., None]).round().astype(numpy.uint8)


def png(pixels: Any) -> bytes:
    """Pixels ``(H, W, 1 | 3 | 4)`` of bytes as a PNG file."""
    import numpy
    from matplotlib.image import imsave

    shown = numpy.repeat(pixels, 3, -1) if pixels.shape[-1] == 1 else pixels
    out = BytesIO()
    imsave(out, numpy.ascontiguousarray(shown), format="png", metadata=_UNSIGNED)
    return out.getvalue()
