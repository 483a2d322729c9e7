"""Lengths and distances: `norm`, `dist`, and the norm of vectors that `linalg` offers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable
from tensorkit.dispatch.registry import registry
from tensorkit.dispatch.signatures import Inner, type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu.sums import sum_compiled
from tensorkit.kernels.cpu.sums.sum import squares, sum_along
from tensorkit.kernels.sizes import SMALL
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import axes_of, exact_out, host, like_meta, reduced_size, with_dims
from tensorkit.ops.reduction.var_std import add_reduce
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.ops.shared.to import as_dtype
from tensorkit.tensor import Array, Tensor

Number = bool | int | float | complex


def norm_back(g: Any, x: Any, p: float, value: Any, dim: Any, keepdim: bool) -> Any:
    """From the gradient of a norm to that of the vector, with PyTorch's choices where it has a kink."""
    ndim = x.dim()
    g, value = with_dims(g, dim, keepdim, ndim), with_dims(value, dim, keepdim, ndim)
    if p == 0:
        return None  # how many there are does not change by small steps
    if p == 1:
        return x.sgn() * g
    if p == 2:
        return g * (x / value).masked_fill_(value.eq(0), 0)
    if math.isinf(p):
        size = x.abs()
        chosen = size.eq(value).logical_or(size.isnan())
        return x.sgn() * ((g / chosen.sum(axes_of(dim, ndim), True)) * chosen)
    if p < 1:
        return x.sgn() * x.abs().pow(p - 1).masked_fill_(x.eq(0), 0) * g * value.pow(1 - p)
    scaled = x.sgn() * x.abs().pow(p - 1) if p < 2 else x * x.abs().pow(p - 2)
    return scaled * (g / value.pow(p - 1)).masked_fill_(value.eq(0), 0)


def norm_of(array: Array, p: float, axes: tuple[int, ...], keepdim: bool) -> Array:
    """The p-norm along dimensions, in the precision of the elements."""
    if p == 0:
        return add_reduce(array != 0, axis=axes, keepdims=keepdim, dtype=array.real.dtype)  # type: ignore[no-any-return]
    if all(array.shape[d] == 1 for d in axes):  # one number's norm is its size, which no power can overflow
        return numpy.abs(array).reshape(reduced_size(array.shape, axes, keepdim))
    if p == 2 and array.dtype == numpy.float32 and len(axes) == array.ndim and 0 < array.size <= SMALL:
        length = sum_compiled.length(array)
        if length is not None:
            return length.reshape(reduced_size(array.shape, axes, keepdim))
    sizes = numpy.abs(array) if p != 2 or array.dtype.kind == "c" else array
    if p == 2 and (short := sum_along(sizes, axes, squares)) is not None:
        return numpy.sqrt(short.reshape(reduced_size(array.shape, axes, keepdim)))
    if p == 2:
        return numpy.sqrt(add_reduce(numpy.square(sizes), axis=axes, keepdims=keepdim))  # type: ignore[no-any-return]
    if math.isinf(p):
        ufunc: Any = numpy.maximum if p > 0 else numpy.minimum
        return ufunc.reduce(sizes, axis=axes, keepdims=keepdim, initial=None if array.size else 0)  # type: ignore[no-any-return]
    if p != 1:
        sizes **= p
    total = add_reduce(sizes, axis=axes, keepdims=keepdim)
    return total if p == 1 else numpy.power(total, 1 / p)  # type: ignore[no-any-return]


_NORM = "linalg.vector_norm"


def _norm_kind(input: Tensor, kind: Any) -> dtype:
    """What a norm is computed in. Raises: RuntimeError: for a dtype that has none, or that would lose digits."""
    own = input._dtype
    if own.category < 2:
        raise RuntimeError(f"{_NORM}: Expected a floating point or complex tensor as input. Got {own.label}")
    if kind is None:
        return own
    chosen = as_dtype(kind, "norm")
    if chosen.category < 2:
        raise RuntimeError(f"{_NORM}: dtype should be floating point or complex, but got {chosen.label}")
    if own.is_complex != chosen.is_complex:
        which = "complex for complex" if own.is_complex else "real for real"
        raise RuntimeError(f"{_NORM}: dtype should be {which} inputs, but got {chosen.label}")
    if dtypes.promote_types(own, chosen) is not chosen:
        raise RuntimeError(
            f"{_NORM}: the dtype of the input ({own.label}) should be convertible without narrowing to the specified "
            f"dtype ({chosen.label})"
        )
    return chosen


def _check_order(p: float, dim: Any, size: tuple[int, ...]) -> None:
    """Refuse the norms that no elements have."""
    if not (p < 0 or p == math.inf) or 0 not in size:
        return
    shown = f"{p:g}"
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        raise RuntimeError(
            f"{_NORM} cannot compute the {shown} norm on an empty tensor because the operation does not have an "
            "identity"
        )
    for one in dim if isinstance(dim, (tuple, list)) else (dim,):
        if size and size[one] == 0:
            raise RuntimeError(
                f"{_NORM} cannot compute the {shown} norm on the dimension {one}because this dimension is empty and "
                "the operation does not have an identity"
            )


def _vector_norm_body(input: Tensor, ord: Any, dim: Any, keepdim: Any, dtype: Any, out: Any) -> Tensor:
    if isinstance(ord, complex):
        raise RuntimeError(f"{_NORM}: Expected a non-complex scalar as the order of norm.")
    p = float(ord)
    kind = _norm_kind(input, dtype)
    size = input._lay().size
    axes = axes_of(dim, len(size))
    _check_order(p, dim, size)
    exact_out(kind.to_real(), out)
    if input._device == META:
        return like_meta(reduced_size(size, axes, keepdim), kind.to_real())
    if p == 0 and kind.is_complex and all(size[d] == 1 for d in axes):
        warn("Casting complex values to real discards the imaginary part")  # so says PyTorch, of a count
    if is_on_device(input):
        return on_device.norm(input, p, axes, keepdim, kind, out)
    wide = dtypes.float32 if kernels.is_half(kind) else kind
    array = kernels.cast(host(input, "linalg_vector_norm"), wide)
    return deliver(kernels.quiet(norm_of, array, p, axes, keepdim), kind.to_real(), out)


_recorded_norm: Callable[..., Any] = differentiable(
    _vector_norm_body,
    Rule(
        "LinalgVectorNormBackward0",
        input=lambda g, c: norm_back(g, c.input, float(c.ord), c.out, c.dim, c.keepdim),
    ),
    "linalg_vector_norm",
    "reduce",
)


def vector_norm(
    input: Tensor, ord: Any, dim: Any, keepdim: Any, dtype: Any = None, out: Any = None
) -> Tensor:
    """The p-norm of the elements along dimensions, recorded as ``linalg.vector_norm`` is.

    Raises:
        RuntimeError: for integers and bools, and where no elements have no such norm. TypeError: for odd arguments.
    """
    for place, one in enumerate(dim if isinstance(dim, (tuple, list)) else () if dim is None else (dim,)):
        if isinstance(one, bool) or not hasattr(one, "__index__"):
            kind = type_name(one)
            if isinstance(dim, (tuple, list)):
                raise TypeError(
                    f"linalg_vector_norm(): argument 'dim' failed to unpack the object at pos {place + 1} with error "
                    f'"type must be tuple of ints,but got {kind}"'
                )
            raise TypeError(
                f"linalg_vector_norm(): argument 'dim' (position 3) must be tuple of ints, not {kind}"
            )
    if not isinstance(keepdim, bool):
        raise TypeError(
            f"linalg_vector_norm(): argument 'keepdim' (position 4) must be bool, not {type_name(keepdim)}"
        )
    return _recorded_norm(input, ord, dim, keepdim, dtype, out)  # type: ignore[no-any-return]


def _norm_in_python(
    input: Any, p: Any = "fro", dim: Any = None, keepdim: Any = False, out: Any = None, dtype: Any = None
) -> Inner | None:
    if not isinstance(input, Tensor) or (isinstance(p, str) and p != "fro"):
        return None
    order = 2 if p is None or p == "fro" else p
    dim = [dim] if isinstance(dim, int) else dim
    return "linalg_vector_norm", (input, order, dim, keepdim), {"dtype": dtype, "out": out}


def _norm_method(
    self: Any, p: Any = "fro", dim: Any = None, keepdim: Any = False, dtype: Any = None
) -> Inner | None:
    return _norm_in_python(self, p, dim, keepdim, dtype=dtype)


@op(kind="reduce", rounded=2, out_error="linalg_vector_norm", out_overlap="allowed")
@takes(python=_norm_in_python, python_method=_norm_method)
def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None
) -> Tensor:
    """The p-norm of all elements, or of those along the dimensions named.

    Args:
        p: the exponent: 2 (``"fro"``) for the length, 1 for the sum of sizes, infinity for the largest, 0 for how many
            are not 0; ``"nuc"`` for the sum of a matrix's singular values.
        dim: one dimension or several; None means all. keepdim: keep a reduced dimension with size 1.
        dtype: convert to it first.

    Raises:
        RuntimeError: for integers and bools, and for an infinite or negative `p` where there are no elements.

    >>> t = tk.tensor([[3.0, 4], [0, 5]])
    >>> t.norm(dim=1), t.norm(1), t.norm(float("inf"))
    (tensor([5., 5.]), tensor(12.), tensor(5.))
    """
    if not isinstance(input, Tensor):
        input.layout  # what PyTorch asks first  # noqa: B018
    if isinstance(out, dtypes.dtype):  # the fourth argument of the method is the dtype
        out, dtype = None, out
    if p is None or (isinstance(p, str) and p == "fro"):
        return vector_norm(input, 2, dim, keepdim, dtype, out)
    if isinstance(p, str):
        if p != "nuc":
            raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
        found = registry["linalg_matrix_norm"].function
        assert found is not None
        return found(input, "nuc", (0, 1) if dim is None else dim, keepdim, dtype=dtype, out=out)  # type: ignore[no-any-return]
    if isinstance(p, Tensor):
        p = plain_number(p)
        if isinstance(p, Tensor):
            raise TypeError  # the caller says it in PyTorch's words
    return vector_norm(input, p, dim, keepdim, dtype, out)


def _dist_back(g: Any, c: Any) -> Any:
    return norm_back(g, c.input - c.other, float(c.p), c.out, None, False)


def _dist_back_other(g: Any, c: Any) -> Any:
    back = _dist_back(g, c)
    if back is None:
        raise RuntimeError(
            "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 'self'"
        )
    return -back


@op(
    strict=True,
    kind="reduce",
    rounded=2,
    derivative=Rule("DistBackward0", input=_dist_back, other=_dist_back_other),
)
def dist(input: Tensor, other: Tensor, p: Number = 2) -> Tensor:
    """The p-norm of the difference of two tensors of sizes that broadcast together.

    >>> tk.tensor([3.0, 0]).dist(tk.tensor([0.0, 4]))
    tensor(5.)
    """
    p = plain_number(p)
    if not isinstance(other, Tensor) or not isinstance(p, NUMBERS):
        raise TypeError
    apart = input - other
    if apart._dtype.category < 2:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {apart._dtype.label} instead."
        )
    return vector_norm(apart, p, None, False)
