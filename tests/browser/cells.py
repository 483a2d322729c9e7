"""Which cells of a notebook belong together: those that have a name in common, and what these need.

A browser's test that looks at one widget has no need of the others. But what it does to that one may be told to another
through a tensor that both show, so both are there from the beginning.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

_MAGIC = re.compile(r"^%.*$", re.MULTILINE)


def _parsed(text: str) -> ast.AST | None:
    try:
        return ast.parse(_MAGIC.sub("", text))
    except (SyntaxError, ValueError):
        return None


def names(text: str) -> set[str]:
    """The names that a piece of code speaks of, also in code that it hands on as a string; a label is none."""
    found: set[str] = set()
    for node in ast.walk(_parsed(text) or ast.Pass()):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not node.value.isidentifier():
            found |= names(node.value)
    return found


def _imported(text: str) -> set[str]:
    """The names that code imports: all may speak of a module, and share nothing by it."""
    every = ast.walk(_parsed(text) or ast.Pass())
    aliases = [
        alias for node in every if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names
    ]
    return {alias.asname or alias.name.partition(".")[0] for alias in aliases}


class Cells:
    """The code cells of a notebook, and which of them have not been run."""

    def __init__(self, sources: Sequence[str], first: int) -> None:
        """Those before the ``first`` that shows something are needed by all."""
        modules = set[str]().union(*map(_imported, sources))
        self._names = [names(source) - modules for source in sources]
        self._common = set(range(first))
        self.count = len(sources)
        self.waiting = set(range(self.count))

    def group(self, number: int) -> list[int]:
        """What has to be run before a cell is looked at, in its order: nothing, if that was run."""
        return self._with(self._names[number], {number}) if number in self.waiting else []

    def about(self, code: str) -> list[int]:
        """What has to be run before a piece of code, in its order."""
        return self._with(names(code), set()) if self.waiting else []

    def _with(self, spoken: set[str], first: set[int]) -> list[int]:
        taken = first | self._common
        while more := {n for n in self.waiting - taken if self._names[n] & spoken}:
            taken |= more
            spoken = spoken.union(*(self._names[number] for number in more))
        return sorted(taken & self.waiting)
