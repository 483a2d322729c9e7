"""The photo of lesson 01, as the checks of the exercises on it need it.

>>> import tensorkit
>>> photo(tensorkit).size(), half_size(tensorkit).size()
(tensorkit.Size([75, 64, 3]), tensorkit.Size([300, 256, 3]))
"""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def _pixels() -> Any:
    from matplotlib import image
    from matplotlib.cbook import get_sample_data

    return image.imread(str(get_sample_data("grace_hopper.jpg", asfileobj=False)))


def photo(tk: Any) -> Any:
    """The photo as a tensor of `tk`, tensorkit or PyTorch: 75 rows, 64 columns, 3 channels, with numbers of its own."""
    return tk.from_numpy(_pixels()[::8, ::8].copy())


def half_size(tk: Any) -> Any:
    """Every second pixel of every second row: 300 rows, 256 columns, 3 channels."""
    return tk.from_numpy(_pixels()[::2, ::2].copy())
