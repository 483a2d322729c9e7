"""What a closed picture keeps of a tensor: a way to find it again, for as long as somebody else holds it.

>>> import numpy
>>> x = numpy.arange(3)
>>> found = remembered((x, "x"))
>>> found()[1]
'x'
>>> del x
>>> found()
Traceback (most recent call last):
tensorkit_widgets.widget.let_go.Gone: this picture was closed, and what it showed is gone: make the picture again
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any


class Gone(RuntimeError):
    """What a closed picture showed is no more."""

    def __init__(self) -> None:
        super().__init__("this picture was closed, and what it showed is gone: make the picture again")


def remembered(value: Any) -> Callable[[], Any]:
    """What finds a value again without holding it; it raises `Gone` when nobody else held it either."""
    if value is None or isinstance(value, int | float | complex | str):
        return lambda: value
    if type(value) is tuple:
        parts = [remembered(part) for part in value]
        return lambda: tuple(part() for part in parts)
    if hasattr(value, "remembered"):
        way: Callable[[], Any] = value.remembered()
        return way
    try:
        held: Callable[[], Any] = weakref.ref(value)
    except TypeError:  # a list, or what was made for the picture alone
        held = _nothing

    def find() -> Any:
        found = held()
        if found is None:
            raise Gone
        return found

    return find


def _nothing() -> None:
    return None
