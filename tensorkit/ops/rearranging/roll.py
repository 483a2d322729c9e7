"""Elements moved along a dimension, and round its end: `roll`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from tensorkit import tracing
from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import resolved
from tensorkit.device import CPU, META
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.elementwise.output import empty_strided
from tensorkit.ops.joining.cat import joined_stride
from tensorkit.ops.rearranging.repeat import int_list
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.int_args import Dims
from tensorkit.ops.shared.on_device import as_size, is_on_device
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor


def roll_array(array: Array, shifts: Sequence[int], dims: Sequence[int], out: Array) -> None:
    """Write the array's elements into `out`, moved along some dimensions, the last ones in front: the kernel."""
    total = [0] * array.ndim
    for shift, dim in zip(shifts, dims, strict=True):
        total[dim] += shift
    pieces = []
    for moved, n in zip(total, array.shape, strict=True):
        cut = moved % n
        pieces.append(
            [(slice(None), slice(None))]
            if not cut
            else [(slice(cut, None), slice(None, n - cut)), (slice(None, cut), slice(n - cut, None))]
        )
    for piece in itertools.product(*pieces):
        out[tuple([to for to, _ in piece])] = array[tuple([source for _, source in piece])]


def _rolled_stride(lay: Layout, shifts: Sequence[int], dims: Sequence[int]) -> tuple[int, ...]:
    """The strides of a rolled tensor: for each dimension PyTorch joins what comes around and what stays."""
    for shift, dim in zip(shifts, dims, strict=True):
        n = lay.size[dim]
        cut = shift % n
        parts = (lay.narrow(dim, n - cut, cut), lay.narrow(dim, 0, n - cut))
        lay = Layout(lay.size, joined_stride(parts, lay.size))
    return lay.stride


def _back(shifts: Any) -> Any:
    return tuple([-s for s in shifts]) if isinstance(shifts, (tuple, list)) else -shifts


@op(
    strict=True,
    kind="copy",
    derivative=Rule("RollBackward0", input=lambda g, c: g.roll(_back(c.shifts), c.dims)),
)
@shortened("roll")
def roll(input: Tensor, shifts: Dims, dims: Dims | None = None) -> Tensor:
    """Move the elements along dimensions; those pushed out at the end come in again at the front.

    Args:
        shifts: by how many positions, one number for each of `dims`.
        dims: along which dimensions; without any, the elements move as if in one row.

    >>> tk.roll(tk.arange(5), 2)
    tensor([3, 4, 0, 1, 2])
    """
    by = int_list(shifts, "roll", "shifts", 2, one=True)
    along = () if dims is None else int_list(dims, "roll", "dims", 3, one=True)
    lay = input._lay()
    if not by:
        raise RuntimeError("`shifts` required")
    if len(by) != len(along) and not (len(by) == 1 and not along):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(along)}")
    if not lay.numel:
        stride = like_strides(lay) if along else contiguous_stride(lay.size)
        return empty_strided(lay.size, stride, input._dtype, input._device)
    if along and not lay.size:
        raise IndexError(f"Dimension specified as {along[0]} but tensor has no dimensions")
    places = [normalise_dim(dim, len(lay.size)) for dim in along]
    if input._device == META:
        return empty_strided(lay.size, contiguous_stride(lay.size), input._dtype, META)
    if is_on_device(input):
        return _rolled_on_device(resolved(input), by, places if along else None)
    array = input._nd()
    if not along:
        array, places = array.reshape(-1), [0]
    stride = _rolled_stride(lay, by, places) if along else (1,)
    out = empty_strided(array.shape, stride, input._dtype, CPU)
    roll_array(array, by, places, out._nd())
    if tracing.active:
        tracing.copied(out.nbytes)
    return out if along else as_size(out, lay.size)


def _rolled_on_device(input: Tensor, by: Any, places: list[int] | None) -> Tensor:
    """Two copies for each dimension: what stays in front, and what comes around."""
    size = input._lay().size
    if places is None:
        return as_size(_rolled_on_device(input.reshape(-1), by, [0]), size)
    for axis, shift in zip(places, by, strict=True):
        n = size[axis]
        made, start = empty_strided(size, contiguous_stride(size), input._dtype, input._device), shift % n
        own, lay = input._lay(), made._lay()
        copy_into(made._view(lay.narrow(axis, start, n - start)), input._view(own.narrow(axis, 0, n - start)))
        copy_into(made._view(lay.narrow(axis, 0, start)), input._view(own.narrow(axis, n - start, start)))
        input = made
    return input
