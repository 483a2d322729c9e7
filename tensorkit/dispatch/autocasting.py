"""What `amp.autocast` has set for this thread; what is cast is listed in `amp`, which is loaded when it is used."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tensorkit.dtypes import bfloat16, dtype, float16
from tensorkit.tensor import Tensor

DTYPES = {"cpu": bfloat16, "cuda": float16}
"""The dtypes that a region has if it names none, for each kind of device that can have one."""
Call = tuple[tuple[Any, ...], dict[str, Any]]


class State(threading.local):
    """For each kind of device whether a region is enabled, and its dtype; and the casts of weights that are kept."""

    def __init__(self) -> None:
        self.enabled = dict.fromkeys(DTYPES, False)
        self.dtypes = dict(DTYPES)
        self.cached = True
        self.depth = 0
        self.kept: dict[tuple[int, dtype], tuple[Tensor, Tensor]] = {}

    def any(self) -> bool:
        """Whether some region is enabled."""
        return True in self.enabled.values()


state = State()
_cast: Callable[[str, tuple[Any, ...], dict[str, Any]], Call] | None = None


def register_cast(cast: Callable[[str, tuple[Any, ...], dict[str, Any]], Call]) -> None:
    """``amp`` registers what it makes of the arguments of an operation."""
    global _cast  # set once, when `amp` is imported
    _cast = cast


def cast_for(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """The arguments of an operation, or of a function that is listed like one, as it is to be called."""
    return (args, kwargs) if _cast is None else _cast(name, args, kwargs)
