"""Modules that hold other modules: in a row, in a list, in a dictionary.

Source: https://docs.pytorch.org/docs/stable/nn.html#containers
"""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, islice
from typing import Any, Self

from tensorkit.errors import warn
from tensorkit.nn.module import Module

__all__ = ["Container", "ModuleDict", "ModuleList", "Numbered", "Sequential", "pairs"]


def __dir__() -> list[str]:
    return __all__


class Container(Module):
    """A module of named modules, as code of earlier years makes it; today that is `Module` itself.

    Source: https://github.com/pytorch/pytorch/blob/v2.13.0/torch/nn/modules/container.py
    """

    def __init__(self, **kwargs: Any) -> None:
        warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that "
            "instead.",
            FutureWarning,
        )
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


class Numbered(Module):
    """What the containers share whose modules or parameters are named by their places: "0", "1" and so on."""

    def _name_at(self, idx: Any) -> str:
        """The name at a place, which may be counted from the end."""
        idx = operator.index(idx)
        if not -len(self) <= idx < len(self):
            raise IndexError(f"index {idx} is out of range")
        return str(idx % len(self))

    def _renumber(self) -> None:
        self._modules = OrderedDict((str(place), module) for place, module in enumerate(self))

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]


class Sequential(Numbered):
    """Modules that are called one after another, each with what the one before returned.

    Args:
        args: the modules; or one ``OrderedDict`` of them, which gives them names.

    >>> net = tk.nn.Sequential(tk.nn.Identity(), tk.nn.Flatten())
    >>> net(tk.zeros(2, 3, 4)).shape
    tensorkit.Size([2, 12])
    >>> net[1:]
    Sequential(
      (1): Flatten(start_dim=1, end_dim=-1)
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named: Iterable[tuple[str, Any]] = args[0].items()
        else:
            named = ((str(place), module) for place, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        """Call the modules in their order."""
        for module in self:
            input = module(input)
        return input

    def _name_at(self, idx: Any) -> str:
        return next(islice(self._modules, int(super()._name_at(idx)), None))  # they may have other names

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._name_at(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._name_at(idx), module)

    def __delitem__(self, idx: Any) -> None:
        for name in list(self._modules)[idx] if isinstance(idx, slice) else [self._name_at(idx)]:
            delattr(self, name)
        self._renumber()

    def pop(self, key: Any) -> Any:
        """Take out the module at a place, or a slice of modules, and return it."""
        taken = self[key]
        del self[key]
        return taken

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Put a module before the one at a place.

        Raises:
            IndexError: for a place that is not there. AssertionError: for anything but a module.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        count = len(self)
        if not -count <= index <= count:
            raise IndexError(f"Index out of range: {index}")
        _insert(self._modules, index + count if index < 0 else index, module)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Add the modules of another container, or any others, at the end."""
        for module in sequential:
            self.append(module)
        return self

    def __add__(self, other: Any) -> Sequential:
        _expect_sequential(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Self:
        _expect_sequential(other)
        return self.extend(list(other))

    def __mul__(self, other: int) -> Sequential:
        self._expect_count(other)
        return Sequential(*list(self) * other)

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        self._expect_count(other)
        return self.extend(list(self) * (other - 1))

    def _expect_count(self, other: Any) -> None:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")


def _expect_sequential(other: Any) -> None:
    if not isinstance(other, Sequential):
        raise ValueError(
            f"add operator supports only objects of Sequential class, but {type(other)} is given."
        )


def _insert(modules: dict[str, Any], index: int, module: Any) -> None:
    """Make room at a place among numbered modules."""
    for place in range(len(modules), index, -1):
        modules[str(place)] = modules[str(place - 1)]
    modules[str(index)] = module


class ModuleList(Numbered):
    """Modules in a list; what is done with them is up to the ``forward`` of the module that has it.

    Args:
        modules: the modules.

    >>> tk.nn.ModuleList([tk.nn.Identity(), tk.nn.Identity(), tk.nn.Flatten()])
    ModuleList(
      (0-1): 2 x Identity()
      (2): Flatten(start_dim=1, end_dim=-1)
    )
    """

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self)[idx])
        return self._modules[self._name_at(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._name_at(idx), module)

    def __delitem__(self, idx: Any) -> None:
        for name in map(str, range(len(self))[idx]) if isinstance(idx, slice) else [self._name_at(idx)]:
            delattr(self, name)
        self._renumber()

    pop = Sequential.pop

    def append(self, module: Any) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at a place."""
        _insert(self._modules, index, module)

    def extend(self, modules: Iterable[Any]) -> Self:
        """Add modules at the end.

        Raises:
            TypeError: for anything that is not iterable.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        first = len(self)
        for place, module in enumerate(modules):
            self.add_module(str(first + place), module)
        return self

    def __iadd__(self, modules: Iterable[Any]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Any]) -> ModuleList:
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        """Neighbours with the same text come once."""
        lines, first = [], 0
        for text, alike in groupby(map(repr, self)):
            count = len(list(alike))
            line = f"({first}): {text}" if count == 1 else f"({first}-{first + count - 1}): {count} x {text}"
            lines.append(line.replace("\n", "\n  "))
            first += count
        return self._get_name() + ("(\n  " + "\n  ".join(lines) + "\n)" if lines else "()")


class ModuleDict(Module):
    """Modules in a dictionary, which keeps their order; what is done with them is up to who has it.

    Args:
        modules: a mapping, or pairs of a name and a module.

    >>> parts = tk.nn.ModuleDict({"flat": tk.nn.Flatten()})
    >>> parts["same"] = tk.nn.Identity()
    >>> list(parts)
    ['flat', 'same']
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Any) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Take out the module of a name and return it."""
        taken = self[key]
        del self[key]
        return taken

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def items(self) -> Any:
        """The names with the modules."""
        return self._modules.items()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add the modules of a mapping, or pairs of a name and a module.

        Raises:
            TypeError: for anything that is not iterable. ValueError: for anything but pairs.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(modules).__name__}"
            )
        if isinstance(modules, (ModuleDict, Mapping)):
            modules = modules.items()
        else:
            modules = pairs("ModuleDict", modules)
        for name, module in modules:
            self[name] = module


def pairs(kind: str, values: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """What is to be pairs of a name and a value."""
    for place, pair in enumerate(values):
        if not isinstance(pair, Iterable):
            raise TypeError(
                f"{kind} update sequence element #{place} should be Iterable; is{type(pair).__name__}"
            )
        length = len(pair)  # type: ignore[arg-type]
        if length != 2:
            raise ValueError(f"{kind} update sequence element #{place} has length {length}; 2 is required")
        yield pair[0], pair[1]  # type: ignore[index]
