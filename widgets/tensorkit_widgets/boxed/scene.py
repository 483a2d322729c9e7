"""The picture of boxed numbers: a list's pointers, the boxes they lead to, and a tensor's buffer below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tensorkit_widgets.boxed.model import Box, Listed, Measured
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import headed
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import PAGE, Frame, Sheet, Table, Tile, Wire, paragraph
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.snapshot.number_text import full, short

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


def compose_boxed(name: str, found: Measured, buffer: Buffered, at: int, page: float = PAGE) -> Sheet:
    """One step of the story. On a narrow page the list goes down the page, with what it points at beside it."""
    across = _across(found, page)
    if across:
        notes, down = [Note(LEFT, 34, name, "heading", after=_of_list(found))], 0.0
        outer, wires, y = _pointers(found, at)
    else:
        notes, down = headed(LEFT, 34, name, _of_list(found), page - 2 * LEFT)
        outer, wires, y = _column(found, at, TOP + down)
    tables, frames = [outer], list[Frame]()
    if at >= 1:
        more, y = _targets(found, y) if across else _beside(found, y, TOP + down, page)
        tables += more
        told = _lines(y + 8, _of_boxes(found), page)
        notes += told
        y += 40 if page == PAGE else 18 + 22.0 * len(told)
    if at >= 2:
        drawn, said, y = _buffer(buffer, y + 22, page)
        tables += drawn
        notes += said
    if at >= 3 and not buffer.refusal:
        bars, said, y = _bars(found, buffer, y + 16, page)
        frames += bars
        notes += said
    words = _words(name, found, buffer, at)
    return Sheet(
        "BoxedMemory", f"{name}, {found.numbers:,} numbers", y + 8, tuple(tables), tuple(notes), tuple(frames),
        wires if at >= 1 else (), words, words[-1],
        width=page,
    )  # fmt: skip


def _across(found: Measured, page: float) -> bool:
    """Whether a page is wide enough for the list across it and its boxes below."""
    targets = found.lists[0].targets
    heading = len(_of_list(found)) * 7.6 + 120
    if not _flat(found):
        wide = 308.0 + 98 * max((len(one.targets) for one in found.lists[1:]), default=0)
    else:
        more = 110 * (found.lists[0].length > len(targets))
        wide = max(118 + SLOT * len(targets) + more, 60 + (BOX_W + 34) * len(_shown(found)))
    return page == PAGE or LEFT + max(wide, heading) <= page - LEFT


def _lines(y: float, words: str, page: float) -> tuple[Note, ...]:
    return paragraph(LEFT, y, wrap(words, page - 2 * LEFT, 15), "body", 22)


def _of_list(found: Measured) -> str:
    some = "" if found.containers == 1 else f", {found.containers - 1:,} lists inside"
    return f"a list of {found.lists[0].length:,}{some}: sys.getsizeof says {found.outer_bytes:,} bytes"


def _of_boxes(found: Measured) -> str:
    kinds = sorted({box.kind for box in found.boxes})
    each = sorted({box.nbytes for box in found.boxes})
    size = f"{each[0]}" if len(each) == 1 else f"{each[0]} to {each[-1]}" if each else "0"
    shared = found.shared
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


def _column(found: Measured, at: int, top: float) -> tuple[Table, tuple[Wire, ...], float]:
    """The outer list down a narrow page: its head, its places, and the wires to the boxes or lists beside them."""
    outer, flat = found.lists[0], _flat(found)
    pitch = PLACE if flat else INNER
    targets = outer.targets if flat else outer.targets[: len(found.lists) - 1]
    said, y = f"the list itself: its length is {outer.length:,}", top + PLACE + (0 if flat else 20)
    rows = [(Tile("list:0:head", LEFT, top, SLOT, PLACE, "list", said, ("head",), font=16),)]
    wires = []
    for k, target in enumerate(targets):
        kin = (target,) if target.startswith("box") else (f"{target}:head",)
        said = f"place {k}: 8 bytes that say where its {'box' if target.startswith('box') else 'list'} is"
        place = Tile(
            f"list:0:{k}",
            LEFT,
            y + k * pitch,
            SLOT,
            PLACE,
            "•",
            said,
            ("plain",),
            kin if at else (),
            str(k),
            font=26,
        )
        rows.append((place,))
        end = _ends(found, top)(target)
        if end is not None:
            wires.append(Wire(((LEFT + SLOT, place.y + PLACE / 2), end), "faint", ends=(place.key, *kin)))
    low = y + len(targets) * pitch
    if outer.length > len(targets):
        words = f"{outer.length - len(targets):,} more"
        rows.append((Tile("list:0:more", LEFT, low, 90, 28, words, f"{words} places", ("quiet",), font=14),))
        low += 30
    return Table("list", "the list: a length, and one pointer for each place", tuple(rows)), tuple(wires), low


def _ends(found: Measured, top: float) -> Callable[[str], tuple[float, float] | None]:
    """Where the wire to a box or a list ends on a narrow page; None when it is not drawn."""
    places = [f"box:{k}" for k, _ in _shown(found)]

    def end(target: str) -> tuple[float, float] | None:
        if target in places:
            return LEFT + BESIDE - 3, top + places.index(target) * BOX_PITCH + BOX_H / 2
        kind, _, number = target.partition(":")
        if kind == "box" or not 1 <= int(number) < len(found.lists):
            return None
        return LEFT + APART - 3, top + PLACE + 20 + (int(number) - 1) * INNER + PLACE / 2

    return end


def _beside(found: Measured, y: float, top: float, page: float) -> tuple[list[Table], float]:
    """What the list points at, at the right of it."""
    if not found.lists[0].targets:
        return [], y + 20
    if _flat(found):
        boxes = [_box(k, box, LEFT + BESIDE, top + n * BOX_PITCH) for n, (k, box) in enumerate(_shown(found))]
        table = Table("boxes", "the boxes, somewhere in memory", tuple((box,) for box in boxes))
        return [table], max(y, top + len(boxes) * BOX_PITCH) + 20
    inner = found.lists[1:]
    across = max((len(one.targets) for one in inner), default=1)
    unit = min(90.0, (page - 2 * LEFT - APART - 58) / max(across, 1))
    tables = [
        _inner(k + 1, one, found, (LEFT + APART, top + PLACE + 20 + k * INNER), (54.0, unit))
        for k, one in enumerate(inner)
    ]
    return tables, y + 30


BESIDE, APART, BOX_PITCH = 172.0, 92.0, 96.0
TOP, DOWN, INNER = 48.0, 126.0, 92.0
BOX_W, BOX_H, BOXES = 104.0, 58.0, 176.0


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
        return [Table("boxes", "the boxes, somewhere in memory", (row,))], BOXES + BOX_H + 40
    inner = found.lists[1:]
    tables = [_inner(k + 1, one, found, (LEFT + 180, DOWN + k * INNER)) for k, one in enumerate(inner)]
    more = 24 if found.lists[0].length > len(inner) else 0
    return tables, DOWN + len(inner) * INNER + 14 + more


def _box(number: int, box: Box, x: float, y: float) -> Tile:
    value = short(box.value, "float64")
    said = f"a box of {box.nbytes} bytes: {box.kind} {full(box.value, 'float64')}, used by {box.pointed}"
    return Tile(
        f"box:{number}", x, y, BOX_W, BOX_H, value, said, (), tag=box.kind, below=f"{box.nbytes} bytes",
        badge=f"×{box.pointed}" if box.pointed > 1 else "", font=22,
    )  # fmt: skip


def _inner(
    number: int,
    one: Listed,
    found: Measured,
    corner: tuple[float, float],
    widths: tuple[float, float] | None = None,
) -> Table:
    """One of the inner lists: its places, with the numbers that their boxes hold; ``widths`` of a narrow page."""
    (left, y), narrow = corner, widths is not None
    head, unit = widths or (110.0, 98.0)
    first, wide = (left + head + 4, unit) if narrow else (left + 128, 90.0)
    told = f"a list of {one.length:,}, {one.nbytes} bytes"
    below = f"{one.nbytes} B" if narrow else f"{one.nbytes} bytes"
    tiles = [Tile(f"list:{number}:head", left, y, head, 56, "list", told, ("head",), font=16, below=below)]
    for k, target in enumerate(one.targets):
        x = first + k * unit
        if target.startswith("box") and int(target[4:]) < len(found.boxes):
            box = found.boxes[int(target[4:])]
            said = f"place {k} points at a box of {box.nbytes} bytes: {box.kind} {full(box.value, 'float64')}"
            text = short(box.value, "float64")
            tag = f"→ {box.kind}" if wide >= 60 else box.kind if wide >= 44 else ""
            below = f"8 + {box.nbytes} bytes" if not narrow else f"8 + {box.nbytes}" if wide >= 48 else ""
            font = min(20.0, max(7.0, (wide - 6) / (MONO * len(text)))) if narrow else 20.0
            tiles.append(
                Tile(f"in:{number}:{k}", x, y, wide, 56, text, said, (), tag=tag, below=below, font=font)
            )
        else:
            tiles.append(
                Tile(f"in:{number}:{k}", x, y, wide, 56, "…", f"place {k} points at another list", ("plain",))
            )
    return Table(f"list:{number}", f"list {number} inside", (tuple(tiles),))


def _buffer(buffer: Buffered, y: float, page: float) -> tuple[list[Table], tuple[Note, ...], float]:
    if buffer.refusal:
        told = _lines(y + 14, buffer.refusal, page)
        return [], told, y + 18 + 22 * len(told)
    after = f"{buffer.numbers:,} × {buffer.dtype}, in one piece"
    notes, down = headed(LEFT, y + 8, "the same in a tensor", after, page - 2 * LEFT)
    if page < PAGE and 66 * len(buffer.values) > page - 2 * LEFT - 120:
        return _in_rows(buffer, y + 24 + down, page, tuple(notes))
    unit = min(84.0, (page - 2 * LEFT - 120) / max(len(buffer.values), 1))
    tiles = [
        _stored(buffer, k, (LEFT + k * unit, y + 24), unit, min(22.0, unit / 4))
        for k in range(len(buffer.values))
    ]
    tiles += _more(buffer, (LEFT + len(tiles) * unit, y + 24), 116.0)
    return [_storage(buffer, (tuple(tiles),) if tiles else ())], tuple(notes), y + 24 + 56 + 30


def _in_rows(
    buffer: Buffered, y: float, page: float, notes: tuple[Note, ...]
) -> tuple[list[Table], tuple[Note, ...], float]:
    """The slots on a narrow page, in as many rows as it takes."""
    values, room = buffer.values, page - 2 * LEFT
    rest = buffer.numbers > len(values)
    across = max(1, min(len(values) + rest, int(room / 66)))
    unit = min(84.0, room / across)
    longest = max((len(short(value, buffer.dtype)) for value in values), default=1)
    font = max(9.0, min(22.0, int((unit - 10) / (longest * MONO))))
    rows: list[tuple[Tile, ...]] = []
    for start in range(0, len(values), across):
        top = y + len(rows) * 86
        rows.append(
            tuple(
                _stored(buffer, k, (LEFT + (k - start) * unit, top), unit, font)
                for k in range(start, min(start + across, len(values)))
            )
        )
    if rest:
        line, place = divmod(len(values), across)
        more = _more(buffer, (LEFT + place * unit, y + line * 86), unit)
        rows = [*rows[:line], (*(rows[line] if line < len(rows) else ()), *more)]
    return [_storage(buffer, tuple(rows))], notes, y + 86 * len(rows)


def _stored(buffer: Buffered, k: int, corner: tuple[float, float], unit: float, font: float) -> Tile:
    """A slot of the tensor's storage."""
    value, byte = buffer.values[k], k * buffer.itemsize
    said = f"slot {k}: {full(value, buffer.dtype)}, {buffer.itemsize} bytes, from byte {byte}"
    below = f"byte {byte}" if unit > 60 else str(byte)
    return Tile(f"slot:{k}", *corner, unit, 56, short(value, buffer.dtype), said, below=below, font=font)


def _more(buffer: Buffered, corner: tuple[float, float], width: float) -> list[Tile]:
    """How many slots are not drawn, if any."""
    left = buffer.numbers - len(buffer.values)
    said = f"{left:,} more slots"
    tile = Tile("slot:more", *corner, width, 56, f"{left:,} more", said, ("quiet",), font=14)
    return [replace(tile, font=max(7.0, min(14.0, width / (MONO * len(tile.text)))))] if left > 0 else []


def _storage(buffer: Buffered, rows: tuple[tuple[Tile, ...], ...]) -> Table:
    return Table("buffer", f"the tensor's storage, {buffer.nbytes:,} bytes", rows)


def _bars(
    found: Measured, buffer: Buffered, y: float, page: float
) -> tuple[list[Frame], tuple[Note, ...], float]:
    """The bytes of both as lengths; on a narrow page under their words."""
    narrow = page < PAGE
    room = page - 2 * LEFT - (0 if narrow else 250)
    most = max(found.total, buffer.nbytes, 1)
    frames, notes = list[Frame](), list[Note]()
    for k, (words, nbytes, kind) in enumerate(
        (("list and boxes", found.total, "alarm"), ("tensor's numbers", buffer.nbytes, "chosen"))
    ):
        top = y + k * (66 if narrow else 38)
        if narrow:
            notes.append(Note(LEFT, top + 12, words, "body", after=f"{nbytes:,} bytes"))
            frames.append(Frame(LEFT, top + 20, max(2.0, room * nbytes / most), 30, kind, 4.0))
            continue
        frames.append(Frame(LEFT + 150, top, max(2.0, room * nbytes / most), 30, kind, 4.0))
        notes.append(Note(LEFT + 140, top + 21, words, "body", "end"))
        notes.append(Note(LEFT + 160 + room * nbytes / most, top + 22, f"{nbytes:,} bytes", "big"))
    return frames, tuple(notes), y + (132 if narrow else 78)


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
