"""Reading along one dimension with an index for every element: `gather`."""

from __future__ import annotations

import numpy

from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.output import empty_strided
from tensorkit.elementwise.promotion import one_device
from tensorkit.kernels.cpu import parallel
from tensorkit.ops.indexing import on_device
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.out_and_inplace import INTEGERS, delivered, result_in, written
from tensorkit.ops.shared.to import host_array
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor


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


@op(
    kind="copy",
    derivative=Rule(
        "GatherBackward0", input=lambda g, c: g.new_zeros(c.input_face.size).scatter_add_(c.dim, c.index, g)
    ),
)
@shortened("gather")
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
    return written(made, out)


def _gathered(array: Array, index: Array, axis: int) -> Array:
    whole, wide = numpy.atleast_1d(array), numpy.atleast_1d(index)
    short = parallel.gathered(whole, wide, axis)
    if short is not None:
        return short
    check_within(wide, axis, whole.shape[axis])
    if wide.ndim == 1:
        return numpy.take(whole, wide).reshape(index.shape)
    return numpy.take_along_axis(window(whole, wide, axis), wide, axis)
