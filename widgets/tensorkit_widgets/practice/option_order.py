"""The order in which a card shows its options: another one for each learner, and for one learner always the same.

So nobody learns that the last option is the right one, and nobody's letters mean something else on the next day.

>>> in_order(("small", "large", "neither"), "A question", "a learner", "last")[-1]
'neither'
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Literal

OptionOrder = Literal["free", "given", "last"]
"""Shuffled; as written, because the order means something; or shuffled but for the last one ("neither of them")."""


def in_order(
    options: Sequence[str], question: str, learner: str, order: OptionOrder = "free"
) -> tuple[str, ...]:
    """The options in this learner's order.

    Args:
        options: as the question lists them.
        question: its name, or its text.
        learner: who looks at it; `''` where nobody is known, as in a stored page.
        order: what may change places.

    >>> in_order(("1", "2", "3"), "How many?", "a learner", "given")
    ('1', '2', '3')
    >>> in_order(("yes", "no"), "Is it?", "") == in_order(("no", "yes"), "Is it?", "")
    True

    Options that are letters themselves stay as written: one letter must not mean two of them.

    >>> in_order(("a", "b", "c"), "Which vowel?", "a learner")
    ('a', 'b', 'c')
    """
    letters = {chr(ord("A") + number) for number in range(len(options))}
    if any(option.strip(" .)").upper() in letters for option in options):
        order = "given"
    fixed = {"free": len(options), "given": 0, "last": max(len(options) - 1, 0)}[order]

    def place(option: str) -> bytes:
        return sha256(f"{learner}\0{question}\0{option}".encode(errors="backslashreplace")).digest()

    return (*sorted(options[:fixed], key=place), *options[fixed:])
