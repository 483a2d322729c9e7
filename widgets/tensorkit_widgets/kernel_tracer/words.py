"""What is said about a step of a kernel."""

from __future__ import annotations

from tensorkit.kernels.cuda.traced.findings import Finding
from tensorkit.kernels.cuda.traced.notes import Stray
from tensorkit.kernels.cuda.traced.words import block_name, element, thread_names
from tensorkit_widgets.kernel_tracer.model import Launch, Strip, Touch
from tensorkit_widgets.snapshot.number_text import short

_DOES = {"read": "read", "write": "write", "atomic": "update"}
_DOES_ONE = {"read": "reads", "write": "writes", "atomic": "updates"}


def number(value: object, dtype: str) -> str:
    """A number of a slot, short; ``?`` where nobody has written one."""
    if value is None:
        return "?"
    plain = value.item() if hasattr(value, "item") else value
    return short(plain if isinstance(plain, bool | int | float | complex) else float(str(plain)), dtype)


def longest(launch: Launch, strip: Strip) -> int:
    """How long the texts of a memory's numbers are, at any step: the first hundreds of them tell."""
    return max((len(number(value, strip.dtype)) for value in launch.some_values(strip)), default=1)


def _amount(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def begins(launch: Launch) -> str:
    """What the first picture says."""
    trace = launch.trace
    many = f"{_amount(trace.blocks, 'block')} of {_amount(trace.threads, 'thread')}"
    if not launch.steps:
        return f"{many}: none of them touched memory."
    warps = f", in {_amount(launch.warps(), 'warp')}" if launch.warps() > 1 else ""
    return f"{many}{warps} each. The threads of a warp go in step; blocks run in any order, here one after another."


def story(launch: Launch, at: int) -> str:
    """What has just happened, and what it cost."""
    step = launch.step(at)
    if step is None:
        return begins(launch)
    trace = launch.trace
    where = f"In {block_name(trace, step.block)}, " if trace.blocks > 1 else ""
    threads = thread_names(trace, step.threads)
    line = f" in line {step.line}" if step.line else ""
    if step.kind == "barrier":
        verb = "have" if len(step.threads) > 1 else "has"
        text = f"{where}{threads} {verb} reached the barrier{line}: what was written before it can be read after it."
        return text[0].upper() + text[1:]
    astray = {stray.thread for stray in launch.strays(at)}
    outside = tuple(t for t in step.threads if t in astray)
    inside = tuple(t for t in step.threads if t not in astray)
    does, threads = _does(step.kind, inside or outside), thread_names(trace, inside or outside)
    mixed = bool(inside and outside)
    text = f"{where}{threads} {does} {step.array}{line}{_cost(launch, at, short=mixed)}"
    if mixed:
        text += f"; {thread_names(trace, outside)} {_does(step.kind, outside)} nothing"
    return f"{text[0].upper()}{text[1:]}."


def _does(kind: str, threads: tuple[int, ...]) -> str:
    return (_DOES if len(threads) > 1 else _DOES_ONE)[kind]


def _cost(launch: Launch, at: int, *, short: bool) -> str:
    step = launch.step(at)
    strip = launch.strip(step.array) if step is not None else None
    if strip is None or strip.space != "global":
        return ""
    wanted = len({touch.slot for touch in launch.touches(at)}) * strip.itemsize
    if not wanted:
        return ": out of bounds, so nothing moves"
    moved = _amount(len(launch.sectors(at)), "sector")
    if short:
        return f" ({_amount(wanted, 'byte')}, {moved})"
    return f": {_amount(wanted, 'byte')}, moved in {moved} of 32 bytes"


def touch_label(launch: Launch, thread: int, touch: Touch | None, stray: Stray | None, kind: str) -> str:
    """What is said of a thread's tile."""
    name = thread_names(launch.trace, (thread,))
    if stray is not None:
        return f"{name} reaches for {element(stray.array, stray.indices)}, which is out of bounds"
    if kind == "barrier":
        return f"{name} is at the barrier"
    if touch is None:
        return f"{name} does nothing in this step"
    strip = launch.strip(touch.array)
    told = number(touch.value, strip.dtype if strip else "float64")
    verb = {"read": "reads", "write": "writes", "atomic": "updates"}[kind]
    end = f"slot {touch.slot} of {touch.array}: {told}"
    return f"{name} {verb} {end}"


def chip(found: Finding) -> str:
    """A finding in a few words: what is wrong, with which array, where, and how often."""
    what = f"{found.kind}: {found.array}" if found.array else found.kind
    return f"{what}, line {found.line}{f' ×{found.times:,}' if found.times > 1 else ''}"


def said_of(launch: Launch, at: int) -> tuple[str, ...]:
    """The sentences of a step: what happens, and what is found there."""
    return (story(launch, at), *(found.text for found in launch.found_at(at)))
