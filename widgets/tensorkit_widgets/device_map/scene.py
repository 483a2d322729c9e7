"""The picture of the device map: the host's memory, the devices' memories, and between them what was carried."""

from __future__ import annotations

from collections.abc import Sequence

from tensorkit_widgets.device_map.model import DevicePage, Transfer, transfers_of
from tensorkit_widgets.device_map.scene_memory import Panel, memory_panel, needed
from tensorkit_widgets.device_map.scene_transfers import Channel, across, listed_rows
from tensorkit_widgets.device_map.text import device_text
from tensorkit_widgets.device_map.words import said_of
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import clipped
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import PAGE, Frame, Sheet, Table, Wire
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.namespace.words import moment_words

MARGIN = 16.0
SIDE_BY_SIDE = 760.0
HIGH = 518.0
MOST_ARROWS = 4
MOST_DEVICES = 3
SENTENCES, LINES = 3, 9
NO_CUDA = "There is no CUDA device. tk.cuda.emulate() gives devices to practise with, each with a memory of its own."
SIGNS = {"moved": "⇄", "refused": "×", "made": "+", "changed": "✎", "rebound": "→", "freed": "×", "lost": "?"}
ROLES = {"refused": "alarm", "made": "good-words", "changed": "copy-words"}


class _Page:
    """The page while it is written, from the top down."""

    def __init__(self, width: float) -> None:
        self.width, self.y = width, 28.0
        self.notes: list[Note] = []
        self.frames: list[Frame] = []
        self.tables: list[Table] = []
        self.wires: list[Wire] = []

    @property
    def inner(self) -> float:
        return self.width - 2 * MARGIN

    def put(self, panel: Panel) -> None:
        self.notes += panel.notes
        self.frames += panel.frames
        if panel.table is not None:
            self.tables.append(panel.table)

    def carry(self, channel: Channel) -> None:
        self.notes += channel.notes
        self.wires += channel.wires
        self.frames += channel.frames
        if channel.rows:
            self.tables.append(channel.table)


def arrows_of(page: DevicePage) -> tuple[Transfer, ...]:
    """The arrows of a moment."""
    return transfers_of(page.record.moved, MOST_ARROWS)


def compose_devices(page: DevicePage | None, width: float = PAGE) -> Sheet:
    """One moment of the map."""
    sheet = _Page(width)
    if page is None:
        words = "Nothing has been looked at yet."
        note = Note(MARGIN, sheet.y, words, "body")
        return Sheet("DeviceMap", "not yet", 50.0, notes=(note,), words=(words,), status="empty", width=width)
    arrows = arrows_of(page)
    said = said_of(page, arrows)
    _top(sheet, page, said)
    (_beside if width >= SIDE_BY_SIDE else _under)(sheet, page, arrows)
    title = moment_words(page) + (f": {page.snapshot.moment.code}" if page.snapshot.moment.code else "")
    spoken = said[0][1] + (f" And {len(said) - 1} more." if len(said) > 1 else "") if said else ""
    return Sheet(
        "DeviceMap", title, sheet.y + 10, tuple(sheet.tables), tuple(sheet.notes), tuple(sheet.frames),
        tuple(sheet.wires), tuple(device_text(page, arrows)), f"{moment_words(page)}: {spoken}" if spoken else "",
        "wrong" if page.record.refused else "ok", width,
    )  # fmt: skip


# ---- the moment


def _top(sheet: _Page, page: DevicePage, said: Sequence[tuple[str, str]]) -> None:
    moment = page.snapshot.moment
    words = moment_words(page)
    sheet.notes.append(Note(MARGIN, sheet.y, words, "title"))
    if moment.code:
        beside = MARGIN + 10.8 * len(words) + 16
        room = sheet.width - MARGIN - beside
        if len(moment.code) * MONO * 17 > room and sheet.width < SIDE_BY_SIDE:
            beside, room = MARGIN, sheet.inner
            sheet.y += 28
        sheet.notes.append(Note(beside, sheet.y, clipped(moment.code, room, 17), "code"))
    sheet.y += 26
    top = sheet.y
    for kind, broken in _fitting(said, sheet):
        sheet.notes.append(Note(MARGIN + 8, sheet.y, SIGNS.get(kind, "·"), "heading", "middle"))
        for line in broken:
            sheet.notes.append(Note(MARGIN + 24, sheet.y, line, ROLES.get(kind, "body")))
            sheet.y += 21
    sheet.y = max(sheet.y, top + 21 * SENTENCES) if sheet.width >= SIDE_BY_SIDE else sheet.y
    sheet.y -= 8


def _fitting(said: Sequence[tuple[str, str]], sheet: _Page) -> list[tuple[str, list[str]]]:
    """The sentences that there is room for, in lines: the first ones, and always the newest; the others are counted."""
    most = SENTENCES if sheet.width >= SIDE_BY_SIDE else LINES
    for rest in range(len(said)):
        kind, newest = said[-1]
        more = f" And {rest} more {'thing' if rest == 1 else 'things'}." if rest else ""
        shown = [*said[: len(said) - 1 - rest], (kind, f"{newest}{more}")]
        broken = [(kind, wrap(sentence, sheet.inner - 24, 15)) for kind, sentence in shown]
        if sum(len(lines) for _, lines in broken) <= most or rest == len(said) - 1:
            return broken
    return []


# ---- the memories


def _devices(page: DevicePage) -> tuple[list[str], list[str]]:
    """The devices that are drawn, and those that are only named: nothing lies there, and nothing happened there."""
    there = [*(one.device for one in page.devices), *page.snapshot.devices]
    every = [one for one in dict.fromkeys(there) if one not in ("cpu", "meta")]
    used = {s.device for s in (*page.snapshot.storages, *page.gone)} | {
        one.device for one in page.record.work
    }
    used |= {device for one in page.record.moved for device in (one.source, one.target)}
    first = sorted(every, key=lambda device: (device not in used, every.index(device)))[:MOST_DEVICES]
    shown = [device for device in every if device in first]
    return shown, [device for device in every if device not in first]


def _after(page: DevicePage, device: str) -> str:
    facts = page.facts(device)
    if device == "cpu":
        return "the host’s memory"
    return "" if facts is None else "emulated" if facts.emulated else facts.name


def _shares(needs: Sequence[float], room: float) -> list[float]:
    """Heights for panels under one another: as high as they need, or what is left for those that need much."""
    shares, left, rest = [0.0] * len(needs), room, len(needs)
    for k in sorted(range(len(needs)), key=lambda k: needs[k]):
        shares[k] = min(needs[k], left / rest)
        left, rest = left - shares[k], rest - 1
    return [share + left / len(needs) for share in shares] if needs else []


def _beside(sheet: _Page, page: DevicePage, arrows: Sequence[Transfer]) -> None:
    """The host at the left, the devices at the right, and the transfers between them."""
    wide = min(320.0, sheet.inner * 0.345)
    top, right = sheet.y, sheet.width - MARGIN - wide
    shown, named = _devices(page)
    high = HIGH - top - (22 if named else 0)
    left = ["cpu", *(["meta"] if page.snapshot.on("meta") else [])]
    panels = [*_stack(sheet, page, left, (MARGIN, top, wide, high))]
    panels += _stack(sheet, page, shown, (right, top, wide, high))
    if not shown:
        sheet.frames.append(Frame(right, top, wide, 130, "hole"))
        for k, line in enumerate(wrap(NO_CUDA, wide - 32, 15)):
            sheet.notes.append(Note(right + 16, top + 30 + 21 * k, line, "body"))
    sheet.carry(
        across(page, arrows, {panel.device: panel for panel in panels}, (MARGIN + wide, right, top, high))
    )
    sheet.y = top + high
    if named:
        sheet.notes.append(Note(right, sheet.y + 16, f"{', '.join(named)}: nothing there", "muted"))
        sheet.y += 22


def _stack(
    sheet: _Page, page: DevicePage, devices: Sequence[str], box: tuple[float, float, float, float]
) -> list[Panel]:
    x, y, wide, high = box
    gap, panels, brief = 12.0, [], len(devices) > 2
    room = high - gap * (len(devices) - 1)
    for device, share in zip(
        devices, _shares([needed(page, one, wide, brief) for one in devices], room), strict=True
    ):
        panel = memory_panel(page, device, (x, y, wide, share), _after(page, device), brief)
        sheet.put(panel)
        panels.append(panel)
        y += share + gap
    return panels


def _under(sheet: _Page, page: DevicePage, arrows: Sequence[Transfer]) -> None:
    """On a narrow page: the host, the transfers, and the devices, under one another."""
    shown, named = _devices(page)
    for device in ["cpu", *(["meta"] if page.snapshot.on("meta") else [])]:
        _whole(sheet, page, device)
    channel = listed_rows(page, arrows, (MARGIN, sheet.y, sheet.inner))
    sheet.carry(channel)
    sheet.y = channel.y + 8
    for device in shown:
        _whole(sheet, page, device)
    for words in [NO_CUDA] if not shown else [f"{', '.join(named)}: nothing there"] if named else []:
        for line in wrap(words, sheet.inner, 13.5):
            sheet.notes.append(Note(MARGIN, sheet.y + 14, line, "muted"))
            sheet.y += 19


def _whole(sheet: _Page, page: DevicePage, device: str) -> None:
    high = min(needed(page, device, sheet.inner), 420.0)
    panel = memory_panel(page, device, (MARGIN, sheet.y, sheet.inner, high), _after(page, device))
    sheet.put(panel)
    sheet.y = panel.y + 10
