"""Masks, and copies with a part written over: masked_fill, masked_select, select_scatter, fill_diagonal_."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import Rule, requires_grad
from tensorkit.conj_bit import resolved
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes, unmatched
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import check_writable, empty_strided
from tensorkit.elementwise.promotion import one_device
from tensorkit.errors import DeviceMismatchError, MissingKernelError, warn
from tensorkit.kernels.cpu import mask_compiled
from tensorkit.ops.creation.ranges import arange
from tensorkit.ops.indexing import on_device
from tensorkit.ops.indexing.advanced_index import replace
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.shared.copy import copy_into, warn_complex_to_real
from tensorkit.ops.shared.int_args import as_ints, counted
from tensorkit.ops.shared.on_device import as_size, is_on_device
from tensorkit.ops.shared.out_and_inplace import paired, real_alone, result_in, written
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.ops.shared.to import host_array, to_device
from tensorkit.ops.shared.type_names import backend_name
from tensorkit.ops.views.slicing import slice_along
from tensorkit.storage import allocate
from tensorkit.strides import basic_index
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import broadcast_sizes, contiguous_stride, normalise_dim
from tensorkit.tensor import Number, Tensor, fresh, on_storage


def _spread_copy(input: Tensor, mask: Tensor, *rest: Any, **named: Any) -> Tensor:
    """A row-major copy, broadcast against the mask."""
    if not isinstance(mask, Tensor):
        raise TypeError
    size = broadcast_sizes(mask._lay().size, input._lay().size)
    out = empty_strided(size, contiguous_stride(size), input._dtype, input._device)
    copy_into(out, input if size == input._lay().size else input._view(input._lay().expand(size)))
    return out


# -- masked_fill --------------------------------------------------------------------------------------------------


def _fill_name(arguments: dict[str, Any]) -> str:
    return "MaskedFillBackward1" if isinstance(arguments["value"], Tensor) else "MaskedFillBackward0"


_FORMS = ("Tensor mask, Tensor value", "Tensor mask, Number value")


@paired(
    derivative=Rule(
        _fill_name,
        input=lambda g, c: g.masked_fill(c.mask, 0),
        value=lambda g, c: g.masked_select(c.mask).sum(),
    ),
    out=False,
    copy=_spread_copy,
)
@takes("(Tensor input, Tensor mask, Tensor value)", "(Tensor input, Tensor mask, Number value)")
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> None:
    """A copy with one number wherever a mask, which is broadcast, is true.

    Args:
        mask: a tensor of truth values.
        value: a number or a 0-d tensor.

    Raises:
        RuntimeError: for another mask, for sizes that do not fit, for a number that the dtype cannot hold.

    >>> tk.tensor([1, -2, 3]).masked_fill(tk.tensor([False, True, False]), 0)
    tensor([1, 0, 3])
    """
    if not isinstance(value, (Tensor, *NUMBERS)) or not isinstance(mask, Tensor):
        raise unmatched("masked_fill", [mask, value], {}, _FORMS)
    if mask._device != input._device and META not in (mask._device, input._device):
        raise DeviceMismatchError(
            f"expected self and mask to be on the same device, but got mask on {mask._device} and self on "
            f"{input._device}"
        )
    if isinstance(value, Tensor):
        if value.dim():
            raise RuntimeError(
                "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value.dim()} dimension(s)."
            )
        if value._device.type == "cuda" and input._device.type == "cpu":
            raise DeviceMismatchError("masked_fill_: Expected inputs to be on same device")
        value = host_array(value).item()
    replace(input, mask, value)


# -- masked_select, masked_scatter --------------------------------------------------------------------------------


def _unselected(g: Any, c: Any) -> Any:
    """The gradient of selecting: zeros, and the gradients where the mask is true."""
    size = broadcast_sizes(tuple(c.input_face.size), tuple(c.mask.size()))
    return g.new_zeros(size).masked_scatter(c.mask, g)


@op(kind="copy", derivative=Rule("MaskedSelectBackward0", input=_unselected), out_overlap="before resizing")
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements for which a mask is true, in row-major order, as a vector; tensor and mask are broadcast.

    Raises:
        RuntimeError: for a mask of another dtype, for sizes that do not fit.

    >>> t = tk.tensor([3, 1, 2])
    >>> tk.masked_select(t, t > 1)
    tensor([3, 2])
    """
    if mask._dtype is not dtypes.bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    complaint = "masked_select(): self and result must have the same scalar type"
    if out is not None and isinstance(out, Tensor) and out._dtype is not input._dtype:
        raise RuntimeError(complaint)
    size = broadcast_sizes(mask._lay().size, input._lay().size)
    one_device(input, mask)
    if META in (input._device, mask._device):
        raise MissingKernelError(
            "masked_select() of a meta tensor: how many elements it gives depends on the data"
        )
    if is_on_device(input):
        if input._dtype in LIMITED and 0 not in size:
            raise missing_kernel("masked_select", input._dtype.label)
        made = _selected_on_device(input, mask, size)
        if out is None:
            return made
        out = result_in(out, input._dtype, made._lay().size, (input, mask))
        copy_into(out, made)
        out._bump()
        return out
    array, chosen = (
        one if one.shape == size else numpy.broadcast_to(one, size)
        for one in (host_array(input), host_array(mask))
    )
    if out is not None:
        out = result_in(out, input._dtype, (int(numpy.count_nonzero(chosen)),), (input, mask))
    if input._dtype in LIMITED and 0 not in size:
        raise missing_kernel("masked_select", input._dtype.label)
    taken = mask_compiled.chosen(array, chosen)
    if taken is None:
        taken = numpy.ascontiguousarray(array[chosen]).reshape(-1)
    made = to_device(fresh(taken, input._dtype), input._device)
    return written(made, out)


def _selected_on_device(input: Tensor, mask: Tensor, size: tuple[int, ...]) -> Tensor:
    wide, chosen = input._view(input._lay().expand(size)), mask._view(mask._lay().expand(size))
    if not size:
        wide, chosen = wide.view(1), chosen.view(1)
    made = on_device.picked(wide, [chosen])
    return as_size(made, (made.numel(),))


def _taken(g: Any, c: Any) -> Any:
    """The gradient of the source: what went into the result, then zeros."""
    size = tuple(c.source_face.size)
    used = g.masked_select(c.mask)
    rest = g.new_zeros(math.prod(size) - used.numel())
    row = g.new_zeros(math.prod(size))
    if not rest.numel():
        return used.view(size)
    return row.index_copy(0, arange(used.numel(), device=g.device), used).view(size)


@paired(
    derivative=Rule("MaskedScatterBackward0", input=lambda g, c: g.masked_fill(c.mask, 0), source=_taken),
    out=False,
    copy=_spread_copy,
)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> None:
    """A copy with the elements of `source`, one after the other, where a mask is true.

    Raises:
        RuntimeError: for another dtype, for sizes that do not fit, when the source has too few elements.

    >>> tk.zeros(3).masked_scatter(tk.tensor([True, False, True]), tk.tensor([5.0, 6.0]))
    tensor([5., 0., 6.])
    """
    if not isinstance(source, Tensor):
        raise TypeError
    one_device(input, mask, source)
    check_writable(input)
    if source._dtype is not input._dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got{input._dtype.label} and "
            f"{source._dtype.label}"
        )
    own = input._lay().size
    wide = mask._lay().expand(own, backend_name(mask))
    if mask._dtype is dtypes.uint8:
        warn(
            "masked_scatter_ received a mask with dtype tensorkit.uint8, this behavior is now deprecated,please use a "
            "mask with dtype tensorkit.bool instead."
        )
    if mask._dtype is not dtypes.bool:
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask._dtype.label}"
        )
    if META in (input._device, mask._device):
        return
    if input._dtype in LIMITED:
        raise missing_kernel("masked_scatter", input._dtype.label)
    if is_on_device(input):
        on_device.scattered_by_mask(input, mask._view(wide), source)
        return
    chosen = host_array(mask._view(wide))
    count = int(numpy.count_nonzero(chosen))
    if count > source.numel():
        raise RuntimeError("Number of elements of source < number of ones in mask")
    input._nd()[chosen] = host_array(source).reshape(-1)[:count]


# -- copies with a view written over ------------------------------------------------------------------------------


def _same_memory(input: Tensor) -> Tensor:
    """A copy that lies in its storage as the tensor does in its own; a plain copy where elements overlap."""
    lay = input._lay()
    if lay.has_internal_overlap() == "yes":
        out = empty_strided(lay.size, like_strides(lay), input._dtype, input._device)
        copy_into(out, input)
        return out
    item = input._dtype.itemsize
    slots = input._checked_store().nbytes() // item
    row = on_storage(allocate(slots * item, input._device), Layout((slots,), (1,), 0), input._dtype)
    copy_into(row, input._view(Layout((slots,), (1,), 0)))
    return on_storage(row._store(), lay, input._dtype)


def _written_over(input: Tensor, src: Any, name: str, cut: Callable[[Tensor], Layout]) -> Tensor:
    """A copy of the tensor in which the view that `cut` makes holds other values."""
    if not isinstance(src, Tensor):
        raise TypeError(f"{name}(): argument 'src' (position 2) must be Tensor, not {type_name(src)}")
    out = _same_memory(resolved(input))
    part = cut(out)
    if part.size != src._lay().size:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._lay().size)}, slice size = {list(part.size)}"
        )
    written = on_storage(out._store(), part, out._dtype)
    check_writable(written)
    warn_complex_to_real(out, src)
    copy_into(written, src)
    return out


@op(
    strict=True,
    kind="copy",
    derivative=Rule(
        "SelectScatterBackward0",
        applies=real_alone("select_scatter"),
        input=lambda g, c: g.select_scatter(g.new_zeros(c.src_face.size), c.dim, c.index),
        src=lambda g, c: g.select(c.dim, c.index),
    ),
)
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy with `src` in place of the slice ``input.select(dim, index)``; it lies in memory as `input` does.

    Raises:
        IndexError: for an index out of range. RuntimeError: when the sizes differ.

    >>> tk.zeros(2, 2).select_scatter(tk.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    return _written_over(input, src, "select_scatter", lambda out: out._lay().select(dim, index))


def _cut(lay: Layout, dim: int, start: int | None, end: int | None, step: int) -> Layout:
    axis = normalise_dim(dim, len(lay.size))
    if not lay.size:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    found = basic_index.index(lay, (*[slice(None)] * axis, slice(start, end, step)))
    assert found is not None
    return found


def _slice_of(g: Any, c: Any) -> Any:
    return slice_along(g, c.dim % g.dim(), c.start, c.end, c.step)


@op(
    strict=True,
    kind="copy",
    derivative=Rule(
        "SliceScatterBackward0",
        applies=real_alone("slice_scatter"),
        input=lambda g, c: g.slice_scatter(g.new_zeros(c.src_face.size), c.dim, c.start, c.end, c.step),
        src=_slice_of,
    ),
)
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy with `src` in place of the positions ``start:end:step`` along one dimension.

    Raises:
        RuntimeError: when the sizes differ, or the step is not positive.

    >>> tk.zeros(4).slice_scatter(tk.ones(2), start=1, step=2)
    tensor([0., 1., 0., 1.])
    """
    return _written_over(input, src, "slice_scatter", lambda out: _cut(out._lay(), dim, start, end, step))


@op(
    kind="copy",
    derivative=Rule(
        "DiagonalScatterBackward0",
        input=lambda g, c: g.diagonal_scatter(g.new_zeros(c.src_face.size), c.offset, c.dim1, c.dim2),
        src=lambda g, c: g.diagonal(c.offset, c.dim1, c.dim2),
    ),
)
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy with `src` on a diagonal, that of ``input.diagonal(offset, dim1, dim2)``.

    Raises:
        RuntimeError: when the sizes differ.

    >>> tk.zeros(2, 2).diagonal_scatter(tk.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    return _written_over(input, src, "diagonal_scatter", lambda out: out._lay().diagonal(offset, dim1, dim2))


def _in_line(call: dict[str, Any]) -> bool:
    """PyTorch differentiates by a tensor in row-major order alone."""
    input = call["input"]
    if state.grad and requires_grad(input) and not input._lay().is_contiguous():
        raise RuntimeError("as_strided_scatter is currently only supported for contiguous inputs")
    return True


def _in_storage(g: Any, c: Any) -> tuple[Any, int]:
    """The gradient where the tensor lay in its storage, with zeros before and behind; and where the slots begin."""
    before, row = c.input_face.offset, g.reshape(-1)
    start = before if c.storage_offset is None else int(c.storage_offset)
    reach = Layout(tuple(c.size), tuple(c.stride), start).reach()
    behind = max(0, reach - before - row.numel())
    return cat((row.new_zeros(before), row, row.new_zeros(behind))), start


def _rest_of_strided(g: Any, c: Any) -> Any:
    row, start = _in_storage(g, c)
    row = row.as_strided_scatter(row.new_zeros(c.src_face.size), c.size, c.stride, start)
    return row.narrow(0, c.input_face.offset, g.numel()).view(g.size())


def _slots_of_strided(g: Any, c: Any) -> Any:
    row, start = _in_storage(g, c)
    return row.as_strided(c.size, c.stride, start)


@op(
    strict=True,
    kind="copy",
    derivative=Rule(
        "AsStridedScatterBackward0", applies=_in_line, input=_rest_of_strided, src=_slots_of_strided
    ),
)
@takes("(Tensor input, Tensor src, tuple of ints size, tuple of ints stride, int storage_offset = None)")
def as_strided_scatter(
    input: Tensor, src: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """A copy with `src` in the slots that ``input.as_strided(size, stride, storage_offset)`` reads.

    Raises:
        RuntimeError: when the sizes differ, or a slot outside the storage would be written.

    >>> tk.zeros(2, 2).as_strided_scatter(tk.ones(2), (2,), (3,))
    tensor([[1., 0.],
            [0., 1.]])
    """
    sizes = as_ints((size,), "as_strided_scatter")
    strides = as_ints((stride,), "as_strided_scatter", "stride")

    def cut(out: Tensor) -> Layout:
        held = out._store().nbytes()
        return out._lay().as_strided(sizes, strides, counted(storage_offset), held, out._dtype.itemsize)

    return _written_over(input, src, "as_strided_scatter", cut)


# -- fill_diagonal_ -----------------------------------------------------------------------------------------------


@op(strict=True, kind="copy", function=False)
def fill_diagonal_(input: Tensor, fill_value: Number, wrap: bool = False) -> Tensor:
    """Write a number onto the main diagonal.

    Args:
        wrap: whether the diagonal of a tall matrix begins again below its end.

    Raises:
        RuntimeError: with fewer than two dimensions; with more than two, unless all have one length.

    >>> tk.zeros(3, 2).fill_diagonal_(5)
    tensor([[5., 0.],
            [0., 5.],
            [0., 0.]])
    """
    fill_value = plain_number(fill_value)
    if not isinstance(fill_value, NUMBERS):
        raise TypeError(
            "fill_diagonal_(): argument 'fill_value' (position 1) must be Number, not "
            f"{type_name(fill_value)}"
        )
    lay = input._lay()
    size = lay.size
    if len(size) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(size) > 2 and len(set(size)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    target: Any = input
    step, count = builtins.sum(lay.stride), builtins.min(size)
    target.as_strided((count,), (step,), lay.offset).fill_(fill_value)
    if wrap and len(size) == 2 and size[0] > size[1] + 1:
        # Below the end of the diagonal it begins again, after one row left out.
        rest = -(-lay.numel // (size[1] + 1)) - count
        start = lay.offset + lay.stride[0] * (size[1] + 1)
        target.as_strided((rest,), (step,), start).fill_(fill_value)
    return input
