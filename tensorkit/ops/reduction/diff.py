"""Differences of neighbours: `diff`."""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.dispatch.op import op
from tensorkit.elementwise.output import resize_out
from tensorkit.ops.creation.full import zeros_like
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.pointwise.arithmetic import sub
from tensorkit.ops.pointwise.bitwise_logical import logical_xor
from tensorkit.ops.reduction.arguments import one_axis
from tensorkit.tensor import Tensor


def _check_beside(input: Tensor, other: Any, dim: Any) -> None:
    if other is None:
        return
    if not isinstance(other, Tensor):
        raise TypeError
    own, given = input._lay().size, other._lay().size
    axis = one_axis(dim, len(own))
    if len(own) != len(given):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for d, (mine, theirs) in enumerate(zip(own, given, strict=True)):
        if mine != theirs and d != axis:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({d}) = {mine}, but got tensor.size({d}) = {theirs}"
            )


def _whole(input: Tensor, out: Tensor) -> Tensor:
    """No difference at all, as a copy in a tensor that is resized before its dtype is looked at."""
    size = input._lay().size
    if out._lay().size != size:
        resize_out(out, size)
        out._bump()
    if out._dtype is not input._dtype:
        raise RuntimeError(f"expected scalar_type {input._dtype.label} but found {out._dtype.label}")
    return out.copy_(input)


@op(strict=True, kind="pointwise", out_error="sub", out_overlap="before resizing")
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The difference of each element to the next along a dimension, taken `n` times; of bools, whether they differ.

    Args:
        n: how often. dim: the dimension.
        prepend, append: tensors to put before and behind `input` first.

    Returns:
        A tensor that is `n` smaller in that dimension.

    Raises:
        RuntimeError: for a tensor without dimensions, a negative `n`, or sizes that do not match.

    >>> tk.tensor([1, 4, 9, 16]).diff()
    tensor([3, 5, 7])
    """
    if not hasattr(n, "__index__") or isinstance(n, bool) or not hasattr(dim, "__index__"):
        raise TypeError
    if not input.dim():
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    _check_beside(input, prepend, dim)
    _check_beside(input, append, dim)
    if n and (prepend is not None or append is not None):
        input = cat(tuple(part for part in (prepend, input, append) if part is not None), dim)
    axis = one_axis(dim, input.dim())
    if not n:
        return zeros_like(input).copy_(input) if out is None else _whole(input, out)
    if out is not None and not input.size(axis):
        raise IndexError("start out of range (expected to be in range of [0, 0], but got 1)")
    for left in range(min(int(n), input.size(axis)), 0, -1):
        many = input.size(axis) - 1
        before, behind = input.narrow(axis, 0, many), input.narrow(axis, 1, many)  # in PyTorch's order
        last = {} if out is None or left > 1 else {"out": out}
        less = logical_xor if input._dtype is dtypes.bool else sub
        input = less(behind, before, **last)
    return input
