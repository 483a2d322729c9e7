"""Reading and writing at places counted over the whole tensor, and along one dimension: take, put, take_along_dim."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.output import empty_strided, resize_out
from tensorkit.elementwise.promotion import one_device
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.ops.indexing import on_device
from tensorkit.ops.indexing.gather import gather
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.on_device import as_size, is_on_device
from tensorkit.ops.shared.out_and_inplace import (
    as_vector,
    check_memory,
    delivered,
    paired,
    result_in,
    written,
)
from tensorkit.ops.shared.uninitialized import alert
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import broadcast_sizes, contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor

# -- places counted over the whole tensor -------------------------------------------------------------------------


def _check_flat(places: Array, n: int) -> None:
    if places.size and (places.min() < -n or places.max() >= n):
        bad = places[(places < -n) | (places >= n)][0]
        raise IndexError(f"out of range: tried to access index {bad} on a tensor of {n} elements.")


@op(
    kind="copy",
    derivative=Rule(
        "TakeBackward0", input=lambda g, c: g.new_zeros(c.input_face.size).put_(c.index, g, accumulate=True)
    ),
    out_overlap="before resizing",
)
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements at the given places, counted in row-major order over the whole tensor; of the size of `index`.

    Raises:
        IndexError: for an index out of range; negative ones count from the end. RuntimeError: unless it is int64.

    >>> tk.take(tk.tensor([[4, 3], [2, 1]]), tk.tensor([0, -1]))
    tensor([4, 1])
    """
    if index._dtype is not dtypes.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index._dtype.label}")
    size = index._lay().size
    if out is not None:
        named = out._dtype.label if isinstance(out, Tensor) else ""
        complaint = (
            "take(): self and out expected to have the same dtype, but got self.dtype = "
            f"{input._dtype.label} and out.dtype = {named}"
        )
        if isinstance(out, Tensor) and out._dtype is not input._dtype:
            raise RuntimeError(complaint)
    if not input.numel() and index.numel():
        raise IndexError("take(): tried to take from an empty tensor")
    one_device(input, index)
    if out is not None:
        if isinstance(out, Tensor):
            resize_out(out, size, like_strides(index._lay()))
        out = result_in(out, input._dtype, size, (index, input))
    if META in (input._device, index._device) or not index.numel():
        made = empty_strided(size, contiguous_stride(size), input._dtype, input._device)
    else:
        if input._dtype in LIMITED:
            raise missing_kernel("take_cpu", input._dtype.label)
        if is_on_device(input):
            made = _taken_on_device(input, index)
        else:
            places = index._nd()
            _check_flat(places, input.numel())
            made = delivered(numpy.take(input._nd(), places), input)
    return written(made, out)


@paired(
    strict=True,
    derivative=Rule(
        "PutBackward0",
        input=lambda g, c: g if c.accumulate else g.put(c.index, g.new_zeros(c.source_face.size)),
        source=lambda g, c: g.take(c.index).reshape(c.source_face.size),
    ),
    row_major=False,
    out=False,
)
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> None:
    """A copy with the elements of `source` at the given places, counted in row-major order over the whole tensor.

    Args:
        accumulate: whether to add to what is there.

    Raises:
        IndexError: for an index out of range, or when there are not as many values. RuntimeError: for another dtype.

    >>> tk.put(tk.zeros(2, 2), tk.tensor([1, -1]), tk.tensor([5.0, 6.0]))
    tensor([[0., 5.],
            [0., 6.]])
    """
    if not isinstance(source, Tensor):
        raise TypeError
    if input._device != META and (not accumulate or input.is_cuda):
        alert("put_")
    if index._dtype is not dtypes.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {index._dtype.label}")
    if input._dtype is not source._dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{input._dtype.label} and source.dtype = {source._dtype.label}"
        )
    if index.numel() != source.numel():
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.numel()}, index.numel() = {index.numel()}"
        )
    if not input.numel() and index.numel():
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    check_memory(input, index, source)
    if META in (input._device, index._device) or not index.numel():
        return
    if input._dtype in LIMITED:
        raise missing_kernel("take_put_cpu", input._dtype.label)
    if is_on_device(input):
        _put_on_device(input, index, source, accumulate)
        return
    places = index._nd().reshape(-1)
    _check_flat(places, input.numel())
    array = input._nd()
    values = source._nd().reshape(-1)
    key: tuple[Array, ...] = (places,)
    if not array.ndim:
        array = as_vector(array)
    elif array.ndim > 1:
        key = numpy.unravel_index(places % array.size, array.shape)
    if accumulate:
        kernels.quiet(numpy.add.at, array, key, values)
    else:
        array[key] = values


def _taken_on_device(input: Tensor, index: Tensor) -> Tensor:
    flat = input.reshape(-1)
    size = index._lay().size
    places = on_device.located([index], size, (input.numel(),), (1,), input)
    found = on_device.gathered(flat, 0, places.view(-1))
    return as_size(found, size)


def _put_on_device(input: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> None:
    count = index.numel()
    places = on_device.located([index.reshape(count)], (count,), (input.numel(),), (1,), input)
    flat = input if input.is_contiguous() else input.contiguous()
    how = "add" if accumulate else "set"
    on_device.scattered(flat.view(-1), 0, places, source.reshape(count), how)
    if flat is not input:
        copy_into(input, flat)


@op(kind="copy", out_error="gather")
def take_along_dim(
    input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The elements at the places that `indices`, broadcast against `input`, names along one dimension.

    Fits the results of ``argmax`` and ``argsort``. Without `dim` both are taken as vectors.

    Raises:
        RuntimeError: unless the indices are int64 and, given `dim`, have as many dimensions.

    >>> t = tk.tensor([[10, 30, 20], [60, 40, 50]])
    >>> tk.take_along_dim(t, tk.tensor([[1], [0]]), dim=1)
    tensor([[30],
            [60]])
    """
    start = "tensorkit.take_along_dim(): "
    flat: Any = input
    places: Any = indices
    if dim is not None and input.dim() != indices.dim():
        raise RuntimeError(
            f"{start}input and indices should have the same number of dimensions, but got {input.dim()} dimensions for "
            f"input, and {indices.dim()} dimensions for indices"
        )
    if dim is not None and indices._dtype is not dtypes.int64:
        raise RuntimeError(f"{start}dtype of indices should be Long but got {indices._dtype.label}")
    if dim is None:
        return gather(flat.view(-1), 0, places.view(-1), out=out)
    axis = normalise_dim(dim, input.dim())
    if not input.dim():
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    own, have = list(input._lay().size), list(indices._lay().size)
    if own:
        own[axis], have[axis] = have[axis], own[axis]
    wide = broadcast_sizes(tuple(own), indices._lay().size)
    whole = broadcast_sizes(tuple(have), input._lay().size)
    # PyTorch takes the indices here as often around as they go, where `gather` refuses them.
    around = places.remainder(whole[axis] if whole else 1)
    return gather(flat.expand(whole), axis, around.expand(wide), out=out)
