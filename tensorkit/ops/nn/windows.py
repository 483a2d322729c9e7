"""Windows of the last dimensions of a tensor: the largest of each and the average of each, whatever the windows are.

Pooling of all kinds comes down to these two; `tensorkit.kernels.spans` says where windows lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.elementwise.output import empty_strided
from tensorkit.kernels import cuda
from tensorkit.kernels.cpu.pooling import windows
from tensorkit.kernels.spans import Span, turned
from tensorkit.memory_format import formatted_strides, suggested_format
from tensorkit.ops.kit import FUNCTIONAL, Plan, Result, Rule, Tensor, op
from tensorkit.ops.shared.copy import copied, copy_into
from tensorkit.ops.shared.on_device import operand
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride

Spans = tuple[Span, ...]
Sizes = tuple[int, ...]


def lying(input: Tensor, size: Sequence[int]) -> Sizes:
    """The strides of a result of another size, in the order of dimensions that the input speaks of."""
    made = tuple(size)
    dense = contiguous_stride(made)
    return formatted_strides(Layout(made, dense), suggested_format(input._lay()))


def _sized(input: Tensor, size: Sequence[int]) -> Sizes:
    """The input's size, with others in its last dimensions."""
    return (*input.shape[: input.ndim - len(size)], *size)


# -- on a device, whose kernels take what is row-major ---------------------------------------------------------------


def _dense(tensor: Tensor) -> Tensor:
    stride = contiguous_stride(tensor._lay().size)
    return copied(tensor, stride, tensor._dtype) if tensor._lay().stride != stride or tensor._bits else tensor


def _room(out: Tensor) -> Tensor:
    """The result itself, or a row-major tensor that is copied into it afterwards."""
    size = out._lay().size
    stride = contiguous_stride(size)
    return out if out._lay().stride == stride else empty_strided(size, stride, out._dtype, out._device)


def _largest_there(out: Tensor, places: Tensor, a: Tensor, *, spans: Spans) -> None:
    made = _room(out), _room(places)
    size, given = out._lay().size, a._lay().size
    cuda.pooling.largest(operand(made[0]), operand(made[1]), operand(_dense(a)), size, given, spans)
    for own, one in zip((out, places), made, strict=True):
        if own is not one:
            copy_into(own, one)


def _totals_there(out: Tensor, a: Tensor, *, spans: Spans, back: bool) -> None:
    made = _room(out)
    spans = tuple(turned(span) for span in spans) if back else spans
    cuda.pooling.total(operand(made), operand(_dense(a)), out._lay().size, a._lay().size, spans)
    if made is not out:
        copy_into(out, made)


# -- the largest ----------------------------------------------------------------------------------------------------


def _largest_back(g: Any, c: Any) -> Any:
    if 0 in g[0].shape[1:] and c.kind.startswith("Adaptive"):
        d = g[0].shape.index(0, 1)
        raise RuntimeError(
            f"adaptive_max_pool{len(c.spans)}d_backward(): Expected grad_output to have non-zero size for non-batch "
            f"dimensions, but grad_output has sizes {list(g[0].shape)} with dimension {d} being empty"
        )
    return _put(g[0], c.indices, c.input_face.size, len(c.spans))


@op(
    {"cpu": windows.largest, "cuda": _largest_there},
    namespace=FUNCTIONAL,
    derivative=Rule(lambda call: f"{call['kind']}Backward0", input=_largest_back),
)
def _largest(input: Tensor, kind: str, spans: Any, size: Any, stride: Any) -> Plan:
    """The largest element of each window, and where it is among those of its plane.

    Args:
        kind: the name of PyTorch's node. spans: one for each of the last dimensions; size: of these in the result.
    """
    made = _sized(input, size)
    results = Result(made, input.dtype, stride), Result(made, dtypes.int64, stride)
    return Plan(results, (input,), {"spans": spans})


def _flat(tensor: Any, dims: int) -> Any:
    """With the last dimensions as one."""
    return tensor.reshape(*tensor.shape[: tensor.ndim - dims], prod(tensor.shape[tensor.ndim - dims :]))


def taken(input: Any, places: Any, dims: int) -> Any:
    """The elements at `places`, which are counted through the last dimensions."""
    return _flat(input, dims).gather(-1, _flat(places, dims)).reshape(places.shape)


def _put_there(out: Tensor, places: Any, a: Any, *, dims: int) -> None:
    zeros = _flat(a, dims).new_zeros(_flat(out, dims).shape)
    copy_into(out, zeros.scatter_add_(-1, _flat(places, dims), _flat(a, dims)).reshape(out.shape))


def _put_on_cpu(out: Any, places: Any, a: Any, *, dims: int) -> None:
    windows.add_at(out, places, a, dims=dims)


@op(
    {"cpu": _put_on_cpu, "cuda": _put_there},
    namespace=FUNCTIONAL,
    derivative=Rule("MaxPoolBackwardBackward0", input=lambda g, c: taken(g, c.places, c.dims)),
)
def _put(input: Tensor, places: Tensor, size: Any, dims: int) -> Plan:
    """Zeros, with numbers added at `places`, which are counted through the last dimensions."""
    return Plan((Result(tuple(size), input.dtype, lying(input, size)),), (places, input), {"dims": dims})


# -- the average ----------------------------------------------------------------------------------------------------


def _totals_back(g: Any, c: Any) -> Any:
    size = c.input_face.size
    return _totals(g, c.spans, size[len(size) - len(c.spans) :], not c.back)


@op(
    {"cpu": windows.total, "cuda": _totals_there},
    namespace=FUNCTIONAL,
    derivative=Rule("WindowSumBackward0", input=_totals_back),
)
def _totals(input: Tensor, spans: Any, size: Any, back: bool = False) -> Plan:
    """The sum of each window; or `back`: of each element the sum of its windows' numbers."""
    made = _sized(input, size)
    stride = lying(input, made) if len(spans) == 2 else None
    return Plan((Result(made, input.dtype, stride),), (input,), {"spans": spans, "back": back})


def _divisors(like: Tensor, counts: Any) -> Any:
    """How many elements each window counts: one number if that is the same for all."""
    if isinstance(counts, int) or all(len(set(row)) <= 1 for row in counts):
        return counts if isinstance(counts, int) else prod(row[0] for row in counts if row)
    grid = numpy.array(1)
    for row in counts:
        grid = grid[..., None] * numpy.array(row)
    return like.new_tensor(grid.tolist())


def _averages_back(g: Any, c: Any) -> Any:
    size = c.input_face.size
    return _totals(g / _divisors(g, c.counts), c.spans, size[len(size) - len(c.spans) :], True)


@op(namespace=FUNCTIONAL, derivative=Rule(lambda call: f"{call['kind']}Backward0", input=_averages_back))
def _averages(input: Tensor, kind: str, spans: Any, size: Any, counts: Any) -> Tensor:
    """The sum of each window, divided by how many elements it counts.

    Args:
        kind: the name of PyTorch's node. spans: one for each of the last dimensions; size: of these in the result.
        counts: what is divided by, or for each dimension as many numbers as there are windows, whose products are.
    """
    wide = input.to(dtypes.float32) if input.dtype.itemsize == 2 else input
    found: Tensor = _totals(wide, spans, size)
    if not found.numel():
        return found.to(input.dtype)
    by = _divisors(found, counts)
    if input.dtype.category == 1:
        return found.div(by, rounding_mode="trunc").to(input.dtype)
    return found.div_(by).to(input.dtype)


largest, averages = _largest, _averages  # for pooling of all kinds: they are not PyTorch operations
