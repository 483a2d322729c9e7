"""A call of a module that has hooks: each of them in turn, and ``forward`` in their midst.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

import functools
import weakref
from collections import OrderedDict
from typing import Any

from tensorkit.errors import warn
from tensorkit.nn import hooks
from tensorkit.nn.hooks import Hook, Table
from tensorkit.tensor import Tensor
from tensorkit.utils.hooks import BackwardHook


class WrappedHook:
    """A hook that is called with its module first; the module is not kept alive for it.

    Args:
        hook: the function.
        module: its module; None to call the hook without one.
    """

    def __init__(self, hook: Hook, module: Any = None) -> None:
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if module is not None:
            self.module = weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = {"hook": self.hook, "with_module": self.with_module}
        return state | {"module": self.module()} if self.with_module else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


class _Call:
    """One call of a module on its way through the hooks: each may change what the next one sees."""

    def __init__(self, module: Any, args: Any, kwargs: dict[str, Any]) -> None:
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result: Any = None
        self.called: set[int] = set()  # the hooks of ``always_call`` that were

    def run(self) -> Any:
        module = self.module
        full, older = module._get_backward_hooks()
        pre = module._get_backward_pre_hooks()
        for number, hook in (*hooks._global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
            self.before(number, hook)
        backward = BackwardHook(module, full, pre) if full or pre else None
        if backward is not None:
            self.args = backward.setup_input_hook(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        for number, hook in (*hooks._global_forward_hooks.items(), *module._forward_hooks.items()):
            if (
                number in module._forward_hooks_always_called
                or number in hooks._global_forward_hooks_always_called
            ):
                self.called.add(number)
            self.after(number, hook)
        if backward is not None:
            if not isinstance(self.result, (Tensor, tuple)):
                warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                    f"received {type(self.result)}"
                )
            self.result = backward.setup_output_hook(self.result)
        if older:
            _hang_older(module, older, self.args, self.result)
        return self.result

    def before(self, number: int, hook: Hook) -> None:
        if number not in self.module._forward_pre_hooks_with_kwargs:
            changed = hook(self.module, self.args)
            if changed is not None:
                self.args = changed if isinstance(changed, tuple) else (changed,)
            return
        changed = hook(self.module, self.args, self.kwargs)
        if changed is None:
            return
        if not (isinstance(changed, tuple) and len(changed) == 2):
            raise RuntimeError(
                f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
            )
        self.args, self.kwargs = changed

    def after(
        self, number: int, hook: Hook, with_kwargs: Table = hooks._global_forward_hooks_with_kwargs
    ) -> None:
        if number in self.module._forward_hooks_with_kwargs or number in with_kwargs:
            changed = hook(self.module, self.args, self.kwargs, self.result)
        else:
            changed = hook(self.module, self.args, self.result)
        if changed is not None:
            self.result = changed

    def failed(self) -> None:
        """Call the hooks of ``always_call`` that were not called before an exception came."""
        everywhere = (hooks._global_forward_hooks, hooks._global_forward_hooks_always_called, "global module")
        own = (self.module._forward_hooks, self.module._forward_hooks_always_called, "module")
        for table, always, kind in (everywhere, own):
            for number, hook in table.items():
                if number not in always or number in self.called:
                    continue
                try:
                    self.after(number, hook, OrderedDict())  # those of all modules get no kwargs here
                except Exception as error:
                    warn(
                        f"{kind} forward hook with ``always_call=True`` raised an exception that was silenced as "
                        f"another error was raised in forward: {error}"
                    )


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run ``module.forward`` and all hooks around it."""
    __tracebackhide__ = True
    call = _Call(module, args, kwargs)
    try:
        return call.run()
    except Exception:
        call.failed()
        raise


# -- backward hooks of the older form -------------------------------------------------------------------------------


def _hang_older(module: Any, several: list[Hook], inputs: Any, result: Any) -> None:
    """Let hooks be called by the node of the first tensor in a result."""
    first = result
    while not isinstance(first, Tensor):
        if isinstance(first, dict):
            first = next(value for value in first.values() if isinstance(value, Tensor))
        else:
            first = first[0]
    node: Any = first.grad_fn
    if node is not None:
        for hook in several:
            node.register_hook(WrappedHook(hook, module))
        _warn_of_what_is_missing(inputs, result, node)


def _warn_of_what_is_missing(inputs: Any, result: Any, node: Any) -> None:
    """Say where the gradients that a hook of the older form gets are not those of the module."""
    advice = "Please use register_full_backward_hook to get the documented behavior."
    for values, does, side in ((result, "return", "grad_output"), (inputs, "take as input", "grad_input")):
        if not _are_tensors(values):
            return _warn_of(
                f"on a Module that does not {does} a single Tensor or a tuple of Tensors is deprecated and will be "
                f"removed in future versions. This hook will be missing some of the {side}. {advice}",
                "Using non-full backward hooks ",
            )
    results = (result,) if isinstance(result, Tensor) else result
    inputs = (inputs,) if isinstance(inputs, Tensor) else inputs
    made_by = {one.grad_fn for one in results if one.grad_fn is not None}
    ending = (
        "is deprecated and will be removed in future versions. This hook will be missing some grad_output."
    )
    if not made_by or (len(made_by) == 1 and node not in made_by):
        return _warn_of(f"when outputs are nested in python data structure {ending}")
    if len(made_by) > 1:
        return _warn_of(f"when outputs are generated by different autograd Nodes {ending} {advice}")
    if {one.grad_fn for one in inputs if one.grad_fn is not None} != {
        before for before, _ in node.next_functions
    }:
        return _warn_of(
            "when the forward contains multiple autograd Nodes is deprecated and will be removed in future versions. "
            f"This hook will be missing some grad_input. {advice}"
        )
    return None


def _are_tensors(values: Any) -> bool:
    several = isinstance(values, tuple) and all(isinstance(one, Tensor) for one in values)
    return several or isinstance(values, Tensor)


def _warn_of(what: str, subject: str = "Using a non-full backward hook ") -> None:
    warn(subject + what, FutureWarning)
