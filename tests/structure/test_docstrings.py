"""What a docstring names is there: the modules by their full names, and in single backticks the names of our own."""

from __future__ import annotations

import ast
import importlib
import keyword
import re
from collections.abc import Iterator

import pytest

from tests.structure.source import modules, nodes

_FULL = re.compile(r"\b(?:tensorkit|tensorkit_widgets)(?:\.\w+)+\b")
_OWN = re.compile(r"(?<!`)`([a-z_]\w*(?:\.[a-z_]\w*)*)`(?!`)")
_FILE = re.compile(r"\.(?:py|pyi|txt|ipynb)$")
#: Names in single backticks that are not the packages' own, and what they are.
FOREIGN = {
    "__import__": "Python's",
    "ex.attempts": "of an example",
    "ex.solved": "of an example",
    "matplotlib.rcParams": "matplotlib's",
    "shares_storage": "a learner's function",
    "transpose_by_hand": "an exercise",
    "webinar": "a lesson",
}


def docstrings(tree: ast.Module) -> Iterator[str]:
    """Those of a module, and of all its functions and classes."""
    for node in nodes(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)):
            yield ast.get_docstring(node, clean=False) or ""


def names_in(tree: ast.Module) -> Iterator[str]:
    """Every name that is made, used, taken or imported in a piece of source."""
    for node in nodes(tree):
        for field in ("id", "attr", "arg", "name", "asname"):
            if isinstance(name := getattr(node, field, None), str):
                yield from name.split(".")


def there(name: str) -> bool:
    """Whether a module has this full name, or something in a module that can be imported."""
    found, _, rest = name, "", ""
    while found not in modules():
        found, _, last = found.rpartition(".")
        rest = f"{last}.{rest}" if rest else last
    value = importlib.import_module(found)
    for part in filter(None, rest.split(".")):
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return True


def test_every_module_that_a_docstring_names_can_be_imported() -> None:
    named = {
        (module.name, name)
        for module in modules().values()
        for text in docstrings(module.tree)
        for name in _FULL.findall(text)
        if not _FILE.search(name) and not name.endswith(".name")  # which stands for any
    }
    assert len(named) > 50
    assert [(where, name) for where, name in sorted(named) if not there(name)] == []


def test_a_name_in_backticks_is_one_of_the_source() -> None:
    known = {
        part for name, module in modules().items() for part in (*name.split("."), *names_in(module.tree))
    }
    unknown = {
        name: module.name
        for module in modules().values()
        for text in docstrings(module.tree)
        for name in _OWN.findall(text)
        if not (_FILE.search(name) or keyword.iskeyword(name) or known.issuperset(name.split(".")))
    }
    assert {name: where for name, where in unknown.items() if name not in FOREIGN} == {}
    assert set(FOREIGN) <= set(unknown), "no docstring has it any longer"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("tensorkit_widgets.practice.checking.checks", True),
        ("tensorkit.linalg.solve", True),
        ("tensorkit_widgets.practice_checks", False),
        ("tensorkit.nothing.at_all", False),
    ],
)
def test_a_module_that_is_not_there_is_seen(name: str, found: bool) -> None:
    assert there(name) is found
