"""`__torch_function__`: how an object of another class answers the functions of tensors that it is given to.

A function looks for it only once its own body has failed on the arguments: a call on tensors pays nothing.

Source: https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-python-api
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tensorkit.dispatch.registry import offered, registry
from tensorkit.tensor import Tensor


def overridden(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any], function: Callable[..., Any] | None = None
) -> Any:
    """What the first argument that has ``__torch_function__`` makes of an operation; `NotImplemented` where none does.

    Args:
        function: the one that was called, where it is at hand.
    """
    found = {type(one): one for one in _arguments((*args, *kwargs.values()))}
    for one in found.values():
        made = one.__torch_function__(function or _function(name), tuple(found), args, kwargs)
        if made is not NotImplemented:
            return made
    if found:
        names = [f"{kind.__module__}.{kind.__qualname__}" for kind in found]
        raise TypeError(
            f"Multiple dispatch failed for 'tensorkit.{name}'; all __torch_function__ handlers returned "
            f"NotImplemented:\n\n{names}"
        )
    return NotImplemented


def _function(name: str) -> Any:
    record = registry.get(name)
    function = offered.get(name) if record is None else record.function
    return getattr(Tensor, name) if function is None else function


def _arguments(values: tuple[Any, ...]) -> Iterator[Any]:
    """Those that have it, and those in lists and tuples that do."""
    for value in values:
        for one in value if isinstance(value, list | tuple) else (value,):
            if hasattr(type(one), "__torch_function__") and not isinstance(one, Tensor):
                yield one
