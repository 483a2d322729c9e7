"""How a view is called as a method: the fast way over layouts that are remembered."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tensorkit import tracing
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import MISREAD
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.registry import F
from tensorkit.strides.layout import Layout
from tensorkit.strides.view_cache import keep
from tensorkit.tensor import Tensor


def by_layout(body: F) -> F:
    """Declare that the result of a view follows from its tensor's layout and the integers given alone."""
    body.__dict__["__by_layout__"] = True
    return body


def _layout_of_view(input: Tensor, out: Any) -> Layout | None:
    """The layout of a result that differs in nothing else from its tensor; None for any other."""
    if type(out) is not Tensor or out is input or out._storage is not input._storage:
        return None
    plain = out._autograd is None and out._base is (input if input._base is None else input._base)
    return out._layout if plain else None


def remembering(body: Callable[..., Any]) -> Callable[..., Any]:
    """The body of a view declared `by_layout`: the layout that some integers gave once, they give again."""

    @functools.wraps(body)
    def remembering(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        if kwargs or not isinstance(input, Tensor):
            return body(input, *args, **kwargs)
        for value in args:
            if value.__class__ is not int and not _are_integers(value):
                return body(input, *args)
        layout = input._layout
        if layout is None:
            layout = input._lay()
        memo = layout._memo
        if memo is None:  # this layout may never be asked again
            return body(input, *args)
        key = (body, args)
        found = memo.get(key)
        if found is not None:
            return input._view(found)
        out = body(input, *args)
        found = _layout_of_view(input, out)
        if found is not None:
            keep(layout, key, found)
        return out

    return remembering


def _are_integers(value: Any) -> bool:
    return value.__class__ is tuple and all(part.__class__ is int for part in value)


def view_method(name: str, body: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    """`traced_method` of a view declared `by_layout`.

    Args:
        plain: what runs where no gradient is wanted.
    """
    quick = remembering(plain)
    long = traced_method(name, body, quick)

    @functools.wraps(body)
    def method(self: Any = None, /, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if kwargs or tracing.active or not isinstance(self, Tensor):
            return long(self, *args, **kwargs)
        if wants_grad(self):
            try:
                return body(self, *args)
            except MISREAD:
                pass
            return long(self, *args)  # which says why
        # `remembered`, inlined.
        layout = self._layout
        if layout is not None:
            memo = layout._memo
            if memo is not None:
                for value in args:
                    if value.__class__ is not int and not _are_integers(value):
                        break
                else:
                    found = memo.get((plain, args))
                    if found is not None:
                        return self._view(found)
        return long(self, *args)

    return method
