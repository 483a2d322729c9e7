"""What is said of a timeline, and of each event in it."""

from __future__ import annotations

from collections.abc import Sequence

from tensorkit.tracing import QueueEvent
from tensorkit_widgets.timeline.reads import Read
from tensorkit_widgets.timeline.schedule import CPU, Span, lane_of, lanes, short_name

MOST_SAID = 3  # streams of which the summary says how busy they are


def how_long(us: float) -> str:
    """A time, short.

    >>> how_long(5), how_long(12.34), how_long(1240), how_long(2_500_000)
    ('5 µs', '12.3 µs', '1.24 ms', '2.5 s')
    """
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size * 0.9995:
            return f"{us / size:.3g} {unit}"
    return f"{us:.3g} µs"


def moment(us: float) -> str:
    """A moment: with as many digits as tell it from its neighbours.

    >>> moment(0), moment(1234.5), moment(35.06)
    ('0 µs', '1,234.5 µs', '35.1 µs')
    """
    return f"{round(us, 1):,.1f}".removesuffix(".0") + " µs"


def _amount(nbytes: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if nbytes >= size:
            return f"{nbytes / size:.3g} {unit}"
    return f"{nbytes} byte{'' if nbytes == 1 else 's'}"


def _from_to(span: Span) -> str:
    return f"from {moment(span.begin)} to {moment(span.end)}"


def label(span: Span) -> str:
    """What is said of one bar."""
    when = f"{_from_to(span)}, {how_long(span.length)}"
    if span.kind in ("read", "early"):
        what = "too early, before the copy has come" if span.kind == "early" else "into which a copy came"
        return f"{span.number}: {span.name} reads the CPU’s pinned memory {what}, at {moment(span.begin)}"
    if span.kind == "error":
        return f"{span.number}: {span.name} gets a device’s error {when}"
    if span.kind == "call":
        return f"{span.number}: the CPU calls {span.name} {when}"
    if span.kind == "held":
        return f"{span.number}: the CPU waits in {span.name} {when}"
    if span.kind == "record":
        return f"{span.number}: an event of {span.lane}, reached at {moment(span.begin)}"
    if span.kind == "wait":
        return f"{span.number}: {span.lane} waits for an event {when}"
    return f"{span.number}: {span.name} on {span.lane} {when}"


def line(number: int, event: QueueEvent, spans: Sequence[Span]) -> str:
    """One event in the text twin."""
    asked = next((span for span in spans if span.lane == CPU), None)
    parts = [f"{number}. {short_name(event)}"]
    if asked is not None and asked.kind in ("read", "early"):
        early = ", before the copy into it has come" if asked.kind == "early" else ""
        return f"{parts[0]}; the CPU reads pinned memory at {moment(asked.begin)}{early}"
    if event.kind == "error":
        when = "" if asked is None else f" at {moment(asked.begin)}"
        return f"{parts[0]}; the CPU gets the error of {event.device}{when}"
    if asked is not None:
        parts.append(f"asked at {moment(asked.begin)}")
    for span in spans:
        if span.kind == "record":
            parts.append(f"reached by {span.lane} at {moment(span.begin)}")
        elif span.kind == "wait":
            parts.append(
                f"{span.lane} waits {_from_to(span)}" if span.length else f"{span.lane} need not wait"
            )
        elif span.kind == "held":
            parts.append(f"the CPU waits {_from_to(span)}")
        elif span.lane != CPU:
            parts.append(f"{span.lane} {_from_to(span)}")
    if event.failed:
        parts.append(f"never done: {event.device} has failed")
    return "; ".join(parts)


# ---- one step


def story(
    number: int, event: QueueEvent, every: Sequence[Span], events: Sequence[QueueEvent] = ()
) -> tuple[str, ...]:
    """What was asked, when it ran, what it waited for, and what else ran then.

    Args:
        every: the spans of all events.
        events: all of them, for a read of what a copy brings.
    """
    if event.kind == "read":
        return tuple(_reads(number, event, every, events))
    if event.kind == "error":
        return tuple(_gets(number, event, every))
    spans = [span for span in every if span.number == number]
    before = [span for span in every if span.number < number]
    asked = next((span for span in spans if span.lane == CPU), None)
    held = next((span for span in spans if span.kind == "held"), None)
    work = next((span for span in spans if span.lane != CPU), None)
    lane = lane_of(event.device, event.stream)
    said = [_asks(event, asked, held, lane)]
    if work is not None and event.kind not in ("record", "wait"):
        said.append(f"It runs {_from_to(work)}{_why_then(work, asked, before)}.")
        said += _meanwhile(work, every)
    elif work is not None and event.kind == "record":
        said.append(
            f"It is reached at {moment(work.begin)}, when all is done that the stream was given before it."
        )
    elif event.failed:
        said.append(
            f"It is never done: {event.device} has failed, and says so at the next call that waits for it."
        )
    elif work is not None:
        said.append(
            f"{lane} waits {_from_to(work)}, and the program does not."
            if work.length
            else "The event has been reached by then: nothing waits."
        )
    said += _held(event, held)
    return tuple(said)


def _reads(number: int, event: QueueEvent, every: Sequence[Span], events: Sequence[QueueEvent]) -> list[str]:
    """A read of pinned memory, and of what: the bytes that the copy brought, or those from before it."""
    span = next((span for span in every if span.number == number), None)
    when = "The" if span is None else f"At {moment(span.begin)} the"
    said = [f"{when} program reads the CPU’s pinned memory in {event.name}()."]
    place = next((k for k, other in enumerate(events, 1) if other.number == event.mark), 0)
    copy = next((span for span in every if span.number == place and span.lane != CPU), None)
    late, waited = (event.late, event.waited) if isinstance(event, Read) else (False, True)
    which = f"the copy ({place})" if place else "the copy"
    later = span is not None and copy is not None and copy.end > span.begin
    if late and (copy is None or later):
        said.append(
            f"It reads old bytes: {which} is still to come, and a read of the CPU’s memory waits for nothing."
        )
    elif late and copy is not None:
        said.append(
            f"It read old bytes: in this run {which} had not come yet. By the numbers here it would be there from "
            f"{moment(copy.end)} on, but nothing waited for it."
        )
    elif waited:
        said.append(f"It reads what {which} brought: the program waited for that.")
    elif later:
        said.append(
            f"In this run {which} had come by then, which was luck: nothing waits for it, and in this picture it is "
            "still to come."
        )
    else:
        said.append(
            f"In this run {which} had come by then, but nothing waited for it: next time it may be too early."
        )
    return said


def _gets(number: int, event: QueueEvent, every: Sequence[Span]) -> list[str]:
    """A call that got the error of work from before it."""
    span = next((span for span in every if span.number == number), None)
    when = "The" if span is None else f"At {moment(span.begin)} the"
    name = "cpu(), as print() does" if event.name == "cpu" else f"{event.name}()"
    return [
        f"{when} program calls {name}, and this call gets the error: work that {event.device} was given earlier has "
        "failed."
    ]


def _asks(event: QueueEvent, asked: Span | None, held: Span | None, lane: str) -> str:
    when = "" if asked is None else f"At {moment(asked.begin)} the program "
    name = short_name(event)
    if event.kind == "synchronize":
        what = (
            "an event"
            if event.name == "Event.synchronize"
            else lane
            if event.stream is not None
            else event.device
        )
        return f"{when}calls {name}() to wait for {what}."
    if event.kind == "record":
        return f"{when}records an event on {lane}."
    if event.kind == "wait":
        return f"{when}tells {lane} to wait for an event."
    back = (
        "" if asked is None or held is not None else f", and the call returns after {how_long(asked.length)}"
    )
    if event.kind == "copy":
        kind = "pinned" if event.pinned else "pageable"
        source, target = (
            f"the CPU’s {kind} memory" if place == "cpu" else place for place in (event.source, event.target)
        )
        way = f"within {source}" if source == target else f"from {source} to {target}"
        return f"{when}asks {lane} to copy {_amount(event.nbytes)} {way}{back}."
    return f"{when}gives {name} to {lane}{back}."


def _why_then(work: Span, asked: Span | None, before: Sequence[Span]) -> str:
    """Why a stream began when it did."""
    if asked is not None and work.begin <= asked.end + 0.001 and asked.kind == "call":
        return ", as soon as it is asked: the stream had nothing else to do"
    same = [span for span in before if span.lane == work.lane and span.kind != "record" and span.length]
    last = max(same, key=lambda span: span.end, default=None)
    if last is not None and last.end >= work.begin - 0.5:
        what = "its wait" if last.kind == "wait" else f"{last.name} ({last.number})"
        return f", after {what} on the same stream"
    ways = [span for span in before if span.name == work.name and span.kind == work.kind == "copy"]
    last = max(ways, key=lambda span: span.end, default=None)
    if last is not None and last.end >= work.begin - 0.5:
        return f", when the way is free: copies in one direction take turns, and {last.number} was before it"
    return ""


def _meanwhile(work: Span, every: Sequence[Span]) -> list[str]:
    """What another stream does at the same time: nothing says which of the two comes first."""
    others = (span for span in every if span.kind in _WORKS and span.lane != work.lane)
    beside = [span for span in others if span.begin < work.end and work.begin < span.end]
    if not beside:
        return []
    longest = max(beside, key=lambda span: min(span.end, work.end) - max(span.begin, work.begin))
    what = f"{longest.name} ({longest.number})"
    return [f"At the same time {longest.lane} does {what}: neither waits for the other."]


def _held(event: QueueEvent, held: Span | None) -> list[str]:
    if held is not None and held.length:
        said = [f"The program waits {how_long(held.length)} for it, until {moment(held.end)}."]
        if event.source == "cpu" and not event.pinned:
            said.append("The program can go on during a copy only if the CPU's memory is pinned.")
        return said
    if event.kind == "synchronize":
        return ["There is nothing left to wait for."]
    return []


# ---- all of it


def summary(spans: Sequence[Span]) -> tuple[str, ...]:
    """What the whole shows: how long the CPU asked and waited, and how busy the streams were."""
    if not spans:
        return ("No device was given anything.",)
    held = sum(span.length for span in spans if span.kind == "held")
    asking = sum(span.length for span in spans if span.kind == "call")
    total = max(span.end for span in spans)
    said = [f"The CPU spends {how_long(asking)} handing over work and {how_long(held)} waiting."]
    busy = {lane: _busy(spans, lane) for lane in lanes(spans) if lane != CPU}
    shown = list(busy)[:MOST_SAID]
    said += [f"{lane} works {how_long(busy[lane])} of {how_long(total)}." for lane in shown]
    if len(busy) > len(shown):
        said.append(f"So do {len(busy) - len(shown)} more streams.")
    both = _together(spans)
    if both:
        said.append(f"For {how_long(both)} more than one stream works at the same time.")
    return tuple(said)


def warning(spans: Sequence[Span]) -> tuple[str, ...]:
    """Of the first read that came too early."""
    early = (span for span in spans if span.kind == "early")
    return tuple(
        f"{span.name} ({span.number}) reads pinned memory before the copy into it has come." for span in early
    )[:1]


_WORKS = ("kernel", "library", "copy")


def _busy(spans: Sequence[Span], lane: str) -> float:
    return sum(span.length for span in spans if span.lane == lane and span.kind in _WORKS)


def _together(spans: Sequence[Span]) -> float:
    """For how long at least two streams work."""
    edges = sorted(
        (moment, change)
        for span in spans
        if span.kind in _WORKS
        for moment, change in ((span.begin, 1), (span.end, -1))
    )
    working, since, total = 0, 0.0, 0.0
    for when, change in edges:
        if working > 1:
            total += when - since
        working, since = working + change, when
    return round(total, 3)
