"""Shortcuts of joining: plain row-major tensors of one dtype."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorkit import tracing
from tensorkit.device import CPU
from tensorkit.dispatch.recording import recorder, wants_grad
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.dtypes import dtype
from tensorkit.kernels.sizes import SMALL, TINY
from tensorkit.ops.joining.cat import layer_of, part_of, rule_for
from tensorkit.tensor import Array, Tensor, fresh


def _arrays(tensors: Any, anyhow: bool = False) -> tuple[list[Array], bool] | None:
    """The arrays of plain row-major CPU tensors of one dtype, and if one wants a gradient; None for any others.

    Args:
        anyhow: whether they may lie otherwise, where no gradient is wanted.
    """
    if (tensors.__class__ is not tuple and tensors.__class__ is not list) or tracing.active:
        return None  # the long way counts the bytes that it copies
    found = []
    kind, wants, solid = None, False, True
    for tensor in tensors:
        if tensor.__class__ is not Tensor:
            return None
        array, base = tensor._array, tensor._base
        if array is None:
            if tensor._device is not CPU or tensor._bits:
                return None
            array = tensor._nd()
        if not tensor._solid:
            if not anyhow or array.size > SMALL:
                return None
            solid = False
        if base is not None and base._dtype.is_complex:
            return None
        wants = wants or wants_grad(tensor)
        if kind is None:
            kind = tensor._dtype
        elif tensor._dtype is not kind:
            return None
        found.append(array)
    if not found or found[0].ndim > 3 or (wants and not solid):
        return None
    return found, wants


@functools.cache
def _recorder_of(name: str, count: int) -> Callable[..., Tensor]:
    """A function that joins and records `count` plain tensors, which come first, then the dimension and the lengths."""
    formula, join = (part_of, _joined) if name == "cat" else (layer_of, _layered)
    names = (*[f"t{i}" for i in range(count)], "dim", "lengths")

    def body(*args: Any) -> Tensor:
        return join([tensor._array for tensor in args[:count]], args[count], args[0]._dtype)

    def arguments_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        arguments = dict(zip(names, args, strict=True))
        lengths = arguments.pop("lengths")
        if lengths is not None:
            ends = itertools.accumulate(lengths)
            arguments["parts"] = [(end - length, length) for end, length in zip(ends, lengths, strict=True)]
        return arguments | {"out": None}

    rule = rule_for(f"{name.capitalize()}Backward0", formula, count)
    return recorder(rule, body, name, names=names, arguments_of=arguments_of)


def _joined(arrays: Sequence[Array], dim: int, kind: dtype) -> Tensor:
    made = numpy.concatenate(arrays, dim)
    return fresh(made if made.flags.c_contiguous else made.copy(), kind)


def _layered(arrays: Sequence[Array], dim: int, kind: dtype) -> Tensor:
    size = arrays[0].shape
    if not dim and len(arrays) < TINY:
        made = numpy.empty((len(arrays), *size), kind.numpy)
        for place, array in enumerate(arrays):
            made[place] = array
        return fresh(made, kind)
    wider = (*size[:dim], 1, *size[dim:])
    return fresh(numpy.concatenate([array.reshape(wider) for array in arrays], dim), kind)


@shortcut("cat", buys="cat((t, u))", of_values=True)
def cat_of_plain(
    tensors: Any = None, dim: Any = 0, *more: Any, out: Any = None, **others: Any
) -> Tensor | None:
    found = None if more or others or out is not None or dim.__class__ is not int else _arrays(tensors, True)
    if found is None:
        return None
    arrays, wants = found
    try:
        if not wants:
            return _joined(arrays, dim, tensors[0]._dtype)
        along = dim if dim >= 0 else dim + arrays[0].ndim
        if along < 0:  # which NumPy would count from the end once more
            return None
        lengths = tuple([array.shape[along] for array in arrays])
        # A tensor without elements may be passed over.
        return None if 0 in lengths else _recorder_of("cat", len(arrays))(*tensors, along, lengths)
    except (IndexError, ValueError):
        return None


@shortcut("stack", buys="stack((t, u))", of_values=True)
def stack_of_plain(
    tensors: Any = None, dim: Any = 0, *more: Any, out: Any = None, **others: Any
) -> Tensor | None:
    found = None if more or others or out is not None or dim.__class__ is not int else _arrays(tensors)
    if found is None:
        return None
    arrays, wants = found
    size = arrays[0].shape
    if not 0 <= dim <= len(size) or not all(array.shape == size for array in arrays):
        return None
    if wants:
        return _recorder_of("stack", len(arrays))(*tensors, dim, None)
    return _layered(arrays, dim, tensors[0]._dtype)
