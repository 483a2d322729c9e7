"""Sums of products over named dimensions: `einsum`."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy

from tensorkit import tracing
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import float64
from tensorkit.elementwise.plan import few_elements
from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.kernels.sizes import EINSUM_AT_ONCE
from tensorkit.strides.layout import Layout, contiguous
from tensorkit.tensor import Array, Tensor, fresh

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ELLIPSIS = "..."


# -- reading an equation ------------------------------------------------------------------------------------------


def _letter(subscript: Any) -> str:
    """A subscript of the list format as it is written in an equation."""
    if subscript is Ellipsis:
        return _ELLIPSIS
    if subscript >= 0 and subscript < len(_LETTERS):  # what compares otherwise is refused in these words
        return _LETTERS[operator.index(subscript)]
    raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")


def _equation_of(args: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    """The equation and the operands of a call, in whichever format it was written."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if not isinstance(args[0], Tensor):
        return args[0], args[1:]
    equation = ",".join("".join(map(_letter, subscripts)) for subscripts in args[1::2])
    if len(args) % 2:
        return equation + "->" + "".join(map(_letter, args[-1])), args[:-1:2]
    return equation, args[::2]


def _labels(text: str, start: int, found: str, cannot: str, whole: str) -> list[str]:
    """The labels of one operand or of the output: letters, and at most one ellipsis.

    Args:
        start: where `text` begins in the equation.
        found, cannot, whole: how the error sentences go on.
    """
    labels: list[str] = []
    place = 0
    while place < len(text):
        character = text[place]
        if character == ".":
            if _ELLIPSIS in labels:
                raise RuntimeError(f"einsum(): found '.' for {found} {cannot}")
            if text[place : place + 3] != _ELLIPSIS:
                raise RuntimeError(f"einsum(): found '.' for {found} that is not part of any {whole}")
            labels.append(_ELLIPSIS)
            place += 3
            continue
        if character != " ":
            if character not in _LETTERS:
                raise RuntimeError(
                    f"einsum(): invalid subscript given at index {start + place} in the equation string, subscripts "
                    "must be in [a-zA-Z]"
                )
            labels.append(character)
        place += 1
    return labels


def _input_labels(left: str, count: int) -> list[list[str]]:
    found, start = [], 0
    for number, text in enumerate(left.split(",")):
        if number == count:
            raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
        cannot = "for which an ellipsis was already found"
        found.append(_labels(text, start, f"operand {number}", cannot, "ellipsis"))
        start += len(text) + 1
    if len(found) != count:
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return found


class _Plan:
    """Where each label's dimension goes: first those of the output in its order, then those to be summed.

    Attributes:
        inputs: the labels of each operand.
        place: the position of each label's dimension; the ellipsis takes `covered` dimensions from `ellipsis_at` on.
        kept: how many dimensions the output has; `total` those to be summed included.
    """

    def __init__(self, equation: str, operands: Sequence[Tensor]) -> None:
        left, arrow, right = equation.partition("->")
        self.inputs = _input_labels(left, len(operands))
        self.covered = self._covered(operands)
        used = [label for labels in self.inputs for label in labels if label != _ELLIPSIS]
        self.place: dict[str, int] = {}
        self.ellipsis_at = 0
        if arrow:
            output = _labels(
                right, len(left) + 2, "output", "but an ellipsis (...) was already found", "ellipsis (...)"
            )
        else:
            output = [_ELLIPSIS, *(label for label in _LETTERS if used.count(label) == 1)]
        self.kept = self._put(output, 0, used)
        rest = [label for label in _LETTERS if label in used and label not in self.place]
        self.total = self._put(rest if _ELLIPSIS in output else [_ELLIPSIS, *rest], self.kept, used)

    def _covered(self, operands: Sequence[Tensor]) -> int:
        """How many dimensions the ellipsis stands for: the most of any operand."""
        most = 0
        for number, (labels, operand) in enumerate(zip(self.inputs, operands, strict=True)):
            ndim, given = operand.dim(), len(labels)
            if _ELLIPSIS in labels:
                given -= 1
                most = max(most, ndim - given)
                if given > ndim:
                    raise RuntimeError(
                        f"einsum(): the number of subscripts in the equation ({given}) is more than the number of "
                        f"dimensions ({ndim}) for operand {number}"
                    )
            elif given != ndim:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({given}) does not match the number of "
                    f"dimensions ({ndim}) for operand {number} and no ellipsis was given"
                )
        return most

    def _put(self, labels: Sequence[str], start: int, used: Sequence[str]) -> int:
        """Give the labels their places, from `start` on; returns the next place."""
        for label in labels:
            if label == _ELLIPSIS:
                self.ellipsis_at = start
                start += self.covered
                continue
            if label in self.place or label not in used:
                twice = label in self.place
                why = "appears more than once in the output" if twice else _NOT_IN_INPUT
                raise RuntimeError(f"einsum(): output subscript {label} {why}")
            self.place[label] = start
            start += 1
        return start


_NOT_IN_INPUT = "does not appear in the equation for any input operand"


# -- operands side by side ----------------------------------------------------------------------------------------


class _Sizes:
    """The size of every place, as the operands show it one after another; a size of 1 is broadcast."""

    def __init__(self, plan: _Plan) -> None:
        self.plan = plan
        self.seen = [1] * plan.total
        self.counts = [0] * plan.total  # how many operands have more than one element there

    def note(self, place: int, size: int, number: int, label: str, dim: int) -> None:
        if size == 1:
            return
        known = self.seen[place]
        if known not in (1, size):
            if label == _ELLIPSIS:
                raise RuntimeError(
                    f"einsum(): dimension {dim} covered by ellipsis in operand {number}has size {size} which does not "
                    f"broadcast with previously seen ellipsis with size {known} for the respective dimension"
                )
            raise RuntimeError(
                f"einsum(): subscript {label} has size {size} for operand {number} which does not broadcast with "
                f"previously seen size {known}"
            )
        self.seen[place] = size
        self.counts[place] += 1


def _aligned(operand: Tensor, number: int, sizes: _Sizes) -> Tensor:
    """An operand with one dimension for each place of the plan: diagonals taken, missing dimensions added."""
    plan = sizes.plan
    labels = plan.inputs[number]
    own = operand.dim() - (len(labels) - 1)  # how many dimensions the ellipsis covers here
    at: list[int | None] = [None] * plan.total
    dim = 0
    for label in labels:
        if label == _ELLIPSIS:
            for place in range(plan.ellipsis_at + plan.covered - own, plan.ellipsis_at + plan.covered):
                sizes.note(place, operand.size(dim), number, label, dim)
                at[place] = dim
                dim += 1
            continue
        place = plan.place[label]
        before = at[place]
        if before is None:
            sizes.note(place, operand.size(dim), number, label, dim)
            at[place] = dim
            dim += 1
        else:
            operand = _diagonal(operand, before, dim, label, number)
    for place in range(plan.total):
        if at[place] is None:
            operand = operand.unsqueeze(dim)
            at[place] = dim
            dim += 1
    return operand.permute(at)


def _diagonal(operand: Tensor, before: int, dim: int, label: str, number: int) -> Tensor:
    here, there = operand.size(dim), operand.size(before)
    if here != there:
        raise RuntimeError(
            f"einsum(): subscript {label} is repeated for operand {number} but the sizes don't match, {here} != {there}"
        )
    return operand.diagonal(0, before, dim).movedim(-1, before)


def _pair(a: Tensor, b: Tensor, summed: list[int]) -> Tensor:
    """The product of two aligned operands, summed over some dimensions that keep the size 1: one `bmm`."""
    if not summed:
        return a * b
    both: list[int] = []
    left: list[int] = []
    right: list[int] = []
    for dim in range(a.dim()):
        if dim not in summed:
            wide = a.size(dim) != 1, b.size(dim) != 1
            (both if all(wide) else left if wide[0] else right).append(dim)
    if left and right and right[-1] < left[0]:  # so that the result lies in memory as it is read
        a, b, left, right = b, a, right, left
    in_both, in_left = [math.prod([a.size(d) for d in dims]) for dims in (both, left)]
    in_right, length = math.prod([b.size(d) for d in right]), math.prod([a.size(d) for d in summed])
    order = [*both, *left, *summed, *right]
    first = a.permute(order).reshape(in_both, in_left, length)
    second = b.permute([*both, *summed, *right, *left]).reshape(in_both, length, in_right)
    size = [*(a.size(d) for d in (*both, *left)), *(1 for _ in summed), *(b.size(d) for d in right)]
    return first.bmm(second).view(size).permute([order.index(d) for d in range(a.dim())])


def _contract(a: Tensor, b: Tensor, plan: _Plan, counts: list[int]) -> Tensor:
    """The first two operands made one: what no other operand needs is summed on the way."""
    together: list[int] = []
    of_a: list[int] = []
    of_b: list[int] = []
    for dim in range(plan.kept, plan.total):
        in_a, in_b = a.size(dim) != 1, b.size(dim) != 1
        if in_a and in_b:
            counts[dim] -= 1
            if counts[dim] == 1:
                together.append(dim)
                counts[dim] = 0
        elif counts[dim] == 1 and (in_a or in_b):
            (of_a if in_a else of_b).append(dim)
            counts[dim] = 0
    a = a.sum(of_a, keepdim=True) if of_a else a
    b = b.sum(of_b, keepdim=True) if of_b else b
    return _pair(a, b, together)


class _Recipe(NamedTuple):
    """How two operands without a history become one product of matrices, and how that lies in the result."""

    turned: bool
    orders: tuple[list[int], list[int]]
    sizes: tuple[tuple[int, ...], tuple[int, ...]]
    made: tuple[int, int, int]
    layout: Layout


@functools.lru_cache(256)
def _recipe(equation: str, *sizes: tuple[int, ...]) -> _Recipe | None:
    """What `_Plan` and `_pair` come to for operands of such sizes; None where there is more to do, or to refuse."""
    plan = _Plan(equation, [fresh(numpy.empty(size), float64) for size in sizes])
    a, b = plan.inputs
    length = dict(zip((*a, *b), (*sizes[0], *sizes[1]), strict=False))
    if _ELLIPSIS in (*a, *b) or len(set(a)) < len(a) or len(set(b)) < len(b):
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


def _quickly(equation: Any, a: Any, b: Any) -> Tensor | None:
    """The sum of products of a few numbers without gradients; None for all others."""
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


@op(kind="reduce", rounded=2, methods=())
def einsum(*args: Any) -> Tensor:
    """Multiply operands and sum over dimensions, as an equation of subscripts says.

    Each operand's dimensions get letters. Dimensions of one letter belong together; letters that the right side does
    not name are summed. A letter twice in an operand means its diagonal; ``...`` stands for the dimensions that get no
    letter, which are broadcast. Without ``->`` the output has the ellipsis, then the letters used once, in order.

    Args:
        args: the equation and the operands; or operands, each followed by a list of numbers for letters, and at the
            end, if wanted, such a list for the output.

    Raises:
        ValueError, RuntimeError: for an equation that makes no sense, or does not fit the operands.

    >>> a = tk.arange(6).view(2, 3)
    >>> tk.einsum("ij,kj->ik", a, a), tk.einsum("ii", a[:, :2])
    (tensor([[ 5, 14],
            [14, 50]]), tensor(4))
    """
    if len(args) == 3 and not tracing.active and (quick := _quickly(*args)) is not None:
        return quick
    equation, operands = _equation_of(args)
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        return einsum(equation, *operands[0])
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type_name(equation)}")
    for number, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            raise TypeError(
                f"expected Tensor as element {number} in argument 1, but got {type_name(operand)}"
            )
    plan = _Plan(equation, operands)
    sizes = _Sizes(plan)
    waiting = [_aligned(operand, number, sizes) for number, operand in enumerate(operands)]
    result = waiting[0]
    for other in waiting[1:]:
        result = _contract(result, other, plan, sizes.counts)
    if plan.total == plan.kept:
        return result
    if len(operands) > 1:  # everything was summed on the way, and is of size 1 now
        return result.view(result.size()[: plan.kept])
    return result.sum(list(range(plan.kept, plan.total)))
