"""What is wrong with a kernel, as far as its notes tell: one `Finding` for each kind, array and line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tensorkit.kernels.cuda.traced.notes import Divergence, Notes, Stray
from tensorkit.kernels.cuda.traced.races import Race, races
from tensorkit.kernels.cuda.traced.traffic import Conflict, Traffic, conflicts, count
from tensorkit.kernels.cuda.traced.words import (
    at_line,
    block_name,
    coordinates,
    diverged,
    element,
    strayed,
    thread_names,
    who,
)

KINDS = (
    "out of bounds", "divergent barrier", "race", "uninitialised", "negative index", "uncoalesced", "bank conflict",
)  # fmt: skip
"""The kinds of findings, those first that make a result wrong."""


class Finding(NamedTuple):
    """Something that is wrong with a kernel, or makes it slow.

    Attributes:
        kind: one of ``"out of bounds"``, ``"divergent barrier"``, ``"race"``, ``"uninitialised"``,
            ``"negative index"``, ``"uncoalesced"`` and ``"bank conflict"``.
        text: a sentence that names thread, block, line and slot of the first instance.
        line: the line of the kernel's source; 0 where it is not known.
        array, slot: what was touched; empty and -1 for a barrier.
        block, thread: who, in x, y and z.
        others: the other threads of that block, or thread of another block, that have to do with it.
        times: how many instances there are.
        step: the number of the step in which the first of them happens.
    """

    kind: str
    text: str
    line: int
    array: str
    slot: int
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    others: tuple[int, ...]
    times: int
    step: int

    @property
    def grave(self) -> bool:
        """Whether it makes the result wrong, and not only slow."""
        return self.kind not in ("uncoalesced", "bank conflict")


def look(notes: Notes) -> tuple[Finding, ...]:
    """Everything that is wrong, the gravest first."""
    found = [
        *_strays(notes, "out of bounds", (s for s in notes.strays if not s.wrapped), _outside),
        *_divergences(notes),
        *(_race(notes, race) for race in races(notes)),
        *_strays(notes, "uninitialised", notes.unset, _unset),
        *_strays(notes, "negative index", (s for s in notes.strays if s.wrapped), _wrapped),
        *_slow(notes),
        *(_conflict(notes, one) for one in conflicts(notes)),
    ]
    return tuple(found)


def _more(count: int, what: str) -> str:
    many = what + ("es" if what.endswith("s") else "s") * (count > 2)
    return f" ({count - 1} more such {many})" if count > 1 else ""


# ---- astray


def _strays(
    notes: Notes, kind: str, strays: Iterable[Stray], say: Callable[[Notes, Stray], str]
) -> Iterator[Finding]:
    same: dict[tuple[int, str, str], list[Stray]] = {}
    for stray in strays:
        same.setdefault((stray.line, stray.array, stray.kind), []).append(stray)
    for (line, array, _), all_of_them in same.items():
        first = all_of_them[0]
        here = coordinates(first.block, notes.grid), coordinates(first.thread, notes.block)
        slot = -1 if kind == "out of bounds" and first.slot < 0 else first.slot
        others = tuple(sorted({s.thread for s in all_of_them if s.block == first.block} - {first.thread}))
        more = _more(len(all_of_them), "access")
        if others and len(all_of_them) == len(others) + 1:  # one each, all in one block
            more = f" (likewise {thread_names(notes, others)})"
        text = f"{say(notes, first)}{more}."
        yield Finding(kind, text, line, array, slot, *here, others, len(all_of_them), first.step)


def _outside(notes: Notes, stray: Stray) -> str:
    done = "nothing is read" if stray.kind == "read" else "nothing is written"
    return f"Out of bounds: {strayed(notes, stray)}, so {done}"


def _wrapped(notes: Notes, stray: Stray) -> str:
    right = tuple(i % n for i, n in zip(stray.indices, stray.shape, strict=True))
    return (
        f"Negative index: {who(notes, stray.block, stray.thread)} asked for {element(stray.array, stray.indices)}"
        f"{at_line(stray.line)}, which counts from the end: it is {element(stray.array, right)}"
    )


def _unset(notes: Notes, stray: Stray) -> str:
    return (
        f"Uninitialised: {who(notes, stray.block, stray.thread)} reads {stray.array}, slot {stray.slot}"
        f"{at_line(stray.line)}, before anything was written there"
    )


def _divergences(notes: Notes) -> Iterator[Finding]:
    same: dict[tuple[object, ...], list[Divergence]] = {}
    for one in notes.divergences:
        key = one.warp, bool(one.returned), *(line for line, _ in one.waiting)
        same.setdefault(key, []).append(one)
    for first, *rest in same.values():
        line, threads = first.waiting[0]
        here = coordinates(first.block, notes.grid), coordinates(threads[0], notes.block)
        late = first.returned or first.waiting[-1][1]
        lost = len(first.waiting) > 1 or first.warp
        ends = ". They would wait for ever, so the block ends here" if lost else ""
        text = f"Divergent barrier: {diverged(notes, first)}{ends}{_more(len(rest) + 1, 'block')}."
        step = max(first.step - 1, 0)
        yield Finding("divergent barrier", text, line, "", -1, *here, late, len(rest) + 1, step)


# ---- races


def _race(notes: Notes, race: Race) -> Finding:
    first, second = notes.accesses[race.first], notes.accesses[race.second]
    does = {"read": "reads", "write": "writes", "atomic": "updates"}
    apart = first.block != second.block
    why = "and blocks run in any order" if apart else "with no barrier between"
    slot = f"slot {first.slot} of {first.array}"
    text = (
        f"Race: {who(notes, first.block, first.thread)} {does[first.kind]} {slot}{at_line(first.line)} and "
        f"{who(notes, second.block, second.thread)} {does[second.kind]} it{at_line(second.line)}, {why}"
        f"{_more(race.times, 'slot')}."
    )
    here = coordinates(second.block, notes.grid), coordinates(second.thread, notes.block)
    others = () if apart else (first.thread,)
    step = max(second.step, 0)
    return Finding("race", text, second.line, second.array, second.slot, *here, others, race.times, step)


# ---- slow


def _slow(notes: Notes) -> Iterator[Finding]:
    for one in count(notes):
        if one.worst < 0:
            continue
        step = notes.steps[one.worst]
        first = notes.accesses[step.first]
        here = coordinates(step.block, notes.grid), coordinates(step.threads[0], notes.block)
        text = f"Uncoalesced: {_fetch(notes, one)}{_more(one.slow, 'instruction')}."
        yield Finding(
            "uncoalesced", text, one.line, one.array, first.slot, *here, step.threads[1:], one.slow, one.worst
        )


def _fetch(notes: Notes, one: Traffic) -> str:
    step = notes.steps[one.worst]
    does = "fetch" if one.kind == "read" else "touch"
    return (
        f"to {one.kind if one.kind != 'atomic' else 'update'} {one.worst_wanted} bytes of {one.array}"
        f"{at_line(one.line)}, {thread_names(notes, step.threads)} of {block_name(notes, step.block)} {does} "
        f"{one.worst_sectors} sectors of 32 bytes in {one.worst_lines} line{'s' if one.worst_lines > 1 else ''} "
        f"of 128, where {one.worst_needed} would do"
    )


def _conflict(notes: Notes, one: Conflict) -> Finding:
    step = notes.steps[one.step]
    here = coordinates(step.block, notes.grid), coordinates(step.threads[0], notes.block)
    text = (
        f"Bank conflict:{at_line(one.line)}, {thread_names(notes, step.threads)} of {block_name(notes, step.block)} "
        f"want {one.ways} words of one bank of {one.array} (slots {', '.join(map(str, one.slots[:4]))}"
        f"{', …' if len(one.slots) > 4 else ''}), so they take {one.ways} turns{_more(one.times, 'instruction')}."
    )
    return Finding(
        "bank conflict", text, one.line, one.array, one.slots[0], *here, step.threads[1:], one.times, one.step
    )
