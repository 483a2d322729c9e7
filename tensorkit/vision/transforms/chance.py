"""Transforms with chance in them: what they draw comes from the generator of ``tensorkit.manual_seed``.

Source: https://docs.pytorch.org/vision/stable/transforms.html
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.errors import warn
from tensorkit.nn.module import Module
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.random.rand import rand
from tensorkit.ops.random.randint import randint
from tensorkit.ops.random.randperm import randperm
from tensorkit.ops.shared.tensor_data import tensor
from tensorkit.vision.transforms import functional as F
from tensorkit.vision.transforms.resample import InterpolationMode
from tensorkit.vision.transforms.transforms import _mode, two_sizes


def _happens(p: float) -> bool:
    draw: Any = rand(1)
    return bool(draw < p)


def _integer(below: int) -> int:
    draw: Any = randint(0, below, size=(1,))
    return int(draw.item())


def _between(low: Any, high: Any) -> Any:
    draw: Any = empty(1)
    return draw.uniform_(low, high)


class RandomApply(Module):
    """Some transforms, with a probability; otherwise none of them.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.RandomApply.html
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]], p: float = 0.5) -> None:
        super().__init__()
        if not isinstance(transforms, Sequence):
            raise TypeError("Argument transforms should be a sequence")
        self.transforms = transforms
        self.p = p

    def forward(self, img: Any) -> Any:
        if not self.p < rand(1):
            for transform in self.transforms:
                img = transform(img)
        return img

    def __repr__(self) -> str:
        lines = "".join(f"\n    {transform}" for transform in self.transforms)
        return f"{type(self).__name__}(\n    p={self.p}{lines}\n)"


class RandomHorizontalFlip(Module):
    """A picture, with left and right exchanged in a part of all cases.

    >>> RandomHorizontalFlip(p=1.0)(tk.arange(3).view(1, 1, 3))
    tensor([[[2, 1, 0]]])

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.RandomHorizontalFlip.html
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        return F.hflip(img) if _happens(self.p) else img

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


class RandomVerticalFlip(RandomHorizontalFlip):
    """A picture, with top and bottom exchanged in a part of all cases.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.RandomVerticalFlip.html
    """

    def forward(self, img: Any) -> Any:
        return F.vflip(img) if _happens(self.p) else img


class RandomGrayscale(Module):
    """A picture, in grey levels in a part of all cases.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.RandomGrayscale.html
    """

    def __init__(self, p: float = 0.1) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any) -> Any:
        return F.rgb_to_grayscale(img, F.get_image_num_channels(img)) if _happens(self.p) else img

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


class RandomCrop(Module):
    """A part of a picture, somewhere in it.

    Args:
        size: height and width of the part; one number is both.
        padding: a border that the picture gets before. pad_if_needed: whether it gets one where it is too small.
        fill, padding_mode: how the border looks; see `functional.pad`.

    Raises:
        ValueError: when the part is larger than the picture.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.RandomCrop.html
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
    ) -> None:
        super().__init__()
        self.size = two_sizes(size, "Please provide only two dimensions (h, w) for size.")
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    @staticmethod
    def get_params(img: Any, output_size: tuple[int, int]) -> tuple[int, int, int, int]:
        """Top, left, height and width of a part, drawn."""
        _, height, width = F.get_dimensions(img)
        new_height, new_width = output_size
        if height < new_height or width < new_width:
            raise ValueError(
                f"Required crop size {(new_height, new_width)} is larger than input image size {(height, width)}"
            )
        if (width, height) == (new_width, new_height):
            return 0, 0, height, width
        top = _integer(height - new_height + 1)
        return top, _integer(width - new_width + 1), new_height, new_width

    def forward(self, img: Any) -> Any:
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        _, height, width = F.get_dimensions(img)
        if self.pad_if_needed and width < self.size[1]:
            img = F.pad(img, [self.size[1] - width, 0], self.fill, self.padding_mode)
        if self.pad_if_needed and height < self.size[0]:
            img = F.pad(img, [0, self.size[0] - height], self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size}, padding={self.padding})"


class RandomResizedCrop(Module):
    """A part of a picture, of any size and somewhere in it, in one size.

    Args:
        size: height and width of the result; one number is both.
        scale: the least and the greatest share of the picture that the part has.
        ratio: the least and the greatest width of the part, in heights.
        interpolation, antialias: see `functional.resize`.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.RandomResizedCrop.html
    """

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.size = two_sizes(size, "Please provide only two dimensions (h, w) for size.")
        for name, pair in (("Scale", scale), ("Ratio", ratio)):
            if not isinstance(pair, Sequence):
                raise TypeError(f"{name} should be a sequence")
        if scale[0] > scale[1] or ratio[0] > ratio[1]:
            warn("Scale and ratio should be of kind (min, max)")
        self.interpolation = _mode(interpolation)
        self.antialias = antialias
        self.scale = scale
        self.ratio = ratio

    @staticmethod
    def get_params(img: Any, scale: Sequence[float], ratio: Sequence[float]) -> tuple[int, int, int, int]:
        """Top, left, height and width of a part, drawn; after ten that do not fit, the middle."""
        _, height, width = F.get_dimensions(img)
        bounds: Any = tensor(list(ratio))
        low, high = bounds.log()
        for _ in range(10):
            area = height * width * _between(scale[0], scale[1]).item()
            wide = _between(low, high).exp().item()
            part_width, part_height = round(math.sqrt(area * wide)), round(math.sqrt(area / wide))
            if 0 < part_width <= width and 0 < part_height <= height:
                top = _integer(height - part_height + 1)
                return top, _integer(width - part_width + 1), part_height, part_width
        part_width, part_height = width, height
        if width / height < min(ratio):
            part_height = round(width / min(ratio))
        elif width / height > max(ratio):
            part_width = round(height * max(ratio))
        return (height - part_height) // 2, (width - part_width) // 2, part_height, part_width

    def forward(self, img: Any) -> Any:
        part = self.get_params(img, self.scale, self.ratio)
        return F.resized_crop(img, *part, self.size, self.interpolation, antialias=self.antialias)

    def __repr__(self) -> str:
        scale, ratio = (tuple(round(one, 4) for one in pair) for pair in (self.scale, self.ratio))
        return (
            f"{type(self).__name__}(size={self.size}, scale={scale}, ratio={ratio}, "
            f"interpolation={self.interpolation.value}, antialias={self.antialias})"
        )


class ColorJitter(Module):
    """Other brightness, contrast, saturation and hue, each drawn, in an order that is drawn too.

    Args:
        brightness, contrast, saturation: a factor is drawn from max(0, 1 - number) to 1 + number, or from a pair.
        hue: at most 0.5; it is drawn from -number to number, or from a pair.

    Raises:
        TypeError, ValueError: for other numbers.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.ColorJitter.html
    """

    def __init__(self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0) -> None:
        super().__init__()
        self.brightness = self._range(brightness, "brightness")
        self.contrast = self._range(contrast, "contrast")
        self.saturation = self._range(saturation, "saturation")
        self.hue = self._range(hue, "hue", center=0, bound=(-0.5, 0.5), clip=False)

    @staticmethod
    def _range(
        value: Any,
        name: str,
        center: float = 1,
        bound: tuple[float, float] = (0, float("inf")),
        clip: bool = True,
    ) -> tuple[float, float] | None:
        if isinstance(value, numbers.Number):
            number: Any = value
            if number < 0:
                raise ValueError(f"If {name} is a single number, it must be non negative.")
            low, high = center - float(number), center + float(number)
            low = max(low, 0.0) if clip else low
        elif isinstance(value, (tuple, list)) and len(value) == 2:
            low, high = float(value[0]), float(value[1])
        else:
            raise TypeError(f"{name} should be a single number or a list/tuple with length 2.")
        if not bound[0] <= low <= high <= bound[1]:
            raise ValueError(f"{name} values should be between {bound}, but got {[low, high]}.")
        return None if low == high == center else (low, high)

    @staticmethod
    def get_params(brightness: Any, contrast: Any, saturation: Any, hue: Any) -> tuple[Any, ...]:
        """The order of the four changes, and the factor of each; None where there is none. All drawn."""
        order = randperm(4)
        factors = [
            None if pair is None else float(_between(*pair))
            for pair in (brightness, contrast, saturation, hue)
        ]
        return (order, *factors)

    def forward(self, img: Any) -> Any:
        order, *factors = self.get_params(self.brightness, self.contrast, self.saturation, self.hue)
        changes = (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue)
        for number in order.tolist():
            if factors[number] is not None:
                img = changes[number](img, factors[number])
        return img

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(brightness={self.brightness}, contrast={self.contrast}, "
            f"saturation={self.saturation}, hue={self.hue})"
        )
