"""The classes of modules under the names of the files that PyTorch has them in, such as ``nn.modules.module``.

Their ``__module__`` is this name, as in PyTorch: it is printed, and pickles are read by it.

>>> from tensorkit.nn.modules.container import Sequential
>>> Sequential is tk.nn.Sequential, Sequential
(True, <class 'tensorkit.nn.modules.container.Sequential'>)

Source: https://github.com/pytorch/pytorch/tree/v2.13.0/torch/nn/modules
"""

from __future__ import annotations

import sys
from types import ModuleType

from tensorkit.nn import containers, lazy, module, parameter_containers
from tensorkit.nn.layers import (
    batch_norm,
    conv,
    conv_transpose,
    distance,
    dropout,
    fold,
    instance_norm,
    linear,
    normalisation,
    padding,
    pooling,
    resizing,
    shape,
    sparse,
)
from tensorkit.nn.layers import lazy as lazy_layers
from tensorkit.nn.layers.activations import activation, smooth_activation, softmax
from tensorkit.nn.layers.losses import classification_loss, distance_loss, loss
from tensorkit.nn.layers.recurrent import rnn, rnn_base, rnn_cells
from tensorkit.nn.layers.transformers import attention, transformer, transformer_layers

__all__ = [  # noqa: F822 - `_place` puts them here
    "activation",
    "batchnorm",
    "channelshuffle",
    "container",
    "conv",
    "distance",
    "dropout",
    "flatten",
    "fold",
    "instancenorm",
    "lazy",
    "linear",
    "loss",
    "module",
    "normalization",
    "padding",
    "pixelshuffle",
    "pooling",
    "rnn",
    "sparse",
    "transformer",
    "upsampling",
]


def __dir__() -> list[str]:
    return __all__


_PAGES = "https://docs.pytorch.org/docs/stable/generated/torch.nn."


def _place(name: str, home: ModuleType, *classes: str) -> None:
    """Let the classes of a file of ours, or some of them, be found in PyTorch's file `name`, and tell it as their own.

    Their docstrings end with PyTorch's page of the class.

    Where that file is several of ours, the one that is placed first is found under the name, with all the classes.
    """
    path = f"{__name__}.{name}"
    found = globals()[name] = sys.modules.setdefault(path, home)
    own = [one for one, made in vars(home).items() if getattr(made, "__module__", "") == home.__name__]
    for one in classes or own:
        cls = getattr(home, one)
        if isinstance(cls, type):
            cls.__module__ = path
            setattr(found, one, cls)
            told = cls.__doc__ or ""
            if ">>> " in told and "Source: " not in told:
                cls.__doc__ = f"{told.rstrip()}\n\n    Source: {_PAGES}{one}.html\n    "


_place("activation", activation)
_place("activation", attention)
_place("activation", smooth_activation)
_place("activation", softmax)
_place("batchnorm", batch_norm)
_place("channelshuffle", resizing, "ChannelShuffle")
_place("container", containers)
_place("container", parameter_containers)
_place("conv", conv)
_place("conv", conv_transpose)
_place(
    "conv",
    lazy_layers,
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "_LazyConvXdMixin",
)
_place("distance", distance)
_place("dropout", dropout)
_place("flatten", shape, "Flatten", "Unflatten")
_place("fold", fold)
_place("instancenorm", instance_norm)
_place("lazy", lazy, "LazyModuleMixin")
_place("linear", linear)
_place("linear", lazy_layers, "LazyLinear")
_place("linear", shape, "Identity")
_place("loss", loss)
_place("loss", classification_loss)
_place("loss", distance_loss)
_place("module", module, "Module")
_place("normalization", normalisation)
_place("padding", padding)
_place("pixelshuffle", resizing, "PixelShuffle", "PixelUnshuffle")
_place("pooling", pooling)
_place("rnn", rnn)
_place("rnn", rnn_base)
_place("rnn", rnn_cells)
_place("sparse", sparse)
_place("transformer", transformer)
_place("transformer", transformer_layers)
_place("upsampling", resizing, "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d")
