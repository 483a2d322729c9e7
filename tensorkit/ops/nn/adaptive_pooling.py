"""Pooling to a given size, whatever the input's is; and putting what was pooled back in its place."""

# Operations give whatever their bodies plan, which to a checker of types is anything.
# mypy: disable-error-code="no-any-return, no-untyped-call, has-type"

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from tensorkit.device import CPU
from tensorkit.kernels.spans import adaptive
from tensorkit.memory_format import channels_last, channels_last_3d, suggested_format
from tensorkit.ops.kit import BUT_FLOATS, FUNCTIONAL, Dims, Rule, Tensor, op
from tensorkit.ops.nn.pooling import check_1d, lacking
from tensorkit.ops.nn.windows import averages, largest, lying, taken
from tensorkit.ops.shared.int_args import as_ints, listed_ints
from tensorkit.strides.sizes import contiguous_stride


def _check_whole(name: str, input: Tensor, first: int) -> None:
    """Refuse a dimension without elements, of those from `first` on."""
    for d in range(first, input.ndim):
        if not input.shape[d]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {d} being empty"
            )


def _spans(input: Tensor, size: Sequence[int]) -> tuple[Any, ...]:
    inner = input.shape[input.ndim - len(size) :]
    return tuple(adaptive(n, count) for n, count in zip(inner, size, strict=True))


# -- the average ----------------------------------------------------------------------------------------------------


def _adaptive_average(input: Tensor, output_size: Dims, dims: int) -> Tensor:
    name = f"adaptive_avg_pool{dims}d"
    size = as_ints((output_size,), name, "output_size", 2)
    if len(size) == 1 and isinstance(output_size, int):
        size = size * dims
    if len(size) != dims:
        raise RuntimeError(f"{name}: output_size must be {dims}")
    if min(size) < 0:
        told = f"{size[0]}, {size[1]}" + (f",{size[2]}" if dims == 3 else "")
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{told}}}"
        )
    if size == (1,) * dims:
        return _mean(input, dims)
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got {list(input.shape)}"
        )
    _check_whole(name, input, input.ndim - dims)
    if dims == 3:
        lacking("adaptive_avg_pool3d_cpu", input, BUT_FLOATS)
    elif input.numel() and prod(size):
        lacking("adaptive_avg_pool2d", input, BUT_FLOATS)
    spans = _spans(input, size)
    counts = [
        [end - start for start, end in map(span.bounds, range(n))]
        for span, n in zip(spans, size, strict=True)
    ]
    return averages(input, f"AdaptiveAvgPool{dims}D", spans, size, counts)


def _mean(input: Tensor, dims: int) -> Tensor:
    """The average of everything: PyTorch's `mean`, with the strides of its format."""
    made: Any = input.mean(tuple(range(-1, -dims - 1, -1)), keepdim=True)
    if input.ndim == dims + 2 and suggested_format(input._lay()) in (channels_last, channels_last_3d):
        c = made.shape[1]
        made = made.as_strided(made.shape, (c, 1, *(c,) * dims))
    return made


@op()
def adaptive_avg_pool1d(input: Tensor, output_size: Dims) -> Tensor:
    """The averages of `output_size` windows of about the same length: (n, channels, length) to (…, output_size).

    >>> tk.adaptive_avg_pool1d(tk.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]]), 2)
    tensor([[2., 4.]])
    """
    (size,) = check_1d("adaptive_avg_pool1d", input, output_size=output_size)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, size)).squeeze(-2)


@op(namespace=FUNCTIONAL)
def adaptive_avg_pool2d(input: Tensor, output_size: Dims) -> Tensor:
    """The averages of windows of about the same size: (n, channels, h, w) to (n, channels, *output_size).

    Args:
        output_size: height and width, or one number for both.

    >>> tk.nn.functional.adaptive_avg_pool2d(tk.arange(12.0).view(1, 3, 4), 2)
    tensor([[[2.5000, 4.5000],
             [6.5000, 8.5000]]])
    """
    return _adaptive_average(input, output_size, 2)


@op(namespace=FUNCTIONAL)
def adaptive_avg_pool3d(input: Tensor, output_size: Dims) -> Tensor:
    """The averages of windows of about the same size: (n, channels, d, h, w) to (n, channels, *output_size).

    Args:
        output_size: depth, height and width, or one number for all.

    >>> tk.nn.functional.adaptive_avg_pool3d(tk.arange(8.0).view(1, 2, 2, 2), (1, 1, 2))
    tensor([[[[3., 4.]]]])
    """
    return _adaptive_average(input, output_size, 3)


# -- the largest ----------------------------------------------------------------------------------------------------


def _adaptive_largest(input: Tensor, output_size: Dims, dims: int) -> Any:
    name = f"adaptive_max_pool{dims}d"
    size = as_ints((output_size,), name, "output_size", 2)
    if len(size) == 1 and isinstance(output_size, int):
        size = size * dims
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(input.shape)}"
        )
    _check_whole(name, input, 1)
    if len(size) != dims:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {dims}")
    made = (*input.shape[: input.ndim - dims], *size)
    if min(size) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {list(made)}")
    lacking("adaptive_max_pool2d" if dims == 2 else "adaptive_max_pool3d_cpu", input, BUT_FLOATS)
    stride = lying(input, made) if dims == 2 else contiguous_stride(made)
    return largest(input, f"AdaptiveMaxPool{dims}D", _spans(input, size), size, stride)


@op()
def adaptive_max_pool1d(input: Tensor, output_size: Dims) -> Any:
    """The largest of `output_size` windows of about the same length, and where in its row each is: two tensors.

    >>> tk.adaptive_max_pool1d(tk.tensor([[1.0, 2.0, 5.0, 4.0, 3.0]]), 2)
    (tensor([[5., 5.]]), tensor([[2, 2]]))
    """
    (size,) = check_1d("adaptive_max_pool1d", input, output_size=output_size)
    _check_whole("adaptive_max_pool1d", input, 1)
    return tuple(one.squeeze(-2) for one in _adaptive_largest(input.unsqueeze(-2), (1, size), 2))


@op(namespace=FUNCTIONAL)
def adaptive_max_pool2d(input: Tensor, output_size: Dims) -> Any:
    """The largest of windows of about the same size, and where in its image each is: two tensors.

    Args:
        output_size: height and width, or one number for both.

    >>> adaptive_max_pool2d(tk.arange(12.0).view(1, 3, 4), 2)[0]
    tensor([[[ 5.,  7.],
             [ 9., 11.]]])
    """
    return _adaptive_largest(input, output_size, 2)


@op(namespace=FUNCTIONAL)
def adaptive_max_pool3d(input: Tensor, output_size: Dims) -> Any:
    """The largest of windows of about the same size, and where in its volume each is: two tensors.

    Args:
        output_size: depth, height and width, or one number for all.

    >>> adaptive_max_pool3d(tk.arange(8.0).view(1, 2, 2, 2), (1, 1, 2))[1]
    tensor([[[[6, 7]]]])
    """
    return _adaptive_largest(input, output_size, 3)


# -- back in its place ----------------------------------------------------------------------------------------------


def _unpooled(input: Tensor, indices: Tensor, size: Sequence[int], dims: int) -> Tensor:
    size = listed_ints(size, f"max_unpool{dims}d", "output_size", 3)
    if indices.dtype.name != "int64":
        told = f" but got: {indices.dtype.label}" if dims == 2 else ""
        raise RuntimeError(f"elements in indices should be type int64{told}")
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Input to max_unpooling{dims}d should be a {dims + 1}d or {dims + 2}d Tensor, but got a tensor with "
            f"{input.ndim} dimensions."
        )
    if input.shape != indices.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but got indices "
            f"tensor with shape: {list(indices.shape)}"
        )
    _check_unpooled(input, dims)
    if input.numel():
        lacking(f"max_unpool{dims}d", input, BUT_FLOATS)
    lead, room = input.shape[: input.ndim - dims], prod(size)
    if input.device == CPU and input.numel():
        places = indices._nd()
        wrong = places[(places < 0) | (places >= room)]
        if wrong.size:
            told = "x".join(map(str, size))
            raise RuntimeError(
                f"Found an invalid max index: {wrong.flat[0]} (output volumes are of size {told})"
            )
    inner = (*lead, prod(input.shape[input.ndim - dims :]))
    made: Any = input.new_zeros((*lead, *size))
    if input.numel():
        made.view(*lead, room).scatter_(-1, indices.reshape(inner), input.reshape(inner))
    return _laid_as(input, made) if dims == 2 else made


def _laid_as(input: Tensor, made: Any) -> Any:
    return made.contiguous(memory_format=suggested_format(input._lay()))


def _check_unpooled(input: Tensor, dims: int) -> None:
    for d in range(1, input.ndim):
        if not input.shape[d]:
            raise RuntimeError(
                f"max_unpooling{dims}d_forward_out_cpu(): Expected input to have non-zero size for non-batch "
                f"dimensions, but got {list(input.shape)} with dimension {d} being empty."
            )


@op(namespace=FUNCTIONAL, derivative=Rule("MaxUnpool2DBackward0", input=lambda g, c: taken(g, c.indices, 2)))
def max_unpool2d(input: Tensor, indices: Tensor, output_size: Sequence[int]) -> Tensor:
    """Zeros, and each element where `max_pool2d` found it: (n, channels, h, w) to (n, channels, *output_size).

    Args:
        indices: where in its image each is, int64, of the size of `input`.

    >>> max_unpool2d(tk.tensor([[[5.0]]]), tk.tensor([[[2]]]), (2, 2))
    tensor([[[0., 0.],
             [5., 0.]]])
    """
    return _unpooled(input, indices, output_size, 2)


@op(namespace=FUNCTIONAL, derivative=Rule("MaxUnpool3DBackward0", input=lambda g, c: taken(g, c.indices, 3)))
def max_unpool3d(input: Tensor, indices: Tensor, output_size: Sequence[int]) -> Tensor:
    """Zeros, and each element where `max_pool3d` found it: (n, channels, d, h, w) to (n, channels, *output_size).

    Args:
        indices: where in its volume each is, int64, of the size of `input`.

    >>> max_unpool3d(tk.tensor([[[[5.0]]]]), tk.tensor([[[[1]]]]), (1, 1, 2))
    tensor([[[[0., 5.]]]])
    """
    return _unpooled(input, indices, output_size, 3)
