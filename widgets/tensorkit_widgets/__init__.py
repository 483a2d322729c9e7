"""Widgets that draw live tensors: `StrideExplorer` to question one, `Predict` and `Exercise` to learn by it."""

from tensorkit_widgets.exercise import Exercise, progress
from tensorkit_widgets.predict import Predict
from tensorkit_widgets.setup_report import SetupReport
from tensorkit_widgets.stride_explorer import StrideExplorer

__all__ = ["Exercise", "Predict", "SetupReport", "StrideExplorer", "progress"]
