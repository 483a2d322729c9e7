"""Folders, modules and functions are short enough to be looked over; what is longer is listed, and may only shrink."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.structure.source import ROOT

FOLDERS = ("tensorkit", "widgets/tensorkit_widgets", "tests")
MOST_MODULES = 20  # in a folder, its `__init__` not counted
MOST_LINES = 600  # of a module
MOST_LINES_OF_A_FUNCTION = 60

#: Written by a program: their lengths follow from the registry.
GENERATED = {"tensorkit/__init__.py"}

#: Folders with more modules than that: how many, and why.
CROWDED: dict[str, tuple[int, str]] = {
    "tests/parity": (23, "programs, their differences and what compares them belong together"),
}

#: Modules with more lines than that: how many, and why.
LONG_MODULES: dict[str, tuple[int, str]] = {
    "tests/engine/autograd/test_function.py": (736, "cases of one subject"),
    "tests/engine/test_layout.py": (700, "cases of one subject"),
    "tests/widgets/namespace/test_model.py": (833, "cases of one subject"),
    "tests/widgets/tracing/test_explain.py": (609, "cases of one subject"),
}

#: Functions with more lines than that, docstring, comments and empty lines not counted: how many, and why.
LONG_FUNCTIONS: dict[str, tuple[int, str]] = {
    "tensorkit/autograd/record.py:recorder": (
        124,
        "one closure for every call: what it holds is looked up once",
    ),
    "tensorkit/autograd/record.py:recorder.run": (84, "every call that is recorded comes through it"),
    "tensorkit/dispatch/call_errors.py:explain": (61, "the order in which PyTorch finds fault with a call"),
    "tensorkit/dispatch/op.py:op": (71, "the parameters of a block, each checked"),
    "tensorkit/shortcuts/pointwise.py:fast_binary": (93, "one closure for every call of two tensors"),
    "tensorkit/shortcuts/pointwise.py:fast_binary.fast": (
        65,
        "calls of its parts would cost what it saves",
    ),
    "tensorkit/kernels/cpu/rows_compiled.py:two_by_row": (
        71,
        "Numba compiles it at once, and calls cost time there",
    ),
    "tensorkit/kernels/cuda/products/kernels.py:multiply_tiles": (
        73,
        "one kernel, which learners read from top to bottom; its sums stay in registers as long as they are its own",
    ),
}


def files() -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def too_many(counted: dict[str, int], most: int) -> dict[str, int]:
    return {place: count for place, count in counted.items() if count > most}


def difference(found: dict[str, int], known: dict[str, int]) -> list[str]:
    """What is longer than the list says, or not on it; and what is listed without need."""
    grown = [
        f"{place}: {count}, not more than {known[place]}" if place in known else f"{place}: {count}"
        for place, count in found.items()
        if count > known.get(place, 0)
    ]
    return grown + [f"{place}: listed, and no longer too long" for place in known if place not in found]


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """What stands inside a statement and may hold a function: no function is in an expression."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        yield from getattr(node, part, ())


def functions(path: Path) -> dict[str, int]:
    """The lines of each function of a file, decorators, docstring and comments not counted."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    found: dict[str, int] = {}

    def look(node: ast.AST, inside: str) -> None:
        for child in statements(node):
            own = inside
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                own = f"{inside}.{child.name}" if inside else child.name
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = child.body[0]
                told = range(0)
                if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                    told = range(first.lineno, (first.end_lineno or first.lineno) + 1)
                count = sum(
                    bool(text := lines[line - 1].strip()) and not text.startswith("#") and line not in told
                    for line in range(child.lineno, (child.end_lineno or child.lineno) + 1)
                )
                found[f"{name(path)}:{own}"] = max(count, found.get(f"{name(path)}:{own}", 0))
            look(child, own)

    look(ast.parse(source), "")
    return found


def test_no_folder_is_crowded() -> None:
    counted = Counter(name(path.parent) for path in files() if path.name != "__init__.py")
    known = {place: count for place, (count, _) in CROWDED.items()}
    assert difference(too_many(counted, MOST_MODULES), known) == []


def test_no_module_is_too_long() -> None:
    counted = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in files()}
    known = {place: count for place, (count, _) in LONG_MODULES.items()}
    found = too_many({place: n for place, n in counted.items() if place not in GENERATED}, MOST_LINES)
    assert difference(found, known) == []


def test_no_function_is_too_long() -> None:
    counted = {place: count for path in files() for place, count in functions(path).items()}
    known = {place: count for place, (count, _) in LONG_FUNCTIONS.items()}
    assert difference(too_many(counted, MOST_LINES_OF_A_FUNCTION), known) == []


@pytest.mark.parametrize("known", [CROWDED, LONG_MODULES, LONG_FUNCTIONS])
def test_every_exception_has_a_reason(known: dict[str, tuple[int, str]]) -> None:
    assert [place for place, (_, reason) in known.items() if not reason] == []


def test_what_grew_and_what_shrank_would_be_seen() -> None:
    assert difference({"a": 61}, {}) == ["a: 61"]
    assert difference({"a": 62}, {"a": 61}) == ["a: 62, not more than 61"]
    assert difference({"a": 61}, {"a": 62}) == []
    assert difference({}, {"a": 61}) == ["a: listed, and no longer too long"]
