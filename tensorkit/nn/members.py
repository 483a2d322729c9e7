"""What a module keeps, by name: parameters, buffers and other modules, in a dictionary each.

Assigning to an attribute puts a value into the right one, and reading looks into all of them.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tensorkit.nn.hooks import registered
from tensorkit.nn.parameter import Buffer, Parameter
from tensorkit.ops.tensor.queries import typename
from tensorkit.tensor import Tensor

# The attributes that every module has from the beginning, and how each begins; `__setstate__` adds those that were
# not there yet when an old file was written.
BEGINNINGS: dict[str, Callable[[], Any]] = {
    "training": lambda: True,
    "_parameters": dict,
    "_buffers": dict,
    "_non_persistent_buffers_set": set,
    "_backward_pre_hooks": OrderedDict,
    "_backward_hooks": OrderedDict,
    "_is_full_backward_hook": lambda: None,
    "_forward_hooks": OrderedDict,
    "_forward_hooks_with_kwargs": OrderedDict,
    "_forward_hooks_always_called": OrderedDict,
    "_forward_pre_hooks": OrderedDict,
    "_forward_pre_hooks_with_kwargs": OrderedDict,
    "_state_dict_hooks": OrderedDict,
    "_state_dict_pre_hooks": OrderedDict,
    "_load_state_dict_pre_hooks": OrderedDict,
    "_load_state_dict_post_hooks": OrderedDict,
    "_modules": dict,
}


class Members:
    """The part of `Module` that is about its attributes."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            if table in own and name in own[table]:
                return own[table][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        params, buffers, modules = own.get("_parameters"), own.get("_buffers"), own.get("_modules")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif params is not None and name in params:
            _expect_none(value, f"parameter '{name}' (tensorkit.nn.Parameter or None expected)")
            self.register_parameter(name, value)
        elif isinstance(value, Members):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_parameters", "_buffers")
            modules[name] = registered("module", self, name, value)
        elif modules is not None and name in modules:
            _expect_none(value, f"child module '{name}' (tensorkit.nn.Module or None expected)")
            modules[name] = registered("module", self, name, value)
        elif isinstance(value, Buffer) or (buffers is not None and name in buffers):
            self._set_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def _forget(self, name: str, *tables: str) -> None:
        """A name is given to another kind of value."""
        for table in (self.__dict__, *(self.__dict__[table] for table in tables)):
            table.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _set_buffer(self, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"cannot assign '{typename(value)}' as buffer '{name}' "
                "(tensorkit.nn.Buffer, tensorkit.Tensor or None expected)"
            )
        kept = value.persistent if isinstance(value, Buffer) else name not in self._non_persistent_buffers_set  # type: ignore[attr-defined]
        # Some classes have a `register_buffer` of their own, of the years before `persistent`.
        own = type(self).register_buffer is Members.register_buffer
        if own or "persistent" in inspect.signature(self.register_buffer).parameters:
            self.register_buffer(name, value, kept)
        elif kept:
            self.register_buffer(name, value)
        else:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without "
                "the persistent argument is not allowed."
            )

    def __delattr__(self, name: str) -> None:
        for table in (self._parameters, self._buffers, self._modules):
            if name in table:
                del table[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[0].isdigit())

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for attribute, begin in BEGINNINGS.items():
            if attribute not in self.__dict__:
                object.__setattr__(self, attribute, begin())

    # -- registering ------------------------------------------------------------------------------------------------

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the module and is not trained.

        Args:
            name: the name of its attribute.
            tensor: the tensor; None keeps the name free for one.
            persistent: whether it is part of the `state_dict`.

        Raises:
            KeyError: for a name that is taken, is empty or has a point in it. TypeError: for anything but a tensor.

        >>> module = tk.nn.Module()
        >>> module.register_buffer("mean", tk.zeros(2))
        >>> module.mean
        tensor([0., 0.])
        """
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = registered("buffer", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, as assigning it to an attribute does.

        Raises:
            KeyError: for a name that is taken, is empty or has a point in it. TypeError: for anything but a parameter.
            ValueError: for one that was computed.
        """
        self._check_name("parameter", name, "_parameters")
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{typename(param)}' object to parameter '{name}' "
                    "(tensorkit.nn.Parameter or None required)"
                )
            if param.grad_fn:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    f"explicitly. To express '{name}' as a function of another Tensor, compute the value in the "
                    "forward() method."
                )
            param = registered("parameter", self, name, param)
        self._parameters[name] = param

    def _check_name(self, kind: str, name: Any, table: str) -> None:
        if table not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[table]:
            raise KeyError(f"attribute '{name}' already exists")

    def add_module(self, name: str, module: Any) -> None:
        """Add a submodule, as assigning it to an attribute does.

        Raises:
            KeyError: for a name that is taken, is empty or has a point in it. TypeError: for anything but a module.
        """
        if not isinstance(module, Members) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = registered("module", self, name, module)

    def register_module(self, name: str, module: Any) -> None:
        """The same as `add_module`."""
        self.add_module(name, module)

    # -- looking up by a path, such as "encoder.0.weight" -----------------------------------------------------------

    def get_submodule(self, target: str) -> Any:
        """The submodule at a path; the module itself for an empty one.

        Raises:
            AttributeError: where there is none.

        >>> tk.nn.Sequential(tk.nn.Sequential(tk.nn.Identity())).get_submodule("0.0")
        Identity()
        """
        found: Any = self
        for name in target.split(".") if target else ():
            found = _member(found, name)
            if not isinstance(found, Members):
                raise AttributeError("`" + name + "` is not an nn.Module")
        return found

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Replace the module at a path.

        Args:
            strict: whether there must be one already.

        Raises:
            ValueError: for an empty path, or anything but a module. AttributeError: where the path leads nowhere.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Members):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(_member(parent, name), Members):
            raise AttributeError("`" + name + "` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path.

        Raises:
            AttributeError: where there is none.
        """
        path, _, name = target.rpartition(".")
        found = _member(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError("`" + name + "` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path.

        Raises:
            AttributeError: where there is none.
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = _member(module, name)
        if name not in module._buffers:
            raise AttributeError("`" + name + "` is not a buffer")
        return found  # type: ignore[no-any-return]


def _member(module: Any, name: str) -> Any:
    if not hasattr(module, name):
        raise AttributeError(module._get_name() + " has no attribute `" + name + "`")
    return getattr(module, name)


def _expect_none(value: Any, place: str) -> None:
    if value is not None:
        raise TypeError(f"cannot assign '{typename(value)}' as {place}")
