"""What was made of a layout before, kept on it: a loop asks for the same few views again and again.

Only layouts that others know too keep anything: those of fresh tensors, one for all of a size, and those that were
made of them. Whatever depends on a layout and a key alone may be kept: views, NumPy's steps in bytes, a node's class.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from tensorkit.strides.layout import Layout

_KEPT = 64  # things that a layout keeps
_Function = TypeVar("_Function", bound=Callable[..., Any])


def remembered(layout: Layout, key: Any, make: Callable[[Layout, Any], Any]) -> Any:
    """``make(layout, key)``, or what it made of them before; of a layout that no other knows it is not kept."""
    memo = layout._memo
    if memo is None:
        return make(layout, key)
    found = memo.get(key)
    if found is None:
        found = make(layout, key)
        keep(layout, key, found)
    return found


def keep(layout: Layout, key: Any, value: Any) -> None:
    """Keep what was made of a layout; a layout that is kept so keeps what is made of it, too."""
    if layout._memo is None or len(layout._memo) >= _KEPT:
        layout._memo = {}
    layout._memo[key] = value
    if value.__class__ is Layout and value._memo is None:
        value._memo = {}


def remembering(function: _Function) -> _Function:
    """A function of a layout that remembers what it made of it for arguments that are integers."""

    def make(layout: Layout, key: Any) -> Any:
        return function(layout, *key[1])

    @functools.wraps(function)
    def remembering(layout: Layout, *args: Any, **kwargs: Any) -> Any:
        if kwargs or any(value.__class__ is not int for value in args):
            return function(layout, *args, **kwargs)
        return remembered(layout, (function, args), make)

    return cast(_Function, remembering)
