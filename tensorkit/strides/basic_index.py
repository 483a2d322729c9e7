"""Square brackets with numbers, slices, ``...`` and ``None``: the layout that a key looks at, one part after the other.

Source: results, exception classes and sentences are PyTorch 2.13's; the tests ask it.
"""

from __future__ import annotations

from operator import index as as_int
from typing import Any

from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import INT64_MAX, checked_stride, normalise_dim, out_of_bounds


def index(layout: Layout, key: Any) -> Layout | None:
    """What ``tensor[key]`` looks at, where that takes no copy.

    Args:
        key: an int, a slice, ``...``, ``None``, or a tuple of these; an int may be any object with
            ``__index__`` that has no ``__len__`` (NumPy's integers; not a tensor).

    Returns:
        The new layout, or ``None`` for a key that is not basic (a bool, a list, a tensor, a wrong type).

    >>> index(Layout((2, 3), (3, 1)), (1, slice(None, None, 2)))
    Layout(size=(2,), stride=(2,), offset=3)
    >>> index(Layout((2, 3), (3, 1)), [0, 1]) is None
    True
    """
    if type(key) is slice:
        return index_slice(layout, key)
    if type(key) is int:
        return index_int(layout, key)
    if type(key) is not tuple:
        if key is not None and key is not ... and not isinstance(key, slice):
            number = _basic_int(key)
            return None if number is None else index_int(layout, number)
        key = (key,)
    return _index_tuple(layout, key)


def index_int(layout: Layout, index: int) -> Layout:
    """``tensor[index]``, the short way."""
    size, stride = layout.size, layout.stride
    if not size:
        if index == 0:
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
                "C++ to convert a 0-dim tensor to a number"
            )
        raise out_of_bounds(index, 0, 0)
    n = size[0]
    if not -n <= index < n:
        raise out_of_bounds(index, 0, n)
    if index < 0:
        index += n
    return Layout(size[1:], stride[1:], layout.offset + index * stride[0])


def index_slice(layout: Layout, key: slice) -> Layout:
    """``tensor[start:stop:step]``, the short way."""
    size, stride = layout.size, layout.stride
    if not size:
        _bounds(key, 0)
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    start, stop, step = key.indices(size[0])
    if step < 0:
        raise _backwards()
    if step > 1:
        return layout.cut(0, start, stop, step)
    length = stop - start if stop > start else 0
    return Layout((length, *size[1:]), stride, layout.offset + start * stride[0])


def _index_tuple(layout: Layout, key: tuple[Any, ...]) -> Layout | None:
    """One part of the key after the other, each on the view that the parts before it made."""
    parts = _parts(key)
    if parts is None:
        return None
    ndim = len(layout.size)
    used = sum([part is not None and part is not ... for part in parts])
    if used > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    size, stride, offset, dim = layout.size, layout.stride, layout.offset, 0
    new_size: list[int] = []
    new_stride: list[int] = []
    for place, part in enumerate(parts):
        if part is ...:
            skipped = slice(dim, dim + ndim - used)
            new_size += size[skipped]
            new_stride += stride[skipped]
            dim = skipped.stop
            continue
        if dim >= ndim:  # all are used up: only a new dimension has its place here, unless `...` came twice
            normalise_dim(len(new_size) + dim - ndim, len(new_size) + (part is None))
        if part is None:
            new_size.append(1)
            # As `unsqueeze`: no step is ever taken along it.
            new_stride.append(size[dim] * stride[dim] if dim < ndim else 1)
            continue
        n, each = size[dim], stride[dim]
        if type(part) is slice:
            start, stop, step = _bounds(part, n)
            new_size.append((stop - start + step - 1) // step if stop > start else 0)
            new_stride.append(each * step)
            if each * step > INT64_MAX:
                so_far = (*new_stride, *stride[dim + 1 :])
                new_stride[-1] = checked_stride(each * min(step, INT64_MAX), len(new_stride) - 1, so_far)
            offset += start * each
        else:
            if not -n <= part < n:
                # PyTorch numbers the dimension by the place in the brackets, whatever `...` skipped.
                raise out_of_bounds(part, place, n)
            offset += (part + n if part < 0 else part) * each
        dim += 1
    return Layout((*new_size, *size[dim:]), (*new_stride, *stride[dim:]), offset)


def _bounds(key: slice, n: int) -> tuple[int, int, int]:
    """A slice's start, stop and step, clamped to ``n`` positions."""
    start, stop, step = key.indices(n)
    if step < 0:
        raise _backwards()
    return start, stop, step


def _backwards() -> ValueError:
    return ValueError("step must be greater than zero")


def _parts(key: tuple[Any, ...]) -> list[Any] | None:
    """A key's parts, its numbers as ints; None if one of them picks elements one by one."""
    parts: list[Any] = []
    for part in key:
        if type(part) is not int and type(part) is not slice and part is not None and part is not ...:
            part = _basic_int(part)
            if part is None:
                return None
        parts.append(part)
    return parts


def _basic_int(part: Any) -> int | None:
    """An index as an int, or None if it is one of the kinds that pick elements one by one."""
    if type(part) is int:
        return part
    # A bool, NumPy's too: some versions of NumPy take that for an int.
    if type(part).__name__.rstrip("_") == "bool" or hasattr(part, "__len__"):
        return None
    try:
        return as_int(part)
    except TypeError:
        return None
