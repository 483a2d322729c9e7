"""The engine that a lesson opens: tensors in a few hundred lines of Python, without NumPy.

    tensors     a list of numbers, a layout, a dtype         reduce     groups of elements become one number
    view        another layout on the same list              index      square brackets
    pointwise   promote, broadcast, walk, write              product    rows times columns
    backward    notes, their order, sums of gradients        join       one tensor behind the other
    printing    nested brackets                              storage    the row of numbers itself
    random      the same numbers from the same seed

It is slow, and complete in what it has: values, sizes, strides and dtypes are those of `tensorkit`.

>>> from tensorkit import plain
>>> t = plain.arange(6).view(2, 3)
>>> (t.t() @ t).tolist()
[[9, 12, 15], [12, 17, 22], [15, 22, 29]]
"""

from __future__ import annotations

from typing import Any

from tensorkit.plain import join, printing, product, random, storage  # noqa: F401  # importing them offers their functions
from tensorkit.plain.tensors import (
    FUNCTIONS,
    Tensor,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from tensorkit.plain.tensors import boolean as bool

__all__ = ["Tensor", "bool", "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8"]


def __getattr__(name: str) -> Any:
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    raise AttributeError(f"module 'tensorkit.plain' has no attribute {name!r}")
