"""Tensors with at least 1, 2 or 3 dimensions: `atleast_1d`, `atleast_2d`, `atleast_3d`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.ops.joining.cat import as_tensors
from tensorkit.tensor import Tensor


def _one_or_several(
    tensors: tuple[Any, ...], each: Callable[[Tensor], Tensor], name: str
) -> Tensor | tuple[Tensor, ...]:
    """`each` of one tensor; or of all, given side by side or as one sequence."""
    if len(tensors) == 1:
        only = tensors[0]
        if isinstance(only, Tensor):
            return each(only)
        if not isinstance(only, (tuple, list)):
            raise TypeError(
                f"{name}() received an invalid combination of arguments - got ({type_name(only)}), but expected one "
                "of:\n * (Tensor input)\n * (tuple of Tensors tensors)\n"
            )
        tensors = tuple(only)
    return tuple([each(tensor) for tensor in as_tensors(tensors, name)])


def with_1(tensor: Any) -> Tensor:
    return tensor if tensor._lay().size else tensor.reshape(1)  # type: ignore[no-any-return]


def with_2(tensor: Any) -> Tensor:
    ndim = len(tensor._lay().size)
    if ndim == 1:
        return tensor.unsqueeze(0)  # type: ignore[no-any-return]
    return tensor if ndim else tensor.reshape(1, 1)  # type: ignore[no-any-return]


def with_3(tensor: Any) -> Tensor:
    ndim = len(tensor._lay().size)
    if ndim == 0:
        return tensor.reshape(1, 1, 1)  # type: ignore[no-any-return]
    if ndim == 1:
        return tensor.unsqueeze(0).unsqueeze(-1)  # type: ignore[no-any-return]
    return tensor.unsqueeze(-1) if ndim == 2 else tensor  # type: ignore[no-any-return]


@op(methods=())
def atleast_1d(*tensors: Any) -> Any:
    """Each tensor with at least one dimension: a number becomes a vector of one, anything else stays itself.

    Returns:
        One tensor for one tensor; a tuple for several, or for a sequence of them.

    >>> tk.atleast_1d(tk.tensor(2))
    tensor([2])
    """
    return _one_or_several(tensors, with_1, "atleast_1d")


@op(methods=())
def atleast_2d(*tensors: Any) -> Any:
    """Each tensor with at least two dimensions: a vector becomes a row.

    >>> tk.atleast_2d(tk.tensor([1, 2]))
    tensor([[1, 2]])
    """
    return _one_or_several(tensors, with_2, "atleast_2d")


@op(methods=())
def atleast_3d(*tensors: Any) -> Any:
    """Each tensor with at least three dimensions: a vector lies along the middle one, a matrix along the first two.

    >>> tk.atleast_3d(tk.zeros(4)).size(), tk.atleast_3d(tk.zeros(2, 3)).size()
    (tensorkit.Size([1, 4, 1]), tensorkit.Size([2, 3, 1]))
    """
    return _one_or_several(tensors, with_3, "atleast_3d")
