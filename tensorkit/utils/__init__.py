"""Tools beside the engine: `tensorkit.utils.benchmark` measures how long statements take."""

from __future__ import annotations

from tensorkit.utils import benchmark

__all__ = ["benchmark"]
