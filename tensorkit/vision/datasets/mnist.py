"""`MNIST` and `FashionMNIST`: 70,000 pictures of 28 by 28 grey levels, in 10 classes.

Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.MNIST.html
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

import numpy
from PIL import Image

from tensorkit.dtypes import int64
from tensorkit.errors import warn
from tensorkit.ops.shared.tensor_data import from_numpy
from tensorkit.tensor import Tensor
from tensorkit.vision.datasets.utils import check_integrity, download_and_extract_archive
from tensorkit.vision.datasets.vision import Transform, VisionDataset

_DTYPES = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def read_idx(path: str | Path) -> Any:
    """The array in a file of the format that MNIST is published in: a kind of number, the sizes, and the numbers.

    Args:
        path: the file, unpacked.

    Raises:
        ValueError: when it is not such a file.
    """
    content = Path(path).read_bytes()
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _DTYPES:
        raise ValueError(f"{path} is no file of the IDX format")
    dims = content[3]
    size = numpy.frombuffer(content, ">i4", dims, 4)
    numbers = numpy.frombuffer(content, _DTYPES[content[2]], offset=4 + 4 * dims)
    if numbers.size != size.prod():
        raise ValueError(f"{path} has {numbers.size} numbers, not {size.prod()}")
    return numbers.reshape(size)


class MNIST(VisionDataset):
    """Handwritten digits.

    Args:
        root: the folder in which ``MNIST/raw`` has the files.
        train: whether the 60,000 pictures for training, or the 10,000 for testing.
        transform: takes a picture. target_transform: takes a class.
        download: whether files that are not there are fetched.

    Raises:
        RuntimeError: when the files are not there.

    Item: a picture (PIL, mode L, or what the transform makes of it) and its class, 0 to 9.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.MNIST.html
    """

    mirrors: ClassVar[list[str]] = [
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "http://yann.lecun.com/exdb/mnist/",
    ]
    resources: ClassVar[list[tuple[str, str]]] = [
        ("train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        ("train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
        ("t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
        ("t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
    ]
    classes: ClassVar[list[str]] = [
        "0 - zero",
        "1 - one",
        "2 - two",
        "3 - three",
        "4 - four",
        "5 - five",
        "6 - six",
        "7 - seven",
        "8 - eight",
        "9 - nine",
    ]

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
        if not self._check_exists():
            raise RuntimeError("Dataset not found. You can use download=True to download it")
        self.data, self.targets = self._load_data()

    @property
    def raw_folder(self) -> str:
        """Where the files are."""
        return os.path.join(str(self.root), type(self).__name__, "raw")

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The number of each class."""
        return {name: number for number, name in enumerate(self.classes)}

    def _check_exists(self) -> bool:
        return all(
            check_integrity(os.path.join(self.raw_folder, name.removesuffix(".gz")))
            for name, _ in self.resources
        )

    def _load_data(self) -> tuple[Tensor, Tensor]:
        part = "train" if self.train else "t10k"
        images = read_idx(os.path.join(self.raw_folder, f"{part}-images-idx3-ubyte"))
        labels = read_idx(os.path.join(self.raw_folder, f"{part}-labels-idx1-ubyte"))
        made: Any = from_numpy(labels.copy())
        return from_numpy(images.copy()), made.to(int64)

    def download(self) -> None:
        """Fetch the files that are not there.

        Raises:
            RuntimeError: when one cannot be fetched from any of the mirrors.
        """
        if self._check_exists():
            return
        for name, md5 in self.resources:
            errors = []
            for mirror in self.mirrors:
                try:
                    download_and_extract_archive(mirror + name, self.raw_folder, filename=name, md5=md5)
                    break
                except RuntimeError as error:
                    errors.append(f"Tried {mirror}, got:\n{error}\n")
            else:
                raise RuntimeError(f"Error downloading {name}:\n{''.join(errors)}")

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        data: Any = self.data
        targets: Any = self.targets
        return self._transformed(Image.fromarray(data[index].numpy()), int(targets[index]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"

    # -- names of long ago --------------------------------------------------------------------------------------

    @property
    def train_labels(self) -> Tensor:
        """`targets`."""
        warn("train_labels has been renamed targets")
        return self.targets

    @property
    def test_labels(self) -> Tensor:
        """`targets`."""
        warn("test_labels has been renamed targets")
        return self.targets

    @property
    def train_data(self) -> Tensor:
        """`data`."""
        warn("train_data has been renamed data")
        return self.data

    @property
    def test_data(self) -> Tensor:
        """`data`."""
        warn("test_data has been renamed data")
        return self.data


class FashionMNIST(MNIST):
    """Pictures of clothes, in the format of `MNIST`.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.FashionMNIST.html
    """

    mirrors: ClassVar[list[str]] = ["http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"]
    resources: ClassVar[list[tuple[str, str]]] = [
        ("train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        ("train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        ("t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
        ("t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
    ]
    classes: ClassVar[list[str]] = [
        "T-shirt/top",
        "Trouser",
        "Pullover",
        "Dress",
        "Coat",
        "Sandal",
        "Shirt",
        "Sneaker",
        "Bag",
        "Ankle boot",
    ]
