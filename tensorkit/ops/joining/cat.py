"""Several tensors made into one: cat, stack and their kin.

The results are copies, of the dtype that all operands promote to. A derivative has one edge for each tensor of the
list, so its rule is made for as many as a call gives (`rule_for`).

Source: dtypes, strides, sentences and node names are PyTorch 2.13's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import recorded_call, wants_grad
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import check_writable, empty_strided, refuse_shared, resize_out
from tensorkit.elementwise.promotion import check_devices
from tensorkit.kernels.cpu import elementwise as kernels
from tensorkit.kernels.sizes import FEW_ARRAYS, LARGE
from tensorkit.ops.shared.copy import copy_into
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import contiguous_stride, normalise_dim
from tensorkit.tensor import Array, Tensor

# -- arguments ----------------------------------------------------------------------------------------------------


def as_tensors(value: Any, name: str) -> tuple[Tensor, ...]:
    """A tuple or list of tensors, given as the first argument.

    Raises:
        TypeError: for anything else, in PyTorch's words.
    """
    if type(value) is not tuple and not isinstance(value, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type_name(value)}"
        )
    for place, tensor in enumerate(value):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type_name(tensor)}")
    return tuple(value)


def as_dim(dim: Any, name: str) -> int:
    """A dimension as an int; TypeError for anything else, which the caller puts into PyTorch's words."""
    if type(dim) is int:
        return dim
    if isinstance(dim, bool):
        raise TypeError(f"{name}(): argument 'dim' must be int, not bool")
    return int(dim.__index__())


# -- recording a list of tensors ----------------------------------------------------------------------------------


def part_of(g: Any, c: Any, place: int) -> Any:
    """The gradient where the tensor at `place` was put; none of it for one that was passed over."""
    start, length = c.parts[place]
    return g.new_zeros(0) if length is None else g.narrow(c.dim, start, length)


def layer_of(g: Any, c: Any, place: int) -> Any:
    return g.select(c.dim, place)


@functools.cache
def rule_for(node: str, formula: Callable[[Any, Any, int], Any], count: int) -> Rule:
    """The rule of a call with this many tensors."""
    formulas: dict[str, Any]
    if formula is part_of:
        formulas = {f"t{i}": lambda g, c, i=i: part_of(g, c, i) for i in range(count)}
    else:
        formulas = {f"t{i}": lambda g, c, i=i: layer_of(g, c, i) for i in range(count)}
    return Rule(node, **formulas)


def recorded(
    name: str, rule: Rule, tensors: tuple[Tensor, ...], rest: dict[str, Any], body: Callable[[], Tensor]
) -> Tensor:
    arguments = {f"t{i}": tensor for i, tensor in enumerate(tensors)} | rest
    return recorded_call(rule, name, arguments, body, "copy")  # type: ignore[no-any-return]


# -- one after the other ------------------------------------------------------------------------------------------


def _passed_over(size: tuple[int, ...]) -> bool:
    """Old code starts from ``torch.Tensor()``: a vector without elements joins anything."""
    return len(size) == 1 and size[0] == 0


def _wrapped(dim: Any, sizes: Sequence[tuple[int, ...]]) -> int:
    dim = as_dim(dim, "cat")
    for place, size in enumerate(sizes):
        if not size:
            raise RuntimeError(f"zero-dimensional tensor (at position {place}) cannot be concatenated")
    first = next((size for size in sizes if not _passed_over(size)), None)
    return dim if first is None else normalise_dim(dim, len(first))


def _joined_size(sizes: Sequence[tuple[int, ...]], dim: int) -> tuple[int, ...]:
    """The size of the result.

    Raises:
        RuntimeError: when two differ elsewhere than in `dim`.
    """
    first: tuple[int, ...] | None = None
    length = 0
    for place, size in enumerate(sizes):
        if _passed_over(size):
            continue
        if first is None:
            first = size
        elif len(size) != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(size)}"
            )
        elif size[:dim] != first[:dim] or size[dim + 1 :] != first[dim + 1 :]:
            wrong = next(d for d in range(len(size)) if d != dim and size[d] != first[d])
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {first[wrong]} but got size "
                f"{size[wrong]} for tensor number {place} in the list."
            )
        length += size[dim]
    return (0,) if first is None else (*first[:dim], length, *first[dim + 1 :])


def _channels_last(lay: Layout) -> bool:
    """Whether strides say that the second dimension, of images or volumes, runs fastest: PyTorch keeps that."""
    size, stride = lay.size, lay.stride
    if len(size) not in (4, 5) or stride[1] == 0:
        return False
    least = 0
    for d in (1, *range(len(size) - 1, 1, -1), 0):
        if size[d] == 0 or stride[d] < least or (d == 0 and least == stride[1]):
            return False
        least = stride[d] * max(size[d], 1)
    return True


def joined_stride(layouts: Sequence[Layout], size: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of what such tensors are joined to."""
    if len(size) not in (4, 5) or not all(map(_channels_last, layouts)):
        return contiguous_stride(size)
    moved = contiguous_stride((size[0], *size[2:], size[1]))
    return (moved[0], moved[-1], *moved[1:-1])


def _check_out(out: Any, kind: dtype, name: str) -> None:
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")
    if not dtypes.can_cast(kind, out._dtype):
        raise TypeError(
            f"tensorkit.cat(): input types can't be cast to the desired output type {out._dtype.label}"
        )


def _check_memory(out: Tensor, tensors: Sequence[Tensor]) -> None:
    """Refuse an `out` that shares memory with an operand, or is one: its elements would be lost half way."""
    check_writable(out)
    for tensor in tensors:
        refuse_shared(out, tensor)


def concatenate_arrays(arrays: Sequence[Array], dim: int, out: Array) -> None:
    """Write arrays, converted, one after the other into `out`: the kernel."""
    if out.size < LARGE or len(arrays) >= FEW_ARRAYS:
        kernels.quiet(numpy.concatenate, arrays, dim, out, casting="unsafe")
        return
    start, before = 0, (slice(None),) * dim
    for array in arrays:
        end = start + array.shape[dim]
        kernels.copy(out[(*before, slice(start, end))], array)
        start = end


def _write_parts(tensors: Sequence[Tensor], dim: int, out: Tensor) -> None:
    parts = [t for t in tensors if not _passed_over(t._lay().size)]
    if out._device.type == "cpu":
        if parts:
            concatenate_arrays([t._nd() for t in parts], dim, out._nd())
            if tracing.active:
                tracing.copied(out.nbytes)
        return
    start, whole = 0, out._lay()
    for part in parts:
        length = part._lay().size[dim]
        copy_into(out._view(whole.narrow(dim, start, length)), part)
        start += length


def _parts(sizes: Sequence[tuple[int, ...]], dim: int) -> list[tuple[int, int | None]]:
    """Where each tensor lies in the result: its start and its length, None where it was passed over."""
    found: list[tuple[int, int | None]] = []
    start = 0
    for size in sizes:
        found.append((start, None if _passed_over(size) else size[dim]))
        start += 0 if _passed_over(size) else size[dim]
    return found


def cat_body(
    tensors: tuple[Tensor, ...],
    dim: int,
    sizes: Sequence[tuple[int, ...]],
    out: Any,
    name: str,
    stride: tuple[int, ...] | None = None,
) -> Tensor:
    kind = tensors[0]._dtype
    if any(t._dtype is not kind for t in tensors):
        kind = functools.reduce(dtypes.promote_types, [t._dtype for t in tensors])
    if out is not None:
        _check_out(out, kind, name)
    size = _joined_size(sizes, dim)
    where = check_devices(tensors)
    if stride is None:
        stride = joined_stride([tensor._lay() for tensor in tensors], size)
    if out is None:
        out = empty_strided(size, stride, kind, where)
    else:
        resize_out(out, size, stride)
        _check_memory(out, tensors)
        out._bump()
    if where != META:
        _write_parts(tensors, dim, out)
    return out  # type: ignore[no-any-return]


@op(kind="copy", aliases=("concat", "concatenate"), methods=())
@shortened("cat")
def cat(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Put tensors one after the other along a dimension; their other sizes must be the same.

    Args:
        tensors: a tuple or list. A vector without elements is passed over, whatever the size of the others.
        dim: the dimension along which they follow one another.
        out: a tensor to write into.

    Returns:
        A new tensor of the dtype that all promote to.

    Raises:
        RuntimeError: when sizes differ elsewhere than in `dim`, or one has no dimension. ValueError: for no tensor.

    >>> tk.cat([tk.zeros(1, 2), tk.ones(2, 2)])
    tensor([[0., 0.],
            [1., 1.],
            [1., 1.]])
    """
    given = as_tensors(tensors, "cat")
    if not given:
        raise ValueError("tensorkit.cat(): expected a non-empty list of Tensors")
    sizes = [t._lay().size for t in given]
    along = _wrapped(dim, sizes)
    if not any(map(wants_grad, given)) and not wants_grad(out):
        return cat_body(given, along, sizes, out, "cat")
    rest = {"dim": along, "parts": _parts_or_none(sizes, along), "out": out}
    rule = rule_for("CatBackward0", part_of, len(given))
    return recorded("cat", rule, given, rest, lambda: cat_body(given, along, sizes, out, "cat"))


def _parts_or_none(sizes: Sequence[tuple[int, ...]], dim: int) -> Any:
    """`_parts`; nothing where the sizes do not fit, which is said when the operation runs."""
    return _parts(sizes, dim) if all(_passed_over(s) or len(s) > dim for s in sizes) else None
