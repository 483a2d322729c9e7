"""Whether autograd has to look at an operand is asked by one function: `dispatch.recording.tracked`."""

from __future__ import annotations

import ast

import pytest

from tests.structure.source import Module, of

# Where it is asked, and where the answer is used.
AT_HOME = ("tensorkit.dispatch.recording", "tensorkit.autograd")


def asked(tree: ast.Module) -> list[int]:
    """The lines that ask whether a tensor's ``_autograd`` is something."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        and isinstance(node.left, ast.Attribute)
        and node.left.attr == "_autograd"
        and isinstance(node.ops[0], ast.IsNot)
    ]


def test_nobody_else_asks_whether_a_gradient_is_wanted() -> None:
    elsewhere = [
        f"{module.path.name}:{line}"
        for module in of("tensorkit")
        if not _is_at_home(module)
        for line in asked(module.tree)
    ]
    assert elsewhere == []


def _is_at_home(module: Module) -> bool:
    return any(module.name == home or module.name.startswith(home + ".") for home in AT_HOME)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a._autograd is not None", [1]),
        ("\nbase is not None and base._autograd is not None", [2]),
        ("out._autograd is None", []),
        ("wants_grad(a)", []),
    ],
)
def test_the_question_is_seen(text: str, wanted: list[int]) -> None:
    assert asked(ast.parse(text)) == wanted
