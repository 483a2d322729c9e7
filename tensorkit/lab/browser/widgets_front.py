"""The widgets of tensorkit that play in a browser, each imported when it is first named."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tensorkit_widgets.page.lacking import Elsewhere

_PLAYS = {
    "BitView": "bits.widget",
    "BroadcastExplorer": "broadcast.widget",
    "Exercise": "practice.exercise",
    "IndexExplorer": "indexing.widget",
    "MatmulExplorer": "matmul.widget",
    "Parsons": "practice.parsons.widget",
    "Predict": "practice.predict",
    "Quiz": "practice.quiz",
    "ReductionExplorer": "reduction.widget",
    "StrideExplorer": "stride_explorer.widget",
    "forget": "practice.progress_report",
    "progress": "practice.progress_report",
    "review": "practice.progress.review",
}

__all__ = list(_PLAYS)


def __getattr__(name: str) -> Any:
    if name in _PLAYS:
        return getattr(import_module(f"tensorkit_widgets.{_PLAYS[name]}"), name)
    if name.startswith("_"):
        raise AttributeError(name)
    return Elsewhere(name)


def __dir__() -> list[str]:
    return sorted(__all__)
