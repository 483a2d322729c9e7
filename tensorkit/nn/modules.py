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

from tensorkit.nn import containers, module, parameter_containers
from tensorkit.nn.layers import (
    activation,
    dropout,
    linear,
    normalisation,
    padding,
    rnn,
    rnn_cells,
    shape,
    smooth_activation,
    softmax,
    sparse,
)

__all__ = [  # noqa: F822 - `_place` puts them here
    "activation",
    "container",
    "dropout",
    "flatten",
    "linear",
    "module",
    "normalization",
    "padding",
    "rnn",
    "sparse",
]
from tensorkit.nn import containers as container
from tensorkit.nn import module, parameter_containers
from tensorkit.nn.layers import (
    activation,
    classification_loss,
    distance_loss,
    loss,
    shape,
    smooth_activation,
    softmax,
)
from tensorkit.nn import lazy, module, parameter_containers
from tensorkit.nn.layers import conv, conv_transpose, fold, linear, padding, shape
from tensorkit.nn.layers import lazy as lazy_layers
from tensorkit.nn.layers import shape as flatten
from tensorkit.nn.layers import shape as linear

__all__ = ["activation", "container", "flatten", "linear", "loss", "module"]
__all__ = ["container", "conv", "flatten", "fold", "lazy", "linear", "module", "padding"]
from tensorkit.nn import lazy, module, parameter_containers
from tensorkit.nn.layers import batch_norm as batchnorm
from tensorkit.nn.layers import distance, dropout, shape, sparse
from tensorkit.nn.layers import instance_norm as instancenorm
from tensorkit.nn.layers import attention as activation
from tensorkit.nn.layers import (
    dropout,
    linear,
    rnn,
    rnn_base,
    rnn_cells,
    shape,
    transformer,
    transformer_layers,
)
from tensorkit.nn.layers import normalisation as normalization
from tensorkit.nn.layers import shape as flatten
from tensorkit.nn.layers import shape as linear

__all__ = [
    "batchnorm",
    "container",
    "distance",
    "dropout",
    "flatten",
    "instancenorm",
    "lazy",
    "linear",
    "module",
    "normalization",
    "sparse",
    "activation",
    "container",
    "dropout",
    "flatten",
    "linear",
    "module",
    "normalization",
    "rnn",
    "transformer",
]
from tensorkit.nn.layers import padding, pooling, shape
from tensorkit.nn.layers import shape as flatten
from tensorkit.nn.layers import shape as linear

__all__ = ["container", "flatten", "linear", "module", "padding", "pooling"]


def __dir__() -> list[str]:
    return __all__


def _place(name: str, home: ModuleType, *classes: str) -> None:
    """Let the classes of a file of ours, or some of them, be found in PyTorch's file `name`, and tell it as their own.

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


_place("activation", activation)
_place("activation", smooth_activation)
_place("activation", softmax)
_place("container", containers)
_place("container", parameter_containers)
_place("dropout", dropout)
_place("activation", activation, *activation.__all__)
_place("activation", smooth_activation, *smooth_activation.__all__)
_place("activation", softmax, *softmax.__all__)
_place("activation", activation, "MultiheadAttention")
_place("container", container, "Container", "ModuleDict", "ModuleList", "Sequential")
_place("container", parameter_containers, "ParameterDict", "ParameterList")
_place("conv", conv, "_ConvNd", *conv.__all__)
_place("conv", conv_transpose, "_ConvTransposeNd", *conv_transpose.__all__)
_place("conv", lazy_layers, *(name for name in lazy_layers.__all__ if "Conv" in name))
_place("flatten", shape, "Flatten", "Unflatten")
_place("linear", linear)
_place("linear", linear, "Bilinear", "Linear", "NonDynamicallyQuantizableLinear")
_place("fold", fold, "Fold", "Unfold")
_place("lazy", lazy, "LazyModuleMixin")
_place("linear", lazy_layers, "LazyLinear")
_place("batchnorm", batchnorm, "_BatchNorm", "_NormBase", *batchnorm.__all__)
_place("container", container, "Container", "ModuleDict", "ModuleList", "Sequential")
_place("container", parameter_containers, "ParameterDict", "ParameterList")
_place("distance", distance, *distance.__all__)
_place("dropout", dropout, "_DropoutNd", *dropout.__all__)
_place("flatten", shape, "Flatten", "Unflatten")
_place("instancenorm", instancenorm, "_InstanceNorm", *instancenorm.__all__)
_place("lazy", lazy, "LazyModuleMixin")
_place("linear", shape, "Identity")
_place("loss", loss, "_Loss", "_WeightedLoss", *loss.__all__)
_place("loss", classification_loss, *classification_loss.__all__)
_place("loss", distance_loss, *distance_loss.__all__)
_place("module", module, "Module")
_place("normalization", normalisation)
_place("padding", padding)
_place("rnn", rnn)
_place("rnn", rnn_cells)
_place("sparse", sparse)
_place("normalization", normalization, *normalization.__all__)
_place("sparse", sparse, *sparse.__all__)
_place("normalization", normalization, "LayerNorm", "RMSNorm")
_place("rnn", rnn, "GRU", "LSTM", "RNN")
_place("rnn", rnn_base, "RNNBase")
_place("rnn", rnn_cells, "GRUCell", "LSTMCell", "RNNCell", "RNNCellBase")
_place("transformer", transformer, "Transformer", "TransformerDecoder", "TransformerEncoder")
_place("transformer", transformer_layers, "TransformerDecoderLayer", "TransformerEncoderLayer")
_place("padding", padding, *padding.__all__)
_place("pooling", pooling, *pooling.__all__)
