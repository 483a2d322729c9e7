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
from tensorkit.nn.containers import (
    Container,
    ModuleDict,
    ModuleList,
    Sequential,
)
from tensorkit.nn.factories import factory_kwargs
from tensorkit.nn.layers.shape import Flatten, Identity, Unflatten
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from tensorkit.nn.parameter_containers import ParameterDict, ParameterList

__all__ = [
    "Buffer",
    "Container",
    "DataParallel",
    "Flatten",
    "Identity",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "Sequential",
    "Unflatten",
    "UninitializedBuffer",
    "UninitializedParameter",
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
