"""Shortcuts: what an operation asks before all else where nobody listens and there are no keywords.

Each operation has an empty `Slot`; the wing ``shortcuts/``, which nothing below imports, fills some of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

Ask = Callable[..., Any]


@dataclass(slots=True, eq=False)
class Slot:
    """The place for the shortcut of one operation.

    Attributes:
        ask: takes whatever the operation is given, and returns None where it does not know the result at once, or an
            operand may want a gradient; None while the place is empty.
    """

    ask: Ask | None = None


class Shortcut(NamedTuple):
    """A shortcut of the operation `name`, and the row of the benchmarks that it buys."""

    name: str
    ask: Ask
    buys: str


declared: list[Shortcut] = []


def shortcut(name: str, *, buys: str) -> Callable[[Ask], Ask]:
    """Declare the decorated function as the shortcut of an operation; ``shortcuts.fill`` puts it into its slot.

    Args:
        name: the operation, as the registry has it.
        buys: the row of the committed benchmarks that is slower without it.
    """

    def declare(ask: Ask) -> Ask:
        declared.append(Shortcut(name, ask, buys))
        return ask

    return declare
