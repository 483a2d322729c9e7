"""Square brackets with lists, masks and tensors of indices: elements picked one by one, and so copied.

A key is followed in two steps. Its plain parts (integers, slices, ``...``, ``None``) make a view; what remains is, for
some of the view's dimensions, a tensor that says which elements to take along it. A mask stands for the tensors of the
places where it is true. These tensors are broadcast together, and their common size takes the place of the dimensions
that they pick from; where those do not lie side by side, it moves to the front.

>>> import tensorkit as tk
>>> t = tk.arange(12).view(3, 4)
>>> t[[2, 0], 1:3]
tensor([[ 9, 10],
        [ 1,  2]])
>>> t[t > 8]
tensor([ 9, 10, 11])

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html and PyTorch's own answers.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.autograd.graph import FREED, Rule, Saved
from tensorkit.device import CPU, META
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import recorded_call, wants_grad
from tensorkit.dispatch.registry import sample
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.output import check_overlap, empty_strided, refuse_shared
from tensorkit.errors import DeviceMismatchError, warn
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.cpu import mask_compiled, parallel
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.tensor_data import dtype_of, tensor
from tensorkit.ops.shared.to import host_array, to_device
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.strides import basic_index
from tensorkit.strides import layout as layouts
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import iterator_strides, like_strides
from tensorkit.strides.sizes import broadcast_sizes, contiguous_stride
from tensorkit.tensor import Array, Tensor, fresh

__all__ = [
    "Kept",
    "Plain",
    "add_rows",
    "check_select",
    "follow",
    "index_put",
    "pick",
    "place",
    "replace",
    "trimmed",
]

#: What a list in a key becomes, where all that is in it is of this dtype; else it is int64.
_CHOOSING = (dtypes.bool, dtypes.uint8)
_TYPES = "tensors used as indices must be long, int, byte or bool tensors"
Picks = list[Tensor | None]


# -- the key ------------------------------------------------------------------------------------------------------


def _parts(key: Any) -> tuple[Any, ...]:
    """The key as a tuple. A row that cannot be one tensor of indices counts as one, with PyTorch's warning."""
    if isinstance(key, tuple):
        return key
    if not isinstance(key, (Tensor, numpy.ndarray)) and _is_sequence(key):
        members = _members(key)
        for part in members:
            if part is None or part is ... or isinstance(part, (Tensor, slice)) or _is_sequence(part):
                warn(
                    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
                    "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
                    "tensor index, x[tensorkit.tensor(seq)], which will result either in an error or a different result"
                )
                return members
    return (key,)


def _members(key: Any) -> tuple[Any, ...]:
    """Those of a short row; of one that cannot be gone through by numbers, none."""
    try:
        count = len(key)
        return tuple([key[place] for place in range(count)]) if count < 32 else ()
    except Exception:
        return ()


def _is_sequence(part: Any) -> bool:
    return hasattr(type(part), "__getitem__") and not isinstance(part, (dict, numpy.generic))


def _is_mask(pick: Tensor) -> bool:
    return pick._dtype is dtypes.bool or pick._dtype is dtypes.uint8


def _used(parts: tuple[Any, ...]) -> int:
    """How many dimensions a key speaks of."""
    count = 0
    for part in parts:
        if isinstance(part, Tensor) and _is_mask(part):
            count += part.dim()
        elif part is not None and part is not ... and part is not True and part is not False:
            count += 1
    return count


def _indices(part: Any) -> Tensor:
    """A list, a range, an array: as a tensor of indices, or of truth values."""
    kinds = set(map(type, part)) if isinstance(part, (list, tuple, range)) else set()
    if kinds == {int}:
        try:
            return fresh(numpy.array(part, numpy.int64), dtypes.int64)
        except OverflowError:
            raise ValueError("Overflow when unpacking long long") from None
    if kinds == {bool}:
        return fresh(numpy.array(part, numpy.bool_), dtypes.bool)
    plain = isinstance(part, numpy.ndarray) and part.dtype.kind in "biuf"
    if plain:
        array = part
    else:  # what is in it has to be integers, and truth values where all are: Python is asked for each
        inferred = dtype_of(part)
        array = tensor(part, dtype=inferred if inferred in _CHOOSING else dtypes.int64)._nd()
    kind = {"b": dtypes.bool, "u1": dtypes.uint8}.get(
        array.dtype.kind if array.dtype.kind == "b" else array.dtype.str[1:], dtypes.int64
    )
    return fresh(kernels.cast(numpy.asarray(array, order="C"), kind), kind)


def _classified(part: Any) -> Any:
    """One part of a key as an int, a bool, a slice, ``...``, ``None`` or a tensor of indices.

    Raises:
        IndexError: for what cannot be part of a key.
    """
    if part is None or part is ... or isinstance(part, (bool, slice)):
        return part
    if isinstance(part, (int, numpy.integer)):
        return int(part)
    if not isinstance(part, Tensor):
        if not _is_sequence(part):
            return _number(part)
        part = _indices(part)
    if part.dim() or part._dtype.category > 1:
        return part
    value = host_array(part)[()]
    return bool(value) if _is_mask(part) else int(value)


def _number(part: Any) -> int:
    try:
        return operator.index(part)
    except TypeError:
        package = getattr(type(part), "__module__", "").partition(".")[0]
        label = f"{package + '.' if package in ('numpy', 'tensorkit') else ''}{type(part).__name__}"
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        f"(got {label})"
    )


def follow(input: Tensor, key: Any, steps: Any) -> tuple[Any, Picks]:
    """The view that a key's plain parts make, and for its dimensions the tensors that pick from them.

    Args:
        steps: how to make views: `Plain`, or with a history.

    Raises:
        IndexError: for too many indices, for an integer out of range, for what cannot be part of a key.
    """
    parts = _parts(key)
    used, ndim = _used(parts), input.dim()
    if used > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    out: Any = input
    picks: Picks = []
    dim = covered = 0  # the dimension reached, and how many of those before it the picks speak of
    for at, given in enumerate(parts):
        part = _classified(given)
        if type(part) is int:
            out = steps.select(out, dim, part, at)
            continue
        if part is None or isinstance(part, bool):
            out = steps.unsqueeze(out, dim)
        if isinstance(part, bool):
            part = fresh(numpy.zeros(int(part), int), dtypes.int64)
        if isinstance(part, slice):
            out = steps.slice(out, dim, part)
        if isinstance(part, Tensor):
            picks += [*[None] * (dim - covered), part]
            dim += part.dim() if _is_mask(part) else 1
            covered = dim
        else:
            dim += ndim - used if part is ... else 1
    return out, picks + [None] * (dim - covered if picks else 0)


class Plain:
    """Views made by arithmetic on layouts, without a history."""

    @staticmethod
    def select(input: Tensor, dim: int, index: int, at: int) -> Tensor:
        """One index along a dimension; `at` is its place in the key, which PyTorch takes for the dimension."""
        check_select(input, dim, index, at)
        return input._view(input._lay().select(dim, index))

    @staticmethod
    def unsqueeze(input: Tensor, dim: int) -> Tensor:
        """A new dimension of size 1."""
        return input._view(input._lay().unsqueeze(dim))

    @staticmethod
    def slice(input: Tensor, dim: int, part: slice) -> Tensor:
        """A cut through one dimension."""
        if part == _WHOLE:
            return input
        layout = basic_index.index(input._lay(), (*[_WHOLE] * dim, part))
        assert layout is not None
        return input._view(layout)


_WHOLE = slice(None)


def check_select(input: Tensor, dim: int, index: int, at: int) -> None:
    """Refuse an index out of range, in the words of the square brackets."""
    if not -(2**63) <= index < 2**63:
        raise ValueError("Overflow when unpacking long long")
    n = input._lay().size[dim]
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of bounds for dimension {at} with size {n}")


# -- the plan: which elements, in which order ---------------------------------------------------------------------


_NOTHING = numpy.empty(0, numpy.int64)


class _Plan:
    """What picking comes to: a view with the picked dimensions side by side, and an array of indices for each."""

    __slots__ = (
        "arrays",
        "before",
        "converted",
        "grids",
        "mask",
        "order",
        "shape",
        "size",
        "source",
        "source_size",
    )

    def __init__(self, source: Layout, picks: Sequence[Tensor | None]) -> None:
        self.mask: Array | None = None  # a mask that is the only pick: NumPy reads it faster than its indices
        self.converted: set[int] = set()  # the dimensions whose indices were no int64
        arrays, grids = self._expanded(source, picks)
        try:
            self.shape = broadcast_sizes(*[g.size for g in grids if g is not None])
        except RuntimeError:
            texts = ", ".join(str(list(g.size)) for g in grids if g is not None)
            raise IndexError(
                f"shape mismatch: indexing tensors could not be broadcast together with shapes {texts}"
            ) from None
        places = [d for d, a in enumerate(arrays) if a is not None]
        rest = [d for d in range(len(source.size)) if d not in places]
        self.before = places[0] if places else 0
        if places and places[-1] - places[0] >= len(places):
            self.before = 0
        self.order = [*rest[: self.before], *places, *rest[self.before :]]
        self.source = source.permute(self.order)
        self.arrays: list[Array] = [a for a in arrays if a is not None]
        self.grids: list[Layout] = [self._grid(d, g) for d, g in enumerate(grids) if g is not None]
        end = self.before + len(places)
        self.source_size = self.source.size[self.before : end]
        if 0 in self.source_size and 0 not in self.shape:
            raise IndexError("index is out of bounds for dimension with size 0")
        self.size = (*self.source.size[: self.before], *self.shape, *self.source.size[end:])

    def _expanded(
        self, source: Layout, picks: Sequence[Tensor | None]
    ) -> tuple[list[Array | None], list[Layout | None]]:
        """Masks as the places where they are true; every pick as an array, and how it lies in memory."""
        arrays: list[Array | None] = []
        grids: list[Layout | None] = []
        for pick in picks:
            if pick is None:
                arrays.append(None)
                grids.append(None)
            elif _is_mask(pick):
                if pick._dtype is dtypes.uint8:
                    warn(
                        "indexing with dtype tensorkit.uint8 is now deprecated, please use a dtype tensorkit.bool "
                        "instead."
                    )
                _check_mask(source, pick, len(arrays))
                alone = pick.dim() > 0 and builtins.sum(p is not None for p in picks) == 1
                mask = host_array(pick).astype(bool, copy=False)
                self.mask = mask if alone else None
                arrays += [_NOTHING] * pick.dim() if alone else numpy.nonzero(mask)
                grids += [layouts.contiguous((int(numpy.count_nonzero(mask)),))] * pick.dim()
            else:
                if pick._dtype is not dtypes.int64:
                    self.converted.add(len(arrays))
                arrays.append(kernels.cast(host_array(pick), dtypes.int64))
                grids.append(pick._lay())
        return arrays, grids

    def _grid(self, dim: int, grid: Layout) -> Layout:
        """How indices lie in memory: PyTorch broadcasts them first, and copies those that are no int64 then."""
        if dim not in self.converted:
            return grid
        return Layout(self.shape, like_strides(grid.expand(self.shape)))

    def stride(self) -> tuple[int, ...]:
        """The strides of a fresh result: those that PyTorch's iterator gives it."""
        size, before, source = self.size, self.before, self.source
        flat = (0,) * len(self.shape)
        end = before + len(self.arrays)
        moved = Layout(size, (*source.stride[:before], *flat, *source.stride[end:]))
        after = len(source.size) - end
        grids = [_spread(grid, self.shape, before, after) for grid in self.grids]
        return iterator_strides(size, [moved, *grids])

    def key(self) -> tuple[Any, ...]:
        """The key for NumPy, which copies what it picks."""
        if self.mask is not None:
            return (*[_WHOLE] * self.before, self.mask)
        return (*[_WHOLE] * self.before, *self.arrays)

    def check_bounds(self) -> None:
        """Refuse indices out of range, naming the one that PyTorch meets first.

        Raises:
            IndexError: in PyTorch's words; the dimension is counted among those picked from.
        """
        if 0 in self.size or self.mask is not None:
            return
        for array, n in zip(self.arrays, self.source_size, strict=True):
            if array.size and not (array.min() >= -n and array.max() < n):
                raise self._out_of_bounds()

    def _out_of_bounds(self) -> IndexError:
        """The first bad index in the order of memory, which is that of PyTorch's loop."""
        stride = self.stride()
        block = [stride[self.before + d] for d in range(len(self.shape))]
        order = sorted(range(len(block)), key=lambda d: (-block[d], d))
        found: list[tuple[int, int]] = []
        for nr, (array, n) in enumerate(zip(self.arrays, self.source_size, strict=True)):
            walked = numpy.broadcast_to(array, self.shape).transpose(order).reshape(-1)
            bad = numpy.flatnonzero((walked < -n) | (walked >= n))
            found += [(int(bad[0]), nr)] if bad.size else []
        at, nr = builtins.min(found)
        value = numpy.broadcast_to(self.arrays[nr], self.shape).transpose(order).reshape(-1)[at]
        return IndexError(
            f"index {value} is out of bounds for dimension {nr} with size {self.source_size[nr]}"
        )


def _spread(grid: Layout, shape: tuple[int, ...], before: int, after: int) -> Layout:
    """An index tensor's layout among the dimensions of the result."""
    wide = grid if grid.size == shape else grid.expand(shape)
    size = (1,) * before + shape + (1,) * after
    return wide.reshape(size) or layouts.contiguous(size)


def _check_mask(source: Layout, mask: Tensor, first: int) -> None:
    size = mask._lay().size
    for j, n in enumerate(size):
        if first + j >= len(source.size) or n != source.size[first + j]:
            raise IndexError(
                f"The shape of the mask {list(size)} at index {j} does not match the shape of the indexed tensor "
                f"{list(source.size)} at index {first + j}"
            )


def _check_picks(input: Tensor, picks: Sequence[Tensor | None]) -> None:
    for pick in picks:
        if pick is not None and pick._dtype not in _INDEX_TYPES:
            raise IndexError(_TYPES)
    for pick in picks:
        if pick is not None and pick._device not in (CPU, input._device):
            raise RuntimeError(
                "indices should be either on cpu or on the same device as the indexed tensor "
                f"({input._device.type})"
            )


_INDEX_TYPES = (dtypes.int64, dtypes.int32, dtypes.uint8, dtypes.bool)


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
    _check_picks(input, picks)
    plan = _Plan(input._lay(), picks)
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


def _values(source: Array, plan: _Plan) -> Array:
    if plan.mask is None and len(plan.arrays) == 1:
        # Bounds are checked already; `take` walks along rows, where square brackets would go element by element.
        return numpy.take(source, plan.arrays[0], axis=plan.before)
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
        elif mask is not None or not _is_mask(pick) or pick._device != input._device:
            return None
        else:
            mask = pick
            _check_mask(input._lay(), pick, used)
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
    _check_picks(input, picks)
    plan = _Plan(input._lay(), picks)
    _check_values(input, values, plan.size)
    if input._dtype in LIMITED:
        raise missing_kernel("index_put", input._dtype.label)
    if 0 in plan.size or input._device == META:
        return
    plan.check_bounds()
    host = input if input._device == CPU else to_device(input, CPU)
    _store(host._nd().transpose(plan.order), plan, host_array(values), accumulate)
    if host is not input:
        copy_into(input, host)


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
        raise DeviceMismatchError(
            f"Expected all tensors to be on the same device, but found at least two devices, {input._device} and "
            f"{values._device}!"
        )


_LONG = 32  # a row of so many elements is added faster by itself than element by element


def add_rows(target: Array, places: Array, values: Array) -> None:
    """Add a row of values to the row that each index names, one after the other."""
    if parallel.add_rows(target, places, values):
        return
    if target[:1].size < _LONG or target.ndim < 2:
        kernels.quiet(numpy.add.at, target, places, values)
        return
    rows = values.reshape(-1, *target.shape[1:])
    for nr, place in enumerate(places.reshape(-1).tolist()):
        row = target[place]
        kernels.quiet(numpy.add, row, rows[nr], row)


def _store(target: Array, plan: _Plan, values: Array, accumulate: bool) -> None:
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
    host = input if input._device == CPU else to_device(input, CPU)
    target, truths = host._nd(), host_array(mask)
    if not mask_compiled.fill(target, truths, one._nd()):
        kernels.quiet(numpy.copyto, target, one._nd(), where=truths)
    if host is not input:
        copy_into(input, host)


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


@op(
    strict=True,
    samples=(
        sample("a.index_put_((tk.tensor([0, 1]),), b)", a=(3, 4), b=(4,)),
        sample("a.index_put_((tk.tensor([[0], [-1]]), tk.tensor([1, 2])), b)", a=(3, 4), b=(2, 2)),
        sample("a.index_put_((tk.tensor([1, 1]),), b, True)", a=(3, 4), b=(2, 4)),
        sample("a.index_put_([tk.tensor([True, False, True])], b)", a=(3, 4), b=()),
        sample("a.index_put_((tk.tensor([True, False]),), b, accumulate=True)", a=(3, 4), b=()),
        sample("a.index_put_((tk.tensor([0, 5]),), b)", a=(3, 4), b=(4,)),
        sample("a.index_put_((tk.tensor([0]),) * 3, b)", a=(3, 4), b=()),
        sample("a.index_put_((b,), b)", a=(3, 4), b=(4,)),
        sample("a.index_put_(tk.tensor([0]), b)", a=(3,), b=()),
        sample("a.index_put_((0,), b)", a=(3,), b=()),
        sample("a.index_put_((), tk.ones(5, 7))", a=(3, 4)),
        sample("a.index_put_((tk.tensor([0]),), 1)", a=(3,)),
    ),
    kind="inplace",
    function=False,
)
def index_put_(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    """Write values where tensors of indices point: ``t[indices] = values``; or add them to what is there.

    Args:
        indices: a tuple of tensors: int64 or int32 indices, or masks.
        values: a tensor of the same dtype that broadcasts to the elements picked.
        accumulate: whether to add, so that an element named twice gets both values.

    Raises:
        IndexError: for an index out of range. RuntimeError: when size or dtype of the values does not fit.

    >>> import tensorkit as tk
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


@op(
    strict=True,
    samples=(
        sample("tk.index_put(a, (tk.tensor([0, 1]),), b)", a=(3, 4), b=(4,)),
        sample("tk.index_put(a, (tk.tensor([1, 1]),), b, True)", a=(3, 4), b=(2, 4)),
        sample("a.index_put((tk.tensor([True, False, True]),), b)", a=(3, 4), b=()),
        sample("a.index_put((tk.tensor([0, 5]),), b)", a=(3, 4), b=(4,)),
    ),
    kind="copy",
)
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with values written where tensors of indices point; see `index_put_`.

    >>> import tensorkit as tk
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
