"""Tools beside the engine.

`data` loads samples in batches, `checkpoint` saves memory in the backward pass, `benchmark` measures how long
statements take, `dlpack` lends memory, `deterministic` has the setting of `use_deterministic_algorithms`, and `hooks`
what registering a hook returns.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["benchmark", "checkpoint", "data", "deterministic", "dlpack", "hooks"]  # which `__getattr__` loads


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Load a module on first use: `import tensorkit` need not wait for it."""
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
