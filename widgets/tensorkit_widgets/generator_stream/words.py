"""The sentences of a stream: what a call took, and where the reading goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensorkit_widgets.generator_stream.model import Reading, Taken

LEGEND = (
    "Each box is one draw of 32 bits, written as rand writes it. A bar covers the draws that its call took."
)


def counted(count: int, what: str) -> str:
    """A number and a noun.

    >>> counted(1, "draw"), counted(1200, "number")
    ('1 draw', '1,200 numbers')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def draws_of(step: Taken) -> str:
    """Which draws a call took: ``draws 2 to 5``."""
    if not step.draws:
        return "no draw"
    if step.draws == 1:
        return f"draw {step.first:,}"
    return f"draws {step.first:,} to {step.stop - 1:,}"


def row_name(reading: Reading) -> str:
    """Whose stream it is, and of which seed."""
    seed = "far from its seed" if reading.stream.far else f"seed {reading.stream.seed}"
    return f"{reading.name}, {seed}"


def pieces(step: Taken) -> tuple[str, ...]:
    """What is written under each piece of a bar, the long way."""
    if not step.parts:
        return (f"{counted(step.draws, 'draw')} → {counted(step.made, 'number')}",) if step.draws else ()
    if step.made < 16:
        out = ["4 draws → 2 numbers"] * len(step.parts)
        if step.spare[1]:
            out[-1] = "4 draws → 1 number, 1 kept"
        return tuple(out)
    again = step.made % 16 > 0
    out = ["a block: 16 numbers"] * len(step.parts)
    if again:
        out[-2:] = [counted(step.made % 16, "more draw"), "a block: the last 16, again"]
    return tuple(out)


def label(step: Taken) -> str:
    """What is said of a bar."""
    return f"step {step.number}, {step.call}: {draws_of(step)}, {counted(step.made, 'number')}"


def story(step: Taken, readings: Sequence[Reading]) -> tuple[str, ...]:
    """What has just happened."""
    whose = readings[step.row].name
    if step.kind == "seed":
        if step.first == step.stop:
            return (f"{step.call}: {whose} reads from draw 0 of the stream of this seed.",)
        return (f"{step.call} puts {whose} back, from draw {step.first:,} to draw 0.",)
    if step.kind == "back":
        return (f"{whose} was given another state: it reads on from draw {step.stop:,}.",)
    more = f": {step.shown}" if step.shown else ""
    if not step.draws:
        said = f"{step.call} takes no draw: it hands out the number that was kept"
        return (f"{said}{more}.",)
    out = [f"{step.call} takes {draws_of(step)} of {whose} and makes {counted(step.made, 'number')}{more}."]
    return (*out, *_why(step))


def _why(step: Taken) -> Iterator[str]:
    if step.parts and step.made < 16:
        yield "Fewer than 16 normal numbers are made in pairs, four draws for two numbers."
    elif step.parts:
        again = " The last 16 are made again from 16 more draws." if step.made % 16 else ""
        yield f"From 16 on, normal numbers are made in blocks of 16, one draw for each.{again}"
    if step.spare == (True, False):
        yield "Its first number was kept from the call before."
    if step.spare[1]:
        yield "The last pair has a number too many: it is kept for the next call."


def summary(steps: Sequence[Taken], readings: Sequence[Reading], left_out: int) -> tuple[str, ...]:
    """All of it in a few sentences."""
    if not steps:
        return ("No call drew a number.",)
    out = []
    for row, reading in enumerate(readings):
        mine = [step for step in steps if step.row == row]
        calls = [step for step in mine if step.kind == "draw"]
        back = sum(1 for step in mine if step.kind != "draw" and step.first != step.stop)
        took = counted(sum(step.draws for step in calls), "draw")
        again = f"; it was put back {'once' if back == 1 else f'{back} times'}" if back else ""
        out.append(f"{row_name(reading)}: {counted(len(calls), 'call')} took {took}{again}.")
    if left_out:
        out.append(f"{left_out:,} later steps were too many to keep.")
    return tuple(text[0].upper() + text[1:] if text.startswith("the ") else text for text in out)


def lines(steps: Sequence[Taken], readings: Sequence[Reading]) -> Iterator[str]:
    """Every step, in the text twin."""
    for step in steps:
        if step.kind == "draw":
            yield f"{step.number}  {step.line}: {draws_of(step)} of {row_name(readings[step.row])} → {step.shown}"
        else:
            yield f"{step.number}  {step.call}: from draw {step.first:,} to draw {step.stop:,}"
