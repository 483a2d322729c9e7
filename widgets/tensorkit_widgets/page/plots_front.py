"""The figures of the lessons: none is drawn in a browser, which has no matplotlib."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.page.lacking import Elsewhere

ELSEWHERE = frozenset(
    {
        "plot_bits",
        "plot_images",
        "plot_storage",
        "plot_timing",
    }
)
"""What needs the whole engine: a lesson may import it, and the cell that uses it says so."""


def __getattr__(name: str) -> Any:
    if name in ELSEWHERE:
        return Elsewhere(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(ELSEWHERE)
