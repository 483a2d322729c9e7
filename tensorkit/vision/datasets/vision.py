"""What all data sets of pictures have in common: where they are, their transforms, and how they print.

Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.VisionDataset.html
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tensorkit.utils.data import Dataset

Transform = Callable[[Any], Any] | None


class StandardTransform:
    """A transform of the picture and one of the target, as one of both."""

    def __init__(self, transform: Transform = None, target_transform: Transform = None) -> None:
        self.transform = transform
        self.target_transform = target_transform

    def __call__(self, input: Any, target: Any) -> tuple[Any, Any]:
        if self.transform is not None:
            input = self.transform(input)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return input, target

    def __repr__(self) -> str:
        body = [type(self).__name__]
        for head, transform in (
            ("Transform: ", self.transform),
            ("Target transform: ", self.target_transform),
        ):
            if transform is not None:
                first, *others = repr(transform).splitlines()
                body += [head + first, *(" " * len(head) + line for line in others)]
        return "\n".join(body)


class VisionDataset(Dataset[Any]):
    """A data set of pictures: a subclass says how many there are, and gives each with its target.

    Args:
        root: the folder of its files.
        transforms: takes a picture and its target, and gives both.
        transform: takes a picture. target_transform: takes a target. Either these two or `transforms`.

    Raises:
        ValueError: for both.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.VisionDataset.html
    """

    _repr_indent = 4

    def __init__(
        self,
        root: str | Path | None = None,
        transforms: Callable[[Any, Any], Any] | None = None,
        transform: Transform = None,
        target_transform: Transform = None,
    ) -> None:
        self.root = os.path.expanduser(root) if isinstance(root, str) else root
        separate = transform is not None or target_transform is not None
        if transforms is not None and separate:
            raise ValueError("Only transforms or transform/target_transform can be passed as argument")
        self.transform = transform
        self.target_transform = target_transform
        self.transforms = StandardTransform(transform, target_transform) if separate else transforms

    def _transformed(self, image: Any, target: Any) -> tuple[Any, Any]:
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def __repr__(self) -> str:
        body = [f"Number of datapoints: {len(self)}"]
        if self.root is not None:
            body.append(f"Root location: {self.root}")
        body += self.extra_repr().splitlines()
        if self.transforms is not None:
            body.append(repr(self.transforms))
        return "\n".join(
            ["Dataset " + type(self).__name__, *(" " * self._repr_indent + line for line in body)]
        )

    def extra_repr(self) -> str:
        """Further lines to print."""
        return ""
