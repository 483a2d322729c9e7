"""tensorkit in a browser: the engine in plain Python. The whole engine needs NumPy, and runs in Jupyter."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from tensorkit import plain
from tensorkit.plain import Tensor
from tensorkit.plain.tensors import Dtype as dtype
from tensorkit.size import Size

__all__ = ["Size", "Tensor", "dtype"]

WHOLE = frozenset(files("tensorkit").joinpath("whole_names.txt").read_text(encoding="utf-8").split())
"""The names of the whole engine, and of its tensors: what of them is not here is no slip of the learner's."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(plain, name)


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(plain)})
