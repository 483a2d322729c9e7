"""Shortcuts of products: matrices and vectors of one dtype that BLAS takes as they lie."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy

from tensorkit import tracing
from tensorkit.device import CPU
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.shortcut import shortcut
from tensorkit.dtypes import float64
from tensorkit.elementwise.plan import few_elements
from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.kernels.sizes import EINSUM_AT_ONCE, SMALL
from tensorkit.ops.matrix_products.einsum import ELLIPSIS, EquationPlan
from tensorkit.ops.matrix_products.product import BLAS, by_blas
from tensorkit.strides.layout import Layout, contiguous
from tensorkit.tensor import Array, Tensor, fresh

_FORMS = ((2, 2), (2, 1), (1, 1))


def _product(a: Any, b: Any, forms: tuple[tuple[int, int], ...] = _FORMS) -> Tensor | None:
    """The product of matrices and vectors of one dtype whose sizes fit.

    Args:
        forms: the numbers of dimensions that are taken.
    """
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return None
    kind, x, y = a._dtype, a._array, b._array
    if kind is not b._dtype or kind not in BLAS:
        return None
    if x is None:
        if a._device is not CPU or a._bits:
            return None
        x = a._nd()
    if y is None:
        if b._device is not CPU or b._bits:
            return None
        y = b._nd()
    if (x.ndim, y.ndim) not in forms or x.shape[-1] != y.shape[0]:
        return None
    # `dot` begins in a third of the time that `matmul` needs, but takes 0 times nan for 0 where there is one product.
    if 1 < x.size < SMALL and 1 < y.size < SMALL and y.shape[0] > 1:
        made = quiet(x.dot, y)
        return fresh(made if made.__class__ is numpy.ndarray else numpy.asarray(made), kind)
    if y.ndim != 2:
        return None
    try:
        return fresh(by_blas(x, y), kind)
    except MemoryError:
        return None  # the operation refuses it in PyTorch's words


@shortcut("mm", buys="mm(t, s)", of_values=True)
def mm_of_plain(input: Any = None, mat2: Any = None, *, out: Any = None, **others: Any) -> Tensor | None:
    return None if out is not None or others else _product(input, mat2, ((2, 2),))


@shortcut("mv", buys="mv, 50 × 50", of_values=True)
def mv_of_plain(input: Any = None, vec: Any = None, *, out: Any = None, **others: Any) -> Tensor | None:
    return None if out is not None or others else _product(input, vec, ((2, 1),))


@shortcut("dot", buys="q.dot(q)", of_values=True)
def dot_of_plain(input: Any = None, tensor: Any = None, *, out: Any = None, **others: Any) -> Tensor | None:
    return None if out is not None or others else _product(input, tensor, ((1, 1),))


@shortcut("matmul", buys="matmul(t, s)")
def matmul_of_plain(input: Any = None, other: Any = None, *more: Any) -> Tensor | None:
    return None if more or wants_grad(input) or wants_grad(other) else _product(input, other)


@shortcut("__matmul__", buys="t @ u.t()", of_values=True)
def matmul_operator(self: Any, other: Any) -> Tensor | None:
    return None if tracing.active or wants_grad(self) or wants_grad(other) else _product(self, other)


class _Recipe(NamedTuple):
    """How two operands become one product of matrices, and how the result lies in it."""

    turned: bool
    orders: tuple[list[int], list[int]]
    sizes: tuple[tuple[int, ...], tuple[int, ...]]
    made: tuple[int, int, int]
    layout: Layout


@functools.lru_cache(256)
def _recipe(equation: str, *sizes: tuple[int, ...]) -> _Recipe | None:
    """The product for operands of these sizes; None where there is more to do, or the equation is refused."""
    plan = EquationPlan(equation, [fresh(numpy.empty(size), float64) for size in sizes])
    a, b = plan.inputs
    length = dict(zip((*a, *b), (*sizes[0], *sizes[1]), strict=False))
    if ELLIPSIS in (*a, *b) or len(set(a)) < len(a) or len(set(b)) < len(b):
        return None
    if min(length.values(), default=0) < 2 or length != dict(
        zip((*b, *a), (*sizes[1], *sizes[0]), strict=False)
    ):
        return None
    ordered = sorted(plan.place, key=plan.place.__getitem__)
    kept, summed = ordered[: plan.kept], ordered[plan.kept :]
    if not summed or not set(summed) <= set(a) & set(b):
        return None
    both = [label for label in kept if label in a and label in b]
    left, right = [label for label in kept if label not in b], [label for label in kept if label not in a]
    turned = bool(left and right and plan.place[right[-1]] < plan.place[left[0]])
    if turned:
        a, b, left, right = b, a, right, left
    counts = [math.prod([length[label] for label in labels]) for labels in (both, left, summed, right)]
    lies = [*both, *left, *right]
    return _Recipe(
        turned,
        ([a.index(n) for n in (*both, *left, *summed)], [b.index(n) for n in (*both, *summed, *right)]),
        ((counts[0], counts[1], counts[2])[not both :], (counts[0], counts[2], counts[3])[not both :]),
        (counts[0], counts[1], counts[3]),
        contiguous([length[label] for label in lies]).permute([lies.index(label) for label in kept]),
    )


@shortcut("einsum", buys="einsum('ij,jk', t, s)")
def einsum_of_few(equation: Any = None, a: Any = None, b: Any = None, *more: Any) -> Tensor | None:
    """The sum of products of two tensors of few elements, as one product of matrices."""
    if more:
        return None
    x, y = few_elements(a, EINSUM_AT_ONCE), few_elements(b, EINSUM_AT_ONCE)
    if x is None or y is None or type(equation) is not str or a._dtype is not b._dtype:
        return None
    if wants_grad(a) or wants_grad(b):
        return None
    try:
        recipe = _recipe(equation, x.shape, y.shape)
    except RuntimeError:
        return None  # refused in PyTorch's words
    if recipe is None:
        return None
    if recipe.turned:
        x, y = y, x
    (first, second), (size, other) = recipe.orders, recipe.sizes
    x, y = x.transpose(first).reshape(size), y.transpose(second).reshape(other)
    made: Array = quiet(numpy.matmul if len(size) == 3 else numpy.dot, x, y)
    return fresh(made.reshape(recipe.made), a._dtype)._view(recipe.layout)
