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

__all__ = [
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


_place("activation", activation, "MultiheadAttention")
_place("container", container, "Container", "ModuleDict", "ModuleList", "Sequential")
_place("container", parameter_containers, "ParameterDict", "ParameterList")
_place(
    "dropout",
    dropout,
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
    "_DropoutNd",
)
_place("flatten", shape, "Flatten", "Unflatten")
_place("linear", linear, "Bilinear", "Linear", "NonDynamicallyQuantizableLinear")
_place("linear", shape, "Identity")
_place("module", module, "Module")
_place("normalization", normalization, "LayerNorm", "RMSNorm")
_place("rnn", rnn, "GRU", "LSTM", "RNN")
_place("rnn", rnn_base, "RNNBase")
_place("rnn", rnn_cells, "GRUCell", "LSTMCell", "RNNCell", "RNNCellBase")
_place("transformer", transformer, "Transformer", "TransformerDecoder", "TransformerEncoder")
_place("transformer", transformer_layers, "TransformerDecoderLayer", "TransformerEncoderLayer")
