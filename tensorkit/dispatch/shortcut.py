"""Shortcuts: what is asked before the engine computes, and answers for common operands of few elements.

The wing ``shortcuts/``, which nothing below imports, fills the slots. There are two kinds:

    of a call    asked before all else, where nothing is traced, no operand wants a gradient and all arguments are
                 positional; every operation has one
    of values    asked in place of a function's body, whether the call is recorded or not; `shortened` makes one
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
Ask = Callable[..., Any]


@dataclass(slots=True, eq=False)
class Slot:
    """The place for one shortcut.

    Attributes:
        ask: takes the arguments of a call, whatever they are, and returns None where it does not know the result; that
            of a call returns None where an operand may want a gradient too. None while the place is empty.
    """

    ask: Ask | None = None


calls: dict[str, Slot] = {}
"""The slots of calls, by the name of the operation."""
values: dict[str, Slot] = {}
"""The slots of values, by the name that `shortened` was given."""


def shortened(name: str) -> Callable[[F], F]:
    """Let a shortcut answer in place of the decorated function.

    Args:
        name: the operation, or a name for a function that operations share.
    """
    slot = values[name] = Slot()

    def around(body: F) -> F:
        @functools.wraps(body)
        def run(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            if (ask := slot.ask) is not None and (made := ask(*args, **kwargs)) is not None:
                return made
            return body(*args, **kwargs)

        return cast(F, run)

    return around


class Shortcut(NamedTuple):
    """A declared shortcut: the slot that it fills, and the row of the benchmarks that it buys."""

    name: str
    ask: Ask
    buys: str
    of_values: bool

    def slot(self) -> Slot:
        return (values if self.of_values else calls)[self.name]


declared: list[Shortcut] = []


def shortcut(name: str, *, buys: str, of_values: bool = False) -> Callable[[Ask], Ask]:
    """Declare the decorated function as a shortcut; ``shortcuts.fill`` puts it into its slot.

    Args:
        name: the operation, as the registry has it, or the name that `shortened` was given.
        buys: the row of the committed benchmarks that is slower without it.
        of_values: whether it fills the slot that `shortened` made.
    """

    def declare(ask: Ask) -> Ask:
        declared.append(Shortcut(name, ask, buys, of_values))
        return ask

    return declare
