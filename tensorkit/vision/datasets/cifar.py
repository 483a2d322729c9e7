"""`CIFAR10` and `CIFAR100`: 60,000 pictures of 32 by 32 pixels, in colour, in 10 or 100 classes.

Both published forms are read: the one "for Python", whose files are pickles, and the binary one. A pickle is read by a
closed table (`serialization.unpickle`): what a file names besides arrays is refused.

Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.CIFAR10.html
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

import numpy
from PIL import Image

from tensorkit.errors import warn
from tensorkit.serialization.unpickle import PLAIN, Unpickler
from tensorkit.vision.datasets.utils import check_integrity, download_and_extract_archive
from tensorkit.vision.datasets.vision import Transform, VisionDataset

_PIXELS = 3 * 32 * 32


class _Dtype:
    """The one kind of number that the arrays have: a byte."""

    def __init__(self, name: str, *how: Any) -> None:
        if name != "u1":
            raise RuntimeError(f"an array of {name}, not of bytes")

    def __setstate__(self, state: Any) -> None:
        pass


class _Array:
    """An array while it is read: its size and its bytes."""

    def __setstate__(self, state: Any) -> None:
        _, size, _, by_columns, content = state
        bytes_of = content.encode("latin1") if isinstance(content, str) else content
        order: Any = "F" if by_columns else "C"
        self.array = numpy.frombuffer(bytes_of, numpy.uint8).reshape(size, order=order)


def _reconstruct(*how: Any) -> _Array:
    return _Array()


_ARRAYS = {
    "numpy.core.multiarray._reconstruct": _reconstruct,
    "numpy._core.multiarray._reconstruct": _reconstruct,
    "numpy.ndarray": _Array,
    "numpy.dtype": _Dtype,
}


def _read_pickle(path: str | Path) -> dict[str, Any]:
    with open(path, "rb") as file:
        found = Unpickler(file, PLAIN, trusted=_ARRAYS, encoding="latin1").load()
    if not isinstance(found, dict):
        raise RuntimeError(f"{path} is no file of CIFAR")
    return {name: value.array if isinstance(value, _Array) else value for name, value in found.items()}


class CIFAR10(VisionDataset):
    """Small pictures of ten kinds of things.

    Args:
        root: the folder in which ``cifar-10-batches-py``, or ``cifar-10-batches-bin``, has the files.
        train: whether the 50,000 pictures for training, or the 10,000 for testing.
        transform: takes a picture. target_transform: takes a class.
        download: whether the files are fetched if they are not there.

    Raises:
        RuntimeError: when the files are not there, or not what was published.

    Item: a picture (PIL, mode RGB, or what the transform makes of it) and its class.

    Attributes:
        data: all pictures, an array of bytes of size (N, 32, 32, 3).
        targets: their classes, a list of integers.
        classes: the names of the classes.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.CIFAR10.html
    """

    base_folder = "cifar-10-batches-py"
    url = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
    filename = "cifar-10-python.tar.gz"
    tgz_md5 = "c58f30108f718f92721af3b95e74349a"
    train_list: ClassVar[list[Any]] = [
        ["data_batch_1", "c99cafc152244af753f735de768cd75f"],
        ["data_batch_2", "d4bba439e000b95fd0a9bffe97cbabec"],
        ["data_batch_3", "54ebc095f3ab1f0389bbae665268c751"],
        ["data_batch_4", "634d18415352ddfa80567beed471001a"],
        ["data_batch_5", "482c414d41f54cd18b22e5b47cb7c3cb"],
    ]
    test_list: ClassVar[list[Any]] = [["test_batch", "40351d587109b95175f43aff81a1287e"]]
    meta: ClassVar[dict[str, Any]] = {
        "filename": "batches.meta",
        "key": "label_names",
        "md5": "5ff9c542aee3614f3951f8cda6e48888",
    }
    _binary_folder = "cifar-10-batches-bin"
    _binary_meta = "batches.meta.txt"
    _labels = 1  # bytes before the pixels of a picture in the binary form; the last of them is the class

    def __init__(
        self,
        root: str | Path,
        train: bool = True,
        transform: Transform = None,
        target_transform: Transform = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        if download:
            self.download()
        binary = not os.path.isdir(self._in(self.base_folder)) and os.path.isdir(
            self._in(self._binary_folder)
        )
        if not (self._binary_complete() if binary else self._check_integrity()):
            raise RuntimeError("Dataset not found or corrupted. You can use download=True to download it")
        parts = [self._binary(name) if binary else self._pickled(name) for name, _ in self._list()]
        pixels = numpy.vstack([images for images, _ in parts]).reshape(-1, 3, 32, 32)
        self.data: Any = pixels.transpose(0, 2, 3, 1)  # height, width and colour, as pictures have it
        self.targets: list[int] = [label for _, labels in parts for label in labels]
        self.classes: list[str] = self._binary_names() if binary else self._names()
        self.class_to_idx = {name: number for number, name in enumerate(self.classes)}

    def _in(self, *parts: str) -> str:
        return os.path.join(str(self.root), *parts)

    def _list(self) -> list[Any]:
        return self.train_list if self.train else self.test_list

    def _pickled(self, name: str) -> tuple[Any, list[int]]:
        entry = _read_pickle(self._in(self.base_folder, name))
        return entry["data"], entry["labels"] if "labels" in entry else entry["fine_labels"]

    def _names(self) -> list[str]:
        names: list[str] = _read_pickle(self._in(self.base_folder, self.meta["filename"]))[self.meta["key"]]
        return names

    def _binary(self, name: str) -> tuple[Any, list[int]]:
        content = numpy.fromfile(self._in(self._binary_folder, f"{name}.bin"), numpy.uint8)
        rows = content.reshape(-1, self._labels + _PIXELS)
        return rows[:, self._labels :], rows[:, self._labels - 1].tolist()

    def _binary_names(self) -> list[str]:
        return Path(self._in(self._binary_folder, self._binary_meta)).read_text(encoding="utf-8").split()

    def _binary_complete(self) -> bool:
        sizes = [
            os.path.getsize(path) if os.path.isfile(path) else 1
            for path in (
                self._in(self._binary_folder, f"{name}.bin") for name, _ in self.train_list + self.test_list
            )
        ]
        return not any(size % (self._labels + _PIXELS) for size in sizes)

    def _check_integrity(self) -> bool:
        return all(
            check_integrity(self._in(self.base_folder, name), md5)
            for name, md5 in [*self.train_list, *self.test_list, (self.meta["filename"], self.meta["md5"])]
        )

    def download(self) -> None:
        """Fetch the files, unless they are there.

        Raises:
            RuntimeError: when they cannot be fetched.
        """
        if self._check_integrity():
            print("Files already downloaded and verified")
            return
        download_and_extract_archive(self.url, str(self.root), filename=self.filename, md5=self.tgz_md5)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self._transformed(Image.fromarray(self.data[index]), self.targets[index])

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"

    # -- names of long ago --------------------------------------------------------------------------------------

    @property
    def train_data(self) -> Any:
        """`data`."""
        warn("train_data has been renamed data")
        return self.data

    @property
    def test_data(self) -> Any:
        """`data`."""
        warn("test_data has been renamed data")
        return self.data

    @property
    def train_labels(self) -> list[int]:
        """`targets`."""
        warn("train_labels has been renamed targets")
        return self.targets

    @property
    def test_labels(self) -> list[int]:
        """`targets`."""
        warn("test_labels has been renamed targets")
        return self.targets


class CIFAR100(CIFAR10):
    """Small pictures of a hundred kinds of things.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.CIFAR100.html
    """

    base_folder = "cifar-100-python"
    url = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"
    filename = "cifar-100-python.tar.gz"
    tgz_md5 = "eb9058c3a382ffc7106e4002c42a8d85"
    train_list: ClassVar[list[Any]] = [["train", "16019d7e3df5f24257cddd939b257f8d"]]
    test_list: ClassVar[list[Any]] = [["test", "f0ef6b0ae62326f3e7ffdfab6717acfc"]]
    meta: ClassVar[dict[str, Any]] = {
        "filename": "meta",
        "key": "fine_label_names",
        "md5": "7973b15100ade9c7d40fb424638fde48",
    }
    _binary_folder = "cifar-100-binary"
    _binary_meta = "fine_label_names.txt"
    _labels = 2
