"""Hooks: functions that are called on the way through a module or back through a graph.

Source: https://github.com/pytorch/pytorch/blob/v2.13.0/torch/utils/hooks.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.autograd.function import Function
from tensorkit.autograd.grad_mode import is_grad_enabled
from tensorkit.autograd.node import Node, RemovableHandle
from tensorkit.errors import warn
from tensorkit.tensor import Tensor

__all__ = ["BackwardHook", "BackwardHookFunction", "RemovableHandle"]

Grads = tuple[Tensor | None, ...]


def __dir__() -> list[str]:
    return __all__


class BackwardHookFunction(Function):
    """Changes nothing: its node is where the gradients of all the tensors that go through it are seen together."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class BackwardHook:
    """Calls the backward hooks of one call of a module, once the gradients of its outputs and its inputs are known.

    Args:
        module: what the hooks are called with.
        user_hooks: called as ``hook(module, grad_input, grad_output)``; may return another ``grad_input``.
        user_pre_hooks: called as ``hook(module, grad_output)``; may return another ``grad_output``.

    Source: https://github.com/pytorch/pytorch/blob/v2.13.0/torch/utils/hooks.py
    """

    def __init__(
        self,
        module: Any,
        user_hooks: Sequence[Callable[..., Any]],
        user_pre_hooks: Sequence[Callable[..., Any]],
    ) -> None:
        self.module, self.user_hooks, self.user_pre_hooks = module, user_hooks, user_pre_hooks
        self.grad_outputs: Grads | None = None
        # Which arguments and which results are tensors, and how many there are of all; None where nothing is recorded.
        self.input_tensors_index: list[int] | None = None
        self.output_tensors_index: list[int] | None = None
        self.n_inputs = self.n_outputs = -1

    def setup_input_hook(self, args: tuple[Any, ...]) -> Any:
        """The arguments of ``forward``, seen through a node that calls the hooks at the end of the way back."""
        made, self.input_tensors_index = _through_a_node(args, lambda node: node.register_hook(self._leaving))
        self.n_inputs = len(args)
        return made

    def setup_output_hook(self, result: Any) -> Any:
        """The results of ``forward``, seen through a node where the way back begins."""
        results = result if isinstance(result, tuple) else (result,)
        made, self.output_tensors_index = _through_a_node(
            results, lambda node: node.register_hook(self._entering)
        )
        self.n_outputs = len(results)
        return made if isinstance(result, tuple) else made[0]

    def _entering(self, _: Grads, grad_output: Grads) -> Grads | None:
        """The gradients of the outputs are there."""
        grads = _spread(self.output_tensors_index, grad_output, self.n_outputs)
        for hook in self.user_pre_hooks:
            changed = hook(self.module, grads)
            if changed is not None:
                if len(changed) != len(grads):
                    raise RuntimeError(
                        "Backward pre hook returned an invalid number of grad_output, "
                        f"got {len(changed)}, but expected {len(grads)}"
                    )
                grads = changed
        self.grad_outputs = grads
        if self.input_tensors_index is None:
            self._call_without_inputs(grads)
            self.grad_outputs = None
        if self.output_tensors_index is None:
            return None
        return tuple(grads[place] for place in self.output_tensors_index)

    def _call_without_inputs(self, grad_output: Grads) -> None:
        """No input wants a gradient: the hooks are called at once."""
        warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
            "#torch.nn.Module.register_full_backward_hook for more details."
        )
        for hook in self.user_hooks:
            result = hook(self.module, (None,) * self.n_inputs, grad_output)
            if result is not None and not (
                isinstance(result, tuple) and all(part is None for part in result)
            ):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None "
                    "for all gradients."
                )

    def _leaving(self, grad_input: Grads, _: Grads) -> Grads | None:
        """The gradients of the inputs are there too."""
        if self.grad_outputs is None:  # they came past the outputs, as in a second derivative
            return None
        assert self.input_tensors_index is not None
        grads = _spread(self.input_tensors_index, grad_input, self.n_inputs)
        for hook in self.user_hooks:
            changed = hook(self.module, grads, self.grad_outputs)
            if changed is not None:
                if len(changed) != len(grads):
                    raise RuntimeError(
                        "Backward hook returned an invalid number of grad_input, "
                        f"got {len(changed)}, but expected {len(grads)}"
                    )
                grads = changed
        self.grad_outputs = None
        return tuple(grads[place] for place in self.input_tensors_index)


def _spread(places: list[int] | None, grads: Grads, count: int) -> Grads:
    """Gradients of the tensors among `count` values: None for all the others."""
    found = dict(zip(places or (), grads, strict=True))
    return tuple(found.get(place) for place in range(count))


def _through_a_node(
    values: tuple[Any, ...], see: Callable[[Node], Any]
) -> tuple[tuple[Any, ...], list[int] | None]:
    """The tensors among some values as results of one node, shown to `see`; as they are where nothing is recorded."""
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    if not (is_grad_enabled() and any(values[place].requires_grad for place in places)):
        return values, None
    made = BackwardHookFunction.apply(*[values[place] for place in places])
    see(next(one.grad_fn for one in made if one.grad_fn is not None))
    whole = list(values)
    for place, one in zip(places, made, strict=True):
        whole[place] = one
    # A named tuple is made of its parts.
    return (tuple(whole) if type(values) is tuple else type(values)(*whole)), places
