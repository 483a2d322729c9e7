"""Networks: layers, and the functions that they are made of."""

from __future__ import annotations

from tensorkit.nn import functional

__all__ = ["functional"]


def __dir__() -> list[str]:
    return __all__
