"""`FakeData`: pictures of noise, for a program that is only to be tried.

Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.FakeData.html
"""

from __future__ import annotations

from typing import Any

from tensorkit.dtypes import int64
from tensorkit.ops.random.rand import randn
from tensorkit.ops.random.randint import randint
from tensorkit.random import get_rng_state, manual_seed, set_rng_state
from tensorkit.vision.datasets.vision import Transform, VisionDataset
from tensorkit.vision.transforms.functional import to_pil_image


class FakeData(VisionDataset):
    """Random pictures, each the same every time, which no draw of the program's own moves.

    Args:
        size: how many.
        image_size: of each: channels, height, width.
        num_classes: how many classes.
        transform: takes a picture. target_transform: takes a class.
        random_offset: is added to the index, and that is the seed of a picture.

    Item: a picture (PIL, mode RGB, or what the transform makes of it) and its class.

    >>> FakeData(size=3, image_size=(3, 4, 5))[0][0].size
    (5, 4)
    >>> FakeData(size=3)
    Dataset FakeData
        Number of datapoints: 3

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.FakeData.html
    """

    def __init__(
        self,
        size: int = 1000,
        image_size: tuple[int, int, int] = (3, 224, 224),
        num_classes: int = 10,
        transform: Transform = None,
        target_transform: Transform = None,
        random_offset: int = 0,
    ) -> None:
        super().__init__(transform=transform, target_transform=target_transform)
        self.size = size
        self.num_classes = num_classes
        self.image_size = image_size
        self.random_offset = random_offset

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        if index >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        state = get_rng_state()
        manual_seed(index + self.random_offset)
        image = randn(*self.image_size)
        target: Any = randint(0, self.num_classes, size=(1,), dtype=int64)
        set_rng_state(state)
        made, number = self._transformed(to_pil_image(image), target[0])
        return made, number.item()

    def __len__(self) -> int:
        return self.size
