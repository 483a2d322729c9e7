"""Reductions: one number for many, over all dimensions or over those named.

The results are row-major, as PyTorch's are. Sums of 16- and 32-bit floats are accumulated in a wider type or pairwise,
so that they stay exact where a running sum would not.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorkit import dtypes, return_types
from tensorkit import layout as layouts
from tensorkit.autograd.graph import Rule
from tensorkit.device import CPU, META
from tensorkit.dispatch import differentiable, missing_kernel, op, sample
from tensorkit.dtypes import dtype
from tensorkit.elementwise import empty_strided
from tensorkit.errors import MissingKernelError, warn
from tensorkit.kernels import cpu as kernels
from tensorkit.ops.convert import as_dtype, deliver, deliver_into
from tensorkit.ops.pointwise import maximum, minimum, where
from tensorkit.tensor import Array, Tensor, fresh

__all__ = ["max", "mean", "min", "std", "sum", "var"]

_LIMITED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)
Dims = int | Sequence[int] | None
_UNSET: Any = object()


def _axes(name: str, dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions to reduce, counted from the front; none named means all.

    Raises:
        IndexError: for one out of range. RuntimeError: for one named twice. TypeError: for what is no integer.
    """
    if dim is None:
        return tuple(range(ndim))
    if isinstance(dim, bool) or not isinstance(dim, (int, numpy.integer, tuple, list)):
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got ({type(dim).__name__}), but expected one "
            f"of:\n * (*, tensorkit.dtype dtype = None)\n * (tuple of ints dim, bool keepdim = False, *, "
            f"tensorkit.dtype dtype = None)\n"
        )
    dims = [dim] if isinstance(dim, (int, numpy.integer)) else list(dim)
    if not dims:
        return tuple(range(ndim))
    axes: list[int] = []
    for one in dims:
        axis = layouts.normalise_dim(int(one), ndim)
        if axis in axes:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
        axes.append(axis)
    return tuple(axes) if ndim else ()


def _reduced_size(size: tuple[int, ...], axes: tuple[int, ...], keepdim: bool) -> tuple[int, ...]:
    if keepdim:
        return tuple([1 if d in axes else n for d, n in enumerate(size)])
    return tuple([n for d, n in enumerate(size) if d not in axes])


def _check_input(name: str, input: Any) -> None:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")


def _check_keepdim(name: str, keepdim: Any, position: int = 2) -> None:
    if not isinstance(keepdim, bool):
        raise TypeError(
            f"{name}(): argument 'keepdim' (position {position}) must be bool, not {type(keepdim).__name__}"
        )


def _on_host(input: Tensor, name: str) -> Array:
    if input._device != CPU:
        raise MissingKernelError(
            f"Could not run 'aten::{name}' with arguments from the '{input._device.type.upper()}' backend. "
            "Move the tensor first: t.cpu() returns a copy on the CPU."
        )
    return input._nd()


def _meta(input: Tensor, axes: tuple[int, ...], keepdim: bool, kind: dtype) -> Tensor:
    size = _reduced_size(input._lay().size, axes, keepdim)
    return empty_strided(size, layouts.contiguous_stride(size), kind, META)


# -- how gradients pass back --------------------------------------------------------------------------------------


def _asked(c: Any) -> tuple[Any, bool]:
    """The dimensions that a call reduced, and whether it kept them."""
    dim = c.axis if c.dim is None else c.dim
    return dim, c.keepdim


def _spread_out(g: Any, face: Any, dim: Any, keepdim: bool) -> Any:
    """One gradient for many elements: repeated over the dimensions that were reduced."""
    axes = _axes("sum", dim, len(face.size))
    return _with_dims(g, axes, keepdim, len(face.size)).expand(face.size)


def _with_dims(value: Any, axes: tuple[int, ...], keepdim: bool, ndim: int) -> Any:
    if keepdim or not ndim:
        return value
    for axis in sorted(axes):
        value = value.unsqueeze(axis)
    return value


def _count(face: Any, dim: Any) -> int:
    return math.prod([face.size[axis] for axis in _axes("mean", dim, len(face.size))])


def _numbered(stem: str, of_all: int, along: int) -> Callable[[dict[str, Any]], str]:
    def name(arguments: dict[str, Any]) -> str:
        whole = arguments["dim"] is None and arguments.get("axis") is None
        return f"{stem}{of_all if whole else along}"

    return name


def _mean_back(g: Any, c: Any) -> Any:
    dim, keepdim = _asked(c)
    return _spread_out(g, c.input_face, dim, keepdim) / _count(c.input_face, dim)


def _sum_back(g: Any, c: Any) -> Any:
    return _spread_out(g, c.input_face, *_asked(c))


def _var_back(g: Any, c: Any) -> Any:
    dim, by = _correction(c.axis if c.dim is None else c.dim, c.unbiased, c.correction)
    wide = _spread_out(g, c.input_face, dim, c.keepdim)
    free = _count(c.input_face, dim) - by
    if free <= 0 and (dim is None or not c.input_face.size):
        # As much too large as can be, and of a constant no number: what PyTorch gives where no freedom is left.
        endless = wide.new_full(wide.size(), math.inf)
        return wide * where(c.input.ne(c.input.mean()), endless, math.nan)
    factor = 2.0 / free if free else math.inf
    return factor * wide * (c.input - c.input.mean(dim, keepdim=True))


def _std_back(g: Any, c: Any) -> Any:
    halved = where(c.out.ne(0), g / (c.out * 2), 0)
    return _var_back(halved, c)


def _evenly(g: Any, c: Any) -> Any:
    """All elements that are the extreme one share the gradient; if that is nan, all that are nan."""
    lost = c.out.ne(c.out).item()
    winners = c.input.ne(c.input) if lost else c.input.eq(c.out)
    # No product with the mask: where nothing is equal (somebody wrote to the result) the share is no number.
    return where(winners, (g / winners.to(g.dtype).sum()).expand(c.input.size()), 0)


def _extreme_back(g: Any, c: Any) -> Any:
    return _evenly(g, c) if c.dim is None else _to_chosen(g, c)


def _to_chosen(g: Any, c: Any) -> Any:
    """The gradient goes to the element that was chosen along the dimension."""
    gs, where_to = g[0], c.indices
    if not c.input_face.size:
        return gs
    axis = layouts.normalise_dim(int(c.dim), len(c.input_face.size))
    if not c.keepdim:
        gs, where_to = gs.unsqueeze(axis), where_to.unsqueeze(axis)
    return put_along(gs, where_to, axis, c.input_face.size)


def _put_body(input: Any, index: Any, axis: int, size: tuple[int, ...]) -> Tensor:
    out = numpy.zeros(size, input._dtype.numpy)
    numpy.put_along_axis(out, index._nd(), input._nd(), axis)
    return fresh(out, input._dtype)


def _take_body(input: Any, index: Any, axis: int) -> Tensor:
    return fresh(numpy.take_along_axis(input._nd(), index._nd(), axis).copy(order="C"), input._dtype)


# For derivatives alone: one value written, or read, along a dimension at each index.
put_along: Callable[..., Any] = differentiable(
    _put_body,
    Rule("ScatterBackward0", input=lambda g, c: take_along(g, c.index, c.axis)),
    "put_along",
    "pointwise",
)
take_along: Callable[..., Any] = differentiable(
    _take_body,
    Rule("GatherBackward0", input=lambda g, c: put_along(g, c.index, c.axis, c.input_face.size)),
    "take_along",
    "pointwise",
)


# -- sum and mean -------------------------------------------------------------------------------------------------


_MANY = 4096
_WIDE = {"float32": numpy.float64, "complex64": numpy.complex128}


def _accumulate(array: Array, axes: tuple[int, ...], keepdim: bool, kind: dtype) -> Array:
    """The sum as `kind`, accumulated so that its last digits can be trusted."""
    if kind.category < 2:
        converted = kernels.cast(array, kind) if kind.category == 1 else array
        return kernels.quiet(numpy.add.reduce, converted, axis=axes, keepdims=keepdim, dtype=kind.numpy)  # type: ignore[no-any-return]
    source = kernels.cast(array, dtypes.float32) if kernels.is_half(kind) else kernels.cast(array, kind)
    if (
        kind is dtypes.float32
        and len(axes) == source.ndim
        and source.size >= _MANY
        and source.flags.c_contiguous
    ):
        everything = kernels.total(source)
        return numpy.reshape(everything, (1,) * source.ndim) if keepdim else everything
    pairwise = source.flags.c_contiguous and axes == tuple(range(source.ndim - len(axes), source.ndim))
    work: Any = source.dtype if pairwise else _WIDE.get(kind.name, source.dtype)
    return kernels.quiet(numpy.add.reduce, source, axis=axes, keepdims=keepdim, dtype=work)  # type: ignore[no-any-return]


def _sum(input: Tensor, dim: Dims, keepdim: bool, kind: dtype | None, out: Tensor | None) -> Tensor:
    _check_keepdim("sum", keepdim)
    axes = _axes("sum", dim, input.dim())
    target = kind or (
        out._dtype if isinstance(out, Tensor) else dtypes.int64 if input._dtype.category < 2 else input._dtype
    )
    if input._device == META:
        return _meta(input, axes, keepdim, target)
    array = _on_host(input, "sum")
    _warn_of_lost_parts(input, target)
    return deliver(_accumulate(array, axes, keepdim, target), target, out)


@op(
    samples=(
        sample("tk.sum(a)", a=(2, 3, 4)),
        sample("a.sum(0)", a=(2, 3, 4)),
        sample("a.sum((0, 2), keepdim=True)", a=(2, 3, 4)),
        sample("a.sum(-1, dtype=tk.float64)", a=(2, 3)),
        sample("a.sum()", a=()),
        sample("a.sum(0)", a=(0, 3)),
        sample("a.sum(5)", a=(2, 3)),
        sample("a.sum((0, 0))", a=(2, 3)),
        sample("tk.sum(a, 0, out=tk.empty(0))", a=(2, 3)),
    ),
    kind="reduce",
    rounded=1,
    derivative=Rule(_numbered("SumBackward", 0, 1), input=_sum_back),
)
def sum(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Add up all elements, or those along the dimensions named.

    Args:
        dim: one dimension or several; none means all.
        keepdim: keep a reduced dimension with size 1.
        dtype: convert to it first; bools and integers are summed as int64 unless told otherwise.

    >>> import tensorkit as tk
    >>> t = tk.ones(2, 3, 4)
    >>> t.sum(), t.sum((0, 1))
    (tensor(24.), tensor([6., 6., 6., 6.]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sum.html
    """
    _check_input("sum", input)
    return _sum(
        input, axis if dim is None else dim, keepdim, None if dtype is None else as_dtype(dtype, "sum"), out
    )


def _warn_of_lost_parts(input: Tensor, kind: dtype) -> None:
    if input._dtype.is_complex and kind.category in (1, 2) and input.numel():
        warn("Casting complex values to real discards the imaginary part")


def _mean_dtype(input: Tensor, kind: Any, out: Tensor | None) -> dtype:
    if kind is not None:
        chosen = as_dtype(kind, "mean")
        if chosen.category < 2:
            raise RuntimeError(
                "mean(): could not infer output dtype. Optional dtype must be either a floating point or complex "
                f"dtype. Got: {chosen.label}"
            )
        return chosen
    if input._dtype.category < 2:
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {input._dtype.label}"
        )
    return out._dtype if isinstance(out, Tensor) else input._dtype


@op(
    samples=(
        sample("tk.mean(a)", a=(2, 3)),
        sample("a.mean(1, keepdim=True)", a=(2, 3)),
        sample("a.mean((0, -1))", a=(2, 3, 4)),
        sample("a.mean()", a=(0,)),
        sample("a.mean(dtype=tk.float64)", a=(2, 3)),
        sample("a.mean(2)", a=(2, 3)),
    ),
    kind="reduce",
    rounded=1,
    derivative=Rule(_numbered("MeanBackward", 0, 1), input=_mean_back),
)
def mean(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of all elements, or of those along the dimensions named. Integers must be converted first.

    Raises:
        RuntimeError: for a tensor of integers or bools without ``dtype=``.

    >>> import tensorkit as tk
    >>> tk.tensor([1.0, 2, 6]).mean()
    tensor(3.)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.mean.html
    """
    _check_input("mean", input)
    _check_keepdim("mean", keepdim)
    kind = _mean_dtype(input, dtype, out)
    axes = _axes("mean", axis if dim is None else dim, input.dim())
    if input._device == META:
        return _meta(input, axes, keepdim, kind)
    array = _on_host(input, "mean")
    _warn_of_lost_parts(input, kind)
    total = _accumulate(array, axes, keepdim, kind)
    if not kernels.is_half(kind):  # 16-bit numbers are rounded once, after the division
        total = kernels.cast(total, kind)
    count = math.prod([input._lay().size[d] for d in axes])
    return deliver(_divided(total, count, kind), kind, out)


def _divided(total: Array, count: int, kind: dtype) -> Array:
    wide = kernels.cast(total, dtypes.float32) if kernels.is_half(kind) else total
    return kernels.quiet(numpy.divide, wide, numpy.array(count, wide.real.dtype))  # type: ignore[no-any-return]


# -- spread -------------------------------------------------------------------------------------------------------


def _correction(dim: Any, unbiased: Any, correction: Any) -> tuple[Any, Any]:
    """``std(False)`` gives the flag where the dimension would stand; ``unbiased`` is an old name for correction 1."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None:
        return dim, 1 if unbiased else 0
    return dim, 1 if correction is None else correction


def _spread(name: str, input: Tensor, dim: Any, correction: Any, keepdim: bool, out: Tensor | None) -> Tensor:
    _check_input(name, input)
    _check_keepdim(name, keepdim)
    if input._dtype.category < 2:
        raise RuntimeError("std and var only support floating point and complex dtypes")
    axes = _axes(name, dim, input.dim())
    kind = input._dtype.to_real()
    if input._device == META:
        return _meta(input, axes, keepdim, kind)
    count = math.prod([input._lay().size[d] for d in axes])
    # PyTorch counts no elements where there is no result, and asks again for the imaginary parts.
    results = math.prod(_reduced_size(input._lay().size, axes, False))
    if (count if results else 0) - correction <= 0:
        for _ in range(2 if input._dtype.is_complex else 1):
            _warn_freedom(name)
    variance = kernels.quiet(_variance, _on_host(input, name), axes, count, correction, keepdim)
    values = kernels.quiet(numpy.sqrt, variance) if name == "std" else variance
    return deliver(values, kind, out)


def _warn_freedom(name: str) -> None:
    warn(
        f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input "
        "numel divided by output numel)."
    )


def _variance(array: Array, axes: tuple[int, ...], count: int, correction: Any, keepdim: bool) -> Array:
    wide = array.astype(numpy.complex128 if array.dtype.kind == "c" else numpy.float64)
    centre = numpy.add.reduce(wide, axis=axes, keepdims=True) / numpy.float64(count)
    distance = wide - centre
    divisor = numpy.float64(builtins.max(0, count - correction))
    parts = (distance.real, distance.imag) if wide.dtype.kind == "c" else (distance,)
    # Part by part, as PyTorch: a part without spread divided by zero is nan, and nan stays.
    add: Any = numpy.add.reduce
    total: Array = builtins.sum(add(part**2, axis=axes, keepdims=keepdim) / divisor for part in parts)
    return total


_SPREAD_SAMPLES = (
    "a.{name}()",
    "tk.{name}(a, 1)",
    "a.{name}((0, 1), keepdim=True)",
    "a.{name}(unbiased=False)",
    "a.{name}(0, correction=0)",
    "tk.{name}(a, correction=9)",
)


def _spread_op(name: str, sentence: str, example: str) -> Callable[..., Tensor]:
    """`std` and `var`: the same arguments, one more step for the root."""

    def spread(
        input: Tensor,
        dim: Any = None,
        unbiased: bool | None = None,
        keepdim: bool = False,
        *,
        correction: Any = None,
        axis: Any = None,
        out: Tensor | None = None,
    ) -> Tensor:
        dim, by = _correction(axis if dim is None else dim, unbiased, correction)
        return _spread(name, input, dim, by, keepdim, out)

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
    back = _std_back if name == "std" else _var_back
    rule = Rule(f"{name.capitalize()}Backward0", input=back)
    return op(samples=samples, kind="reduce", name=name, rounded=1, derivative=rule)(spread)


std = _spread_op("std", "The standard deviation", "tensor(1.)")
var = _spread_op("var", "The variance", "tensor(1.)")


# -- largest and smallest -----------------------------------------------------------------------------------------


def _extreme_all(name: str, input: Tensor, out: Tensor | None) -> Tensor:
    kind = input._dtype
    if not input.numel():
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    if kind in _LIMITED or kind.is_complex:
        raise missing_kernel(f"{name}_all", kind.label)
    if input._device == META:
        return _meta(input, tuple(range(input.dim())), False, kind)
    ufunc = numpy.maximum if name == "max" else numpy.minimum
    return deliver(kernels.quiet(ufunc.reduce, _on_host(input, name), axis=None), kind, out)


def _extreme_along(name: str, input: Tensor, dim: Any, keepdim: Any) -> tuple[Tensor, Tensor]:
    kind = input._dtype
    axis = layouts.normalise_dim(int(dim.__index__()), input.dim())
    size = input._lay().size
    if size and size[axis] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
    if kind.is_complex:
        raise RuntimeError(f"{name}(): does not support complex input")
    axes = (axis,) if size else ()
    results = math.prod(_reduced_size(size, axes, False))
    if kind in _LIMITED and size and results:
        raise missing_kernel(f"{name}_cpu", kind.label)
    if input._device == META:
        return _meta(input, axes, keepdim, kind), _meta(input, axes, keepdim, dtypes.int64)
    array = _on_host(input, name)
    if not size:
        return deliver(array.copy(), kind, None), deliver(numpy.array(0), dtypes.int64, None)
    where = _first_extreme(name, array, axis, kind)
    values = numpy.take_along_axis(array, numpy.expand_dims(where, axis), axis)
    indices = numpy.expand_dims(where, axis)
    if not keepdim:
        values, indices = values.squeeze(axis), indices.squeeze(axis)
    return deliver(values, kind, None), deliver(indices, dtypes.int64, None)


def _first_extreme(name: str, array: Array, axis: int, kind: dtype) -> Array:
    """Where the first largest or smallest element is; the first nan wins."""
    wide = kernels.cast(array, dtypes.float32) if kernels.is_half(kind) else array
    finder: Any = numpy.argmax if name == "max" else numpy.argmin
    return numpy.asarray(kernels.quiet(finder, wide, axis=axis))


def _wrong_arguments(name: str, given: Any) -> TypeError:
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({type(given).__name__}), but expected one of:\n"
        " * ()\n * (Tensor other)\n * (int dim, bool keepdim = False)\n"
    )


def _extreme(name: str, input: Any, dim: Any, keepdim: Any, other: Any, out: Any) -> Any:
    """The three meanings of ``max``: of all elements, along one dimension, of two tensors."""
    _check_input(name, input)
    if isinstance(dim, Tensor):
        dim, other = None, dim
    if other is not None:
        pair: Callable[..., Tensor] = maximum if name == "max" else minimum
        return pair(input, other, out=out)
    if dim is None:
        if keepdim:
            raise _wrong_arguments(name, keepdim)
        return _extreme_all(name, input, out)
    if isinstance(dim, (bool, float)) or not hasattr(dim, "__index__"):
        raise _wrong_arguments(name, dim)
    _check_keepdim(name, keepdim)
    values, indices = _extreme_along(name, input, dim, keepdim)
    if out is None:
        return getattr(return_types, name)((values, indices))
    return getattr(return_types, f"{name}_out")(
        deliver_into(source, target) for target, source in zip(out, (values, indices), strict=True)
    )


_EXTREME_SAMPLES = (
    "tk.{name}(a)",
    "a.{name}(1)",
    "a.{name}(-1, keepdim=True)",
    "tk.{name}(a, 0)",
    "tk.{name}(a, a)",
    "a.{name}(2)",
    "a.{name}('x')",
)


def _extreme_op(name: str, sentence: str, answer: int) -> Callable[..., Any]:
    """`max` and `min`."""

    def extreme(
        input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None, out: Any = None
    ) -> Any:
        return _extreme(name, input, dim, keepdim, other, out)

    extreme.__name__ = name
    extreme.__doc__ = f"""The {sentence} element; along a dimension, with its index; of two tensors, one by one.

    Returns:
        A 0-d tensor; or, given `dim`, a named pair ``(values, indices)``; or, given another tensor, a tensor.

    Raises:
        RuntimeError, IndexError: when there is no element to choose from.

    >>> import tensorkit as tk
    >>> tk.tensor([1, 3, 2]).{name}()
    tensor({answer})

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """
    samples = [sample(call.format(name=name), a=(2, 3)) for call in _EXTREME_SAMPLES]
    samples += [sample(f"a.{name}()", a=(0,)), sample(f"a.{name}(0)", a=(0, 3)), sample(f"a.{name}(0)", a=())]
    stem = f"{name.capitalize()}Backward"
    rule = Rule(
        lambda call: f"{stem}{1 if call['dim'] is None else 0}",
        applies=lambda call: call["other"] is None and not isinstance(call["dim"], Tensor),
        unread=lambda call: frozenset(("input", "out") if call["dim"] is not None else ()),
        input=_extreme_back,
    )
    return op(samples=samples, kind="reduce", name=name, derivative=rule)(extreme)


max = _extreme_op("max", "largest", 3)
min = _extreme_op("min", "smallest", 1)
