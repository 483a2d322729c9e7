"""What is read off a matrix or made of its elements: `trace`, `linalg.diagonal`, `linalg.vander`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.matrix_products.product import LACKS, check_tensors, deliver_product
from tensorkit.ops.shared.tensor_data import tensor
from tensorkit.tensor import Array, Tensor

# -- read off a matrix --------------------------------------------------------------------------------------------


def _trace_back(g: Any, c: Any) -> Any:
    rows, columns = c.input_face.size
    places = tensor([place * (columns + 1) for place in range(min(rows, columns))], dtype=dtypes.int64)
    return g.new_zeros(rows * columns).index_fill(0, places.to(g.device), g).view(rows, columns)


@op(kind="reduce", rounded=1, derivative=Rule("TraceBackward0", input=_trace_back), library="BLAS")
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix; of integers as int64.

    Raises:
        RuntimeError: for anything but a matrix. MissingKernelError: for bool and the wide unsigned integers.

    >>> tk.trace(tk.tensor([[1, 2], [3, 4]]))
    tensor(5)
    """
    check_tensors("trace", input=input)
    if input._dtype in LACKS and input._device != META:
        raise missing_kernel("trace", input._dtype.label)
    if input.dim() != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.dim()}")
    own = input._dtype
    kind = dtypes.int64 if own.category < 2 else own

    def body() -> Array:
        wide = {"float32": numpy.float64, "complex64": numpy.complex128}.get(own.name, kind.numpy)
        chosen = numpy.float32 if kernels.is_half(own) else wide
        diagonal = input._nd().diagonal().astype(chosen)
        return kernels.cast(numpy.asarray(kernels.quiet(numpy.add.reduce, diagonal)), kind)

    return deliver_product("trace", body, (), kind, input._device, None)


@op(strict=True, namespace="linalg")
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """``A.diagonal`` of the last two dimensions, unless others are named: a view.

    >>> tk.linalg.diagonal(tk.arange(8).view(2, 2, 2))
    tensor([[0, 3],
            [4, 7]])
    """
    check_tensors("linalg_diagonal", A=A)
    return A.diagonal(offset, dim1, dim2)


# -- powers -------------------------------------------------------------------------------------------------------


@op(kind="reduce", rounded=1, namespace="linalg")
def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """A Vandermonde matrix: for each element a row of its powers, from 0 to ``N - 1``.

    Args:
        N: as many as there are elements, if not given.

    >>> tk.linalg.vander(tk.tensor([2, 3, 5]))
    tensor([[ 1,  2,  4],
            [ 1,  3,  9],
            [ 1,  5, 25]])
    """
    check_tensors("linalg_vander", x=x)
    if x._dtype is dtypes.bool or kernels.is_half(x._dtype):
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {x._dtype.label}"
        )
    column = x.unsqueeze(-1) if x.dim() else x.unsqueeze(-1).unsqueeze(-1)
    count = column.size(-2) if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = column.expand(*column.size()[:-1], count - 1).cumprod(-1)
    return cat([powers.new_ones((*powers.size()[:-1], 1)), powers], -1)
