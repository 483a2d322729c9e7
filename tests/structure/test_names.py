"""`__all__` says what a namespace offers; in a module that only defines names, an underscore says what is private."""

from __future__ import annotations

import ast
import functools
import importlib
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import tensorkit
import tensorkit_widgets
from tensorkit.dispatch.registry import unlisted
from tests.structure.source import Module, modules

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def exported(tree: ast.Module) -> list[str] | None:
    """The names of an explicit `__all__ = [...]`; None when there is none.

    Names put together by code cannot be found by a reader, so only string literals count, and ``*chapter.__all__`` of a
    module that collects chapters.
    """
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            value = getattr(node, "value", None)
            assert isinstance(value, (ast.List, ast.Tuple)), "__all__ must be a plain list"
            names = [part.value for part in value.elts if isinstance(part, ast.Constant)]
            others = [part for part in value.elts if not isinstance(part, ast.Constant)]
            assert all(ast.unparse(part).endswith(".__all__") for part in others), (
                "__all__ must hold plain strings"
            )
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


#: What can be imported only where a package is installed that the kit does not bring.
NEEDS = {"tensorkit.utils.tensorboard": "tensorboard"}


@functools.cache
def needing() -> set[str]:
    """The modules that users import from: `dir` and ``import *`` show their `__all__`."""
    found = namespaces(tensorkit, "tensorkit") | namespaces(tensorkit_widgets, "tensorkit_widgets")
    return {module.__name__ for module in found.values()}


def lists_its_own(tree: ast.Module, names: list[str]) -> bool:
    """Whether an `__all__` repeats the module's own definitions, and the module itself does not use it."""
    defined = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    used = any(
        isinstance(node, ast.Name) and node.id == "__all__" and isinstance(node.ctx, ast.Load)
        for node in ast.walk(tree)
    )
    return bool(names) and not used and set(names) <= public(tree) | defined


def wrong(module: Module) -> list[str]:
    """What is wrong with the `__all__` of a module, in words."""
    names = exported(module.tree)
    if names is None:
        return ["there is no __all__"] if module.name in needing() else []
    try:
        loaded = importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        if NEEDS.get(module.name) != error.name:
            raise
        return []
    if lists_its_own(module.tree, names) and module.name not in needing():
        return ["__all__ lists what the module defines, and nothing else: leave it out"]
    found = [f"{name} is listed twice" for name in sorted(set(names)) if names.count(name) > 1]
    found += [f"{name} is listed and not there" for name in names if not hasattr(loaded, name)]
    if module.name.count("."):
        found += [f"{name} is not listed" for name in sorted(public(module.tree) - set(names))]
    return found


def test_all_is_explicit_complete_and_true() -> None:
    assert [f"{name}: {what}" for name, module in modules().items() for what in wrong(module)] == []


def test_a_wrong_all_is_seen() -> None:
    def said(text: str, name: str = "json.decoder") -> list[str]:
        return wrong(Module(name, Path(), ast.parse(text)))

    assert said("") == []
    assert said("", "tensorkit.fft") == ["there is no __all__"]
    assert said("__all__ = ['scanner', 'scanner']") == ["scanner is listed twice"]
    assert said("__all__ = ['nothing']\ndef made(): ...") == [
        "nothing is listed and not there",
        "made is not listed",
    ]
    assert said("__all__ = ['made']\ndef made(): ...\nA = 1") == [
        "__all__ lists what the module defines, and nothing else: leave it out"
    ]


# -- public namespaces ----------------------------------------------------------------------------------------


def namespaces(module: ModuleType, name: str) -> dict[str, ModuleType]:
    """A package's front, and every module that it offers, that these offer, and so on; by the names that reach them."""
    found = {name: module}
    for inner in dir(module):
        value = getattr(module, inner)
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == name.partition(".")[0]:
            found |= namespaces(value, f"{name}.{inner}")
    return found


def settings(module: ModuleType) -> set[str]:
    """What a module with a class of its own has besides: settings, which can be written."""
    return {name for name in vars(type(module)) if not name.startswith("_")}


def test_a_public_namespace_shows_what_a_user_may_use_and_nothing_else() -> None:
    """In completion and `dir`: neither the modules that it is made of, nor what it imports for itself."""
    found = namespaces(tensorkit, "tensorkit") | namespaces(tensorkit_widgets, "tensorkit_widgets")
    assert {
        "tensorkit.cuda",
        "tensorkit.random",
        "tensorkit.autograd.graph",
        "tensorkit.utils.benchmark",
    } <= set(found)
    wrong = {
        name: differing
        for name, module in found.items()
        if (differing := (set(dir(module)) - settings(module)) ^ set(module.__all__))
    }
    assert wrong == {}
    hidden = [
        f"{name}.{one}" for name, module in found.items() for one in settings(module) - set(dir(module))
    ]
    assert hidden == []


def test_names_of_long_ago_are_found_and_in_no_list() -> None:
    assert {"gels", "trtrs"} <= unlisted
    for name in unlisted:
        assert callable(getattr(tensorkit, name))
        assert name not in dir(tensorkit)
        assert name not in dir(tensorkit.ones(1))
    assert "add" in dir(tensorkit.ones(1))


def test_a_function_wins_over_the_folder_of_its_name() -> None:
    for name in ("tensorkit_widgets.timeline.schedule", "tensorkit_widgets.timeline"):
        importlib.import_module(name)
        assert isinstance(tensorkit_widgets.timeline, FunctionType)


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
