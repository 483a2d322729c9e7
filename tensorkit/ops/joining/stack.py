"""Tensors side by side in a dimension: `stack`, `hstack`, `vstack`, `dstack`, `column_stack`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.registry import registry
from tensorkit.dispatch.shortcut import shortened
from tensorkit.elementwise.output import resize_out
from tensorkit.ops.joining.atleast_nd import with_1, with_2, with_3
from tensorkit.ops.joining.cat import (
    as_dim,
    as_tensors,
    cat,
    cat_body,
    joined_stride,
    layer_of,
    part_of,
    recorded,
    rule_for,
)
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Tensor

# -- one beside the other, in a new dimension ---------------------------------------------------------------------


def _stack(tensors: tuple[Tensor, ...], dim: int, out: Any) -> Tensor:
    size = tensors[0]._lay().size
    if isinstance(out, Tensor) and dim < len(size):
        resize_out(out, (*size[:dim], len(tensors), *size[dim:]))
    pieces = tuple([t._view(t._lay().unsqueeze(dim)) for t in tensors])
    stride = _layered_stride(tensors, dim, size) if dim < len(size) else None
    return cat_body(pieces, dim, [(*size[:dim], 1, *size[dim:])] * len(pieces), out, "stack", stride)


def _layered_stride(tensors: Sequence[Tensor], dim: int, size: tuple[int, ...]) -> tuple[int, ...]:
    """PyTorch joins tensors along a dimension that they have, and splits it then."""
    whole = (*size[:dim], len(tensors) * size[dim], *size[dim + 1 :])
    joined = Layout(whole, joined_stride([tensor._lay() for tensor in tensors], whole), 0)
    return joined.view((*size[:dim], len(tensors), *size[dim:])).stride


def _check_stackable(tensors: Sequence[Tensor]) -> None:
    first = tensors[0]._lay().size
    for place, tensor in enumerate(tensors):
        if tensor._lay().size != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(tensor._lay().size)} at entry {place}"
            )


@op(kind="copy", methods=())
@shortened("stack")
def stack(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Put tensors of one size beside one another, along a new dimension at place `dim`.

    Raises:
        RuntimeError: when two sizes differ, or there is no tensor.

    >>> tk.stack([tk.tensor([1, 2]), tk.tensor([3, 4])], dim=1)
    tensor([[1, 3],
            [2, 4]])
    """
    given = as_tensors(tensors, "stack")
    if not given:
        raise RuntimeError("stack expects a non-empty TensorList")
    along = normalise_dim(as_dim(dim, "stack"), given[0].dim() + 1)
    _check_stackable(given)
    if not any(map(wants_grad, given)) and not wants_grad(out):
        return _stack(given, along, out)
    rest = {"dim": along, "out": out}
    rule = rule_for("StackBackward0", layer_of, len(given))
    return recorded("stack", rule, given, rest, lambda: _stack(given, along, out))


# -- rows, columns, layers ----------------------------------------------------------------------------------------


def _some(tensors: Any, name: str) -> tuple[Tensor, ...]:
    given = as_tensors(tensors, name)
    if not given:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return given


@op(kind="copy", methods=(), out_error="cat")
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Put tensors side by side: along dimension 1, vectors along their only one.

    >>> tk.hstack((tk.zeros(2, 1), tk.ones(2, 2)))
    tensor([[0., 1., 1.],
            [0., 1., 1.]])
    """
    given = tuple([with_1(tensor) for tensor in _some(tensors, "hstack")])
    return cat(given, 0 if given[0].dim() == 1 else 1, out=out)


@op(kind="copy", aliases=("row_stack",), methods=(), out_error="cat")
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Put tensors one above the other: along dimension 0; a vector is one row.

    >>> tk.vstack((tk.zeros(2), tk.ones(2, 2)))
    tensor([[0., 0.],
            [1., 1.],
            [1., 1.]])
    """
    return cat(tuple([with_2(tensor) for tensor in _some(tensors, "vstack")]), 0, out=out)


@op(kind="copy", methods=(), out_error="cat")
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Put tensors one behind the other: along dimension 2.

    >>> tk.dstack((tk.zeros(2), tk.ones(2)))
    tensor([[[0., 1.],
             [0., 1.]]])
    """
    return cat(tuple([with_3(tensor) for tensor in _some(tensors, "dstack")]), 2, out=out)


def _as_column(tensor: Any) -> Tensor:
    return tensor.reshape(tensor.numel(), 1) if tensor.dim() < 2 else tensor  # type: ignore[no-any-return]


@op(kind="copy", methods=(), out_error="cat")
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Put tensors side by side; a vector is one column.

    >>> tk.column_stack((tk.tensor([1, 2]), tk.tensor([3, 4])))
    tensor([[1, 3],
            [2, 4]])
    """
    given = tuple([_as_column(tensor) for tensor in _some(tensors, "column_stack")])
    return cat(given, 1, out=out)


def _note_derivatives() -> None:
    """The registry shows the rules of two operands: those of more are alike."""
    registry["cat"].derivative = rule_for("CatBackward0", part_of, 2)
    registry["stack"].derivative = rule_for("StackBackward0", layer_of, 2)


_note_derivatives()
