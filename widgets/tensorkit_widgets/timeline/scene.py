"""The picture of a timeline: the events in a row, the time above, a lane for the CPU and one for every stream."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from tensorkit.tracing import QueueEvent
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.page_width import clipped
from tensorkit_widgets.drawing.parts import Note
from tensorkit_widgets.drawing.sheet import PAGE, Frame, Sheet, Table, Tile, Wire, paragraph
from tensorkit_widgets.drawing.words import wrap
from tensorkit_widgets.timeline.schedule import CPU, Span, lanes, short_name
from tensorkit_widgets.timeline.words import how_long, label, line, story, summary, warning

MARGIN = 28.0
GUTTER = 142.0
BESIDE = 700.0  # a page as wide as this has the lanes' names beside them, a narrower one above
CHIP, CHIP_GAP, CHIP_FONT = 28.0, 6.0, 12.5
AXIS = 30.0
BAR = 40.0
PITCH, CLOSE = 62.0, 40.0
MOST_LANES = 7
MOST_EVENTS = 80
THIN = 2.0
FONT, SMALL = 14.0, 10.0
DIMS = {"kernel": 0, "copy": 1, "library": 3}
MOMENT = 7.0  # how wide what takes no time is drawn
NAME, MOST_NAMES = 12.0, 6  # of bars that are too narrow for their names: the size, and how many in a lane
KEY = {"kernel": 76.0, "library": 80.0, "copy": 68.0, "waits": 68.0}
WITH_KEY = 900.0  # a page as wide as this says what the colours mean


@dataclass(frozen=True, slots=True)
class Moment:
    """All that the picture knows: the events, their spans, the step, how near, and where the times are from.

    Attributes:
        source: ``simulated`` or ``measured``. model: what is said of that in the text twin.
        left_out: events that were too many to keep.
        whole: whether all of it is drawn; otherwise what comes after the step is still to come.
    """

    events: tuple[QueueEvent, ...]
    spans: tuple[Span, ...]
    at: int
    near: bool = False
    source: str = "simulated"
    model: str = ""
    left_out: int = 0
    page: float = PAGE
    whole: bool = False

    def has(self, number: int) -> bool:
        """Whether an event is drawn."""
        return self.whole or number <= self.at


@dataclass(frozen=True, slots=True)
class _View:
    """The part of the time that is drawn, and where."""

    first: int
    last: int
    begin: float
    end: float
    left: float
    width: float

    def x(self, moment: float) -> float:
        share = (min(max(moment, self.begin), self.end) - self.begin) / (self.end - self.begin)
        return round(self.left + self.width * share, 2)

    def shows(self, span: Span) -> bool:
        inside = span.end >= self.begin and span.begin <= self.end
        return inside and self.first <= span.number <= self.last


def compose_timeline(model: Moment) -> Sheet:
    """One step of a timeline."""
    view = _view(model)
    notes, key = _headline(model)
    chips, y = _chips(model, 46.0)
    tables = [table for table in (key, chips) if table is not None and table.tiles]
    frames: list[Frame] = []
    wires: list[Wire] = []
    top = y + 12
    shown, hidden = _lanes(model)
    places, y = _places(model, shown, top + AXIS)
    if model.spans:
        axis, ticks = _axis(view, top + AXIS - 10, y)
        notes += axis
        wires += ticks
    for lane in shown:
        table, more, frame = _lane(model, view, lane, places[lane], BAR - (8 if len(shown) > 5 else 0))
        notes += more
        frames.append(frame)
        tables += [table] if table.rows else []
    wires += _arrows(model, view, places)
    if hidden:
        notes.append(Note(MARGIN, y + 12, f"and {hidden} more lanes: go to a step of theirs", "muted"))
        y += 20
    said = _said(model)
    told, y = _told(model, said, y + 10)
    words = (*said, *_lines(model, view), *filter(None, [model.model]))
    return Sheet(
        "Timeline", _title(model), y, tuple(tables), (*notes, *told), tuple(frames), tuple(wires),
        words, " ".join(said), "ok", model.page, styles=("timeline.css",),
    )  # fmt: skip


# ---- words


def _title(model: Moment) -> str:
    events = len(model.events) + model.left_out
    many = f"{events:,} event{'' if events == 1 else 's'}"
    if model.at:
        return f"step {model.at} of {many}, {short_name(model.events[model.at - 1])}, {model.source}"
    total = max((span.end for span in model.spans), default=0.0)
    return f"{many} in {how_long(total)}, {model.source}" if events else f"no events, {model.source}"


def _headline(model: Moment) -> tuple[list[Note], Table | None]:
    """What is looked at, what the colours mean, and whether it is measured or simulated."""
    title = _title(model).removesuffix(f", {model.source}")
    right = model.page - MARGIN - 9.2 * len(model.source)
    role = "copy-words" if model.source == "simulated" else "good-words"
    notes = [Note(model.page - MARGIN, 30, model.source, role, "end")]
    key = None
    if model.page >= WITH_KEY:
        right -= 22 + sum(KEY.values())
        key, more = _key(right)
        notes += more
    title = clipped(title, right - MARGIN - 12, 11.5 / MONO)
    return [Note(MARGIN, 30, title, "title"), *notes], key


def _key(x: float) -> tuple[Table, list[Note]]:
    tiles, notes = [], []
    for kind, room in KEY.items():
        look = ("waits",) if kind == "waits" else ("on",)
        tiles.append(Tile(f"key-{kind}", x, 17, 18, 16, "", kind, look, dim=DIMS.get(kind)))
        notes.append(Note(x + 24, 30, kind, "muted"))
        x += room
    return Table("key", "what the colours mean", (tuple(tiles),), role="img", told=False), notes


def _said(model: Moment) -> tuple[str, ...]:
    if model.whole or not model.events:
        return (*_summed_up(model), *warning(model.spans))
    if not model.at:
        first, *_ = story(1, model.events[0], model.spans, model.events)
        return (f"First, {_lower(first)}",)
    said = story(model.at, model.events[model.at - 1], model.spans, model.events)
    if model.at < len(model.events):
        return said
    total, *more = _summed_up(model)
    return (*said, f"In all, {_lower(total)}", *more)


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _summed_up(model: Moment) -> tuple[str, ...]:
    more = (f"{model.left_out:,} later events were too many to keep.",) if model.left_out else ()
    return (*summary(model.spans), *more)


def _told(model: Moment, said: Sequence[str], y: float) -> tuple[list[Note], float]:
    """The sentences, in the same room at every step of a wide page."""
    room = model.page - 2 * MARGIN
    broken = wrap(_unbroken(" ".join(said)), room, 15)
    notes = list(paragraph(MARGIN, y + 16, broken, "body", 21))
    y += 21.0 * (max(len(broken), 3) if model.page >= BESIDE else len(broken)) + 12
    return notes, y


def _unbroken(text: str) -> str:
    """With every number on the line of its unit."""
    return re.sub(r"(?<=\d) (?=[µmkMG]?[sB]\b|[GT])", "\u00a0", text)


def _lines(model: Moment, view: _View) -> Iterator[str]:
    """Every event in view, in the text twin."""
    if view.first > 1 or view.last < len(model.events):
        yield f"events {view.first} to {view.last} of {len(model.events):,}:"
    mine: dict[int, list[Span]] = {}
    for span in model.spans:
        mine.setdefault(span.number, []).append(span)
    for number in range(view.first, view.last + 1):
        if not model.has(number):
            break
        yield line(number, model.events[number - 1], mine.get(number, ()))


# ---- the time


def _view(model: Moment) -> _View:
    """All of it, or as many events as can be told apart; or the time around a step."""
    events, at = len(model.events), model.at
    first = max(1, min((at or 1) - MOST_EVENTS // 2, events - MOST_EVENTS + 1))
    last = min(events, first + MOST_EVENTS - 1)
    seen = [span for span in model.spans if first <= span.number <= last]
    if model.near and at:
        mine = [span for span in model.spans if span.number == at]
        seen = [span for span in mine if span.lane != CPU] or mine
    begin = min((span.begin for span in seen), default=0.0)
    end = max((span.end for span in seen), default=1.0)
    if model.near and at:
        room = max(end - begin, 10.0)
        begin, end = max(0.0, begin - room), end + room
    end = max(end, begin + 1.0)
    beside = model.page >= BESIDE
    left = MARGIN + (GUTTER if beside else 0.0)
    return _View(first, last, begin, end, left, model.page - MARGIN - left)


def _axis(view: _View, y: float, bottom: float) -> tuple[list[Note], list[Wire]]:
    """Moments, with a line through the lanes under each."""
    length = view.end - view.begin
    step = next(
        unit * 10.0**power
        for power in count(-1)
        for unit in (1, 2, 5)
        if length / (unit * 10.0**power) <= max(3, view.width / 96)
    )
    notes, wires = [], []
    tick = -(-view.begin // step) * step
    while tick <= view.end + step * 1e-6:
        x = view.x(tick)
        text = f"{tick / 1e3:,.10g} ms" if step >= 1e3 else f"{round(tick, 3):,.10g} µs"
        anchor = "end" if x > view.left + view.width - 24 else "middle" if x > view.left + 24 else "start"
        notes.append(Note(x, y, text, "muted", anchor))
        wires.append(Wire(((x, y + 6), (x, bottom - 4)), "grid", head=False))
        tick += step
    return notes, wires


# ---- the events in a row


def _chips(model: Moment, y: float) -> tuple[Table, float]:
    """The program: one chip for every event, the one that is looked at in sight."""
    room, at = model.page - 2 * MARGIN, model.at
    nearby = range(max(0, at - MOST_EVENTS), min(len(model.events), at + MOST_EVENTS))
    texts = {k: f"{k + 1} {short_name(model.events[k])}" for k in nearby}
    wide = {k: min(len(text), 22) * MONO * CHIP_FONT + 16 for k, text in texts.items()}
    x, tiles = MARGIN, []
    for k in _in_sight(wide, max(at, 1) - 1, room):
        kinds = ("lit",) if k + 1 == at else () if model.has(k + 1) else ("plain",)
        mine = [span for span in model.spans if span.number == k + 1]
        told = (
            line(k + 1, model.events[k], mine)
            if model.has(k + 1)
            else f"{k + 1}. {short_name(model.events[k])}, still to come"
        )
        tiles.append(
            Tile(
                f"event:{k + 1}", x, y, wide[k], CHIP, clipped(texts[k], wide[k] - 8, CHIP_FONT),
                told, kinds, _kin(k + 1), action="tick", font=CHIP_FONT,
            )
        )  # fmt: skip
        x += wide[k] + CHIP_GAP
    return Table("events", "the events, in the order of the program", (tuple(tiles),), told=False), y + CHIP


def _in_sight(wide: Mapping[int, float], here: int, room: float) -> range:
    """As many chips as there is room for, by their widths: that of the step, and its neighbours on both sides."""
    if here not in wide:
        return range(0)
    first, last, used = here, here, wide[here]

    def fits(k: int) -> bool:
        return k in wide and used + wide[k] + CHIP_GAP <= room

    while fits(first - 1) or fits(last + 1):
        if fits(first - 1) and ((last - here) > (here - first) or not fits(last + 1)):
            first -= 1
            used += wide[first] + CHIP_GAP
        else:
            last += 1
            used += wide[last] + CHIP_GAP
    return range(first, last + 1)


def _kin(number: int) -> tuple[str, ...]:
    return tuple(f"{kind}:{number}" for kind in ("event", "call", "held", "read", "error", "run"))


# ---- lanes


def _lanes(model: Moment) -> tuple[tuple[str, ...], int]:
    """The lanes that are drawn, that of the step among them, and how many are not."""
    found = lanes(model.spans) or (CPU,)
    if len(found) <= MOST_LANES:
        return found, 0
    mine = next((s.lane for s in model.spans if s.number == model.at and s.lane != CPU), found[1])
    place = max(1, min(found.index(mine) - MOST_LANES // 2, len(found) - MOST_LANES + 1))
    return (CPU, *found[place : place + MOST_LANES - 1]), len(found) - MOST_LANES


def _places(model: Moment, shown: Sequence[str], top: float) -> tuple[dict[str, float], float]:
    """The upper edge of every lane's bars."""
    beside = model.page >= BESIDE
    roomy = len(shown) <= 5
    pitch = (PITCH if roomy else CLOSE) + (0 if beside else 24 if roomy else 16)
    first = top + (6 if beside else 22)
    places = {lane: first + pitch * k for k, lane in enumerate(shown)}
    return places, first + pitch * len(shown) - (pitch - BAR) + 14


def _lane(model: Moment, view: _View, lane: str, y: float, high: float) -> tuple[Table, list[Note], Frame]:
    beside = model.page >= BESIDE
    name = Note(MARGIN, y + BAR / 2 + 5, lane, "heading") if beside else Note(MARGIN, y - 7, lane, "heading")
    mine = [span for span in model.spans if span.lane == lane and view.shows(span) and model.has(span.number)]
    mine.sort(key=lambda span: (span.begin, span.number))
    tiles = tuple(_bar(model, view, span, y, high) for span in mine)
    said = "what the CPU does" if lane == CPU else f"what {lane} does"
    table = Table(f"lane:{lane}", f"{said}, in the order of time", (tiles,) if tiles else (), told=False)
    names = _names(model, view, mine, tiles) if high == BAR else []
    return table, [name, *names], Frame(view.left, y - 4, view.width, high + 8, "soft", 6.0)


def _names(model: Moment, view: _View, spans: Sequence[Span], tiles: Sequence[Tile]) -> list[Note]:
    """Under bars that are too narrow for it, what they are: that of the step first, then as many as have room."""
    notes: list[Note] = []
    taken: list[tuple[float, float]] = []
    narrow = [
        (span, tile)
        for span, tile in zip(spans, tiles, strict=True)
        if span.kind in ("early", "read", "error") or (span.kind in DIMS and not tile.text)
    ]
    narrow.sort(
        key=lambda pair: (pair[0].number != model.at, pair[0].kind not in ("early", "error"), pair[0].begin)
    )
    for span, tile in narrow:
        text, role = _NAMED.get(span.kind, (span.name, "bar-name"))
        if span.kind == "early" and getattr(model.events[span.number - 1], "late", False):
            text = "reads old bytes"
        width, middle, edge = len(text) * NAME * 0.62, tile.x + tile.width / 2, view.left + view.width
        left = min(max(middle - width / 2, view.left), edge - width)
        anchor = "start" if left == view.left else "end" if left == edge - width else "middle"
        if len(notes) < MOST_NAMES and not any(left < end and begin < left + width for begin, end in taken):
            x = {"start": left, "middle": middle, "end": edge}[anchor]
            notes.append(Note(round(x, 2), tile.y + tile.height + 16, text, role, anchor))
            taken.append((left - 6, left + width + 6))
    return notes


_NAMED = {
    "early": ("reads too early", "bar-name-bad"),
    "read": ("reads", "bar-name"),
    "error": ("gets the error", "bar-name-bad"),
}


def _bar(model: Moment, view: _View, span: Span, y: float, high: float) -> Tile:
    x, right = view.x(span.begin), view.x(span.end)
    key = _KEYS.get(span.kind, "run")
    width = max(right - x, THIN)
    x = min(x, view.left + view.width - width)
    if span.kind in ("record", "read", "early"):
        middle = (x + right) / 2
        width = max(right - x, MOMENT)
        x = min(max(middle - width / 2, view.left), view.left + view.width - width)
    text = "waits" if span.kind in ("held", "wait") else "" if span.kind in _UNNAMED else span.name
    font = min(FONT, (width - 8) / (max(len(text), 1) * MONO))
    if font < SMALL:
        text = clipped(text, width - 6, SMALL) if width > 5 * MONO * SMALL else ""
        font = SMALL
    return Tile(
        f"{key}:{span.number}", x, y, width, high, text, label(span), _look(model, span), _kin(span.number),
        action="tick", font=round(font, 1), dim=DIMS.get(span.kind), full=span.name,
    )  # fmt: skip


_KEYS = {"call": "call", "held": "held", "read": "read", "early": "read", "error": "error"}
_UNNAMED = ("record", "read", "early")


def _look(model: Moment, span: Span) -> tuple[str, ...]:
    """Work is filled; what waits is hatched, an event is a bar; what went wrong has the colour of alarm."""
    lit = ("lit",) if span.number == model.at else ()
    if span.kind in ("held", "wait"):
        return ("waits", *lit)
    if span.kind == "record":
        return ("bar", *lit)
    if span.kind in ("early", "error"):
        return ("bad", *lit)
    return lit or (() if span.kind in ("call", "read") else ("on",))


# ---- arrows


def _arrows(model: Moment, view: _View, places: dict[str, float]) -> list[Wire]:
    """From every event that is recorded to who waits for it; of the step, from the call to the work, and back."""
    work = {span.number: span for span in model.spans if span.lane != CPU}
    recorded = {event.number: k for k, event in enumerate(model.events, 1) if event.kind == "record"}
    wires = []
    for k, event in enumerate(model.events, 1):
        source, target = work.get(recorded.get(event.mark, 0)), work.get(k)
        if event.kind == "wait" and model.has(k) and source is not None and target is not None:
            kind = "strong" if model.at in (k, source.number) else "dashed"
            wires.append(_arrow(view, places, source, source.begin, target, target.end, kind))
    wires += _early(model, view, places, work)
    mine = [span for span in model.spans if span.number == model.at]
    call = next((span for span in mine if span.lane == CPU), None)
    held = next((span for span in mine if span.kind == "held"), None)
    run = work.get(model.at)
    if call is not None and run is not None and run.kind != "wait":
        wires.append(_arrow(view, places, call, min(call.end, run.begin), run, run.begin, "strong"))
    if held is not None and run is not None:
        wires.append(_arrow(view, places, run, run.end, held, held.end, "strong"))
    return [wire for wire in wires if wire is not None]


def _early(
    model: Moment, view: _View, places: dict[str, float], work: Mapping[int, Span]
) -> Iterator[Wire | None]:
    """From a read that comes too early to the copy that is still to come."""
    numbers = {event.number: k for k, event in enumerate(model.events, 1)}
    for span in model.spans:
        if span.kind == "early" and model.has(span.number):
            copy = work.get(numbers.get(model.events[span.number - 1].mark, 0))
            if copy is not None:
                yield _arrow(view, places, span, span.begin, copy, copy.begin, "bad dashed")


def _arrow(
    view: _View, places: dict[str, float], source: Span, left: float, target: Span, came: float, kind: str
) -> Wire | None:
    """From a moment of one lane to a moment of another, where both are in sight."""
    if source.lane == target.lane or source.lane not in places or target.lane not in places:
        return None
    if not (view.shows(source) and view.shows(target)) or not view.begin <= left <= view.end:
        return None
    down = places[source.lane] < places[target.lane]
    begin = (view.x(left), places[source.lane] + (BAR if down else 0))
    end = (view.x(came), places[target.lane] - 1 + (0 if down else BAR + 2))
    ends = (f"run:{source.number}", f"run:{target.number}") if CPU not in (source.lane, target.lane) else ()
    return Wire((begin, end), kind, ends=ends)
