"""Products of batches, added: `baddbmm`, `addbmm`."""

from __future__ import annotations

from typing import Any

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.elementwise.output import check_writable
from tensorkit.elementwise.promotion import check_devices
from tensorkit.ops.matrix_products.addmm import check_mm
from tensorkit.ops.matrix_products.addmm_arguments import (
    as_factors,
    check_base,
    check_factors,
    combined,
    deliver,
    forms,
    forms_with_dtype,
    only_scaled,
    product_added,
    scaled_gradient,
    target_of,
)
from tensorkit.ops.matrix_products.on_device import multiplied_there
from tensorkit.ops.matrix_products.product import check_kernel, check_tensors, wide_product
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Tensor, fresh


def _batch_size(batch1: Tensor, batch2: Tensor) -> tuple[int, int, int]:
    """The batch size, rows and columns of a product, before the operands are checked."""
    return batch1.size(0), batch1.size(1), batch2.size(2)


@op(
    kind="pointwise",
    rounded=4,
    inplace=True,
    derivative=Rule(
        "BaddbmmBackward0",
        input=lambda g, c: scaled_gradient(g, c.beta),
        batch1=lambda g, c: scaled_gradient(g.bmm(c.batch2.transpose(1, 2).conj()), c.alpha),
        batch2=lambda g, c: scaled_gradient(c.batch1.transpose(1, 2).conj().bmm(g), c.alpha),
    ),
    library="BLAS",
    family="products",
)
@takes(
    *forms_with_dtype("batch1", "batch2"),
    method=("(Tensor batch1, Tensor batch2, *, Number beta = 1, Number alpha = 1)",),
    older=True,
    scaled=True,
)
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None
) -> Tensor:
    """``beta × input + alpha × bmm(batch1, batch2)``: pair by pair.

    Args:
        input: broadcast to b × n × p.
        batch1, batch2: b × n × m and b × m × p.
        beta: 0 ignores `input`, whatever is in it.

    Raises:
        RuntimeError: for sizes that do not fit, or different dtypes.

    >>> tk.baddbmm(tk.tensor(1), tk.ones(2, 1, 3, dtype=tk.int64), tk.ones(2, 3, 1, dtype=tk.int64)).tolist()
    [[[4]], [[4]]]
    """
    check_tensors("baddbmm", input=input, batch1=batch1, batch2=batch2)
    check_factors(beta, alpha)
    size, kind = _batch_size(batch1, batch2), batch2._dtype
    input.expand(size)
    _check_baddbmm(input, batch1, batch2)
    check_devices((input, batch1, batch2))
    target = target_of(input, out, size, kind)

    def body(base: Tensor) -> Tensor:
        if not base.numel() or not batch1.size(2):
            if out is IN_PLACE and beta:
                check_writable(input)
            return only_scaled(base, beta, size, kind)
        check_kernel("baddbmm", input._dtype)
        check_base(target, base, beta)
        if input._dtype is not kind:
            raise RuntimeError(f"expected scalar type {input._dtype.label} but found {kind.label}")
        factors = as_factors(beta, alpha, kind)
        if is_on_device(batch1):
            return multiplied_there(batch1, batch2, base if beta != 0 else None, *reversed(factors))
        product = wide_product(batch1._nd(), batch2._nd(), kind)
        return fresh(combined(base._nd(), factors[0], product, factors[1], kind), kind)

    return deliver(input, target, size, body)


def _check_baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor) -> None:
    if input._dtype is not batch1._dtype:
        names = "input {}, batch1: {}, batch2: {}".format(
            *(cpp_name(t._dtype) for t in (input, batch1, batch2))
        )
        raise RuntimeError(f"Input dtypes must be the same, got: {names}")
    for label, batch in (("batch1", batch1), ("batch2", batch2)):
        if batch.dim() != 3:
            raise RuntimeError(f"{label} must be a 3D tensor")
    (b, _, m), (other, k, _) = batch1._lay().size, batch2._lay().size
    if (b, m) != (other, k):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{b}, {m}] but got: [{other}, {k}]."
        )


@op(
    kind="pointwise",
    rounded=4,
    inplace=True,
    derivative=Rule(
        "AddbmmBackward0",
        input=lambda g, c: scaled_gradient(g, c.beta),
        batch1=lambda g, c: scaled_gradient(
            g.unsqueeze(0).expand(c.batch2.size(0), *g.size()).bmm(c.batch2.transpose(1, 2).conj()), c.alpha
        ),
        batch2=lambda g, c: scaled_gradient(
            c.batch1.transpose(1, 2).conj().bmm(g.unsqueeze(0).expand(c.batch1.size(0), *g.size())), c.alpha
        ),
    ),
    library="BLAS",
    family="products",
)
@takes(forms("batch1", "batch2"), older=True, scaled=True)
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None
) -> Tensor:
    """``beta × input + alpha ×`` the sum of the products of a batch's pairs of matrices.

    Args:
        input: broadcast to n × p.
        batch1, batch2: b × n × m and b × m × p.
        beta: 0 ignores `input`, whatever is in it.

    Raises:
        RuntimeError: for sizes that do not fit, or different dtypes.

    >>> tk.addbmm(tk.tensor([[1]]), tk.ones(2, 1, 3, dtype=tk.int64), tk.ones(2, 3, 1, dtype=tk.int64))
    tensor([[7]])
    """
    check_tensors("addbmm", input=input, batch1=batch1, batch2=batch2)
    check_factors(beta, alpha)
    size = batch1.size(1), batch2.size(2)
    input.expand(size)
    b, m = _check_addbmm(batch1, batch2)
    check_devices((input, batch1, batch2))
    target = _addbmm_target(input, out, size)
    kind = (input if target is None else target)._dtype
    if b:
        written = input if target is None else target
        check_mm(written, batch1._view(batch1._lay().select(0, 0)), batch2._view(batch2._lay().select(0, 0)))

    def body(base: Tensor) -> Tensor:
        count = base.numel() * b * m
        check_kernel("addmm_impl_cpu_", kind, count)
        if target is not None and b:
            check_writable(target)
            check_base(target, base, beta)
        if not count:
            if out is IN_PLACE and beta:
                check_writable(input)
            return only_scaled(base, beta, size, kind, always=not b)
        factors = as_factors(beta, alpha, kind)
        # One wide matrix times one tall one adds the batch up on the way.
        wide = batch1.transpose(0, 1).reshape(size[0], b * m)
        return product_added(base, wide, batch2.reshape(b * m, size[1]), *factors, kind)

    return deliver(input, target, size, body)


def _addbmm_target(input: Tensor, out: Any, size: tuple[int, ...]) -> Tensor | None:
    """The tensor to write into; PyTorch resizes it without a word, even the one of the in-place form."""
    target = input if out is IN_PLACE else out
    if target is None or target._lay().size == size:
        return target
    lay = Layout(size, contiguous_stride(size), target._lay().offset)
    held = target._store()
    if lay.reach() * target._dtype.itemsize > held.nbytes():
        held.resize_(lay.reach() * target._dtype.itemsize)
    target._adopt_geometry(held, lay)
    return target


def _check_addbmm(batch1: Tensor, batch2: Tensor) -> tuple[int, int]:
    for label, batch in (("batch1", batch1), ("batch2", batch2)):
        if batch.dim() != 3:
            raise RuntimeError(f"{label} must be a 3D tensor")
    (b, n, m), (other, k, p) = batch1._lay().size, batch2._lay().size
    if b != other:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {b} and {other}")
    if m != k:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({n}x{m} and {k}x{p})")
    return b, m
