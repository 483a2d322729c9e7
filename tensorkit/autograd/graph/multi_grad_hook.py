"""One hook for the gradients of several tensors.

Source: names and behaviour are PyTorch 2.13's ``torch.autograd.graph.register_multi_grad_hook``.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.autograd.engine import Walk, current_walk
from tensorkit.autograd.graph.gradient_edge import node_behind
from tensorkit.autograd.node import RemovableHandle
from tensorkit.tensor import Tensor

Hook = Callable[[Tensor], Any]


class _MultiHandle(RemovableHandle):
    """Takes all the hooks of `register_multi_grad_hook` away."""

    __module__ = "tensorkit.autograd.graph"  # where PyTorch has it

    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[[Any], None], *, mode: str = "all"
) -> RemovableHandle:
    """Call a hook in each backward pass, once the gradients of several tensors are known.

    Args:
        fn: gets a list of all the gradients, None for those that the pass does not come by; in the mode "any", the
            one that is known first.
        mode: "all" or "any".

    Raises:
        ValueError: for another mode. AssertionError: for a tensor that does not require grad, in the mode "all".

    >>> a, b = tk.ones(2, requires_grad=True), tk.ones(2, requires_grad=True)
    >>> handle = tk.autograd.graph.register_multi_grad_hook((a, b), print)
    >>> (a * b).sum().backward()
    [tensor([1., 1.]), tensor([1., 1.])]

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.register_multi_grad_hook
    """
    modes = ("all", "any")
    if mode not in modes:
        raise ValueError(f"Expects mode to be one of {modes} but got {mode}")
    those: Sequence[Any] = tensors
    if mode == "any":
        hook = _first_of_each_walk(fn)
        return _MultiHandle(tuple(t.register_hook(hook) for t in those if t.requires_grad))
    hooks = _all_of_each_walk(tensors, fn)
    return _MultiHandle(tuple(t.register_hook(hook) for t, hook in zip(those, hooks, strict=True)))


def _walk() -> Walk:
    walk = current_walk()
    if walk is None:
        raise AssertionError("expected this hook to be called inside a backward call")
    return walk


def _first_of_each_walk(fn: Hook) -> Hook:
    seen: weakref.WeakSet[Walk] = weakref.WeakSet()

    def hook(grad: Tensor) -> None:
        walk = _walk()
        if walk not in seen:
            seen.add(walk)
            fn(grad)

    return hook


def _all_of_each_walk(tensors: Sequence[Tensor], fn: Callable[[list[Any]], None]) -> list[Hook]:
    nodes = [node_behind(tensor) for tensor in tensors]
    #: For each walk the gradients so far, and how many are still to come.
    known: weakref.WeakKeyDictionary[Walk, tuple[list[Any], list[int]]] = weakref.WeakKeyDictionary()

    def hook_of(place: int) -> Hook:
        def hook(grad: Tensor) -> None:
            walk = _walk()
            if walk not in known:
                known[walk] = [None] * len(nodes), [sum(map(walk.will_run, nodes))]
            grads, left = known[walk]
            grads[place] = grad
            left[0] -= 1
            if left[0] == 0:
                del known[walk]
                fn(grads)

        return hook

    return [hook_of(place) for place in range(len(nodes))]
