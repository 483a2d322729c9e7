"""Arguments that are one number, or one for each dimension."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def one_each(given: Any, count: int) -> tuple[Any, ...]:
    """What is given, `count` times; or what is in it, if it is a sequence.

    >>> one_each(3, 2), one_each([1, 2], 2)
    ((3, 3), (1, 2))
    """
    return tuple(given) if isinstance(given, Iterable) else (given,) * count
