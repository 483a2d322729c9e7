"""`__all__` says what is public: every name in it exists, and nothing public is missing from it."""

from __future__ import annotations

import ast
import importlib

import pytest

from tests.structure.source import Module, modules

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def exported(tree: ast.Module) -> list[str] | None:
    """The names of an explicit `__all__ = [...]`; None when there is none.

    Names put together by code cannot be found by a reader, so only string literals count.
    """
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            value = getattr(node, "value", None)
            assert isinstance(value, (ast.List, ast.Tuple)), "__all__ must be a plain list"
            names = [part.value for part in value.elts if isinstance(part, ast.Constant)]
            assert len(names) == len(value.elts), "__all__ must hold plain strings"
            return [str(name) for name in names]
    return None


def public(tree: ast.Module) -> set[str]:
    """The functions and classes without an underscore that a module itself defines at its top level.

    A block in `ops/` that is a method only (`@op(..., function=False)`) is no name for importing.
    """
    defined = [node for node in tree.body if isinstance(node, _DEFINITIONS)]
    return {node.name for node in defined if not node.name.startswith("_") and not _is_method_only(node)}


def _is_method_only(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    return any(
        keyword.arg == "function" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
    )


@pytest.mark.parametrize("module", modules().values(), ids=lambda module: module.name)
def test_all_is_explicit_complete_and_true(module: Module) -> None:
    names = exported(module.tree)
    assert names is not None, f"{module.path} has no __all__"
    assert len(names) == len(set(names)), "a name is listed twice"
    loaded = importlib.import_module(module.name)
    assert [name for name in names if not hasattr(loaded, name)] == []
    if module.name.count("."):
        assert sorted(public(module.tree) - set(names)) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def f(): ...\ndef _g(): ...\nclass C: ...", {"f", "C"}),
        ("import os\nfrom a import b\nA = 1", set()),
        ("@op(function=False)\ndef f(): ...\n@op(function=True)\ndef g(): ...", {"g"}),
    ],
)
def test_public_names_are_recognised(text: str, wanted: set[str]) -> None:
    assert public(ast.parse(text)) == wanted


def test_a_made_up_all_is_refused() -> None:
    assert exported(ast.parse("x = 1")) is None
    assert exported(ast.parse("__all__ = ['a']")) == ["a"]
    with pytest.raises(AssertionError, match="plain list"):
        exported(ast.parse("__all__ = list(names)"))
    with pytest.raises(AssertionError, match="plain strings"):
        exported(ast.parse("__all__ = [*names]"))
