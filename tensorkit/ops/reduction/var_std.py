"""Reductions beyond sum and mean: spread, norms, distances, covariance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable, wants_grad
from tensorkit.dispatch.registry import registry, sample
from tensorkit.dispatch.signatures import type_name
from tensorkit.dispatch.unsaid import UNSAID
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import check_writable
from tensorkit.elementwise.plan import brief
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import sum_compiled, tiny
from tensorkit.kernels.cpu.sum import moments, squares, sum_along
from tensorkit.number_range import as_double, check_number
from tensorkit.ops.pointwise.ternary import complex as complex_of
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.reduction.arguments import (
    axes_of,
    axis_of_small,
    check_dims,
    check_flag,
    count,
    exact_out,
    host,
    like_meta,
    reduced_size,
    spread_out,
    with_dims,
)
from tensorkit.ops.shared.copy import deliver
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.shared.scalar_arithmetic import over, times
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.ops.shared.to import as_dtype
from tensorkit.tensor import Array, Tensor, fresh

__all__ = [
    "Number",
    "corrcoef",
    "cov",
    "dist",
    "norm",
    "norm_back",
    "norm_of",
    "std",
    "std_mean",
    "var",
    "var_mean",
    "vector_norm",
]


_add: Any = numpy.add.reduce


# -- how gradients pass back --------------------------------------------------------------------------------------


def _var_back(g: Any, c: Any) -> Any:
    dim, by = _correction(c.dim, c.unbiased, c.correction)
    wide = with_dims(g, dim, c.keepdim, len(c.input_face.size))
    # Named by an empty tuple, all dimensions are reduced, and PyTorch counts one element.
    alone = isinstance(dim, (tuple, list)) and not dim and c.input_face.size
    free = (1 if alone else count(c.input_face, dim)) - by
    if free <= 0 and (dim is None or not c.input_face.size):
        # As much too large as can be, and of a constant no number: what PyTorch gives where no freedom is left.
        endless = wide.new_full(c.input_face.size, math.inf)
        return wide * where(c.input.ne(c.input.mean()), endless, math.nan)
    factor = 2.0 / free if free else math.inf
    return times(wide, factor) * (c.input - (c.input.mean() if dim is None else c.input.mean(dim, True)))


def _std_back(g: Any, c: Any) -> Any:
    return _var_back(_halved(g, c.out), c)


def _halved(g: Any, out: Any) -> Any:
    """From the gradient of a root to that of what is under it; none where that is 0."""
    return (g / times(out, 2)).masked_fill_(out.eq(0), 0)


def _mean_part(g: Any, c: Any) -> Any:
    dim, _ = _correction(c.dim, c.unbiased, c.correction)
    return over(spread_out(g, c.input_face, dim, c.keepdim), count(c.input_face, dim))


def _var_mean_back(g: Any, c: Any) -> Any:
    spread, centre = g
    parts = [] if spread is None else [_var_back(spread, c)]
    parts += [] if centre is None else [_mean_part(centre, c)]
    return parts[0] + parts[1] if len(parts) == 2 else parts[0]


def _std_mean_back(g: Any, c: Any) -> Any:
    spread, centre = g
    return _var_mean_back((None if spread is None else _halved(spread, c.out), centre), c)


# -- spread -------------------------------------------------------------------------------------------------------


def _correction(dim: Any, unbiased: Any, correction: Any) -> tuple[Any, Any]:
    """``std(False)`` gives the flag where the dimension would stand; ``unbiased`` is an old name for correction 1."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not UNSAID:
        return dim, 1 if unbiased else 0
    if correction is None:
        return dim, 1
    correction = plain_number(correction)
    if isinstance(correction, Tensor):
        raise TypeError  # said in PyTorch's words by whoever was called
    return dim, as_double(correction)


def _check_spread(dim: Any, unbiased: Any, keepdim: Any, correction: Any) -> None:
    """Refuse what fits none of the forms (the sentence is added by whoever was called)."""
    check_flag(keepdim)
    if unbiased is not UNSAID:
        check_flag(unbiased)
    if not isinstance(dim, bool):
        check_dims(dim)
    if isinstance(dim, bool) and (unbiased is not UNSAID or keepdim):
        raise TypeError
    if correction is not None and (unbiased is not UNSAID or isinstance(dim, bool)):
        raise TypeError


def _spread(
    name: str, input: Tensor, dim: Any, correction: Any, keepdim: bool, into: dtype | None = None
) -> tuple[Any, Any, dtype]:
    """The spread and the mean; without data, their size.

    Args:
        into: the dtype of what the spread alone is to be written into.
    """
    if input._dtype.category < 2:
        both = name.endswith("_mean")
        whose = f"{name} only support" if both else "std and var only support"
        raise RuntimeError(f"{whose} floating point and complex dtypes")
    size = input._lay().size
    axes = axes_of(dim, len(size))
    kind = input._dtype.to_real()
    if input._device == META:
        shrunk = reduced_size(size, axes, keepdim)
        return like_meta(shrunk, kind), like_meta(shrunk, input._dtype), kind
    many = math.prod([size[d] for d in axes])
    # PyTorch counts no elements where there is no result, and asks again for the imaginary parts.
    results = math.prod(reduced_size(size, axes, False))
    if (many if results else 0) - correction <= 0:
        for _ in range(2 if input._dtype.is_complex else 1):
            _warn_freedom(name)
    if into is not None and into.category >= 2:
        if results > 1 and input.numel() and into.is_complex and not input._dtype.is_complex:
            raise missing_kernel("std_cpu", into.label)
        array = host(input, name)
        return _spread_into(name, array, input._dtype, axes, many, correction, keepdim, into), None, into
    variance, centre = kernels.quiet(_moments, host(input, name), axes, many, correction, keepdim)
    values = kernels.quiet(numpy.sqrt, variance) if name.startswith("std") else variance
    return values, centre, kind


def _warn_freedom(name: str) -> None:
    warn(
        f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input "
        "numel divided by output numel)."
    )


def _moments(
    array: Array, axes: tuple[int, ...], many: int, correction: Any, keepdim: bool
) -> tuple[Array, Array]:
    """The variance and the mean, in float64: a part without spread divided by zero is nan, and nan stays."""
    if array.dtype == numpy.float32 and (short := _moments_short(array, axes, many, correction)) is not None:
        shape = reduced_size(array.shape, axes, keepdim)
        return short[0].reshape(shape), short[1].reshape(shape)
    wide = array.astype(numpy.complex128 if array.dtype.kind == "c" else numpy.float64)
    centre = _add(wide, axis=axes, keepdims=True)
    if wide.ndim or wide.dtype.kind != "c":  # whose parts, one by one, are the mean of one complex number
        centre = centre / numpy.float64(many)
    if not numpy.isfinite(centre).all():
        _as_updated(wide, centre, axes)
    wide -= centre
    divisor = numpy.float64(max(0, many - correction))
    parts = (wide.real, wide.imag) if wide.dtype.kind == "c" else (wide,)
    spreads = [_add(numpy.square(part), axis=axes, keepdims=keepdim) / divisor for part in parts]
    mean = centre if keepdim else centre.reshape(spreads[0].shape)
    return spreads[0] if len(spreads) == 1 else spreads[0] + spreads[1], mean


def _spread_into(
    name: str,
    array: Array,
    held: dtype,
    axes: tuple[int, ...],
    many: int,
    correction: Any,
    keepdim: bool,
    kind: dtype,
) -> Array:
    """The spread that is written into a tensor of `kind`: PyTorch converts the elements before it computes.

    A single spread is computed of the elements as they are, and rounded to their dtype first. Of complex numbers the
    spreads of both parts are rounded, added, rounded, and only then is the root taken.
    """
    real, own, root = kind.to_real(), held.to_real(), name.startswith("std")
    alone = array.size and not kernels.is_half(real) and many == array.size
    found = []
    for part in (array.real, array.imag) if held.is_complex else (array,):
        numbers = part if alone else kernels.cast(part, real)
        spread = kernels.quiet(_moments, numbers, axes, many, correction, keepdim)[0]
        if root and not held.is_complex:
            spread = kernels.quiet(numpy.sqrt, spread)
        spread = kernels.cast(spread, own if alone else real)
        if alone:
            check_number(spread.item(), real)
        found.append(kernels.cast(spread, real))
    if not held.is_complex:
        return found[0]
    wide = [part.astype(numpy.float64) for part in found]
    total = kernels.cast(kernels.quiet(numpy.add, *wide), real)
    return kernels.cast(numpy.sqrt(total.astype(numpy.float64)), real) if root else total


def _moments_short(
    array: Array, axes: tuple[int, ...], many: int, correction: Any
) -> tuple[Array, Array] | None:
    """The same for many float32 in float32: what is left of the mean after it was taken away is taken away too."""
    added = sum_along(array, axes)
    if added is None or not numpy.isfinite(added).all():
        return None
    shape = reduced_size(array.shape, axes, True)
    centre = added.astype(numpy.float64) / many
    nearly = centre.astype(numpy.float32)
    left, total = moments(array, axes, nearly) or (None, None)
    if left is None:
        apart = array - nearly.reshape(shape)
        left, total = sum_along(apart, axes), sum_along(apart, axes, squares)
        if total is None:
            total = sum_along(numpy.square(apart, out=apart), axes)
    if left is None or total is None or not numpy.isfinite(total).all():
        return None
    left = left.astype(numpy.float64)
    spread = (total - left * (left / many)) / numpy.float64(max(0, many - correction))
    return spread, centre


def _as_updated(wide: Array, centre: Array, axes: tuple[int, ...]) -> None:
    """Where PyTorch updates a mean, element by element, an infinity makes it nan, unless it is the last one."""
    if not wide.ndim:
        return
    if wide.dtype.kind == "c":
        _as_updated(wide.real, centre.real, axes)
        _as_updated(wide.imag, centre.imag, axes)
        return
    earlier = ~numpy.isfinite(wide)
    earlier[tuple(slice(-1, None) if d in axes else slice(None) for d in range(wide.ndim))] = False
    centre[numpy.any(earlier, axis=axes, keepdims=True)] = numpy.nan


_SPREAD_FORMS = (
    "(Tensor input, tuple of ints dim?, bool unbiased = True, bool keepdim = False, *, Tensor out = None)",
    "(Tensor input, tuple of ints dim = None, *, Number correction = None, bool keepdim = False, Tensor out = None)",
    "(Tensor input, bool unbiased = True)",
)
_SPREAD_SAMPLES = (
    "tk.{name}(a)",
    "tk.{name}(a, 1)",
    "tk.{name}(a, (0, 1), keepdim=True)",
    "tk.{name}(a, unbiased=False)",
    "tk.{name}(a, False)",
    "tk.{name}(a, 0, correction=0)",
    "tk.{name}(a, correction=9)",
    "tk.{name}(a, 2)",
    "tk.{name}(a, (0, 0))",
    "tk.{name}(a, 'x')",
)


def _spread_few(input: Any, dim: Any, correction: int, root: bool) -> Tensor | None:
    """The spread of a few float32 numbers, of all or along one dimension; None for the way that others take."""
    array = brief(input, (dtypes.float32,)) if type(input) is Tensor else None
    axis = None if array is None else axis_of_small(array, dim)
    if array is None or (axis is None and dim is not None):
        return None
    shape = () if axis is None else array.shape[:axis] + array.shape[axis + 1 :]
    if correction > 0 and (array.size if axis is None else array.shape[axis]) == 1:
        _warn_freedom("std" if root else "var")
        return fresh(numpy.full(shape, numpy.nan, array.dtype), dtypes.float32)
    if array.size <= tiny.FEW:
        values = tiny.spread(array, axis, correction, root) if input._solid else None
    else:
        values = kernels.quiet(tiny.brief_spread, array, axis, correction, root)
    return None if values is None else fresh(values, dtypes.float32)


def _spread_op(name: str, sentence: str, example: str) -> Callable[..., Tensor]:
    """`std` and `var`: the same arguments, one more step for the root."""
    root = name == "std"

    def spread(
        input: Tensor,
        dim: Dims | None = None,
        unbiased: bool = UNSAID,
        keepdim: bool = False,
        *,
        correction: Any = None,
        out: Tensor | None = None,
    ) -> Tensor:
        plain = out is None and unbiased is UNSAID and keepdim is False
        if plain and (correction is None or correction.__class__ is int):
            quick = _spread_few(input, dim, 1 if correction is None else correction, root)
            if quick is not None:
                return quick
        _check_spread(dim, unbiased, keepdim, correction)
        if out is not None and (isinstance(dim, bool) or (dim is None and unbiased is not UNSAID)):
            raise TypeError
        dim, by = _correction(dim, unbiased, correction)
        into = out._dtype if isinstance(out, Tensor) else None
        values, _, kind = _spread(name, input, dim, by, keepdim, into)
        if input._device == META:
            return values  # type: ignore[no-any-return]
        lost = isinstance(out, Tensor) and kernels.is_half(input._dtype) and not kernels.is_half(out._dtype)
        if lost and input.numel() and numpy.size(values) == 1:  # PyTorch has a loop of its own for one result
            raise RuntimeError(f"std_var_all: Unsupported dtype {input._dtype.label}")
        if isinstance(out, Tensor) and input._dtype.is_complex:
            check_writable(out)  # the sum of two spreads is written as any other sum
        return deliver(values, kind, out)

    spread.__name__ = name
    spread.__doc__ = f"""{sentence} of all elements, or of those along the dimensions named.

    Args:
        correction: taken from the count before dividing: 1 (the default) for a sample, 0 for a whole population.
        unbiased: the old spelling: True for correction 1, False for 0.

    >>> import tensorkit as tk
    >>> tk.tensor([1.0, 2, 3]).{name}()
    {example}

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """
    samples = [sample(call.format(name=name), a=(2, 3)) for call in _SPREAD_SAMPLES]
    samples.append(sample(f"a.{name}(0, True, True)", a=(2, 3)))
    samples.append(sample(f"tk.{name}(tk.tensor([1e30, 2.0, -1e30]))"))
    samples.append(sample(f"tk.{name}(a, 1, out=tk.empty(0))", a=(2, 3)))
    back = _std_back if name == "std" else _var_back
    rule = Rule(f"{name.capitalize()}Backward0", input=back)
    return op(samples=samples, kind="reduce", name=name, rounded=1, derivative=rule)(
        takes(*_SPREAD_FORMS)(spread)
    )


std = _spread_op("std", "The standard deviation", "tensor(1.)")
var = _spread_op("var", "The variance", "tensor(1.)")


def _spread_and_mean_op(name: str, sentence: str, example: str) -> Callable[..., tuple[Tensor, Tensor]]:
    """`std_mean` and `var_mean`."""

    def spread(
        input: Tensor,
        dim: Dims | None = None,
        unbiased: bool = UNSAID,
        keepdim: bool = False,
        *,
        correction: Any = None,
    ) -> tuple[Tensor, Tensor]:
        _check_spread(dim, unbiased, keepdim, correction)
        dim, by = _correction(dim, unbiased, correction)
        values, centre, kind = _spread(name, input, dim, by, keepdim)
        if input._device == META:
            return values, centre
        return deliver(values, kind), deliver(centre, input._dtype)

    spread.__name__ = name
    spread.__doc__ = f"""{sentence} and the mean, of all elements or of those along the dimensions named.

    Args:
        correction, unbiased: as in `{name.removesuffix("_mean")}`.

    Returns:
        A pair of tensors. The spread of complex numbers is real, their mean is complex.

    >>> import tensorkit as tk
    >>> tk.{name}(tk.tensor([1.0, 2, 3]))
    {example}

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """
    samples = [sample(call.format(name=name), a=(2, 3)) for call in _SPREAD_SAMPLES]
    title = "".join(part.capitalize() for part in name.split("_"))
    rule = Rule(f"{title}Backward0", input=_std_mean_back if name == "std_mean" else _var_mean_back)
    forms = [
        form.replace(", *, Tensor out = None", "").replace(", Tensor out = None", "")
        for form in _SPREAD_FORMS
    ]
    declared = op(
        samples=samples, kind="reduce", name=name, methods=(), rounded=1, derivative=rule, strict=True
    )
    return declared(takes(*forms)(spread))


std_mean = _spread_and_mean_op("std_mean", "The standard deviation", "(tensor(1.), tensor(2.))")
var_mean = _spread_and_mean_op("var_mean", "The variance", "(tensor(1.), tensor(2.))")


# -- norms --------------------------------------------------------------------------------------------------------

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
        return _add(array != 0, axis=axes, keepdims=keepdim, dtype=array.real.dtype)  # type: ignore[no-any-return]
    if all(array.shape[d] == 1 for d in axes):  # one number's norm is its size, which no power can overflow
        return numpy.abs(array).reshape(reduced_size(array.shape, axes, keepdim))
    sizes = numpy.abs(array) if p != 2 or array.dtype.kind == "c" else array
    if p == 2 and (short := sum_along(sizes, axes, squares)) is not None:
        return numpy.sqrt(short.reshape(reduced_size(array.shape, axes, keepdim)))
    if p == 2:
        return numpy.sqrt(_add(numpy.square(sizes), axis=axes, keepdims=keepdim))  # type: ignore[no-any-return]
    if math.isinf(p):
        ufunc: Any = numpy.maximum if p > 0 else numpy.minimum
        return ufunc.reduce(sizes, axis=axes, keepdims=keepdim, initial=None if array.size else 0)  # type: ignore[no-any-return]
    if p != 1:
        sizes **= p
    total = _add(sizes, axis=axes, keepdims=keepdim)
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


def _short_norm(input: Tensor) -> Tensor | None:
    """The length of some hundreds of numbers that want no gradient; None for the way that others take."""
    if wants_grad(input) or (array := brief(input)) is None:
        return None
    if array.size == 1:
        return fresh(numpy.array(abs(array.item()), array.dtype), input._dtype)
    if input._dtype is dtypes.float32 and (short := sum_compiled.length(array)) is not None:
        return fresh(short, input._dtype)
    try:
        length = kernels.quiet_here(norm_of, array, 2.0, tuple(range(array.ndim)), False)
    except RuntimeError:
        return None  # another thread is inside
    return fresh(numpy.asarray(length, array.dtype), input._dtype)


@op(
    samples=(
        sample("tk.norm(a)", a=(2, 3)),
        sample("a.norm(1)", a=(2, 3)),
        sample("a.norm(3, 0)", a=(2, 3)),
        sample("a.norm(2, (0, -1), keepdim=True)", a=(2, 3, 2)),
        sample("a.norm(0.5, 1)", a=(2, 3)),
        sample("a.norm(1.5, 1)", a=(2, 3)),
        sample("a.norm(float('inf'), 1)", a=(2, 3)),
        sample("a.norm(-float('inf'))", a=(2, 3)),
        sample("a.norm(0, 0)", a=(2, 3)),
        sample("a.norm('fro', (0, 1))", a=(2, 3)),
        sample("a.norm(dim=1, dtype=tk.float64)", a=(2, 3)),
        sample("tk.norm(a, 2, 0, out=tk.empty(0))", a=(2, 3)),
        sample("a.norm(-1, 0)", a=(0, 3)),
        sample("a.norm(2, 2)", a=(2, 3)),
        sample("a.norm(2, 'x')", a=(2, 3)),
        sample("a.norm('x')", a=(2, 3)),
    ),
    kind="reduce",
    rounded=2,
)
def norm(
    input: Tensor,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    out: Any = None,
    dtype: Any = None,
) -> Tensor:
    """The p-norm of all elements, or of those along the dimensions named.

    Args:
        p: the exponent: 2 (``"fro"``) for the length, 1 for the sum of sizes, infinity for the largest, 0 for how many
            are not 0; ``"nuc"`` for the sum of a matrix's singular values.
        dim: one dimension or several; None means all. keepdim: keep a reduced dimension with size 1.
        dtype: convert to it first.

    Raises:
        RuntimeError: for integers and bools, and for an infinite or negative `p` where there are no elements.

    >>> import tensorkit as tk
    >>> t = tk.tensor([[3.0, 4], [0, 5]])
    >>> t.norm(dim=1), t.norm(1), t.norm(float("inf"))
    (tensor([5., 5.]), tensor(12.), tensor(5.))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.norm.html
    """
    if not isinstance(input, Tensor):
        input.layout  # what PyTorch asks first  # noqa: B018
    if isinstance(out, dtypes.dtype):  # the fourth argument of the method is the dtype
        out, dtype = None, out
    if p is None or (isinstance(p, str) and p == "fro"):
        if dim is None and out is None and dtype is None and keepdim is False:
            short = _short_norm(input)
            if short is not None:
                return short
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
            raise TypeError  # said in PyTorch's words by whoever was called
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
    samples=(
        sample("tk.dist(a, b)", a=(2, 3), b=(2, 3)),
        sample("a.dist(b, 1)", a=(2, 3), b=(3,)),
        sample("a.dist(b, 1.5)", a=(2, 3), b=(2, 3)),
        sample("a.dist(b, p=3.5)", a=(2, 3), b=()),
        sample("tk.dist(a, b, float('inf'))", a=(2, 3), b=(2, 1)),
        sample("a.dist(b)", a=(2, 3), b=(2,)),
        sample("a.dist(1)", a=(2, 3)),
        sample("a.dist(a, 'x')", a=(2, 3)),
    ),
    kind="reduce",
    rounded=2,
    derivative=Rule("DistBackward0", input=_dist_back, other=_dist_back_other),
)
def dist(input: Tensor, other: Tensor, p: Number = 2) -> Tensor:
    """The p-norm of the difference of two tensors of sizes that broadcast together.

    >>> import tensorkit as tk
    >>> tk.tensor([3.0, 0]).dist(tk.tensor([0.0, 4]))
    tensor(5.)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.dist.html
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


# -- covariance ---------------------------------------------------------------------------------------------------


def _check_weights(name: str, weights: Any, many: int, category: int) -> Tensor:
    if not isinstance(weights, Tensor):
        raise TypeError
    if weights.dim() > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.dim()} dimensions"
        )
    if weights._dtype.category != category:
        wanted = "integral" if category == 1 else "floating point"
        raise RuntimeError(
            f"cov(): expected {name} to have {wanted} dtype but got {name} with {weights._dtype.label} dtype"
        )
    if weights.numel() != many:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{weights.numel()} != {many}"
        )
    if many and bool((weights.detach() < 0).any()):
        raise RuntimeError(f"cov(): {name} cannot be negative")
    return weights


def _freedom(weights: Any, shares: Any, added: Any, correction: int) -> Any:
    """What the sum of products is divided by; 0, with a warning, where no freedom is left."""
    factor = added - correction
    if weights is not None and shares is not None and correction:
        factor = added - correction * (weights * shares).sum() / added
    if (factor.item() if isinstance(factor, Tensor) else factor) <= 0:
        warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."
        )
        factor = factor * 0
    return factor


@op(
    strict=True,
    samples=(
        sample("tk.cov(a)", a=(2, 4)),
        sample("a.cov(correction=0)", a=(2, 4)),
        sample("a.cov(correction=2)", a=(2, 4)),
        sample("a.cov()", a=(4,)),
        sample("a.cov()", a=(2, 2, 2)),
        sample("a.cov(fweights=tk.tensor([1, 2, 1, 3]))", a=(2, 4)),
        sample("a.cov(aweights=tk.tensor([0.5, 2, 1, 3]))", a=(2, 4)),
        sample("a.cov(fweights=tk.tensor([1, 0, 1, 3]), aweights=tk.tensor([0.5, 2, 1, 3]))", a=(2, 4)),
        sample("a.cov(fweights=tk.tensor([1.5, 2, 1, 3]))", a=(2, 4)),
        sample("a.cov(correction='x')", a=(2, 4)),
    ),
    kind="reduce",
    rounded=4,
)
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariance matrix of variables, one a row, from their observations, one a column.

    Args:
        correction: taken from the count before dividing: 1 for a sample, 0 for a whole population.
        fweights: how often each observation was made, as integers. aweights: how much each counts.

    Raises:
        RuntimeError: for bools, more than two dimensions, or weights that do not fit.

    >>> import tensorkit as tk
    >>> tk.tensor([[1.0, 2, 3], [3, 2, 1]]).cov()
    tensor([[ 1., -1.],
            [-1.,  1.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cov.html
    """
    if isinstance(correction, bool) or not hasattr(correction, "__index__"):
        raise TypeError
    _two_dimensions("cov", input)
    if input._dtype is dtypes.bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input.view(1, -1) if input.dim() < 2 else input
    many = rows.size(1)
    weights = None if fweights is None else _check_weights("fweights", fweights, many, 1)
    if aweights is not None:
        shares = _check_weights("aweights", aweights, many, 2)
        weights = shares if weights is None else weights * shares
    added: Any = many if weights is None else weights.sum()
    if weights is not None and added.item() == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    # As PyTorch, divided by a tensor: no observations give nan, not an error.
    centre = (rows if weights is None else rows * weights).sum(1) / added
    factor = _freedom(weights, aweights, added, correction)
    apart = rows - centre.unsqueeze(1)
    beside = (apart if weights is None else apart * weights).t()
    return (apart.mm(beside.conj() if apart.is_complex() else beside) / factor).squeeze()  # type: ignore[no-any-return]


def _two_dimensions(name: str, input: Tensor) -> None:
    if input.dim() > 2:
        raise RuntimeError(
            f"{name}(): expected input to have two or fewer dimensions but got an input with {input.dim()} dimensions"
        )


@op(
    samples=(
        sample("tk.corrcoef(a)", a=(2, 4)),
        sample("a.corrcoef()", a=(3, 5)),
        sample("a.corrcoef()", a=(4,)),
        sample("a.corrcoef()", a=(2, 2, 2)),
    ),
    kind="reduce",
    rounded=4,
)
def corrcoef(input: Tensor) -> Tensor:
    """Pearson's correlation of variables, one a row, from their observations, one a column.

    Returns:
        A matrix of numbers from -1 to 1; nan for a variable that does not vary.

    >>> import tensorkit as tk
    >>> tk.tensor([[1.0, 2, 3], [3, 2, 1]]).corrcoef()
    tensor([[ 1., -1.],
            [-1.,  1.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.corrcoef.html
    """
    _two_dimensions("corrcoef", input)
    found = cov(input)
    if not found.dim():
        return found / found
    spread = found.diagonal()
    deviation = (spread.real if found.is_complex() else spread).sqrt()
    found = found / deviation.view(-1, 1) / deviation.view(1, -1)
    if found.is_complex():
        return complex_of(found.real.clamp(-1, 1), found.imag.clamp(-1, 1))
    return found.clamp(-1, 1)
