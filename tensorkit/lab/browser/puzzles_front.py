"""The puzzles of tensorkit that play in a browser: the ladder."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tensorkit_widgets.page.lacking import Elsewhere

_PLAYS = {"Ladder": "ladder", "sitting": "sitting"}

__all__ = list(_PLAYS)


def __getattr__(name: str) -> Any:
    if name in _PLAYS:
        return getattr(import_module(f"tensorkit_widgets.puzzles.{_PLAYS[name]}"), name)
    if name.startswith("_"):
        raise AttributeError(name)
    return Elsewhere(name)
