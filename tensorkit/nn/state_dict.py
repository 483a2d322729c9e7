"""The state of a module: its parameters and buffers by name, written into a dictionary and read back from one.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.state_dict
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from tensorkit.autograd.grad_mode import no_grad
from tensorkit.autograd.node import RemovableHandle, hang
from tensorkit.errors import warn
from tensorkit.nn.hook_calls import WrappedHook
from tensorkit.nn.hooks import Hook, Table
from tensorkit.nn.parameter import Parameter, is_lazy
from tensorkit.tensor import Tensor

_EXTRA = "_extra_state"


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


_Keys.__name__ = _Keys.__qualname__ = "IncompatibleKeys"


class IncompatibleKeys(_Keys):
    """The names in which a state and a module differ."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


IncompatibleKeys.__name__ = IncompatibleKeys.__qualname__ = "_IncompatibleKeys"


class StateDict:
    """The part of `Module` that gives and takes its state."""

    _version: int
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: Table
    _state_dict_pre_hooks: Table
    _load_state_dict_pre_hooks: Table
    _load_state_dict_post_hooks: Table

    # -- writing ----------------------------------------------------------------------------------------------------

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """All parameters and persistent buffers, of submodules too, by their names; they share the module's memory.

        Args:
            destination: a dictionary to write them into.
            prefix: what every name begins with.
            keep_vars: whether to give the parameters themselves, not detached ones.

        >>> module = tk.nn.Module()
        >>> module.weight = tk.nn.Parameter(tk.ones(2))
        >>> dict(module.state_dict())
        {'weight': tensor([1., 1.])}
        """
        if args:
            warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
            )
            given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
            destination = given["destination"] if destination is None else destination
            prefix = given.get("prefix", "") if prefix == "" else prefix
            keep_vars = given.get("keep_vars", False) if keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            result = hook(self, destination, prefix, metadata)
            if result is not None and getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = destination if result is None else result
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Write the state of this module alone, without that of its submodules."""
        for name, value in self._own_state().items():
            destination[prefix + name] = value if keep_vars else value.detach()
        if _overrides(self, "get_extra_state"):
            destination[prefix + _EXTRA] = self.get_extra_state()

    def _own_state(self) -> dict[str, Any]:
        """The parameters and the persistent buffers of this module alone."""
        buffers = {
            name: value
            for name, value in self._buffers.items()
            if name not in self._non_persistent_buffers_set
        }
        return {
            name: value for name, value in (*self._parameters.items(), *buffers.items()) if value is not None
        }

    def get_extra_state(self) -> Any:
        """What else belongs to the state: a class that has something defines this and `set_extra_state`."""
        self._not_meant("get")

    def set_extra_state(self, state: Any) -> None:
        """Take what `get_extra_state` gave."""
        self._not_meant("set")

    def _not_meant(self, verb: str) -> NoReturn:
        raise RuntimeError(
            f"Reached a code path in Module.{verb}_extra_state() that should never be called. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        )

    # -- reading ----------------------------------------------------------------------------------------------------

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy numbers by their names into the module's parameters and buffers, and those of its submodules.

        Args:
            state_dict: what the method of this name gave.
            strict: whether its names must be the module's, all of them and no others.
            assign: whether the module gets the tensors themselves instead; parameters keep their ``requires_grad``.

        Returns:
            The ``missing_keys`` and the ``unexpected_keys``.

        Raises:
            TypeError: for anything but a mapping. RuntimeError: where names or sizes differ.

        >>> module = tk.nn.Module()
        >>> module.weight = tk.nn.Parameter(tk.zeros(2))
        >>> module.load_state_dict({"weight": tk.ones(2)})
        <All keys matched successfully>
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        loading = _Loading(getattr(state_dict, "_metadata", None), assign)
        state: Any = OrderedDict(state_dict)  # hooks may change it
        if loading.metadata is not None:
            state._metadata = loading.metadata
        loading.into(self, state, "")
        messages = loading.messages
        if strict:
            for keys, word in ((loading.unexpected, "Unexpected"), (loading.missing, "Missing")):
                if keys:
                    listed = ", ".join(f'"{key}"' for key in keys)
                    messages.insert(0, f"{word} key(s) in state_dict: {listed}. ")
        if messages:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(messages)
            )
        return IncompatibleKeys(loading.missing, loading.unexpected)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Read the state of this module alone. A class can override it to read what its earlier versions wrote.

        Args:
            state_dict: may be changed. prefix: what the module's names begin with in it.
            local_metadata: the ``version`` that wrote it; ``assign_to_params_buffers`` for ``assign=True``.
            strict: whether to note missing and unexpected keys.
            missing_keys, unexpected_keys, error_msgs: lists to add to.
        """
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = self._own_state()
        for name, param in own.items():
            key = prefix + name
            if key in state_dict:
                assign = local_metadata.get("assign_to_params_buffers", False)
                message = _load_one(self, name, key, param, state_dict[key], assign)
                if message:
                    error_msgs.append(message)
            elif strict:
                missing_keys.append(key)
        extra = prefix + _EXTRA
        if _overrides(self, "set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        for key in state_dict if strict else ():
            if key.startswith(prefix) and key != extra:
                first, dot, _ = key[len(prefix) :].partition(".")
                if first not in (self._modules if dot else own):
                    unexpected_keys.append(key)

    # -- hooks ------------------------------------------------------------------------------------------------------

    def _register_state_dict_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after `state_dict`; it may return another one."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return hang(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after `state_dict`; it may change it in place."""
        hook._from_public_api = True
        return hang(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before `state_dict`."""
        return hang(self._state_dict_pre_hooks, hook)

    def _register_load_state_dict_pre_hook(self, hook: Hook, with_module: bool = False) -> RemovableHandle:
        """`register_load_state_dict_pre_hook`, for a hook that may do without the module."""
        return hang(self._load_state_dict_pre_hooks, WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call a hook before `load_state_dict` reads: with the module, then what `_load_from_state_dict` is given."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after `load_state_dict` has read; it may change the two lists."""
        return hang(self._load_state_dict_post_hooks, hook)


def _overrides(module: Any, name: str) -> bool:
    return getattr(type(module), name, None) is not getattr(StateDict, name)


class _Loading:
    """What one call of `load_state_dict` finds on its way through the modules."""

    def __init__(self, metadata: Any, assign: bool) -> None:
        self.metadata, self.assign = metadata, assign
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.messages: list[str] = []

    def into(self, module: Any, state: Any, prefix: str) -> None:
        """Read the state of a module and of those below it."""
        metadata = {} if self.metadata is None else self.metadata.get(prefix[:-1], {})
        if self.assign:
            metadata["assign_to_params_buffers"] = self.assign
        module._load_from_state_dict(
            state, prefix, metadata, True, self.missing, self.unexpected, self.messages
        )
        for name, child in module._modules.items():
            if child is not None:
                begun = f"{prefix}{name}."
                of_child = {key: value for key, value in state.items() if key.startswith(begun)}
                self.into(child, of_child, begun)
        keys = IncompatibleKeys(self.missing, self.unexpected)
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                    "values, if incompatible_keys need to be modified, it should be done inplace."
                )


def _load_one(module: Any, name: str, key: str, param: Any, given: Any, assign: bool) -> str:
    """Copy one tensor into a parameter or buffer, or put it in its place; returns what is wrong with it, or nothing."""
    if not isinstance(given, Tensor):
        return (
            f'While copying the parameter named "{key}", expected tensorkit.Tensor or Tensor-like object from '
            f"checkpoint but received {type(given)}"
        )
    if not is_lazy(param):
        if param.dim() == 0 and given.shape == (1,):  # as the earliest versions saved numbers
            given = given[0]
        if given.shape != param.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                f"current model is {param.shape}."
            )
    if param.is_meta and not given.is_meta and not assign:
        warn(
            f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
            "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to "
            "their corresponding key in the module instead of copying them in place?)"
        )
    try:
        with no_grad():
            if not assign:
                param.copy_(given)
                return ""
            if isinstance(param, Parameter):
                if isinstance(given, Parameter):
                    given.requires_grad_(param.requires_grad)
                else:
                    given = Parameter(given, requires_grad=param.requires_grad)
            setattr(module, name, given)
    except Exception as error:
        return (
            f'While copying the parameter named "{key}", whose dimensions in the model are {param.size()} and whose '
            f"dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}."
        )
    return ""
