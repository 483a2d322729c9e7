"""Products of several matrices, powers of one, and what is read off a matrix or a pair of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.autograd.out_arguments import not_recorded
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.registry import sample
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import refuse_shared, resize_out
from tensorkit.elementwise.promotion import check_devices
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.memory_format import contiguous_format
from tensorkit.ops.creation.factories import eye
from tensorkit.ops.joining.cat_stack import cat
from tensorkit.ops.linalg.checks import check_cast
from tensorkit.ops.linalg.matmul import check_out, check_tensors, deliver_product
from tensorkit.ops.linalg.matmul import matmul as _matmul
from tensorkit.ops.shared.tensor_data import tensor
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.sizes import broadcast_sizes, normalise_dim
from tensorkit.tensor import Array, Tensor

__all__ = [
    "chain_matmul",
    "cross",
    "diagonal",
    "linalg_cross",
    "linalg_matrix_power",
    "matmul",
    "matrix_power",
    "multi_dot",
    "trace",
    "vander",
    "vecdot",
]

_LACKS = (dtypes.bool, dtypes.uint16, dtypes.uint32, dtypes.uint64)


def _refuse_recording(name: str, *operands: Tensor) -> None:
    """PyTorch's error for an ``out=`` where somebody wants a gradient."""
    if any(map(requires_grad, operands)):
        raise not_recorded(name)


def _copied_out(result: Tensor, out: Tensor) -> Tensor:
    resize_out(out, result._lay().size)
    return out.copy_(result)


# -- read off a matrix --------------------------------------------------------------------------------------------


def _trace_back(g: Any, c: Any) -> Any:
    rows, columns = c.input_face.size
    places = tensor([place * (columns + 1) for place in range(min(rows, columns))], dtype=dtypes.int64)
    return g.new_zeros(rows * columns).index_fill(0, places.to(g.device), g).view(rows, columns)


@op(
    samples=(
        sample("tk.trace(a)", a=(2, 3)),
        sample("a.trace()", a=(3, 3)),
        sample("a.trace()", a=(0, 3)),
        sample("a.trace()", a=(3,)),
        sample("tk.trace(2)"),
    ),
    kind="reduce",
    rounded=1,
    derivative=Rule("TraceBackward0", input=_trace_back),
)
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix; of integers as int64.

    Raises:
        RuntimeError: for anything but a matrix. MissingKernelError: for bool and the wide unsigned integers.

    >>> import tensorkit as tk
    >>> tk.trace(tk.tensor([[1, 2], [3, 4]]))
    tensor(5)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.trace.html
    """
    check_tensors("trace", input=input)
    if input._dtype in _LACKS and input._device != META:
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


@op(
    strict=True,
    samples=(
        sample("tk.linalg.diagonal(a)", a=(2, 3, 4)),
        sample("tk.linalg.diagonal(a, offset=1, dim1=0)", a=(2, 3, 4)),
        sample("tk.linalg.diagonal(a)", a=(3,)),
        sample("tk.linalg.diagonal(a, dim1=1, dim2=-1)", a=(2, 3)),
        sample("tk.linalg.diagonal(a, 1)", a=(2, 3)),
    ),
    namespace="linalg",
)
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """``A.diagonal`` of the last two dimensions, unless others are named: a view.

    >>> import tensorkit as tk
    >>> tk.linalg.diagonal(tk.arange(8).view(2, 2, 2))
    tensor([[0, 3],
            [4, 7]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linalg.diagonal.html
    """
    check_tensors("linalg_diagonal", A=A)
    return A.diagonal(offset, dim1, dim2)


# -- pairs of vectors ---------------------------------------------------------------------------------------------


@op(
    strict=True,
    samples=(
        sample("tk.linalg.vecdot(a, b)", a=(3, 2), b=(3, 2)),
        sample("tk.linalg.vecdot(a, b, dim=0)", a=(2, 3), b=(2, 1)),
        sample("tk.linalg.vecdot(a, b)", a=(2,), b=(2,)),
        sample("tk.linalg.vecdot(a, b)", a=(3, 2), b=(3, 3)),
        sample("tk.linalg.vecdot(a, b, dim=3)", a=(3, 2), b=(3, 2)),
        sample("tk.linalg.vecdot(a, 1)", a=(3, 2)),
        sample("tk.linalg.vecdot(a, b, out=tk.empty(0, dtype=a.dtype))", a=(3, 2), b=(3, 2)),
        sample("tk.linalg.vecdot(a, b, out=tk.empty(3))", a=(3, 2), b=(3, 2)),
    ),
    kind="reduce",
    rounded=2,
    namespace="linalg",
)
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The products of vectors that lie along a dimension: of `x`'s complex conjugate with `y`; the rest is broadcast.

    Raises:
        RuntimeError: for integers, for two dtypes, or sizes that do not fit.

    >>> import tensorkit as tk
    >>> tk.linalg.vecdot(tk.tensor([[1.0, 2.0], [3.0, 4.0]]), tk.tensor([1.0, 10.0]))
    tensor([21., 43.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linalg.vecdot.html
    """
    check_tensors("linalg_vecdot", x=x, y=y)
    if x._dtype.category < 2:
        raise RuntimeError(
            f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {x._dtype.label}"
        )
    if x._dtype is not y._dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {x._dtype.label} and y of "
            f"type {y._dtype.label} instead"
        )
    if out is not None and out._dtype is not x._dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected out of dtype{x._dtype.label} but found {out._dtype.label}"
        )
    if out is not None:
        _refuse_recording("sum", x, y)
    result = x.vdot(y) if x.dim() == y.dim() == 1 else (x.conj() * y).sum(dim)
    return result if out is None else _copied_out(result, out)


def _crossed(a: Array, b: Array, axis: int, kind: dtype) -> Array:
    """Of each pair of triples along an axis the vector that is at right angles to both, long as what they span."""
    work = dtypes.float32 if kernels.is_half(kind) else kind
    x, y = (numpy.moveaxis(kernels.cast(one, work), axis, 0) for one in (a, b))
    out = numpy.empty(a.shape, kind.numpy)
    rows = numpy.moveaxis(out, axis, 0)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        parts = (kernels.quiet(numpy.multiply, x[m], y[n]) for m, n in ((j, k), (k, j)))
        if kernels.is_half(kind):  # PyTorch rounds each product
            parts = (kernels.cast(kernels.cast(part, kind), work) for part in parts)
        kernels.quiet(numpy.copyto, rows[i, ...], kernels.quiet(numpy.subtract, *parts), casting="unsafe")
    return out


def _cross_body(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    if input.dim() != other.dim():
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    lengths = input.size(dim), other.size(dim)
    if lengths != (3, 3):
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {lengths[0]} and {lengths[1]}"
        )
    size = broadcast_sizes(input._lay().size, other._lay().size)
    where, kind = check_devices((input, other)), input._dtype
    if out is not None:
        check_out(out, kind)
        resize_out(out, size)
        refuse_shared(out, input)
        refuse_shared(out, other)

    def body() -> Array:
        if kind in _LACKS:
            raise missing_kernel("cross", kind.label)
        if other._dtype is not kind:
            raise RuntimeError(f"expected scalar type {kind.label} but found {other._dtype.label}")
        a, b = (one.expand(size)._nd() for one in (input, other))
        return _crossed(a, b, normalise_dim(dim, len(size)), kind)

    return deliver_product("linalg_cross", body, size, kind, where, out)


def _cross_again(a: Any, b: Any, dim: int) -> Any:
    return linalg_cross(a, b, dim=dim)


@op(
    samples=(
        sample("tk.linalg.cross(a, b)", a=(2, 3), b=(2, 3)),
        sample("tk.linalg.cross(a, b, dim=0)", a=(3, 2), b=(3, 1)),
        sample("tk.linalg.cross(a, b)", a=(3,), b=(3,)),
        sample("tk.linalg.cross(a, b)", a=(2, 2), b=(2, 2)),
        sample("tk.linalg.cross(a, b)", a=(2, 3), b=(3,)),
        sample("tk.linalg.cross(a, b)", a=(2, 3), b=(4, 3)),
        sample("tk.linalg.cross(a, b, dim=1.5)", a=(2, 3), b=(2, 3)),
        sample("tk.linalg.cross(a, b, 1)", a=(2, 3), b=(2, 3)),
        sample("tk.linalg.cross(a, 1)", a=(2, 3)),
        sample("tk.linalg.cross(a, b, out=tk.empty(0))", a=(2, 3), b=(2, 3)),
    ),
    kind="reduce",
    rounded=2,
    name="cross",
    namespace="linalg",
    derivative=Rule(
        "LinalgCrossBackward0",
        input=lambda g, c: _cross_again(c.other.conj(), g, c.dim),
        other=lambda g, c: _cross_again(g, c.input.conj(), c.dim),
    ),
)
def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of three elements that lie along a dimension; the others are broadcast.

    Raises:
        RuntimeError: when the dimension has not three elements, or the numbers of dimensions or the dtypes differ.

    >>> import tensorkit as tk
    >>> tk.linalg.cross(tk.tensor([1, 0, 0]), tk.tensor([0, 1, 0]))
    tensor([0, 0, 1])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linalg.cross.html
    """
    check_tensors("linalg_cross", input=input, other=other)
    return _cross_body(input, other, dim=dim, out=out)


_NO_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or "
    "simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross "
    "in a future release.".replace("torch.", "tensorkit.")
)


@op(
    samples=(
        sample("tk.cross(a, b)", a=(3, 2), b=(3, 2)),
        sample("a.cross(b)", a=(2, 3), b=(2, 3)),
        sample("a.cross(b, 1)", a=(3, 3), b=(1, 3)),
        sample("tk.cross(a, b)", a=(2, 2), b=(2, 2)),
        sample("tk.cross(a, b, dim=5)", a=(2, 3), b=(2, 3)),
        sample("tk.cross(a, 2)", a=(2, 3)),
        sample("tk.cross(a, b, dim=1, out=tk.empty(0))", a=(2, 3), b=(2, 3)),
    ),
    kind="reduce",
    rounded=2,
)
def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross product along a dimension: the first of three elements, if none is named, which is deprecated.

    >>> import tensorkit as tk
    >>> tk.cross(tk.tensor([1, 0, 0]), tk.tensor([0, 1, 0]), dim=0)
    tensor([0, 0, 1])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cross.html
    """
    check_tensors("cross", input=input, other=other)
    if dim is None:
        if out is None:
            warn(_NO_DIM)
        if 3 not in input._lay().size:
            raise RuntimeError("no dimension of size 3 in input")
        dim = input._lay().size.index(3)
    return linalg_cross(input, other, dim=dim, out=out)


# -- chains -------------------------------------------------------------------------------------------------------


@op(
    samples=(
        sample("tk.linalg.matmul(a, b)", a=(3, 2), b=(2, 2)),
        sample("tk.linalg.matmul(a, b)", a=(2, 3), b=(2, 3)),
        sample("tk.linalg.matmul(a, 2)", a=(2, 3)),
    ),
    kind="reduce",
    rounded=1,
    namespace="linalg",
)
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input @ other``; see ``tensorkit.matmul``.

    >>> import tensorkit as tk
    >>> tk.linalg.matmul(tk.tensor([[1, 2]]), tk.tensor([3, 4]))
    tensor([11])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linalg.matmul.html
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
    return result if out is None else _copied_out(result, out)


def _check_list(name: str, tensors: Any) -> None:
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type_name(tensors)}"
        )
    for number, one in enumerate(tensors):
        if not isinstance(one, Tensor):
            raise TypeError(f"expected Tensor as element {number} in argument 0, but got {type_name(one)}")


@op(
    samples=(
        sample("tk.linalg.multi_dot([a, b])", a=(3, 2), b=(2, 2)),
        sample("tk.linalg.multi_dot((a, b, c))", a=(3, 2), b=(2, 3), c=(3, 1)),
        sample("tk.linalg.multi_dot((a, b, c))", a=(2,), b=(2, 1), c=(1,)),
        sample("tk.linalg.multi_dot([a, b, a, b])", a=(1, 2), b=(2, 1)),
        sample("tk.linalg.multi_dot([a, b])", a=(2,), b=(2,)),
        sample("tk.linalg.multi_dot([a, b])", a=(3, 2), b=(3, 2)),
        sample("tk.linalg.multi_dot([a])", a=(3, 2)),
        sample("tk.linalg.multi_dot([a, b])", a=(3, 2, 1), b=(2, 2)),
        sample("tk.linalg.multi_dot([b, a])", a=(3, 2, 1), b=(2, 2)),
        sample("tk.linalg.multi_dot([b, a, b])", a=(2,), b=(2, 2)),
        sample("tk.linalg.multi_dot([a, 2])", a=(3, 2)),
        sample("tk.linalg.multi_dot(a)", a=(3, 2)),
        sample("tk.linalg.multi_dot([a, b], out=tk.empty(0))", a=(3, 2), b=(2, 2)),
    ),
    kind="reduce",
    rounded=4,
    namespace="linalg",
)
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Multiply matrices one after another, in the order that costs the fewest multiplications.

    Args:
        tensors: two or more matrices of one dtype; the first and the last may be vectors: a row and a column.

    Raises:
        RuntimeError: when they do not fit.

    >>> import tensorkit as tk
    >>> tk.linalg.multi_dot([tk.ones(2, 3), tk.ones(3, 4), tk.ones(4)])
    tensor([12., 12.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linalg.multi_dot.html
    """
    _check_list("linalg_multi_dot", tensors)
    return _multi_dot(tensors, out)


@op(
    samples=(
        sample("tk.chain_matmul(a, b, a)", a=(1, 2), b=(2, 1)),
        sample("tk.chain_matmul(a)", a=(3, 2)),
        sample("tk.chain_matmul()"),
        sample("tk.chain_matmul(a, b)", a=(3, 2), b=(2,)),
        sample("tk.chain_matmul(a, b)", a=(3, 2), b=(3, 2)),
        sample("tk.chain_matmul(a, 2)", a=(3, 2)),
    ),
    kind="reduce",
    rounded=4,
    methods=(),
)
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """``linalg.multi_dot`` by its older, deprecated name, for matrices alone.

    >>> import tensorkit as tk, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     tk.chain_matmul(tk.ones(1, 3), tk.ones(3, 4), tk.ones(4, 1))
    tensor([[12.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.chain_matmul.html
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
        return matrices[0].clone() if out is None else _copied_out(matrices[0], out)
    return _multi_dot(matrices, out)


# -- powers -------------------------------------------------------------------------------------------------------


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
        raise TypeError("n is an integer")  # said in PyTorch's words by whoever wraps the operation
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
        _refuse_recording("matmul", A)
        check_out(out, A._dtype)
    return _copied_out(_power(A, int(n)), out)


@op(
    strict=True,
    samples=(
        sample("tk.linalg.matrix_power(a, 3)", a=(2, 2)),
        sample("tk.linalg.matrix_power(a, n=0)", a=(3, 2, 2)),
        sample("tk.linalg.matrix_power(a, 2)", a=(2, 3)),
        sample("tk.linalg.matrix_power(a, 1.5)", a=(2, 2)),
    ),
    kind="reduce",
    rounded=8,
    name="matrix_power",
    namespace="linalg",
)
def linalg_matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """A square matrix multiplied by itself `n` times; the inverse as often for a negative `n`. Also of batches.

    Raises:
        RuntimeError: for what is not square. LinAlgError: for the inverse of a singular matrix.

    >>> import tensorkit as tk
    >>> tk.linalg.matrix_power(tk.tensor([[1, 1], [1, 0]]), 10)
    tensor([[89, 55],
            [55, 34]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linalg.matrix_power.html
    """
    check_tensors("linalg_matrix_power", input=input)
    return _checked_power(input, n, out)


@op(
    strict=True,
    samples=(
        sample("tk.matrix_power(a, 5)", a=(1, 1)),
        sample("a.matrix_power(2)", a=(3, 2, 2)),
        sample("a.matrix_power(3)", a=(2, 2)),
        sample("a.matrix_power(0)", a=(2, 2)),
        sample("a.matrix_power(1)", a=(2, 2)),
        sample("a.matrix_power(2)", a=(2,)),
        sample("tk.matrix_power(a, 'n')", a=(2, 2)),
        sample("tk.matrix_power(a, 2, out=tk.empty(0))", a=(2, 2)),
    ),
    kind="reduce",
    rounded=8,
)
def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """``linalg.matrix_power`` by its older name.

    >>> import tensorkit as tk
    >>> tk.matrix_power(tk.tensor([[2]]), 5)
    tensor([[32]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.matrix_power.html
    """
    check_tensors("matrix_power", input=input)
    return _checked_power(input, n, out)


@op(
    samples=(
        sample("tk.linalg.vander(a)", a=(3,)),
        sample("tk.linalg.vander(a, N=2)", a=(2, 3)),
        sample("tk.linalg.vander(a, N=4)", a=()),
        sample("tk.linalg.vander(a, N=1)", a=(3,)),
        sample("tk.linalg.vander(2)"),
    ),
    kind="reduce",
    rounded=1,
    namespace="linalg",
)
def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """A Vandermonde matrix: for each element a row of its powers, from 0 to ``N - 1``.

    Args:
        N: as many as there are elements, if not given.

    >>> import tensorkit as tk
    >>> tk.linalg.vander(tk.tensor([2, 3, 5]))
    tensor([[ 1,  2,  4],
            [ 1,  3,  9],
            [ 1,  5, 25]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.linalg.vander.html
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
