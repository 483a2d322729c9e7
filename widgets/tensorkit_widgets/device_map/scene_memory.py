"""One memory of the device map: its name, how full it is, and a card for each storage in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tensorkit_widgets.device_map.model import DevicePage
from tensorkit_widgets.device_map.words import holder_words, inside_words, memory_words, ran_words, view_words
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import clipped
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import Frame, Table, Tile
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.namespace.model import Holder, Storage
from tensorkit_widgets.namespace.sentences import bytes_words
from tensorkit_widgets.namespace.words import label_of, names_of

PAD = 12.0
LINE = 28.0
UNDER = 17.0
GAP = 8.0
FONT = 16.0
HOLDERS = 3
HOLES = 2
SMALL = 6.9
"""The width of a letter of small words."""
_LETTER = (11.6, 14.5)
"""The width of a letter of a memory's name, small and capital."""


@dataclass
class Panel:
    """What is drawn of a memory, so far down to ``y``. ``places`` are the middles of the cards, by their storage."""

    device: str
    x: float
    y: float
    width: float
    top: float = 0.0
    height: float = 0.0
    notes: list[Note] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    rows: list[tuple[Tile, ...]] = field(default_factory=list)
    places: dict[int, float] = field(default_factory=dict)
    folded: int = 0

    @property
    def table(self) -> Table | None:
        """The tensors: one stop of the Tab key."""
        if not self.rows:
            return None
        return Table(f"m:{self.device}", f"tensors on {self.device}", tuple(self.rows), told=False)

    def small(self, words: str, role: str = "muted") -> None:
        """A line of words."""
        self.notes.append(Note(self.x + PAD, self.y + 14, clipped(words, self.width - 2 * PAD, 11.4), role))
        self.y += 19


def tile_keys(storage: Storage) -> tuple[str, ...]:
    """The keys of a storage's tensors."""
    return tuple(f"t{storage.number}:{holder.number}" for holder in storage.holders[:HOLDERS])


def _lines(page: DevicePage, device: str, brief: bool) -> list[str]:
    """What ran here, and what was copied without leaving."""
    work = ran_words(page.record.ran_on(device)).removesuffix(f" ran on {device}")
    inside = inside_words(page, device)
    ran = f"{work} ran here" if work else ""
    lines = [words for words in (ran, f"↻ {inside}" if inside else "") if words]
    return [", ".join(lines)] if brief and lines else lines


def _high(storage: Storage, width: float) -> float:
    high = 2.0 * 6 - 4
    for holder in storage.holders[:HOLDERS]:
        high += LINE + (0 if _fits(storage, holder, width) else UNDER)
    return high + (UNDER if len(storage.holders) > HOLDERS else 0)


def _fits(storage: Storage, holder: Holder, width: float) -> bool:
    """Whether all that is said of a tensor stands in one line."""
    words = len(_about(storage, holder)) + len(_right(storage, holder))
    return len(label_of(holder)) * MONO * FONT + words * SMALL + 3.4 * PAD + 16 <= width - 2 * PAD


def _about(storage: Storage, holder: Holder) -> str:
    view = view_words(storage, holder)
    return f"{view}, {holder_words(holder)}" if view else holder_words(holder)


def _right(storage: Storage, holder: Holder) -> str:
    if holder is not storage.holders[0]:
        return ""
    pinned = "pinned, " if storage.pinned else ""
    return pinned + ("no memory" if storage.device == "meta" else bytes_words(storage.nbytes))


def _freed(page: DevicePage, device: str, brief: bool) -> list[Storage]:
    """The storages whose holes are drawn."""
    freed = {change.storage for change in page.change.of("freed")}
    return [s for s in page.gone if s.device == device and s.number in freed][: 0 if brief else HOLES]


def _full(page: DevicePage, device: str, width: float, brief: bool) -> list[str]:
    """How full it is, in lines that fit; a brief panel says it beside its name."""
    return (
        []
        if brief
        else [line for words in memory_words(page, device) for line in wrap(words, width - 2 * PAD, 12.6)]
    )


def _head(page: DevicePage, device: str, width: float, brief: bool) -> float:
    return 40.0 + 19 * len(_full(page, device, width, brief))


def needed(page: DevicePage, device: str, width: float, brief: bool = False) -> float:
    """How high a panel is that shows everything."""
    cards = sum(_high(s, width) + GAP for s in page.snapshot.on(device))
    holes = (34.0 + GAP) * len(_freed(page, device, brief))
    return (
        _head(page, device, width, brief)
        + (cards + holes or 30)
        + 19.0 * len(_lines(page, device, brief))
        + 6
    )


def _chosen(page: DevicePage, device: str, width: float, room: float) -> tuple[list[Storage], int]:
    """The storages that there is room for, those first that the step had to do with; and how many are folded."""
    storages = page.snapshot.on(device)
    ends = {number for one in page.record.crossing for number in one.ends}
    touched = ends | {c.storage for c in page.change.changes if c.fate in ("made", "changed")}
    taken: list[Storage] = []
    for storage in sorted(storages, key=lambda s: (s.number not in touched, s.number)):
        high = _high(storage, width) + GAP
        if high > room and taken:
            break
        taken.append(storage)
        room -= high
    return sorted(taken, key=lambda s: s.number), len(storages) - len(taken)


def memory_panel(
    page: DevicePage, device: str, box: tuple[float, float, float, float], after: str, brief: bool = False
) -> Panel:
    """A memory at ``box`` = (x, y, width, height).

    Args:
        after: what stands behind its name.
        brief: whether to say it in as few lines as can be.
    """
    x, top, width, height = box
    panel = Panel(device, x, top, width, top)
    _title(panel, f"{after}, {memory_words(page, device)[0]}" if brief else after)
    for words in _full(page, device, width, brief):
        panel.small(words)
    panel.y += 6
    lines, holes = _lines(page, device, brief), _freed(page, device, brief)
    room = top + height - panel.y - 19 * len(lines) - (34 + GAP) * len(holes) - 6
    whole = sum(_high(s, width) + GAP for s in page.snapshot.on(device)) <= room
    shown, panel.folded = _chosen(page, device, width, room if whole else room - 19)
    for storage in shown:
        _card(panel, page, storage)
    _rest(panel, page, holes)
    panel.y = max(panel.y, top + height - 19 * len(lines) - 6)
    for words in lines:
        panel.small(words, "body" if words[0] != "↻" else "muted")
    panel.height = max(height, panel.y + 6 - top)
    panel.frames.insert(0, Frame(x, top, width, panel.height, "card"))
    panel.y = top + panel.height
    return panel


def _title(panel: Panel, after: str) -> None:
    name = "CPU" if panel.device == "cpu" else panel.device
    panel.notes.append(Note(panel.x + PAD, panel.top + 26, name, "title"))
    beside = panel.x + PAD + _LETTER[name.isupper()] * len(name) + 10
    words = clipped(after, panel.x + panel.width - PAD - beside, 11.4)
    panel.notes.append(Note(beside, panel.top + 26, words, "muted"))
    panel.y = panel.top + 34


def _rest(panel: Panel, page: DevicePage, holes: Sequence[Storage]) -> None:
    """What is freed leaves a hole; what has no room is counted."""
    for storage in holes:
        inner = panel.width - 2 * PAD
        panel.frames.append(Frame(panel.x + PAD, panel.y, inner, 34, "hole", 6.0))
        words = f"freed: {bytes_words(storage.nbytes)}, {names_of(storage)} stood here"
        panel.notes.append(Note(panel.x + 2 * PAD, panel.y + 22, clipped(words, inner - PAD, 11.4), "muted"))
        panel.y += 34 + GAP
    if panel.folded:
        plural = "" if panel.folded == 1 else "s"
        panel.small(f"and {panel.folded} more storage{plural}")
    if not page.snapshot.on(panel.device) and not holes:
        panel.small("nothing of yours is here")


def _card(panel: Panel, page: DevicePage, storage: Storage) -> None:
    """A storage: a line for each tensor that stands on it."""
    top, inner = panel.y, panel.width - 2 * PAD
    high = _high(storage, panel.width)
    change = page.change.change(storage.number)
    fate = change.fate if change is not None else ""
    kind = {"made": "made", "changed": "wrote"}.get(fate, "panel")
    panel.frames.append(Frame(panel.x + PAD, top, inner, high, kind, 6.0))
    panel.places[storage.number] = top + high / 2
    panel.y += 4
    for holder in storage.holders[:HOLDERS]:
        _tensor(panel, storage, holder, fate)
    rest = len(storage.holders) - HOLDERS
    if rest > 0:
        panel.notes.append(Note(panel.x + 2 * PAD, panel.y + 12, f"and {rest} more on it", "small tk-muted"))
    panel.y = top + high + GAP


def _tensor(panel: Panel, storage: Storage, holder: Holder, fate: str) -> None:
    x, y, inner = panel.x + PAD + 4, panel.y, panel.width - 2 * PAD - 8
    about, right, one_line = (
        _about(storage, holder),
        _right(storage, holder),
        _fits(storage, holder, panel.width),
    )
    room = inner - len(right) * SMALL - 10
    name = clipped(label_of(holder), room - 12, FONT)
    wide = min(len(name) * MONO * FONT + 16, room)
    new = {"made": ", made by this step", "changed": ", changed in place by this step"}.get(fate, "")
    said = f"{label_of(holder)}: {about}, on {storage.device}{', ' + right if right else ''}{new}"
    key = f"t{storage.number}:{holder.number}"
    kin = tuple(other for other in tile_keys(storage) if other != key)
    panel.rows.append((Tile(key, x, y, wide, 26, name, said, ("quiet",), kin, font=FONT, start=True),))
    if right:
        panel.notes.append(Note(x + inner - 6, y + 18, right, "small", "end"))
    if one_line:
        panel.notes.append(Note(x + wide + 4, y + 18, about, "small tk-muted"))
    else:
        words = clipped(about, inner - 12, 11.2)
        panel.notes.append(Note(x + 10, y + LINE + 10, words, "small tk-muted"))
    panel.y += LINE + (0 if one_line else UNDER)
