"""Memory formats and layouts: in which order a copy's dimensions should lie in memory.

``channels_last`` keeps the channels of an image beside one another: of a size (N, C, H, W) the second dimension has
stride 1. The size does not change, only the strides do.

>>> tk.zeros(2, 3, 4, 5).contiguous(memory_format=tk.channels_last).stride()
(60, 1, 15, 3)

Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.memory_format
"""

from __future__ import annotations

from typing import Any, Self, TypeVar

from tensorkit.errors import type_name
from tensorkit.strides.layout import Layout
from tensorkit.strides.output import like_strides
from tensorkit.strides.sizes import contiguous_stride

Size = tuple[int, ...]
_Kind = TypeVar("_Kind", bound="_Named")


class _Named:
    """One of a few constants, known by its name: printed, copied and pickled as that name, and not to be made again."""

    __slots__ = ("_name",)
    _name: str

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        raise TypeError(f"cannot create 'tensorkit.{cls.__name__}' instances")

    def __repr__(self) -> str:
        return f"tensorkit.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class memory_format(_Named):
    """The order of dimensions in memory: one of ``tensorkit.contiguous_format``, ``preserve_format``,
    ``channels_last`` and ``channels_last_3d``.
    """

    __slots__ = ()


class layout(_Named):
    """How a tensor's elements lie in memory: ``tensorkit.strided`` is the only way here.

    >>> tk.zeros(2).layout, isinstance(tk.zeros(2).layout, tk.layout)
    (tensorkit.strided, True)

    Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.layout
    """

    __slots__ = ()


def _make(kind: type[_Kind], name: str) -> _Kind:
    made = object.__new__(kind)
    made._name = name
    return made


contiguous_format = _make(memory_format, "contiguous_format")
preserve_format = _make(memory_format, "preserve_format")
channels_last = _make(memory_format, "channels_last")
channels_last_3d = _make(memory_format, "channels_last_3d")
strided = _make(layout, "strided")
_CHANNELS = {channels_last: 4, channels_last_3d: 5}


def check_format(name: str, given: Any) -> None:
    """Refuse anything but a memory format (or None, the default), in the words of the function called `name`."""
    if given is not None and not isinstance(given, memory_format):
        raise TypeError(
            f"{name}(): argument 'memory_format' must be tensorkit.memory_format, not {type_name(given)}"
        )


def _order(rank: int) -> Size:
    """The dimensions of a tensor of channels, the fastest first: channels, width, height (depth), batch."""
    return (1, *range(rank - 1, 1, -1), 0)


def formatted_strides(layout: Layout, wanted: memory_format | None) -> Size:
    """The strides of a copy of a tensor in a format; None and ``preserve_format`` keep the order it has.

    Raises:
        RuntimeError: when the format is for tensors of another number of dimensions.

    >>> formatted_strides(Layout((2, 3), (1, 2)), contiguous_format)
    (3, 1)
    """
    if wanted is None or wanted is preserve_format:
        return like_strides(layout)
    if wanted is contiguous_format:
        return contiguous_stride(layout.size)
    rank = _CHANNELS[wanted]
    if len(layout.size) != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {wanted._name} format")
    strides, step = [0] * rank, 1
    for dim in _order(rank):
        strides[dim] = step
        step *= layout.size[dim]
    return tuple(strides)


def has_format(layout: Layout, asked: memory_format) -> bool:
    """Whether the elements lie one after another in a format's order; a dimension of 1 may have any stride.

    >>> has_format(Layout((2, 3, 4, 5), (60, 1, 15, 3)), channels_last)
    True
    """
    rank = _CHANNELS.get(asked)
    if rank is None:
        return layout.is_contiguous()
    if len(layout.size) != rank:
        return False
    step = 1
    for dim in _order(rank):
        if layout.size[dim] != 1:
            if layout.stride[dim] != step:
                return False
            step *= layout.size[dim]
    return True


def suggested_format(layout: Layout) -> memory_format:
    """The format that a tensor's strides speak of: of channels where they lie beside one another."""
    size, stride = layout.size, layout.stride
    found = next((form for form, rank in _CHANNELS.items() if rank == len(size)), None)
    if found is None or stride[1] == 0:
        return contiguous_format
    least = 0
    for dim in _order(len(size)):
        if size[dim] == 0 or stride[dim] < least or (dim == 0 and least == stride[1]):
            return contiguous_format
        least = stride[dim] * max(size[dim], 1)
    return found
