"""`sitting("A")`: how far a sitting of the puzzles is. Each has a name that its cards begin with: `forget("A")`."""

from __future__ import annotations

from collections.abc import Mapping

from tensorkit_widgets.practice import session_log
from tensorkit_widgets.practice.facts import Note

SITTINGS: Mapping[str, tuple[str, int]] = {
    "A": ("The stride ladder", 16),
    "B": ("Sums by strides", 4),
    "C": ("Under a rule", 12),
    "D": ("Build it", 5),
}
"""What each is called, and how many puzzles it has."""


def card_name(letter: str, title: str) -> str:
    """The name of a card of a sitting, by which it is kept, and listed by `progress()`."""
    return f"{letter}. {title}"


def sitting(letter: str) -> Note:
    """How far this sitting is: A, B, C or D.

    >>> sitting("B")
    B · Sums by strides: 0 of 4 solved. forget("B") begins it again.

    Raises:
        LookupError: for another letter.
    """
    if letter not in SITTINGS:
        raise LookupError(f"the sittings are {', '.join(SITTINGS)}, not {letter!r}")
    title, count = SITTINGS[letter]
    begins = f"exercise {card_name(letter, '')}"
    mine = {key: state for key, state in session_log.everything().items() if key.startswith(begins)}
    solved = sum(state.get("solved") is True for state in mine.values())
    begun = [key for key, state in mine.items() if state.get("attempts") and not state.get("solved")]
    tried = f" Begun: {', '.join(key.removeprefix(begins) for key in begun)}." if begun else ""
    return Note(
        f'**{letter} · {title}**: {solved} of {count} solved.{tried} `forget("{letter}")` begins it again.'
    )
