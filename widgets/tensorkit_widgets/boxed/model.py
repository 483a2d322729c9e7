"""What a list of numbers is in memory: pointers to boxes, counted as Python itself counts them.

>>> found = measure([1.0, 2.0, float("1")])
>>> found.numbers, len(found.boxes), found.pointers
(3, 3, 24)
>>> same = 7.5
>>> len(measure([same, same]).boxes)
1
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

POINTER = 8
MOST = 100_000
"""Numbers that are counted: the list is read again after every cell, which must not wait for it."""

Number = bool | int | float | complex


@dataclass(frozen=True, slots=True)
class Box:
    """One number as an object of its own: its type, its value, its bytes, and how many places point at it."""

    kind: str
    value: Number
    nbytes: int
    pointed: int


@dataclass(frozen=True, slots=True)
class Listed:
    """One list: its bytes, and what its visible places point at: boxes (``box:3``) or further lists (``list:1``)."""

    length: int
    nbytes: int
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """A list of numbers, measured: the first lists and boxes to draw, and the sums over all of them.

    ``shape`` is the size of the tensor that it makes, None for ragged lists; ``kinds`` has one number of each type;
    ``shared`` counts the places whose box another place points at, too.
    """

    lists: tuple[Listed, ...]
    boxes: tuple[Box, ...]
    numbers: int
    containers: int
    list_bytes: int
    boxed: int
    box_bytes: int
    outer_bytes: int
    shape: tuple[int, ...] | None
    kinds: tuple[Number, ...]
    shared: int = 0

    @property
    def pointers(self) -> int:
        """Bytes of the pointers to the numbers alone."""
        return POINTER * self.numbers

    @property
    def total(self) -> int:
        """Bytes of all lists and all boxes."""
        return self.list_bytes + self.box_bytes


class _Walk:
    """Walks nested lists once, without recursion into numbers."""

    def __init__(self, wide: int, long: int) -> None:
        self.wide, self.long = wide, long
        self.boxes: dict[int, list[Any]] = {}
        self.lists: dict[int, Listed | None] = {}
        self.order: list[int] = []
        self.numbers = self.list_bytes = 0

    def visit(self, found: Any, depth: int) -> str:
        """Count one value; the name of its box or list."""
        if isinstance(found, list | tuple):
            return self._list(found, depth)
        if not isinstance(found, bool | int | float | complex):
            raise TypeError(
                f"a box must hold a number, not {type(found).__name__}: give a list of numbers, or of such lists"
            )
        self.numbers += 1
        if self.numbers > MOST:
            raise ValueError(
                f"there are more than {MOST:,} numbers: give the first of them, such as values[:1000]"
            )
        known = self.boxes.get(id(found))
        if known is None:
            self.boxes[id(found)] = known = [len(self.boxes), found, 0]
        known[2] += 1
        return f"box:{known[0]}"

    def _list(self, found: Any, depth: int) -> str:
        if depth > 32:
            raise ValueError("the lists are nested more than 32 deep")
        if id(found) in self.lists:
            if self.lists[id(found)] is None:
                raise ValueError("a list holds itself: it has no end")
            return f"list:{self.order.index(id(found))}"
        self.lists[id(found)] = None
        number = len(self.order)
        self.order.append(id(found))
        self.list_bytes += sys.getsizeof(found)
        targets = [self.visit(item, depth + 1) for item in found]
        self.lists[id(found)] = Listed(len(found), sys.getsizeof(found), tuple(targets[: self.long]))
        return f"list:{number}"


def measure(values: Any, wide: int = 3, long: int = 6) -> Measured:
    """Walk a list (or lists of lists) of numbers.

    Args:
        values: the list or tuple; it is read, not kept.
        wide: inner lists to draw.
        long: places of each list to draw.

    Raises:
        TypeError: for something else than numbers in lists.
        ValueError: for too many numbers, and for a list that holds itself.
    """
    if not isinstance(values, list | tuple):
        raise TypeError(f"give a list of numbers, not {type(values).__name__}")
    walk = _Walk(wide, long)
    walk.visit(values, 0)
    lists = [walk.lists[key] for key in walk.order]
    boxes = tuple(
        Box(type(value).__name__, value, sys.getsizeof(value), count)
        for _, value, count in walk.boxes.values()
    )
    drawn = tuple(one for one in lists[: wide + 1] if one is not None)
    return Measured(
        drawn, boxes[: wide * long * 2], walk.numbers, len(walk.order), walk.list_bytes, len(boxes),
        sum(box.nbytes for box in boxes), sys.getsizeof(values), _shape(values),
        tuple({box.kind: box.value for box in boxes}.values()), sum(b.pointed for b in boxes if b.pointed > 1),
    )  # fmt: skip


def _shape(values: Any) -> tuple[int, ...] | None:
    """The size of the tensor that these lists make; None for ragged ones."""
    if not isinstance(values, list | tuple):
        return ()
    inner = {_shape(item) for item in values} if values else {()}
    if len(inner) != 1 or None in inner:
        return None
    (one,) = inner
    return None if one is None else (len(values), *one)
