"""Widgets that draw live tensors: `StrideExplorer`, `GraphView`; `Predict` and `Exercise` to learn by them."""

from tensorkit_widgets.broadcast_explorer import BroadcastExplorer
from tensorkit_widgets.exercise import Exercise
from tensorkit_widgets.graph_view import GraphView
from tensorkit_widgets.parsons import Parsons
from tensorkit_widgets.predict import Predict
from tensorkit_widgets.progress_report import forget, progress
from tensorkit_widgets.quiz import Quiz
from tensorkit_widgets.reduction_explorer import ReductionExplorer
from tensorkit_widgets.setup_report import SetupReport
from tensorkit_widgets.stride_explorer import StrideExplorer

__all__ = [
    "BroadcastExplorer",
    "Exercise",
    "GraphView",
    "Parsons",
    "Predict",
    "Quiz",
    "ReductionExplorer",
    "SetupReport",
    "StrideExplorer",
    "forget",
    "progress",
]
