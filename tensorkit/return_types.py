"""Named results: tuples whose parts have names and which print as PyTorch's.

>>> import tensorkit as tk
>>> tk.tensor([3, 1]).max(0)
tensorkit.return_types.max(
values=tensor(3),
indices=tensor(0))
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["max", "max_out", "min", "min_out"]


def _text(result: Any) -> str:
    parts = ",\n".join(f"{name}={value!r}" for name, value in zip(result._fields, result, strict=True))
    return f"tensorkit.return_types.{type(result).__name__}(\n{parts})"


class max(NamedTuple):
    """The largest elements along a dimension, and where they are."""

    values: Any
    indices: Any

    def __repr__(self) -> str:
        return _text(self)


class max_out(NamedTuple):
    """`max` written into tensors given as ``out=``."""

    values: Any
    indices: Any

    def __repr__(self) -> str:
        return _text(self)


class min(NamedTuple):
    """The smallest elements along a dimension, and where they are."""

    values: Any
    indices: Any

    def __repr__(self) -> str:
        return _text(self)


class min_out(NamedTuple):
    """`min` written into tensors given as ``out=``."""

    values: Any
    indices: Any

    def __repr__(self) -> str:
        return _text(self)
