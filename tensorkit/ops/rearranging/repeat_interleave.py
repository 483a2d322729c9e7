"""Each element again, beside itself: `repeat_interleave`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.conj_bit import CONJ, NEG, resolved
from tensorkit.device import META
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.output import empty_strided
from tensorkit.memory_format import contiguous_format
from tensorkit.ops.complex.conj import _neg_view
from tensorkit.ops.rearranging.repeat import check_lengths, on_device_of, whole_number
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.strides.sizes import INT64_MAX, check_bytes, normalise_dim
from tensorkit.tensor import Tensor, attach

# -- each element again -------------------------------------------------------------------------------------------


def _places(repeats: Tensor, output_size: int | None) -> Tensor:
    """Each index as often as its number says."""
    if repeats._device == META:
        if output_size is None:
            raise RuntimeError("cannot repeat_interleave a meta tensor without output_size")
        return empty_strided((output_size,), (1,), repeats._dtype, META)
    if repeats._dtype not in (dtypes.int32, dtypes.int64):
        raise missing_kernel("repeat_interleave_cpu", repeats._dtype.label)
    if repeats.dim() != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if is_on_device(repeats):
        return _places_on_device(repeats, output_size)
    counts = repeats._nd()
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    total = int(counts.max(initial=0)) * counts.size
    if total * repeats._dtype.itemsize > INT64_MAX:
        total = sum(counts.tolist())  # NumPy would count in 64 bits
        if output_size is not None and output_size != total:
            raise RuntimeError("allocated size does not match required size")
        check_lengths((total,))
        check_bytes((total,), repeats._dtype.itemsize)
    array = numpy.repeat(numpy.arange(counts.size, dtype=counts.dtype), counts)
    if output_size is not None and array.size != output_size:
        raise RuntimeError("allocated size does not match required size")
    return on_device_of(array, repeats)


def _places_on_device(repeats: Tensor, output_size: int | None) -> Tensor:
    """The same by kernels: a 1 where each index begins, added up; how many there are the host has to know."""
    counts: Any = resolved(repeats)
    if bool((counts < 0).any()):
        raise RuntimeError("repeats can not be negative")
    ends = counts.cumsum(0)
    total = int(ends[-1]) if counts.numel() else 0
    if output_size is not None and total != output_size:
        raise RuntimeError("allocated size does not match required size")
    begun = ends.new_zeros(total + 1)
    begun.scatter_add_(0, ends, ends.new_ones(ends.size()))
    return begun[:total].cumsum(0).to(repeats._dtype)  # type: ignore[no-any-return]


def _by_tensor(input: Any, repeats: Any, dim: int | None, output_size: int | None) -> Tensor:
    if dim is None:
        input, dim = input.flatten(), 0
    elif not input.dim():
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    along = normalise_dim(dim, input.dim())
    length = input.size(along)
    if repeats.dim() == 0 or (repeats.dim() == 1 and repeats.size(0) == 1):
        repeats = repeats.reshape(1).expand(length)
    elif repeats.dim() != 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    elif repeats.size(0) != length:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {repeats.size(0)} and "
            f"input.size({along}) = {length}"
        )
    places = _places(repeats, output_size)
    if input.dim() == 1 and not length and input._dtype in LIMITED:
        raise missing_kernel("index_select", input._dtype.label)
    return input.index_select(along, places)  # type: ignore[no-any-return]


def _by_number(input: Any, repeats: int, dim: int | None, output_size: int | None) -> Tensor:
    if dim is None:
        input, dim = input.flatten(), 0
    along = normalise_dim(dim, input.dim())
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    size = list(input.size())
    wider = input.unsqueeze(along + 1)
    total = size[along] * repeats
    if output_size is not None and output_size != total:
        raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {total} but got {output_size}")
    each = wider.expand(*size[: along + 1], repeats, *size[along + 1 :])
    copied = each.clone(memory_format=contiguous_format)
    return copied.view(*size[:along], total, *size[along + 1 :])  # type: ignore[no-any-return]


@op(strict=True, kind="copy", methods=())
@takes(
    "(Tensor repeats, *, int output_size = None)",
    "(Tensor input, Tensor repeats, int dim = None, *, int output_size = None)",
    "(Tensor input, int repeats, int dim = None, *, int output_size = None)",
    method=(
        "(Tensor repeats, int dim = None, *, int output_size = None)",
        "(int repeats, int dim = None, *, int output_size = None)",
    ),
)
def repeat_interleave(
    input: Tensor,
    repeats: int | Tensor | None = None,
    dim: int | None = None,
    *,
    output_size: int | None = None,
) -> Tensor:
    """Each element, or each slice along a dimension, several times in a row.

    Args:
        repeats: how often: a number, or a tensor with one number for each position.
        dim: the dimension; without one the tensor is flattened first.
        output_size: the length that results, if known.

    Returns:
        A new tensor; given only a tensor of numbers, each index as often as its number says.

    >>> tk.repeat_interleave(tk.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    >>> tk.tensor([[1, 2], [3, 4]]).repeat_interleave(tk.tensor([1, 2]), dim=0)
    tensor([[1, 2],
            [3, 4],
            [3, 4]])
    """
    along = None if dim is None else whole_number(dim, "repeat_interleave", "dim", 3)
    if isinstance(repeats, Tensor):
        # PyTorch picks what is stored, and hands out a view with the same bits.
        if input._bits & CONJ:
            return repeat_interleave(input.conj(), repeats, dim, output_size=output_size).conj()
        if input._bits & NEG:
            stored = _neg_view(input)
            return _neg_view(repeat_interleave(stored, repeats, dim, output_size=output_size))
        return _by_tensor(input, repeats, along, output_size)
    if repeats is None:
        return _places(input, output_size)
    if isinstance(repeats, bool) or not hasattr(repeats, "__index__"):
        raise TypeError("repeats must be an int or a tensor")  # the caller says it in PyTorch's words
    return _by_number(input, repeats.__index__(), along, output_size)


# -- moved along, and back to front -------------------------------------------------------------------------------


def _method_repeat_interleave(
    input: Tensor, repeats: int | Tensor, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element, or each slice along a dimension, several times in a row."""
    if repeats is None:
        raise TypeError("repeats must be an int or a tensor")  # the caller says it in PyTorch's words
    return repeat_interleave(input, repeats, dim, output_size=output_size)


attach("repeat_interleave", traced_method("repeat_interleave", _method_repeat_interleave))
