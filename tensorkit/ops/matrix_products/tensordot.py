"""Sums of products over given dimensions: `tensordot`, `inner`, `kron`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import Inner
from tensorkit.elementwise.output import resize_out
from tensorkit.ops.matrix_products.product import check_tensors
from tensorkit.ops.pointwise.arithmetic import mul
from tensorkit.ops.shared.int_args import as_ints
from tensorkit.ops.views.view_reshape import unsafe_view
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Tensor

# -- tensordot, inner ---------------------------------------------------------------------------------------------


def _dims_of(a: Any, b: Any, dims: Any) -> tuple[Any, Any]:
    """The dimensions to contract, of the first and of the second."""
    if isinstance(dims, Tensor):
        if dims.numel() > 1:
            if len(dims) != 2:
                raise AssertionError(f"dims tensor must have size 2 in first dimension, got {len(dims)}")
            return dims[0].tolist(), dims[1].tolist()
        dims = int(dims.item())
    if isinstance(dims, (tuple, list)):
        first, second = dims
        return first, second
    if not isinstance(dims, int):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got {dims=}")
    if dims > min(a.dim(), b.dim()):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got {dims=}")
    return list(range(-dims, 0)), list(range(dims))


def _distinct(dims: Sequence[int], ndim: int) -> list[int]:
    found: list[int] = []
    for dim in dims:
        axis = normalise_dim(dim, ndim)
        if axis in found:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
        found.append(axis)
    return found


def _contracted(a: Tensor, b: Tensor, dims_a: Sequence[int], dims_b: Sequence[int]) -> Tensor:
    if len(dims_a) != len(dims_b):
        raise RuntimeError("both dimension lists should have same length")
    if a._dtype is not b._dtype:
        raise RuntimeError("both inputs should have same dtype")
    one, two, length = a, b, 1
    for x, y in zip(dims_a, dims_b, strict=True):
        m, n = a.size(x), b.size(y)
        if n == 1:  # a broadcast dimension can be summed right away
            one = one.sum(x, keepdim=True, dtype=a._dtype)
        elif m == 1:
            two = two.sum(y, keepdim=True, dtype=b._dtype)
        elif m != n:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {m} in dim {x} and second has size {n} in "
                f"dim {y}"
            )
        else:
            length *= m
    gone_a, gone_b = _distinct(dims_a, a.dim()), _distinct(dims_b, b.dim())
    rows = [d for d in range(a.dim()) if d not in gone_a]
    columns = [d for d in range(b.dim()) if d not in gone_b]
    size = [*(one.size(d) for d in rows), *(two.size(d) for d in columns)]
    n, p = math.prod(size[: len(rows)]), math.prod(size[len(rows) :])
    one, two = one.permute([*rows, *gone_a]), two.permute([*gone_b, *columns])
    if n == 1 and p == 1:
        return _one_number(one, two).reshape(size)
    return one.reshape(n, length).mm(two.reshape(length, p)).reshape(size)


def _one_number(a: Tensor, b: Tensor) -> Tensor:
    """Everything contracted: of row-major operands their `dot`, of others the sum of what they are pair by pair."""
    if a.is_contiguous() and b.is_contiguous():
        return a.flatten().dot(b.flatten())
    return (a.squeeze() * b.squeeze()).sum(dtype=a.dtype)


def _written(result: Tensor, out: Any) -> Tensor:
    """A result copied into a tensor given as ``out=``, which must have its dtype."""
    if out._dtype is not result._dtype:
        raise RuntimeError(
            f"tensordot: Expected the output tensor to have dtype {result._dtype.label}, but got an output tensor with "
            f"dtype {out._dtype.label}"
        )
    resize_out(out, result._lay().size)
    return out.copy_(result)  # type: ignore[no-any-return]


def _in_python(a: Any, b: Any, dims: Any = 2, out: Any = None) -> Inner | None:
    return None if out is None else ("tensordot", (a, b, (), ()), {"out": out})


@op(kind="reduce", rounded=1, methods=(), out_recording="in place")
@takes(
    "(Tensor input, Tensor other, tuple of ints dims_self, tuple of ints dims_other, *, Tensor out = None)",
    python=_in_python,
)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """Multiply two tensors and sum over pairs of their dimensions.

    Args:
        dims: how many of the last dimensions of `a` go with the first ones of `b`; or two lists of dimensions.

    Returns:
        A tensor with the other dimensions of `a`, then those of `b`.

    Raises:
        RuntimeError: when the sizes or dtypes do not fit. IndexError: for a dimension out of range.

    >>> tk.tensordot(tk.ones(3, 4, 5), tk.ones(4, 3, 2), dims=([1, 0], [0, 1])).size()
    tensorkit.Size([5, 2])
    """
    dims_a, dims_b = _dims_of(a, b, dims)
    check_tensors("tensordot", input=a, other=b)
    dims_a = as_ints((dims_a,), "tensordot", "dims_self", 3) if isinstance(dims_a, (list, tuple)) else dims_a
    if isinstance(dims_a, int):
        raise TypeError("tensordot(): argument 'dims_self' (position 3) must be tuple of ints, not int")
    result = _contracted(a, b, dims_a, dims_b)
    return result if out is None else _written(result, out)


@op(kind="reduce", rounded=1)
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply two tensors and sum over the last dimension of both; one without dimensions just scales the other.

    Raises:
        RuntimeError: when the last dimensions or the dtypes differ.

    >>> tk.inner(tk.tensor([1, 2, 3]), tk.tensor([0, 2, 1])), tk.inner(tk.tensor([1, 2]), tk.tensor(2))
    (tensor(7), tensor([2, 4]))
    """
    check_tensors("inner", input=input, other=other)
    if not input.dim() or not other.dim():
        return input * other if out is None else mul(input, other, out=out)
    if input.size(-1) != other.size(-1):
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.size())} and {list(other.size())}"
        )
    result = _contracted(input, other, (-1,), (-1,))
    return result if out is None else _written(result, out)


# -- kron ---------------------------------------------------------------------------------------------------------


@op(kind="pointwise", out_error="mul")
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: each element of the first, replaced by itself times the whole second.

    The one with fewer dimensions gets more of size 1 in front.

    >>> tk.kron(tk.tensor([1, 10]), tk.tensor([[1, 2], [3, 4]]))
    tensor([[ 1,  2, 10, 20],
            [ 3,  4, 30, 40]])
    """
    check_tensors("kron", input=input, other=other)
    ndim = max(input.dim(), other.dim())
    a = [*(1 for _ in range(ndim - input.dim())), *input.size()]
    b = [*(1 for _ in range(ndim - other.dim())), *other.size()]
    wide_a = [n for length in a for n in (length, 1)]
    wide_b = [n for length in b for n in (1, length)]
    size = [m * n for m, n in zip(a, b, strict=True)]
    if out is None:
        return unsafe_view(unsafe_view(input, wide_a) * unsafe_view(other, wide_b), size)  # type: ignore[no-any-return]
    resize_out(out, tuple(size))
    apart = unsafe_view(out, [n for pair in zip(a, b, strict=True) for n in pair])
    mul(unsafe_view(input, wide_a), unsafe_view(other, wide_b), out=apart)
    return out
