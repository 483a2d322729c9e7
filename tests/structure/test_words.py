"""Comments, docstrings and all that a learner reads are plain English: no word that makes a reader stop."""

from __future__ import annotations

import ast
import io
import json
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


#: Turns of phrase that are another language's, and what is written for them.
CALQUES = {r"(?:^|(?<=[.:;#] ))Of each\b": "The … of each …: the subject comes first"}
#: Where there are none yet; the other folders have some still.
AT_ZERO = ("autograd", "backends", "cuda", "kernels", "random", "storage", "strides")


def calques(text: str) -> list[tuple[int, str]]:
    """The calques of a module's comments and docstrings, with their lines and what is plainer."""
    return [
        (line, plainer)
        for line, words in prose(text)
        for pattern, plainer in CALQUES.items()
        if re.search(pattern, " ".join(words.split()))
    ]


@pytest.mark.parametrize("folder", AT_ZERO)
def test_the_engine_has_no_calques(folder: str) -> None:
    there = {
        str(path.relative_to(ROOT)): hits
        for path in sorted((ROOT / "tensorkit" / folder).rglob("*.py"))
        if (hits := calques(path.read_text(encoding="utf-8")))
    }
    assert there == {}


def test_a_calque_would_be_seen() -> None:
    assert [
        line for line, _ in calques('"""Of each row the sum."""\nx = 1  # Of each a half, of each\n')
    ] == [2, 1]


#: What no learner reads, each a regular expression.
MANNERS = (
    r"nobody",
    r"whoever",
    r"whom",
    r"anew",
    r"stands?",
    r"asks for",
    r"of which",
    r"is none",
    r"two feet",
    r"without a word",
    r"in so many words",
    r"which \S+ has",
    r"what comes\?",
)
MANNER = re.compile(r"\b(?:" + "|".join(MANNERS) + r")(?!\w)", re.IGNORECASE)
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CARDS = sorted((ROOT / "widgets" / "tensorkit_widgets" / "lessons").glob("lesson*"))


def mannered(text: str) -> list[str]:
    """The mannerisms of a text, each with a few words around it."""
    plain = " ".join(text.split())
    return [plain[max(0, hit.start() - 30) : hit.end() + 20] for hit in MANNER.finditer(plain)]


def strings(text: str) -> Iterator[str]:
    """What a module says, in more than one word: its strings without its docstrings, joined as Python joins them."""
    tree = ast.parse(text)
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        said = node.value if isinstance(node, ast.Constant) and id(node) not in bare else None
        if isinstance(said, str) and " " in said.strip():
            yield said


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_lesson_is_in_plain_english(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    notes = [cell["metadata"].get("tensorkit", {}) for cell in cells]
    assert [hit for text in (*texts, json.dumps(notes, ensure_ascii=False)) for hit in mannered(text)] == []


@pytest.mark.parametrize("folder", CARDS, ids=lambda path: path.name)
def test_cards_are_in_plain_english(folder: Path) -> None:
    modules = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))]
    assert [hit for text in modules for one in strings(text) for hit in mannered(one)] == []


def test_widgets_speak_plain_english() -> None:
    modules = (ROOT / "widgets" / "tensorkit_widgets").rglob("*.py")
    there = {
        str(path.relative_to(ROOT)): hits
        for path in sorted(modules)
        if "lessons" not in path.parts
        and (hits := [hit for one in strings(path.read_text(encoding="utf-8")) for hit in mannered(one)])
    }
    assert there == {}


def test_a_manner_would_be_seen() -> None:
    assert mannered("A view **stands** for its base, understand?") == ["A view **stands** for its base, und"]
    assert list(strings('"""anew"""\nx = ("with" "out a word", "anew")\n')) == ["without a word"]
