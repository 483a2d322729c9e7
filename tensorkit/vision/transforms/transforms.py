"""Transforms as objects that are called: those that do the same every time.

Source: https://docs.pytorch.org/vision/stable/transforms.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.dtypes import dtype as _dtype
from tensorkit.nn.module import Module
from tensorkit.vision.transforms import functional as F
from tensorkit.vision.transforms.resample import InterpolationMode


def two_sizes(size: Any, error_msg: str) -> tuple[int, int]:
    """Height and width, of one number or two."""
    if isinstance(size, (int, float)):
        return int(size), int(size)
    if len(size) not in (1, 2):
        raise ValueError(error_msg)
    height, width = list(size) * (2 // len(size))
    return height, width


class Compose:
    """Several transforms, one after the other.

    >>> Compose([CenterCrop(10), ToTensor()])
    Compose(
        CenterCrop(size=(10, 10))
        ToTensor()
    )

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.Compose.html
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self) -> str:
        lines = "".join(f"\n    {transform}" for transform in self.transforms)
        return f"{type(self).__name__}({lines}\n)"


class ToTensor:
    """A picture or array as a tensor, with bytes as numbers from 0 to 1: `functional.to_tensor`.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.ToTensor.html
    """

    def __call__(self, pic: Any) -> Any:
        return F.to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class PILToTensor:
    """A picture of PIL's as a tensor of the same numbers.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.PILToTensor.html
    """

    def __call__(self, pic: Any) -> Any:
        return F.pil_to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ConvertImageDtype(Module):
    """A tensor in another dtype, in which white stays white.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.ConvertImageDtype.html
    """

    def __init__(self, dtype: _dtype) -> None:
        super().__init__()
        self.dtype = dtype

    def forward(self, image: Any) -> Any:
        return F.convert_image_dtype(image, self.dtype)


class ToPILImage:
    """A tensor or array as a picture of PIL's: `functional.to_pil_image`.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.ToPILImage.html
    """

    def __init__(self, mode: str | None = None) -> None:
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        return F.to_pil_image(pic, self.mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.mode is None else f'mode={self.mode}'})"


class Normalize(Module):
    """Subtracts a mean from each channel and divides it by a standard deviation.

    >>> Normalize((0.5,), (0.25,))(tk.ones(1, 1, 2))
    tensor([[[2., 2.]]])

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.Normalize.html
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> None:
        super().__init__()
        self.mean = mean
        self.std = std
        self.inplace = inplace

    def forward(self, tensor: Any) -> Any:
        return F.normalize(tensor, self.mean, self.std, self.inplace)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(mean={self.mean}, std={self.std})"


class Resize(Module):
    """A picture in another size: `functional.resize`.

    Raises:
        TypeError, ValueError: when `size` is neither a number nor a sequence of one or two.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.Resize.html
    """

    def __init__(
        self,
        size: int | Sequence[int],
        interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
        max_size: int | None = None,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        if not isinstance(size, (int, Sequence)):
            raise TypeError(f"Size should be int or sequence. Got {type(size)}")
        if isinstance(size, Sequence) and len(size) not in (1, 2):
            raise ValueError("If size is a sequence, it should have 1 or 2 values")
        self.size = size
        self.max_size = max_size
        self.interpolation = _mode(interpolation)
        self.antialias = antialias

    def forward(self, img: Any) -> Any:
        return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(size={self.size}, interpolation={self.interpolation.value}, "
            f"max_size={self.max_size}, antialias={self.antialias})"
        )


def _mode(interpolation: InterpolationMode | int) -> InterpolationMode:
    return F._BY_NUMBER[interpolation] if isinstance(interpolation, int) else interpolation  # type: ignore[index]


class CenterCrop(Module):
    """The middle of a picture: `functional.center_crop`.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.CenterCrop.html
    """

    def __init__(self, size: int | Sequence[int]) -> None:
        super().__init__()
        self.size = two_sizes(size, "Please provide only two dimensions (h, w) for size.")

    def forward(self, img: Any) -> Any:
        return F.center_crop(img, self.size)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size})"


class Pad(Module):
    """A picture with a border: `functional.pad`.

    Raises:
        TypeError, ValueError: for other arguments.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.Pad.html
    """

    def __init__(self, padding: int | Sequence[int], fill: Any = 0, padding_mode: str = "constant") -> None:
        super().__init__()
        if not isinstance(padding, (int, float, tuple, list)):
            raise TypeError("Got inappropriate padding arg")
        if not isinstance(fill, (int, float, str, tuple, list)):
            raise TypeError("Got inappropriate fill arg")
        if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
            raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
        if isinstance(padding, Sequence) and len(padding) not in (1, 2, 4):
            raise ValueError(
                f"Padding must be an int or a 1, 2, or 4 element tuple, not a {len(padding)} element tuple"
            )
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def forward(self, img: Any) -> Any:
        return F.pad(img, self.padding, self.fill, self.padding_mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(padding={self.padding}, fill={self.fill}, padding_mode={self.padding_mode})"


class Lambda:
    """A function as a transform.

    Raises:
        TypeError: for what cannot be called.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.Lambda.html
    """

    def __init__(self, lambd: Callable[[Any], Any]) -> None:
        if not callable(lambd):
            raise TypeError(f"Argument lambd should be callable, got {type(lambd).__name__!r}")
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Grayscale(Module):
    """A picture in grey levels: `functional.rgb_to_grayscale`.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.Grayscale.html
    """

    def __init__(self, num_output_channels: int = 1) -> None:
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img: Any) -> Any:
        return F.rgb_to_grayscale(img, self.num_output_channels)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(num_output_channels={self.num_output_channels})"
