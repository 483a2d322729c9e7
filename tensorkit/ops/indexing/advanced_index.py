"""Square brackets with lists, masks and tensors of indices: elements picked one by one, and so copied.

A key is followed in two steps. Its plain parts (integers, slices, ``...``, ``None``) make a view; what remains is, for
some of the view's dimensions, a tensor that says which elements to take along it. A mask stands for the tensors of the
places where it is true. These tensors are broadcast together, and their common size takes the place of the dimensions
that they pick from; where those do not lie side by side, it moves to the front.

>>> t = tk.arange(12).view(3, 4)
>>> t[[2, 0], 1:3]
tensor([[ 9, 10],
        [ 1,  2]])
>>> t[t > 8]
tensor([ 9, 10, 11])

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html and PyTorch's own answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.autograd.graph import FREED, Rule, Saved
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import recorded_call, wants_grad
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.output import check_overlap, empty_strided, refuse_shared
from tensorkit.errors import two_devices, warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import mask_compiled, parallel
from tensorkit.kernels.sizes import ADDED_BY_ROWS
from tensorkit.ops.indexing import on_device
from tensorkit.ops.indexing.index_plan import Picks, Plan, check_mask, check_picks, is_mask
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.to import host_array, to_device
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import broadcast_sizes, contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh

# -- reading ------------------------------------------------------------------------------------------------------


class Kept(list[Any]):
    """The tensors of indices, kept for the backward pass with the versions that they had."""

    def __init__(self, picks: Sequence[Tensor | None]) -> None:
        super().__init__(picks)
        self.saved = [None if pick is None else Saved(pick) for pick in picks]

    def unpack(self, c: Any) -> Picks:
        """The tensors, if none was written to since."""
        if c.freed:
            raise RuntimeError(FREED)
        return [None if one is None else one.unpack(c) for one in self.saved]


def _picked(g: Any, c: Any) -> Any:
    """The gradient of picking: each element's goes back to its place, added up where it was picked twice."""
    zeros = g.new_zeros(c.input_face.size)
    return place(zeros, c.picks.unpack(c), g, accumulate=True, rule=_ADDED)


_INDEX = Rule("IndexBackward0", input=_picked)


def pick(input: Tensor, picks: Sequence[Tensor | None]) -> Tensor:
    """A copy of the elements that the tensors name.

    Raises:
        IndexError: for an index out of range, a mask or tensors whose sizes do not fit.
    """
    if not wants_grad(input):
        return _gathered(input, picks)
    kept = Kept(picks)
    return recorded_call(  # type: ignore[no-any-return]
        _INDEX, "index", {"input": input, "picks": kept}, lambda: _gathered(input, picks), "copy"
    )


def _gathered(input: Tensor, picks: Sequence[Tensor | None]) -> Tensor:
    check_picks(input, picks)
    if is_on_device(input):
        return on_device.picked(input, picks)
    plan = Plan(input._lay(), picks)
    stride = plan.stride()
    where = input._device
    if where == META or 0 in plan.size:
        return empty_strided(plan.size, stride, input._dtype, where)
    plan.check_bounds()
    whole = host_array(input)
    values = _values(whole.transpose(plan.order), plan)
    if tracing.active:
        tracing.copied(values.nbytes)
    if where == CPU and stride == contiguous_stride(plan.size):
        return fresh(numpy.ascontiguousarray(values), input._dtype)
    out = empty_strided(plan.size, stride, input._dtype, CPU)
    numpy.copyto(out._nd(), values)
    return to_device(out, where)


def take_rows(source: Array, places: Array, axis: int) -> Array:
    """The elements at the places along one axis, contiguous; the places are checked already.

    ``take`` copies row by row, where square brackets go element by element. But it first copies the whole of a
    source that is not contiguous: too much when only a part is needed, and an expanded source can be huge.
    """
    if source.flags.c_contiguous or places.size >= source.shape[axis]:
        return numpy.take(source, places, axis=axis)
    return numpy.ascontiguousarray(source[(slice(None),) * axis + (places,)])


def _values(source: Array, plan: Plan) -> Array:
    if plan.mask is None and len(plan.arrays) == 1:
        return take_rows(source, plan.arrays[0], plan.before)
    taken = None if plan.mask is None else mask_compiled.chosen(source, plan.mask)
    if taken is not None:
        return taken
    return source[plan.key()]  # type: ignore[no-any-return]


# -- writing ------------------------------------------------------------------------------------------------------


def _as_fill(input: Tensor, picks: Sequence[Tensor | None], value: Tensor) -> Tensor | None:
    """The one mask of a key to which one number is written: that is filling, which converts the number."""
    if value.numel() != 1 or value._device != CPU:
        return None
    mask: Tensor | None = None
    used = missing = 0
    for pick in picks:
        if pick is None:
            used += 1
        elif mask is not None or not is_mask(pick) or pick._device != input._device:
            return None
        else:
            mask = pick
            check_mask(input._lay(), pick, used)
            used += pick.dim()
            missing = input.dim() - used
    if mask is None:
        return None
    lay = mask._lay()
    return mask._view(Layout(lay.size + (1,) * missing, lay.stride + (0,) * missing, lay.offset))


def _checked_target(input: Tensor, picks: Sequence[Tensor | None]) -> None:
    if len(picks) > input.dim():
        raise IndexError(f"too many indices for tensor of dimension {input.dim()} (got {len(picks)})")
    if input._lay().has_internal_overlap() == "yes":
        warn(
            "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            "operation. This also applies to advanced indexing e.g. tensor[indices] = tensor"
        )


def _put(input: Tensor, picks: Sequence[Tensor | None], values: Tensor, accumulate: bool) -> None:
    """Write values where the tensors point; everything is checked before the first is written."""
    _checked_target(input, picks)
    mask = None if accumulate else _as_fill(input, picks, values)
    if mask is not None:
        replace(input, mask, host_array(values).reshape(-1)[0].item())
        return
    refuse_shared(input, values)
    for pick in picks:
        if pick is not None:
            refuse_shared(input, pick)
    check_picks(input, picks)
    if is_on_device(input):
        _put_on_device(input, picks, values, accumulate)
        return
    plan = Plan(input._lay(), picks)
    _check_values(input, values, plan.size)
    if input._dtype in LIMITED:
        raise missing_kernel("index_put", input._dtype.label)
    if 0 in plan.size or input._device == META:
        return
    plan.check_bounds()
    _store(input._nd().transpose(plan.order), plan, host_array(values), accumulate)


def _put_on_device(input: Tensor, picks: Sequence[Tensor | None], values: Tensor, accumulate: bool) -> None:
    def check(size: tuple[int, ...]) -> None:
        _check_values(input, values, size)
        if input._dtype in LIMITED:
            raise missing_kernel("index_put", input._dtype.label)

    on_device.put(input, picks, values, accumulate, check)


def _check_values(input: Tensor, values: Tensor, size: tuple[int, ...]) -> None:
    have = values._lay().size
    extra = len(size) - len(have)
    if extra < 0 or any(n not in (1, size[extra + d]) for d, n in enumerate(have)):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(have)} cannot be broadcast to indexing result of shape "
            f"{list(size)}"
        )
    if values._dtype is not input._dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{input._dtype.label} for the destination and {values._dtype.label} for the source."
        )
    if values._device != input._device and values.dim():
        raise two_devices(input._device, values._device)


def add_rows(target: Array, places: Array, values: Array) -> None:
    """Add a row of values to the row that each index names, one after the other."""
    if parallel.add_rows(target, places, values):
        return
    if target[:1].size < ADDED_BY_ROWS or target.ndim < 2:
        kernels.quiet(numpy.add.at, target, places, values)
        return
    rows = values.reshape(-1, *target.shape[1:])
    for nr, place in enumerate(places.reshape(-1).tolist()):
        row = target[place]
        kernels.quiet(numpy.add, row, rows[nr], row)


def _store(target: Array, plan: Plan, values: Array, accumulate: bool) -> None:
    key = plan.key()
    if not accumulate:
        target[key] = values
        if tracing.active:
            tracing.copied(target.itemsize * Layout(plan.size, plan.size).numel)
    elif plan.mask is not None:
        target[key] = kernels.quiet(numpy.add, target[key], values)
    elif len(plan.arrays) == 1 and not plan.before and target.ndim > 1:
        add_rows(target, plan.arrays[0], numpy.broadcast_to(values, plan.size))
    else:
        kernels.quiet(numpy.add.at, target, key, values)


def replace(input: Tensor, mask: Tensor, value: Any) -> None:
    """Write one number where a mask is true, which broadcasts to the tensor.

    Raises:
        RuntimeError: for another mask, and when the dtype cannot hold the number.
    """
    if mask._dtype is not dtypes.bool:
        named = cpp_name(mask._dtype)
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {named}")
    if input._lay().has_internal_overlap() == "yes":
        warn(
            "Use of masked_fill_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            "operation. This also applies to advanced indexing e.g. tensor[mask] = scalar"
        )
    check_overlap(input, mask)
    own = input._lay().size
    size = broadcast_sizes(own, mask._lay().size)
    if size != own:
        raise RuntimeError(f"output with shape {list(own)} doesn't match the broadcast shape {list(size)}")
    if input._dtype in LIMITED:
        raise missing_kernel("masked_fill", input._dtype.label)
    one = empty_strided((), (), input._dtype, CPU)
    write_number(one, value, narrow=True)
    if input._device == META:
        return
    if is_on_device(input):
        copy_into(input, where(mask, one, input))
        return
    target, truths = input._nd(), host_array(mask)
    if not mask_compiled.fill(target, truths, one._nd()):
        kernels.quiet(numpy.copyto, target, one._nd(), where=truths)


def _left(g: Any, c: Any) -> Any:
    """The gradient of what was written over: none where something was written."""
    if c.accumulate:
        return g
    picks = c.picks.unpack(c)
    if any(pick is None for pick in picks):
        return place(g.clone(), picks, g.new_zeros(()), accumulate=False)
    return index_put(g, picks, g.new_zeros(()))


def _right(g: Any, c: Any) -> Any:
    return pick(g, c.picks.unpack(c))


_INDEX_PUT = Rule("IndexPutBackward0", input=_left, values=_right)
_ADDED = Rule("IndexPutImplBackward0", input=_left, values=_right)  # as PyTorch names it in a derivative


def place(
    input: Tensor,
    picks: Sequence[Tensor | None],
    values: Tensor,
    *,
    accumulate: bool,
    rule: Rule = _INDEX_PUT,
) -> Tensor:
    """Write values into a tensor at the places that the tensors name: what ``t[indices] = values`` comes to."""

    def body() -> Tensor:
        _put(input, picks, values, accumulate)
        input._bump()
        return input

    if not wants_grad(input) and not wants_grad(values):
        return body()
    arguments = {"input": input, "values": values, "picks": Kept(picks), "accumulate": accumulate}
    return recorded_call(rule, "index_put_", arguments, body, "inplace")  # type: ignore[no-any-return]


def trimmed(value: Tensor) -> Tensor:
    """A value without its leading dimensions of size 1."""
    size = value._lay().size
    extra = 0
    while extra < len(size) and size[extra] == 1:
        extra += 1
    if not extra:
        return value
    if wants_grad(value):
        return value.view(size[extra:])
    lay = value._lay()
    return value._view(Layout(size[extra:], lay.stride[extra:], lay.offset))


# -- the functions ------------------------------------------------------------------------------------------------


def _checked_indices(name: str, indices: Any) -> list[Tensor]:
    if not isinstance(indices, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'indices' (position 1) must be tuple of Tensors, not {type_name(indices)}"
        )
    for nr, part in enumerate(indices):
        if not isinstance(part, Tensor):
            raise TypeError(f"expected Tensor as element {nr} in argument 0, but got {type_name(part)}")
    return list(indices)


def _refuse_none(input: Tensor, picks: Sequence[Tensor], values: Tensor) -> None:
    """PyTorch looks at the size of the values before it misses the indices."""
    if not picks:
        _checked_target(input, picks)
        _check_values(input, values, input._lay().size)
        raise RuntimeError("sym_strides() called on an undefined Tensor")


@op(strict=True, kind="inplace", function=False)
def index_put_(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    """Write values where tensors of indices point: ``t[indices] = values``; or add them to what is there.

    Args:
        indices: a tuple of tensors: int64 or int32 indices, or masks.
        values: a tensor of the same dtype that broadcasts to the elements picked.
        accumulate: whether to add, so that an element named twice gets both values.

    Raises:
        IndexError: for an index out of range. RuntimeError: when size or dtype of the values does not fit.

    >>> tk.zeros(3).index_put_((tk.tensor([0, 2, 0]),), tk.tensor([1.0, 2.0, 3.0]), accumulate=True)
    tensor([4., 0., 2.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html
    """
    return _put_checked("index_put_", input, indices, values, accumulate)


def _put_checked(name: str, input: Tensor, indices: Any, values: Any, accumulate: bool) -> Tensor:
    picks = _checked_indices(name, indices)
    if not isinstance(values, Tensor):
        raise TypeError(f"{name}(): argument 'values' (position 2) must be Tensor, not {type_name(values)}")
    _refuse_none(input, picks, values)
    return place(input, picks, values, accumulate=accumulate)


@op(strict=True, kind="copy")
@takes("(Tensor input, tuple of Tensors indices, Tensor values, bool accumulate = False)")
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with values written where tensors of indices point; see `index_put_`.

    >>> tk.index_put(tk.zeros(3), (tk.tensor([1]),), tk.tensor(5.0))
    tensor([0., 5., 0.])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html
    """
    picks = _checked_indices("index_put", indices)
    arguments = {"input": input, "values": values, "picks": Kept(picks), "accumulate": accumulate}

    def body() -> Tensor:
        if not isinstance(values, Tensor):
            raise TypeError(
                f"index_put(): argument 'values' (position 2) must be Tensor, not {type_name(values)}"
            )
        _refuse_none(input, picks, values)
        out = empty_strided(input._lay().size, like_strides(input._lay()), input._dtype, input._device)
        copy_into(out, input)
        _put(out, picks, values, accumulate)
        return out

    if not wants_grad(input) and not wants_grad(values):
        return body()
    return recorded_call(_INDEX_PUT, "index_put", arguments, body, "copy")  # type: ignore[no-any-return]
