"""Inspecting and changing a recorded graph, under PyTorch's module name, ``autograd.graph``.

Source: names follow PyTorch 2.13's ``torch.autograd.graph``.
"""

from __future__ import annotations

from tensorkit.autograd.graph.gradient_edge import GradientEdge, get_gradient_edge, increment_version
from tensorkit.autograd.graph.multi_grad_hook import register_multi_grad_hook
from tensorkit.autograd.graph.saved_mutation import allow_mutation_on_saved_tensors
from tensorkit.autograd.history import grad_fn_of, requires_grad
from tensorkit.autograd.node import Edge, Node
from tensorkit.autograd.rule import Rule
from tensorkit.autograd.saved import FREED, Saved
from tensorkit.autograd.saved_tensors_hooks import (
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


def __dir__() -> list[str]:
    return __all__
