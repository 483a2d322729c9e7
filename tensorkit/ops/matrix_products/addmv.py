"""A product with vectors, added: `addmv`, `addr`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.output import check_overlap, check_writable, empty_strided, prepare_out
from tensorkit.elementwise.promotion import check_castable, check_devices
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.matrix_products.addmm_arguments import (
    as_factors,
    check_base,
    check_factors,
    combined,
    deliver,
    forms,
    product_added,
    scaled_gradient,
    target_of,
    wide_dtype,
)
from tensorkit.ops.matrix_products.product import check_kernel, check_tensors
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import iterator_strides, like_strides
from tensorkit.tensor import Array, Tensor, fresh

# -- matrix times vector ------------------------------------------------------------------------------------------


@op(
    kind="pointwise",
    rounded=4,
    inplace=True,
    derivative=Rule(
        "AddmvBackward0",
        input=lambda g, c: scaled_gradient(g, c.beta),
        mat=lambda g, c: scaled_gradient(g.ger(c.vec.conj()), c.alpha),
        vec=lambda g, c: scaled_gradient(c.mat.t().conj().mv(g), c.alpha),
    ),
    library="BLAS",
    family="products",
)
@takes(forms("mat", "vec"), older=True, scaled=True)
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None
) -> Tensor:
    """``beta × input + alpha × mat @ vec``.

    Args:
        input: n elements, or one.
        mat, vec: n × m and m.
        beta: 0 ignores `input`, whatever is in it.

    Raises:
        RuntimeError: for sizes that do not fit, or different dtypes.

    >>> tk.addmv(tk.tensor([100, 200]), tk.tensor([[1, 2], [3, 4]]), tk.tensor([1, 10]))
    tensor([121, 243])
    """
    check_tensors("addmv", input=input, mat=mat, vec=vec)
    check_factors(beta, alpha)
    dims = input.dim(), mat.dim(), vec.dim()
    if dims[0] > 1 or dims[1:] != (2, 1):
        raise RuntimeError("vector + matrix @ vector expected, got {}, {}, {}".format(*dims))
    (n, m), k, kind = mat._lay().size, vec.numel(), vec._dtype
    if m != k or input.numel() not in (n, 1):
        if not dims[0]:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        raise RuntimeError(f"size mismatch, got input ({input.numel()}), mat ({n}x{m}), vec ({k})")
    kinds = input._dtype, mat._dtype, kind
    if kinds != (kind,) * 3:
        labels = "{}, {}, and {}".format(*(k.label for k in kinds))
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {labels}")
    check_devices((input, mat, vec))
    target = target_of(input, out, (n,), kind)

    def body(base: Tensor) -> Tensor:
        check_kernel("addmv_impl_cpu", kind, n * m)
        check_base(target, base, beta)
        factors = as_factors(beta, alpha, kind, half=True)
        if not n * m:
            if target is not None:  # which PyTorch scales as any other tensor
                check_writable(target)
            if is_on_device(mat):
                return product_added(base, mat, vec, factors[0], 1, kind)
            zeros = numpy.zeros((n,), wide_dtype(kind).numpy)
            return fresh(combined(base._nd(), factors[0], zeros, 1, kind), kind)
        return product_added(base, mat, vec, *factors, kind)

    return deliver(input, target, (n,), body)


# -- vector times vector ------------------------------------------------------------------------------------------


def _check_addr(kind: dtype, beta: Any, alpha: Any) -> None:
    for label, value in (("beta", beta), ("alpha", alpha)):
        if kind.category < 2 and isinstance(value, (float, complex)):
            raise RuntimeError(
                f"For integral input tensors, argument {label} must not be a floating point number."
            )
        if kind.category != 0 and isinstance(value, bool):
            raise RuntimeError(f"Boolean {label} only supported for Boolean results.")


def _addr_arrays(base: Array, a: Array, b: Array, beta: Any, alpha: Any, kind: dtype) -> Array:
    wide = wide_dtype(kind)
    column, row = kernels.cast(a, wide)[:, None], kernels.cast(b, wide)
    if kind.category == 0:
        both = (column & row) if alpha else numpy.zeros(base.shape, bool)
        return both | kernels.cast(base, kind) if beta else both
    product = kernels.quiet(numpy.multiply, kernels.quiet(numpy.multiply, column, alpha), row)
    return combined(base, beta, product, 1, kind)


def _addr_stride(size: tuple[int, ...], operands: tuple[Tensor, ...], kind: dtype) -> tuple[int, ...]:
    """The strides that PyTorch's loop over the three gives its result."""
    a, b = (t._lay() if t._dtype is kind else Layout((t.numel(),), (1,), 0) for t in operands[1:])
    base = operands[0]._lay().expand(size)
    if operands[0]._dtype is not kind:
        base = Layout(size, like_strides(base), 0)
    return iterator_strides(size, [base, a.unsqueeze(1), b])


@op(
    kind="pointwise",
    rounded=2,
    inplace=True,
    derivative=Rule(
        "AddrBackward0",
        input=lambda g, c: scaled_gradient(g, c.beta),
        vec1=lambda g, c: scaled_gradient(g.mv(c.vec2.conj()), c.alpha),
        vec2=lambda g, c: scaled_gradient(g.t().mv(c.vec1.conj()), c.alpha),
    ),
    out_overlap="before resizing",
    library="BLAS",
)
@takes(forms("vec1", "vec2"), older=True, scaled=True)
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None
) -> Tensor:
    """``beta × input + alpha × outer(vec1, vec2)``; dtypes are promoted.

    Args:
        input: broadcast to n × m.
        vec1, vec2: n and m elements.
        beta: 0 ignores `input`, whatever is in it.

    Raises:
        RuntimeError: for sizes that do not fit, or a factor that the result's dtype does not take.

    >>> tk.addr(tk.tensor(100), tk.tensor([1, 2, 3]), tk.tensor([1, 10]))
    tensor([[101, 110],
            [102, 120],
            [103, 130]])
    """
    check_tensors("addr", input=input, vec1=vec1, vec2=vec2)
    check_factors(beta, alpha)
    for label, vector in (("vec1", vec1), ("vec2", vec2)):
        if vector.dim() != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {label}, but got {vector.dim()}-D")
    size = vec1.numel(), vec2.numel()
    operands = input, vec1, vec2
    where = check_devices(operands)
    if out is IN_PLACE:
        _check_addr_inplace(input, size)
    base = input.expand(size) if input._lay().size != size else input
    kind = dtypes.promote_types(dtypes.promote_types(input._dtype, vec1._dtype), vec2._dtype)
    stride = _addr_stride(size, operands, kind)
    _check_addr(kind, beta, alpha)
    if kind in LIMITED and where != META:
        raise missing_kernel("addr_cpu", kind.label)
    written = input if out is IN_PLACE else out
    if isinstance(written, Tensor):
        for operand in (base, vec1.unsqueeze(1), vec2):
            check_overlap(written, operand)
    if out is IN_PLACE:
        target = input
        check_castable(kind, input._dtype)
    elif out is not None:
        target = prepare_out(out, size, stride, kind, where)
    else:
        target = empty_strided(size, stride, kind, where)
    if where == META:
        return target
    factors = as_factors(beta, alpha, kind, half=True)
    made = _addr_arrays(base._nd(), vec1._nd(), vec2._nd(), *factors, kind)
    copy_into(target, fresh(made, kind))
    if out is not None:
        target._bump()
    return target


def _check_addr_inplace(input: Tensor, size: tuple[int, int]) -> None:
    if input.dim() != 2:
        raise RuntimeError(f"2D tensor expected, got {input.dim()}D tensor for input")
    if input._lay().size != size:
        raise RuntimeError(
            f"size mismatch, input: {list(input._lay().size)}, v1: [{size[0]}], v2: [{size[1]}]"
        )
    check_writable(input)
