"""The figures of the lessons: none plays in a browser, and a cell that draws one says so."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.page.lacking import Elsewhere


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return Elsewhere(name)
