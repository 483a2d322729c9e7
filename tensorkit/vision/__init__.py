"""Pictures: data sets, transforms, files and grids, with the names and the behaviour of ``torchvision``.

>>> import tensorkit.vision as torchvision
>>> from tensorkit.vision import datasets, transforms
>>> data = datasets.FakeData(size=2, image_size=(3, 8, 8), transform=transforms.ToTensor())
>>> data[0][0].shape
tensorkit.Size([3, 8, 8])

Source: https://docs.pytorch.org/vision/stable/
"""

from __future__ import annotations

from tensorkit.vision import datasets, io, transforms, utils
from tensorkit.vision.shipped import photographs

__all__ = ["datasets", "io", "photographs", "transforms", "utils"]


def __dir__() -> list[str]:
    return __all__
