"""The photo of lesson 01, as the checks of the exercises on it need it.

>>> import tensorkit
>>> photo(tensorkit).size()
tensorkit.Size([75, 64, 3])
"""

from __future__ import annotations

from functools import cache
from typing import Any

__all__ = ["photo"]


@cache
def _pixels() -> Any:
    from matplotlib import image
    from matplotlib.cbook import get_sample_data

    return image.imread(str(get_sample_data("grace_hopper.jpg", asfileobj=False)))[::8, ::8]


def photo(tk: Any) -> Any:
    """The photo as a tensor of `tk`, tensorkit or PyTorch: 75 rows, 64 columns, 3 channels, with numbers of its own."""
    return tk.from_numpy(_pixels().copy())
