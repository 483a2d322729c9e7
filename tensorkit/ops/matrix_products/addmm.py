"""A product added to something: ``beta × input + alpha × product``, as BLAS has it.

A `beta` of 0 means that `input` is not read at all: not a number in it is lost. 16-bit floats are multiplied and added
in float32, and rounded once.
"""

from __future__ import annotations

from typing import Any

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.elementwise.output import check_writable
from tensorkit.elementwise.promotion import check_devices
from tensorkit.ops.matrix_products.addmm_arguments import (
    as_factors,
    check_base,
    check_factors,
    deliver,
    forms_with_dtype,
    only_scaled,
    product_added,
    scaled_gradient,
    target_of,
)
from tensorkit.ops.matrix_products.product import check_kernel, check_tensors
from tensorkit.tensor import Tensor


def _addmm_first(g: Any, c: Any) -> Any:
    face = c.mat1_face
    if face.stride[0] == 1 and face.stride[1] == face.size[0]:
        return scaled_gradient(c.mat2.conj().mm(g.t()).t(), c.alpha)
    return scaled_gradient(g.mm(c.mat2.t().conj()), c.alpha)


def _addmm_second(g: Any, c: Any) -> Any:
    face = c.mat2_face
    if face.stride[0] == 1 and face.stride[1] == face.size[0]:
        return scaled_gradient(g.t().mm(c.mat1.conj()).t(), c.alpha)
    return scaled_gradient(c.mat1.t().conj().mm(g), c.alpha)


def check_mm(input: Tensor, mat1: Tensor, mat2: Tensor) -> tuple[int, int, int]:
    for label, one in (("self", input), ("mat1", mat1)):
        if one._dtype is not mat2._dtype:
            raise RuntimeError(
                f"{label} and mat2 must have the same dtype, but got {one._dtype.label} and {mat2._dtype.label}"
            )
    for label, matrix in (("mat1", mat1), ("mat2", mat2)):
        if matrix.dim() != 2:
            raise RuntimeError(f"{label} must be a matrix, got {matrix.dim()}-D tensor")
    (n, m), (k, p) = mat1._lay().size, mat2._lay().size
    if m != k:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{m} and {k}x{p})")
    return n, m, p


@op(
    kind="pointwise",
    rounded=4,
    inplace=True,
    derivative=Rule(
        "AddmmBackward0", input=lambda g, c: scaled_gradient(g, c.beta), mat1=_addmm_first, mat2=_addmm_second
    ),
    library="BLAS",
    family="products",
)
@takes(
    *forms_with_dtype("mat1", "mat2"),
    method=("(Tensor mat1, Tensor mat2, *, Number beta = 1, Number alpha = 1)",),
    older=True,
    scaled=True,
)
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None
) -> Tensor:
    """``beta × input + alpha × mat1 @ mat2``.

    Args:
        input: broadcast to n × p.
        mat1, mat2: n × m and m × p.
        beta: 0 ignores `input`, whatever is in it.

    Raises:
        RuntimeError: for sizes that do not fit, or different dtypes.

    >>> tk.addmm(tk.tensor([100, 200]), tk.tensor([[1], [2]]), tk.tensor([[3, 4]]), alpha=10)
    tensor([[130, 240],
            [160, 280]])
    """
    check_tensors("addmm", input=input, mat1=mat1, mat2=mat2)
    check_factors(beta, alpha)
    n, m, p = check_mm(input, mat1, mat2)
    kind = input._dtype
    check_devices((input, mat1, mat2))
    target = target_of(input, out, (n, p), kind)

    def body(base: Tensor) -> Tensor:
        check_kernel("addmm_impl_cpu_", kind, n * p * m)
        if target is not None:
            check_writable(target)
            check_base(target, base, beta)
        if not n * p * m:
            return only_scaled(base, beta, (n, p), kind)
        factors = as_factors(beta, alpha, kind)
        return product_added(base, mat1, mat2, *factors, kind)

    return deliver(input, target, (n, p), body)
