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


_START = r"(?:^|(?<=[.:;#] ))"
#: Turns of phrase that are another language's, each a regular expression, and what is written for them.
CALQUES = {
    _START + r"Of (?!course)": "The … of each …: the subject comes first",
    _START + r"(?:That|Those) of\b": "The …: the thing itself is named",
    _START + r"Who\b": "The thread, the runner, the rank that …",
    r"\bnobody\b": "unused, no other reference, no thread",
    r"\b(?:some|any|every)body\b": "the caller, a thread, a listener; or: when it is needed",
    r"(?<!there )\b(?:is|are|was|were|be) no (?!longer|more|wider|file; move|notebook that|Jup)": "is not …",
    r"(?<!there )\b(?:is|are) none\b": "is not one, is not a …",
    r"\b(?:is|are|was|were|be|been) told\b(?! apart)": "gets, is reported, is set to",
    r"\b(?:is|are|was|were|be|first|been) asked for\b": "is requested, needed, used",
    r"\b(?:said|says?) of\b": "the message for …, the setting of …",
    r"\bstands?\b(?! for| in for|-)": "is, comes",
    r"\bso many\b": "this many, a number of, `n`",
    r"\b(?:what there is(?! to say)|there is to(?! say cannot))\b": "the current …, further …",
    r"\bbec(?:omes|ame) of\b": "a function of one element, the result for …",
    r"\bby way of\b": "through, in, by",
    r"\bin the place of\b": "instead of",
    r"\bbut for\b": "except",
    r"\bbesides(?=[.,:;)]|$)": "also, and",
    r"\bwalks? back\b": "backward pass",
}
CALQUE = {
    re.compile(pattern, re.IGNORECASE if pattern[:2] == r"\b" else 0): plain
    for pattern, plain in CALQUES.items()
}
ENGINE = ROOT / "tensorkit"
PARTS = sorted(
    path.relative_to(ENGINE).as_posix()
    for path in (*ENGINE.glob("*/"), *ENGINE.glob("ops/*/"), *ENGINE.glob("*.py"), *ENGINE.glob("ops/*.py"))
    if path.name not in ("__pycache__", "ops")
)


def calques(text: str) -> list[tuple[int, str]]:
    """The calques of a module's comments and docstrings, with their lines and what is plainer."""
    return [
        (line, f"{hit[0]!r}: {plainer}")
        for line, words in ((line, " ".join(words.split())) for line, words in prose(text))
        for pattern, plainer in CALQUE.items()
        if (hit := pattern.search(words))
    ]


@pytest.mark.parametrize("part", PARTS)
def test_the_engine_has_no_calques(part: str) -> None:
    path = ENGINE / part
    there = {
        str(path.relative_to(ROOT)): hits
        for path in ([path] if path.is_file() else sorted(path.rglob("*.py")))
        if (hits := calques(path.read_text(encoding="utf-8")))
    }
    assert there == {}


def test_a_calque_would_be_seen() -> None:
    text = (
        '"""Of each row the sum."""\nx = 1  # Of each a half, of each\ny = 2  # is told, and nobody has it\n'
    )
    assert [line for line, _ in calques(text)] == [2, 3, 3, 1]
    assert (
        calques('"""Told apart, there is no file; of course it stands for one, and is no longer needed."""')
        == []
    )


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
