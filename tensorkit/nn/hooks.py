"""Hooks of modules: functions called before and after ``forward``, and when gradients come back through it.

Hooks of one module are registered by its methods, which `Hooks` has; those of all modules by functions here. All are
called by `call_with_hooks`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tensorkit.utils.hooks import RemovableHandle

Hook = Callable[..., Any]
Table = OrderedDict[int, Any]


def _hang(table: Table, hook: Hook, *flags: tuple[Table, bool], prepend: bool = False) -> RemovableHandle:
    """Put a hook into a table; each flag that is set is noted in a table of its own."""
    handle = RemovableHandle(table, extra_dict=[flagged for flagged, _ in flags])
    table[handle.id] = hook
    for flagged, wanted in flags:
        if wanted:
            flagged[handle.id] = True
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle


# -- of all modules -------------------------------------------------------------------------------------------------

_global_buffer_registration_hooks: Table = OrderedDict()
_global_module_registration_hooks: Table = OrderedDict()
_global_parameter_registration_hooks: Table = OrderedDict()
_global_backward_pre_hooks: Table = OrderedDict()
_global_backward_hooks: Table = OrderedDict()
_global_is_full_backward_hook: bool | None = None  # None until one of the two kinds was registered
_global_forward_pre_hooks: Table = OrderedDict()
_global_forward_hooks: Table = OrderedDict()
_global_forward_hooks_always_called: Table = OrderedDict()
_global_forward_hooks_with_kwargs: Table = OrderedDict()

_REGISTRATIONS = {
    "buffer": _global_buffer_registration_hooks,
    "module": _global_module_registration_hooks,
    "parameter": _global_parameter_registration_hooks,
}


def any_global() -> bool:
    """Whether a hook of all modules would have to be called now."""
    return bool(
        _global_backward_pre_hooks
        or _global_backward_hooks
        or _global_forward_hooks
        or _global_forward_pre_hooks
    )


def registered(kind: str, module: Any, name: str, value: Any) -> Any:
    """What a module is to keep under a name, after the registration hooks have looked at it.

    Args:
        kind: "buffer", "module" or "parameter".
    """
    for hook in _REGISTRATIONS[kind].values():
        changed = hook(module, name, value)
        if changed is not None:
            value = changed
    return value


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` whenever a module gets a buffer; it may return another one.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_buffer_registration_hook.html
    """
    return _hang(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` whenever a module gets a submodule; it may return another one.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_module_registration_hook.html
    """
    return _hang(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, param)`` whenever a module gets a parameter; it may return another one.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_parameter_registration_hook.html
    """
    return _hang(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, args)`` before each ``forward``, ahead of the module's own hooks; it may return other args.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_forward_pre_hook.html
    """
    return _hang(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after each ``forward``, ahead of the module's own hooks.

    Args:
        hook: may return another output.
        with_kwargs: whether it is called as ``hook(module, args, kwargs, output)``.
        always_call: whether it is called after an exception too.

    >>> handle = tk.nn.modules.module.register_module_forward_hook(lambda module, args, output: print(module))
    >>> tk.nn.Identity()(tk.ones(1))
    Identity()
    tensor([1.])
    >>> handle.remove()

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_forward_hook.html
    """
    with_words = (_global_forward_hooks_with_kwargs, with_kwargs)
    return _hang(_global_forward_hooks, hook, (_global_forward_hooks_always_called, always_call), with_words)


def _choose_global_kind(full: bool) -> None:
    global _global_is_full_backward_hook  # PyTorch's name of it, beside its tables of hooks
    if _global_is_full_backward_hook is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only "
            "one of them."
        )
    _global_is_full_backward_hook = full


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """The older form of `register_module_full_backward_hook`: the gradients are those of the module's last operation.

    Raises:
        RuntimeError: where a full backward hook was registered.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_backward_hook.html
    """
    _choose_global_kind(full=False)
    return _hang(_global_backward_hooks, hook)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` before gradients go back through any module; it may return other ones.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_full_backward_pre_hook.html
    """
    return _hang(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` after gradients went back through any module.

    Raises:
        RuntimeError: where a hook of the older form was registered.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.module.register_module_full_backward_hook.html
    """
    _choose_global_kind(full=True)
    return _hang(_global_backward_hooks, hook)


# -- of one module --------------------------------------------------------------------------------------------------


class Hooks:
    """The part of `Module` that registers hooks."""

    _backward_pre_hooks: Table
    _backward_hooks: Table
    _is_full_backward_hook: bool | None
    _forward_pre_hooks: Table
    _forward_pre_hooks_with_kwargs: Table
    _forward_hooks: Table
    _forward_hooks_with_kwargs: Table
    _forward_hooks_always_called: Table
    forward: Callable[..., Any]

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before each ``forward``.

        Args:
            hook: may return other args: a tuple, or one value.
            prepend: whether it is called before those that are there already.
            with_kwargs: whether it is called as ``hook(module, args, kwargs)``, and returns a pair of both.
        """
        return _hang(
            self._forward_pre_hooks, hook, (self._forward_pre_hooks_with_kwargs, with_kwargs), prepend=prepend
        )

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after each ``forward``.

        Args:
            hook: may return another output.
            prepend: whether it is called before those that are there already.
            with_kwargs: whether it is called as ``hook(module, args, kwargs, output)``.
            always_call: whether it is called after an exception too.

        >>> double = tk.nn.Identity()
        >>> handle = double.register_forward_hook(lambda module, args, output: output * 2)
        >>> double(tk.ones(2))
        tensor([2., 2.])
        """
        flags = (
            (self._forward_hooks_with_kwargs, with_kwargs),
            (self._forward_hooks_always_called, always_call),
        )
        return _hang(self._forward_hooks, hook, *flags, prepend=prepend)

    def _choose_kind(self, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only "
                "one of them."
            )
        self._is_full_backward_hook = full

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before gradients go back through the module.

        Args:
            hook: may return a tuple of other gradients of the outputs.
            prepend: whether it is called before those that are there already.
        """
        return _hang(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` after gradients went back through the module.

        Args:
            hook: gets tuples, with None for anything but a tensor; may return a tuple of other gradients of the inputs.
            prepend: whether it is called before those that are there already.

        Raises:
            RuntimeError: where a hook of the older form was registered.

        >>> module = tk.nn.Flatten(0)
        >>> handle = module.register_full_backward_hook(lambda module, grad_input, grad_output: print(grad_output))
        >>> module(tk.ones(1, 2, requires_grad=True)).sum().backward()
        (tensor([1., 1.]),)
        """
        self._choose_kind(full=True)
        return _hang(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """The older form of `register_full_backward_hook`: the gradients are those of the last operation.

        Raises:
            RuntimeError: where a full backward hook was registered.
        """
        self._choose_kind(full=False)
        return _hang(self._backward_hooks, hook)

    def _get_backward_hooks(self) -> tuple[list[Hook], list[Hook]]:
        """The full backward hooks, and those of the older form."""
        full: list[Hook] = []
        older: list[Hook] = []
        for kind, hooks in (
            (_global_is_full_backward_hook, _global_backward_hooks),
            (self._is_full_backward_hook, self._backward_hooks),
        ):
            if kind is not None:
                (full if kind else older).extend(hooks.values())
        return full, older

    def _get_backward_pre_hooks(self) -> list[Hook]:
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]
