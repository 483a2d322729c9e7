"""Comments and docstrings are plain English: words that make a reader stop have an ordinary one in their place."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.structure.source import ROOT

#: What is not written, and what is written for it.
PLAINER = {
    "anew": "again",
    "in so many words": "explicitly",
    "a tenth of the whole": "a tenth of the time",
    "whoever": "the caller, a thread, a reader: who it is",
    "told by": "``ops`` registers …, … says, … follows from",
    "in whose eyes": "with … compiled, seen from",
}
FOLDERS = ("tensorkit", "widgets/tensorkit_widgets", "tests")


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The comments and docstrings of a module, with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.lineno, node.value.value


def found(text: str) -> list[tuple[int, str]]:
    banned = re.compile(r"\b(" + "|".join(map(re.escape, PLAINER)) + r")\b", re.IGNORECASE)
    return [(line, hit[0]) for line, words in prose(text) for hit in banned.finditer(" ".join(words.split()))]


@pytest.mark.parametrize("folder", FOLDERS)
def test_comments_and_docstrings_are_plain(folder: str) -> None:
    own = Path(__file__)
    there = [
        f"{path.relative_to(ROOT)}:{line} says {word!r}: {PLAINER[word.lower()]!r} is plainer"
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path != own
        for line, word in found(path.read_text(encoding="utf-8"))
    ]
    assert there == []


def test_a_word_would_be_seen() -> None:
    text = 'x = "anew"  # said in so\n"""Begins\n    Anew."""\n'
    assert found(text) == [(2, "Anew")]
