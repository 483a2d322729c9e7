"""The fast path of pointwise operations on one tensor."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import tracing
from tensorkit.device import CPU
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import Pointwise
from tensorkit.elementwise.fast_path import UNSEEN, entries_of_arrays, fast_entries, loops_of, settle
from tensorkit.elementwise.place import MANY_PLANS
from tensorkit.elementwise.plan import (
    as_settled,
    lying,
    plain,
)
from tensorkit.kernels.cpu import elementwise
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor

__all__ = [
    "fast_unary",
    "quick_method",
]


def fast_unary(block: Pointwise) -> Callable[[Tensor], Tensor | None]:
    same = fast_entries(block)[0] if block.numpy.__class__ is numpy.ufunc else entries_of_arrays(block)
    run, ndarray, new, many = elementwise.quiet_here, numpy.ndarray, object.__new__, elementwise.MANY
    strided = bool(block.like_first)  # see `fast_binary`
    ways: dict[Any, Any] = {}  # `Settled`, or None
    #: Of layouts that fill a block of memory, as transposed ones do: the function, and where its result lies.
    dense: dict[Any, tuple[Any, dtype, Layout, tuple[int, ...]]] = {}
    loops = loops_of(block)

    def aside(a: Tensor, x: Any) -> Tensor | None:
        """The same of an array that is not row-major."""
        own = a._layout
        if own is None:
            return plain(block, (a,))
        key = (a._dtype, own.size, own.stride)
        way = ways.get(key, UNSEEN)
        if way is UNSEEN:
            way = settle(ways, key, block, (a,), same)
        if way is None:
            return plain(block, (a,))
        if way.plane and a._dtype in loops:
            out = lying(loops[a._dtype], way, (x,))
            if out is not None:
                return out
        try:
            made = run(block.numpy, x.copy("K") if way.packed else x)
        except RuntimeError:
            return None  # another thread is inside
        out = as_settled(made, way)
        if out is None:
            return plain(block, (a,))
        if not way.packed and not way.row_major and x.size < many:
            if len(dense) >= MANY_PLANS:
                dense.clear()
            dense[key] = (same[a._dtype][0], way.kind, way.layout, way.steps)
        return out

    def fast(a: Tensor) -> Tensor | None:
        """The result when nothing has to be decided, gradients apart; None when `apply` must look."""
        x = a._array
        if x is None and a._device is CPU:
            x = a._nd()
        if x is None:
            return None
        layout: Layout | None = None
        try:
            if a._solid or (x.size == 1 and not strided):
                ufunc, kind = same[a._dtype]
                array = run(ufunc, x) if x.size < many else elementwise.mapped(ufunc, (x,), kind.numpy)
            else:
                own = a._layout
                found = None if own is None else dense.get((a._dtype, own.size, own.stride))
                if found is None:
                    return aside(a, x)
                ufunc, kind, layout, steps = found
                array = run(ufunc, x)
                if array.__class__ is not ndarray or array.strides != steps or array.base is not None:
                    return aside(a, x)
        except (KeyError, RuntimeError):
            return None  # an unusual dtype, or another thread inside
        # `fresh`, written out: the call would be a tenth of the whole.
        out = new(Tensor)
        out._array = array if type(array) is ndarray else numpy.asarray(array)
        out._solid = layout is None
        out._layout = layout
        out._storage = None
        out._dtype = kind
        out._device = CPU
        out._counter = None
        out._base = None
        out._autograd = None
        return out

    return fast


def quick_method(
    name: str, fast: Callable[[Tensor], Tensor | None], body: Callable[[Tensor], Tensor]
) -> Callable[..., Tensor]:
    """`traced_method` of an operation of one tensor, and before it the way that needs no other call."""
    long = traced_method(name, body)

    @functools.wraps(long)
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if not args and not kwargs and not tracing.active and not wants_grad(self):
            out = fast(self)
            if out is not None:
                return out
        return long(self, *args, **kwargs)  # type: ignore[no-any-return]

    return method
