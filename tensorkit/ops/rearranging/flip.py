"""Elements back to front, or turned by right angles: `flip`, `fliplr`, `flipud`, `rot90`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit import tracing
from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import resolved
from tensorkit.device import META
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.output import empty_strided
from tensorkit.kernels.cpu import parallel
from tensorkit.ops.rearranging.repeat import int_list, listed, whole_number
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.on_device import turned_around
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Tensor, attach


def _moves_rows(lay: Layout, stride: tuple[int, ...], places: Sequence[int]) -> bool:
    """Whether a flip leaves the fastest dimension alone: PyTorch then moves bytes, of whatever dtype."""
    if all(lay.size[dim] < 2 or lay.stride[dim] == 0 for dim in places) or lay.numel < 2:
        return True
    longer = [dim for dim, n in enumerate(lay.size) if n > 1]
    fastest = min(longer, key=lambda dim: (stride[dim], -dim))
    return fastest not in places and lay.stride[fastest] == 1


@shortened("flipped")
def _flipped(input: Tensor, places: Sequence[int]) -> Tensor:
    """The elements in reverse order along some dimensions, in memory ordered as the input's."""
    lay = input._lay()
    stride = like_strides(lay)
    if input._dtype in LIMITED and places and not _moves_rows(lay, stride, places):
        raise missing_kernel("flip_cpu", input._dtype.label)
    out = empty_strided(lay.size, stride, input._dtype, input._device)
    if input._device.type == "cpu":
        array, made = input._nd(), out._nd()
        if len(places) != 1 or not parallel.backwards(array, places[0], made):
            made[...] = numpy.flip(array, tuple(places))
        if tracing.active:
            tracing.copied(out.nbytes)
    elif input._device != META:
        return turned_around(resolved(input), tuple(places), stride)
    return out


def _flip_dims(input: Tensor, dims: Any) -> list[int]:
    ndim = input.dim()
    places = [normalise_dim(dim, ndim) for dim in dims]
    if len(places) > 1:
        for dim in places:
            if places.count(dim) > 1:
                raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return places if ndim else []


@op(kind="copy", methods=(), derivative=Rule("FlipBackward0", input=lambda g, c: g.flip(c.dims)))
@takes("(Tensor input, tuple of ints dims)", method=("(tuple of ints dims)",))
def flip(input: Tensor, dims: Sequence[int]) -> Tensor:
    """The elements in reverse order along dimensions: always a copy.

    Raises:
        RuntimeError: for a dimension named twice.

    >>> tk.flip(tk.arange(4).view(2, 2), (0,))
    tensor([[2, 3],
            [0, 1]])
    """
    return _flipped(input, _flip_dims(input, int_list(dims, "flip", "dims", 2)))


def _method_flip(input: Tensor, *places: Any, dims: Any = None) -> Tensor:
    """The elements in reverse order along dimensions: always a copy."""
    wanted = wants_grad(input)
    along = listed(places if dims is None else (dims,), "flip")
    return flip(input, along) if wanted else _flipped(input, _flip_dims(input, along))


@op(kind="copy")
def fliplr(input: Tensor) -> Tensor:
    """The columns from right to left.

    >>> tk.fliplr(tk.arange(4).view(2, 2))
    tensor([[1, 0],
            [3, 2]])
    """
    if input.dim() < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


@op(kind="copy")
def flipud(input: Tensor) -> Tensor:
    """The rows from bottom to top.

    >>> tk.flipud(tk.arange(4).view(2, 2))
    tensor([[2, 3],
            [0, 1]])
    """
    if input.dim() < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, (0,))


def _rotation_dims(input: Tensor, dims: Any) -> tuple[int, int]:
    given, ndim = int_list(dims, "rot90", "dims", 3), input.dim()
    if len(given) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(given)}")
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    first, second = normalise_dim(given[0], ndim), normalise_dim(given[1], ndim)
    if first == second:
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {given[0]} and dim1 = {given[1]}"
        )
    return first, second


@op(strict=True, kind="copy", derivative=Rule("Rot90Backward0", input=lambda g, c: g.rot90(-c.k, c.dims)))
@takes("(Tensor input, int k = 1, tuple of ints dims = {0,1})")
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Turn a tensor by quarter turns in the plane of two dimensions, from the first towards the second.

    >>> tk.rot90(tk.arange(4).view(2, 2))
    tensor([[1, 3],
            [0, 2]])
    """
    turns = whole_number(k, "rot90", "k", 2) % 4
    first, second = _rotation_dims(input, dims)
    if turns == 0:
        lay = input._lay()
        out = empty_strided(lay.size, contiguous_stride(lay.size), input._dtype, input._device)
        copy_into(out, input)
        return out
    turned = _flipped(input, ([second], [first, second], [first])[turns - 1])
    if turns != 2:  # the copy has no other reference: it gets the new layout itself
        turned._adopt_geometry(turned._store(), turned._lay().transpose(first, second))
    return turned


attach("flip", traced_method("flip", shortened("Tensor.flip")(_method_flip)))
