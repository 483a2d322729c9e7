"""What a picture prints of its tensors, found by regular expressions, and what is true: asked of the library again.

`wrong` compares the two. It knows nothing of the widgets' own models: sizes, strides, offsets, bytes and numbers come
from the tensors themselves, through the public functions of tensorkit, NumPy and PyTorch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from math import prod
from typing import Any

import numpy

from tensorkit_widgets.drawing.parts import Axis, Table
from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.snapshot.number_text import full
from tensorkit_widgets.widget.board import Board

Ints = tuple[int, ...]
WIDTHS = (960.0, 400.0)


@dataclass(frozen=True)
class Layout:
    """A tensor as its own library says it."""

    size: Ints
    stride: Ints
    offset: int
    item: int
    nbytes: int
    dtype: str
    tensor: Any

    @property
    def slots(self) -> int:
        return self.nbytes // self.item

    def slot(self, index: Ints) -> int:
        return self.offset + sum(i * s for i, s in zip(index, self.stride, strict=True))

    def stored(self, slot: int) -> Any:
        """The number in a slot of the storage."""
        if isinstance(self.tensor, numpy.ndarray):
            owner = _owner(self.tensor)
            low = numpy.lib.array_utils.byte_bounds(owner)[0]
            return _at(low + slot * self.item, self.tensor.dtype, owner)
        return self.tensor.detach().as_strided((1,), (1,), slot).item()

    def element(self, index: Ints) -> Any:
        """The number at an index."""
        found = self.tensor[index] if index else self.tensor
        return found.item()


def _owner(array: Any) -> Any:
    while isinstance(array.base, numpy.ndarray):
        array = array.base
    return array


def _at(address: int, dtype: Any, owner: Any) -> Any:
    import ctypes

    assert owner is not None
    return numpy.frombuffer(ctypes.string_at(address, dtype.itemsize), dtype)[0].item()


def layout_of(tensor: Any) -> Layout:
    """Size, stride, offset and storage of a tensor of any of the three libraries."""
    if isinstance(tensor, numpy.generic):
        tensor = numpy.asarray(tensor)
    if isinstance(tensor, numpy.ndarray):
        item, owner = tensor.dtype.itemsize, _owner(tensor)
        low, high = numpy.lib.array_utils.byte_bounds(owner)
        offset = (tensor.__array_interface__["data"][0] - low) // item if tensor.size else 0
        stride = tuple(s // item for s in tensor.strides)
        nbytes = high - low if owner.size else 0
        return Layout(tensor.shape, stride, offset, item, nbytes, tensor.dtype.name, tensor)
    storage, dtype = tensor.untyped_storage(), str(tensor.dtype).rpartition(".")[2]
    return Layout(
        tuple(tensor.size()), tuple(tensor.stride()), tensor.storage_offset(), tensor.element_size(),
        storage.nbytes(), dtype, tensor,
    )  # fmt: skip


@dataclass
class Truth:
    """What may be printed.

    Args:
        tables: key of a table of the picture → the tensor whose elements it draws.
        also: other tensors whose size, stride, offset and bytes may be told.
        strips: key of a strip → a tensor on the storage that it draws.
        sizes, counts: other sizes, and other counts of bytes, that are true.
    """

    tables: dict[str, Any] = field(default_factory=dict)
    also: tuple[Any, ...] = ()
    strips: dict[str, Any] = field(default_factory=dict)
    sizes: set[Ints] = field(default_factory=set)
    counts: set[int] = field(default_factory=set)

    @property
    def layouts(self) -> list[Layout]:
        return [layout_of(t) for t in (*self.tables.values(), *self.also, *self.strips.values())]

    def allowed(self) -> dict[str, set[Any]]:
        """Kind of number → all that may be printed."""
        all_of = self.layouts
        counts = {
            n for one in all_of for n in (one.nbytes, prod(one.size) * one.item, reached(one) * one.item)
        }
        return {
            "size": {one.size for one in all_of} | self.sizes,
            "stride": {one.stride for one in all_of},
            "one stride": {s for one in all_of for s in one.stride} | {0},
            "offset": {one.offset for one in all_of},
            "bytes": counts | self.counts,
            "slots": max((one.slots for one in all_of), default=0),
        }


def reached(one: Layout) -> int:
    """How many different slots a tensor reads."""
    if 0 in one.size:
        return 0
    read = numpy.zeros(one.slots, bool)
    low = one.offset + sum(min((n - 1) * s, 0) for n, s in zip(one.size, one.stride, strict=True))
    own = [(n, abs(s)) for n, s in zip(one.size, one.stride, strict=True) if n > 1 and s]
    size, steps = [n for n, _ in own], [s for _, s in own]
    numpy.lib.stride_tricks.as_strided(read[low:], size, steps)[...] = True
    return int(numpy.count_nonzero(read))


# ---- what is printed


def strings(part: Any) -> Iterator[str]:
    """Every text in a sheet, wherever it stands."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple | list):
        for item in part:
            yield from strings(item)
    elif is_dataclass(part) and not isinstance(part, type):
        for one in fields(part):
            if one.name not in (
                "key",
                "kin",
                "kinds",
                "role",
                "links",
                "link",
                "snapshot",
                "layout",
                "png",
                "action",
            ):
                yield from strings(getattr(part, one.name))


def pictures(board: Board, most: int = 4) -> Iterator[tuple[float, int, Sheet, str]]:
    """Every width, and of each the first steps and the last: the sheet and the text twin."""
    for width in WIDTHS:
        board._heard(None, {"kind": "room", "value": width}, [])
        for at in sorted({*range(min(board._steps(), most) + 1), board._steps()}):
            board._go(at)
            sheet = board._sheet_now()  # one for `text` too, which draws no more than this
            yield width, at, sheet, str(board._text_of(sheet))


NUMBER = r"-?\d[\d,]*\d|-?\d"
PATTERNS: dict[str, re.Pattern[str]] = {
    "stride": re.compile(r"stride (\((?:-?\d+(?:, -?\d+)*,?)?\))"),
    "size": re.compile(r"(?<![\w.\])])(?<!stride )(\((?:\d+,|\d+(?:, \d+)+)?\))(?! [=@])"),
    "one stride": re.compile(rf"stride ({NUMBER})"),
    "offset": re.compile(rf"offset ({NUMBER})"),
    "bytes": re.compile(rf"(?<![\w.·])({NUMBER}) bytes?\b"),
}


def _ints(text: str) -> Any:
    bare = text.replace("−", "-")
    if bare.startswith("("):
        return tuple(int(n) for n in re.findall(r"-?\d+", bare))
    return int(bare.replace(",", ""))


def printed(text: str) -> Iterator[tuple[str, Any]]:
    """(kind, value) of every number of a text that speaks of memory."""
    text = text.replace("−", "-")
    for kind, pattern in PATTERNS.items():
        for match in pattern.finditer(text):
            yield kind, _ints(match[1])


SLOTS = re.compile(r"\bslots? (\d[\d,]*)")
HELD = re.compile(r"slot (\d+), value ([^,]+)")
OF = re.compile(r"dim (\d+): (\d+) to (\d+) of ([\d,]+)|dim (\d+) at (\d+) of ([\d,]+)")


# ---- compared


def wrong(board: Board, truth: Truth) -> list[str]:
    """Everything that the pictures of a board print and that is not so."""
    allowed, out = truth.allowed(), list[str]()
    for width, at, sheet, twin in pictures(board):
        where = f"{width:.0f} px, step {at}: "
        for text in (*strings(sheet), twin):
            for kind, value in printed(text):
                if value not in allowed[kind]:
                    out.append(f"{where}{kind} {value} in {text[:140]!r}")
            slots = [int(n.replace(",", "")) for n in SLOTS.findall(text)]
            out += [f"{where}slot {n} in {text[:80]!r}" for n in slots if n >= allowed["slots"]]
        for table in sheet.tables:
            if table.key in truth.tables:
                out += [where + words for words in _table(table, layout_of(truth.tables[table.key]))]
            if table.key in truth.strips:
                out += [where + words for words in _strip(table, layout_of(truth.strips[table.key]))]
    return list(dict.fromkeys(out))


def _table(table: Table, one: Layout) -> Iterator[str]:
    """The arrows, the slots in the corners and the numbers of a tensor that is drawn."""
    for axis in table.axes:
        yield from _axis(table.key, axis, one)
    for note in table.notes:
        for match in OF.finditer(note.text):
            dim, size = int(match[1] or match[5] or 0), int((match[4] or match[7]).replace(",", ""))
            if one.size[dim] != size:
                yield f"{table.key}: {note.text!r}, but its size is {one.size}"
    for tile in table.tiles:
        index = tuple(int(n) for n in tile.key.partition(":")[2].split(",") if n)
        if len(index) != len(one.size):
            yield f"{table.key}: {tile.key} is no index of size {one.size}"
            continue
        tag = tile.tag.partition(" ")[0]
        if tag and int(tag) != one.slot(index):
            yield f"{table.key}: {tile.key} is said to be in slot {tag}, and is in {one.slot(index)}"
        if tile.slot is not None and tile.slot != one.slot(index):
            yield f"{table.key}: {tile.key} is linked with slot {tile.slot}, and is in {one.slot(index)}"
        if tile.full and tile.full != full(one.element(index), one.dtype):
            yield f"{table.key}: {tile.key} is said to be {tile.full}, and is {one.element(index)}"


def _axis(key: str, axis: Axis, one: Layout) -> Iterator[str]:
    if axis.dim >= len(one.size):
        yield f"{key}: an arrow for dimension {axis.dim} of size {one.size}"
    elif (axis.size, axis.stride) != (one.size[axis.dim], one.stride[axis.dim]):
        true = f"size {one.size[axis.dim]}, stride {one.stride[axis.dim]}"
        yield f"{key}: {axis.label!r}, size {axis.size}; it is {true}"
    elif axis.unused != (one.size[axis.dim] == 1):
        yield f"{key}: {axis.label!r} is {'' if axis.unused else 'not '}grey; its size is {axis.size}"


def _strip(table: Table, one: Layout) -> Iterator[str]:
    """The numbers of the slots that are drawn, and those of what is left out."""
    seen = 0
    for tile in table.tiles:
        slot = int(tile.below or tile.key.partition(":")[2])
        seen += 1
        if not 0 <= slot < one.slots:
            yield f"{table.key}: slot {slot} of {one.slots}"
        elif tile.full and tile.full != full(one.stored(slot), one.dtype):
            yield f"{table.key}: slot {slot} is said to hold {tile.full}, and holds {one.stored(slot)}"
    left_out = sum(gap.stop - gap.start for gap in table.gaps)
    if table.tiles and seen + left_out != one.slots:
        yield f"{table.key}: {seen} slots and {left_out} left out; the storage has {one.slots}"
