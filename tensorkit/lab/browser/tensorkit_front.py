"""tensorkit in a browser: the engine in plain Python. The whole engine needs NumPy, and runs in Jupyter."""

from __future__ import annotations

from typing import Any

from tensorkit import plain
from tensorkit.plain import Tensor
from tensorkit.plain.tensors import Dtype as dtype
from tensorkit.size import Size

__all__ = ["Size", "Tensor", "dtype"]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(plain, name)


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(plain)})
