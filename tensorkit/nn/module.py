"""`Module`: parameters, buffers and other modules under one name, and a ``forward`` that computes with them.

A module keeps three dictionaries, ``_parameters``, ``_buffers`` and ``_modules``. Assigning to an attribute puts the
value into the right one of them; from these all else follows: what an optimiser trains, what a file keeps, what moves
to a device, what is printed.

>>> class Scale(tk.nn.Module):
...     def __init__(self):
...         super().__init__()
...         self.factor = tk.nn.Parameter(tk.tensor(2.0))
...     def forward(self, x):
...         return self.factor * x
>>> scale = Scale()
>>> scale(tk.ones(2)), list(scale.state_dict())
(tensor([2., 2.], grad_fn=<MulBackward0>), ['factor'])

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Self

from tensorkit.autograd.history import note_call
from tensorkit.autograd.node import sequence
from tensorkit.errors import warn
from tensorkit.nn.conversion import Conversion
from tensorkit.nn.hook_calls import call_with_hooks
from tensorkit.nn.hooks import (
    Hooks,
    any_global,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from tensorkit.nn.members import BEGINNINGS, Members
from tensorkit.nn.parameter import Parameter
from tensorkit.nn.state_dict import StateDict
from tensorkit.tensor import Tensor

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]


def __dir__() -> list[str]:
    return __all__


class Module(Members, StateDict, Conversion, Hooks):
    """The base class of all layers and networks.

    A class made from it calls ``super().__init__()``, assigns parameters and other modules to attributes, and defines
    ``forward``. The module is then called as a function.

    Attributes:
        training: whether it is being trained; dropout and the like look at it.

    >>> tk.nn.Sequential(tk.nn.Flatten(), tk.nn.Identity())
    Sequential(
      (0): Flatten(start_dim=1, end_dim=-1)
      (1): Identity()
    )
    """

    dump_patches: bool = False
    call_super_init: bool = False
    _version: int = 1  # of the form of its state; see `_load_from_state_dict`
    training: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            name = f"{type(self).__name__}.__init__()"
            if kwargs:
                raise TypeError(f"{name} got an unexpected keyword argument '{next(iter(kwargs))}'")
            if args:
                raise TypeError(f"{name} takes 1 positional argument but {len(args) + 1} were given")
        for attribute, begin in BEGINNINGS.items():
            object.__setattr__(self, attribute, begin())  # the long way of `__setattr__` is for the user's
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def _forward_unimplemented(self, *input: Any) -> None:
        """What is computed when the module is called: each class defines it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    forward: Callable[..., Any] = _forward_unimplemented

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if (
            self._forward_hooks
            or self._forward_pre_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or any_global()
        ):
            return note_call(self, next(sequence), call_with_hooks(self, args, kwargs))
        return note_call(self, next(sequence), self.forward(*args, **kwargs))

    __call__: Callable[..., Any] = _call_impl

    # -- going through ----------------------------------------------------------------------------------------------

    def _named_members(
        self,
        get_members_fn: Callable[[Any], Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        """What a function gives of each module, under the full names, without what is None."""
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules if recurse else [(prefix, self)]:
            for name, value in get_members_fn(module):
                if value is not None and value not in seen:
                    if remove_duplicate:
                        seen.add(value)
                    yield path + ("." if path else "") + name, value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their full names.

        Args:
            prefix: what every name begins with.
            recurse: whether those of submodules are among them.
            remove_duplicate: whether one that is there twice comes once.
        """
        yield from self._named_members(
            lambda module: module._parameters.items(), prefix, recurse, remove_duplicate
        )

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters: what an optimiser is given.

        Args:
            recurse: whether those of submodules are among them.
        """
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their full names; the arguments are those of `named_parameters`."""
        yield from self._named_members(
            lambda module: module._buffers.items(), prefix, recurse, remove_duplicate
        )

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers.

        Args:
            recurse: whether those of submodules are among them.
        """
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below this one, each once, with their names."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly below this one, each once."""
        for _, module in self.named_children():
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it, each once, with their full names.

        Args:
            memo: the modules that are left out.
            prefix: what every name begins with.
            remove_duplicate: whether one that is there twice comes once.

        >>> net = tk.nn.Sequential(tk.nn.Identity(), tk.nn.Sequential(tk.nn.Flatten()))
        >>> [name for name, module in net.named_modules()]
        ['', '0', '1', '1.0']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(
                    memo, prefix + ("." if prefix else "") + name, remove_duplicate
                )

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all below it, each once."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def apply(self, fn: Callable[[Module], None]) -> Self:
        """Call a function with each module below this one, then with this one: to initialise parameters, say."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # -- training ---------------------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Say to this module and all below it whether they are being trained.

        Raises:
            ValueError: for anything but a bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """The same as ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Say to all parameters whether gradients are computed for them."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters.

        Args:
            set_to_none: False to fill them with zeros instead.
        """
        if getattr(self, "_is_replica", False):
            warn(
                "Calling .zero_grad() from a module created with nn.DataParallel() has no effect. The parameters are "
                "copied (in a differentiable manner) from the original module. This means they are not leaf nodes in "
                "autograd and so don't accumulate gradients. If you need gradients in your forward method, consider "
                "using autograd.grad instead."
            )
        for param in self.parameters():
            grad = param.grad
            if grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                grad.detach_() if grad.grad_fn is not None else grad.requires_grad_(False)
                grad.zero_()

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: there is no compiler of models here, and the module computes the same without one."""

    # -- text -------------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The text between the brackets of the printed module: a class with settings overrides it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        if len(lines) == 1 and not self._modules:
            return f"{self._get_name()}({extra})"
        lines += [f"({name}): {_indented(repr(module))}" for name, module in self._modules.items()]
        return self._get_name() + ("(\n  " + "\n  ".join(lines) + "\n)" if lines else "()")


def _indented(text: str) -> str:
    """A text whose second and further lines begin with two spaces; empty lines stay empty."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(f"  {line}" if line.strip() else "" for line in rest)])


# The error for a wrong call has the name that the user called.
for _part in (Members, StateDict, Conversion, Hooks):
    for _name, _method in vars(_part).items():
        if inspect.isfunction(_method):
            _method.__qualname__ = f"Module.{_name}"
