"""The sentences of a picture, and the formula of the element under the pointer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Formula
from tensorkit_widgets.snapshot.adapter import Meta, Snapshot, same_buffer
from tensorkit_widgets.snapshot.geometry import Ints, distinct_slots, is_contiguous, slot_of
from tensorkit_widgets.snapshot.number_text import full, stored
from tensorkit_widgets.snapshot.view_chain import Link

LETTERS = "ijklmnpqrs"
SMALLEST = 12.0
"""A formula in smaller letters than these is written as a sum, line by line."""
STEP = 24.0
"""From line to line of that sum."""


def _bytes(count: int) -> str:
    return f"{count:,} byte" + ("" if count == 1 else "s")


def chain_sentence(links: Sequence[Link]) -> str:
    """View or copy, and how much of the storage is reached."""
    meta = links[-1].meta
    distinct = distinct_slots(meta.size, meta.stride)
    some = "at most " if distinct is None else ""
    if distinct is None:
        distinct = meta.slots
    reach = f"{some}{distinct * meta.itemsize:,} of the storage’s {_bytes(meta.nbytes)} are reached"
    if distinct == meta.slots and not some:
        reach = f"all {_bytes(meta.nbytes)} of the storage are reached"
    if len(links) == 1:
        return f"the tensor itself; {reach}"
    if same_buffer(links[0].meta, meta):
        return f"a view: no number was copied; {reach}"
    copier = next(link for link in links[1:] if link.step.kind == "copy")
    return f"a copy: {copier.step.code} made a new storage of {_bytes(copier.meta.nbytes)}; {reach}"


def layout_sentences(meta: Meta) -> list[str]:
    """What is odd about a layout, one sentence each."""
    out = ["contiguous" if is_contiguous(meta.size, meta.stride) else "not contiguous"]
    if meta.turned:
        out.insert(0, f"what you see are the {meta.turned} of what is stored")
    repeats = [d for d, (n, s) in enumerate(zip(meta.size, meta.stride, strict=True)) if s == 0 and n > 1]
    if repeats:
        names = " and ".join(f"dim {d}" for d in repeats)
        out.append(f"stride 0 along {names}: the same slots are read again")
    ones = [d for d, n in enumerate(meta.size) if n == 1]
    if ones and len(meta.size) > 1:
        names = " and ".join(f"dim {d}" for d in ones)
        out.append(f"the stride of {names} is never used: its size is 1")
    return out


def sentence(clause: str, names: Sequence[str] = ()) -> str:
    """A clause as a sentence; one that begins with the learner's own name for something keeps it as it is.

    >>> sentence("the strides change places; no number moves"), sentence("v has several", names=("v",))
    ('The strides change places; no number moves.', 'v has several.')
    """
    first = re.match(r"[^\s,:;]+", clause)
    word = first[0] if first else ""
    plain = word.isalpha() and word.islower() and word not in (*names, "numpy", "tensorkit", "torch")
    text = clause[0].upper() + clause[1:] if plain else clause
    return text if text.endswith((".", "!", "?")) or not text else text + "."


def wrap(text: str, width: float, font: float = 13.0) -> list[str]:
    """Break a sentence into lines of about ``width``."""
    room, lines = max(12, int(width / (font * 0.53))), [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _columns(stride: Ints) -> list[int]:
    """Character columns: offset, then each term, then the closing bracket."""
    out = [len("storage[ ")]
    at = out[0] + len("offset")
    for d in range(len(stride)):
        out.append(at + len(" + "))
        at = out[-1] + max(len(f"{LETTERS[d % 10]}·stride[{d}]"), len(str(stride[d])) + 5)
    out.append(at + 1)
    return out


def formula_width(stride: Ints, font: float) -> float:
    """The width of the formula's longest line."""
    return (_columns(stride)[-1] + 1) * MONO * font


def formula_of(
    snapshot: Snapshot,
    focus: Ints,
    box: tuple[float, float, float],
    sentences: Sequence[str],
    broken: bool = False,
) -> Formula:
    """Fill in the formula for one element, in a panel at ``box`` = (x, y, width); ``broken`` if it may be a sum in
    lines."""
    x, y, width = box
    meta = snapshot.meta
    unit = _columns(meta.stride)[-1] + 1
    font = max(9.0, min(18.0, int((width - 36) / (unit * MONO) * 2) / 2))
    if broken and font < SMALLEST:
        return _stacked(snapshot, focus, box, sentences)
    columns = tuple(round(x + 18 + c * MONO * font, 2) for c in _columns(meta.stride))
    terms = tuple((d, i, s) for d, (i, s) in enumerate(zip(focus, meta.stride, strict=True)))
    slot = slot_of(focus, meta.stride, meta.offset)
    used = unit * MONO * font + 60
    beside = width - used > 320
    room = width - used - 18 if beside else width - 36
    lines = tuple(line for sentence in sentences for line in wrap(sentence, room))
    value = _said(snapshot, focus)
    height = max(128, 46 + 18 * len(lines)) if beside else 126 + 18 * len(lines)
    at = (x + used, y + 56) if beside else (x + 18, y + 133)
    unused = tuple(d for d, n in enumerate(meta.size) if n == 1)
    return Formula(
        x, y, width, height, font, focus, terms, columns, meta.offset, slot, value, lines, *at, unused=unused
    )


def _stacked(
    snapshot: Snapshot, focus: Ints, box: tuple[float, float, float], sentences: Sequence[str]
) -> Formula:
    """The formula on a narrow page: a sum, with its terms under one another."""
    x, y, width = box
    meta = snapshot.meta
    named = [f"       + {LETTERS[d % 10]}·stride[{d}]" for d in range(len(focus))]
    filled = [f"{i}·({s})" for i, s in zip(focus, meta.stride, strict=True)]
    names = max(map(len, ["storage[ offset", *named]))
    numbers = max(map(len, [str(meta.offset), *filled]))
    font = max(9.0, min(15.0, int((width - 36) / ((names + numbers + 3) * MONO) * 2) / 2))
    columns = tuple(round(x + 18 + c * MONO * font, 2) for c in (len("storage[ "), names + 2))
    terms = tuple((d, i, s) for d, (i, s) in enumerate(zip(focus, meta.stride, strict=True)))
    lines = tuple(line for sentence in sentences for line in wrap(sentence, width - 36))
    below = 58 + STEP * (len(terms) + 1)
    return Formula(
        x, y, width, below + 22 + 18 * len(lines), font, focus, terms, columns, meta.offset,
        slot_of(focus, meta.stride, meta.offset), _said(snapshot, focus), lines, x + 18, y + below + 28, True,
        tuple(d for d, n in enumerate(meta.size) if n == 1),
    )  # fmt: skip


def _said(snapshot: Snapshot, focus: Ints) -> str:
    if not snapshot.grid:
        return "unknown"
    value, meta = _value(snapshot, focus), snapshot.meta
    seen, kept = full(value, meta.dtype), stored(value, meta.dtype, meta.turned)
    return f"{kept}, shown as {seen}" if kept else seen


def _value(snapshot: Snapshot, focus: Ints) -> bool | int | float | complex:
    at = 0
    for i, o, n in zip(focus, snapshot.window.origin, snapshot.window.count, strict=True):
        at = at * n + (i - o)
    return snapshot.grid[at]
