"""Places in a graph as values: where the gradient of a tensor arrives, without the tensor.

>>> x = tk.tensor([1.0, 2.0], requires_grad=True)
>>> y = x * 3
>>> z = y.exp().log()
>>> edge = tk.autograd.graph.get_gradient_edge(y)
>>> del y
>>> tk.autograd.grad(z.sum(), edge)
(tensor([1., 1.]),)

Source: names and behaviour are PyTorch 2.13's ``torch.autograd.graph``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from tensorkit.autograd.function import FunctionNode
from tensorkit.autograd.grad_mode import enable_grad
from tensorkit.autograd.history import accumulator_of, grad_fn_of
from tensorkit.autograd.node import Node, meta_of
from tensorkit.tensor import Tensor


class GradientEdge(NamedTuple):
    """Where a gradient arrives: a node, and which of its outputs the gradient is of.

    `autograd.grad` and `autograd.backward` take it wherever they take a tensor.

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.GradientEdge
    """

    node: Node
    output_nr: int
    ownership_token: Node | None = None


def node_behind(place: Any) -> Node:
    """The node at which the gradient of a tensor, or of an edge, arrives.

    Raises:
        AssertionError: for a tensor that does not require grad.
    """
    if isinstance(place, GradientEdge):
        return place.node
    if place.requires_grad and place.grad_fn is None:
        return accumulator_of(place, meta_of(place))
    node = grad_fn_of(place)
    if node is None:
        raise AssertionError("Expected gradient function to be set")
    return node


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The place in the graph where the gradient of a tensor arrives.

    Raises:
        RuntimeError: for a tensor that does not require grad.

    >>> x = tk.ones(2, requires_grad=True)
    >>> tk.autograd.graph.get_gradient_edge(x.exp()).node.name()
    'ExpBackward0'

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.get_gradient_edge
    """
    place: Any = tensor
    if not place.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    node, token = node_behind(place), None
    if isinstance(
        node, FunctionNode
    ):  # PyTorch's own would not keep the graph alive: a node of its library does
        with enable_grad():
            token = place.view_as(place).grad_fn
    return GradientEdge(node, place.output_nr, ownership_token=token)


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count one write to a tensor, or to each of several: memory was written to behind autograd's back.

    Raises:
        RuntimeError: for anything but a tensor.

    >>> x = tk.ones(2)
    >>> tk.autograd.graph.increment_version(x)
    >>> x._version
    1

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.increment_version
    """
    tensors: Any = (tensor,) if isinstance(tensor, Tensor) else tensor
    try:
        tensors = iter(tensors)
    except TypeError:
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input") from None
    for one in tensors:
        if not isinstance(one, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        if not one.is_inference():  # such a tensor does not count
            one._bump()
