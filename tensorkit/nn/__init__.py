"""Neural networks: what PyTorch offers as ``torch.nn``.

>>> import tensorkit as tk
>>> net = tk.nn.Sequential(tk.nn.Flatten(), tk.nn.Identity())
>>> net(tk.zeros(2, 3, 4)).shape
tensorkit.Size([2, 12])
"""

from __future__ import annotations

import importlib
from typing import Any

from tensorkit.nn import functional, init, modules, parameter, utils
from tensorkit.nn.containers import Container, ModuleDict, ModuleList, Sequential
from tensorkit.nn.factories import factory_kwargs
from tensorkit.nn.layers.activation import (
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    Softshrink,
    Threshold,
)
from tensorkit.nn.layers.batch_norm import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyBatchNorm3d,
)
from tensorkit.nn.layers.distance import CosineSimilarity, PairwiseDistance
from tensorkit.nn.layers.attention import MultiheadAttention
from tensorkit.nn.layers.dropout import (
    AlphaDropout,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    FeatureAlphaDropout,
from tensorkit.nn.layers.conv import Conv1d, Conv2d, Conv3d
from tensorkit.nn.layers.conv_transpose import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from tensorkit.nn.layers.fold import Fold, Unfold
from tensorkit.nn.layers.lazy import (
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
    LazyLinear,
)
from tensorkit.nn.layers.linear import Bilinear, Linear
from tensorkit.nn.layers.normalisation import LayerNorm, RMSNorm
from tensorkit.nn.layers.padding import (
    CircularPad1d,
    CircularPad2d,
    CircularPad3d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)
from tensorkit.nn.layers.rnn import GRU, LSTM, RNN, RNNBase
from tensorkit.nn.layers.rnn_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from tensorkit.nn.layers.classification_loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    CTCLoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    NLLLoss,
    NLLLoss2d,
    SoftMarginLoss,
)
from tensorkit.nn.layers.distance_loss import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    TripletMarginLoss,
)
from tensorkit.nn.layers.loss import (
    GaussianNLLLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    PoissonNLLLoss,
    SmoothL1Loss,
)
from tensorkit.nn.layers.instance_norm import (
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LazyInstanceNorm1d,
    LazyInstanceNorm2d,
    LazyInstanceNorm3d,
)
from tensorkit.nn.layers.normalisation import GroupNorm, LayerNorm, RMSNorm
from tensorkit.nn.layers.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    LPPool1d,
    LPPool2d,
    LPPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
)
from tensorkit.nn.layers.shape import Flatten, Identity, Unflatten
from tensorkit.nn.layers.smooth_activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    LogSigmoid,
    Mish,
    Sigmoid,
    SiLU,
    Softplus,
    Softsign,
    Tanh,
    Tanhshrink,
)
from tensorkit.nn.layers.softmax import LogSoftmax, Softmax, Softmax2d, Softmin
from tensorkit.nn.layers.sparse import Embedding
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
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "Buffer",
    "CELU",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Container",
    "CosineSimilarity",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "Buffer",
    "CELU",
    "CTCLoss",
    "Container",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "ELU",
    "Embedding",
    "FeatureAlphaDropout",
    "DataParallel",
    "Flatten",
    "GELU",
    "GLU",
    "GRU",
    "GRUCell",
    "GaussianNLLLoss",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "LSTM",
    "LSTMCell",
    "LayerNorm",
    "KLDivLoss",
    "L1Loss",
    "LeakyReLU",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "Flatten",
    "Fold",
    "Identity",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyLinear",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MarginRankingLoss",
    "Mish",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PReLU",
    "GroupNorm",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "Module",
    "ModuleDict",
    "ModuleList",
    "PairwiseDistance",
    "MultiheadAttention",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "RMSNorm",
    "RNN",
    "RNNBase",
    "RNNCell",
    "RNNCellBase",
    "PoissonNLLLoss",
    "RReLU",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "SELU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "TripletMarginLoss",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "Unflatten",
    "Unfold",
    "UninitializedBuffer",
    "UninitializedParameter",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
    "factory_kwargs",
    "functional",
    "init",
    "modules",
    "parallel",
    "parameter",
    "utils",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Load what works with several devices when it is first asked for: it needs `tensorkit.cuda`."""
    if name in ("parallel", "DataParallel"):
        module = importlib.import_module(f"{__name__}.parallel")
        return module if name == "parallel" else module.DataParallel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
