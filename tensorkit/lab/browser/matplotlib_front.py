"""matplotlib in a browser: the sample photo that the lessons read, and nothing else. Figures are drawn in Jupyter."""

from __future__ import annotations

import sys
from importlib.resources import files
from io import BytesIO
from types import ModuleType
from typing import Any

from tensorkit.plain import Tensor, uint8
from tensorkit.strides.layout import contiguous

NAME, SIZE = "grace_hopper.jpg", (600, 512, 3)


class Pixels:
    """A picture as NumPy would have it: it is cut with brackets, and copied."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, columns, channels."""
        return tuple(self.tensor.size())

    def __getitem__(self, key: Any) -> Pixels:
        return Pixels(self.tensor[key])

    def copy(self) -> Pixels:
        """The same numbers, row by row in a storage of their own."""
        return Pixels(self.tensor.contiguous().clone())


def imread(_file: Any, format: str | None = None) -> Pixels:
    """The photo, whatever is to be read: a page has no other."""
    numbers = files("matplotlib").joinpath("photo.bytes").read_bytes()
    return Pixels(Tensor(list(numbers), contiguous(SIZE), uint8))


def get_sample_data(name: str, asfileobj: bool = True) -> Any:
    """A file that stands for the photo, or its name.

    Raises:
        ImportError: for another file, which the page says in its own words.
    """
    if name != NAME:
        raise ImportError(f"a page has only {NAME}", name="matplotlib")
    return BytesIO() if asfileobj else name


if __name__ == "matplotlib":  # where it stands for that package, and nowhere else
    for _name, _functions in {"image": (imread,), "cbook": (get_sample_data,)}.items():
        _module = ModuleType(f"matplotlib.{_name}")
        for _function in _functions:
            setattr(_module, _function.__name__, _function)
        sys.modules[_module.__name__] = globals()[_name] = _module
