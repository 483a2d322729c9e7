"""A fast path says which row of the benchmarks it buys, and the row is in every committed table."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tensorkit.dispatch.shortcut import Shortcut, declared
from tests.structure.source import ROOT, modules

TABLES = sorted((ROOT / "tests" / "benchmarks" / "results").glob("*.md"))
# What is there for its speed alone: the file, and the functions of others.
FAST = {
    "tensorkit.shortcuts.pointwise": None,
    "tensorkit.elementwise.plan": ("plain", "_by_rows"),
    "tensorkit.autograd.record": ("pair_recorder",),
}


def bought(text: str) -> list[str]:
    """The rows that a docstring names: ``it buys the row "`a + b`" of the benchmarks``."""
    told = re.search(r"\bbuys? the rows? (.*?) of the\s+benchmarks", text, re.DOTALL)
    return re.findall(r'"`(.*?)`"', told[1]) if told else []


def docstrings() -> list[tuple[str, str]]:
    """Of every fast path its name and what it says of itself."""
    found = []
    for name, functions in FAST.items():
        tree = modules()[name].tree
        if functions is None:
            found.append((name, ast.get_docstring(tree) or ""))
            continue
        told = {n.name: ast.get_docstring(n) or "" for n in tree.body if isinstance(n, ast.FunctionDef)}
        found += [(f"{name}.{function}", told[function]) for function in functions]
    return found


@pytest.mark.parametrize(("name", "text"), docstrings(), ids=[name for name, _ in docstrings()])
@pytest.mark.parametrize("table", TABLES, ids=[table.stem for table in TABLES])
def test_a_fast_path_names_rows_of_the_table(name: str, text: str, table: Path) -> None:
    rows = bought(text)
    assert rows, f"{name} names no row"
    assert [row for row in rows if not has_row(table, row)] == []


def has_row(table: Path, row: str) -> bool:
    lines = table.read_text(encoding="utf-8").splitlines()
    return any(line.startswith(f"| `{row}` ") for line in lines)


@pytest.mark.parametrize("one", declared, ids=[one.name for one in declared])
@pytest.mark.parametrize("table", TABLES, ids=[table.stem for table in TABLES])
def test_a_shortcut_buys_a_row_of_the_table(one: Shortcut, table: Path) -> None:
    assert has_row(table, one.buys)


def test_the_rows_are_read() -> None:
    assert bought('It buys the rows "`a + b`" and "`-a`" of the benchmarks.') == ["a + b", "-a"]
    assert bought("It is fast.") == []
