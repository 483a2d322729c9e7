"""Reading the packages without running them: modules, their imports, and where each import stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"tensorkit": ROOT / "tensorkit", "tensorkit_widgets": ROOT / "widgets" / "tensorkit_widgets"}


@dataclass(frozen=True)
class Import:
    """One imported module, by its full name.

    Attributes:
        module: what is imported; `from tensorkit import strides` gives `tensorkit.strides.layout`.
        line: where.
        deferred: inside a function or method, so run late.
    """

    module: str
    line: int
    deferred: bool


@dataclass(frozen=True)
class Module:
    """A source file of one of the two packages."""

    name: str
    path: Path
    given: str | None = None
    """Its text, where that is not what the file has."""

    @cached_property
    def tree(self) -> ast.Module:
        """What it says; read when it is first asked for, not while tests are collected."""
        text = self.path.read_text(encoding="utf-8") if self.given is None else self.given
        return ast.parse(text, str(self.path))

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    def imports(self) -> tuple[Import, ...]:
        """Every import statement, wherever it stands."""
        return self._imports

    @cached_property
    def _imports(self) -> tuple[Import, ...]:
        return tuple(self._imported())

    def _imported(self) -> Iterator[Import]:
        late: set[int] = set()
        for node in nodes(self.tree):
            if isinstance(node, _FUNCTIONS) or id(node) in late:
                late.update(map(id, ast.iter_child_nodes(node)))
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(alias.name, node.lineno, id(node) in late)
            elif isinstance(node, ast.ImportFrom):
                for module in self._from(node):
                    yield Import(module, node.lineno, id(node) in late)

    def _from(self, node: ast.ImportFrom) -> Iterator[str]:
        base = node.module or ""
        if node.level:
            parents = self.package.split(".")[: len(self.package.split(".")) - node.level + 1]
            base = ".".join([*parents, *filter(None, [node.module])])
        known = modules()
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            yield inner if inner in known else base


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@cache
def nodes(tree: ast.AST) -> list[ast.AST]:
    """What `ast.walk` gives, in its order, for a tree that is kept: found once, for many tests ask."""
    return list(ast.walk(tree))


@cache
def modules() -> dict[str, Module]:
    """Every module of both packages by its full name."""
    found = {}
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            name = ".".join(part for part in parts if part != "__init__")
            found[name] = Module(name, path)
    return found


def of(package: str) -> list[Module]:
    """The modules of one package."""
    return [module for name, module in modules().items() if name.split(".")[0] == package]
