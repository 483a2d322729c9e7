"""Powers of a matrix: `matrix_power`."""

from __future__ import annotations

from typing import Any

from tensorkit.dispatch.op import op
from tensorkit.memory_format import contiguous_format
from tensorkit.ops.creation.eye import eye
from tensorkit.ops.linalg.checks import check_cast
from tensorkit.ops.matrix_products.product import check_out, check_tensors, copied_out, refuse_recording
from tensorkit.tensor import Tensor


def _power(A: Tensor, n: int) -> Tensor:
    if n == 0:
        identity = eye(A.size(-1), dtype=A._dtype, device=A._device)
        return A.clone(memory_format=contiguous_format).copy_(identity)
    if n == 1:
        return A.clone(memory_format=contiguous_format)
    base, n = (A.inverse(), -n) if n < 0 else (A, n)
    if n == 3:
        return (base @ base) @ base
    square, result = base, None
    while True:
        if n % 2:
            result = square if result is None else result @ square
        n //= 2
        if not n:
            assert result is not None
            return result
        square = square @ square


def _checked_power(A: Tensor, n: Any, out: Tensor | None) -> Tensor:
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError("n is an integer")  # the caller says it in PyTorch's words
    if A.dim() < 2:
        raise RuntimeError("linalg.matrix_power: The input tensor A must have at least 2 dimensions.")
    if A.size(-1) != A.size(-2):
        raise RuntimeError(
            "linalg.matrix_power: A must be batches of square matrices, but they are "
            f"{A.size(-2)} by {A.size(-1)} matrices"
        )
    if out is None:
        return _power(A, int(n))
    check_cast(A._dtype, out._dtype, "matrix_power")
    if n not in (0, 1):
        refuse_recording("matmul", A)
        check_out(out, A._dtype)
    return copied_out(_power(A, int(n)), out)


@op(strict=True, kind="reduce", rounded=8, name="matrix_power", namespace="linalg")
def linalg_matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """A square matrix multiplied by itself `n` times; the inverse as often for a negative `n`. Also of batches.

    Raises:
        RuntimeError: for what is not square. LinAlgError: for the inverse of a singular matrix.

    >>> tk.linalg.matrix_power(tk.tensor([[1, 1], [1, 0]]), 10)
    tensor([[89, 55],
            [55, 34]])
    """
    check_tensors("linalg_matrix_power", input=input)
    return _checked_power(input, n, out)


@op(strict=True, kind="reduce", rounded=8)
def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """``linalg.matrix_power`` by its older name.

    >>> tk.matrix_power(tk.tensor([[2]]), 5)
    tensor([[32]])
    """
    check_tensors("matrix_power", input=input)
    return _checked_power(input, n, out)
