"""Printing on any console: what it has no letter for is written in ASCII, and no command ends because of it.

A page of code such as latin-1 has no ``✓``, and ``LC_ALL=C`` has no ``×``. Each command calls `speak_plainly` first.
"""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata

_HANDLER = "tensorkit.plainly"
_WRITTEN = {"✓": "+", "✗": "x", "×": "x", "–": "-", "—": "-", "−": "-", "·": ".", "→": "->", "←": "<-"}
_WRITTEN |= {"‘": "'", "’": "'", "“": '"', "”": '"', "•": "*"}


def _in_ascii(letter: str) -> str:
    """What stands for a letter where there is none.

    >>> [_in_ascii(letter) for letter in "✓×…é─│╭ア"]
    ['+', 'x', '...', 'e', '-', '|', '+', '\\\\u30a2']
    """
    if letter in _WRITTEN:
        return _WRITTEN[letter]
    if "\u2500" <= letter <= "\u257f":  # the lines and corners of a box
        name = unicodedata.name(letter)
        return "-" if name.endswith("HORIZONTAL") else "|" if name.endswith("VERTICAL") else "+"
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return plain or letter.encode("ascii", "backslashreplace").decode()


def _plainly(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_in_ascii, error.object[error.start : error.end])), error.end


def speak_plainly() -> None:
    """Let this process print whatever it wants to say, in the letters that its console has."""
    codecs.register_error(_HANDLER, _plainly)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)
