"""Reading along one dimension with an index for every element: `gather`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.output import empty_strided
from tensorkit.elementwise.plan import brief
from tensorkit.elementwise.promotion import one_device
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import gather_compiled, parallel, tiny
from tensorkit.kernels.sizes import LOOPS, TINY
from tensorkit.ops.indexing import on_device
from tensorkit.ops.reduction.arguments import axis_of_small, small
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.out_and_inplace import INTEGERS, delivered, result_in
from tensorkit.ops.shared.to import host_array
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor, fresh


def size_or_one(size: tuple[int, ...]) -> tuple[int, ...]:
    return size or (1,)


def _check_gather(input: Tensor, axis: int, index: Tensor) -> None:
    if index._dtype not in INTEGERS:
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    own, have = size_or_one(input._lay().size), size_or_one(index._lay().size)
    if len(own) != len(have):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d, n in enumerate(have):
        if d != axis and n > own[d]:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index._lay().size)} to be no larger than "
                f"self {list(input._lay().size)} apart from dimension {axis}"
            )


def check_within(index: Array, axis: int, n: int) -> None:
    """Refuse an index out of range, the one that PyTorch meets first; here none counts from the end."""
    if not parallel.within(index, n):
        others = index.size // index.shape[axis]
        inner = axis == index.ndim - 1 or others < index.shape[axis]
        walked = numpy.moveaxis(index, axis, -1 if inner else 0).reshape(-1)
        value = walked[(walked < 0) | (walked >= n)][0]
        raise RuntimeError(f"index {value} is out of bounds for dimension {axis} with size {n}")


def window(array: Array, index: Array, axis: int) -> Array:
    """The part of an array that an index, smaller in some of the other dimensions, speaks of."""
    cut = tuple(slice(None) if d == axis else slice(n) for d, n in enumerate(index.shape))
    return array[cut]


def _gather_at_once(input: Any = None, dim: Any = None, index: Any = None, *more: Any) -> Tensor | None:
    if more or input.__class__ is not Tensor or index.__class__ is not Tensor or wants_grad(input):
        return None
    return _few_gathered(input, dim, index)


@op(
    kind="copy",
    derivative=Rule(
        "GatherBackward0", input=lambda g, c: g.new_zeros(c.input_face.size).scatter_add_(c.dim, c.index, g)
    ),
    first=_gather_at_once,
)
def gather(
    input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False, out: Tensor | None = None
) -> Tensor:
    """The elements that `index` names along one dimension: ``out[i, j] = input[index[i, j], j]`` for ``dim=0``.

    Args:
        index: int64 or int32, with as many dimensions; no larger than `input` in the others. None is negative.

    Raises:
        RuntimeError: for an index out of range, of another dtype, or of the wrong size.

    >>> tk.gather(tk.tensor([[1, 2], [3, 4]]), 1, tk.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    if out is None and not sparse_grad and (found := _few_gathered(input, dim, index)) is not None:
        return found
    axis = normalise_dim(dim, input.dim())
    size = index._lay().size
    one_device(input, index)
    if out is not None:
        out = result_in(out, input._dtype, size, (input, index))
    if index.numel():
        _check_gather(input, axis, index)
        if input._dtype in LIMITED:
            raise missing_kernel("scatter_gather_tensor_cpu", input._dtype.label)
    if META in (input._device, index._device) or not index.numel():
        made = empty_strided(size, contiguous_stride(size), input._dtype, input._device)
    elif is_on_device(input):
        made = on_device.gathered(input, axis, index)
    else:
        made = delivered(_gathered(host_array(input), host_array(index), axis), input)
    if out is None:
        return made
    copy_into(out, made)
    out._bump()
    return out


_DTYPES_WITH_LOOPS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
_INT64 = _DTYPES_WITH_LOOPS[3:]


def _as_matrices(dim: Any, *arrays: Array) -> tuple[Any, ...] | None:
    """A plain dimension from the front, and matrices: of vectors, those of one row. None for anything else."""
    ndim = arrays[0].ndim
    if dim.__class__ is not int or not -ndim <= dim < ndim or ndim > 2:
        return None
    for array in arrays:
        if array.ndim != ndim:
            return None
    return (dim % 2, *arrays) if ndim == 2 else (1, *[array[None] for array in arrays])


def _few_gathered(input: Tensor, dim: Any, index: Tensor) -> Tensor | None:
    """`gather` from a vector or matrix of few elements; None for the way that others take."""
    some = _some_gathered(input, dim, index)
    if some is not None:
        return some
    array, places = small(input, _DTYPES_WITH_LOOPS, True), small(index, _INT64, True)
    if array is None or places is None:
        return None
    if array.size == places.size == 1 and array.ndim == places.ndim:
        known = axis_of_small(array, dim) is not None and places.item() == 0
        return fresh(array.copy(), input._dtype) if known else None
    laid = _as_matrices(dim, array, places)
    if laid is None:
        return None
    axis, rows, wanted = laid
    if wanted.shape[1 - axis] > rows.shape[1 - axis]:
        return None
    try:
        return fresh(tiny.gathered(rows, wanted, axis).reshape(places.shape), input._dtype)
    except IndexError:
        return None  # refused in PyTorch's words


def _some_gathered(input: Tensor, dim: Any, index: Tensor) -> Tensor | None:
    """The same from some hundreds of elements, however they lie, by a compiled loop."""
    places = brief(index, _INT64)
    if (
        places is None
        or places.size <= TINY
        or tracing.active
        or (array := brief(input, _DTYPES_WITH_LOOPS)) is None
    ):
        return None
    if array.ndim == places.ndim == 2 and dim.__class__ is int and -2 <= dim < 2:
        axis, rows, wanted = dim % 2, array, places  # `_as_matrices`, inlined
    elif (laid := _as_matrices(dim, array, places)) is not None:
        axis, rows, wanted = laid
    else:
        return None
    if wanted.shape[1 - axis] > rows.shape[1 - axis]:
        return None  # refused in PyTorch's words
    found = gather_compiled.gather(rows, wanted, axis)
    if found is None:
        return None
    return fresh(found if places.ndim == 2 else found.reshape(places.shape), input._dtype)


_ADDED = (dtypes.float32, dtypes.float64, dtypes.int64)


def some_added(input: Any, dim: Any = None, index: Any = None, src: Any = None, *rest: Any) -> Tensor | None:
    """`scatter_add` of few elements, or of some hundreds by a compiled loop; None for the way that others take."""
    if rest or not (input.__class__ is index.__class__ is src.__class__ is Tensor):
        return None
    array, places, values = brief(input, _ADDED), brief(index, _INT64), brief(src, _ADDED)
    if array is None or places is None or values is None or input._dtype is not src._dtype:
        return None
    if places.size == 1 and array.size == values.size == 1 and array.ndim == places.ndim == values.ndim:
        if axis_of_small(array, dim) is None or places.item() != 0:
            return None  # refused in PyTorch's words
        return fresh(kernels.quiet(numpy.add, array, values), input._dtype)
    made = array.copy()
    laid = _as_matrices(dim, made, places, values)
    if laid is None:
        return None
    axis, target, wanted, given = laid
    rows, columns = wanted.shape
    if wanted.shape[1 - axis] > target.shape[1 - axis] or rows > given.shape[0] or columns > given.shape[1]:
        return None
    if given.shape != wanted.shape:
        given = given[:rows, :columns]
    if places.size >= LOOPS:
        return fresh(made, input._dtype) if gather_compiled.add_at(target, wanted, axis, given) else None
    if not tiny.within(places, target.shape[axis]):
        return None  # refused in PyTorch's words
    width = target.shape[1]
    if axis:
        flat = [r * width + place for r, line in enumerate(wanted.tolist()) for place in line]
    else:
        flat = [c + width * place for line in wanted.tolist() for c, place in enumerate(line)]
    try:
        tiny.add_at(made, flat, given)
    except ValueError:
        return None  # a sum of integers that wraps around
    return fresh(made, input._dtype)


def _gathered(array: Array, index: Array, axis: int) -> Array:
    whole, wide = numpy.atleast_1d(array), numpy.atleast_1d(index)
    short = parallel.gathered(whole, wide, axis)
    if short is not None:
        return short
    check_within(wide, axis, whole.shape[axis])
    if wide.ndim == 1:
        return numpy.take(whole, wide).reshape(index.shape)
    return numpy.take_along_axis(window(whole, wide, axis), wide, axis)
