"""Spread: `var`, `std`, and both with the mean."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.unsaid import UNSAID
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import check_writable
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu.sums.sum import moments, squares, sum_along
from tensorkit.kernels.sizes import SMALL
from tensorkit.number_range import as_double, check_number
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.reduction import on_device
from tensorkit.ops.reduction.arguments import (
    axes_of,
    check_dims,
    check_flag,
    count,
    host,
    like_meta,
    reduced_size,
    spread_out,
    with_dims,
)
from tensorkit.ops.shared.copy import deliver, deliver_into
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.scalar_arithmetic import over, times
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.tensor import Array, Tensor

add_reduce: Any = numpy.add.reduce


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
    """``std(False)`` gives the flag where the dimension would be; ``unbiased`` is an old name for correction 1."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not UNSAID:
        return dim, 1 if unbiased else 0
    if correction is None:
        return dim, 1
    correction = plain_number(correction)
    if isinstance(correction, Tensor):
        raise TypeError  # the caller says it in PyTorch's words
    return dim, as_double(correction)


def _check_spread(dim: Any, unbiased: Any, keepdim: Any, correction: Any) -> None:
    """Refuse what fits none of the forms (the caller adds the sentence)."""
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
            warn_freedom(name)
    if into is not None and into.category >= 2:
        if results > 1 and input.numel() and into.is_complex and not input._dtype.is_complex:
            raise missing_kernel("std_cpu", into.label)
        if is_on_device(input):
            root, left = name.startswith("std"), max(0, many - correction)
            return on_device.moments(root, input, axes, keepdim, into.to_real(), left)[0], None, into
        array = host(input, name)
        return _spread_into(name, array, input._dtype, axes, many, correction, keepdim, into), None, into
    if is_on_device(input):
        root, left = name.startswith("std"), max(0, many - correction)
        return *on_device.moments(root, input, axes, keepdim, kind, left), kind
    variance, centre = kernels.quiet(_moments, host(input, name), axes, many, correction, keepdim)
    values = kernels.quiet(numpy.sqrt, variance) if name.startswith("std") else variance
    return values, centre, kind


def warn_freedom(name: str) -> None:
    warn(
        f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input "
        "numel divided by output numel)."
    )


def _moments(
    array: Array, axes: tuple[int, ...], many: int, correction: Any, keepdim: bool
) -> tuple[Array, Array]:
    """The variance and the mean, in float64: a part without spread divided by zero is nan, and nan stays."""
    single = array.size > SMALL and array.dtype == numpy.float32
    if single and (short := _moments_short(array, axes, many, correction)) is not None:
        shape = reduced_size(array.shape, axes, keepdim)
        return short[0].reshape(shape), short[1].reshape(shape)
    wide = array.astype(numpy.complex128 if array.dtype.kind == "c" else numpy.float64)
    centre = add_reduce(wide, axis=axes, keepdims=True)
    if wide.ndim or wide.dtype.kind != "c":  # whose parts, one by one, are the mean of one complex number
        centre = centre / numpy.float64(many)
    if not numpy.isfinite(centre).all():
        _as_updated(wide, centre, axes)
    wide -= centre
    divisor = numpy.float64(max(0, many - correction))
    parts = (wide.real, wide.imag) if wide.dtype.kind == "c" else (wide,)
    spreads = [add_reduce(numpy.square(part), axis=axes, keepdims=keepdim) / divisor for part in parts]
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

    A single spread is computed of the elements as they are, and rounded to their dtype first. For complex
    numbers the spreads of both parts are rounded, added, rounded, and only then is the root taken.
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


_PAIR_FORMS = [
    form.replace(", *, Tensor out = None", "").replace(", Tensor out = None", "") for form in _SPREAD_FORMS
]


def _spread_alone(
    name: str, input: Tensor, dim: Any, unbiased: Any, keepdim: bool, correction: Any, out: Any
) -> Tensor:
    """`std` and `var`."""
    _check_spread(dim, unbiased, keepdim, correction)
    if out is not None and (isinstance(dim, bool) or (dim is None and unbiased is not UNSAID)):
        raise TypeError
    dim, by = _correction(dim, unbiased, correction)
    into = out._dtype if isinstance(out, Tensor) else None
    values, _, kind = _spread(name, input, dim, by, keepdim, into)
    if input._device == META:
        return values  # type: ignore[no-any-return]
    lost = isinstance(out, Tensor) and kernels.is_half(input._dtype) and not kernels.is_half(out._dtype)
    if lost and input.numel() and math.prod(values.shape) == 1:
        # PyTorch has a loop of its own for one result.
        raise RuntimeError(f"std_var_all: Unsupported dtype {input._dtype.label}")
    if isinstance(out, Tensor) and input._dtype.is_complex:
        check_writable(out)  # the sum of two spreads is written as any other sum
    if is_on_device(input):
        return values if out is None else deliver_into(values, out)
    return deliver(values, kind, out)


def _spread_and_mean(
    name: str, input: Tensor, dim: Any, unbiased: Any, keepdim: bool, correction: Any
) -> tuple[Tensor, Tensor]:
    """`std_mean` and `var_mean`."""
    _check_spread(dim, unbiased, keepdim, correction)
    dim, by = _correction(dim, unbiased, correction)
    values, centre, kind = _spread(name, input, dim, by, keepdim)
    if input._device != CPU:
        return values, centre
    return deliver(values, kind), deliver(centre, input._dtype)


@op(
    kind="reduce",
    rounded=1,
    derivative=Rule("StdBackward0", input=_std_back),
    out_overlap="allowed",
)
@takes(*_SPREAD_FORMS)
@shortened("std")
def std(
    input: Tensor,
    dim: Dims | None = None,
    unbiased: bool = UNSAID,
    keepdim: bool = False,
    *,
    correction: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """The standard deviation of all elements, or of those along the dimensions named.

    Args:
        correction: taken from the count before dividing: 1 (the default) for a sample, 0 for a whole population.
        unbiased: the old spelling: True for correction 1, False for 0.

    >>> tk.tensor([1.0, 2, 3]).std()
    tensor(1.)
    """
    return _spread_alone("std", input, dim, unbiased, keepdim, correction, out)


@op(
    kind="reduce",
    rounded=1,
    derivative=Rule("VarBackward0", input=_var_back),
    out_overlap="allowed",
)
@takes(*_SPREAD_FORMS)
@shortened("var")
def var(
    input: Tensor,
    dim: Dims | None = None,
    unbiased: bool = UNSAID,
    keepdim: bool = False,
    *,
    correction: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """The variance of all elements, or of those along the dimensions named.

    Args:
        correction: taken from the count before dividing: 1 (the default) for a sample, 0 for a whole population.
        unbiased: the old spelling: True for correction 1, False for 0.

    >>> tk.tensor([1.0, 2, 3]).var()
    tensor(1.)
    """
    return _spread_alone("var", input, dim, unbiased, keepdim, correction, out)


@op(
    kind="reduce",
    methods=(),
    rounded=1,
    derivative=Rule("StdMeanBackward0", input=_std_mean_back),
    strict=True,
)
@takes(*_PAIR_FORMS)
def std_mean(
    input: Tensor,
    dim: Dims | None = None,
    unbiased: bool = UNSAID,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean, of all elements or of those along the dimensions named.

    Args:
        correction, unbiased: as in `std`.

    Returns:
        A pair of tensors. The spread of complex numbers is real, their mean is complex.

    >>> tk.std_mean(tk.tensor([1.0, 2, 3]))
    (tensor(1.), tensor(2.))
    """
    return _spread_and_mean("std_mean", input, dim, unbiased, keepdim, correction)


@op(
    kind="reduce",
    methods=(),
    rounded=1,
    derivative=Rule("VarMeanBackward0", input=_var_mean_back),
    strict=True,
)
@takes(*_PAIR_FORMS)
def var_mean(
    input: Tensor,
    dim: Dims | None = None,
    unbiased: bool = UNSAID,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> tuple[Tensor, Tensor]:
    """The variance and the mean, of all elements or of those along the dimensions named.

    Args:
        correction, unbiased: as in `var`.

    Returns:
        A pair of tensors. The spread of complex numbers is real, their mean is complex.

    >>> tk.var_mean(tk.tensor([1.0, 2, 3]))
    (tensor(1.), tensor(2.))
    """
    return _spread_and_mean("var_mean", input, dim, unbiased, keepdim, correction)
