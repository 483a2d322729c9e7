"""PyTorch's names for tensorkit: inside `aliases`, ``import torch`` gives tensorkit, and ``torchvision`` its `vision`.

A program that was written for PyTorch then runs unchanged: ``tensorkit run train.py`` does so, and in a notebook

    %load_ext tensorkit.torch

and ``%unload_ext tensorkit.torch`` ends it. Nothing is changed outside: a PyTorch that is installed is imported again
as before.

>>> with aliases():
...     import torch
...     from torch import nn
...     print(torch.arange(3), nn.__name__, torch.__version__)
tensor([0, 1, 2]) tensorkit.nn 2.13.0

Modules below ``torch`` are tensorkit's own, the same objects under a second name. ``torch`` itself is a front of its
own, since it says which version of PyTorch tensorkit behaves as.
"""

from __future__ import annotations

import importlib
import multiprocessing.spawn
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from tensorkit.version import TensorkitVersion

__all__ = ["HOMES", "aliases", "load_ipython_extension", "unload_ipython_extension"]


def __dir__() -> list[str]:
    return __all__


#: Which module is imported instead of which.
HOMES = {"torch": "tensorkit", "torchvision": "tensorkit.vision"}
#: The releases whose behaviour tensorkit has, which programs ask for and compare.
VERSIONS = {"torch": "2.13.0", "torchvision": "0.28.0"}


class _Front(ModuleType):
    """``torch`` or ``torchvision`` itself: the names of tensorkit, and PyTorch's version.

    What a program assigns to it (``torch.answer = 42``) stays here, and goes when the aliases end.
    """

    def __init__(self, name: str) -> None:
        home = importlib.import_module(HOMES[name])
        super().__init__(name, home.__doc__)
        self.__dict__.update(_home=home, __path__=[], __version__=TensorkitVersion(VERSIONS[name]))

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._home, name)
        except AttributeError:
            raise AttributeError(f"module {self.__name__!r} of tensorkit has no attribute {name!r}") from None

    def __dir__(self) -> list[str]:
        return sorted({*dir(self._home), *self.__dict__})


def _root(name: str) -> str:
    return name.partition(".")[0]


class _Finder(MetaPathFinder, Loader):
    """Finds tensorkit's module for each of PyTorch's names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Say what is imported under a name of PyTorch's; None leaves it to those who find other modules."""
        root = _root(fullname)
        if root not in HOMES:
            return None
        if fullname == root:
            return ModuleSpec(fullname, self, loader_state=(_Front(root), None), is_package=True)
        home = HOMES[root] + fullname.removeprefix(root)
        try:
            module = importlib.import_module(home)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{home}.".startswith(f"{error.name}."):
                raise  # the module is there, and lacks something that it needs
            return None
        state = module, module.__spec__
        return ModuleSpec(fullname, self, loader_state=state, is_package=hasattr(module, "__path__"))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module that is there already."""
        module: ModuleType = spec.loader_state[0]
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing; give back to the module what the import wrote into it, and name those that it has inside."""
        alias = module.__spec__
        assert alias is not None
        if isinstance(module, _Front):
            return
        module.__spec__ = alias.loader_state[1]
        # Modules such as `nn.modules.linear` are registered by hand, below a module that is not a package.
        inside = f"{module.__name__}."
        for name, one in list(sys.modules.items()):
            if name.startswith(inside) and isinstance(one, ModuleType):
                sys.modules.setdefault(f"{alias.name}.{name.removeprefix(inside)}", one)


def _taken() -> dict[str, ModuleType]:
    """Take PyTorch's modules, or ours under their names, out of those that Python knows."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if _root(name) in HOMES}


class _Aliased:
    """Code that a fresh Python runs before it imports the program: it begins as this one did."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _begin_in_a_child, ()


def _begin_in_a_child() -> None:
    _begin()


_preparation = multiprocessing.spawn.get_preparation_data


def _prepared(name: str) -> dict[str, Any]:
    """What `multiprocessing` tells a process that it starts, with the aliases."""
    return {**_preparation(name), "tensorkit": _Aliased()}


def _begin() -> tuple[_Finder, dict[str, ModuleType]]:
    before, finder = _taken(), _Finder()
    sys.meta_path.insert(0, finder)
    multiprocessing.spawn.get_preparation_data = _prepared
    return finder, before


def _end(finder: _Finder, before: dict[str, ModuleType]) -> None:
    sys.meta_path.remove(finder)
    if not any(isinstance(one, _Finder) for one in sys.meta_path):
        multiprocessing.spawn.get_preparation_data = _preparation
    _taken()
    sys.modules.update(before)


@contextmanager
def aliases() -> Iterator[None]:
    """A context manager in which ``torch`` and ``torchvision`` are imported as tensorkit.

    PyTorch itself, where it was imported before, is out of the way meanwhile and comes back at the end.

    >>> with aliases():
    ...     import torch.utils.data
    ...     torch.utils.data.Dataset is tk.utils.data.Dataset
    True
    """
    begun = _begin()
    try:
        yield
    finally:
        _end(*begun)


_loaded: list[tuple[_Finder, dict[str, ModuleType]]] = []


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext tensorkit.torch``: from here on the notebook's ``import torch`` gives tensorkit."""
    if not _loaded:
        _loaded.append(_begin())
        if "torch" in _loaded[0][1]:
            print("PyTorch was imported before: what has its name keeps it until it is imported again.")


def unload_ipython_extension(shell: Any) -> None:
    """``%unload_ext tensorkit.torch``: imports are again what they were."""
    while _loaded:
        _end(*_loaded.pop())
