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
from tensorkit.nn.layers.batch_norm import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyBatchNorm3d,
)
from tensorkit.nn.layers.distance import CosineSimilarity, PairwiseDistance
from tensorkit.nn.layers.dropout import (
    AlphaDropout,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    FeatureAlphaDropout,
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
from tensorkit.nn.layers.shape import Flatten, Identity, Unflatten
from tensorkit.nn.layers.sparse import Embedding
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from tensorkit.nn.parameter_containers import ParameterDict, ParameterList

__all__ = [
    "AlphaDropout",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Buffer",
    "Container",
    "CosineSimilarity",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "Embedding",
    "FeatureAlphaDropout",
    "Flatten",
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
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "RMSNorm",
    "Sequential",
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
