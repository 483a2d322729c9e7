"""From a tensor to its place in the graph: its `grad_fn`, its edge, and how a node becomes its history."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from tensorkit.autograd.node import OWN, AccumulateGrad, Edge, Era, Face, Meta, Node, leaf_face, meta_of
from tensorkit.dtypes import dtype
from tensorkit.tensor import Tensor

_regrow: Callable[[Tensor], None] = lambda tensor: None  # noqa: E731 - replaced by `autograd.inplace_views`


def register_regrow(function: Callable[[Tensor], None]) -> None:
    """``autograd.inplace_views`` registers how a view finds its place after its family was written to."""
    global _regrow  # set once, while the package is imported
    _regrow = function


def grad_fn_of(tensor: Tensor) -> Node | None:
    """The node that made a tensor; None for a leaf."""
    base = tensor._base
    if base is not None and (base._autograd is not None or tensor._autograd is not None):
        _regrow(tensor)
    meta: Meta | None = tensor._autograd
    return None if meta is None else meta.node


def note_call(module: Any, begin: int, result: Any) -> Any:
    """Remember on the nodes of a result that a module returned it: those who draw the graph know its parts by that.

    Args:
        module: what was called; it is not kept alive.
        begin: the number of `sequence` when the call began: what it recorded has a later one.
        result: a tensor or a tuple of them, with or without gradients; it is returned as it is.
    """
    for tensor in result if isinstance(result, tuple) else (result,):
        node = grad_fn_of(tensor) if isinstance(tensor, Tensor) else None
        if node is not None and node.sequence > begin:
            node.calls = (*node.calls, (weakref.ref(module), begin))
    return result


def made_by_none(tensor: Tensor) -> bool:
    """Whether no history is noted; that of a view whose family was written to since is not looked up."""
    meta: Meta | None = tensor._autograd
    return meta is None or meta.node is None


def requires_grad(tensor: Tensor) -> bool:
    """Whether gradients flow to or through a tensor."""
    meta: Meta | None = tensor._autograd
    if meta is not None and (meta.leaf or meta.node is not None):
        return True
    base = (
        tensor._base
    )  # a view wants what its base wants, whenever it was made; not of one of inference mode
    if base is None or base._autograd is None or base._autograd.inference:
        return False
    return requires_grad(base)


def edge_of(tensor: Tensor) -> Edge | None:
    """Where a gradient for this tensor goes: to its node, or to the accumulator of a leaf; None if nowhere."""
    meta: Meta | None = tensor._autograd
    if tensor._base is None:
        if meta is None:
            return None
        node = meta.node
    else:
        node = grad_fn_of(tensor)
        meta = tensor._autograd
    if node is not None:
        return node, tensor._autograd.output_nr
    # A view whose base got `requires_grad` later has no node of its own in the graph.
    return (accumulator_of(tensor, meta), 0) if meta is not None and meta.leaf else None


def accumulator_of(tensor: Tensor, meta: Meta) -> AccumulateGrad:
    """The one accumulator of a leaf; it lives as long as a graph or a user holds it."""
    node = None if meta.accumulator is None else meta.accumulator()
    if node is None:
        node = AccumulateGrad(tensor)
        if meta.grad_dtype is not OWN:
            node.faces = [leaf_face(tensor, meta.grad_dtype)]
        meta.accumulator = weakref.ref(node)
    return node


def accumulator_in(tensor: Tensor, meta: Meta, era: Era) -> AccumulateGrad:
    """The accumulator for what was recorded of a leaf before it got another size or dtype."""
    held = era.accumulator if era.over else meta.accumulator
    node = None if held is None else held()
    if node is None:
        node = AccumulateGrad(tensor)
        node.faces = [era.face]
        if era.over:
            era.accumulator = weakref.ref(node)
        else:
            meta.accumulator = weakref.ref(node)
    return node


def differentiable(kind: dtype) -> bool:
    """Whether tensors of this dtype can carry gradients."""
    return kind.category >= 2


def move_hooks(meta: Meta, old: Node | None, new: Node) -> None:
    """A tensor was written to: hooks stay with the history that they were given to, `retain_grad` goes along."""
    meta.hooks = None
    collect = None if old is None or old.retains is None else old.retains.pop(meta.output_nr, None)
    if collect is not None:
        new.retains = {0: collect}
        new.tensor_hooks = {} if new.tensor_hooks is None else new.tensor_hooks


def set_history(tensor: Tensor, node: Node, output_nr: int, *, written: bool = True) -> None:
    """Note that a node made this tensor; or, unless `written`, gave it another layout, which moves no hooks."""
    meta = meta_of(tensor)
    old, meta.node = meta.node, node
    if written and (old is not None or meta.hooks is not None):
        move_hooks(meta, old, node)
    meta.output_nr = output_nr
    meta.leaf = False
    if tensor._base is not None:
        tensor._born = tensor._version  # of this version the node tells the truth; see `views.regrow`
    while len(node.faces) <= output_nr:
        node.faces.append(None)
    node.faces[output_nr] = Face(tensor)
