"""Grids of coordinates: `meshgrid`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.errors import warn
from tensorkit.ops.joining.cat import as_tensors
from tensorkit.ops.shared.type_names import backend_name
from tensorkit.tensor import Tensor


def check_grid(tensors: Sequence[Tensor]) -> None:
    for tensor in tensors:
        if tensor._dtype is not tensors[0]._dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
        if tensor._device != tensors[0]._device:
            raise RuntimeError("meshgrid expects all tensors to have the same device")
    for tensor in tensors:
        if tensor.dim() > 1:
            raise RuntimeError(
                f"tensorkit.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {_as_listed(tensor)}"
            )


_LINE = 80  # characters, after which columns are printed apart


def _as_listed(tensor: Any) -> str:
    """The first and the last line of a tensor as PyTorch's C++ prints it."""
    last = f"[ {backend_name(tensor)}{{{','.join(map(str, tensor.size()))}}} ]"
    return f"{_first_line(tensor)}\n{last}" if tensor.numel() else last


def _first_line(tensor: Any) -> str:
    if tensor.dim() > 2:
        return f"({'1,' * (tensor.dim() - 2)}.,.) = "
    table = (tensor.real if tensor.is_complex() else tensor).double()
    known = [abs(value) for value in table.flatten().tolist() if math.isfinite(value)]
    digits = [math.floor(math.log10(value)) + 1 if value else 1 for value in known] or [1]
    most, width, form = max(digits), 11, ".4e"
    if all(value == int(value) for value in known):
        if most <= 9:
            width, form = most + 1, ".6g"
    elif most - min(digits) <= 4:
        if most < 0 or most > 5:
            return f"{10.0 ** (most - 1):.15g} *"
        width, form = max(most, 1) + 6, ".4f"
    row = table[0].tolist()
    fit = _LINE // (width + 1)
    head = f"Columns 1 to {fit} " if fit < len(row) else ""
    return head + " ".join(f"{value:{width}{form}}" for value in row[:fit]).removeprefix(" " * bool(head))


def grids_of(tensors: Sequence[Any], crossed: bool) -> tuple[Tensor, ...]:
    lengths = [tensor.numel() for tensor in tensors]
    order = list(range(len(tensors)))
    if crossed and len(tensors) > 1:
        order[:2] = [1, 0]
    size = [lengths[place] for place in order]
    grids = []
    for dim, tensor in zip(order, tensors, strict=True):
        shape = [1] * len(tensors)
        shape[dim] = -1 if tensor.numel() else 0
        grids.append(tensor.view(shape).expand(size))
    return tuple(grids)


@op(methods=())
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid: for each vector a tensor of the grid's size, without copying.

    Args:
        tensors: vectors, side by side or as one sequence.
        indexing: ``"ij"``: one dimension for each vector, in order; ``"xy"``: the first two swapped, as for pictures.

    >>> x, y = tk.meshgrid(tk.arange(2), tk.arange(3), indexing="ij")
    >>> x, y.stride()
    (tensor([[0, 0, 0],
            [1, 1, 1]]), (0, 1))
    """
    listed = len(tensors) == 1 and isinstance(tensors[0], (tuple, list))
    given = as_tensors(tuple(tensors[0]) if listed else tensors, "meshgrid")
    if indexing is not None and not isinstance(indexing, str):
        raise TypeError(f"meshgrid(): argument 'indexing' must be str, not {type_name(indexing)}")
    if indexing is None:
        warn("tensorkit.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    check_grid(given)
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(
            f'tensorkit.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    return grids_of(given, indexing == "xy")
