"""What the engine computes with, and what PyTorch lets be said to it: asked by scripts before they begin.

>>> tk.backends.mps.is_available(), tk.backends.cudnn.is_available()
(False, False)
>>> tk.backends.cudnn.benchmark = True
>>> tk.backends.cudnn.benchmark
True

A question is answered for tensorkit, not for PyTorch: neither cuDNN nor oneDNN nor Metal are used by it, and MKL where
NumPy was built with it. A setting is kept and given back, and changes no number: what it speaks of is not here.

Source: names, settings and sentences follow https://docs.pytorch.org/docs/stable/backends.html.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

from tensorkit.backends.matmul_precision import look, put

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]  # which `__getattr__` loads


def __dir__() -> list[str]:
    return [*__all__, *(name for name in vars(_Backends) if not name.startswith("_"))]


def __getattr__(name: str) -> Any:
    """Load a module on first use: `import tensorkit` need not wait for it."""
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Backends(types.ModuleType):
    """The module, with its one setting: `fp32_precision` of all backends together."""

    @property
    def fp32_precision(self) -> str:
        """How precisely float32 may be multiplied, unless a backend has its own setting."""
        return look("generic", "all")

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        put("generic", "all", precision)


sys.modules[__name__].__class__ = _Backends
