"""Square brackets: reading a view, writing through it.

Basic indexing (integers, slices, ``...``, ``None``) makes views; the keys that pick elements one by one (lists, masks,
tensors of indices) copy them, and are followed in `advanced_index`.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy

from tensorkit import tracing
from tensorkit.autograd.graph import Rule, grad_fn_of
from tensorkit.dispatch.recording import call_traced, recorded_call, wants_grad
from tensorkit.dispatch.registry import Op, register
from tensorkit.dispatch.shortcut import shortened
from tensorkit.elementwise.output import check_overlap, check_writable, empty_strided
from tensorkit.errors import within_memory
from tensorkit.kernels.sizes import ROWS_REMEMBERED
from tensorkit.ops.indexing.advanced_index import pick, place, trimmed
from tensorkit.ops.indexing.index_plan import Plain, check_select, follow
from tensorkit.ops.shared.copy import check_negated, copy_into, same_place, warn_complex_to_real
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.type_names import backend_name, type_name
from tensorkit.ops.views.slicing import slice_along
from tensorkit.ops.views.view_reshape import alias
from tensorkit.strides import basic_index
from tensorkit.strides.basic_index import index_int, index_slice
from tensorkit.strides.layout import Layout
from tensorkit.strides.view_cache import keep
from tensorkit.tensor import Tensor, attach


def read(input: Tensor, key: Any) -> Tensor:
    """``t[key]``: a view of what the key selects, or a copy of the elements that it picks.

    Args:
        key: an integer, a slice with a positive step, ``...``, ``None``; a list, mask or tensor of indices, which makes
            a copy; or a tuple of these.

    Raises:
        IndexError: for an index out of range or too many of them. ValueError: for a step that is not positive.

    >>> t = tk.arange(12).view(3, 4)
    >>> t[1:, ::2].stride(), t[1:, ::2].storage_offset()
    ((4, 2), 4)

    Source: https://docs.pytorch.org/docs/stable/tensor_view.html
    """
    if tracing.active:
        return call_traced("__getitem__", _read, (input, key), {})  # type: ignore[no-any-return]
    kind, layout = key.__class__, input._layout
    if wants_grad(input):
        size = (input._lay() if layout is None else layout).size
        if kind is int and size and -size[0] <= key < size[0]:
            return input.select(0, key)
        return _read(input, key)
    if kind is Tensor or kind is list:
        return _read_picked(input, key)
    if layout is None:
        layout = input._lay()
    if kind is int and layout.size and layout.size[0] > ROWS_REMEMBERED:
        return input._view(index_int(layout, key))
    memo = layout._memo
    if memo is None:  # no other layout refers to this one, and it may never be used again
        return input._view(index_slice(layout, key)) if kind is slice else _read(input, key)
    mark = _mark(key) if kind is not tuple else tuple([_mark(part) for part in key])
    found = memo.get((read, mark))
    if found is not None:
        return input._view(found)
    out = _read(input, key)
    if out._base is not None and _can_be_kept(mark):
        keep(layout, (read, mark), out._layout)
    return out


#: The mark of a part of a key that may mean something else the next time.
_NEW: Any = object()


def _mark(part: Any) -> Any:
    """What a part of a key is remembered by."""
    kind = part.__class__
    if kind is int or part is None or part is ...:
        return part
    if kind is slice:
        start, stop, step = part.start, part.stop, part.step
        if (
            (start is None or start.__class__ is int)
            and (stop is None or stop.__class__ is int)
            and (step is None or step.__class__ is int)
        ):
            return slice, start, stop, step
    return _NEW


def _can_be_kept(mark: Any) -> bool:
    return mark is not _NEW and (mark.__class__ is not tuple or _NEW not in mark)


# -- reading ------------------------------------------------------------------------------------------------------


def _layout_for(input: Tensor, key: Any) -> Layout | None:
    """The layout that a plain key selects, None for another; of two reasons to refuse, PyTorch's comes first."""
    try:
        return basic_index.index(input._lay(), key)
    except IndexError as error:
        if isinstance(key, tuple) and not hasattr(key[0], "__index__") and "out of bounds" in str(error):
            # PyTorch has followed the key this far, and refuses a history that cannot be rebuilt.
            grad_fn_of(input)
        raise


@within_memory
def _read(input: Tensor, key: Any) -> Tensor:
    layout = _layout_for(input, key)
    if layout is not None:
        return _read_recorded(input, key) if wants_grad(input) else input._view(layout)
    out, picks = follow(input, key, _Recorded if wants_grad(input) else Plain)
    if picks:
        return pick(out, picks)
    return alias(out) if out is input else out


@shortened("getitem")
def _read_picked(input: Tensor, key: Any) -> Tensor:
    """What a list or a tensor picks."""
    return _read(input, key)


def _read_recorded(input: Any, key: Any) -> Tensor:
    """The same view, made by one operation for each part of the key, as autograd's graph shows it."""
    if isinstance(key, slice):
        return _slice(input, 0, key)  # type: ignore[no-any-return]
    out = _follow(input, key)
    return alias(input) if out is input else out


def _follow(input: Any, key: Any) -> Any:
    """The key's parts one after the other; the tensor itself where they ask for nothing."""
    parts = list(key) if isinstance(key, tuple) else [key]
    used = builtins.sum(part is not None and part is not ... for part in parts)
    out, dim = input, 0
    for part in parts:
        if part is ...:
            dim += input.dim() - used
        elif part is None:
            out = out.unsqueeze(dim)
            dim += 1
        elif isinstance(part, slice):
            if not _is_whole(part, out.size(dim)):
                out = _slice(out, dim, part)
            dim += 1
        else:
            out = out.select(dim, int(part.__index__()))
    return out


def _is_whole(part: slice, length: int) -> bool:
    """Whether a slice plainly says "all": one that only comes down to it is an operation in the graph."""
    return not part.start and (part.stop is None or part.stop >= length) and part.step in (None, 1)


def _slice(input: Tensor, dim: int, part: slice) -> Any:
    """One dimension cut by a Python slice."""
    return slice_along(input, dim, part.start, part.stop, part.step)


class _Recorded:
    """Views made by operations that autograd's graph shows."""

    @staticmethod
    def select(input: Any, dim: int, index: int, at: int) -> Any:
        """One index along a dimension, which the key names at place `at`."""
        check_select(input, dim, index, at)
        return input.select(dim, index)

    @staticmethod
    def unsqueeze(input: Any, dim: int) -> Any:
        """A new dimension of size 1."""
        return input.unsqueeze(dim)

    @staticmethod
    def slice(input: Any, dim: int, part: slice) -> Any:
        """A cut through one dimension."""
        return input if _is_whole(part, input.size(dim)) else _slice(input, dim, part)


def _fit(target: Layout, value: Tensor, name: str) -> Tensor:
    """The value expanded to the target, leading dimensions of size 1 left out of account."""
    size = value._lay().size
    while size and size[0] == 1:
        size = size[1:]
    lay = value._lay()
    extra = len(lay.size) - len(size)
    trimmed = Layout(size, lay.stride[extra:], lay.offset)
    return value._view(trimmed.expand(target.size, name))


def write(input: Tensor, key: Any, value: Any) -> None:
    """``t[key] = value``: write a number or a tensor, broadcast and converted, into what the key selects.

    Raises:
        RuntimeError: when the value does not fit. TypeError: when it is neither number nor tensor.

    >>> t = tk.zeros(2, 3)
    >>> t[0, 1:] = tk.tensor([1, 2])
    >>> t
    tensor([[0., 1., 2.],
            [0., 0., 0.]])
    """
    if tracing.active:
        call_traced("__setitem__", _write, (input, key, value), {})
    else:
        _write_unheard(input, key, value)


@shortened("setitem")
def _write_unheard(input: Tensor, key: Any, value: Any) -> Any:
    _write(input, key, value)


@within_memory
def _write(input: Tensor, key: Any, value: Any) -> None:
    if not isinstance(value, _ASSIGNABLE):
        module = "numpy." if getattr(type(value), "__module__", "") == "numpy" else ""
        raise TypeError(f"can't assign a {module}{type(value).__name__} to a {type_name(input)}")
    number = not isinstance(value, Tensor)
    if number and isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if key is False:  # nothing is selected, and PyTorch looks no further than the number
        if number:
            _as_tensor(value, input)
        return
    recorded = wants_grad(input) or wants_grad(value)
    try:
        layout = _layout_for(input, key)
    except (IndexError, ValueError):
        if number:
            _as_tensor(value, input)  # PyTorch refuses the number before it looks at the key
        raise
    if layout is None and input._bits:
        # Picked elements are written straight to storage, which ignores `_bits`: write to a copy, then copy back.
        whole = input.clone()
        _write(whole, key, value)
        input.copy_(whole)
    elif layout is None:
        _write_picked(input, key, value, recorded)
    elif recorded:
        _write_recorded(_place(input, key), value)
    else:
        _write_view(input._view(layout), value)


_ASSIGNABLE = (Tensor, bool, int, float, complex, numpy.integer)


def _as_tensor(value: Any, like: Tensor) -> Tensor:
    """A number as a 0-d tensor of another's dtype, which must be able to hold it."""
    one = empty_strided((), (), like._dtype, like._device)
    write_number(one, value)
    return one


def _write_picked(input: Tensor, key: Any, value: Any, recorded: bool) -> None:
    source = value if isinstance(value, Tensor) else _as_tensor(value, input)
    out, picks = follow(input, key, _Recorded if recorded else Plain)
    if picks and key is not True:
        place(out, picks, trimmed(source), accumulate=False)
    elif recorded:
        _write_recorded(out, value)
    else:
        _write_view(out, value)


def _write_view(target: Tensor, value: Any) -> None:
    """Write into a view of which no history is kept."""
    if isinstance(value, Tensor):
        same = value._lay().size == target._lay().size
        fitted = value if same else _fit(target._lay(), value, backend_name(value))
        filled = not same and not value._lay().size  # PyTorch fills with what has no dimensions
        if not filled and same_place(target, fitted):
            target._bump()
            return
        check_writable(target)
        if not filled:
            check_overlap(target, fitted, seen=True)
            check_negated(target, fitted)
        warn_complex_to_real(target, fitted)
        copy_into(target, fitted)
    else:
        if target._lay().has_internal_overlap() == "yes":
            _as_tensor(value, target)
        check_writable(target)
        write_number(target, value)
    target._bump()


# Python hands PyTorch the number as a tensor here, so its place in the graph has an edge.
_FILL = Rule(
    "FillBackward3", numbers_count=True, input=lambda g, c: g.new_zeros(g.size()), value=lambda g, c: g.sum()
)


_COPY = Rule(
    "CopyBackwards", numbers_count=True, input=lambda g, c: g.new_zeros(g.size()), value=lambda g, c: g
)


def _write_recorded(target: Any, value: Any) -> None:
    """The same write as an operation on the view, so that autograd can follow both."""
    if not isinstance(value, Tensor):
        rule = _FILL if target.dim() else _COPY

        def body() -> Any:
            check_writable(target)
            return target.fill_(value)

        recorded_call(rule, "fill_", {"input": target, "value": value}, body, "inplace")
    elif value.size() == target.size():
        target.copy_(value)
    elif not value.dim():
        target.fill_(value)
    else:
        target.copy_(_spread(value, target.size()))


def _place(input: Tensor, key: Any) -> Any:
    """Where a write goes: the tensor itself if the key plainly says "all", else a view."""
    if isinstance(key, slice):
        return input if _is_whole(key, input._lay().size[0]) else _read_recorded(input, key)
    return _follow(input, key)


def _spread(value: Any, size: Any) -> Any:
    """A value without its leading dimensions of size 1, expanded to the size of the place."""
    have = value.size()
    while have and have[0] == 1:
        have = have[1:]
    trimmed = value.view(have)
    return trimmed if have == size else trimmed.expand(size)


def _refuse_deletion(input: Tensor, key: Any) -> None:
    raise TypeError("Tensor does not support deleting items")


attach("__getitem__", read)
attach("__setitem__", write)
attach("__delitem__", _refuse_deletion)
register(Op("__getitem__", None, "view", methods=("__getitem__",)))
register(Op("__setitem__", None, "inplace", methods=("__setitem__",)))
