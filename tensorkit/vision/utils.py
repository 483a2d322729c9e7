"""Many pictures as one, and in files.

Source: https://docs.pytorch.org/vision/stable/utils.html
"""

from __future__ import annotations

import math
from typing import Any

from PIL import Image

from tensorkit.autograd import no_grad
from tensorkit.dtypes import uint8
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.joining.stack import stack
from tensorkit.tensor import Tensor

__all__ = ["make_grid", "save_image"]


def __dir__() -> list[str]:
    return __all__


@no_grad()
def make_grid(
    tensor: Any,
    nrow: int = 8,
    padding: int = 2,
    normalize: bool = False,
    value_range: tuple[float, float] | None = None,
    scale_each: bool = False,
    pad_value: float = 0.0,
) -> Tensor:
    """Many pictures in rows, as one.

    Args:
        tensor: pictures, of size (count, channels, height, width), or a list of pictures of one size.
        nrow: how many are in a row.
        padding: how many pixels are between them, and around.
        normalize: whether the numbers are scaled to 0 to 1.
        value_range: what becomes 0 and 1 then; by default the least and the greatest number.
        scale_each: whether each picture is scaled by itself.
        pad_value: the colour between them.

    Returns:
        A picture of size (channels, height, width), of at least 3 channels.

    Raises:
        TypeError: for other arguments.

    >>> make_grid(tk.zeros(10, 1, 4, 4), nrow=5).shape
    tensorkit.Size([3, 14, 32])

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.utils.make_grid.html
    """
    images = _batch(tensor)
    if normalize:
        if value_range is not None and not isinstance(value_range, tuple):
            raise TypeError("value_range has to be a tuple (min, max) if specified. min and max are numbers")
        images = images.clone()
        for part in images if scale_each else (images,):
            low, high = value_range or (float(part.min()), float(part.max()))
            part.clamp_(min=low, max=high).sub_(low).div_(max(high - low, 1e-5))
    if len(images) == 1:
        return images.squeeze(0)  # type: ignore[no-any-return]
    count = len(images)
    columns = min(nrow, count)
    rows = math.ceil(count / columns)
    height, width = images.shape[2] + padding, images.shape[3] + padding
    grid = images.new_full((images.shape[1], height * rows + padding, width * columns + padding), pad_value)
    for number, image in enumerate(images):
        top, left = number // columns * height + padding, number % columns * width + padding
        grid[:, top : top + height - padding, left : left + width - padding].copy_(image)
    return grid  # type: ignore[no-any-return]


def _batch(tensor: Any) -> Any:
    """Pictures of three channels, if they have one, as one tensor of 4 dimensions."""
    if not isinstance(tensor, Tensor):
        if not isinstance(tensor, list):
            raise TypeError(f"tensor or list of tensors expected, got {type(tensor)}")
        for one in tensor:
            if not isinstance(one, Tensor):
                raise TypeError(f"tensor or list of tensors expected, got a list containing {type(one)}")
        tensor = stack(tensor, dim=0)
    images: Any = tensor
    if images.dim() == 2:
        images = images.unsqueeze(0)
    if images.dim() == 3:
        images = cat([images] * 3) if images.shape[0] == 1 else images
        return images.unsqueeze(0)
    return cat([images] * 3, 1) if images.dim() == 4 and images.shape[1] == 1 else images


@no_grad()
def save_image(tensor: Any, fp: Any, format: str | None = None, **kwargs: Any) -> None:
    """Write a picture, or many as a grid, to a file; numbers from 0 to 1 become bytes.

    Args:
        tensor: see `make_grid`.
        fp: the file's name, or a file.
        format: what it is written as; by default its name says it.
        kwargs: how the grid is made; see `make_grid`.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.utils.save_image.html
    """
    grid: Any = make_grid(tensor, **kwargs)
    pixels = grid.mul(255).add_(0.5).clamp_(0, 255).permute(1, 2, 0).to("cpu", uint8).numpy()
    Image.fromarray(pixels).save(fp, format=format)
