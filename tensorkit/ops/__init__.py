"""The operations, one block each: importing this package attaches all of them to `Tensor`."""

from __future__ import annotations

from tensorkit.ops import convert, create, index, pointwise, random, reduce, view

__all__ = ["convert", "create", "index", "pointwise", "random", "reduce", "view"]
