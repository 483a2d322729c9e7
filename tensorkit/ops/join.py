"""Several tensors made into one: cat, stack and their kin.

The results are copies, of the dtype that all operands promote to. A derivative has one edge for each tensor of the
list, so its rule is made for as many as a call gives (`_rule_for`).

Source: dtypes, strides, sentences and node names are PyTorch 2.13's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit import layout as layouts
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch import op, recorded_call, registry, sample, wants_grad
from tensorkit.dtypes import dtype
from tensorkit.elementwise import check_devices, check_overlap, check_writable, empty_strided, resize_out
from tensorkit.kernels import cpu as kernels
from tensorkit.layout import Layout
from tensorkit.ops.convert import copy_into, same_place
from tensorkit.tensor import Array, Tensor

__all__ = ["as_dim", "as_tensors", "cat", "stack"]


# -- arguments ----------------------------------------------------------------------------------------------------


def as_tensors(value: Any, name: str) -> tuple[Tensor, ...]:
    """A tuple or list of tensors, given as the first argument.

    Raises:
        TypeError: for anything else, in PyTorch's words.
    """
    if type(value) is not tuple and not isinstance(value, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(value).__name__}"
        )
    for place, tensor in enumerate(value):
        if not isinstance(tensor, Tensor):
            kind = type(tensor).__name__
            if place == 0 and not isinstance(tensor, (int, float, complex)) and tensor is not None:
                raise TypeError(
                    f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {kind}"
                )
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {kind}")
    return tuple(value)


def as_dim(dim: Any, name: str) -> int:
    """A dimension as an int; TypeError, put into PyTorch's words by whoever called, for what is none."""
    if type(dim) is int:
        return dim
    if isinstance(dim, bool):
        raise TypeError(f"{name}(): argument 'dim' must be int, not bool")
    return int(dim.__index__())


# -- recording a list of tensors ----------------------------------------------------------------------------------


def _part(g: Any, c: Any, place: int) -> Any:
    """The gradient where the tensor at `place` was put; none of it for one that was passed over."""
    start, length = c.parts[place]
    return g.new_zeros(0) if length is None else g.narrow(c.dim, start, length)


def _layer(g: Any, c: Any, place: int) -> Any:
    return g.select(c.dim, place)


@functools.cache
def _rule_for(node: str, formula: Callable[[Any, Any, int], Any], count: int) -> Rule:
    """The rule of a call with so many tensors."""
    if formula is _part:
        return Rule(node, **{f"t{i}": lambda g, c, i=i: _part(g, c, i) for i in range(count)})
    return Rule(node, **{f"t{i}": lambda g, c, i=i: _layer(g, c, i) for i in range(count)})


def _recorded(
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
    return dim if first is None else layouts.normalise_dim(dim, len(first))


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


def _joined_stride(tensors: Sequence[Tensor], size: tuple[int, ...]) -> tuple[int, ...]:
    if len(size) not in (4, 5) or not all(_channels_last(t._lay()) for t in tensors):
        return layouts.contiguous_stride(size)
    moved = layouts.contiguous_stride((size[0], *size[2:], size[1]))
    return (moved[0], moved[-1], *moved[1:-1])


def _check_out(out: Any, kind: dtype, name: str) -> None:
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if not dtypes.can_cast(kind, out._dtype):
        raise TypeError(
            f"torch.cat(): input types can't be cast to the desired output type {out._dtype.label}"
        )


def _check_memory(out: Tensor, tensors: Sequence[Tensor]) -> None:
    """Refuse an `out` that shares memory with an operand, or is one: its elements would be lost half way."""
    check_writable(out)
    for tensor in tensors:
        if tensor is out or (same_place(out, tensor) and out._lay().is_non_overlapping_and_dense()):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                "single memory location. Please clone() the tensor before performing the operation."
            )
        check_overlap(out, tensor)


def concatenate_arrays(arrays: Sequence[Array], dim: int, out: Array) -> None:
    """Write arrays, converted, one after the other into `out`: the kernel."""
    kernels.quiet(numpy.concatenate, arrays, dim, out, casting="unsafe")


def _write_parts(tensors: Sequence[Tensor], dim: int, out: Tensor) -> None:
    parts = [t for t in tensors if not _passed_over(t._lay().size)]
    if out._device.type == "cpu":
        if parts:
            concatenate_arrays([t._nd() for t in parts], dim, out._nd())
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


def _cat(
    tensors: tuple[Tensor, ...], dim: int, sizes: Sequence[tuple[int, ...]], out: Any, name: str
) -> Tensor:
    kind = tensors[0]._dtype
    if any(t._dtype is not kind for t in tensors):
        kind = functools.reduce(dtypes.promote_types, [t._dtype for t in tensors])
    if out is not None:
        _check_out(out, kind, name)
    size = _joined_size(sizes, dim)
    where = check_devices(tensors)
    stride = _joined_stride(tensors, size)
    if out is None:
        out = empty_strided(size, stride, kind, where)
    else:
        resize_out(out, size, stride)
        _check_memory(out, tensors)
        out._bump()
    if where != META:
        _write_parts(tensors, dim, out)
    return out  # type: ignore[no-any-return]


@op(
    samples=(
        sample("tk.cat((a, b))", a=(2, 3), b=(1, 3)),
        sample("tk.cat([a, b, a], 1)", a=(2, 3), b=(2, 1)),
        sample("tk.cat([a, b], dim=-1)", a=(2, 2, 2), b=(2, 2, 1)),
        sample("tk.concat((a,), dim=0)", a=(2, 3)),
        sample("tk.concatenate((a, b))", a=(3,), b=(0,)),
        sample("tk.cat((b, a, b), 1)", a=(2, 3), b=(0,)),
        sample("tk.cat([a, b])", a=(2, 3), b=(2, 4)),
        sample("tk.cat([a, b])", a=(2, 3), b=(3,)),
        sample("tk.cat([a, b], 2)", a=(2, 3), b=(2, 3)),
        sample("tk.cat([a, b])", a=(2,), b=()),
        sample("tk.cat((a, b), out=a.new_empty(0))", a=(2,), b=(3,)),
        sample("tk.cat((a, a), 1, out=b)", a=(2, 2), b=(3,)),
        sample("tk.cat((a, 1))", a=(2,)),
        sample("tk.cat(a)", a=(2,)),
        sample("tk.cat([])"),
    ),
    kind="copy",
    aliases=("concat", "concatenate"),
    methods=(),
)
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

    >>> import tensorkit as tk
    >>> tk.cat([tk.zeros(1, 2), tk.ones(2, 2)])
    tensor([[0., 0.],
            [1., 1.],
            [1., 1.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.cat.html
    """
    given = as_tensors(tensors, "cat")
    if not given:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    sizes = [t._lay().size for t in given]
    along = _wrapped(dim, sizes)
    if not any(map(wants_grad, given)) and not wants_grad(out):
        return _cat(given, along, sizes, out, "cat")
    rest = {"dim": along, "parts": _parts_or_none(sizes, along), "out": out}
    rule = _rule_for("CatBackward0", _part, len(given))
    return _recorded("cat", rule, given, rest, lambda: _cat(given, along, sizes, out, "cat"))


def _parts_or_none(sizes: Sequence[tuple[int, ...]], dim: int) -> Any:
    """`_parts`; nothing where the sizes do not fit, which is said when the operation runs."""
    return _parts(sizes, dim) if all(_passed_over(s) or len(s) > dim for s in sizes) else None


# -- one beside the other, in a new dimension ---------------------------------------------------------------------


def _stack(tensors: tuple[Tensor, ...], dim: int, out: Any) -> Tensor:
    size = tensors[0]._lay().size
    if isinstance(out, Tensor):
        resize_out(out, (*size[:dim], len(tensors), *size[dim:]))
    pieces = tuple([t._view(t._lay().unsqueeze(dim)) for t in tensors])
    return _cat(pieces, dim, [(*size[:dim], 1, *size[dim:])] * len(pieces), out, "stack")


def _check_stackable(tensors: Sequence[Tensor]) -> None:
    first = tensors[0]._lay().size
    for place, tensor in enumerate(tensors):
        if tensor._lay().size != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(tensor._lay().size)} at entry {place}"
            )


@op(
    samples=(
        sample("tk.stack((a, b))", a=(2, 3), b=(2, 3)),
        sample("tk.stack([a, b, a], 1)", a=(2, 3), b=(2, 3)),
        sample("tk.stack([a, b], dim=-1)", a=(2, 3), b=(2, 3)),
        sample("tk.stack([a, a])", a=()),
        sample("tk.stack([a, b], 3)", a=(2, 3), b=(2, 3)),
        sample("tk.stack([a, b])", a=(2, 3), b=(3,)),
        sample("tk.stack((a, b), out=a.new_empty(0))", a=(2,), b=(2,)),
        sample("tk.stack((a, a), out=b)", a=(2,), b=(2, 2)),
        sample("tk.stack((a, None))", a=(2,)),
        sample("tk.stack([])"),
    ),
    kind="copy",
    methods=(),
)
def stack(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Put tensors of one size beside one another, along a new dimension at place `dim`.

    Raises:
        RuntimeError: when two sizes differ, or there is no tensor.

    >>> import tensorkit as tk
    >>> tk.stack([tk.tensor([1, 2]), tk.tensor([3, 4])], dim=1)
    tensor([[1, 3],
            [2, 4]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.stack.html
    """
    given = as_tensors(tensors, "stack")
    if not given:
        raise RuntimeError("stack expects a non-empty TensorList")
    along = layouts.normalise_dim(as_dim(dim, "stack"), given[0].dim() + 1)
    _check_stackable(given)
    if not any(map(wants_grad, given)) and not wants_grad(out):
        return _stack(given, along, out)
    rest = {"dim": along, "out": out}
    rule = _rule_for("StackBackward0", _layer, len(given))
    return _recorded("stack", rule, given, rest, lambda: _stack(given, along, out))


def _note_derivatives() -> None:
    """The registry shows the rules of two operands: those of more are alike."""
    registry["cat"].derivative = _rule_for("CatBackward0", _part, 2)
    registry["stack"].derivative = _rule_for("StackBackward0", _layer, 2)


_note_derivatives()
