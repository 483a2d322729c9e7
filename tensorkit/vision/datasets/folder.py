"""`ImageFolder`: a folder for each class, with pictures in it.

Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.ImageFolder.html
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

from tensorkit.vision.datasets.vision import Transform, VisionDataset

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def has_file_allowed_extension(filename: str, extensions: str | tuple[str, ...]) -> bool:
    """Whether a file's name ends with one of these."""
    return filename.lower().endswith(extensions)


def is_image_file(filename: str) -> bool:
    """Whether a file's name is one of a picture."""
    return has_file_allowed_extension(filename, IMG_EXTENSIONS)


def pil_loader(path: str | Path) -> Image.Image:
    """The picture in a file, in colour."""
    with open(path, "rb") as file:
        return Image.open(file).convert("RGB")


default_loader = pil_loader


def find_classes(directory: str | Path) -> tuple[list[str], dict[str, int]]:
    """The folders in a folder, sorted, and the number of each.

    Raises:
        FileNotFoundError: when there is none.
    """
    classes = sorted(entry.name for entry in os.scandir(directory) if entry.is_dir())
    if not classes:
        raise FileNotFoundError(f"Couldn't find any class folder in {directory}.")
    return classes, {name: number for number, name in enumerate(classes)}


def make_dataset(
    directory: str | Path,
    class_to_idx: dict[str, int] | None = None,
    extensions: str | tuple[str, ...] | None = None,
    is_valid_file: Callable[[str], bool] | None = None,
    allow_empty: bool = False,
) -> list[tuple[str, int]]:
    """The files of all classes, each with the number of its class.

    Args:
        directory: the folder of the classes' folders.
        class_to_idx: the numbers of the classes; by default those that `find_classes` gives.
        extensions: how the names of files end. is_valid_file: says which files count. One of both.
        allow_empty: whether a class may have no files.

    Raises:
        ValueError: for both or neither. FileNotFoundError: when a class has no files.
    """
    if class_to_idx is None:
        _, class_to_idx = find_classes(directory)
    elif not class_to_idx:
        raise ValueError("'class_to_index' must have at least one entry to collect any samples.")
    if (extensions is None) == (is_valid_file is None):
        raise ValueError("Both extensions and is_valid_file cannot be None or not None at the same time")
    valid = is_valid_file or (lambda path: has_file_allowed_extension(path, extensions or ()))
    found: list[tuple[str, int]] = []
    without = set(class_to_idx)
    for name in sorted(class_to_idx):
        walk = sorted(os.walk(os.path.join(os.path.expanduser(directory), name), followlinks=True))
        paths = [os.path.join(folder, file) for folder, _, files in walk for file in sorted(files)]
        mine = [(path, class_to_idx[name]) for path in paths if valid(path)]
        found += mine
        if mine:
            without.remove(name)
    if without and not allow_empty:
        text = f"Found no valid file for the classes {', '.join(sorted(without))}. "
        if extensions is not None:
            known = extensions if isinstance(extensions, str) else ", ".join(extensions)
            text += f"Supported extensions are: {known}"
        raise FileNotFoundError(text)
    return found


class DatasetFolder(VisionDataset):
    """Files in folders, a folder for each class.

    Args:
        root: the folder of the classes' folders.
        loader: makes a sample of a file's name.
        extensions: how the names of files end. is_valid_file: says which files count. One of both.
        transform: takes a sample. target_transform: takes a class.
        allow_empty: whether a class may have no files.

    Item: a sample and the number of its class.

    Raises:
        FileNotFoundError: when there is no class, or one without files.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.DatasetFolder.html
    """

    def __init__(
        self,
        root: str | Path,
        loader: Callable[[str], Any],
        extensions: tuple[str, ...] | None = None,
        transform: Transform = None,
        target_transform: Transform = None,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.loader = loader
        self.extensions = extensions
        self.classes, self.class_to_idx = self.find_classes(str(self.root))
        self.samples = self.make_dataset(
            str(self.root), self.class_to_idx, extensions, is_valid_file, allow_empty
        )
        self.targets = [target for _, target in self.samples]

    make_dataset = staticmethod(make_dataset)

    def find_classes(self, directory: str | Path) -> tuple[list[str], dict[str, int]]:
        """The names of the classes, and their numbers; a subclass may find them in another way."""
        return find_classes(directory)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        path, target = self.samples[index]
        return self._transformed(self.loader(path), target)

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(DatasetFolder):
    """Pictures in folders, a folder for each class: ``root/cat/1.png``, ``root/dog/2.png``.

    Args:
        root: the folder of the classes' folders.
        transform: takes a picture. target_transform: takes a class.
        loader: makes a picture of a file's name; by default one of PIL's, in colour.
        is_valid_file: says which files count; by default their names do.
        allow_empty: whether a class may have no files.

    Item: a picture and the number of its class.

    Raises:
        FileNotFoundError: when there is no class, or one without pictures.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.ImageFolder.html
    """

    def __init__(
        self,
        root: str | Path,
        transform: Transform = None,
        target_transform: Transform = None,
        loader: Callable[[str], Any] = default_loader,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        extensions = IMG_EXTENSIONS if is_valid_file is None else None
        super().__init__(root, loader, extensions, transform, target_transform, is_valid_file, allow_empty)
        self.imgs = self.samples
