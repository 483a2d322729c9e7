"""What an index chooses, asked of the tensor's own library: the result, and which element each number came from."""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, product
from math import prod
from typing import Any

from tensorkit_widgets.snapshot.adapter import describe, library_of, look, quietly
from tensorkit_widgets.snapshot.arrays import as_tensor
from tensorkit_widgets.snapshot.expression import Mask, show, show_index
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.window import Window

MOST_COPIED = 20_000_000
"""Numbers that a picture copies, or asks a mask about: beyond them it would keep its cell waiting."""

MOST_TRACED = 4096
MOST_LIST = 32

Pressed = frozenset[Ints]

_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "==": operator.eq,
    "!=": operator.ne, "&": operator.and_, "|": operator.or_,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """One thing between the brackets and the dimensions of the tensor that it speaks of (none for None)."""

    value: Any
    dims: Ints
    implied: bool = False


def _parts(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _depth(value: Any) -> int:
    return 1 + _depth(value[0]) if isinstance(value, list) and value else int(isinstance(value, list))


def boolean(value: Any) -> bool:
    """Whether a list consists of True and False.

    >>> boolean([[True, False]]), boolean([0, 1]), boolean([])
    (True, False, False)
    """
    if isinstance(value, list):
        return bool(value) and all(isinstance(v, bool) or boolean(v) for v in value)
    return False


def _spans(value: Any, dims: int) -> int:
    """How many dimensions of the tensor an item speaks of."""
    if value is None or isinstance(value, bool):
        return 0
    if isinstance(value, Mask):
        return _mask_dims(value, dims)
    return _depth(value) if boolean(value) else 1


def _mask_dims(mask: Mask, dims: int) -> int:
    if mask.sign in ("&", "|", "~"):
        return _mask_dims(mask.parts[0], dims)
    if mask.sign == "mask" or mask.parts[0] is None:
        return dims
    items = _parts(mask.parts[0][0])
    return dims - sum(isinstance(i, int) for i in items) + sum(i is None for i in items)


def as_items(index: Any, dims: int) -> list[Item]:
    """The index with nothing left out: an Ellipsis as slices, and a slice for each dimension that is not named.

    >>> [(show_index(i.value), i.dims) for i in as_items((..., [0, 2]), 3)]
    [(':', (0,)), (':', (1,)), ('[0, 2]', (2,))]
    """
    parts = _parts(index)
    taken = sum(_spans(part, dims) for part in parts if part is not Ellipsis)
    if not any(part is Ellipsis for part in parts):
        parts = (*parts, Ellipsis)
    out: list[Item] = []
    at = 0
    for part in parts:
        if part is Ellipsis:
            for _ in range(dims - taken):
                out.append(Item(slice(None), (at,), implied=True))
                at += 1
            taken = dims
        else:
            many = _spans(part, dims)
            out.append(Item(part, tuple(range(at, at + many))))
            at += many
    return out


def is_basic(index: Any) -> bool:
    """Whether only whole numbers, slices, None and Ellipsis stand there: what strides can express.

    >>> is_basic((slice(1, None), None, -1)), is_basic((0, [1])), is_basic(True)
    (True, False, False)
    """
    return all(
        part is None or part is Ellipsis or isinstance(part, slice) or type(part) is int
        for part in _parts(index)
    )


def as_list(item: slice, size: int) -> list[int]:
    """The indices of a slice one by one; ValueError when there are too many to write down."""
    found = range(*item.indices(size))
    if len(found) > MOST_LIST:
        raise ValueError(
            f"{show_index(item)} would be a list of {len(found):,} numbers: too long to write down"
        )
    return list(found)


def as_slice(item: Sequence[int], size: int) -> slice:
    """The slice that chooses the same, or ValueError with the reason why there is none.

    >>> as_slice([0, 2, 4], 5), as_slice([1, 2], 3)
    (slice(None, None, 2), slice(1, None, None))
    """
    places = [i + size if i < 0 else i for i in item]
    steps = {b - a for a, b in pairwise(places)}
    if not places or len(steps) > 1 or any(step <= 0 for step in steps):
        why = (
            "no number is chosen"
            if not places
            else "the steps from one to the next are not all alike and forward"
        )
        raise ValueError(f"{show(list(item))} cannot be written as a slice: {why}")
    step = steps.pop() if steps else 1
    stop = places[-1] + 1
    low = None if places[0] == 0 else places[0]
    return slice(low, None if stop + step > size else stop, None if step == 1 else step)


def pressed_mask(tensor: Any, pressed: Pressed) -> Any:
    """A tensor of bool in the tensor's own library, True where cells were pressed."""
    library = sys.modules[library_of(tensor)]
    mask = library.zeros(tuple(describe(tensor).size), dtype=library.bool)
    for index in pressed:
        mask[index] = True
    return mask


def _real(part: Any, tensor: Any, pressed: Pressed) -> Any:
    """What the library is given for a part of the index."""
    if not isinstance(part, Mask):
        return part
    if part.sign == "mask":
        return pressed_mask(tensor, pressed)
    if part.sign == "~":
        return ~_real(part.parts[0], tensor, pressed)
    if part.sign in "&|":
        return _SIGNS[part.sign](*(_real(side, tensor, pressed) for side in part.parts))
    index, value = part.parts
    return _SIGNS[part.sign](tensor if index is None else tensor[index[0]], value)


def real_index(index: Any, tensor: Any, pressed: Pressed) -> Any:
    """The index as the library is given it: masks as tensors."""
    if isinstance(index, tuple):
        return tuple(_real(part, tensor, pressed) for part in index)
    return _real(index, tensor, pressed)


def beyond(tensor: Any, index: Any) -> str:
    """Why a picture does not follow an index that the library takes, or an empty text: it would copy too much.

    >>> import numpy
    >>> large = numpy.broadcast_to(0.0, (6000, 6000))
    >>> beyond(large, [3, 9]), beyond(large, slice(None))
    ('', '')
    >>> beyond(large, [0] * 6000)
    'it would copy 36,000,000 numbers'
    """
    if is_basic(index):
        return ""
    size = describe(tensor).size
    items, whole, listed = as_items(index, len(size)), 1, 1
    for item in items:
        spans = [size[d] for d in item.dims if d < len(size)]
        if isinstance(item.value, Mask) or boolean(item.value):
            whole *= prod(spans)
        elif isinstance(item.value, list):
            listed = max(listed, _leaves(item.value))
        elif isinstance(item.value, slice) and spans:
            whole *= len(range(*item.value.indices(spans[0])))
    asked = any(isinstance(item.value, Mask) for item in items)
    if asked and prod(size) > MOST_COPIED:
        return f"it would ask the mask about {prod(size):,} numbers"
    return f"it would copy {whole * listed:,} numbers" if whole * listed > MOST_COPIED else ""


def _leaves(value: Any) -> int:
    return sum(map(_leaves, value)) if isinstance(value, list) else 1


def take(tensor: Any, index: Any, pressed: Pressed = frozenset(), base: Any = None) -> tuple[Any, str]:
    """``tensor[index]`` by the library itself, or its refusal.

    Masks speak of ``base``, which is the tensor itself unless another is given.
    """
    try:
        with quietly(library_of(tensor)), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = tensor[real_index(index, tensor if base is None else base, pressed)]
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
    return as_tensor(found), ""


def chosen_by(
    tensor: Any, index: Any, result: Any, window: Window, pressed: Pressed = frozenset(), base: Any = None
) -> dict[Ints, Ints]:
    """Element of the result → element of the tensor that it is; of a large result, only those in the window."""
    size = describe(result).size
    if prod(size) <= MOST_TRACED:
        window = Window((0,) * len(size), size)
    if is_basic(index):
        return {cell: _walk(cell, index, describe(tensor).size) for cell in _cells(window)}
    axes = [look(axis, window, ()).grid for axis in _places(tensor, index, pressed, base)]
    if not axes:
        return dict.fromkeys(_cells(window), ())
    return dict(zip(_cells(window), zip(*axes, strict=True), strict=True))


def _cells(window: Window) -> Iterator[Ints]:
    spans = (range(o, o + n) for o, n in zip(window.origin, window.count, strict=True))
    return islice(product(*spans), MOST_TRACED)


def _walk(cell: Ints, index: Any, size: Ints) -> Ints:
    """Which element of the tensor an element of a view is."""
    rest, out = iter(cell), []
    for item in as_items(index, len(size)):
        if item.value is None:
            next(rest)
        elif isinstance(item.value, slice):
            start, _, step = item.value.indices(size[item.dims[0]])
            out.append(start + step * next(rest))
        else:
            out.append(item.value % size[item.dims[0]])
    return tuple(out)


def _places(tensor: Any, index: Any, pressed: Pressed, base: Any) -> list[Any]:
    """For each dimension, the index along it of every chosen element: the same index asked of the positions."""
    library = sys.modules[library_of(tensor)]
    kept, fewer = _positions(index, describe(tensor).size)
    ready = real_index(fewer, tensor if base is None else base, pressed)
    size, out = tuple(map(len, kept)), []
    for d, places in enumerate(kept):
        shape = [n if e == d else 1 for e, n in enumerate(size)]
        out.append(as_tensor(library.broadcast_to(_row(library, places).reshape(shape), size)[ready]))
    return out


def _row(library: Any, places: Sequence[int]) -> Any:
    if isinstance(places, range):
        return library.arange(places.start, places.stop, places.step)
    if not places:
        return library.arange(0)
    return (library.asarray if library.__name__ == "numpy" else library.tensor)(places)


def _positions(index: Any, size: Ints) -> tuple[list[Sequence[int]], Any]:
    """The positions along each dimension that an index can choose, and the index among those: a dimension may be long.

    >>> _positions((slice(2, None, 2), [7, -1]), (6, 10**9))
    ([range(2, 6, 2), [7, 999999999]], (slice(None, None, None), [0, 1]))
    """
    kept: list[Sequence[int]] = [range(n) for n in size]
    if isinstance(index, list) and any(isinstance(part, list) for part in index):
        return kept, index  # a list of lists outside a tuple: each library has a reading of its own
    parts: list[Any] = []
    for item in as_items(index, len(size)):
        value = item.value
        if isinstance(value, slice):
            kept[item.dims[0]] = range(*value.indices(size[item.dims[0]]))
            parts.append(slice(None))
        elif isinstance(value, list) and not boolean(value):
            long = size[item.dims[0]]
            used = sorted({leaf % long for leaf in _flat(value)})
            kept[item.dims[0]] = used
            parts.append(_renamed(value, long, {place: k for k, place in enumerate(used)}))
        elif isinstance(value, int) and not isinstance(value, bool):
            at = value % size[item.dims[0]]
            kept[item.dims[0]] = range(at, at + 1)
            parts.append(0)
        else:
            parts.append(value)
    return kept, tuple(parts)


def _flat(value: Any) -> Iterator[int]:
    if isinstance(value, list):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _renamed(value: Any, long: int, number: dict[int, int]) -> Any:
    return (
        [_renamed(part, long, number) for part in value] if isinstance(value, list) else number[value % long]
    )
