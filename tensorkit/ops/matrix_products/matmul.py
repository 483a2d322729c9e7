"""Whatever times whatever: `matmul`, and ``a @ b``.

What it is made of is PyTorch's, and so is the order of work: graphs show it.
"""

from __future__ import annotations

from typing import Any

from tensorkit.autograd.graph import requires_grad
from tensorkit.autograd.out_arguments import not_recorded
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.ops.matrix_products.mv import prepare_scalar
from tensorkit.ops.matrix_products.product import check_out, check_tensors, prepare
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.views.view_reshape import unsafe_view
from tensorkit.strides.sizes import broadcast_sizes
from tensorkit.tensor import Tensor, attach


def _folds(a: Tensor, b: Tensor, out: Tensor | None) -> bool:
    """Whether a batch times one matrix or vector is best done as one tall matrix times it, without a copy."""
    larger = a.dim() >= b.dim()
    batch, single = (a, b) if larger else (b, a)
    if batch.dim() < 3 or single.dim() > 2:
        return False
    if requires_grad(single) and out is None:
        return True  # it would be expanded to a batch, and its gradient as large as one
    if a.dim() == 2:
        return False
    lay = batch._lay() if larger else batch._lay().mT
    if not lay.numel:
        return True
    return all(lay.stride[d] == lay.stride[d + 1] * lay.size[d + 1] for d in range(lay.ndim - 2))


def _folded(a: Tensor, b: Tensor, out: Tensor | None) -> Tensor:
    """The batch's matrices above one another, times one matrix or vector."""
    turned = b.dim() > a.dim()
    batch = b.mT if turned else a
    single = (a.t() if a.dim() == 2 else a) if turned else b
    size = batch._lay().size
    tall = batch.reshape(-1 if batch.numel() else _count(size[:-1]), size[-1])
    if single.dim() == 1:
        if isinstance(out, Tensor):
            if out._dtype is not tall._dtype and single._dtype is tall._dtype:
                labels = ", ".join((out._dtype.label, tall._dtype.label))
                raise RuntimeError(
                    f"addmv input tensors must have the same dtype, but got {labels}, and {single._dtype.label}"
                )
            _check_folded(out, size[:-1], tall._lay().size[:1])
        return unsafe_view(tall.mv(single), size[:-1])  # type: ignore[no-any-return]
    if out is not None:
        check_out(out, tall._dtype)
        columns = single._lay().size[1:]
        _check_folded(out, (*size[:-1], *columns), (tall._lay().size[0], *columns))
    result: Tensor = unsafe_view(tall.mm(single), (*size[:-1], single._lay().size[1]))
    return result.mT.contiguous() if turned else result


def _check_folded(out: Tensor, size: tuple[int, ...], tall: tuple[int, ...]) -> None:
    """PyTorch multiplies into `out` as one tall matrix, and stumbles over one that cannot be looked at like that."""
    lay = out._lay()
    if lay.size == size and lay.reshape(tall) is None:
        broadcast_sizes(size, tall)


def _count(sizes: tuple[int, ...]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count


def _batched(a: Tensor, b: Tensor, out: Tensor | None) -> Tensor:
    """Both expanded to one batch of matrices each, multiplied pair by pair."""
    size_a, size_b = a._lay().size, b._lay().size
    if len(size_a) == len(size_b) == 3 and size_a[0] != size_b[0]:
        if size_a[0] == 1 and requires_grad(a):
            return _multiply(a.squeeze(0), b)
        if size_b[0] == 1 and requires_grad(b):
            return _multiply(a, b.squeeze(0))
    if out is not None:
        check_out(out, b._dtype)
    batch = broadcast_sizes(size_a[:-2], size_b[:-2])
    many = _count(batch)
    rows, vector = size_a[-2:-1] or (1,), len(size_b) == 1
    left = a.expand((*batch, *rows, size_a[-1])).reshape(many, *rows, size_a[-1])
    right = b.expand((*batch, *size_b[-2:])).reshape(many, *size_b[-2:])
    paired = left.bmm(right.unsqueeze(2)).squeeze(-1) if vector else left.bmm(right)
    return unsafe_view(paired, (*batch, *size_a[-2:-1], *(() if vector else size_b[-1:])))  # type: ignore[no-any-return]


def _multiply(a: Tensor, b: Tensor, out: Tensor | None = None) -> Tensor:
    dims = a.dim(), b.dim()
    if not dims[0] or not dims[1]:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {dims[0]}D and {dims[1]}D"
        )
    if dims == (1, 1):
        made = a.dot(b)
        if out is not None:
            prepare_scalar(out, a._dtype)
        return made
    if dims == (2, 1):
        return a.mv(b)
    if dims == (1, 2):
        return a.unsqueeze(0).mm(b).squeeze_(0)
    if dims == (2, 2):
        return a.mm(b)
    return _folded(a, b, out) if _folds(a, b, out) else _batched(a, b, out)


@op(kind="reduce", rounded=1, methods=("matmul", "__matmul__", "__rmatmul__"))
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply two tensors as matrices: what ``a @ b`` does.

    Two vectors give their `dot`, a matrix and a vector their `mv`, two matrices their `mm`. With more dimensions the
    last two are matrices, and those before are a batch, broadcast; a vector on the left counts as a row, on the right
    as a column, and its dimension is gone from the result.

    Raises:
        RuntimeError: for a tensor without dimensions, sizes that do not fit, or two dtypes.
        MissingKernelError: for bool and the wide unsigned integers.

    >>> (tk.ones(3, 4) @ tk.ones(4)).size(), (tk.ones(10, 1, 3, 4) @ tk.ones(5, 4, 2)).size()
    (tensorkit.Size([3]), tensorkit.Size([10, 5, 3, 2]))
    """
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        check_tensors("matmul", input=input, other=other)
    if out is None:
        return _multiply(input, other)
    if requires_grad(input) or requires_grad(other):
        raise not_recorded("matmul")
    made = _multiply(input, other, out)
    row = (input.dim(), other.dim()) == (1, 2)
    if row:
        made = made.unsqueeze(0)
    prepare(out, made._lay().size, made._dtype)
    copy_into(out, made)
    out._bump()
    return out.squeeze_(0) if row else out  # PyTorch writes a matrix of one row, and then takes the row away


@shortened("__matmul__")
def _left(self: Tensor, other: Any) -> Any:
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _right(self: Tensor, other: Any) -> Any:
    return matmul(other, self) if isinstance(other, Tensor) else NotImplemented


attach("__matmul__", _left)
attach("__rmatmul__", _right)
