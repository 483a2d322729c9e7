"""What only saves time, for common operands of few elements: the engine gives the same results without it.

An operation asks its shortcut first where nothing is traced. The shortcut returns None for what it does not know, and
the call goes on through the operation itself. Nothing below imports this folder: it fills in what is empty. With the
environment variable ``TENSORKIT_SHORTCUTS=0`` all stay empty, and every call can be followed along one path.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from tensorkit.dispatch.shortcut import declared
from tensorkit.shortcuts import (  # noqa: F401 - each declares its shortcuts
    choosing,
    copies,
    creation,
    held_numbers,
    indexing,
    joining,
    pointwise,
    products,
    random,
    reduction,
    sorting,
    special,
)


def fill() -> None:
    """Fill in all shortcuts, unless the environment says ``TENSORKIT_SHORTCUTS=0``."""
    if os.environ.get("TENSORKIT_SHORTCUTS") != "0":
        pointwise.fill()
        _fill_slots()


def _fill_slots() -> None:
    for one in declared:
        one.slot().ask = one.ask


@contextmanager
def without() -> Iterator[None]:
    """Leave all shortcuts out for a while: every call goes through its operation.

    >>> from tensorkit import shortcuts
    >>> with shortcuts.without():
    ...     tk.tensor([1.0, 2.0]) + 1
    tensor([2., 3.])
    """
    slots = pointwise.slots()
    kept = [(slot.new, slot.into, slot.changing, slot.turned) for slot in slots]
    asked = [one.slot() for one in declared]
    held = [slot.ask for slot in asked]
    for slot in slots:
        slot.clear()
    for empty in asked:
        empty.ask = None
    try:
        yield
    finally:
        for slot, ways in zip(slots, kept, strict=True):
            slot.new, slot.into, slot.changing, slot.turned = ways
        for empty, ask in zip(asked, held, strict=True):
            empty.ask = ask
