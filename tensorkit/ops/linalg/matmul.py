"""Products of matrices and vectors, in PyTorch's order of work: what `matmul` is made of, graphs show.

The numbers are NumPy's BLAS's. It takes transposed matrices as they lie; only other strides are written out first.
16-bit floats are multiplied in float32 and rounded once; integers are exact and wrap around (`_whole_product`).
A tensor that is both an operand and ``out=`` is read before it is written; PyTorch's BLAS has it the other way round,
and what it finds is zeros or chance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.autograd.out_arguments import not_recorded
from tensorkit.conj_bit import CONJ
from tensorkit.device import CPU, META, device
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.registry import sample
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import check_writable, empty_strided, resize_out
from tensorkit.elementwise.promotion import check_devices
from tensorkit.errors import MissingKernelError, warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.pointwise.arithmetic import mul
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.ops.views.view_reshape import unsafe_view
from tensorkit.strides.sizes import broadcast_sizes, contiguous_stride
from tensorkit.tensor import Array, Tensor, attach, fresh

__all__ = [
    "bmm",
    "check_kernel",
    "check_out",
    "check_tensors",
    "deliver_product",
    "dot",
    "ger",
    "matmul",
    "mm",
    "mv",
    "outer",
    "prepare",
    "product",
    "vdot",
    "wide_product",
]

#: What no product takes.
_LACKS = (dtypes.bool, dtypes.uint16, dtypes.uint32, dtypes.uint64)
_BLAS = frozenset((dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128))


# -- arrays -------------------------------------------------------------------------------------------------------


def product(a: Array, b: Array, kind: dtype) -> Array:
    """``a @ b`` as NumPy broadcasts it, for arrays of one dtype; row-major."""
    return kernels.cast(wide_product(a, b, kind), kind)


def wide_product(a: Array, b: Array, kind: dtype) -> Array:
    """`product`, not yet rounded to 16 bits."""
    if kernels.is_half(kind):
        a, b = kernels.cast(a, dtypes.float32), kernels.cast(b, dtypes.float32)
        return kernels.quiet(numpy.matmul, _for_blas(a), _for_blas(b))  # type: ignore[no-any-return]
    if kind.category < 2:
        return _whole_product(a, b)
    return _by_blas(a, b)


def _by_blas(a: Array, b: Array) -> Array:
    """The product by NumPy's BLAS; of a column and a row it is what they give element by element, -0.0 included."""
    if a.ndim == b.ndim == 2 and a.shape[1] == 1 and len(a) > 1 and b.shape[1] > 1 and a.dtype.kind == "f":
        return kernels.quiet(numpy.multiply, a, b, order="C")  # type: ignore[no-any-return]
    return kernels.quiet(numpy.matmul, _for_blas(a), _for_blas(b))  # type: ignore[no-any-return]


def _for_blas(array: Array) -> Array:
    """The array itself if BLAS can read its matrices in place, row by row or column by column; else a copy."""
    item, strides = array.itemsize, array.strides
    if array.ndim < 2:
        return array if not strides or strides[-1] >= item else numpy.ascontiguousarray(array)
    rows, columns = array.shape[-2:]
    down, along = strides[-2:]
    if (along == item and down >= columns * item) or (down == item and along >= rows * item):
        return array
    return numpy.ascontiguousarray(array)


_SMALL = 4096  # so few multiplications are done sooner than their numbers are looked at
_EXACT = 53  # bits of a float64


def _whole_product(a: Array, b: Array) -> Array:
    """A product of integers, wrapped around as in C, by way of float64 BLAS: NumPy's own is many times slower.

    Numbers too large for one exact product are cut into pieces of few bits, whose products are exact.
    """
    length, kind = a.shape[-1], a.dtype
    if not a.size or not b.size or b.ndim == 1 or a.size * b.shape[-1] <= _SMALL:
        small: Array = kernels.quiet(numpy.matmul, a, b)
        return small
    room = _EXACT - (length - 1).bit_length()
    bits_a, bits_b = _bits(a), _bits(b)
    if bits_a + bits_b <= room:
        exact = numpy.matmul(_for_blas(a.astype(numpy.float64)), _for_blas(b.astype(numpy.float64)))
        whole: Array = exact.astype(numpy.int64).astype(kind)
        return whole
    width = room // 2
    total: Any = 0
    right = _pieces(b, bits_b, width)
    for i, one in enumerate(_pieces(a, bits_a, width)):
        for j, other in enumerate(right):
            shift = (i + j) * width
            if shift < 64:
                total = total + (numpy.matmul(one, other).astype(numpy.int64) << shift)
    return total.astype(kind)  # type: ignore[no-any-return]


def _bits(array: Array) -> int:
    """How many bits the largest magnitude takes."""
    return max(int(array.max()), -int(array.min())).bit_length()


def _pieces(array: Array, bits: int, width: int) -> list[Array]:
    """The numbers in pieces of `width` bits, least significant first: all but the last without a sign."""
    rest, pieces = array.astype(numpy.int64), []
    for _ in range((bits - 1) // width):
        pieces.append((rest & ((1 << width) - 1)).astype(numpy.float64))
        rest = rest >> width
    return [*pieces, rest.astype(numpy.float64)]


# -- what every product asks of its operands ----------------------------------------------------------------------


def check_tensors(name: str, **operands: Any) -> None:
    """Refuse what is no tensor, in PyTorch's words.

    Raises:
        TypeError: naming the first argument that is something else.
    """
    for position, (argument, value) in enumerate(operands.items(), 1):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type_name(value)}"
            )


def check_kernel(kernel: str, kind: dtype, count: int = 1) -> None:
    """Refuse a dtype that no product takes, if there is anything to multiply."""
    if count and kind in _LACKS:
        raise missing_kernel(kernel, kind.label)


def prepare(out: Any, size: tuple[int, ...], kind: dtype) -> None:
    """Check a tensor given as ``out=``, of which PyTorch wants the very dtype of the result, and resize it."""
    check_out(out, kind)
    resize_out(out, size)


def check_out(out: Any, kind: dtype) -> None:
    """Refuse an ``out=`` that is no tensor, or of another dtype than the result."""
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type_name(out)}")
    if out._dtype is not kind:
        raise RuntimeError(
            f"Expected out tensor to have dtype {cpp_name(kind)}, but got {cpp_name(out._dtype)} instead"
        )


def deliver_product(
    name: str,
    body: Callable[[], Array],
    size: tuple[int, ...],
    kind: dtype,
    where: device,
    out: Tensor | None,
) -> Tensor:
    """The array that `body` computes, as a new row-major tensor, or in an `out` that has its size.

    On the meta device nothing is computed.
    """
    if where == META:
        made = empty_strided(size, contiguous_stride(size), kind, META)
    elif where == CPU:
        made = fresh(numpy.asarray(body()), kind)
    else:
        raise MissingKernelError(
            f"Could not run 'aten::{name}' with arguments from the '{where.type.upper()}' backend. "
            "Move the tensors first: t.cpu() returns a copy on the CPU."
        )
    if out is None:
        return made
    copy_into(out, made)
    out._bump()
    return out


# -- matrix times matrix ------------------------------------------------------------------------------------------


_MATRICES, _MATRIX_AND_VECTOR, _VECTORS = ((2, 2),), ((2, 1),), ((1, 1),)
_FORMS = (*_MATRICES, *_MATRIX_AND_VECTOR, *_VECTORS)


def _quick(a: Any, b: Any) -> Tensor | None:
    """`_quick_product` of what nobody differentiates."""
    return None if wants_grad(a) or wants_grad(b) else _quick_product(a, b)


def _quick_product(a: Any, b: Any, forms: tuple[tuple[int, int], ...] = _FORMS) -> Tensor | None:
    """The product of matrices and vectors about which nothing has to be decided; None when others must look."""
    if a.__class__ is not Tensor or b.__class__ is not Tensor:
        return None
    kind, x, y = a._dtype, a._array, b._array
    if kind is not b._dtype or kind not in _BLAS:
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
    if 1 < x.size < _SMALL and 1 < y.size < _SMALL and y.shape[0] > 1:
        made = kernels.quiet(x.dot, y)
        return fresh(made if made.__class__ is numpy.ndarray else numpy.asarray(made), kind)
    if y.ndim != 2:
        return None
    return fresh(_by_blas(x, y), kind)


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
    samples=(
        sample("tk.mm(a, b)", a=(2, 2), b=(2, 3)),
        sample("a.mm(b)", a=(2, 1), b=(1, 3)),
        sample("a.mm(mat2=b)", a=(3, 0), b=(0, 2)),
        sample("tk.mm(a, b)", a=(2, 3), b=(2, 3)),
        sample("tk.mm(a, b)", a=(2,), b=(2, 3)),
        sample("tk.mm(a, b)", a=(2, 2), b=(2,)),
        sample("tk.mm(a, 2)", a=(2, 2)),
        sample("tk.mm(a, b, out=tk.empty(0, dtype=a.dtype))", a=(2, 2), b=(2, 2)),
        sample("tk.mm(a, b, out=tk.empty(3))", a=(2, 2), b=(2, 2)),
        sample("tk.mm(a, b, out=tk.ones(1, 2).expand(2, 2))", a=(2, 2), b=(2, 2)),
    ),
    kind="reduce",
    rounded=1,
    derivative=Rule("MmBackward0", input=_mm_first, mat2=_mm_second),
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

    >>> import tensorkit as tk
    >>> tk.mm(tk.tensor([[1, 2], [3, 4]]), tk.tensor([[1], [10]]))
    tensor([[21],
            [43]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.mm.html
    """
    if out is None and (done := _quick_product(input, mat2, _MATRICES)) is not None:
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

    def body() -> Array:
        check_kernel("addmm_impl_cpu_", kind, n * m * p)
        return product(input._nd(), mat2._nd(), kind)

    return deliver_product("mm", body, (n, p), kind, where, out)


_matrices: Callable[[Tensor, Tensor], Tensor] = mm.__wrapped__  # type: ignore[attr-defined]  # as it is recorded


@op(
    samples=(
        sample("tk.bmm(a, b)", a=(3, 2, 2), b=(3, 2, 4)),
        sample("a.bmm(b)", a=(2, 1, 2), b=(2, 2, 1)),
        sample("a.bmm(mat2=b)", a=(2, 3, 0), b=(2, 0, 2)),
        sample("tk.bmm(a, b)", a=(2, 3), b=(2, 3)),
        sample("tk.bmm(a, b)", a=(2, 3, 2), b=(3, 2)),
        sample("tk.bmm(a, b)", a=(2, 3, 2), b=(3, 2, 1)),
        sample("tk.bmm(a, b)", a=(2, 3, 2), b=(2, 3, 1)),
        sample("tk.bmm(a, None)", a=(2, 3, 2)),
        sample("tk.bmm(a, b, out=tk.empty(5, dtype=b.dtype))", a=(2, 2, 2), b=(2, 2, 1)),
        sample("tk.bmm(a, b, out=tk.empty(5))", a=(2, 2, 2), b=(2, 2, 1)),
    ),
    kind="reduce",
    rounded=1,
    derivative=Rule(
        "BmmBackward0",
        input=lambda g, c: g.bmm(c.mat2.transpose(1, 2).conj()),
        mat2=lambda g, c: c.input.transpose(1, 2).conj().bmm(g),
    ),
)
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply two batches of matrices, pair by pair.

    Args:
        input: b × n × m.
        mat2: b × m × p, of the same dtype.

    Raises:
        RuntimeError: for other numbers of dimensions, sizes that do not fit, or two dtypes.
        MissingKernelError: for bool and the wide unsigned integers.

    >>> import tensorkit as tk
    >>> tk.bmm(tk.ones(10, 3, 4), tk.ones(10, 4, 5)).size()
    tensorkit.Size([10, 3, 5])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.bmm.html
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

    def body() -> Array:
        if not b * n * m * p:
            return numpy.zeros((b, n, p), kind.numpy)
        check_kernel("bmm", input._dtype)
        if input._dtype is not kind:
            raise RuntimeError(f"expected scalar type {input._dtype.label} but found {kind.label}")
        return product(input._nd(), mat2._nd(), kind)

    return deliver_product("bmm", body, (b, n, p), kind, where, out)


# -- matrix times vector, vector times vector ---------------------------------------------------------------------


@op(
    samples=(
        sample("tk.mv(a, b)", a=(3, 2), b=(2,)),
        sample("a.mv(vec=b)", a=(3, 0), b=(0,)),
        sample("tk.mv(a, b)", a=(3, 2), b=(3,)),
        sample("tk.mv(a, b)", a=(3,), b=(3,)),
        sample("a.mv(b)", a=(3, 2), b=(2, 1)),
        sample("a.mv(2)", a=(3, 2)),
        sample("tk.mv(a, b, out=tk.empty(0, dtype=a.dtype))", a=(3, 2), b=(2,)),
    ),
    kind="reduce",
    rounded=1,
    derivative=Rule(
        "MvBackward0",
        input=lambda g, c: g.ger(c.vec.conj()),
        vec=lambda g, c: c.input.conj().t().mv(g),
    ),
)
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply a matrix (n × m) by a vector (m): a vector of n elements.

    Raises:
        RuntimeError: for other numbers of dimensions, sizes that do not fit, or two dtypes.
        MissingKernelError: for bool and the wide unsigned integers.

    >>> import tensorkit as tk
    >>> tk.mv(tk.tensor([[1, 2], [3, 4]]), tk.tensor([1, 10]))
    tensor([21, 43])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.mv.html
    """
    if out is None and (done := _quick_product(input, vec, _MATRIX_AND_VECTOR)) is not None:
        return done
    check_tensors("mv", input=input, vec=vec)
    size, length = input._lay().size, vec._lay().size
    if not size:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    where, kind = check_devices((input, vec)), vec._dtype
    if len(size) != 2 or len(length) != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {len(size)}, {len(length)}")
    n, m = size
    if m != length[0]:
        raise RuntimeError(f"size mismatch, got input ({n}), mat ({n}x{m}), vec ({length[0]})")
    if input._dtype is not kind:
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {kind.label}, {input._dtype.label}, and "
            f"{kind.label}"
        )
    if out is not None:
        prepare(out, (n,), kind)

    def body() -> Array:
        check_kernel("addmv_impl_cpu", kind, n * m)
        return product(input._nd(), vec._nd(), kind)

    return deliver_product("mv", body, (n,), kind, where, out)


def _prepare_scalar(out: Any, kind: dtype) -> None:
    if not isinstance(out, Tensor):
        check_out(out, kind)
    resize_out(out, ())
    if out._dtype is not kind:
        raise RuntimeError(f"result dtype {out._dtype.label} does not match input dtype {kind.label}")


def _dotted(name: str, a: Tensor, b: Tensor, out: Tensor | None, turned: bool) -> Tensor:
    kind = a._dtype
    if out is not None:
        _prepare_scalar(out, kind)
    if a.dim() != 1 or b.dim() != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.dim()}D and {b.dim()}D tensors")
    if kind is not b._dtype:
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {kind.label} and {b._dtype.label}"
        )
    if a.numel() != b.numel():
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.numel()}] and src [{b.numel()}] to have the same number of "
            f"elements, but got {a.numel()} and {b.numel()} elements respectively"
        )
    where = check_devices((a, b))

    def body() -> Array:
        check_kernel("dot", kind)
        first = numpy.conjugate(a._nd()) if turned and kind.is_complex else a._nd()
        return product(first, b._nd(), kind)

    return deliver_product(name, body, (), kind, where, out)


@op(
    samples=(
        sample("tk.dot(a, b)", a=(2,), b=(2,)),
        sample("a.dot(tensor=b)", a=(1,), b=(1,)),
        sample("a.dot(b)", a=(0,), b=(0,)),
        sample("tk.dot(a, b)", a=(2,), b=(3,)),
        sample("tk.dot(a, b)", a=(2, 2), b=(2,)),
        sample("a.dot(1)", a=(2,)),
        sample("tk.dot(a, b, out=tk.empty(2))", a=(2,), b=(2,)),
    ),
    kind="reduce",
    rounded=1,
    derivative=Rule(
        "DotBackward0", input=lambda g, c: g * c.tensor.conj(), tensor=lambda g, c: g * c.input.conj()
    ),
)
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of the products of two vectors' elements: a tensor without dimensions.

    Complex numbers are multiplied as they are; `vdot` conjugates the first.

    Raises:
        RuntimeError: for anything but two vectors of one size and dtype.
        MissingKernelError: for bool and the wide unsigned integers.

    >>> import tensorkit as tk
    >>> tk.dot(tk.tensor([2, 3]), tk.tensor([2, 1]))
    tensor(7)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.dot.html
    """
    if out is None and (done := _quick_product(input, tensor, _VECTORS)) is not None:
        return done
    check_tensors("dot", input=input, tensor=tensor)
    if tensor._bits & CONJ and not input._bits & CONJ:
        return _dotted("dot", tensor, input, out, turned=False)  # PyTorch's way round, which its errors tell
    return _dotted("dot", input, tensor, out, turned=False)


@op(
    samples=(
        sample("tk.vdot(a, b)", a=(2,), b=(2,)),
        sample("a.vdot(other=b)", a=(0,), b=(0,)),
        sample("tk.vdot(a, b)", a=(2,), b=(3,)),
        sample("tk.vdot(a, b)", a=(2,), b=(2, 2)),
        sample("tk.vdot(a, 1)", a=(2,)),
    ),
    kind="reduce",
    rounded=1,
    derivative=Rule("VdotBackward0", input=lambda g, c: g.conj() * c.other, other=lambda g, c: g * c.input),
)
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`dot` of the first vector's complex conjugate and the second.

    >>> import tensorkit as tk
    >>> tk.vdot(tk.tensor([1 + 2j]), tk.tensor([1 + 2j]))
    tensor(5.+0.j)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.vdot.html
    """
    check_tensors("vdot", input=input, other=other)
    if input._bits & other._bits & CONJ:
        return _dotted("vdot", other.conj(), input.conj(), out, turned=True)
    return _dotted("vdot", input, other, out, turned=True)


def _outer(input: Tensor, vec2: Tensor, out: Tensor | None) -> Tensor:
    for label, vector in (("self", input), ("vec2", vec2)):
        if vector.dim() != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {label}, but got {vector.dim()}-D")
    column = input.reshape(input.numel(), 1)
    return column * vec2 if out is None else mul(column, vec2, out=out)


@op(
    samples=(
        sample("tk.outer(a, b)", a=(3,), b=(2,)),
        sample("a.outer(vec2=b)", a=(1,), b=(3,)),
        sample("a.outer(b)", a=(0,), b=(3,)),
        sample("tk.outer(a, b)", a=(3, 1), b=(2,)),
        sample("tk.outer(a, b)", a=(3,), b=()),
        sample("tk.outer(a, 1)", a=(3,)),
        sample("tk.outer(a, b, out=tk.empty(0))", a=(3,), b=(2,)),
    ),
    kind="pointwise",
)
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Every element of one vector times every element of another: n and m give n × m. Dtypes are promoted.

    >>> import tensorkit as tk
    >>> tk.outer(tk.tensor([1, 2, 3]), tk.tensor([1, 10]))
    tensor([[ 1, 10],
            [ 2, 20],
            [ 3, 30]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.outer.html
    """
    check_tensors("outer", input=input, vec2=vec2)
    return _outer(input, vec2, out)


@op(
    samples=(sample("tk.ger(a, b)", a=(3,), b=(2,)), sample("a.ger(b)", a=(3, 1), b=(2,))),
    kind="pointwise",
)
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`outer` by its older name.

    >>> import tensorkit as tk
    >>> tk.ger(tk.tensor([1, 2]), tk.tensor([3]))
    tensor([[3],
            [6]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.ger.html
    """
    check_tensors("ger", input=input, vec2=vec2)
    if out is not None:  # it is said there alone
        warn(
            "tensorkit.ger is deprecated and will be removed in a future PyTorch release. Use tensorkit.outer instead."
        )
    return _outer(input, vec2, out)


# -- whatever times whatever --------------------------------------------------------------------------------------


def _folds(a: Tensor, b: Tensor, out: Tensor | None) -> bool:
    """Whether a batch times one matrix or vector is best done as one tall matrix times it, without a copy."""
    larger = a.dim() >= b.dim()
    batch, single = (a, b) if larger else (b, a)
    if batch.dim() < 3 or single.dim() > 2:
        return False
    if requires_grad(single) and out is None:
        return True  # it would be expanded to a batch, and its gradient as large as one
    if a.dim() == 2:
        return False
    lay = batch._lay() if larger else batch._lay().mT
    if not lay.numel:
        return True
    return all(lay.stride[d] == lay.stride[d + 1] * lay.size[d + 1] for d in range(lay.ndim - 2))


def _folded(a: Tensor, b: Tensor, out: Tensor | None) -> Tensor:
    """The batch's matrices above one another, times one matrix or vector."""
    turned = b.dim() > a.dim()
    batch = b.mT if turned else a
    single = (a.t() if a.dim() == 2 else a) if turned else b
    size = batch._lay().size
    tall = batch.reshape(-1 if batch.numel() else _count(size[:-1]), size[-1])
    if single.dim() == 1:
        if isinstance(out, Tensor):
            if out._dtype is not tall._dtype and single._dtype is tall._dtype:
                labels = ", ".join((out._dtype.label, tall._dtype.label))
                raise RuntimeError(
                    f"addmv input tensors must have the same dtype, but got {labels}, and {single._dtype.label}"
                )
            _check_folded(out, size[:-1], tall._lay().size[:1])
        return unsafe_view(tall.mv(single), size[:-1])  # type: ignore[no-any-return]
    if out is not None:
        check_out(out, tall._dtype)
        columns = single._lay().size[1:]
        _check_folded(out, (*size[:-1], *columns), (tall._lay().size[0], *columns))
    result: Tensor = unsafe_view(tall.mm(single), (*size[:-1], single._lay().size[1]))
    return result.mT.contiguous() if turned else result


def _check_folded(out: Tensor, size: tuple[int, ...], tall: tuple[int, ...]) -> None:
    """PyTorch multiplies into `out` as one tall matrix, and stumbles over one that cannot be looked at like that."""
    lay = out._lay()
    if lay.size == size and lay.reshape(tall) is None:
        broadcast_sizes(size, tall)


def _count(sizes: tuple[int, ...]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count


def _batched(a: Tensor, b: Tensor, out: Tensor | None) -> Tensor:
    """Both expanded to one batch of matrices each, multiplied pair by pair."""
    size_a, size_b = a._lay().size, b._lay().size
    if len(size_a) == len(size_b) == 3 and size_a[0] != size_b[0]:
        if size_a[0] == 1 and requires_grad(a):
            return _multiply(a.squeeze(0), b)
        if size_b[0] == 1 and requires_grad(b):
            return _multiply(a, b.squeeze(0))
    if out is not None:
        check_out(out, b._dtype)
    batch = broadcast_sizes(size_a[:-2], size_b[:-2])
    many = _count(batch)
    rows, vector = size_a[-2:-1] or (1,), len(size_b) == 1
    left = a.expand((*batch, *rows, size_a[-1])).reshape(many, *rows, size_a[-1])
    right = b.expand((*batch, *size_b[-2:])).reshape(many, *size_b[-2:])
    paired = left.bmm(right.unsqueeze(2)).squeeze(-1) if vector else left.bmm(right)
    return unsafe_view(paired, (*batch, *size_a[-2:-1], *(() if vector else size_b[-1:])))  # type: ignore[no-any-return]


def _multiply(a: Tensor, b: Tensor, out: Tensor | None = None) -> Tensor:
    dims = a.dim(), b.dim()
    if not dims[0] or not dims[1]:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {dims[0]}D and {dims[1]}D"
        )
    if dims == (1, 1):
        made = a.dot(b)
        if out is not None:
            _prepare_scalar(out, a._dtype)
        return made
    if dims == (2, 1):
        return a.mv(b)
    if dims == (1, 2):
        return a.unsqueeze(0).mm(b).squeeze_(0)
    if dims == (2, 2):
        return a.mm(b)
    return _folded(a, b, out) if _folds(a, b, out) else _batched(a, b, out)


@op(
    samples=(
        sample("tk.matmul(a, b)", a=(2, 2), b=(2, 3)),
        sample("a @ b", a=(2,), b=(2,)),
        sample("a @ b", a=(3, 2), b=(2,)),
        sample("a @ b", a=(2,), b=(2, 3)),
        sample("a.matmul(b)", a=(3, 2, 2), b=(2,)),
        sample("a @ b", a=(2,), b=(3, 2, 2)),
        sample("a @ b", a=(3, 2, 2), b=(2, 4)),
        sample("a @ b", a=(3, 2), b=(3, 2, 2)),
        sample("a @ b", a=(3, 1, 2), b=(3, 2, 2)),
        sample("a @ b", a=(1, 3, 2), b=(3, 2, 2)),
        sample("a @ b", a=(2, 1, 3, 2), b=(3, 2, 1)),
        sample("a @ b", a=(2, 3), b=(2, 3)),
        sample("a @ b", a=(2, 3, 2), b=(3, 2, 2)),
        sample("a @ b", a=(2, 3), b=()),
        sample("a @ 2", a=(2, 3)),
        sample("2 @ a", a=(2, 3)),
        sample("a.matmul(2)", a=(2, 3)),
        sample("tk.matmul(a, b, out=tk.empty(0, dtype=a.dtype))", a=(3, 2, 2), b=(2, 4)),
    ),
    kind="reduce",
    rounded=1,
    methods=("matmul", "__matmul__", "__rmatmul__"),
)
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply two tensors as matrices: what ``a @ b`` does.

    Two vectors give their `dot`, a matrix and a vector their `mv`, two matrices their `mm`. With more dimensions the
    last two are matrices, and those before are a batch, broadcast; a vector on the left counts as a row, on the right
    as a column, and its dimension is gone from the result.

    Raises:
        RuntimeError: for a tensor without dimensions, sizes that do not fit, or two dtypes.
        MissingKernelError: for bool and the wide unsigned integers.

    >>> import tensorkit as tk
    >>> (tk.ones(3, 4) @ tk.ones(4)).size(), (tk.ones(10, 1, 3, 4) @ tk.ones(5, 4, 2)).size()
    (tensorkit.Size([3]), tensorkit.Size([10, 5, 3, 2]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.matmul.html
    """
    if out is None and not tracing.active and (done := _quick(input, other)) is not None:
        return done
    if type(input) is not Tensor or type(other) is not Tensor:
        check_tensors("matmul", input=input, other=other)
    elif out is None and not tracing.active and len(input._lay().size) == len(other._lay().size) == 2:
        return _matrices(input, other)
    if out is None:
        return _multiply(input, other)
    if requires_grad(input) or requires_grad(other):
        raise not_recorded("matmul")
    made = _multiply(input, other, out)
    row = (input.dim(), other.dim()) == (1, 2)
    if row:
        made = made.unsqueeze(0)
    prepare(out, made._lay().size, made._dtype)
    copy_into(out, made)
    out._bump()
    return out.squeeze_(0) if row else out  # PyTorch writes a matrix of one row, and then takes the row away


def _left(self: Tensor, other: Any) -> Any:
    if not tracing.active and (done := _quick(self, other)) is not None:
        return done
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _right(self: Tensor, other: Any) -> Any:
    return matmul(other, self) if isinstance(other, Tensor) else NotImplemented


attach("__matmul__", _left)
attach("__rmatmul__", _right)
