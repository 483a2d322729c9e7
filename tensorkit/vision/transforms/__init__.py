"""Transforms of pictures, of PIL's and of tensors of size (..., channels, height, width).

Source: https://docs.pytorch.org/vision/stable/transforms.html
"""

from __future__ import annotations

from tensorkit.vision.transforms import functional
from tensorkit.vision.transforms.chance import (
    ColorJitter,
    RandomApply,
    RandomCrop,
    RandomGrayscale,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
)
from tensorkit.vision.transforms.resample import InterpolationMode
from tensorkit.vision.transforms.transforms import (
    CenterCrop,
    Compose,
    ConvertImageDtype,
    Grayscale,
    Lambda,
    Normalize,
    Pad,
    PILToTensor,
    Resize,
    ToPILImage,
    ToTensor,
)

__all__ = [
    "CenterCrop",
    "ColorJitter",
    "Compose",
    "ConvertImageDtype",
    "Grayscale",
    "InterpolationMode",
    "Lambda",
    "Normalize",
    "PILToTensor",
    "Pad",
    "RandomApply",
    "RandomCrop",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomResizedCrop",
    "RandomVerticalFlip",
    "Resize",
    "ToPILImage",
    "ToTensor",
    "functional",
]


def __dir__() -> list[str]:
    return __all__
