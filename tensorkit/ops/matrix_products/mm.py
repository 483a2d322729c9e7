"""Matrix times matrix: `mm`, `bmm`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.elementwise.output import check_writable
from tensorkit.elementwise.promotion import check_devices
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.sizes import SMALL
from tensorkit.ops.matrix_products.product import (
    BLAS,
    by_blas,
    check_kernel,
    check_tensors,
    deliver_product,
    multiplied,
    prepare,
)
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.tensor import Array, Tensor, fresh

_MATRICES, MATRIX_AND_VECTOR, VECTORS = ((2, 2),), ((2, 1),), ((1, 1),)
_FORMS = (*_MATRICES, *MATRIX_AND_VECTOR, *VECTORS)


def quick(a: Any, b: Any) -> Tensor | None:
    """`quick_product` of tensors without gradients."""
    return None if wants_grad(a) or wants_grad(b) else quick_product(a, b)


def quick_product(a: Any, b: Any, forms: tuple[tuple[int, int], ...] = _FORMS) -> Tensor | None:
    """The product of matrices and vectors about which nothing has to be decided; None when others must look."""
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return None
    kind, x, y = a._dtype, a._array, b._array
    if kind is not b._dtype or kind not in BLAS:
        return None
    if x is None:
        if a._device is not CPU or a._bits:
            return None
        x = a._nd()
    if y is None:
        if b._device is not CPU or b._bits:
            return None
        y = b._nd()
    if (x.ndim, y.ndim) not in forms or x.shape[-1] != y.shape[0]:
        return None
    # `dot` begins in a third of the time that `matmul` takes to; but 0 times nan is 0 to it, where one is all there is.
    if 1 < x.size < SMALL and 1 < y.size < SMALL and y.shape[0] > 1:
        made = kernels.quiet(x.dot, y)
        return fresh(made if made.__class__ is numpy.ndarray else numpy.asarray(made), kind)
    if y.ndim != 2:
        return None
    try:
        return fresh(by_blas(x, y), kind)
    except MemoryError:
        return None  # refused in PyTorch's words


def _column_major(face: Any) -> bool:
    """Whether a matrix lies column by column: its gradient is then computed so that it does too."""
    return bool(face.stride[0] == 1 and face.stride[1] == face.size[0])


def _mm_first(g: Any, c: Any) -> Any:
    if _column_major(c.input_face):
        return c.mat2.conj().mm(g.t()).t()
    return g.mm(c.mat2.t().conj())


def _mm_second(g: Any, c: Any) -> Any:
    if _column_major(c.mat2_face):
        return g.t().mm(c.input.conj()).t()
    return c.input.t().conj().mm(g)


@op(
    kind="reduce",
    rounded=1,
    derivative=Rule("MmBackward0", input=_mm_first, mat2=_mm_second),
    library="BLAS",
    family="products",
)
@takes(
    "(Tensor input, Tensor mat2, *, Tensor out = None)",
    "(Tensor input, Tensor mat2, tensorkit.dtype out_dtype, *, Tensor out = None)",
    method=("(Tensor mat2)",),
)
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply two matrices.

    Args:
        input: n × m.
        mat2: m × p, of the same dtype.

    Returns:
        n × p: each element the sum over a row of the one times a column of the other.

    Raises:
        RuntimeError: for other numbers of dimensions, sizes that do not fit, or two dtypes.
        MissingKernelError: for bool and the wide unsigned integers.

    >>> tk.mm(tk.tensor([[1, 2], [3, 4]]), tk.tensor([[1], [10]]))
    tensor([[21],
            [43]])
    """
    if out is None and (done := quick_product(input, mat2, _MATRICES)) is not None:
        return done
    check_tensors("mm", input=input, mat2=mat2)
    for label, matrix in (("self", input), ("mat2", mat2)):
        if matrix.dim() != 2:
            raise RuntimeError(f"{label} must be a matrix")
    (n, m), (k, p) = input._lay().size, mat2._lay().size
    if m != k:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{m} and {k}x{p})")
    where, kind = check_devices((input, mat2)), input._dtype
    if out is not None:
        prepare(out, (n, p), kind)
    if kind is not mat2._dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {cpp_name(kind)} != {cpp_name(mat2._dtype)}"
        )
    if out is not None:
        check_writable(out)

    def body() -> Array | Tensor:
        check_kernel("addmm_impl_cpu_", kind, n * m * p)
        return multiplied(input, mat2, kind)

    return deliver_product("mm", body, (n, p), kind, where, out)


matrices: Callable[[Tensor, Tensor], Tensor] = mm.__wrapped__  # type: ignore[attr-defined]  # as it is recorded


@op(
    kind="reduce",
    rounded=1,
    derivative=Rule(
        "BmmBackward0",
        input=lambda g, c: g.bmm(c.mat2.transpose(1, 2).conj()),
        mat2=lambda g, c: c.input.transpose(1, 2).conj().bmm(g),
    ),
    out_overlap="allowed",
    library="BLAS",
    family="products",
)
@takes(
    "(Tensor input, Tensor mat2, *, Tensor out = None)",
    "(Tensor input, Tensor mat2, tensorkit.dtype out_dtype, *, Tensor out = None)",
    method=("(Tensor mat2)",),
)
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply two batches of matrices, pair by pair.

    Args:
        input: b × n × m.
        mat2: b × m × p, of the same dtype.

    Raises:
        RuntimeError: for other numbers of dimensions, sizes that do not fit, or two dtypes.
        MissingKernelError: for bool and the wide unsigned integers.

    >>> tk.bmm(tk.ones(10, 3, 4), tk.ones(10, 4, 5)).size()
    tensorkit.Size([10, 3, 5])
    """
    check_tensors("bmm", input=input, mat2=mat2)
    for label, batch in (("batch1", input), ("batch2", mat2)):
        if batch.dim() != 3:
            raise RuntimeError(f"{label} must be a 3D tensor")
    (b, n, m), (other, k, p) = input._lay().size, mat2._lay().size
    if (b, m) != (other, k):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{b}, {m}] but got: [{other}, {k}]."
        )
    where, kind = check_devices((input, mat2)), mat2._dtype
    if out is not None:
        prepare(out, (b, n, p), kind)

    def body() -> Array | Tensor:
        if not b * n * m * p and where == CPU:
            return numpy.zeros((b, n, p), kind.numpy)
        check_kernel("bmm", input._dtype, b * n * m * p)
        if input._dtype is not kind and b * n * m * p:
            raise RuntimeError(f"expected scalar type {input._dtype.label} but found {kind.label}")
        return multiplied(input, mat2, kind)

    return deliver_product("bmm", body, (b, n, p), kind, where, out)
