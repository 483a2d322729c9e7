"""Matrix times vector, vector times vector: `mv`, `dot`, `vdot`, `outer`, `ger`."""

from __future__ import annotations

from typing import Any

from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import CONJ
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import resize_out
from tensorkit.elementwise.promotion import check_devices
from tensorkit.errors import warn
from tensorkit.ops.matrix_products.product import (
    check_kernel,
    check_out,
    check_tensors,
    deliver_product,
    multiplied,
    prepare,
)
from tensorkit.ops.pointwise.arithmetic import mul
from tensorkit.tensor import Array, Tensor


@op(
    kind="reduce",
    rounded=1,
    derivative=Rule(
        "MvBackward0", input=lambda g, c: g.ger(c.vec.conj()), vec=lambda g, c: c.input.conj().t().mv(g)
    ),
    out_overlap="allowed",
    library="BLAS",
    family="products",
)
@shortened("mv")
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply a matrix (n × m) by a vector (m): a vector of n elements.

    Raises:
        RuntimeError: for other numbers of dimensions, sizes that do not fit, or two dtypes.
        MissingKernelError: for bool and the wide unsigned integers.

    >>> tk.mv(tk.tensor([[1, 2], [3, 4]]), tk.tensor([1, 10]))
    tensor([21, 43])
    """
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

    def body() -> Array | Tensor:
        check_kernel("addmv_impl_cpu", kind, n * m)
        return multiplied(input, vec, kind)

    return deliver_product("mv", body, (n,), kind, where, out)


def prepare_scalar(out: Any, kind: dtype) -> None:
    if not isinstance(out, Tensor):
        check_out(out, kind)
    resize_out(out, ())
    if out._dtype is not kind:
        raise RuntimeError(f"result dtype {out._dtype.label} does not match input dtype {kind.label}")


def _dotted(name: str, a: Tensor, b: Tensor, out: Tensor | None, turned: bool) -> Tensor:
    kind = a._dtype
    if out is not None:
        prepare_scalar(out, kind)
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

    def body() -> Array | Tensor:
        check_kernel("dot", kind)
        return multiplied(a.conj() if turned and kind.is_complex else a, b, kind)

    return deliver_product(name, body, (), kind, where, out)


@op(
    kind="reduce",
    rounded=1,
    derivative=Rule(
        "DotBackward0", input=lambda g, c: g * c.tensor.conj(), tensor=lambda g, c: g * c.input.conj()
    ),
    library="BLAS",
    family="products",
)
@shortened("dot")
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of the products of two vectors' elements: a tensor without dimensions.

    Complex numbers are multiplied as they are; `vdot` conjugates the first.

    Raises:
        RuntimeError: for anything but two vectors of one size and dtype.
        MissingKernelError: for bool and the wide unsigned integers.

    >>> tk.dot(tk.tensor([2, 3]), tk.tensor([2, 1]))
    tensor(7)
    """
    check_tensors("dot", input=input, tensor=tensor)
    if tensor._bits & CONJ and not input._bits & CONJ:
        return _dotted("dot", tensor, input, out, turned=False)  # PyTorch's way round, which its errors tell
    return _dotted("dot", input, tensor, out, turned=False)


@op(
    kind="reduce",
    rounded=1,
    derivative=Rule("VdotBackward0", input=lambda g, c: g.conj() * c.other, other=lambda g, c: g * c.input),
    library="BLAS",
    family="products",
)
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`dot` of the first vector's complex conjugate and the second.

    >>> tk.vdot(tk.tensor([1 + 2j]), tk.tensor([1 + 2j]))
    tensor(5.+0.j)
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


@op(kind="pointwise", out_error="mul", out_overlap="before resizing")
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Every element of one vector times every element of another: n and m give n × m. Dtypes are promoted.

    >>> tk.outer(tk.tensor([1, 2, 3]), tk.tensor([1, 10]))
    tensor([[ 1, 10],
            [ 2, 20],
            [ 3, 30]])
    """
    check_tensors("outer", input=input, vec2=vec2)
    return _outer(input, vec2, out)


@op(kind="pointwise", out_overlap="before resizing")
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`outer` by its older name.

    >>> tk.ger(tk.tensor([1, 2]), tk.tensor([3]))
    tensor([[3],
            [6]])
    """
    check_tensors("ger", input=input, vec2=vec2)
    if out is not None:  # it is said there alone
        warn(
            "tensorkit.ger is deprecated and will be removed in a future PyTorch release. Use tensorkit.outer instead."
        )
    return _outer(input, vec2, out)
