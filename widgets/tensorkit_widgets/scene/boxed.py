"""The picture of boxed numbers: a list's pointers, the boxes they lead to, and a tensor's buffer below."""

from __future__ import annotations

from dataclasses import dataclass

from tensorkit_widgets.boxed_model import Box, Listed, Measured
from tensorkit_widgets.numerals import full, short
from tensorkit_widgets.scene.parts import Note
from tensorkit_widgets.scene.sheet import PAGE, Frame, Sheet, Table, Tile, Wire, paragraph
from tensorkit_widgets.scene.words import wrap

__all__ = ["STEPS", "Buffered", "compose_boxed"]

STEPS = 3
"""After the list alone: its boxes, the tensor's buffer, and the bytes side by side."""

LEFT, SLOT, PLACE = 28.0, 62.0, 52.0


@dataclass(frozen=True, slots=True)
class Buffered:
    """The same numbers in a tensor: what its buffer holds, how many bytes that is; or why there is none."""

    dtype: str
    itemsize: int
    values: tuple[bool | int | float | complex, ...]
    numbers: int
    refusal: str = ""

    @property
    def nbytes(self) -> int:
        """Bytes of the whole buffer."""
        return self.itemsize * self.numbers


def compose_boxed(name: str, found: Measured, buffer: Buffered, at: int) -> Sheet:
    """One step of the story."""
    notes = [Note(LEFT, 34, name, "heading", after=_of_list(found))]
    outer, wires, y = _pointers(found, at)
    tables, frames = [outer], list[Frame]()
    if at >= 1:
        more, y = _targets(found, y)
        tables += more
        notes += _lines(y + 8, _of_boxes(found))
        y += 40
    if at >= 2:
        drawn, said, y = _buffer(buffer, y + 22)
        tables += drawn
        notes += said
    if at >= 3 and not buffer.refusal:
        bars, said = _bars(found, buffer, y + 16)
        frames += bars
        notes += said
        y += 120
    words = _words(name, found, buffer, at)
    return Sheet(
        "BoxedMemory", f"{name}, {found.numbers:,} numbers", y + 20, tuple(tables), tuple(notes), tuple(frames),
        wires if at >= 1 else (), words, words[-1],
    )  # fmt: skip


def _lines(y: float, words: str) -> tuple[Note, ...]:
    return paragraph(LEFT, y, wrap(words, PAGE - 2 * LEFT, 15), "body", 22)


def _of_list(found: Measured) -> str:
    some = "" if found.containers == 1 else f", {found.containers - 1:,} lists inside"
    return f"a list of {found.lists[0].length:,}{some}: sys.getsizeof says {found.outer_bytes:,} bytes"


def _of_boxes(found: Measured) -> str:
    kinds = sorted({box.kind for box in found.boxes})
    each = sorted({box.nbytes for box in found.boxes})
    size = f"{each[0]}" if len(each) == 1 else f"{each[0]} to {each[-1]}" if each else "0"
    shared = found.numbers - found.boxed
    words = f"Every number is an object of its own ({', '.join(kinds)}), {size} bytes: its value, its type, and a "
    words += "count of who uses it."
    if shared:
        words += f" {shared:,} of the {found.numbers:,} places point at a box that another place uses too."
    if found.boxes and all(isinstance(box.value, int) and -5 <= box.value <= 256 for box in found.boxes):
        words += " (CPython makes the boxes of small whole numbers once, for the whole program.)"
    return words if found.boxes else "There are no numbers."


def _pointers(found: Measured, at: int) -> tuple[Table, tuple[Wire, ...], float]:
    """The outer list's places, and the wires from them to where they lead: across the page, or down it for lists."""
    outer, flat = found.lists[0], _flat(found)
    said = f"the list itself: its length is {outer.length:,}"
    rows = [[Tile("list:0:head", LEFT, TOP, 118, PLACE, "list", said, ("head",), font=16)]]
    wires = []
    for k, target in enumerate(outer.targets if flat else outer.targets[: len(found.lists) - 1]):
        x, y = (LEFT + 118 + k * SLOT, TOP) if flat else (LEFT + 56, DOWN + k * INNER)
        kin = (target,) if target.startswith("box") else (f"{target}:head",)
        said = f"place {k}: 8 bytes that say where its {'box' if target.startswith('box') else 'list'} is"
        place = Tile(
            f"list:0:{k}", x, y, SLOT, PLACE, "•", said, ("plain",), kin if at else (), below=str(k) if flat else "",
            tag="" if flat else str(k), font=26,
        )  # fmt: skip
        rows = [[*rows[0], place]] if flat else [*rows, [place]]
        end = _where(found, target)
        if end is not None:
            start = (x + SLOT / 2, y + PLACE + 22) if flat else (x + SLOT, y + PLACE / 2)
            wires.append(Wire((start, end), "faint", ends=(f"list:0:{k}", *kin)))
    shown = sum(len(row) for row in rows) - 1
    if outer.length > shown:
        words = f"{outer.length - shown:,} more"
        x, y = (LEFT + 118 + shown * SLOT, TOP) if flat else (LEFT + 30, DOWN + shown * INNER - 24)
        rows[-1 if not flat else 0].append(
            Tile(
                "list:0:more", x, y, 110, PLACE if flat else 24, words, f"{words} places", ("quiet",), font=14
            )
        )
    table = Table("list", "the list: a length, and one pointer for each place", tuple(map(tuple, rows)))
    low = TOP + PLACE + 22 if flat else DOWN + (len(rows) - 1) * INNER + (24 if outer.length > shown else 0)
    return table, tuple(wires), low


TOP, DOWN, INNER = 60.0, 140.0, 92.0
BOX_W, BOX_H, BOXES = 104.0, 66.0, 214.0


def _where(found: Measured, target: str) -> tuple[float, float] | None:
    """Where the wire to a box or a list ends; None when it is not drawn."""
    kind, _, number = target.partition(":")
    k = int(number)
    if kind == "list":
        return (LEFT + 180 - 2, DOWN + (k - 1) * INNER + PLACE / 2) if 1 <= k < len(found.lists) else None
    places = [at for at, _ in _shown(found)]
    return (LEFT + 60 + BOX_W / 2 + places.index(k) * (BOX_W + 34), BOXES) if k in places else None


def _flat(found: Measured) -> bool:
    """Whether the outer list holds numbers, not lists."""
    return all(target.startswith("box") for target in found.lists[0].targets)


def _shown(found: Measured) -> list[tuple[int, Box]]:
    """The boxes that the outer list's visible places lead to, once each."""
    numbers = dict.fromkeys(int(target[4:]) for target in found.lists[0].targets if target.startswith("box"))
    return [(k, found.boxes[k]) for k in numbers if k < len(found.boxes)][:6]


def _targets(found: Measured, y: float) -> tuple[list[Table], float]:
    if not found.lists[0].targets:
        return [], y + 20
    if _flat(found):
        row = tuple(
            _box(k, box, LEFT + 60 + n * (BOX_W + 34), BOXES + 2) for n, (k, box) in enumerate(_shown(found))
        )
        return [Table("boxes", "the boxes, somewhere in memory", (row,))], BOXES + BOX_H + 44
    inner = found.lists[1:]
    tables = [_inner(k + 1, one, found, DOWN + k * INNER) for k, one in enumerate(inner)]
    more = 24 if found.lists[0].length > len(inner) else 0
    return tables, DOWN + len(inner) * INNER + 14 + more


def _box(number: int, box: Box, x: float, y: float) -> Tile:
    value = short(box.value, "float64")
    said = f"a box of {box.nbytes} bytes: {box.kind} {full(box.value, 'float64')}, used by {box.pointed}"
    return Tile(
        f"box:{number}", x, y, BOX_W, BOX_H, value, said, (), tag=box.kind, below=f"{box.nbytes} bytes",
        badge=f"×{box.pointed}" if box.pointed > 1 else "", font=22,
    )  # fmt: skip


def _inner(number: int, one: Listed, found: Measured, y: float) -> Table:
    """One of the inner lists: its places, with the numbers that their boxes hold."""
    told = f"a list of {one.length:,}, {one.nbytes} bytes"
    tiles = [Tile(f"list:{number}:head", LEFT + 180, y, 110, 56, "list", told, ("head",),
                  font=16, below=f"{one.nbytes} bytes")]  # fmt: skip
    for k, target in enumerate(one.targets):
        x = LEFT + 308 + k * 98
        if target.startswith("box") and int(target[4:]) < len(found.boxes):
            box = found.boxes[int(target[4:])]
            said = f"place {k} points at a box of {box.nbytes} bytes: {box.kind} {full(box.value, 'float64')}"
            tiles.append(Tile(f"in:{number}:{k}", x, y, 90, 56, short(box.value, "float64"), said, (),
                              tag=f"→ {box.kind}", below=f"8 + {box.nbytes} bytes", font=20))  # fmt: skip
        else:
            tiles.append(
                Tile(f"in:{number}:{k}", x, y, 90, 56, "…", f"place {k} points at another list", ("plain",))
            )
    return Table(f"list:{number}", f"list {number} inside", (tuple(tiles),))


def _buffer(buffer: Buffered, y: float) -> tuple[list[Table], tuple[Note, ...], float]:
    if buffer.refusal:
        return [], _lines(y + 14, buffer.refusal), y + 40
    head = Note(
        LEFT,
        y + 8,
        "the same in a tensor",
        "heading",
        after=f"{buffer.numbers:,} × {buffer.dtype}, in one piece",
    )
    unit = min(84.0, (PAGE - 2 * LEFT - 120) / max(len(buffer.values), 1))
    tiles = [
        Tile(f"slot:{k}", LEFT + k * unit, y + 24, unit, 56, short(value, buffer.dtype),
             f"slot {k}: {full(value, buffer.dtype)}, {buffer.itemsize} bytes, from byte {k * buffer.itemsize}",
             below=f"byte {k * buffer.itemsize}" if unit > 60 else str(k * buffer.itemsize), font=min(22.0, unit / 4))
        for k, value in enumerate(buffer.values)
    ]  # fmt: skip
    if buffer.numbers > len(buffer.values):
        left, x = buffer.numbers - len(buffer.values), LEFT + len(tiles) * unit
        tiles.append(
            Tile(
                "slot:more", x, y + 24, 116, 56, f"{left:,} more", f"{left:,} more slots", ("quiet",), font=14
            )
        )
    table = Table(
        "buffer", f"the tensor's storage, {buffer.nbytes:,} bytes", (tuple(tiles),) if tiles else ()
    )
    return [table], (head,), y + 24 + 56 + 30


def _bars(found: Measured, buffer: Buffered, y: float) -> tuple[list[Frame], tuple[Note, ...]]:
    """The bytes of both as lengths."""
    room = PAGE - 2 * LEFT - 250
    most = max(found.total, buffer.nbytes, 1)
    frames, notes = list[Frame](), list[Note]()
    for k, (words, nbytes, kind) in enumerate(
        (("list and boxes", found.total, "alarm"), ("tensor's numbers", buffer.nbytes, "chosen"))
    ):
        top = y + k * 46
        frames.append(Frame(LEFT + 150, top, max(2.0, room * nbytes / most), 30, kind, 4.0))
        notes.append(Note(LEFT + 140, top + 21, words, "body", "end"))
        notes.append(Note(LEFT + 160 + room * nbytes / most, top + 22, f"{nbytes:,} bytes", "big"))
    return frames, tuple(notes)


def _words(name: str, found: Measured, buffer: Buffered, at: int) -> tuple[str, ...]:
    out = [
        f"sys.getsizeof({name}) is {found.outer_bytes:,} bytes: a list is a row of pointers, 8 bytes for each place."
    ]
    if at >= 1:
        out.append(_of_boxes(found))
        out.append(
            f"Lists and boxes together: {found.list_bytes:,} + {found.box_bytes:,} = {found.total:,} bytes."
        )
    if at >= 2:
        if buffer.refusal:
            out.append(buffer.refusal)
        else:
            out.append(f"The tensor's storage holds the numbers themselves, {buffer.itemsize} bytes each, side by "
                       f"side: {buffer.nbytes:,} bytes.")  # fmt: skip
    if at >= 3 and not buffer.refusal and buffer.nbytes:
        out.append(f"That is {found.total / buffer.nbytes:.1f} times less, and one number is found from the next by "
                   "adding, not by following a pointer.")  # fmt: skip
    return tuple(out)
