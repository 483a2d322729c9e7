"""Matrices along a diagonal: `block_diag`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import get_default_device
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import recorded_call, wants_grad
from tensorkit.elementwise.output import empty_strided
from tensorkit.elementwise.promotion import result_dtype
from tensorkit.ops.joining.cat import as_tensors
from tensorkit.ops.rearranging.diag import alone
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.fill import write_number
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor


def _corners(tensors: Sequence[Tensor]) -> list[tuple[int, int, int, int]]:
    """The first row, first column, height and width of each block."""
    row = column = 0
    found = []
    for tensor in tensors:
        size = tensor._lay().size
        height, width = (1, 1) if not size else (1, size[0]) if len(size) == 1 else size
        found.append((row, column, height, width))
        row, column = row + height, column + width
    return found


def _block(g: Any, c: Any, place: int) -> Any:
    row, column, height, width = c.corners[place]
    return g[row : row + height, column : column + width].reshape(c.sizes[place])


@functools.cache
def _block_rule(count: int) -> Rule:
    formulas: dict[str, Any] = {f"t{i}": lambda g, c, i=i: _block(g, c, i) for i in range(count)}
    return Rule("BlockDiagBackward0", **formulas)


def _blocks(tensors: Sequence[Tensor], corners: Sequence[tuple[int, int, int, int]]) -> Tensor:
    kind = result_dtype(*tensors)
    size = (sum(c[2] for c in corners), sum(c[3] for c in corners))
    out = empty_strided(size, contiguous_stride(size), kind, tensors[0]._device)
    write_number(out, 0)
    for tensor, (row, column, height, width) in zip(tensors, corners, strict=True):
        place = out._lay().narrow(0, row, height).narrow(1, column, width)
        copy_into(out._view(place), tensor)
    return alone(out)


def _check_blocks(tensors: Sequence[Tensor]) -> None:
    for place, tensor in enumerate(tensors):
        if tensor._device != tensors[0]._device:
            raise RuntimeError(
                "Input tensors must all be on the same device. Input 0 is on device "
                f"{tensors[0]._device} and input {place} is on device {tensor._device}."
            )
        if tensor.dim() > 2:
            raise RuntimeError(
                "tensorkit.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Input {place} has {tensor.dim()} dimensions"
            )


@op(kind="copy", methods=())
def block_diag(*tensors: Tensor) -> Tensor:
    """The matrix with tensors along its diagonal, each a block; zeros elsewhere. A vector is one row.

    >>> tk.block_diag(tk.tensor([[1, 2]]), tk.tensor(3))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    given = as_tensors(tensors, "block_diag")
    if not given:
        return empty_strided((1, 0), (1, 1), dtypes.get_default_dtype(), get_default_device())
    _check_blocks(given)
    corners = _corners(given)
    if not any(map(wants_grad, given)):
        return _blocks(given, corners)
    arguments = {f"t{i}": tensor for i, tensor in enumerate(given)}
    rest = {"corners": corners, "sizes": [tensor._lay().size for tensor in given]}
    rule = _block_rule(len(given))
    return recorded_call(rule, "block_diag", arguments | rest, lambda: _blocks(given, corners), "copy")  # type: ignore[no-any-return]
