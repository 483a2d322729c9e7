"""Numbers at even distances: ``arange``, ``linspace`` and ``logspace``.

Arguments, defaults, dtypes and sentences are PyTorch 2.13's
(https://docs.pytorch.org/docs/stable/torch.html#creation-ops).
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import DeviceLike, resolve
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.number_range import as_double, check_number
from tensorkit.ops.creation.empty import check_out, new_or_out
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.on_device import counted
from tensorkit.ops.shared.signature_parts import FACTORY
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.ops.shared.to import as_dtype, to_device
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.sizes import check_bytes
from tensorkit.tensor import Array, Tensor, fresh


def _number(value: Any, name: str, argument: str, position: int) -> Any:
    value = plain_number(value)
    if not isinstance(value, (bool, int, float, complex)):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be Number, not {type_name(value)}"
        )
    return value


def _place(
    values: Array, kind: dtype, asked: Any, where: DeviceLike, out: Tensor | None, name: str
) -> Tensor:
    """Computed values as a tensor of a dtype, on a device, or in `out`."""
    return _settle(fresh(numpy.ascontiguousarray(kernels.cast(values, kind)), kind), asked, where, out, name)


def _settle(made: Tensor, asked: Any, where: DeviceLike, out: Tensor | None, name: str) -> Tensor:
    if out is None:
        return to_device(made, resolve(where))
    return place_in(out, made, asked, where, name)


def place_in(out: Tensor, row: Tensor, asked: Any, where: DeviceLike, name: str) -> Tensor:
    """A row of numbers written into `out`, whatever its size and its strides, if it has as many elements.

    Otherwise it becomes a row itself, silently, as PyTorch's factories do it.
    """
    check_out(out, asked, where, name)
    if out.numel() == row.numel():
        row = row.view(out.size())
    else:
        new_or_out(row._lay().size, asked, where, out, name)
    copy_into(out, row)
    out._bump()
    return out


def _range_length(start: Any, end: Any, step: Any) -> int:
    if not all(math.isfinite(v) for v in (start, end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if step == 0 or step != step:
        raise RuntimeError("step must be nonzero")
    if (end - start) * (1 if step > 0 else -1) < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if all(isinstance(v, int) for v in (start, end, step)):
        return int(-((start - end) // step) if step > 0 else -((end - start) // -step))
    length: int = math.ceil((end - start) / step)
    return length


@op(strict=True, kind="create", methods=(), out_error="aten::arange")
@takes(
    f"(Number end, *, Tensor out = None, {FACTORY})",
    f"(Number start, Number end, *, {FACTORY})",
    f"(Number start, Number end, Number step = 1, *, Tensor out = None, {FACTORY})",
)
@shortened("arange")
def arange(
    start: Any = None,
    end: Any = None,
    step: Any = 1,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """The numbers from `start` (0) up to, not including, `end`, `step` (1) apart.

    Returns:
        A 1-D tensor of ceil((end - start) / step) elements: int64 if all three are integers, else the default dtype.

    Raises:
        RuntimeError: for a step of 0, or one that leads away from `end`.

    >>> tk.arange(2, 10, 4)
    tensor([2, 6])
    """
    if end is None:
        start, end = 0, start
    elif start is None:
        start = 0
    if end is None:
        raise TypeError(
            "arange() received an invalid combination of arguments - got (), but expected one of:\n"
            " * (Number end, *, Tensor out = None, tensorkit.dtype dtype = None, tensorkit.device device = None)\n"
            " * (Number start, Number end, Number step = 1, *, Tensor out = None, tensorkit.dtype dtype = None, "
            "tensorkit.device device = None)\n"
        )
    start, end, step = (
        _number(start, "arange", "start", 1),
        _number(end, "arange", "end", 1),
        _number(step, "arange", "step", 3),
    )
    start, end, step = (int(v) if isinstance(v, bool) else v for v in (start, end, step))
    kind = (
        as_dtype(dtype, "arange")
        if dtype is not None
        else out._dtype
        if out is not None
        else _range_dtype(start, end, step)
    )
    if kind in LIMITED or kind.is_complex or kind.category == 0:
        raise missing_kernel("arange_cpu", kind.label)
    for value in (start, end, step):
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise RuntimeError("value cannot be converted to type int64_t without overflow")
    start, end, step = map(as_double, (start, end, step))
    length = _range_length(start, end, step)
    if kind is dtypes.int64:
        if not int(step):
            raise ValueError("step must be nonzero")
        length = _range_length(int(start), int(end), int(step))
    check_bytes((length,), kind.itemsize)
    if kind.category == 1:
        start, step = int(start), int(step)
    if isinstance(out, Tensor) and out.numel() not in (0, length):
        _warn_length(out, length)
    there = out._device if isinstance(out, Tensor) else resolve(device)
    if there.type == "cuda":
        return _settle(counted(start, None, step, length, kind, there), dtype, device, out, "arange")
    if kind.category == 1:
        values = numpy.arange(length, dtype=numpy.int64) * step + start
    else:
        values = kernels.quiet(_counted, float(start), float(step), length, kind)
    return _place(values, kind, dtype, device, out, "arange")


def _warn_length(out: Tensor, length: int) -> None:
    warnings.warn(
        f"The number of elements in the out tensor of shape {list(out._lay().size)} is {out.numel()} which does not "
        f"match the computed number of elements {length}. Note that this may occur as a result of rounding error. "
        f"The out tensor will be resized to a tensor of shape ({length},).",
        UserWarning,
        stacklevel=4,
    )


def _range_dtype(*values: Any) -> dtype:
    return dtypes.int64 if all(isinstance(v, int) for v in values) else dtypes.get_default_dtype()


def _steps(name: str, start: Any, end: Any, steps: Any) -> tuple[Any, Any, int]:
    if steps is None:
        raise TypeError(f'{name}() missing 1 required positional arguments: "steps"')
    if isinstance(steps, (bool, float)) or not hasattr(steps, "__index__"):
        raise TypeError(f"{name}(): argument 'steps' (position 3) must be int, not {type_name(steps)}")
    count = int(steps.__index__())
    if count < 0:
        raise RuntimeError("number of steps must be non-negative")
    ends = (("start", start), ("end", end))
    wrong = [
        f"{label} with {one.dim()} dimension(s)"
        for label, one in ends
        if isinstance(one, Tensor) and one.dim()
    ]
    if wrong:
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got {' and '.join(wrong)}."
        )
    # PyTorch takes tensors as ends for what they are, wanted gradient or not, and records nothing of them.
    start, end = (one.item() if isinstance(one, Tensor) else one for one in (start, end))
    return _number(start, name, "start", 1), _number(end, name, "end", 2), count


def _even_steps(start: Any, end: Any, count: int, kind: dtype) -> Array:
    """`count` numbers from start to end: the first half counted from the start, the second back from the end.

    Integers are not rounded yet.
    """
    if kind.is_complex:
        both = numpy.empty(count, kind.numpy)
        ends = complex(start), complex(end)
        both.real = _even_steps(ends[0].real, ends[1].real, count, kind.to_real())
        both.imag = _even_steps(ends[0].imag, ends[1].imag, count, kind.to_real())
        return both
    whole = kind.category == 1
    halves = kind in (dtypes.float16, dtypes.bfloat16)
    work: Any = numpy.float64 if whole else numpy.float32 if halves else kind.numpy
    if whole:
        start, end = _wrapped(start, kind), _wrapped(end, kind)
    first, last = numpy.array(start, work), numpy.array(end, work)
    if halves:
        first, last = first.astype(kind.numpy).astype(work), last.astype(kind.numpy).astype(work)
    if count == 1:
        return first.reshape(1)
    across = last - first
    if halves:
        across = across.astype(kind.numpy).astype(work)
    each = (across / numpy.array(count - 1, work)).astype(work)
    if halves:
        each = each.astype(kind.numpy).astype(work)
    index = numpy.arange(count, dtype=work)
    half = count // 2
    if not halves:
        fused = _fused_single if kind is dtypes.float32 else _fused
        return numpy.concatenate(
            [fused(each, index[:half], first), fused(-each, count - 1 - index[half:], last)]
        )
    far = (each * numpy.concatenate([index[:half], count - 1 - index[half:]])).astype(kind.numpy).astype(work)
    return numpy.concatenate([first + far[:half], last - far[half:]])


def _wrapped(value: Any, kind: dtype) -> int:
    """An end as a dtype of integers holds it: -1 is 255 in uint8."""
    return int(value) if kind.is_signed else int(value) % 2 ** (8 * kind.itemsize)


def _powers(start: Any, end: Any, base: Any, count: int, kind: dtype) -> Array:
    """`base` to the power of `count` numbers from start to end, not rounded yet: all but their distance is a double."""
    whole = kind.category == 1
    if count == 1:
        power = numpy.power(
            base, numpy.array([start], numpy.complex128 if kind.is_complex else numpy.float64)
        )
        check_number(power.item(), kind)
        return power  # type: ignore[no-any-return]
    if kind.is_complex:
        steps = _even_steps(start, end, count, kind)
        return numpy.power(numpy.array(base, steps.dtype), steps)  # type: ignore[no-any-return]
    ends = [_wrapped(start, kind), _wrapped(end, kind)] if whole else [start, end]
    held = numpy.array(ends).astype(numpy.float64 if whole else kind.numpy)
    first, last = held.astype(numpy.float64)
    each, half = float(held[1] - held[0]) / (count - 1), count // 2
    index = numpy.arange(count)
    steps = numpy.concatenate([first + each * index[:half], last - each * (count - 1 - index[half:])])
    return numpy.power(float(base), steps)  # type: ignore[no-any-return]


def _fused_single(each: Any, index: Array, start: Any) -> Array:
    """``each * index + start`` in float32, rounded once: float64 has room for the product."""
    wide: Array = numpy.multiply(index, each, dtype=numpy.float64)
    return (wide + start).astype(numpy.float32)  # type: ignore[no-any-return]


def _in_single(each: Any, index: Array, start: Any) -> Array:
    """``each * index + start`` in float32, rounded twice."""
    product: Array = each * index
    return product + start  # type: ignore[no-any-return]


def _fused(each: Any, index: Array, start: Any) -> Array:
    """``each * index + start`` in float64, rounded once, as a processor's fused instruction does it.

    The rounding errors of the product (by Dekker's splitting) and of the sum (by Knuth's) are put back at the end.
    """
    product = each * index
    total = product + start
    high = _upper(each)
    upper = _upper(index)
    low, lower = each - high, index - upper
    lost = ((high * upper - product) + high * lower + low * upper) + low * lower
    part = total - product
    lost = lost + ((product - (total - part)) + (start - part))
    exact: Array = numpy.where(numpy.isfinite(lost), total + lost, total)  # numbers near the end of the range
    return exact


def _upper(value: Any) -> Any:
    """The upper half of a number's digits."""
    wide = value * 134217729.0
    return wide - (wide - value)


#: Up to here PyTorch counts in one thread; beyond, what is rounded how depends on the number of its threads.
_ONE_THREAD = 32768


def _counted(start: Any, step: Any, length: int, kind: dtype) -> Array:
    """Numbers one step apart, rounded as PyTorch's vectors of 32 bytes round them.

    It computes the first number of each vector, rounds it, and counts on from there; the last numbers, which do not
    fill two vectors, are computed one by one.
    """
    index: Any = numpy.arange(length, dtype=numpy.float64)
    if length > _ONE_THREAD:
        return index * step + start  # type: ignore[no-any-return]
    one: Any = _fused
    vector: Any = _fused
    if kernels.is_half(kind):
        start, step, index = numpy.float32(start), numpy.float32(step), index.astype(numpy.float32)
        one, vector = _fused_single, _fused_single if kind is dtypes.float16 else _in_single
    lanes = 32 // kind.itemsize
    full = length - length % (2 * lanes)
    values: Array = one(step, index, start).astype(kind.numpy)
    if full:
        heads = values[:full:lanes].astype(index.dtype)
        values[:full] = vector(step, index[:lanes], heads[:, None]).astype(kind.numpy).reshape(-1)
    return values


def _linear_dtype(start: Any, end: Any, dtype_: Any, out: Tensor | None, name: str) -> dtype:
    default = dtypes.get_default_dtype()
    if dtype_ is not None:
        kind = as_dtype(dtype_, name)
        if not kind.is_complex and (isinstance(start, complex) or isinstance(end, complex)):
            raise RuntimeError(
                f"tensorkit.{name}(): inferred dtype {cpp_name(default.to_complex())} can't be safely cast to passed "
                f"dtype {kind.label}"
            )
        return kind
    if out is not None:
        return out._dtype
    return default.to_complex() if isinstance(start, complex) or isinstance(end, complex) else default


@op(kind="create", methods=(), out_error="aten::linspace")
@takes(
    f"(Tensor start, Tensor end, int steps, *, Tensor out = None, {FACTORY})",
    f"(Number start, Tensor end, int steps, *, Tensor out = None, {FACTORY})",
    f"(Tensor start, Number end, int steps, *, Tensor out = None, {FACTORY})",
    f"(Number start, Number end, int steps, *, Tensor out = None, {FACTORY})",
)
@shortened("linspace")
def linspace(
    start: Any,
    end: Any,
    steps: int | None = None,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, evenly apart.

    >>> tk.linspace(2, 10, 4)
    tensor([ 2.0000,  4.6667,  7.3333, 10.0000])
    """
    start, end, count = _steps("linspace", start, end, steps)
    kind = _linear_dtype(start, end, dtype, out, "linspace")
    if count > 1 and (kind in LIMITED or kind.category == 0):  # one number is filled in
        raise missing_kernel("linspace_cpu", kind.label)
    check_bytes((count,), kind.itemsize)
    for end_of_it in (start, end)[:count]:
        check_number(end_of_it, kind, narrow=count != 1)
    there = out._device if isinstance(out, Tensor) else resolve(device)
    if there.type == "cuda" and count and not kind.is_complex:
        ends = [
            _wrapped(end_of_it, kind) if kind.category == 1 else float(end_of_it)
            for end_of_it in (start, end)
        ]
        each = (ends[1] - ends[0]) / (count - 1) if count > 1 else 0.0
        last = float(ends[1]) if count > 1 else None
        return _settle(
            counted(float(ends[0]), last, each, count, kind, there), dtype, device, out, "linspace"
        )
    values = kernels.quiet(_even_steps, start, end, count, kind) if count else numpy.empty(0)
    return _place(values, kind, dtype, device, out, "linspace")


@op(strict=True, kind="create", rounded=1, methods=(), out_error="aten::logspace")
@takes(
    f"(Tensor start, Tensor end, int steps, float base = 10.0, *, Tensor out = None, {FACTORY})",
    f"(Number start, Tensor end, int steps, float base = 10.0, *, Tensor out = None, {FACTORY})",
    f"(Tensor start, Number end, int steps, float base = 10.0, *, Tensor out = None, {FACTORY})",
    f"(Number start, Number end, int steps, float base = 10.0, *, Tensor out = None, {FACTORY})",
)
def logspace(
    start: Any,
    end: Any,
    steps: int | None = None,
    base: float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """`base` to the power of `steps` numbers from `start` to `end`, both included, evenly apart.

    >>> tk.logspace(0, 3, 4)
    tensor([   1.,   10.,  100., 1000.])
    """
    start, end, count = _steps("logspace", start, end, steps)
    kind = _linear_dtype(start, end, dtype, out, "logspace")
    if count > 1 and (kind in LIMITED or kind.category == 0):  # one number is filled in
        raise missing_kernel("logspace_cpu", kind.label)
    check_bytes((count,), kind.itemsize)
    for end_of_it in (start, end) if count > 1 else ():
        check_number(end_of_it, kind, narrow=True)
    values = kernels.quiet(_powers, start, end, base, count, kind) if count else numpy.empty(0)
    return _place(values, kind, dtype, device, out, "logspace")
