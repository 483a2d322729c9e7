"""Widgets that draw live tensors: `StrideExplorer`, `GraphView`; `Predict` and `Exercise` to learn by them."""

from typing import Any

from tensorkit_widgets import explain_magic, live, memory_magic, tracebacks
from tensorkit_widgets.bit_view import BitView
from tensorkit_widgets.boxed_memory import BoxedMemory
from tensorkit_widgets.broadcast_explorer import BroadcastExplorer
from tensorkit_widgets.exercise import Exercise
from tensorkit_widgets.explain import explain
from tensorkit_widgets.graph_view import GraphView
from tensorkit_widgets.image_view import ImageView
from tensorkit_widgets.index_explorer import IndexExplorer
from tensorkit_widgets.matmul_explorer import MatmulExplorer
from tensorkit_widgets.memory_map import MemoryMap
from tensorkit_widgets.parsons import Parsons
from tensorkit_widgets.plots import plot_bits, plot_images, plot_storage, plot_timing
from tensorkit_widgets.predict import Predict
from tensorkit_widgets.progress_report import forget, progress
from tensorkit_widgets.quiz import Quiz
from tensorkit_widgets.reduction_explorer import ReductionExplorer
from tensorkit_widgets.setup_report import SetupReport
from tensorkit_widgets.stride_explorer import StrideExplorer
from tensorkit_widgets.trace import Trace, trace

__all__ = [
    "BitView",
    "BoxedMemory",
    "BroadcastExplorer",
    "Exercise",
    "GraphView",
    "ImageView",
    "IndexExplorer",
    "MatmulExplorer",
    "MemoryMap",
    "Parsons",
    "Predict",
    "Quiz",
    "ReductionExplorer",
    "SetupReport",
    "StrideExplorer",
    "Trace",
    "explain",
    "forget",
    "load_ipython_extension",
    "plot_bits",
    "plot_images",
    "plot_storage",
    "plot_timing",
    "progress",
    "trace",
    "unload_ipython_extension",
]


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext tensorkit_widgets``: learn ``%memory_map`` and ``%%explain``."""
    memory_magic.register(shell)
    explain_magic.register(shell)


def unload_ipython_extension(shell: Any) -> None:
    """``%unload_ext tensorkit_widgets``: close the memory map, and forget the magics."""
    memory_magic.remove(shell)
    explain_magic.remove(shell)


tracebacks.shorten(live._shell())
