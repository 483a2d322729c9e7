"""Neural networks: what PyTorch offers as ``torch.nn``.

>>> import tensorkit as tk
>>> net = tk.nn.Sequential(tk.nn.Flatten(), tk.nn.Identity())
>>> net(tk.zeros(2, 3, 4)).shape
tensorkit.Size([2, 12])
"""

from __future__ import annotations

from tensorkit.nn import functional, init, modules, parameter, utils
from tensorkit.nn.containers import (
    Container,
    ModuleDict,
    ModuleList,
    Sequential,
)
from tensorkit.nn.factories import factory_kwargs
from tensorkit.nn.layers.attention import MultiheadAttention
from tensorkit.nn.layers.dropout import (
    AlphaDropout,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    FeatureAlphaDropout,
)
from tensorkit.nn.layers.linear import Bilinear, Linear
from tensorkit.nn.layers.normalisation import LayerNorm, RMSNorm
from tensorkit.nn.layers.rnn import GRU, LSTM, RNN
from tensorkit.nn.layers.rnn_base import RNNBase
from tensorkit.nn.layers.rnn_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from tensorkit.nn.layers.shape import Flatten, Identity, Unflatten
from tensorkit.nn.layers.transformer import Transformer, TransformerDecoder, TransformerEncoder
from tensorkit.nn.layers.transformer_layers import TransformerDecoderLayer, TransformerEncoderLayer
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from tensorkit.nn.parameter_containers import ParameterDict, ParameterList

__all__ = [
    "AlphaDropout",
    "Bilinear",
    "Buffer",
    "Container",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
    "Flatten",
    "GRU",
    "GRUCell",
    "Identity",
    "LSTM",
    "LSTMCell",
    "LayerNorm",
    "Linear",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiheadAttention",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "RMSNorm",
    "RNN",
    "RNNBase",
    "RNNCell",
    "RNNCellBase",
    "Sequential",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "Unflatten",
    "UninitializedBuffer",
    "UninitializedParameter",
    "factory_kwargs",
    "functional",
    "init",
    "modules",
    "parameter",
    "utils",
]


def __dir__() -> list[str]:
    return __all__
