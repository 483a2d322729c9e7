"""The classes of modules under the names of the files that PyTorch has them in, such as ``nn.modules.module``.

Their ``__module__`` is this name, as in PyTorch: it is printed, and pickles are read by it.

>>> import tensorkit as tk
>>> from tensorkit.nn.modules.container import Sequential
>>> Sequential is tk.nn.Sequential, Sequential
(True, <class 'tensorkit.nn.modules.container.Sequential'>)

Source: https://github.com/pytorch/pytorch/tree/v2.13.0/torch/nn/modules
"""

from __future__ import annotations

import sys
from types import ModuleType

from tensorkit.nn import containers as container
from tensorkit.nn import module, parameter_containers
from tensorkit.nn.layers import padding, pooling, resizing, shape
from tensorkit.nn.layers import resizing as channelshuffle
from tensorkit.nn.layers import resizing as pixelshuffle
from tensorkit.nn.layers import resizing as upsampling
from tensorkit.nn.layers import shape as flatten
from tensorkit.nn.layers import shape as linear

__all__ = [
    "channelshuffle",
    "container",
    "flatten",
    "linear",
    "module",
    "padding",
    "pixelshuffle",
    "pooling",
    "upsampling",
]


def __dir__() -> list[str]:
    return __all__


def _place(name: str, home: ModuleType, *classes: str) -> None:
    """Let classes of a file of ours be found in PyTorch's file `name`, which they tell as their own.

    Where that file is several of ours, the one that is placed first is found under the name, with all the classes.
    """
    path = f"{__name__}.{name}"
    found = sys.modules.setdefault(path, home)
    for one in classes:
        cls = getattr(home, one)
        cls.__module__ = path
        setattr(found, one, cls)


_place("container", container, "Container", "ModuleDict", "ModuleList", "Sequential")
_place("container", parameter_containers, "ParameterDict", "ParameterList")
_place("flatten", shape, "Flatten", "Unflatten")
_place("linear", shape, "Identity")
_place("module", module, "Module")
_place("padding", padding, *padding.__all__)
_place("pooling", pooling, *pooling.__all__)
_place("channelshuffle", resizing, "ChannelShuffle")
_place("pixelshuffle", resizing, "PixelShuffle", "PixelUnshuffle")
_place("upsampling", resizing, "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d")
