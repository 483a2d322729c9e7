"""Automatic differentiation: operations are recorded as a graph, and gradients walk it back.

>>> x = tk.tensor([1.0, 2.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([2., 4.])

Source: names and behaviour are PyTorch 2.13's (https://docs.pytorch.org/docs/stable/autograd.html).
"""

from __future__ import annotations

import importlib
from typing import Any

from tensorkit.autograd import function, functional, grad_mode, graph, inplace_views, record
from tensorkit.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from tensorkit.autograd.api import backward, grad
from tensorkit.autograd.function import Function
from tensorkit.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from tensorkit.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from tensorkit.autograd.variable import Variable

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "profiler",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Load the profiler on first use: few programs need it."""
    if name == "profiler":
        return importlib.import_module("tensorkit.autograd.profiler")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
