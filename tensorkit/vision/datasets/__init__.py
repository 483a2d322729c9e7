"""Data sets of pictures, read from their published files.

`MNIST` and `FashionMNIST`, `CIFAR10` and `CIFAR100`, `ImageFolder` for folders of pictures, `FakeData` for none at all.

Source: https://docs.pytorch.org/vision/stable/datasets.html
"""

from __future__ import annotations

from tensorkit.vision.datasets.cifar import CIFAR10, CIFAR100
from tensorkit.vision.datasets.fakedata import FakeData
from tensorkit.vision.datasets.folder import DatasetFolder, ImageFolder
from tensorkit.vision.datasets.mnist import MNIST, FashionMNIST
from tensorkit.vision.datasets.vision import VisionDataset

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "DatasetFolder",
    "FakeData",
    "FashionMNIST",
    "ImageFolder",
    "MNIST",
    "VisionDataset",
]


def __dir__() -> list[str]:
    return __all__
