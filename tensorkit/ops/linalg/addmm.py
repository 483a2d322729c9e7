"""A product added to something: ``beta × input + alpha × product``, as BLAS has it.

A `beta` of 0 means that `input` is not read at all: not a number in it is lost. 16-bit floats are multiplied and added
in float32, and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.out_and_inplace import IN_PLACE
from tensorkit.dispatch.registry import sample
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import check_overlap, check_writable, empty_strided, prepare_out
from tensorkit.elementwise.promotion import as_number_array, check_castable, check_devices, result_dtype
from tensorkit.errors import MissingKernelError
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.number_range import check_number
from tensorkit.ops.linalg.matmul import (
    check_kernel,
    check_tensors,
    prepare,
    wide_product,
)
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.scalar_arithmetic import times
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import iterator_strides, like_strides
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh

__all__ = ["addbmm", "addmm", "addmv", "addr", "baddbmm", "combined"]


def _forms(first: str, second: str) -> str:
    return f"(Tensor input, Tensor {first}, Tensor {second}, *, Number beta = 1, Number alpha = 1, Tensor out = None)"


def _forms_with_dtype(first: str, second: str) -> tuple[str, str]:
    """PyTorch knows these with a result in another dtype too, which its CPU kernels do not have."""
    wide = _forms(first, second).replace(", *, ", ", torch.dtype out_dtype, *, ")
    return _forms(first, second), wide.replace("torch.", "tensorkit.")


# -- the arithmetic -----------------------------------------------------------------------------------------------


def _check_factors(beta: Any, alpha: Any) -> None:
    for value in (beta, alpha):
        if not isinstance(value, NUMBERS) and not isinstance(plain_number(value), NUMBERS):
            raise TypeError(
                "beta and alpha are numbers"
            )  # said in PyTorch's words by whoever wraps the operation


def _factors(beta: Any, alpha: Any, kind: dtype, *, half: bool = False) -> tuple[Any, Any]:
    """`beta` and `alpha` as elements of the dtype that is computed in; `half` if PyTorch takes them for 16 bits."""
    found = []
    for value in (beta, alpha):
        plain = value.item() if isinstance(value, (Tensor, numpy.generic)) else value
        check_number(plain, kind if half else _wide(kind), narrow=half)
        found.append(as_number_array(plain, _wide(kind))[()])
    return found[0], found[1]


def _wide(kind: dtype) -> dtype:
    return dtypes.float32 if kernels.is_half(kind) else kind


def combined(base: Array, beta: Any, product: Array, alpha: Any, kind: dtype) -> Array:
    """``beta × base + alpha × product``: `product` is new, as wide as is computed in, and may be written to."""
    if alpha != 1:
        kernels.quiet(numpy.multiply, product, alpha, out=product)
    if beta != 0:
        term = kernels.cast(base, _wide(kind))
        if beta != 1:
            term = kernels.quiet(numpy.multiply, term, beta)
        kernels.quiet(numpy.add, product, term, out=product)
    return kernels.cast(product, kind)


def _only_scaled(
    input: Tensor, beta: Any, size: tuple[int, ...], kind: dtype, *, always: bool = False
) -> Tensor:
    """What is left where there is nothing to multiply: ``beta × input``, promoted and then refused, as in PyTorch.

    Args:
        always: whether it is refused even if there is no element.
    """
    if not beta or not (always or input.numel()):
        return fresh(numpy.zeros(size, kind.numpy), kind)
    check_castable(result_dtype(empty_strided((0,), (1,), kind, CPU), beta), kind)
    scaled = kernels.quiet(numpy.multiply, kernels.cast(input._nd(), _wide(kind)), _factors(beta, 1, kind)[0])
    return fresh(numpy.ascontiguousarray(kernels.cast(scaled, kind)), kind)


# -- where the result goes ----------------------------------------------------------------------------------------


def _target(input: Tensor, out: Any, size: tuple[int, ...], kind: dtype) -> Tensor | None:
    """The tensor to write into, if the call named one: checked, and of the result's size."""
    if out is IN_PLACE:
        if input._dtype is not kind:
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {cpp_name(input._dtype)} and output tensor dtype "
                f"{cpp_name(kind)} should match"
            )
        if input._lay().size != size:
            raise RuntimeError(
                f"Bad in-place call: input tensor size {list(input._lay().size)} and output tensor size {list(size)} "
                "should match"
            )
        return input
    if out is not None:
        prepare(out, size, kind)
    return out  # type: ignore[no-any-return]


def _deliver(
    name: str, input: Tensor, target: Tensor | None, size: tuple[int, ...], body: Callable[[Tensor], Tensor]
) -> Tensor:
    """What `body` makes of the broadcast `input`, as a new tensor or in `target`; nothing is computed on meta."""
    base, where = input.expand(size) if input._lay().size != size else input, input._device
    if where not in (CPU, META):
        raise MissingKernelError(
            f"Could not run 'aten::{name}' with arguments from the '{where.type.upper()}' backend. "
            "Move the tensors first: t.cpu() returns a copy on the CPU."
        )
    if where == META:
        made = empty_strided(size, contiguous_stride(size), input._dtype, META)
    else:
        made = body(base)
    if target is None:
        return made
    copy_into(target, made)
    target._bump()
    return target


def _check_base(target: Tensor | None, base: Tensor, beta: Any) -> None:
    """PyTorch copies what is added to into the target first, unless it is not read at all."""
    if target is not None and beta != 0:
        check_overlap(target, base)


def _scaled(g: Any, factor: Any) -> Any:
    if isinstance(factor, Tensor):
        factor = factor.item()
    if factor == 1:
        return g
    return times(g, factor.conjugate() if isinstance(factor, complex) else factor)


# -- matrix times matrix ------------------------------------------------------------------------------------------


def _addmm_first(g: Any, c: Any) -> Any:
    face = c.mat1_face
    if face.stride[0] == 1 and face.stride[1] == face.size[0]:
        return _scaled(c.mat2.conj().mm(g.t()).t(), c.alpha)
    return _scaled(g.mm(c.mat2.t().conj()), c.alpha)


def _addmm_second(g: Any, c: Any) -> Any:
    face = c.mat2_face
    if face.stride[0] == 1 and face.stride[1] == face.size[0]:
        return _scaled(g.t().mm(c.mat1.conj()).t(), c.alpha)
    return _scaled(c.mat1.t().conj().mm(g), c.alpha)


def _check_mm(input: Tensor, mat1: Tensor, mat2: Tensor) -> tuple[int, int, int]:
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
    samples=(
        sample("tk.addmm(a, b, c)", a=(3, 2), b=(3, 2), c=(2, 2)),
        sample("a.addmm(b, c, beta=2, alpha=3)", a=(2,), b=(3, 1), c=(1, 2)),
        sample("tk.addmm(a, b, c, beta=0, alpha=-1)", a=(), b=(3, 2), c=(2, 1)),
        sample("tk.addmm(a, b, c, beta=0.5, alpha=2.5)", a=(3, 2), b=(3, 1), c=(1, 2)),
        sample("tk.addmm(a, b, c, alpha=0)", a=(3, 2), b=(3, 1), c=(1, 2)),
        sample("tk.addmm(a, b, c, beta=2)", a=(3, 2), b=(3, 0), c=(0, 2)),
        sample("tk.addmm(a, b, c)", a=(3,), b=(3, 2), c=(2, 2)),
        sample("tk.addmm(a, b, c)", a=(3, 2), b=(3, 2), c=(3, 2)),
        sample("tk.addmm(a, b, c)", a=(3, 2), b=(3,), c=(3, 2)),
        sample("tk.addmm(a, b, c, beta=1j)", a=(2, 2), b=(2, 2), c=(2, 2)),
        sample("tk.addmm(a, b, c, beta='a')", a=(2, 2), b=(2, 2), c=(2, 2)),
        sample("tk.addmm(a, b)", a=(2, 2), b=(2, 2)),
        sample("a.addmm_(b, c, beta=2)", a=(2, 2), b=(2, 1), c=(1, 2)),
        sample("a.addmm_(b, c)", a=(2,), b=(2, 2), c=(2, 2)),
        sample("tk.addmm(a, b, c, out=tk.empty(3))", a=(2,), b=(2, 1), c=(1, 2)),
    ),
    kind="pointwise",
    rounded=4,
    inplace=True,
    derivative=Rule(
        "AddmmBackward0",
        input=lambda g, c: _scaled(g, c.beta),
        mat1=_addmm_first,
        mat2=_addmm_second,
    ),
)
@takes(*_forms_with_dtype("mat1", "mat2"))
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

    >>> import tensorkit as tk
    >>> tk.addmm(tk.tensor([100, 200]), tk.tensor([[1], [2]]), tk.tensor([[3, 4]]), alpha=10)
    tensor([[130, 240],
            [160, 280]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.addmm.html
    """
    check_tensors("addmm", input=input, mat1=mat1, mat2=mat2)
    _check_factors(beta, alpha)
    n, m, p = _check_mm(input, mat1, mat2)
    kind = input._dtype
    check_devices((input, mat1, mat2))
    target = _target(input, out, (n, p), kind)

    def body(base: Tensor) -> Tensor:
        check_kernel("addmm_impl_cpu_", kind, n * p * m)
        if target is not None:
            check_writable(target)
            _check_base(target, base, beta)
        if not n * p * m:
            return _only_scaled(base, beta, (n, p), kind)
        factors = _factors(beta, alpha, kind)
        return fresh(_multiplied(base._nd(), mat1._nd(), mat2._nd(), *factors, kind), kind)

    return _deliver("addmm", input, target, (n, p), body)


def _multiplied(base: Array, a: Array, b: Array, beta: Any, alpha: Any, kind: dtype) -> Array:
    """`combined` of a product, which is not computed at all where `alpha` is 0."""
    if alpha == 0:
        product = numpy.zeros(base.shape, _wide(kind).numpy)
        if beta and kind in (dtypes.float32, dtypes.float64):
            product = -product  # what nothing is added to keeps its -0.0
            alpha = 1
    else:
        product = wide_product(a, b, kind)
    return combined(base, beta, product, alpha, kind)


# -- matrix times vector ------------------------------------------------------------------------------------------


@op(
    samples=(
        sample("tk.addmv(a, b, c)", a=(3,), b=(3, 2), c=(2,)),
        sample("a.addmv(b, c, beta=2, alpha=3)", a=(1,), b=(3, 1), c=(1,)),
        sample("tk.addmv(a, b, c, beta=0, alpha=0.5)", a=(), b=(3, 2), c=(2,)),
        sample("tk.addmv(a, b, c, alpha=0)", a=(3,), b=(3, 1), c=(1,)),
        sample("tk.addmv(a, b, c, beta=2)", a=(3,), b=(3, 0), c=(0,)),
        sample("tk.addmv(a, b, c)", a=(2,), b=(3, 2), c=(2,)),
        sample("tk.addmv(a, b, c)", a=(3,), b=(3, 2), c=(3,)),
        sample("tk.addmv(a, b, c)", a=(3, 1), b=(3, 2), c=(2,)),
        sample("tk.addmv(a, b, c, alpha=1j)", a=(2,), b=(2, 2), c=(2,)),
        sample("tk.addmv(a, b)", a=(2,), b=(2, 2)),
        sample("a.clone().addmv_(b, c, beta=2)", a=(2,), b=(2, 1), c=(1,)),
        sample("a.addmv_(b, c)", a=(1,), b=(2, 2), c=(2,)),
        sample("tk.addmv(a, b, c, out=tk.empty(3))", a=(2,), b=(2, 1), c=(1,)),
    ),
    kind="pointwise",
    rounded=4,
    inplace=True,
    derivative=Rule(
        "AddmvBackward0",
        input=lambda g, c: _scaled(g, c.beta),
        mat=lambda g, c: _scaled(g.ger(c.vec.conj()), c.alpha),
        vec=lambda g, c: _scaled(c.mat.t().conj().mv(g), c.alpha),
    ),
)
@takes(_forms("mat", "vec"))
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

    >>> import tensorkit as tk
    >>> tk.addmv(tk.tensor([100, 200]), tk.tensor([[1, 2], [3, 4]]), tk.tensor([1, 10]))
    tensor([121, 243])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.addmv.html
    """
    check_tensors("addmv", input=input, mat=mat, vec=vec)
    _check_factors(beta, alpha)
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
    target = _target(input, out, (n,), kind)

    def body(base: Tensor) -> Tensor:
        check_kernel("addmv_impl_cpu", kind, n * m)
        _check_base(target, base, beta)
        factors = _factors(beta, alpha, kind, half=True)
        if not n * m:
            if target is not None:  # which PyTorch scales as any other tensor
                check_writable(target)
            zeros = numpy.zeros((n,), _wide(kind).numpy)
            return fresh(combined(base._nd(), factors[0], zeros, 1, kind), kind)
        return fresh(_multiplied(base._nd(), mat._nd(), vec._nd(), *factors, kind), kind)

    return _deliver("addmv", input, target, (n,), body)


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
    wide = _wide(kind)
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
    samples=(
        sample("tk.addr(a, b, c)", a=(3, 2), b=(3,), c=(2,)),
        sample("a.addr(b, c, beta=2, alpha=3)", a=(2,), b=(3,), c=(2,)),
        sample("tk.addr(a, b, c, beta=0)", a=(), b=(3,), c=(2,)),
        sample("tk.addr(a, b, c, alpha=0)", a=(3, 2), b=(3,), c=(2,)),
        sample("tk.addr(a, b, c, beta=2.5)", a=(3, 2), b=(3,), c=(2,)),
        sample("tk.addr(a, b, c, alpha=True)", a=(3, 2), b=(3,), c=(2,)),
        sample("tk.addr(a, b, c, alpha=1j)", a=(3, 2), b=(3,), c=(2,)),
        sample("tk.addr(a, b, c)", a=(3, 0), b=(3,), c=(0,)),
        sample("tk.addr(a, b, c)", a=(3, 3), b=(3,), c=(2,)),
        sample("tk.addr(a, b, c)", a=(3, 2), b=(3, 1), c=(2,)),
        sample("tk.addr(a, b)", a=(3, 2), b=(3, 1)),
        sample("a.addr_(b, c, beta=2)", a=(2, 2), b=(2,), c=(2,)),
        sample("a.addr_(b, c)", a=(2,), b=(2,), c=(2,)),
        sample("a.addr_(b, c)", a=(2, 2), b=(2,), c=(3,)),
        sample("tk.addr(a, b, c, out=tk.empty(0))", a=(2,), b=(2,), c=(2,)),
    ),
    kind="pointwise",
    rounded=2,
    inplace=True,
    derivative=Rule(
        "AddrBackward0",
        input=lambda g, c: _scaled(g, c.beta),
        vec1=lambda g, c: _scaled(g.mv(c.vec2.conj()), c.alpha),
        vec2=lambda g, c: _scaled(g.t().mv(c.vec1.conj()), c.alpha),
    ),
)
@takes(_forms("vec1", "vec2"))
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

    >>> import tensorkit as tk
    >>> tk.addr(tk.tensor(100), tk.tensor([1, 2, 3]), tk.tensor([1, 10]))
    tensor([[101, 110],
            [102, 120],
            [103, 130]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.addr.html
    """
    check_tensors("addr", input=input, vec1=vec1, vec2=vec2)
    _check_factors(beta, alpha)
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
    factors = _factors(beta, alpha, kind, half=True)
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


# -- batches ------------------------------------------------------------------------------------------------------


def _batch_size(batch1: Tensor, batch2: Tensor) -> tuple[int, int, int]:
    """Of two batches, before anybody knows that they are: how many, rows and columns."""
    return batch1.size(0), batch1.size(1), batch2.size(2)


@op(
    samples=(
        sample("tk.baddbmm(a, b, c)", a=(3, 2, 2), b=(3, 2, 2), c=(3, 2, 2)),
        sample("a.baddbmm(b, c, beta=2, alpha=3)", a=(2,), b=(3, 2, 1), c=(3, 1, 2)),
        sample("tk.baddbmm(a, b, c, beta=0, alpha=0.5)", a=(), b=(3, 2, 2), c=(3, 2, 1)),
        sample("tk.baddbmm(a, b, c, alpha=0)", a=(2, 2), b=(3, 2, 1), c=(3, 1, 2)),
        sample("tk.baddbmm(a, b, c, beta=2)", a=(3, 2, 2), b=(3, 2, 0), c=(3, 0, 2)),
        sample("tk.baddbmm(a, b, c)", a=(3,), b=(3, 2, 2), c=(3, 2, 2)),
        sample("tk.baddbmm(a, b, c)", a=(3, 2, 2), b=(3, 2, 1), c=(3, 2, 2)),
        sample("tk.baddbmm(a, b, c)", a=(3, 2, 2), b=(3, 2), c=(3, 2, 2)),
        sample("tk.baddbmm(a, b, c)", a=(3, 2, 2), b=(3, 2, 2), c=(2, 2)),
        sample("tk.baddbmm(a, b)", a=(3, 2, 2), b=(3, 2)),
        sample("a.clone().baddbmm_(b, c, beta=2)", a=(2, 2, 2), b=(2, 2, 1), c=(2, 1, 2)),
        sample("a.baddbmm_(b, c)", a=(2, 2), b=(2, 2, 2), c=(2, 2, 2)),
        sample("tk.baddbmm(a, b, c, out=tk.empty(3))", a=(2,), b=(2, 2, 1), c=(2, 1, 2)),
    ),
    kind="pointwise",
    rounded=4,
    inplace=True,
    derivative=Rule(
        "BaddbmmBackward0",
        input=lambda g, c: _scaled(g, c.beta),
        batch1=lambda g, c: _scaled(g.bmm(c.batch2.transpose(1, 2).conj()), c.alpha),
        batch2=lambda g, c: _scaled(c.batch1.transpose(1, 2).conj().bmm(g), c.alpha),
    ),
)
@takes(*_forms_with_dtype("batch1", "batch2"))
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

    >>> import tensorkit as tk
    >>> tk.baddbmm(tk.tensor(1), tk.ones(2, 1, 3, dtype=tk.int64), tk.ones(2, 3, 1, dtype=tk.int64)).tolist()
    [[[4]], [[4]]]

    Source: https://docs.pytorch.org/docs/stable/generated/torch.baddbmm.html
    """
    check_tensors("baddbmm", input=input, batch1=batch1, batch2=batch2)
    _check_factors(beta, alpha)
    size, kind = _batch_size(batch1, batch2), batch2._dtype
    input.expand(size)
    _check_baddbmm(input, batch1, batch2)
    check_devices((input, batch1, batch2))
    target = _target(input, out, size, kind)

    def body(base: Tensor) -> Tensor:
        if not base.numel() or not batch1.size(2):
            if out is IN_PLACE and beta:
                check_writable(input)
            return _only_scaled(base, beta, size, kind)
        check_kernel("baddbmm", input._dtype)
        _check_base(target, base, beta)
        if input._dtype is not kind:
            raise RuntimeError(f"expected scalar type {input._dtype.label} but found {kind.label}")
        factors = _factors(beta, alpha, kind)
        product = wide_product(batch1._nd(), batch2._nd(), kind)
        return fresh(combined(base._nd(), factors[0], product, factors[1], kind), kind)

    return _deliver("baddbmm", input, target, size, body)


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
    samples=(
        sample("tk.addbmm(a, b, c)", a=(2, 2), b=(3, 2, 1), c=(3, 1, 2)),
        sample("a.addbmm(b, c, beta=2, alpha=3)", a=(2,), b=(2, 2, 1), c=(2, 1, 2)),
        sample("tk.addbmm(a, b, c, beta=0, alpha=0.5)", a=(), b=(3, 2, 1), c=(3, 1, 1)),
        sample("tk.addbmm(a, b, c, alpha=0)", a=(2, 2), b=(3, 2, 1), c=(3, 1, 2)),
        sample("tk.addbmm(a, b, c, beta=2)", a=(2, 2), b=(3, 2, 0), c=(3, 0, 2)),
        sample("tk.addbmm(a, b, c, beta=2)", a=(2, 2), b=(0, 2, 2), c=(0, 2, 2)),
        sample("tk.addbmm(a, b, c)", a=(3,), b=(3, 2, 2), c=(3, 2, 2)),
        sample("tk.addbmm(a, b, c)", a=(2, 2), b=(3, 2, 1), c=(3, 2, 2)),
        sample("tk.addbmm(a, b, c)", a=(2, 2), b=(3, 2, 2), c=(2, 2, 2)),
        sample("tk.addbmm(a, b, c)", a=(2, 2), b=(3, 2), c=(3, 2, 2)),
        sample("tk.addbmm(a, b, c)", a=(2, 2), b=(3, 2, 2), c=(2, 2)),
        sample("tk.addbmm(a, b)", a=(2, 2), b=(3, 2)),
        sample("a.addbmm_(b, c, beta=2)", a=(2, 2), b=(2, 2, 1), c=(2, 1, 2)),
        sample("tk.addbmm(a, b, c, out=tk.empty(0, dtype=a.dtype))", a=(2,), b=(2, 2, 1), c=(2, 1, 2)),
    ),
    kind="pointwise",
    rounded=4,
    inplace=True,
    derivative=Rule(
        "AddbmmBackward0",
        input=lambda g, c: _scaled(g, c.beta),
        batch1=lambda g, c: _scaled(
            g.unsqueeze(0).expand(c.batch2.size(0), *g.size()).bmm(c.batch2.transpose(1, 2).conj()), c.alpha
        ),
        batch2=lambda g, c: _scaled(
            c.batch1.transpose(1, 2).conj().bmm(g.unsqueeze(0).expand(c.batch1.size(0), *g.size())), c.alpha
        ),
    ),
)
@takes(_forms("batch1", "batch2"))
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None
) -> Tensor:
    """``beta × input + alpha × `` the sum of the products of a batch's pairs of matrices.

    Args:
        input: broadcast to n × p.
        batch1, batch2: b × n × m and b × m × p.
        beta: 0 ignores `input`, whatever is in it.

    Raises:
        RuntimeError: for sizes that do not fit, or different dtypes.

    >>> import tensorkit as tk
    >>> tk.addbmm(tk.tensor([[1]]), tk.ones(2, 1, 3, dtype=tk.int64), tk.ones(2, 3, 1, dtype=tk.int64))
    tensor([[7]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.addbmm.html
    """
    check_tensors("addbmm", input=input, batch1=batch1, batch2=batch2)
    _check_factors(beta, alpha)
    size = batch1.size(1), batch2.size(2)
    input.expand(size)
    b, m = _check_addbmm(batch1, batch2)
    check_devices((input, batch1, batch2))
    target = _addbmm_target(input, out, size)
    kind = (input if target is None else target)._dtype
    if b:
        written = input if target is None else target
        _check_mm(written, batch1._view(batch1._lay().select(0, 0)), batch2._view(batch2._lay().select(0, 0)))

    def body(base: Tensor) -> Tensor:
        count = base.numel() * b * m
        check_kernel("addmm_impl_cpu_", kind, count)
        if target is not None and b:
            check_writable(target)
            _check_base(target, base, beta)
        if not count:
            if out is IN_PLACE and beta:
                check_writable(input)
            return _only_scaled(base, beta, size, kind, always=not b)
        factors = _factors(beta, alpha, kind)
        # One wide matrix times one tall one adds the batch up on the way.
        wide = numpy.moveaxis(batch1._nd(), 0, 1).reshape(size[0], b * m)
        return fresh(
            _multiplied(base._nd(), wide, batch2._nd().reshape(b * m, size[1]), *factors, kind), kind
        )

    return _deliver("addbmm", input, target, size, body)


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
