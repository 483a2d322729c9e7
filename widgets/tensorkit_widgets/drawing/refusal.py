"""A refusal as every widget draws it: the library's own words in a frame, what they mean, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from tensorkit_widgets.diagnosis.way_out import WayOut
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import Frame, Note
from tensorkit_widgets.drawing.sheet import paragraph
from tensorkit_widgets.drawing.words import sentence, wrap


def draw_refusal(
    error: str, found: WayOut | None, x: float, y: float, width: float
) -> tuple[list[Note], list[Frame], float]:
    """The library's words in a frame from ``y`` on, and under it the way out; and where that ends."""
    lines = [line for part in error.split("\n") for line in wrap(part, width - 32, 15.5)]
    frame = Frame(x, y, width, 20.0 * len(lines) + 20, "alarm")
    notes = list(paragraph(x + 16, y + 24, lines, "alarm"))
    y += 20 * len(lines) + 36
    if found is None:
        return notes, [frame], y
    why = wrap(sentence(found.why, found.names), width, 15)
    notes += paragraph(x, y + 12, why, "body", 22)
    more, y = draw_advice(found.advice, x, y + 22 * len(why) + 4, width)
    return [*notes, *more], [frame], y + 8


def draw_advice(
    advice: Sequence[tuple[str, str]], x: float, y: float, width: float
) -> tuple[list[Note], float]:
    """What to do next, each piece with the code that follows it; and where that ends."""
    if not advice:
        return [], y
    notes = [Note(x, y + 20, "what to do next", "heading")]
    y += 26
    for k, (line, code) in enumerate(advice):
        lines = wrap(sentence(line) if not k else line, width - 18, 15)
        notes += [Note(x, y + 16, "·", "body"), *paragraph(x + 14, y + 16, lines, "body", 21)]
        y += 21 * len(lines) + 2
        if code:
            most = int((width - 14) / (MONO * 17))
            kept = code if len(code) <= most else code[: most - 1] + "…"
            notes.append(Note(x + 14, y + 20, kept, "code"))
            y += 26
    return notes, y + 2


def refusal_words(error: str, found: WayOut | None) -> tuple[str, ...]:
    """The same for the text twin, a sentence each.

    >>> found = WayOut("t has 1 dimension", ("look at .size() first",), names=("t",))
    >>> refusal_words("IndexError: too many indices", found)
    ('IndexError: too many indices', 't has 1 dimension.', 'Look at .size() first.')
    """
    if found is None:
        return (error,)
    return (
        error,
        sentence(found.why, found.names),
        *(sentence(line) + (f"  {code}" if code else "") for line, code in found.advice),
    )
