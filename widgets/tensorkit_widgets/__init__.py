"""Widgets that draw live tensors: `StrideExplorer`, `GraphView`; `Predict` and `Exercise` to learn by them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.bits.widget import BitView
from tensorkit_widgets.boxed.widget import BoxedMemory
from tensorkit_widgets.broadcast.widget import BroadcastExplorer
from tensorkit_widgets.conv.widget import ConvExplorer
from tensorkit_widgets.device_map.widget import DeviceMap
from tensorkit_widgets.generator_stream.widget import GeneratorStream
from tensorkit_widgets.graph.widget import GraphView
from tensorkit_widgets.image.widget import ImageView
from tensorkit_widgets.indexing.widget import IndexExplorer
from tensorkit_widgets.kernel_tracer.widget import KernelTracer
from tensorkit_widgets.matmul.widget import MatmulExplorer
from tensorkit_widgets.memory import magic as memory_magic
from tensorkit_widgets.memory.widget import MemoryMap
from tensorkit_widgets.plots import plot_bits, plot_images, plot_storage, plot_timing
from tensorkit_widgets.practice.exercise import Exercise
from tensorkit_widgets.practice.parsons.widget import Parsons
from tensorkit_widgets.practice.predict import Predict
from tensorkit_widgets.practice.progress.review import review
from tensorkit_widgets.practice.progress_report import forget, progress
from tensorkit_widgets.practice.quiz import Quiz
from tensorkit_widgets.practice.setup_report import SetupReport
from tensorkit_widgets.reduction.widget import ReductionExplorer
from tensorkit_widgets.shard_map.widget import ShardMap
from tensorkit_widgets.stride_explorer.widget import StrideExplorer
from tensorkit_widgets.timeline.widget import Timeline, timeline
from tensorkit_widgets.tracing import magic as explain_magic
from tensorkit_widgets.tracing.explain import explain
from tensorkit_widgets.tracing.widget import Trace, trace
from tensorkit_widgets.training.widget import TrainingView
from tensorkit_widgets.widget import cell_hook, tracebacks

__all__ = [
    "BitView",
    "BoxedMemory",
    "BroadcastExplorer",
    "ConvExplorer",
    "DeviceMap",
    "Exercise",
    "GeneratorStream",
    "GraphView",
    "ImageView",
    "IndexExplorer",
    "KernelTracer",
    "MatmulExplorer",
    "MemoryMap",
    "Parsons",
    "Predict",
    "Quiz",
    "ReductionExplorer",
    "SetupReport",
    "ShardMap",
    "StrideExplorer",
    "Timeline",
    "Trace",
    "TrainingView",
    "explain",
    "forget",
    "load_ipython_extension",
    "plot_bits",
    "plot_images",
    "plot_storage",
    "plot_timing",
    "progress",
    "review",
    "timeline",
    "trace",
    "unload_ipython_extension",
]


def __dir__() -> list[str]:
    return __all__


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext tensorkit_widgets``: learn ``%memory_map`` and ``%%explain``."""
    memory_magic.register(shell)
    explain_magic.register(shell)


def unload_ipython_extension(shell: Any) -> None:
    """``%unload_ext tensorkit_widgets``: close the memory map, and forget the magics."""
    memory_magic.remove(shell)
    explain_magic.remove(shell)


tracebacks.shorten(cell_hook._shell())
