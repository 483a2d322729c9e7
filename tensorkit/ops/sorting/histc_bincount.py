"""Counting: how many elements fall into each bin."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tensorkit import dtypes, return_types
from tensorkit.autograd.rule import not_implemented
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import resize_out
from tensorkit.errors import warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import parallel
from tensorkit.ops.joining.stack import stack
from tensorkit.ops.shared.copy import copied, copy_into, deliver
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.ops.sorting.bin_edges import (
    Range,
    by_density,
    check_bins,
    check_edges,
    check_kernel,
    corrected,
    counted,
    least_and_most,
    linear,
    ranges,
    searched,
    shown,
    spaced,
)
from tensorkit.ops.sorting.on_device import counted_there
from tensorkit.ops.sorting.unique import without_meta
from tensorkit.ops.sorting.values_and_indices import check_flags, check_tensor, on_host, two_of, whole
from tensorkit.strides.sizes import INT64_MAX
from tensorkit.tensor import Array, Number, Tensor


def _real(value: Any) -> float:
    value = plain_number(value)
    if not isinstance(value, NUMBERS):
        raise TypeError
    if isinstance(value, complex):
        raise RuntimeError("value cannot be converted to type double without overflow")
    return float(value)


def _range_of_histc(array: Array, kind: dtype, least: float, most: float) -> Range:
    if least == most and array.size:
        if kind in LIMITED or kind.is_complex:
            raise missing_kernel("aminmax_cpu", kind.label)
        least, most = least_and_most(array, kind)
        if kind.category == 2 and math.isnan(least):
            lost = (
                "nan" if kind is dtypes.bfloat16 or array.size == 1 else "-nan"
            )  # as PyTorch's loops leave it
            raise RuntimeError(f"tensorkit.histc: range of [{lost}, {lost}] is not finite")
    if least == most:
        least, most = least - 1, most + 1
    if not (math.isfinite(least) and math.isfinite(most)):
        raise RuntimeError(f"tensorkit.histc: range of [{shown(least)}, {shown(most)}] is not finite")
    if not least < most:
        raise RuntimeError("tensorkit.histc: max must be larger than min")
    return least, most


# -- histc --------------------------------------------------------------------------------------------------------


def _check_hist(out: Tensor | None, kind: dtype) -> None:
    if out is not None and out._dtype is not kind:
        raise RuntimeError(
            "tensorkit.histogram: input tensor and hist tensor should have the same dtype, but got input "
            f"{cpp_name(kind)} and hist {cpp_name(out._dtype)}"
        )


def _into(result: Tensor, out: Tensor) -> Tensor:
    resize_out(out, result._lay().size)
    copy_into(out, result)
    out._bump()
    return out


def _binned_there(values: Tensor, count: int, least: float, most: float) -> Tensor:
    """`histc` by kernels of the kit's own: the bin of each number, and how often each occurs."""
    kind = values._dtype
    ends = values if least == most else values.narrow(0, 0, 0)
    if ends.numel() and not (kind in LIMITED or kind.is_complex):
        ends = stack((ends.min(), ends.max()))
    least, most = _range_of_histc(ends.cpu()._nd(), kind, least, most)
    limits = spaced(least, most, count, kind).cpu()._nd()
    check_kernel(kind)
    first, last = float(limits[0]), float(limits[-1])
    width = float(limits[-1] - limits[0])
    inside = values[(values >= first) & (values <= last)]
    if not inside.numel():
        return values.new_zeros(count)
    bins = ((inside - first) * count / width).to(dtypes.int64).clamp(0, count - 1)
    return counted_there(bins, count, None).to(kind)


@op(kind="reduce", out_recording="silent", out_overlap="allowed", library="NumPy", family="sorting")
def histc(
    input: Tensor, bins: int = 100, min: Number = 0, max: Number = 0, *, out: Tensor | None = None
) -> Tensor:
    """How many elements fall into each of a number of bins of one width.

    Args:
        input: floating point numbers, of any size.
        bins: how many.
        min, max: the ends of the range; where they are equal, the smallest and the largest element.

    Returns:
        A tensor of size ``(bins,)`` of the input's dtype. What lies outside the range is not counted.

    Raises:
        RuntimeError: for a range that is empty or not finite.

    >>> tk.histc(tk.tensor([1.0, 2, 1]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    check_tensor(input)
    count, kind = whole(bins), input._dtype
    least, most = _real(min), _real(max)
    check_bins(count)
    _check_hist(out, kind)
    if input._device == META:
        return input.new_empty((count,))
    if is_on_device(input):
        result = _binned_there(input.reshape(-1), count, least, most)
        return result if out is None else _into(result, out)
    values = on_host(input, "histc").reshape(-1)
    least, most = _range_of_histc(values, kind, least, most)
    edges = spaced(least, most, count, kind)._nd()
    check_kernel(kind)
    result = deliver(counted([values], None, [edges], linear), kind)
    return result if out is None else _into(result, out)


# -- histogram ----------------------------------------------------------------------------------------------------


def _check_weight(input: Tensor, weight: Tensor | None) -> None:
    if weight is None:
        return
    if weight._dtype is not input._dtype:
        raise RuntimeError(
            "tensorkit.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same "
            f"dtype, but got input({cpp_name(input._dtype)}), and weight({cpp_name(weight._dtype)})"
        )
    if weight.numel() != input.numel():
        raise RuntimeError(
            "tensorkit.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
            f"excluding its innermost dimension, but got input with shape [{input.numel()}, 1] and weight with shape "
            f"[{weight.numel()}]"
        )


def _check_out(out: tuple[Any, Any] | None, kind: dtype) -> None:
    _check_hist(None if out is None else out[0], kind)
    if out is not None and out[1]._dtype is not kind:
        raise RuntimeError(
            "tensorkit.histogram: input tensor and bin_edges tensor should have the same dtype, but got input "
            f"{cpp_name(kind)} and bin_edges {cpp_name(out[1]._dtype)} for dimension 0"
        )


def _histogram(
    input: Tensor, bins: Any, given: Any, weight: Tensor | None, density: bool, out: Any
) -> tuple[Tensor, Tensor]:
    kind, even = input._dtype, not isinstance(bins, Tensor)
    values = on_host(input, "histogram").reshape(-1)
    if even:
        check_bins(whole(bins))
        _check_out(out, kind)
        edges = spaced(*ranges([values], kind, given, "histogram")[0], whole(bins), kind)
        _check_weight(input, weight)
    else:
        check_edges(bins, kind)
        _check_weight(input, weight)
        check_bins(bins.numel() - 1)
        _check_out(out, kind)
        edges = bins.detach().clone()
    check_kernel(kind)
    loads = None if weight is None else on_host(weight, "histogram").reshape(-1)
    limits = [edges._nd()]
    counts = kernels.cast(counted([values], loads, limits, corrected if even else searched), kind)
    return deliver(by_density(counts, limits) if density else counts, kind), edges


_HISTOGRAM_FORMS = (
    "(Tensor input, Tensor bins, *, Tensor weight = None, bool density = False, tuple of Tensors out = None)",
    "(Tensor input, int bins = 100, *, tuple of floats range = None, Tensor weight = None, bool density = False, "
    "tuple of Tensors out = None)",
)


@op(
    strict=True,
    kind="reduce",
    rounded=1,
    derivative=not_implemented("histogram", "input", "weight", applies=lambda call: call["out"] is None),
    out_error="aten::histogram",
    differentiable=False,
    library="NumPy",
)
@takes(*_HISTOGRAM_FORMS)
def histogram(
    input: Tensor,
    bins: Any = 100,
    *,
    range: Any = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: Any = None,
) -> Any:
    """How many elements, or how much weight, each bin gets, and the limits of the bins.

    Args:
        input: of float32 or float64, of any size.
        bins: how many bins of one width; or a 1-d tensor of their limits.
        range: the ends of the first and the last bin; if not given, the smallest and the largest element.
        weight: what each element counts for, instead of 1.
        density: divide by the sum and by the width of the bins.

    Returns:
        A named pair ``(hist, bin_edges)``.

    Raises:
        RuntimeError: for a range that is not finite, and tensors that do not fit.

    >>> tk.histogram(tk.tensor([1.0, 2, 1]), bins=2, range=(0.0, 3.0))
    tensorkit.return_types.histogram(
    hist=tensor([2., 1.]),
    bin_edges=tensor([0.0000, 1.5000, 3.0000]))
    """
    check_tensor(input)
    check_flags(density)
    if not isinstance(bins, Tensor) or range is not None:
        bins = whole(bins)
    if not (range is None or isinstance(range, (tuple, list))) or not (
        weight is None or isinstance(weight, Tensor)
    ):
        raise TypeError
    if out is not None and not isinstance(out, (tuple, list)):
        raise TypeError
    without_meta(input, "histogram.bins_tensor" if isinstance(bins, Tensor) else "histogram.bin_ct")
    given = None if out is None else two_of("histogram", out)
    results = _histogram(input, bins, range, weight, density, given)
    if given is None:
        return return_types.histogram(results)
    return return_types.histogram_out(map(_into, results, given))


# -- bincount -----------------------------------------------------------------------------------------------------


def _loads(weights: Tensor) -> tuple[Array, dtype]:
    """The weights as they are added up: float32 stays, everything else becomes float64."""
    kind = dtypes.float32 if weights._dtype is dtypes.float32 else dtypes.float64
    if weights._dtype.is_complex and weights.numel():
        warn("Casting complex values to real discards the imaginary part")
    return kernels.cast(on_host(weights, "bincount"), kind), kind


def _counted_there(input: Tensor, weights: Tensor | None, least: int) -> Tensor:
    """`bincount` by kernels of the kit's own."""
    if input.dim() == 1 and not input.numel():
        return input.new_zeros(least, dtype=dtypes.int64)
    if input.dim() != 1 or input.min().item() < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return counted_there(input, least, None)
    if weights._lay().size != input._lay().size:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if weights._dtype.is_complex:
        warn("Casting complex values to real discards the imaginary part")
    kind = dtypes.float32 if weights._dtype is dtypes.float32 else dtypes.float64
    return counted_there(input, least, copied(weights, (1,), kind))


def _weighed(places: Array, loads: Array, kind: dtype, size: int) -> Tensor:
    if kind is dtypes.float64:
        return deliver(numpy.bincount(places, loads, size), kind)
    total = numpy.zeros(size, numpy.float32)
    kernels.quiet(numpy.add.at, total, places, loads)
    return deliver(total, kind)


@op(
    kind="reduce",
    derivative=not_implemented("bincount", "input", "weights"),
    differentiable=False,
    library="NumPy",
    family="sorting",
)
@shortened("bincount")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each whole number from 0 up occurs.

    Args:
        input: integers that are not negative, in one dimension.
        weights: what each element counts for, instead of 1.
        minlength: the least size of the result.

    Returns:
        An int64 tensor; with weights, of float32 if they are, otherwise of float64.

    Raises:
        RuntimeError: for negative numbers, and for several dimensions.

    >>> tk.bincount(tk.tensor([1, 3, 1]))
    tensor([0, 2, 0, 1])
    """
    check_tensor(input)
    if not (weights is None or isinstance(weights, Tensor)):
        raise TypeError
    least, kind = whole(minlength), input._dtype
    without_meta(input, "bincount")
    if kind.category != 1 or kind in LIMITED:
        raise missing_kernel("bincount_cpu", kind.label)
    if least < 0:
        raise RuntimeError("minlength should be >= 0")
    if is_on_device(input):
        return _counted_there(input, weights, least)
    places = on_host(input, "bincount")
    loads = None if weights is None else _loads(weights)
    if places.ndim == 1 and not places.size:
        return deliver(numpy.zeros(least, numpy.int64), dtypes.int64)
    if places.ndim != 1 or places.min() < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if (most := int(places.max())) == INT64_MAX:  # NumPy would count so far in 64 bits, and write anywhere
        raise RuntimeError(f"maximum value of input overflowed, it should be < {INT64_MAX} but got {most}")
    if loads is None:
        counts = parallel.counted(places, least)
        return deliver(numpy.bincount(places, minlength=least) if counts is None else counts, dtypes.int64)
    if loads[0].shape != places.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    return _weighed(places, *loads, max(least, most + 1))
