"""Tiles of the photograph that a shaken camera blurred along one diagonal or the other, for an exercise.

>>> import tensorkit
>>> for_training(tensorkit).size(), held_back(tensorkit)[0].size()
(tensorkit.Size([384, 1, 16, 16]), tensorkit.Size([192, 1, 16, 16]))
"""

from __future__ import annotations

from functools import cache
from typing import Any

from tensorkit_widgets.lessons.photo import half_size

SIDE, LENGTH, DOWN = 16, 5, 192
"""Pixels along a tile, and along its blur; how many tiles for training are blurred downwards: they come first."""


@cache
def _tiles(tk: Any) -> tuple[Any, Any]:
    """All tiles in grey, blurred downwards to the right, and upwards."""
    grey = half_size(tk).double().mean(dim=2)
    blurred = []
    for kernel in (tk.eye(LENGTH, dtype=tk.float64), tk.eye(LENGTH, dtype=tk.float64).flip(1)):
        near = tk.nn.functional.conv2d(grey[None, None], kernel[None, None] / LENGTH, padding="same")[0, 0]
        tiles = near.unfold(0, SIDE, SIDE).unfold(1, SIDE, SIDE).reshape(-1, 1, SIDE, SIDE)
        tiles = tiles - tiles.mean((2, 3), keepdim=True)
        blurred.append((tiles / tiles.std((2, 3), keepdim=True)).float())
    return blurred[0], blurred[1]


def for_training(tk: Any) -> Any:
    """Two of every three tiles: first those that are blurred downwards, then the others."""
    down, up = _tiles(tk)
    kept = tk.arange(len(down)) % 3 != 0
    return tk.cat([down[kept], up[kept]])


def held_back(tk: Any) -> tuple[Any, Any]:
    """Every third tile, with its class."""
    down, up = _tiles(tk)
    return tk.cat([down[::3], up[::3]]), tk.arange(2).repeat_interleave(len(down[::3]))
