"""The puzzles of tensorkit in a browser: the ladder plays."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tensorkit_widgets.page.lacking import Elsewhere

PLAYS = {
    "Ladder": "ladder",
    "sitting": "sitting",
}
"""Where each is that plays."""

ELSEWHERE = frozenset(
    {
        "Restricted",
        "compare",
    }
)
"""What needs the whole engine: a lesson may import it, and the cell that uses it says so."""


def __getattr__(name: str) -> Any:
    if name in PLAYS:
        return getattr(import_module(f"tensorkit_widgets.puzzles.{PLAYS[name]}"), name)
    if name in ELSEWHERE:
        return Elsewhere(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*PLAYS, *ELSEWHERE})
