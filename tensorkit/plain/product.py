"""Products: each element is a sum over one row of the first and one column of the second.

>>> a = plain.tensor([[1, 2], [3, 4]])
>>> (a @ a).tolist()
[[7, 10], [15, 22]]
"""

from __future__ import annotations

import math
from typing import Any

from tensorkit.plain.backward import note
from tensorkit.plain.pointwise import saved
from tensorkit.plain.tensors import Tensor, made, offered
from tensorkit.strides.layout import Layout, contiguous
from tensorkit.strides.sizes import broadcast_sizes


def _rows(input: Tensor, layout: Layout) -> list[list[list[Any]]]:
    """The rows of each matrix of a batch."""
    batch = Layout(layout.size[:-2], layout.stride[:-2], layout.offset)
    matrices = [Layout(layout.size[-2:], layout.stride[-2:], start) for start in batch.slots()]
    return [
        [[input.numbers[slot] for slot in one.select(0, i).slots()] for i in range(one.size[0])]
        for one in matrices
    ]


def _product(a: Tensor, b: Tensor) -> Tensor:
    """Matrices, or batches of them that broadcast: (…, n, m) times (…, m, p)."""
    (n, m), (k, p) = a.shape[-2:], b.shape[-2:]
    if m != k:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{m} and {k}x{p})")
    batch = broadcast_sizes(a.shape[:-2], b.shape[:-2])
    left = _rows(a, a.layout.expand((*batch, n, m)))
    right = _rows(b, b.layout.expand((*batch, m, p)).transpose(-2, -1))
    add = math.fsum if a.dtype.is_floating_point else sum
    numbers = [
        add(x * y for x, y in zip(row, column, strict=True))
        for rows, columns in zip(left, right, strict=True)
        for row in rows
        for column in columns
    ]
    x, y = saved(a), saved(b)
    out = made(numbers, a.dtype, contiguous((*batch, n, p)))
    return note(
        "matmul", out, (a, b), lambda g: (matmul(g, y.transpose(-2, -1)), matmul(x.transpose(-2, -1), g))
    )


@offered("matmul", "__matmul__")
def matmul(input: Any, other: Any) -> Tensor:
    """Vectors count as a row on the left and as a column on the right; that dimension is gone from the result."""
    if not input.dim() or not other.dim():
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {input.dim()}D and {other.dim()}D"
        )
    if input.dtype != other.dtype:
        raise RuntimeError(
            f"expected both to have the same dtype, but got: {input.dtype.name} != {other.dtype.name}"
        )
    a = input.unsqueeze(0) if input.dim() == 1 else input
    b = other.unsqueeze(1) if other.dim() == 1 else other
    out: Any = _product(a, b)
    if other.dim() == 1:
        out = out.squeeze(-1)
    return out.squeeze(-1 if other.dim() == 1 else -2) if input.dim() == 1 else out


def _of_dims(name: str, first: int, second: int) -> None:
    def product(input: Tensor, other: Tensor) -> Tensor:
        if (input.dim(), other.dim()) != (first, second):
            raise RuntimeError(
                f"{name}: expected {first}D and {second}D, but got {input.dim()}D and {other.dim()}D"
            )
        return matmul(input, other)

    product.__name__ = name
    offered(name)(product)


for _name, _first, _second in (("mm", 2, 2), ("bmm", 3, 3), ("mv", 2, 1), ("dot", 1, 1)):
    _of_dims(_name, _first, _second)


@offered("outer", "ger")
def outer(input: Any, vec2: Any) -> Tensor:
    """Each element of one vector times each of the other."""
    return input.unsqueeze(1) * vec2.unsqueeze(0)
