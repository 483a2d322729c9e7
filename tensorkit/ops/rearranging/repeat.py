"""The same elements again: `repeat`, `tile`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from tensorkit import tracing
from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import resolved
from tensorkit.device import META
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.output import empty_strided
from tensorkit.ops.shared.copy import copy_into
from tensorkit.ops.shared.int_args import as_ints
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.to import to_device
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import INT64_MAX, check_bytes, contiguous_stride, overflowed
from tensorkit.tensor import Array, Tensor, attach, fresh


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


def whole_number(value: Any, name: str, argument: str, position: int) -> int:
    if isinstance(value, (bool, float)) or not hasattr(value, "__index__"):
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be int, not {type_name(value)}"
        )
    return int(value.__index__())


def on_device_of(array: Array, like: Tensor) -> Tensor:
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
    check_lengths(target)
    return target


def check_lengths(target: tuple[int, ...]) -> None:
    """Refuse a length of more than 64 bits, which C++ may take for a negative number."""
    if max(target, default=0) > INT64_MAX:
        target = tuple([(n + INT64_MAX + 1) % (2 * INT64_MAX + 2) - INT64_MAX - 1 for n in target])
        if min(target) >= 0:
            raise overflowed(target)
    low = next((n for n in target if n < 0), None)
    if low is not None and low < -(2**62):
        raise RuntimeError(f"IntArrayRef contains an int that cannot be represented as a SymInt: {low}")
    if low is not None:
        raise RuntimeError(f"Trying to create tensor with negative dimension {low}: {list(target)}")


def repeat_array(array: Array, repeats: tuple[int, ...], target: tuple[int, ...]) -> Array:
    """The array repeated along each dimension: the kernel."""
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
    if is_on_device(input):
        return _repeated_on_device(resolved(input), repeats, target)
    return on_device_of(repeat_array(input._nd(), repeats, target), input)


def _repeated_on_device(input: Tensor, repeats: tuple[int, ...], target: tuple[int, ...]) -> Tensor:
    """One copy from a view in which each dimension follows one of stride 0."""
    lay, made = input._lay(), empty_strided(target, contiguous_stride(target), input._dtype, input._device)
    missing = len(repeats) - len(lay.size)
    size = [n for pair in zip(repeats, (1,) * missing + lay.size, strict=True) for n in pair]
    stride = [n for step in (0,) * missing + lay.stride for n in (0, step)]
    wide = input._view(Layout(tuple(size), tuple(stride), lay.offset))
    if made.numel():
        copy_into(made._view(made._lay().view(size)), wide)
    return made


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


@op(kind="copy", function=False, derivative=_REPEATED)
def repeat(input: Tensor, *repeats: Any, **named: Any) -> Tensor:
    """Repeat the tensor along each dimension; dimensions may be added in front.

    Args:
        repeats: how often, for each dimension of the result.

    Raises:
        RuntimeError: for fewer numbers than the tensor has dimensions.

    >>> tk.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
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


@op(kind="copy", methods=())
@takes("(Tensor input, tuple of ints dims)")
def tile(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Copies of the tensor side by side, counted from the last dimension: missing numbers are 1.

    >>> tk.tile(tk.tensor([[1, 2], [3, 4]]), (2,))
    tensor([[1, 2, 1, 2],
            [3, 4, 3, 4]])
    """
    return _tile(input, int_list(dims, "tile", "dims", 2))


def _tile(input: Any, dims: tuple[int, ...]) -> Tensor:
    return input.repeat((1,) * (input.dim() - len(dims)) + dims)  # type: ignore[no-any-return]


def listed(dims: tuple[Any, ...], name: str) -> tuple[int, ...]:
    """Dimensions given to a method, one by one or as a sequence."""
    if not dims:
        raise TypeError(f'{name}() missing 1 required positional arguments: "dims"')
    if len(dims) == 1:
        return int_list(dims[0], name, "dims", 1, one=True)
    return int_list(dims, name, "dims", 1)


def _method_tile(input: Tensor, *counts: Any, dims: Any = None) -> Tensor:
    """Copies of the tensor side by side, counted from the last dimension: missing numbers are 1."""
    return _tile(input, listed(counts if dims is None else (dims,), "tile"))


# -- moved along, and back to front -------------------------------------------------------------------------------


attach("tile", traced_method("tile", _method_tile))
