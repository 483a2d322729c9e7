"""Sizes and dimensions as callers give them: in one sequence, or as integers one by one."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from tensorkit.dispatch.signatures import type_name

Dims = int | Sequence[int]


def counted(value: Any) -> Any:
    """An integer, NumPy's or the one in a tensor, as Python's; anything else as it is.

    >>> import numpy
    >>> counted(numpy.int64(2)), counted((0, 1)), counted(2.5)
    (2, (0, 1), 2.5)
    """
    if type(value) is int or isinstance(value, (bool, tuple, list)):
        return value
    try:
        return operator.index(value)
    except TypeError:
        return value


def in_64_bits(value: Any) -> Any:
    """The value itself, unless it is an integer of more than 64 bits."""
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    return value


def as_ints(values: Any, name: str, argument: str = "size", position: int = 1) -> tuple[int, ...]:
    """A size or list of dimensions, given as one sequence or as several integers.

    Raises:
        TypeError: for anything but an integer, in PyTorch's words.
    """
    listed = len(values) == 1 and isinstance(values[0], (tuple, list))
    if listed:
        values = values[0]
    for value in values:
        if type(value) is not int:
            break
    else:
        return tuple(values)
    result = []
    for place, value in enumerate(values):
        if type(value) is not int:
            value = _as_int(value, name, argument, place, 0 if listed else len(values), position)
        result.append(value)
    return tuple(result)


def listed_ints(given: Any, name: str, argument: str, position: int) -> tuple[int, ...]:
    """Like `as_ints`, of one sequence: a lone integer is taken by some methods, and by no function.

    Raises:
        TypeError: for a lone integer or anything else but a sequence of integers, in PyTorch's words.
    """
    if not isinstance(given, (tuple, list)):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be tuple of ints, "
            f"not {type_name(given)}"
        )
    return as_ints((given,), name, argument, position)


def _as_int(value: Any, name: str, argument: str, place: int, count: int, position: int) -> int:
    """One of `count` integers written one by one, or of a sequence (`count` 0)."""
    if place or not isinstance(value, bool):
        try:
            return int(value.__index__())
        except (AttributeError, TypeError):
            pass  # neither an integer nor something that can stand for one: refused below
    kind = type_name(value)
    if place == 0 and count > 1:  # only integers may be written one by one
        raise TypeError(f"{name}() takes 1 positional argument but {count} were given")
    if place == 0:  # PyTorch looks at the first alone before it takes them all
        found = f"not {kind}" if count else f"but found element of type {kind} at pos 0"
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be tuple of ints, {found}"
        )
    raise TypeError(
        f"{name}(): argument '{argument}' failed to unpack the object at pos {place + 1} with error "
        f'"type must be tuple of ints,but got {kind}"'
    )
