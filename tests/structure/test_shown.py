"""What ``tk.add??``, ``help(tk.add)`` and `inspect.signature` show: the block, parameters with types, a sentence."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from IPython.core import oinspect

import tensorkit as tk
from tensorkit.dispatch.registry import Op, registry

ROOT = Path(tk.__file__).parent


def members(op: Op) -> Iterator[tuple[str, Any]]:
    """The function and the methods of an operation, by name; not the operators, nor properties."""
    if op.function is not None:
        yield op.name, op.function
    for name in op.methods:
        method = inspect.getattr_static(tk.Tensor, name)
        if not name.startswith("__") and isinstance(method, FunctionType):
            yield f"Tensor.{name}", method


def statements() -> dict[str, str]:
    """Every statement at the top level of a module of the operations, and the file that has it."""
    found = {}
    for folder in ("ops", "autograd", "backends"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            for node in ast.parse(text).body:
                decorators = getattr(node, "decorator_list", [])
                first = min([node.lineno, *(part.lineno for part in decorators)])
                found["\n".join(text.splitlines()[first - 1 : node.end_lineno])] = str(path)
    return found


def wrong_source(op: Op, member: Any, known: dict[str, str]) -> str:
    """What is wrong with the source that is shown; nothing if it is the operation's block and names it."""
    source = inspect.getsource(member).rstrip("\n")
    if source not in known:
        return f"no block: {source[:60]!r}"
    if not (file := str(inspect.getsourcefile(inspect.unwrap(member)))).startswith(known[source]):
        return f"another file: {file}"
    spelled = {op.name, *op.functions, *op.methods}
    words = {name.removeprefix("linalg_").removeprefix("special_").rpartition(".")[2] for name in spelled}
    words |= {word.removesuffix("_") for word in words}
    loop = source.startswith("for ")  # over the names of several
    return "" if loop or words & set(re.findall(r"\w+", source)) else f"not named: {source[:60]!r}"


def wrong_signature(member: Any, method: bool) -> str:
    """What is wrong with the signature; nothing if every parameter and the result have a type, which is text."""
    signature = inspect.signature(member)
    asked = list(signature.parameters.values())[method:]
    bare = [p.name for p in asked if p.annotation is p.empty]
    if bare or signature.return_annotation is signature.empty:
        return f"no type: {signature}"
    return f"no text: {signature}" if re.search(r"_ABSENT|<|object at|[:>] '", str(signature)) else ""


def test_every_operation_shows_its_block() -> None:
    known = statements()
    told = {name: wrong_source(op, one, known) for op in registry.values() for name, one in members(op)}
    assert len(told) > 900
    assert {name: what for name, what in told.items() if what} == {}


def test_every_operation_shows_its_parameters_with_types() -> None:
    told = {
        name: wrong_signature(one, name.startswith("Tensor."))
        for op in registry.values()
        for name, one in members(op)
    }
    assert {name: what for name, what in told.items() if what} == {}


def test_every_operation_says_in_a_sentence_what_it_does() -> None:
    silent = [
        name
        for op in registry.values()
        for name, one in members(op)
        if not re.search(r"[.:]$", (inspect.getdoc(one) or "").partition("\n")[0])
    ]
    assert silent == []


@pytest.mark.parametrize(
    ("member", "text"),
    [
        (
            tk.add,
            "(input: Tensor, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor",
        ),
        (tk.Tensor.add, "(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor"),
        (tk.ones(1).add_, "(other: Tensor | Number, *, alpha: Number = 1) -> Tensor"),
        (tk.maximum, "(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor"),
        (tk.exp, "(input: Tensor, *, out: Tensor | None = None) -> Tensor"),
        (tk.arccos, "(input: Tensor, *, out: Tensor | None = None) -> Tensor"),
        (tk.exp_, "(input: Tensor) -> Tensor"),
        (tk.transpose, "(input: Tensor, dim0: int, dim1: int) -> Tensor"),
        (tk.masked_fill, "(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor"),
    ],
)
def test_a_signature_reads_as_it_is_written(member: Any, text: str) -> None:
    assert str(inspect.signature(member)) == text


@pytest.mark.parametrize("member", [tk.add, tk.exp, tk.Tensor.add, tk.ones(1).add_, tk.arccos])
def test_two_question_marks_show_the_block(member: Any) -> None:
    name = member.__name__.removesuffix("_").replace("arccos", "acos")
    source = oinspect.getsource(member)
    decorator, _, text = source.partition(f"\ndef {name}(")
    assert decorator.startswith("@")
    assert decorator.endswith(")")
    assert text.splitlines()[-1].startswith("    return ")
    assert Path(oinspect.find_file(member)).stem in ("arithmetic", "exp_log", "trigonometric")
