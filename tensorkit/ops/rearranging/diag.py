"""Diagonals: `diag`, `diag_embed`, `diagflat`."""

from __future__ import annotations

from typing import Any

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.output import empty_strided
from tensorkit.ops.creation.tril_triu import exact_out
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.views.slicing import diagonal_backward
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Tensor


def whole(value: Any, name: str, argument: str, position: int) -> int:
    if isinstance(value, (bool, float)) or not hasattr(value, "__index__"):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be int, not {type_name(value)}"
        )
    return int(value.__index__())


def _zeros(size: tuple[int, ...], like: Tensor) -> Tensor:
    out = empty_strided(size, contiguous_stride(size), like._dtype, like._device)
    write_number(out, 0)
    return out


def _embedded(input: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    lay = input._lay()
    ndim = len(lay.size) + 1
    first, second = normalise_dim(dim1, ndim), normalise_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    length = lay.size[-1] + abs(offset)
    size = list(lay.size[:-1])
    for dim in sorted((first, second)):
        size.insert(dim, length)
    out = _zeros(tuple(size), input)
    copy_into(out._view(out._lay().diagonal(offset, first, second)), input)
    return alone(out)


def alone(out: Tensor) -> Tensor:
    """The view made while filling it is gone: there is no other reference."""
    out._counter = None
    return out


@op(
    kind="copy",
    derivative=Rule("DiagEmbedBackward0", input=lambda g, c: g.diagonal(c.offset, c.dim1, c.dim2)),
)
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices whose diagonals are the vectors along the last dimension; zeros elsewhere.

    Args:
        offset: which diagonal: 0 the main one, positive ones above it.
        dim1, dim2: the two dimensions of the result that make the matrices.

    >>> tk.diag_embed(tk.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    which = whole(offset, "diag_embed", "offset", 2)
    return _embedded(input, which, whole(dim1, "diag_embed", "dim1", 3), whole(dim2, "diag_embed", "dim2", 4))


def _diag_name(arguments: dict[str, Any]) -> str:
    return "DiagonalBackward0_copy" if arguments["input"].dim() == 2 else "DiagEmbedBackward0"


def _can_diag(arguments: dict[str, Any]) -> bool:
    return arguments["input"].dim() in (1, 2)


def _under_out(*tensors: Tensor) -> str:
    """The operation that PyTorch comes down to."""
    if not tensors:
        return "diag"
    return "aten::diag_embed" if tensors[0].dim() == 1 else "aten::diagonal_copy"


def _diag_back(g: Any, face: Any, diagonal: int) -> Any:
    if len(face.size) == 1:
        return g.diagonal(diagonal)
    return diagonal_backward(g, face.size, diagonal, 0, 1)


@op(
    strict=True,
    kind="copy",
    derivative=Rule(
        _diag_name, applies=_can_diag, input=lambda g, c: _diag_back(g, c.input_face, c.diagonal)
    ),
    out_error=_under_out,
)
def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """A matrix with the vector on a diagonal; for a matrix, a copy of its diagonal.

    Raises:
        RuntimeError: for a number, or more than two dimensions.

    >>> tk.diag(tk.tensor([1, 2])), tk.diag(tk.tensor([[1, 2], [3, 4]]), 1)
    (tensor([[1, 0],
            [0, 2]]), tensor([2]))
    """
    which = whole(diagonal, "diag", "diagonal", 2)
    ndim = input.dim()
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    if ndim == 1:
        made = _embedded(input, which, 0, 1)
    else:
        part = input._view(input._lay().diagonal(which))
        made = empty_strided(part._lay().size, (1,), input._dtype, input._device)
        copy_into(made, part)
    if out is None:
        return made
    target = exact_out(out, made._lay().size, input._dtype, "diag")
    copy_into(target, made)
    target._bump()
    return target


@op(kind="copy")
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix with all elements of a tensor, in a row, on a diagonal.

    >>> tk.diagflat(tk.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    row: Any = input.contiguous()
    return diag_embed(row.view(-1), whole(offset, "diagflat", "offset", 2))
