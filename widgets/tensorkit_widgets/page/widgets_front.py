"""The widgets of tensorkit in a browser: those that play are imported when they are first named."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tensorkit_widgets.page.lacking import Elsewhere

PLAYS = {
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
"""Where each is that plays."""

ELSEWHERE = frozenset(
    {
        "BoxedMemory",
        "ConvExplorer",
        "DeviceMap",
        "GeneratorStream",
        "GraphView",
        "ImageView",
        "KernelTracer",
        "MemoryMap",
        "SetupReport",
        "ShardMap",
        "Timeline",
        "Trace",
        "TrainingView",
        "explain",
        "plot_bits",
        "plot_images",
        "plot_storage",
        "plot_timing",
        "timeline",
        "trace",
    }
)
"""What needs the whole engine: a lesson may import it, and the cell that uses it says so."""


def __getattr__(name: str) -> Any:
    if name in PLAYS:
        return getattr(import_module(f"tensorkit_widgets.{PLAYS[name]}"), name)
    if name in ELSEWHERE:
        return Elsewhere(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*PLAYS, *ELSEWHERE})
