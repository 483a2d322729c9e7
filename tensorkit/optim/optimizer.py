"""What all optimizers share: groups of parameters, the state kept for each, state dicts, and hooks.

Source: https://docs.pytorch.org/docs/stable/optim.html#base-class
"""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from tensorkit.autograd.node import RemovableHandle, hang
from tensorkit.dtypes import float32
from tensorkit.errors import warn
from tensorkit.ops.tensor.queries import typename
from tensorkit.tensor import Tensor

Hook = Callable[..., Any]
Hooks = OrderedDict[int, Hook]
Params = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]

_pre_hooks_of_all: Hooks = OrderedDict()
_post_hooks_of_all: Hooks = OrderedDict()


class _RequiredParameter:
    """The default of an option that each group has to give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


def register_optimizer_step_pre_hook(hook: Hook) -> RemovableHandle:
    """Have `hook(optimizer, args, kwargs)` called before each `step` of every optimizer.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_step_pre_hook.html
    """
    return hang(_pre_hooks_of_all, hook)


def register_optimizer_step_post_hook(hook: Hook) -> RemovableHandle:
    """Have `hook(optimizer, args, kwargs)` called after each `step` of every optimizer.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_step_post_hook.html
    """
    return hang(_post_hooks_of_all, hook)


class Optimizer:
    """The base class of all optimizers: a subclass has a `step` that changes the parameters by their gradients.

    Args:
        params: tensors to optimize, or pairs of a name and a tensor, or a dict for each group: ``"params"`` and the
            options that differ from `defaults`.
        defaults: the options of groups that do not give their own, for example ``{"lr": 0.1}``.

    Raises:
        TypeError: for anything but leaf tensors. ValueError: when there are no parameters, or one is in two groups.

    >>> class Descent(tk.optim.Optimizer):
    ...     @tk.no_grad()
    ...     def step(self, closure=None):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 p -= group["lr"] * p.grad
    >>> w = tk.tensor([1.0, 2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> Descent([w], {"lr": 0.25}).step()
    >>> w
    tensor([0.5000, 1.0000], requires_grad=True)

    Source: https://docs.pytorch.org/docs/stable/optim.html#torch.optim.Optimizer
    """

    _HOOKS = tuple(
        f"_optimizer_{when}_hooks"
        for when in (
            "step_pre",
            "step_post",
            "state_dict_pre",
            "state_dict_post",
            "load_state_dict_pre",
            "load_state_dict_post",
        )
    )
    _optimizer_step_pre_hooks: Hooks
    _optimizer_step_post_hooks: Hooks
    _optimizer_state_dict_pre_hooks: Hooks
    _optimizer_state_dict_post_hooks: Hooks
    _optimizer_load_state_dict_pre_hooks: Hooks
    _optimizer_load_state_dict_post_hooks: Hooks

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + typename(params)
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def _make_hooks(self) -> None:
        """Tables for hooks where there are none yet, and a `step` of the class that calls them."""
        for name in self._HOOKS:
            self.__dict__.setdefault(name, OrderedDict())
        kind = type(self)
        if not getattr(kind.step, "hooked", False):
            step = self.profile_hook_step(kind.step)
            step.hooked = True  # type: ignore[attr-defined]
            kind.step = step  # type: ignore[method-assign]

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_hooks()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for number, group in enumerate(self.param_groups):
            options = [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
            text += f"\nParameter Group {number}\n{''.join(options)}"
        return text + ")"

    # -- hooks ----------------------------------------------------------------------------------------------------

    @staticmethod
    def profile_hook_step(func: Callable[..., Any]) -> Callable[..., Any]:
        """A `step` with calls of the hooks around it."""

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            self = args[0]
            for hook in (*_pre_hooks_of_all.values(), *self._optimizer_step_pre_hooks.values()):
                changed = hook(self, args, kwargs)
                if changed is None:
                    continue
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"{func} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                args, kwargs = changed
            result = func(*args, **kwargs)
            for hook in (*self._optimizer_step_post_hooks.values(), *_post_hooks_of_all.values()):
                hook(self, args, kwargs)
            return result

        return wrapper

    def register_step_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Have `hook(optimizer, args, kwargs)` called before each `step`; it may return new `args` and `kwargs`."""
        return hang(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Hook) -> RemovableHandle:
        """Have `hook(optimizer, args, kwargs)` called after each `step`."""
        return hang(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer)` called before `state_dict`."""
        return hang(self._optimizer_state_dict_pre_hooks, hook, prepend=prepend)

    def register_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer, state_dict)` called after `state_dict`; it may return another one."""
        return hang(self._optimizer_state_dict_post_hooks, hook, prepend=prepend)

    def register_load_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer, state_dict)` called before `load_state_dict`; it may return another one."""
        return hang(self._optimizer_load_state_dict_pre_hooks, hook, prepend=prepend)

    def register_load_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer)` called after `load_state_dict`."""
        return hang(self._optimizer_load_state_dict_post_hooks, hook, prepend=prepend)

    # -- state dicts ----------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """The state and the groups, with numbers 0, 1, … instead of the parameters: what is saved to a file."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups, start = [], 0
        for group in self.param_groups:
            params = group["params"]
            for number, param in enumerate(params, start):
                numbers.setdefault(id(param), number)
            packed = {name: value for name, value in group.items() if name != "params"}
            groups.append(packed | {"params": [numbers[id(param)] for param in params]})
            start += len(params)
        state = {numbers[id(k)] if isinstance(k, Tensor) else k: v for k, v in self.state.items()}
        result: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, result)
            result = result if changed is None else changed
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the state and the groups' options that `state_dict` gave, of the same parameters in the same order.

        Raises:
            ValueError: when there are other numbers of groups, or of parameters in them.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups, saved = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(own["params"]) != len(new["params"]) for own, new in zip(groups, saved, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        owners = {
            number: (param, new)
            for own, new in zip(groups, saved, strict=True)
            for number, param in zip(new["params"], own["params"], strict=True)
        }
        state: defaultdict[Any, Any] = defaultdict(dict)
        for number, value in state_dict["state"].items():
            if number in owners:
                param, group = owners[number]
                state[param] = _moved(value, param, group)
            else:  # state of no parameter
                state[number] = value
        for own, new in zip(groups, saved, strict=True):
            new["params"] = own["params"]
            if "param_names" in own:
                new.setdefault("param_names", own["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    # -- training -------------------------------------------------------------------------------------------------

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters; with ``set_to_none=False`` they stay, filled with zeros."""
        for param in chain.from_iterable(group["params"] for group in self.param_groups):
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
                continue
            if param.grad.grad_fn is not None:
                param.grad.detach_()
            else:
                param.grad.requires_grad_(False)
            param.grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients.

        Args:
            closure: computes the loss again, with its gradients, and returns it; most optimizers do without.
        """
        raise NotImplementedError

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own, such as layers that are to be trained from now on."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        _name_params(param_group)
        for param in param_group["params"]:
            if not isinstance(param, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {typename(param)}"
                )
            if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            param_group.setdefault(name, default)
        self._refuse_repeated(param_group)
        self.param_groups.append(param_group)

    def _refuse_repeated(self, param_group: dict[str, Any]) -> None:
        new = set(param_group["params"])
        if len(param_group["params"]) != len(new):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information"
            )
        named = "param_names" in param_group
        if any(("param_names" in group) != named for group in self.param_groups):
            raise ValueError(
                "all optimizer param groups should be with/without names. "
                f"cannot add param group {'with' if named else 'without'} names to the optimizer"
            )
        if any(not new.isdisjoint(group["params"]) for group in self.param_groups):
            raise ValueError("some parameters appear in more than one parameter group")


def _name_params(group: dict[str, Any]) -> None:
    """Make a list of the parameters of a group, and one of their names where they come with names."""
    params = group["params"]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    params = [params] if isinstance(params, Tensor) else list(params)
    names = [param[0] for param in params if isinstance(param, tuple)]
    group["params"] = [param[1] if isinstance(param, tuple) else param for param in params]
    if names:
        if len(names) != len(params):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        group["param_names"] = names


def _moved(value: Any, param: Tensor, group: dict[str, Any], name: object = None) -> Any:
    """The loaded state of a parameter, on its device and of its dtype; the count of steps stays as it was."""
    if isinstance(value, Tensor):
        if name == "step":
            moved = group.get("capturable") or group.get("fused")
            return value.to(dtype=float32, device=param.device) if moved else value
        return value.to(param.device, param.dtype) if param.is_floating_point() else value.to(param.device)
    if isinstance(value, dict):
        return {key: _moved(one, param, group, key) for key, one in value.items()}
    if isinstance(value, Iterable):
        return type(value)(_moved(one, param, group) for one in value)  # type: ignore[call-arg]
    return value
