"""The same elements again, or in another order: tile, repeat, roll, flip, rot90. All results are copies.

Source: sizes, strides, sentences and node names are PyTorch 2.13's.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit import dtypes, tracing
from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import CONJ, NEG
from tensorkit.device import CPU, META
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.dispatch.registry import sample
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED
from tensorkit.elementwise.output import empty_strided
from tensorkit.elementwise.plan import brief
from tensorkit.kernels.cpu import parallel
from tensorkit.memory_format import contiguous_format
from tensorkit.ops.complex.conj import _neg_view
from tensorkit.ops.reduction.arguments import axis_of_small
from tensorkit.ops.shared.copy import copy_into, like_input
from tensorkit.ops.shared.int_args import Dims, as_ints
from tensorkit.ops.shared.to import host_array, to_device
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import (
    INT64_MAX,
    check_bytes,
    contiguous_stride,
    normalise_dim,
    overflowed,
)
from tensorkit.tensor import Array, Tensor, attach, fresh

__all__ = [
    "flip",
    "fliplr",
    "flipud",
    "int_list",
    "repeat",
    "repeat_array",
    "repeat_interleave",
    "roll",
    "roll_array",
    "rot90",
    "tile",
]


def int_list(value: Any, name: str, argument: str, position: int, *, one: bool = False) -> tuple[int, ...]:
    """A list of integers; a single one too where `one`.

    Raises:
        TypeError: for anything else, in PyTorch's words.
    """
    if isinstance(value, (tuple, list)):
        for place, part in enumerate(value):
            if (isinstance(part, bool) and not place) or not hasattr(part, "__index__"):
                if place:  # PyTorch looks at the first alone before it takes them all
                    raise TypeError(
                        f"{name}(): argument '{argument}' failed to unpack the object at pos {place + 1} with error "
                        f'"type must be tuple of ints,but got {type_name(part)}"'
                    )
                raise TypeError(
                    f"{name}(): argument '{argument}' (position {position}) must be tuple of ints, but found element "
                    f"of type {type_name(part)} at pos {place}"
                )
        return tuple([int(part.__index__()) for part in value])
    if one and not isinstance(value, bool) and hasattr(value, "__index__"):
        return (int(value.__index__()),)
    raise TypeError(
        f"{name}(): argument '{argument}' (position {position}) must be tuple of ints, not {type_name(value)}"
    )


def _whole(value: Any, name: str, argument: str, position: int) -> int:
    if isinstance(value, (bool, float)) or not hasattr(value, "__index__"):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be int, not {type_name(value)}"
        )
    return int(value.__index__())


def _made(array: Array, like: Tensor) -> Tensor:
    """A new row-major array as a tensor on the device of another."""
    if tracing.active:
        tracing.copied(array.nbytes)
    return to_device(fresh(array, like._dtype), like._device)


# -- again and again ----------------------------------------------------------------------------------------------


def _repeated_size(size: tuple[int, ...], repeats: tuple[int, ...]) -> tuple[int, ...]:
    if len(repeats) < len(size):
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    padded = (1,) * (len(repeats) - len(size)) + size
    target = tuple([n * r for n, r in zip(padded, repeats, strict=True)])
    if max(target, default=0) > INT64_MAX:  # some of which C++ takes for negative numbers
        target = tuple([(n + INT64_MAX + 1) % (2 * INT64_MAX + 2) - INT64_MAX - 1 for n in target])
        if min(target) >= 0:
            raise overflowed(target)
    low = next((n for n in target if n < 0), None)
    if low is not None:
        raise RuntimeError(f"Trying to create tensor with negative dimension {low}: {list(target)}")
    return target


def repeat_array(array: Array, repeats: tuple[int, ...], target: tuple[int, ...]) -> Array:
    """The array side by side with itself, so many times along each dimension: the kernel."""
    check_bytes(target, array.itemsize)
    out = numpy.empty(target, array.dtype)
    if out.size:
        padded = (1,) * (len(repeats) - array.ndim) + array.shape
        blocks = out.reshape([n for pair in zip(repeats, padded, strict=True) for n in pair])
        blocks[...] = array.reshape([n for length in padded for n in (1, length)])
    return out


def _repeat(input: Tensor, repeats: tuple[int, ...]) -> Tensor:
    target = _repeated_size(input._lay().size, repeats)
    if input._device == META:
        return empty_strided(target, contiguous_stride(target), input._dtype, META)
    return _made(repeat_array(host_array(input), repeats, target), input)


def _added_up(g: Any, face: Any, repeats: Any) -> Any:
    """The gradient of `repeat`: all copies of an element together."""
    repeats = as_ints(repeats, "repeat", "repeats")
    if 0 in repeats:
        return g.new_zeros(face.size)
    for _ in range(len(repeats) - len(face.size)):
        g = g.sum(0)
    blocks: list[int] = []
    copies = []
    for many, n in zip(repeats[len(repeats) - len(face.size) :], face.size, strict=True):
        if many != 1:
            copies.append(len(blocks))
            blocks.append(many)
        blocks.append(n)
    return g.reshape(blocks).sum(copies) if copies else g


_REPEATED = Rule("RepeatBackward0", input=lambda g, c: _added_up(g, c.input_face, c.repeats))


@op(
    samples=(
        sample("a.repeat(2, 3)", a=(2, 3)),
        sample("a.repeat((2, 1, 2))", a=(2, 3)),
        sample("a.repeat([1, 1])", a=(2, 3)),
        sample("a.repeat(2, 0)", a=(2, 3)),
        sample("a.repeat(3)", a=()),
        sample("a.repeat(2)", a=(2, 3)),
        sample("a.repeat(2, -1)", a=(2, 3)),
        sample("a.repeat(1.5)", a=(2,)),
        sample("a.repeat()", a=(2,)),
    ),
    kind="copy",
    function=False,
    derivative=_REPEATED,
)
def repeat(input: Tensor, *repeats: Any, **named: Any) -> Tensor:
    """Copies of the tensor side by side, so many times along each dimension; dimensions may be added in front.

    Args:
        repeats: how often, for each dimension of the result.

    Raises:
        RuntimeError: for fewer numbers than the tensor has dimensions.

    >>> import tensorkit as tk
    >>> tk.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.repeat.html
    """
    if list(named) == ["repeats"] and not repeats:
        repeats = (named["repeats"],)
    elif named:
        raise TypeError(f"repeat() got an unexpected keyword argument '{next(iter(named))}'")
    if not repeats:
        raise TypeError('repeat() missing 1 required positional arguments: "repeats"')
    if len(repeats) > 1 and not hasattr(repeats[0], "__index__"):
        raise TypeError(f"repeat() takes 1 positional argument but {len(repeats)} were given")
    return _repeat(input, _counts(repeats))


def _counts(repeats: tuple[Any, ...]) -> tuple[int, ...]:
    """Numbers one by one or as a sequence; a bool inside a sequence counts, as in PyTorch."""
    if len(repeats) == 1 and isinstance(repeats[0], (tuple, list)):
        repeats = tuple([int(r) if isinstance(r, bool) else r for r in repeats[0]])
        if len(repeats) == 1:
            repeats = (repeats,)
    return as_ints(repeats, "repeat", "repeats")


@op(
    samples=(
        sample("tk.tile(a, (2,))", a=(2, 3)),
        sample("tk.tile(a, (2, 1, 2))", a=(2, 3)),
        sample("tk.tile(a, ())", a=(2, 3)),
        sample("a.tile((2, 2))", a=()),
        sample("a.tile(2, 2)", a=(2, 3)),
        sample("a.tile(0)", a=(2, 3)),
        sample("tk.tile(a, 2)", a=(2,)),
        sample("a.tile(-1)", a=(2,)),
        sample("a.tile()", a=(2,)),
    ),
    kind="copy",
    methods=(),
)
def tile(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Copies of the tensor side by side, counted from the last dimension: missing numbers are 1.

    >>> import tensorkit as tk
    >>> tk.tile(tk.tensor([[1, 2], [3, 4]]), (2,))
    tensor([[1, 2, 1, 2],
            [3, 4, 3, 4]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.tile.html
    """
    return _tile(input, int_list(dims, "tile", "dims", 2))


def _tile(input: Any, dims: tuple[int, ...]) -> Tensor:
    return input.repeat((1,) * (input.dim() - len(dims)) + dims)  # type: ignore[no-any-return]


def _listed(dims: tuple[Any, ...], name: str) -> tuple[int, ...]:
    """Dimensions given to a method, one by one or as a sequence."""
    if not dims:
        raise TypeError(f'{name}() missing 1 required positional arguments: "dims"')
    if len(dims) == 1:
        return int_list(dims[0], name, "dims", 1, one=True)
    return int_list(dims, name, "dims", 1)


def _method_tile(input: Tensor, *counts: Any, dims: Any = None) -> Tensor:
    """Copies of the tensor side by side, counted from the last dimension: missing numbers are 1."""
    return _tile(input, _listed(counts if dims is None else (dims,), "tile"))


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
    counts = host_array(repeats)
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    array = numpy.repeat(numpy.arange(counts.size, dtype=counts.dtype), counts)
    if output_size is not None and array.size != output_size:
        raise RuntimeError("allocated size does not match required size")
    return _made(array, repeats)


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


@op(
    strict=True,
    samples=(
        sample("tk.repeat_interleave(a, 2)", a=(2, 3)),
        sample("tk.repeat_interleave(a, 2, 1)", a=(2, 3)),
        sample("a.repeat_interleave(3, dim=-2, output_size=6)", a=(2, 3)),
        sample("a.repeat_interleave(0)", a=(2, 3)),
        sample("tk.repeat_interleave(a, tk.tensor([2, 0]), 0)", a=(2, 3)),
        sample("a.repeat_interleave(tk.tensor([1, 2, 3]), dim=1, output_size=6)", a=(2, 3)),
        sample("a.repeat_interleave(tk.tensor(2))", a=(2, 3)),
        sample("tk.repeat_interleave(a & 7)", a=(3,)),
        sample("tk.repeat_interleave(tk.tensor([1, -1]))"),
        sample("tk.repeat_interleave(tk.ones(2))"),
        sample("tk.repeat_interleave(tk.tensor([1, 0, 2]))"),
        sample("a.repeat_interleave(2, 2)", a=(2, 3)),
        sample("a.repeat_interleave(-1)", a=(2, 3)),
        sample("a.repeat_interleave(tk.tensor([1, 2]))", a=(2, 3)),
        sample("a.repeat_interleave(1.5)", a=(2,)),
        sample("a.repeat_interleave()", a=(2,)),
    ),
    kind="copy",
    methods=(),
)
@takes(
    "(Tensor repeats, *, int output_size = None)",
    "(Tensor input, Tensor repeats, int dim = None, *, int output_size = None)",
    "(Tensor input, int repeats, int dim = None, *, int output_size = None)",
)
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element, or each slice along a dimension, several times in a row.

    Args:
        repeats: how often: a number, or a tensor with one number for each position.
        dim: the dimension; without one the tensor is flattened first.
        output_size: the length that results, if known.

    Returns:
        A new tensor; given only a tensor of numbers, each index as often as its number says.

    >>> import tensorkit as tk
    >>> tk.repeat_interleave(tk.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    >>> tk.tensor([[1, 2], [3, 4]]).repeat_interleave(tk.tensor([1, 2]), dim=0)
    tensor([[1, 2],
            [3, 4],
            [3, 4]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.repeat_interleave.html
    """
    along = None if dim is None else _whole(dim, "repeat_interleave", "dim", 3)
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
        raise TypeError("repeats must be an int or a tensor")  # said in PyTorch's words by whoever called
    return _by_number(input, repeats.__index__(), along, output_size)


# -- moved along, and back to front -------------------------------------------------------------------------------


def roll_array(array: Array, shifts: Sequence[int], dims: Sequence[int]) -> Array:
    """The array with its elements moved along some dimensions, the last ones coming in at the front: the kernel."""
    total = [0] * array.ndim
    for shift, dim in zip(shifts, dims, strict=True):
        total[dim] += shift
    out = numpy.empty(array.shape, array.dtype)
    if not out.size:
        return out
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
    return out


def _back(shifts: Any) -> Any:
    return tuple([-s for s in shifts]) if isinstance(shifts, (tuple, list)) else -shifts


def _some_rolled(input: Tensor, shift: Any, dim: Any) -> Tensor | None:
    """Some hundreds of numbers moved along one dimension; None for the way that others take."""
    array = brief(input)
    axis = None if array is None or tracing.active else axis_of_small(array, dim)
    if array is None or axis is None:
        return None
    n = array.shape[axis]
    return fresh(array.take(_sources(n, shift % n), axis), input._dtype)


@functools.lru_cache(64)
def _sources(n: int, shift: int) -> Array:
    """Which of some elements each comes from when they are moved along."""
    return (numpy.arange(n) - shift) % n


@op(
    strict=True,
    samples=(
        sample("tk.roll(a, 1)", a=(2, 3)),
        sample("tk.roll(a, 1, 0)", a=(2, 3)),
        sample("a.roll((1, -2), (0, 1))", a=(2, 3)),
        sample("a.roll(shifts=(1, 1), dims=(0, 0))", a=(2, 3)),
        sample("a.roll(7, -1)", a=(2, 3)),
        sample("a.roll((1, 2))", a=(2, 3)),
        sample("a.roll((), ())", a=(2,)),
        sample("a.roll(1, 2)", a=(2, 3)),
        sample("a.roll(1.5)", a=(2,)),
        sample("a.roll(1, 'x')", a=(2,)),
    ),
    kind="copy",
    derivative=Rule("RollBackward0", input=lambda g, c: g.roll(_back(c.shifts), c.dims)),
)
def roll(input: Tensor, shifts: Dims, dims: Dims | None = None) -> Tensor:
    """Move the elements along dimensions; those pushed out at the end come in again at the front.

    Args:
        shifts: by how many positions, one number for each of `dims`.
        dims: along which dimensions; without any, the elements move as if in one row.

    >>> import tensorkit as tk
    >>> tk.roll(tk.arange(5), 2)
    tensor([3, 4, 0, 1, 2])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.roll.html
    """
    if (
        shifts.__class__ is int
        and dims.__class__ is int
        and (quick := _some_rolled(input, shifts, dims)) is not None
    ):
        return quick
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
    array = host_array(input)
    if along:
        return _made(roll_array(array, by, places), input)
    return _made(roll_array(array.reshape(-1), by, [0]).reshape(lay.size), input)


def _moves_rows(lay: Layout, stride: tuple[int, ...], places: Sequence[int]) -> bool:
    """Whether a flip leaves the fastest dimension alone: PyTorch then moves bytes, of whatever dtype."""
    if all(lay.size[dim] < 2 or lay.stride[dim] == 0 for dim in places) or lay.numel < 2:
        return True
    longer = [dim for dim, n in enumerate(lay.size) if n > 1]
    fastest = min(longer, key=lambda dim: (stride[dim], -dim))
    return fastest not in places and lay.stride[fastest] == 1


_FEW = 4096  # elements; of more, nobody notices what the whole way takes


@functools.lru_cache(256)
def _backwards(ndim: int, places: tuple[int, ...]) -> tuple[Any, ...]:
    """The key of an array's elements in reverse order along some dimensions.

    With no more than slices it would be an empty one where there are no dimensions, which gives a number of NumPy's
    and no array: nothing can be written to that.
    """
    whole, back = slice(None), slice(None, None, -1)
    return (..., *(back if dim in places else whole for dim in range(ndim)))


def _turned(array: Array, places: Sequence[int]) -> Array:
    """A copy with the elements in reverse order along some dimensions, in memory ordered as the array's."""
    turned: Array = array[_backwards(array.ndim, tuple(places))].copy("K")
    return turned


def _some_flipped(input: Tensor, dim: Any) -> Tensor | None:
    """Some hundreds of numbers in reverse order along one dimension; None for the way that others take."""
    array = brief(input)
    axis = None if array is None or tracing.active else axis_of_small(array, dim)
    if array is None or axis is None:
        return None
    return like_input(array[_backwards(array.ndim, (axis,))].copy("K"), input)


def _flipped(input: Tensor, places: Sequence[int]) -> Tensor:
    """The elements in reverse order along some dimensions, in memory ordered as the input's."""
    lay = input._lay()
    plain = input._device is CPU and not input._bits and input._dtype not in LIMITED
    if plain and not tracing.active and 0 < input._nd().size <= _FEW:
        return like_input(_turned(input._nd(), places), input)
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
        turned = numpy.ascontiguousarray(numpy.flip(host_array(input), tuple(places)))
        copy_into(out, _made(turned.reshape(lay.size), input))
    return out


def _flip_dims(input: Tensor, dims: Any) -> list[int]:
    ndim = input.dim()
    places = [normalise_dim(dim, ndim) for dim in dims]
    if len(places) > 1:
        for dim in places:
            if places.count(dim) > 1:
                raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return places if ndim else []


@op(
    samples=(
        sample("tk.flip(a, (0,))", a=(2, 3)),
        sample("tk.flip(a, [0, -1])", a=(2, 3)),
        sample("a.flip(0)", a=(2, 3)),
        sample("a.flip(0, 2)", a=(2, 3, 2)),
        sample("a.flip(())", a=(2,)),
        sample("a.flip(-1)", a=()),
        sample("tk.flip(a, 0)", a=(2,)),
        sample("a.flip(0, 0)", a=(2,)),
        sample("a.flip(2)", a=(2, 3)),
        sample("a.flip()", a=(2, 3)),
    ),
    kind="copy",
    methods=(),
    derivative=Rule("FlipBackward0", input=lambda g, c: g.flip(c.dims)),
)
def flip(input: Tensor, dims: Sequence[int]) -> Tensor:
    """The elements in reverse order along dimensions: always a copy.

    Raises:
        RuntimeError: for a dimension named twice.

    >>> import tensorkit as tk
    >>> tk.flip(tk.arange(4).view(2, 2), (0,))
    tensor([[2, 3],
            [0, 1]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.flip.html
    """
    return _flipped(input, _flip_dims(input, int_list(dims, "flip", "dims", 2)))


def _method_flip(input: Tensor, *places: Any, dims: Any = None) -> Tensor:
    """The elements in reverse order along dimensions: always a copy."""
    wanted = wants_grad(input)
    if (
        not wanted
        and len(places) == 1
        and dims is None
        and (quick := _some_flipped(input, places[0])) is not None
    ):
        return quick
    along = _listed(places if dims is None else (dims,), "flip")
    return flip(input, along) if wanted else _flipped(input, _flip_dims(input, along))


@op(
    samples=(sample("tk.fliplr(a)", a=(2, 3)), sample("a.fliplr()", a=(2, 3)), sample("a.fliplr()", a=(3,))),
    kind="copy",
)
def fliplr(input: Tensor) -> Tensor:
    """The columns from right to left.

    >>> import tensorkit as tk
    >>> tk.fliplr(tk.arange(4).view(2, 2))
    tensor([[1, 0],
            [3, 2]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.fliplr.html
    """
    if input.dim() < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


@op(
    samples=(sample("tk.flipud(a)", a=(2, 3)), sample("a.flipud()", a=(3,)), sample("a.flipud()", a=())),
    kind="copy",
)
def flipud(input: Tensor) -> Tensor:
    """The rows from bottom to top.

    >>> import tensorkit as tk
    >>> tk.flipud(tk.arange(4).view(2, 2))
    tensor([[2, 3],
            [0, 1]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.flipud.html
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


@op(
    strict=True,
    samples=(
        sample("tk.rot90(a)", a=(2, 3)),
        sample("tk.rot90(a, 2, [0, 1])", a=(2, 3)),
        sample("a.rot90(-1, (1, 0))", a=(2, 3)),
        sample("a.rot90(k=5, dims=(1, 2))", a=(2, 3, 2)),
        sample("a.rot90(4)", a=(2, 3)),
        sample("a.rot90()", a=(3,)),
        sample("a.rot90(1, (0, 0))", a=(2, 3)),
        sample("a.rot90(1, (0, 2))", a=(2, 3)),
        sample("a.rot90(1, (0,))", a=(2, 3)),
        sample("a.rot90(0.5)", a=(2, 3)),
    ),
    kind="copy",
    derivative=Rule("Rot90Backward0", input=lambda g, c: g.rot90(-c.k, c.dims)),
)
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Turn a tensor by quarter turns in the plane of two dimensions, from the first towards the second.

    >>> import tensorkit as tk
    >>> tk.rot90(tk.arange(4).view(2, 2))
    tensor([[1, 3],
            [0, 2]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.rot90.html
    """
    turns = _whole(k, "rot90", "k", 2) % 4
    first, second = _rotation_dims(input, dims)
    if turns == 0:
        lay = input._lay()
        out = empty_strided(lay.size, contiguous_stride(lay.size), input._dtype, input._device)
        copy_into(out, input)
        return out
    turned = _flipped(input, ([second], [first, second], [first])[turns - 1])
    if turns != 2:  # the copy is nobody else's: it is given the other layout itself
        turned._adopt_geometry(turned._store(), turned._lay().transpose(first, second))
    return turned


@takes(
    "(Tensor input, Tensor repeats, int dim = None, *, int output_size = None)",
    "(Tensor input, int repeats, int dim = None, *, int output_size = None)",
)
def _method_repeat_interleave(
    input: Tensor, repeats: Any, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element, or each slice along a dimension, several times in a row."""
    if repeats is None:
        raise TypeError("repeats must be an int or a tensor")  # said in PyTorch's words by whoever called
    return repeat_interleave(input, repeats, dim, output_size=output_size)


attach("repeat_interleave", traced_method("repeat_interleave", _method_repeat_interleave))
attach("tile", traced_method("tile", _method_tile))
attach("flip", traced_method("flip", _method_flip))
