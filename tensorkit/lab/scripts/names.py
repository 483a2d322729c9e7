"""Which of PyTorch's names a program uses, read from its text before it runs, and which of them tensorkit lacks.

A name is followed through imports and aliases: after ``import torch.nn as nn``, ``nn.Linear`` is ``torch.nn.Linear``.
Modules beside the program that it imports are read too. Methods of values are not guessed, and names that a program
itself treats as uncertain (in a ``try`` that catches their absence, or asked for by ``hasattr``) are left alone.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from tensorkit.torch import HOMES

_EXPECTED = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, order=True)
class Use:
    """A name of PyTorch's in a program: which, in which file, and in which line."""

    name: str
    file: Path
    line: int


@dataclass
class _Scope:
    """What the names of a module or function mean: PyTorch's full name, or None for something else."""

    meanings: dict[str, str | None] = field(default_factory=dict)


class _Reader(ast.NodeVisitor):
    """Walks the text of one file and collects the names, and the modules that it imports."""

    def __init__(self, file: Path, tree: ast.Module) -> None:
        self.file = file
        self.uses: list[Use] = []
        self.modules: list[tuple[int, str]] = []
        self.perhaps: set[str] = set()
        self.scopes = [_Scope(_bound(tree))]
        self.visit(tree)
        excused = [f"{name}." for name in self.perhaps if absent(name)]
        self.uses = [use for use in self.uses if not f"{use.name}.".startswith(tuple(excused))]

    def meaning(self, name: str) -> str | None:
        """What a plain name means here."""
        for scope in reversed(self.scopes):
            if name in scope.meanings:
                return scope.meanings[name]
        return None

    def chain(self, node: ast.expr) -> str | None:
        """The full name that ``a.b.c`` means, if ``a`` is one of PyTorch's."""
        if isinstance(node, ast.Name):
            return self.meaning(node.id)
        if isinstance(node, ast.Attribute):
            inner = self.chain(node.value)
            return None if inner is None else f"{inner}.{node.attr}"
        return None

    def use(self, name: str, node: ast.stmt | ast.expr) -> None:
        if name.partition(".")[0] in HOMES:
            self.uses.append(Use(name, self.file, node.lineno))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.use(alias.name, node)
            self.modules.append((0, alias.name))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        self.modules += [(node.level, module)]
        for alias in node.names:
            inner = f"{module}.{alias.name}".strip(".")
            self.modules.append((node.level, inner))
            if not node.level:
                self.use(module if alias.name == "*" else inner, node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self.chain(node)
        if name is None:
            self.generic_visit(node)
        elif isinstance(node.ctx, ast.Load):
            self.use(name, node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in ("hasattr", "getattr") and len(node.args) > 1:
            owner, asked = self.chain(node.args[0]), node.args[1]
            if owner and isinstance(asked, ast.Constant) and isinstance(asked.value, str):
                self.perhaps.add(f"{owner}.{asked.value}")
        self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> None:
        if any(_catches_absence(handler) for handler in node.handlers):
            before = len(self.uses)
            for statement in node.body:
                self.visit(statement)
            self.perhaps |= {use.name for use in self.uses[before:]}
            node = ast.Try([], node.handlers, node.orelse, node.finalbody)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test).endswith("TYPE_CHECKING"):
            node = ast.If(node.test, [], node.orelse)
        self.generic_visit(node)

    def visit(self, node: ast.AST) -> None:
        if not isinstance(node, _FUNCTIONS):
            super().visit(node)
            return
        # Defaults and decorators belong to the scope outside; what they name is rarely hidden by an argument.
        self.scopes.append(_Scope(_bound(node)))
        self.generic_visit(node)
        self.scopes.pop()


def _catches_absence(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught] if caught else []
    return not kinds or any(ast.unparse(kind) in _EXPECTED for kind in kinds)


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """What is inside a module or function, without what is inside the functions in it."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield from _own(node)


def _bound(scope: ast.AST) -> dict[str, str | None]:
    """The names that a scope binds: imports of PyTorch's with what they mean, all others with None."""
    imported: dict[str, str | None] = {}
    other: set[str] = set()
    for node in _own(scope):
        if isinstance(node, ast.Import):
            for alias in node.names:
                full = alias.name if alias.asname else alias.name.partition(".")[0]
                imported[alias.asname or full] = full
        elif isinstance(node, ast.ImportFrom):
            home = None if node.level else node.module
            for alias in node.names:
                imported[alias.asname or alias.name] = home and f"{home}.{alias.name}"
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            other.add(node.id)
        elif isinstance(node, ast.arguments):
            several = (*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg)
            other |= {one.arg for one in several if one}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            other.add(node.name)
    ours = {
        name: full if full and full.partition(".")[0] in HOMES else None for name, full in imported.items()
    }
    return ours | dict.fromkeys(other)


def uses_of(script: Path) -> list[Use]:
    """Every name of PyTorch's in a program and in the modules beside it that it imports, in their order.

    Args:
        script: the program.

    Raises:
        SyntaxError: when the program is not valid Python.
    """
    found: list[Use] = []
    waiting, seen = [script], {script}
    while waiting:
        file = waiting.pop(0)
        try:
            reader = _Reader(file, ast.parse(file.read_bytes(), str(file)))
        except (SyntaxError, ValueError):
            if file == script:
                raise
            continue  # Python says so when the module is imported, if it ever is
        found += reader.uses
        for level, module in reader.modules:
            for other in _files(script.parent if not level else _above(file, level), module):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
    return found


def _above(file: Path, level: int) -> Path:
    return file.parents[level - 1]


def _files(folder: Path, module: str) -> list[Path]:
    """The files of a module in a folder: of the packages that it is in, and its own."""
    found, place = [], folder
    for part in module.split(".") if module else ():
        place = place / part
        found += [path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()]
    return found


def absent(name: str) -> bool:
    """Whether tensorkit lacks one of PyTorch's names.

    >>> absent("torch.nn.Module"), absent("torch.nn.Modul"), absent("torch.Tensor.add_"), absent("torch.utils.data")
    (False, True, False, False)
    """
    root, *parts = name.split(".")
    value: Any = importlib.import_module(HOMES[root])
    if parts[:1] == ["__version__"]:
        return False
    for part in parts:
        if inspect.isroutine(value) or not (isinstance(value, (ModuleType, type)) or hasattr(value, part)):
            return False  # an attribute of a function or of some value: not ours to judge
        try:
            value = getattr(value, part)
        except AttributeError:
            try:
                value = importlib.import_module(f"{value.__name__}.{part}")
            except (ImportError, AttributeError):
                return True
    return False


def needed_package(name: str) -> str | None:
    """The package that one of PyTorch's names needs and that is not installed, if that is why it is absent.

    >>> needed_package("torch.nn.Modul") is None
    True
    """
    root, *parts = name.split(".")
    for count in range(1, len(parts) + 1):
        try:
            importlib.import_module(".".join([HOMES[root], *parts[:count]]))
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            return package if package not in ("", "tensorkit") else None
    return None


def missing(script: Path) -> list[Use]:
    """The names of PyTorch's that a program uses and tensorkit lacks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name of long ago is only looked at
        uses = uses_of(script)
        lacking = {name for name in {use.name for use in uses} if absent(name)}
    return [use for use in uses if use.name in lacking]
