"""Pairs and choices of elements: `cartesian_prod`, `combinations`."""

from __future__ import annotations

import itertools
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.elementwise.output import empty_strided
from tensorkit.ops.joining.cat import as_tensors
from tensorkit.ops.joining.stack import stack
from tensorkit.ops.rearranging.diag import whole
from tensorkit.ops.rearranging.meshgrid import check_grid, grids_of
from tensorkit.ops.shared.to import to_device
from tensorkit.tensor import Array, Tensor, fresh


def _check_vector(tensor: Tensor) -> None:
    if tensor.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(tensor._lay().size)}")


@op(kind="copy", methods=())
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every combination of one element of each vector, as rows; of one vector the vector itself.

    >>> tk.cartesian_prod(tk.tensor([1, 2]), tk.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    given = as_tensors(tensors, "cartesian_prod")
    for tensor in given:
        _check_vector(tensor)
    if len(given) == 1:
        return given[0]
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    check_grid(given)
    grids: Any = grids_of(given, crossed=False)
    return stack([grid.flatten() for grid in grids], 1)


def _chosen(count: int, r: int, again: bool) -> Array:
    """Where, on the grid of all choices of `r`, each index is larger than the one before, or (`again`) as large."""
    steps = [numpy.arange(count).reshape([-1 if d == place else 1 for d in range(r)]) for place in range(r)]
    mask = numpy.ones((count,) * r, bool)
    for lower, upper in itertools.pairwise(steps):
        mask &= lower <= upper if again else lower < upper
    return mask


_MOST_DIMS = 64  # of an array of NumPy's


@op(strict=True, kind="copy", methods=())
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Every combination of `r` elements of a vector, as rows, in the order of the vector.

    >>> tk.combinations(tk.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    count = whole(r, "combinations", "r", 2)
    _check_vector(input)
    if count < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {count}")
    if count == 0:
        return empty_strided((0,), (1,), input._dtype, input._device)
    if count >= 2**60:
        raise RuntimeError("cannot create std::vector larger than max_size()")
    if count > max(input.numel(), _MOST_DIMS):  # more than there are to choose from, or than a grid can have
        if with_replacement and input.numel() > 1:
            raise RuntimeError("numel: integer multiplication overflow")
        if not with_replacement:
            return empty_strided((0, count), (count, 1), input._dtype, input._device)
    mask = to_device(fresh(_chosen(input.numel(), count, bool(with_replacement)), dtypes.bool), input._device)
    grids: Any = grids_of([input] * count, crossed=False)
    if not mask.any() and not wants_grad(input):
        return stack([grid.reshape(-1).narrow(0, 0, 0) for grid in grids], 1)
    return stack([grid.masked_select(mask) for grid in grids], 1)
