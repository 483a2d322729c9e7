"""Tools beside the engine: `tensorkit.utils.benchmark` measures how long statements take."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["benchmark"]  # which `__getattr__` loads


def __getattr__(name: str) -> Any:
    """Load `benchmark` when it is first asked for: `import tensorkit` need not wait for it."""
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
