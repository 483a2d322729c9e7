"""Containers with other members: what collating, converting and pinning give back for a mapping or a sequence."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

__all__ = ["mapping_like", "sequence_like"]


def __dir__() -> list[str]:
    return __all__


def mapping_like(model: Mapping[Any, Any], members: dict[Any, Any]) -> Any:
    """A mapping of the class of `model` with these members; a plain dict where its class cannot be made so.

    >>> from collections import OrderedDict
    >>> mapping_like(OrderedDict(a=1), {"a": 2})
    OrderedDict([('a', 2)])
    """
    try:
        if not isinstance(model, MutableMapping):
            return type(model)(members)  # type: ignore[call-arg]
        made = copy.copy(model)  # it may hold more than its members
        made.update(members)
        return made
    except TypeError:
        return members


def sequence_like(model: Sequence[Any], members: list[Any]) -> Any:
    """A sequence of the class of `model` with these members; a plain list where its class cannot be made so.

    >>> sequence_like(range(2), [5, 6])
    [5, 6]
    """
    try:
        if not isinstance(model, MutableSequence):
            return type(model)(members)  # type: ignore[call-arg]
        made = copy.copy(model)
        for place, member in enumerate(members):
            made[place] = member
        return made
    except TypeError:
        return members
