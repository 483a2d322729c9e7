"""What was carried between the memories: an arrow for each transfer, with how much it is, by what, and for how long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tensorkit_widgets.device_map.model import DevicePage, Refused, Transfer
from tensorkit_widgets.device_map.scene_memory import Panel, tile_keys
from tensorkit_widgets.device_map.words import (
    amount,
    by_words,
    details,
    model_words,
    refused_words,
    time_words,
    transfer_words,
)
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import clipped
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import Frame, Table, Tile, Wire
from tensorkit_widgets.drawing.words import wrap

WIDE, HIGH = 180.0, 34.0
BRIEF, UNDER = 3, (58.0, 41.0)
"""With more rows than that the line of code is left out: what stands under a tile is so high, and only so high."""
FONT = 16.0
MOST_REFUSED = 2


@dataclass
class Channel:
    """What is drawn between the memories."""

    y: float = 0.0
    notes: list[Note] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    rows: list[tuple[Tile, ...]] = field(default_factory=list)

    @property
    def table(self) -> Table:
        """The transfers: one stop of the Tab key."""
        return Table("transfers", "what was carried between the memories", tuple(self.rows), told=False)


@dataclass(frozen=True)
class _Row:
    """A transfer, or a refusal, with where it would like to stand."""

    what: Transfer | Refused
    key: str
    wanted: float


def refusals(page: DevicePage) -> tuple[Refused, ...]:
    """The refusals that are drawn, each once."""
    return tuple(dict.fromkeys(page.record.refused))[:MOST_REFUSED]


def _kin(page: DevicePage, numbers: Iterable[int | None]) -> tuple[str, ...]:
    ends = set(numbers)
    storages = (s for s in page.snapshot.storages if s.number in ends)
    return tuple(key for storage in storages for key in tile_keys(storage))


def _tile(page: DevicePage, row: _Row, x: float, y: float, wide: float) -> Tile:
    one = row.what
    if isinstance(one, Refused):
        text, said = f"{one.by.strip('_')} ×", refused_words(one, page)
        kin = _kin(page, [storage for _, storage, _ in one.operands])
        return Tile(row.key, x, y, wide, HIGH, clipped(text, wide - 12, FONT), said, ("bad",), kin, font=FONT)
    text = amount(one)
    font = min(FONT, (wide - 14) / (len(text) * MONO))
    more = details(one, page)
    said = transfer_words(one, page).rstrip(".") + (f"; {more}" if more else "")
    return Tile(row.key, x, y, wide, HIGH, text, said, (), _kin(page, one.ends), font=round(font, 1))


# ---- side by side


def across(
    page: DevicePage,
    arrows: Sequence[Transfer],
    panels: Mapping[str, Panel],
    box: tuple[float, float, float, float],
) -> Channel:
    """The arrows from panel to panel. ``box`` is (left, right, top, height) of the room between them."""
    left, right, top, high = box
    channel, middle = Channel(), (left + right) / 2
    foot = wrap(model_words(arrows), right - left - 24, 12.5) if arrows else []
    rows = _placed(
        list(_rows(page, arrows, panels, top + high / 3)), top + 8, top + high - 17 * len(foot) - 6
    )
    for row, y in rows:
        wide = min(WIDE, (right - left) * 0.62)
        tile = _tile(page, row, middle - wide / 2, y, wide)
        channel.rows.append((tile,))
        channel.wires += _wires(row, tile, panels, left, right)
        _under_tile(channel, page, row, (middle, y + HIGH, right - left - 84), len(rows) > BRIEF)
    if not rows and page.change.before is not None:
        channel.notes.append(Note(middle, top + high / 3, "nothing was carried", "muted", "middle"))
    for k, line in enumerate(reversed(foot)):
        channel.notes.append(Note(middle, top + high - 5 - 17 * k, line, "small tk-muted", "middle"))
    return channel


def _rows(
    page: DevicePage, arrows: Sequence[Transfer], panels: Mapping[str, Panel], else_at: float
) -> Iterator[_Row]:
    for k, one in enumerate(arrows):
        ends = list(zip((one.source, one.target), one.ends, strict=True))
        yield _Row(one, f"move:{k}", _wanted(panels, ends, else_at))
    for k, refused in enumerate(refusals(page)):
        operands = [(device, number) for device, number, _ in refused.operands]
        yield _Row(refused, f"refused:{k}", _wanted(panels, operands, else_at))


def _wanted(panels: Mapping[str, Panel], ends: Sequence[tuple[str, int | None]], else_at: float) -> float:
    """Between the storages that are drawn, or else between the memories."""
    there = [(panels[device], number) for device, number in ends if device in panels]
    at = [panel.places[number] for panel, number in there if number in panel.places]
    at = at or [panel.top + min(panel.height / 2, 90) for panel, _ in there]
    return sum(at) / len(at) - HIGH / 2 if at else else_at


def _placed(rows: list[_Row], low: float, high: float) -> list[tuple[_Row, float]]:
    """Each row near where it would like to stand, and clear of the others."""
    if not rows:
        return []
    under = UNDER[len(rows) > BRIEF]
    pitch = min(HIGH + under + 14, (high - low - HIGH - under) / max(len(rows) - 1, 1))
    ordered = sorted(rows, key=lambda row: row.wanted)
    places: list[float] = []
    for row in ordered:
        places.append(max(row.wanted, places[-1] + pitch if places else low))
    for k in range(len(places) - 1, -1, -1):
        limit = high - HIGH - under if k == len(places) - 1 else places[k + 1] - pitch
        places[k] = min(places[k], limit)
    return list(zip(ordered, places, strict=True))


def _wires(row: _Row, tile: Tile, panels: Mapping[str, Panel], left: float, right: float) -> list[Wire]:
    """From the memory that it leaves to the tile, and from there to the memory that it reaches."""
    one, middle = row.what, tile.y + HIGH / 2
    if isinstance(one, Refused):
        ends = [(panels[device], number) for device, number, _ in one.operands if device in panels]
        return [Wire((_edge(panel, number, left, right, middle), _side(tile, panel, left, middle)),
                     "bad dashed", head=False, ends=(tile.key,)) for panel, number in ends]  # fmt: skip
    source, target = panels.get(one.source), panels.get(one.target)
    same = source is not None and target is not None and source.x == target.x
    out: list[Wire] = []
    lit = (tile.key, *tile.kin)
    if source is not None:
        start = _edge(source, one.ends[0], left, right, middle)
        out.append(
            Wire((start, _side(tile, source, left, middle - 8 * same)), "strong", head=False, ends=lit)
        )
    if target is not None:
        stop = _edge(target, one.ends[1], left, right, middle, 3)
        out.append(Wire((_side(tile, target, left, middle + 8 * same), stop), "strong", ends=lit))
    return out


def _edge(
    panel: Panel, number: int | None, left: float, right: float, y: float, clear: float = 0.0
) -> tuple[float, float]:
    """The point of a panel's edge where a wire ends: at its storage, or as near to the tile as there is."""
    place = panel.places.get(number) if number is not None else None
    at = place if place is not None else max(panel.top + 24, min(y, panel.top + panel.height - 24))
    return (left + clear, at) if panel.x < left else (right - clear, at)


def _side(tile: Tile, panel: Panel, left: float, y: float) -> tuple[float, float]:
    return (tile.x - 2, y) if panel.x < left else (tile.x + tile.width + 2, y)


def _under_tile(
    channel: Channel, page: DevicePage, row: _Row, place: tuple[float, float, float], brief: bool
) -> None:
    """By what and how long, around (x, y) in so much room; and by which line, unless it has to be brief."""
    one, (x, y, room) = row.what, place
    if isinstance(one, Refused):
        channel.notes.append(Note(x, y + 17, "refused", "alarm", "middle"))
        return
    code = one.code if one.code != page.snapshot.moment.code and not brief else ""
    lines = [
        (by_words(one), "code"),
        (clipped(code, room, 11.6), "small"),
        (time_words(one), "small tk-muted"),
    ]
    for k, (text, role) in enumerate(line for line in lines if line[0]):
        channel.notes.append(Note(x, y + 19 + 17 * k, text, role, "middle"))


# ---- under one another


def listed_rows(page: DevicePage, arrows: Sequence[Transfer], box: tuple[float, float, float]) -> Channel:
    """On a narrow page: a line for each transfer, which says from where to where."""
    x, y, wide = box
    channel = Channel(y=y + 2)
    tile_wide = min(WIDE, wide * 0.42)
    shown: tuple[Transfer | Refused, ...] = (*arrows, *refusals(page))
    for k, one in enumerate(shown):
        moved = isinstance(one, Transfer)
        row = _Row(one, f"{'move' if moved else 'refused'}:{k if moved else k - len(arrows)}", 0.0)
        channel.rows.append((_tile(page, row, x, channel.y, tile_wide),))
        lines = _listed(page, one)
        for n, (text, role) in enumerate(lines):
            words = clipped(text, wide - tile_wide - 14, 13.5 if role == "code" else 11.4)
            channel.notes.append(Note(x + tile_wide + 12, channel.y + 15 + 18 * n, words, role))
        channel.y += max(HIGH, 18.0 * len(lines) + 2) + 8
    for line in wrap(model_words(arrows), wide, 12.5) if arrows else ():
        channel.notes.append(Note(x, channel.y + 12, line, "small tk-muted"))
        channel.y += 17
    return channel


def _listed(page: DevicePage, one: Transfer | Refused) -> list[tuple[str, str]]:
    if isinstance(one, Refused):
        return [("refused", "alarm"), (" and ".join(one.devices), "muted")]
    by, time = by_words(one), time_words(one)
    lines = [(f"{one.source} → {one.target}", "heading"), (", ".join(filter(None, (by, time))), "muted")]
    return [line for line in lines if line[0]]
