"""What is said about an index: what each part chooses, and why the result is a view or a copy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tensorkit_widgets.indexing.model import Item, boolean
from tensorkit_widgets.snapshot.expression import Mask, show, show_index
from tensorkit_widgets.snapshot.geometry import Ints


def _some(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:4]))
    return f"{shown}, …" if len(numbers) > 4 else shown or "none"


def item_words(item: Item, size: Ints) -> tuple[str, str, str]:
    """Heading, text, and what it chooses."""
    dims = [d for d in item.dims if d < len(size)]
    heading = "no dim" if not item.dims else f"dim {item.dims[0]}"
    if len(item.dims) > 1:
        heading = f"dims {item.dims[0]} to {item.dims[-1]}"
    text = show_index(item.value)
    if not dims:
        return heading, text, "new, size 1" if item.value is None else "not a dim of it"
    return heading, text, _chooses(item.value, size[dims[0]])


def _chooses(value: Any, size: int) -> str:
    if isinstance(value, slice):
        try:
            found = range(*value.indices(size))
        except (ValueError, TypeError):
            return "no step"
        return f"all {size:,}" if len(found) == size else _some(found)
    if isinstance(value, Mask):
        return "where it is True"
    if isinstance(value, list):
        if boolean(value):
            return (
                _some([k for k, v in enumerate(value) if v is True])
                if isinstance(value[0], bool)
                else "where True"
            )
        return f"these {len(value)}, in order" if len(value) > 1 else f"{len(value)} of them"
    return "one, and it goes" if type(value) is int else "?"


def why_words(items: Sequence[Item], view: bool, library: str, basic: bool) -> Iterator[str]:
    """Why the result is what it is."""
    if view:
        yield "A view: a start and one stride per dimension can say all of this, so no number is copied."
        return
    if basic:
        yield (
            "NumPy hands out a lone number as a copy; a slice such as 1:2 would be a view."
            if library == "numpy"
            else ("There is no element, so there is no storage to share.")
        )
        return
    masks = [i.value for i in items if isinstance(i.value, Mask) or boolean(i.value)]
    lists = [i.value for i in items if isinstance(i.value, list) and not boolean(i.value)]
    if masks:
        text = show(masks[0])
        name = text if len(text) <= 30 else "a mask"
        yield f"A copy: {name} can be True anywhere, and no stride can say that."
        yield "The chosen numbers are fetched in reading order."
        if any(len(i.dims) > 1 for i in items):
            yield "Its dimensions become one: as long as there are True."
    elif lists:
        text = show(lists[0])
        name = text if len(text) <= 30 else "a list"
        yield f"A copy: {name} can name any indices in any order, and no stride can say that."
        yield "The numbers are fetched one by one, in this order."
    else:
        yield "A copy: a single True or False counts as a mask."
    if len(lists) > 1:
        yield "Two lists walk together, like zip: they choose pairs, not a block."


def blamed(error: str, items: Sequence[Item], size: Ints) -> tuple[int | None, str]:
    """Which part of the index does not fit, and a remark where the refusal counts dimensions in another way."""
    fits = (all(_fits(item.value, size[d]) for d in item.dims[:1] if d < len(size)) for item in items)
    at = next((k for k, fit in enumerate(fits) if not fit), None)
    named = re.search(r"(?:dimension|axis) (\d+) with size", error)
    if at is None or not named or int(named[1]) in items[at].dims:
        return at, ""
    return at, " (its message counts the dimensions as it fetches them, lists first)"


def _fits(value: Any, size: int) -> bool:
    """Whether an index, or a list of them, stays inside one dimension."""
    if isinstance(value, list):
        if boolean(value):
            return len(value) == size
        return all(_fits(v, size) for v in value)
    return type(value) is not int or -size <= value < size


def write_words(name: str, fetched: str, tail: str, kind: str) -> str:
    """Where a write has gone; ``fetched`` is the code of what was fetched, ``tail`` what it was told."""
    if kind == "straight":
        straight = f"{fetched}{tail} writes straight into the chosen cells of {name}."
        return f"With one pair of brackets nothing is fetched: {straight}"
    if kind == "back":
        return f"{fetched}{tail} fetches, computes in place, and puts the result back: {name} has changed."
    if kind == "view":
        return f"{fetched} is a view on the storage of {name}, so {tail.strip()} arrives in {name}."
    return f"{name} stays as it was: {fetched} made a copy, {tail.strip()} wrote into that copy, which is not kept."
