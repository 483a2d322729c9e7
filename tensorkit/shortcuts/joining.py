"""Shortcuts of joining: plain row-major tensors of one dtype."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.device import CPU
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.tensor import Tensor, fresh

_concatenate: Any = numpy.concatenate


@shortcut("cat", buys="cat((t, u))")
def cat_of_alike(tensors: Any = None, dim: Any = 0, *more: Any) -> Tensor | None:
    """Plain row-major CPU tensors of one dtype joined, of which none wants a gradient; None for any others."""
    if more or dim.__class__ is not int or (tensors.__class__ is not tuple and tensors.__class__ is not list):
        return None
    arrays: list[Any] = []
    kind = None
    for tensor in tensors:
        if tensor.__class__ is not Tensor or wants_grad(tensor):
            return None
        array, base = tensor._array, tensor._base
        if array is None and tensor._device is CPU and not tensor._bits:
            array = tensor._nd()
        if array is None or not tensor._solid:
            return None
        if base is not None and base._dtype.is_complex:
            return None
        if kind is None:
            kind = tensor._dtype
        elif tensor._dtype is not kind:
            return None
        arrays.append(array)
    if kind is None or not 0 < arrays[0].ndim < 4:
        return None
    try:
        made = _concatenate(arrays, dim) if dim else _concatenate(arrays)
    except (IndexError, ValueError):
        return None  # looked into on the long way
    return fresh(made if made.flags.c_contiguous else made.copy(), kind)
