"""`Size`: how a tensor shows its size.

How sizes are computed is in `tensorkit.strides.sizes`, on plain tuples.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex

from tensorkit.errors import Spoken


class Size(tuple[int, ...], metaclass=Spoken):
    """The size of a tensor: a tuple of integers that prints as PyTorch's and counts its elements.

    >>> tk.Size([2, 3]), tk.Size([2, 3]).numel(), tk.Size([2, 3])[1:]
    (tensorkit.Size([2, 3]), 6, tensorkit.Size([3]))
    """

    __slots__ = ()

    def numel(self) -> int:
        """How many elements a tensor of this size has."""
        count = 1
        for length in self:
            count *= length
        return count

    def __new__(cls, *given: Iterable[Any], **named: Any) -> Size:
        """Made from any iterable; its members must be integers."""
        if named or len(given) > 1:
            tuple(*given, **named)  # says what is wrong
        whole = []
        lengths: Iterable[Any] = given[0] if given else ()
        for place, length in enumerate(lengths):
            try:
                whole.append(int(operator.index(length)))
            except TypeError:
                raise TypeError(
                    f"tensorkit.Size() takes an iterable of 'int' (item {place} is '{type(length).__name__}')"
                ) from None
        return tuple.__new__(cls, whole)

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        picked: Any = tuple.__getitem__(self, index)
        return tuple.__new__(Size, picked) if isinstance(index, slice) else picked

    def __add__(self, other: tuple[Any, ...]) -> Any:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to tensorkit.Size")
        return tuple.__new__(Size, tuple.__add__(self, other))

    def __radd__(self, other: tuple[Any, ...]) -> Any:
        return tuple.__new__(Size, tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> Size:
        return tuple.__new__(Size, tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"tensorkit.Size({list(self)})"

    def __reduce__(self) -> tuple[type, tuple[tuple[int, ...]]]:
        return Size, (tuple(self),)
