"""The picture of bits: a row of each dtype, what the bits of one of them mean as a sum, and its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tensorkit_widgets.bits.formats import Format, exact, exactly, neighbours, rough, written
from tensorkit_widgets.bits.words import GROUPS, group_words, rounding_words, sum_lines
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import code_lines
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import PAGE, Frame, Sheet, Table, Tile, Wire, paragraph
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.snapshot.adapter import Link

LEFT = 28.0
GAP = 8.0
TALL = 32.0


@dataclass(frozen=True, slots=True)
class Lines:
    """How bits lie on a page: how many in a line, and how wide each is. On a wide page 64 of them take two lines."""

    page: float = PAGE
    most: int = 32
    unit: float = 27.0

    @property
    def room(self) -> float:
        """What is left between the margins."""
        return self.page - 2 * LEFT

    @property
    def narrow(self) -> bool:
        """Whether a row's number has a line of its own, and neighbours stand under one another."""
        return self.page < PAGE


WIDE = Lines()
"""A page of the usual width."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The number that was meant before it was kept: what somebody wrote, exactly."""

    text: str
    number: Fraction | None


@dataclass(frozen=True, slots=True)
class BitRow:
    """One dtype's bits.

    ``kept`` are the bits that a cast has a place for (None: all), ``hidden`` ones are not known yet. ``pressed`` says
    whether its bits can be flipped, ``kin`` which bits of other rows mean the same as one; ``link`` and ``slot``
    link it with other pictures.
    """

    format: Format
    bits: int
    note: str = ""
    pressed: bool = True
    kept: frozenset[int] | None = None
    kin: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    hidden: bool = False
    link: Link | None = None
    slot: int | None = None
    key: str = ""

    @property
    def called(self) -> str:
        """What its tiles are called by: the dtype, unless two rows have the same."""
        return self.key or self.format.name

    @property
    def value(self) -> str:
        """The number as it stands in large type: exact, as far as there is room."""
        number = exact(self.bits, self.format)
        if number is None or self.format.kind == "bool" or number == 0:
            return written(self.bits, self.format)
        text = exactly(number, 24)
        whole = self.format.kind == "float" and "." not in text and "e" not in text
        return f"{text}." if whole else text


def _lines_of(rows: Sequence[BitRow], page: float) -> Lines:
    """Bits as large as the longest line allows; on a narrow page a line has 16 of them."""
    room = page - 2 * LEFT - 2 * GAP
    most = 32 if room / 32 >= 19 else 16
    longest = max((min(row.format.width, most) for row in rows), default=8)
    return Lines(page, most, min({8: 60.0, 16: 52.0}.get(longest, 27.0), int(room / longest * 2) / 2))


def _group_of(format: Format, place: int) -> int:
    """0 the sign, 1 the exponent, 2 what is left, of a bit counted from the lowest."""
    if format.kind == "float":
        return 0 if place == format.width - 1 else 1 if place >= format.mantissa else 2
    return 0 if format.kind == "int" and place == format.width - 1 else 2


def _start(row: BitRow, on: Lines) -> float:
    """Floats begin at the left, so that their signs stand under one another; integers end at the right."""
    if row.format.kind == "float":
        return LEFT
    used = min(row.format.width, on.most) * on.unit + (GAP if row.format.kind == "int" else 0)
    return on.page - LEFT - used


def _row_of_bits(row: BitRow, y: float, on: Lines) -> tuple[Table, list[Note], list[Wire], float]:
    """One row: its name, its number, its groups and its bits; and where it ends."""
    format, name = row.format, row.format.name
    notes, down = _head_of(row, y, on)
    top = y + down + (54 if _braces(row, 0.0, on) else 40)
    tiles, lines = [], -(-format.width // on.most)
    for place in range(format.width - 1, -1, -1):
        tiles.append(_bit(row, place, top, on))
    wires = _braces(row, top, on)
    table = Table(
        f"bits-{row.called}", f"the {format.width} bits of {name}",
        tuple(tuple(tiles[k * on.most : (k + 1) * on.most]) for k in range(lines)), told=False,
    )  # fmt: skip
    weights = 18 if format.width == 8 and format.kind != "bool" else 0
    return table, notes, wires, top + lines * TALL + weights


def _head_of(row: BitRow, y: float, on: Lines) -> tuple[list[Note], float]:
    """Name, number and note in a line, or in several on a narrow page; and how much lower these end."""
    value, note, down = "?" if row.hidden else row.value, "" if row.hidden else row.note, 0.0
    notes = [Note(LEFT, y + 26, row.format.name, "code")]
    beside = not on.narrow or len(value) * MONO * 25 <= on.room - 108
    if beside:
        notes.append(Note(LEFT + 108, y + 27, value, "value"))
    else:
        role = "value" if len(value) * MONO * 25 <= on.room else "sum"
        notes.append(Note(LEFT, y + 57, value, role))
        down += 30
    taken = 108 + len(value) * MONO * 25 + 24
    if not on.narrow or (beside and len(note) * 7.8 <= on.room - taken):
        notes.append(Note(on.page - LEFT, y + 26, note, "body", "end"))
    elif note:
        lines = wrap(note, on.room, 15)
        notes += paragraph(LEFT, y + 27 + down + 22, lines, "body", 20)
        down += 20.0 * len(lines) + 10
    return [n for n in notes if n.text], down


def _bit(row: BitRow, place: int, top: float, on: Lines) -> Tile:
    format = row.format
    at = format.width - 1 - place
    line, column = divmod(at, on.most)
    first, unit = format.width - 1 - line * on.most, on.unit
    x = _start(row, on) + column * unit + GAP * (_group_of(format, place) - _group_of(format, first))
    if format.kind == "int":
        x = _start(row, on) + column * unit + GAP * (place < format.width - 1)
    one, group = bool(row.bits >> place & 1), _group_of(format, place)
    weight, said = _weight(format, place)
    unused = format.kind == "bool" and place > 0
    dropped = unused or (row.kept is not None and place not in row.kept)
    kinds = ("ghost",) if row.hidden else ("grey",) if dropped else ("on",) if one else ("off",)
    return Tile(
        f"{row.called}:{place}", round(x, 2), top + line * TALL, unit, TALL - 4,
        "" if row.hidden else str(int(one)), f"{format.name}, {said}: {'not known yet' if row.hidden else int(one)}",
        kinds, row.kin.get(place, ()), below=weight if format.width == 8 and format.kind != "bool" else "",
        link=row.link, slot=row.slot, action="flip" if row.pressed and not unused else "",
        font=15.0 if unit < 24 else 18.0 if unit < 40 else 22.0, dim=GROUPS[group],
    )  # fmt: skip


def _weight(format: Format, place: int) -> tuple[str, str]:
    """What a bit counts: short under it, and in words."""
    if format.kind == "float":
        group = _group_of(format, place)
        if group == 0:
            return "", "the sign"
        if group == 1:
            return "", f"exponent bit that counts {1 << (place - format.mantissa)}"
        return "", f"mantissa bit that counts 2 to the {place - format.mantissa}"
    if format.kind == "bool":
        return "", "the one bit that counts" if place == 0 else "a bit that is not used"
    counts = (1 << place) * (-1 if format.kind == "int" and place == format.width - 1 else 1)
    return str(counts), f"counts {counts}"


def _braces(row: BitRow, top: float, on: Lines) -> list[Wire]:
    """A line over each group of bits, with what the group says."""
    format = row.format
    if format.kind == "bool" or (format.kind != "float" and format.width == 8):
        return []
    spans: list[tuple[int, int]] = [(format.width - 1, format.width - 1)]
    if format.kind == "float":
        spans += [(format.width - 2, format.mantissa), (format.mantissa - 1, max(0, format.width - on.most))]
    else:
        spans = spans * (format.kind == "int") + [
            (format.width - 1 - (format.kind == "int"), max(0, format.width - on.most))
        ]
    out = []
    for high, low in spans:
        x1, x2 = _bit(row, high, top, on).x + 2, _bit(row, low, top, on).x + on.unit - 2
        group = _group_of(format, high)
        words = group_words(row.bits, format, group, x2 - x1, row.hidden)
        out.append(Wire(((x1, top - 5), (x2, top - 5)), "", GROUPS[group], words, head=False))
    return out


_TILE = 236.0
_BETWEEN = (WIDE.room - 3 * _TILE) / 2
_STEP = 92.0
_WHICH = {"low": "the next smaller number", "this": "this number", "high": "the next larger number"}


def neighbour_table(
    bits: int, format: Format, y: float, press: bool, on: Lines
) -> tuple[Table | None, list[Wire], list[str]]:
    """A number between its two neighbours, each a tile that can be pressed, with the distances between them.

    On a narrow page the larger one stands above, the smaller one below.
    """
    low, high = neighbours(bits, format)
    if low is None and high is None:
        return None, [], []
    places = [(k, name) for k, name in enumerate((low, bits, high)) if name is not None]
    if on.narrow:
        places = places[::-1]
    tiles = tuple(_neighbour(k, found, format, _corner(k, y, low, high, on), press) for k, found in places)
    wires = [_distance(k, found, bits, format, tiles) for k, found in places if k != 1]
    told = [tile.label for tile in tiles if tile.key != "next:this"]
    label = f"the neighbours of this number in {format.name}"
    rows = tuple((tile,) for tile in tiles) if on.narrow else (tiles,)
    return Table("neighbours", label, rows, told=False), wires, told


def _corner(k: int, y: float, low: int | None, high: int | None, on: Lines) -> tuple[float, float]:
    """Where the smaller one, the number itself or the larger one stands."""
    if not on.narrow:
        return LEFT + k * (_TILE + _BETWEEN), y
    return LEFT, y + _STEP * ((2 if high is not None else 1) - k)


def _neighbour(k: int, bits: int, format: Format, corner: tuple[float, float], press: bool) -> Tile:
    """The smaller one, the number itself, or the larger one: 0, 1, 2."""
    key, number = tuple(_WHICH)[k], exact(bits, format)
    text = written(bits, format) if number is None or number == 0 else exactly(number, 20)
    font = min(18.0, int((_TILE - 16) / (MONO * max(len(text), 1))))
    return Tile(
        f"next:{key}", *corner, _TILE, 40, text, f"{_WHICH[key]}: {text}",
        ("lit",) if k == 1 else ("plain",), action="go" if press and k != 1 else "", full=written(bits, format),
        font=font,
    )  # fmt: skip


def _distance(k: int, found: int, bits: int, format: Format, tiles: Sequence[Tile]) -> Wire:
    """The arrow from the number to its neighbour, with how far it is."""
    one, other = exact(found, format), exact(bits, format)
    far = "" if one is None or other is None else rough(abs(one - other))
    places = {tile.key: tile for tile in tiles}
    here, there = places["next:this"], places["next:high" if k else "next:low"]
    if here.x == there.x:
        x, up = here.middle, here.y > there.y
        start, end = (here.y - 4, there.y + 44) if up else (here.y + 44, there.y - 4)
        return Wire(((x, start), (x, end)), "", None, far)
    x, y = min(here.x, there.x) + _TILE, here.y + 20
    ends = ((x + 4, y), (x + _BETWEEN - 4, y))
    return Wire(ends if k else ends[::-1], "", None, far)


def compose_bits(
    rows: Sequence[BitRow],
    focus: int,
    asked: Asked | None,
    title: str,
    fault: str = "",
    page: float = PAGE,
) -> Sheet:
    """All rows under one another, and the one in focus explained."""
    if fault or not rows:
        return _nothing(fault or "No dtype is chosen: switch one on above.", title, bool(fault), page)
    tables, notes, wires, y = rows_down(rows, 6, page=page)
    on = Lines(page)
    box, y, row = y + 6, y + 6, rows[focus]
    more, y, told = _meaning(row, asked, y, on)
    table, lines, said = neighbour_table(row.bits, row.format, y + 6, row.pressed, on)
    if table is not None:
        tables.append(table)
        y += 50 + _STEP * (len(table.rows) - 1)
    frames = (Frame(LEFT - 14, box, on.room + 28, y - box + 10),)
    words = (*map(_told, rows), "", *told, *said)
    spoken = f"{row.format.name} holds {row.value}" + (f" ({row.note})" if row.note else "")
    return Sheet(
        "BitView",
        title,
        y + 12,
        tuple(tables),
        (*notes, *more),
        frames,
        (*wires, *lines),
        words,
        spoken,
        width=page,
    )


def rows_down(
    rows: Sequence[BitRow], gap: float, y: float = 0.0, page: float = PAGE
) -> tuple[list[Table], list[Note], list[Wire], float]:
    """Rows under one another, bits of one width; and where they end."""
    tables, notes, wires, on = [], list[Note](), list[Wire](), _lines_of(rows, page)
    for row in rows:
        table, more, lines, y = _row_of_bits(row, y, on)
        tables.append(table)
        notes += more
        wires += lines
        y += gap
    return tables, notes, wires, y


def _nothing(sentence: str, title: str, fault: bool, page: float) -> Sheet:
    """A sentence in place of the bits."""
    lines = wrap(sentence, page - 2 * LEFT, 15)
    return Sheet(
        "BitView", title, 60 + 22.0 * len(lines), notes=paragraph(LEFT, 40, lines, "body", 22), words=(sentence,),
        said=sentence, status="unreadable" if fault else "empty", width=page,
    )  # fmt: skip


def _told(row: BitRow) -> str:
    """A row as words: its bits in their groups."""
    text = f"{row.bits:0{row.format.width}b}"
    if row.format.kind == "float":
        cut = 1 + row.format.exponent
        text = f"{text[0]} {text[1:cut]} {text[cut:]}"
    elif row.format.kind == "int":
        text = f"{text[0]} {text[1:]}"
    return f"{row.format.name:<9}{text}  {row.value}" + (f"  ({row.note})" if row.note else "")


def _meaning(row: BitRow, asked: Asked | None, y: float, on: Lines) -> tuple[list[Note], float, list[str]]:
    """The sum that the bits stand for, in large type, and what was lost."""
    large, small = sum_lines(row.bits, row.format)
    notes = [Note(LEFT, y + 26, f"What these bits of {row.format.name} mean", "heading")]
    y += 56
    for line in [part for words in large for part in code_lines(words, on.room, 20)]:
        notes.append(Note(LEFT, y, line, "sum"))
        y += 30
    for line in [part for words in small for part in wrap(words, on.room, 17 if on.narrow else 15)]:
        notes.append(Note(LEFT, y - 4, line, "body"))
        y += 22
    lost = rounding_words(row.bits, row.format, asked.text, asked.number) if asked else ""
    for line in wrap(lost, on.room, 15) if lost else ():
        notes.append(Note(LEFT, y - 4, line, "body"))
        y += 22
    return notes, y, [*large, *small, *([lost] if lost else [])]
