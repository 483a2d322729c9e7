"""Products of several matrices: `linalg.multi_dot`, `chain_matmul`; `linalg.matmul`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.errors import warn
from tensorkit.ops.matrix_products.matmul import matmul as _matmul
from tensorkit.ops.matrix_products.product import check_tensors, copied_out
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.tensor import Tensor


@op(kind="reduce", rounded=1, namespace="linalg")
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input @ other``; see ``tensorkit.matmul``.

    >>> tk.linalg.matmul(tk.tensor([[1, 2]]), tk.tensor([3, 4]))
    tensor([11])
    """
    check_tensors("linalg_matmul", input=input, other=other)
    return _matmul(input, other, out=out)


def _as_matrices(tensors: Sequence[Tensor]) -> tuple[list[Tensor], list[int]]:
    """The factors, a vector at either end as a row or a column, and the size of the product."""
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    found, size = list(tensors), []
    for place, label, axis in ((0, "first", 0), (len(tensors) - 1, "last", 1)):
        one = tensors[place]
        if one.dim() not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {label} tensor must be 1D or 2D but got {one.dim()}D")
        if one.dim() == 1:
            found[place] = one.unsqueeze(0 if not place else -1)
        else:
            size.append(one.size(axis))
    for place, one in enumerate(tensors[1:-1], 1):
        if one.dim() != 2:
            raise RuntimeError(f"multi_dot(): tensor {place} must be 2D but got {one.dim()}D")
    _check_neighbours(tensors, found)
    return found, size


def _check_neighbours(tensors: Sequence[Tensor], matrices: Sequence[Tensor]) -> None:
    kind = tensors[0]._dtype
    for place in range(1, len(tensors)):
        own = tensors[place]._dtype
        if own is not kind:
            raise RuntimeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{cpp_name(kind)} and tensor {place} {cpp_name(own)}"
            )
        if matrices[place - 1].size(-1) != matrices[place].size(0):
            sizes = [list(tensors[i].size()) for i in (place - 1, place)]
            raise RuntimeError(
                f"multi_dot(): tensors {place - 1} and {place} with shapes {sizes[0]} and {sizes[1]} cannot be "
                "multiplied"
            )


def _cheapest(matrices: Sequence[Tensor]) -> list[list[int]]:
    """Where to cut each run of a chain in two, so that the fewest numbers are multiplied.

    Source: Cormen, Leiserson, Rivest, Stein: Introduction to Algorithms, section "Matrix-chain multiplication".
    """
    count = len(matrices)
    p = [one.size(0) for one in matrices] + [matrices[-1].size(1)]
    cost: list[list[float]] = [[0] * count for _ in range(count)]
    cut = [[0] * count for _ in range(count)]
    for width in range(1, count):
        for i in range(count - width):
            j = i + width
            cost[i][j] = float("inf")
            for k in range(i, j):
                total = cost[i][k] + cost[k + 1][j] + p[i] * p[k + 1] * p[j + 1]
                if total < cost[i][j]:
                    cost[i][j], cut[i][j] = total, k
    return cut


def _multiplied(matrices: Sequence[Tensor], cut: list[list[int]], i: int, j: int) -> Tensor:
    if i == j:
        return matrices[i]
    k = cut[i][j]
    return _multiplied(matrices, cut, i, k).mm(_multiplied(matrices, cut, k + 1, j))


def _multi_dot(tensors: Sequence[Tensor], out: Tensor | None) -> Tensor:
    matrices, size = _as_matrices(tensors)
    kind = tensors[0]._dtype
    if out is not None and out._dtype is not kind:
        raise RuntimeError(
            f"multi_dot(): expected out tensor to have dtype {cpp_name(kind)} but got {cpp_name(out._dtype)}"
        )
    if len(matrices) == 3:
        a, c = matrices[0].size(0), matrices[2].size(0)
        b, d = matrices[1].size(0), matrices[2].size(1)
        late = (a * c) * (b + d) > (b * d) * (a + c)
        product = (
            matrices[0].mm(matrices[1].mm(matrices[2]))
            if late
            else matrices[0].mm(matrices[1]).mm(matrices[2])
        )
    else:
        product = _multiplied(matrices, _cheapest(matrices), 0, len(matrices) - 1)
    result = product.view(size)
    return result if out is None else copied_out(result, out)


def _check_list(name: str, tensors: Any) -> None:
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type_name(tensors)}"
        )
    for number, one in enumerate(tensors):
        if not isinstance(one, Tensor):
            raise TypeError(f"expected Tensor as element {number} in argument 0, but got {type_name(one)}")


@op(kind="reduce", rounded=4, namespace="linalg", out_error="mm")
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Multiply matrices one after another, in the order that costs the fewest multiplications.

    Args:
        tensors: two or more matrices of one dtype; the first and the last may be vectors: a row and a column.

    Raises:
        RuntimeError: when they do not fit.

    >>> tk.linalg.multi_dot([tk.ones(2, 3), tk.ones(3, 4), tk.ones(4)])
    tensor([12., 12.])
    """
    _check_list("linalg_multi_dot", tensors)
    return _multi_dot(tensors, out)


@op(kind="reduce", rounded=4, methods=())
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """``linalg.multi_dot`` by its older, deprecated name, for matrices alone.

    >>> import tensorkit as tk, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     tk.chain_matmul(tk.ones(1, 3), tk.ones(3, 4), tk.ones(4, 1))
    tensor([[12.]])
    """
    _check_list("chain_matmul", matrices)
    warn(
        "tensorkit.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
        "tensorkit.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple "
        "parameters."
    )
    for one in matrices:
        if one.dim() != 2:
            raise RuntimeError(f"Tensor dimension is {one.dim()}, expected 2 instead.")
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    if len(matrices) == 1:
        return matrices[0].clone() if out is None else copied_out(matrices[0], out)
    return _multi_dot(matrices, out)
