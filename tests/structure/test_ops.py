"""One op, one place: every registered operation brings its samples and a docstring whose example runs."""

from __future__ import annotations

import ast
import builtins
import inspect
import operator

import pytest

import tensorkit as tk
from tensorkit.dispatch.registry import Op, registry
from tensorkit.lab.stubs import NAMESPACE, STUB, namespace_text, tensor_stub
from tests.engine.ops.test_unary import MODULES
from tests.parity.differences import LINEAR

# Samples run everywhere; these are tried in tests/cuda.
NEED_A_DEVICE = {"cuda"}
OPS = sorted(registry.values(), key=lambda op: op.name)


def documented(op: Op) -> str:
    """The docstring that a learner finds first: the function's, else the method's."""
    member = op.function or inspect.getattr_static(tk.Tensor, op.methods[0])
    return inspect.getdoc(member) or ""


def test_there_are_operations() -> None:
    assert {"add", "transpose", "view", "sum", "clone", "as_strided"} <= set(registry)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_the_operation_is_whole(op: Op) -> None:
    assert op.samples or op.name in NEED_A_DEVICE, f"{op.name} has no samples to test it with"
    assert ">>>" in documented(op), f"the docstring of {op.name} has no example"
    for name in op.functions:
        assert callable(operator.attrgetter(name)(tk)), f"tensorkit.{name} is missing"
    for name in op.methods:
        assert name in vars(tk.Tensor), f"Tensor.{name} is missing"


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_a_sample_has_a_size_for_each_operand(op: Op) -> None:
    for sample in op.samples:
        tree = ast.parse(sample.call, mode="eval")
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        used -= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}  # a lambda's own
        assert used - {"tk", *dir(builtins)} <= set(sample.sizes), sample.call


def test_the_stub_for_editors_is_fresh() -> None:
    assert STUB.is_file(), "run `make stubs`"
    assert STUB.read_text(encoding="utf-8") == tensor_stub(), "run `make stubs`"


def test_the_namespace_has_every_operation() -> None:
    assert NAMESPACE.read_text(encoding="utf-8") == namespace_text(), "run `make stubs`"


def test_the_stub_knows_every_public_member() -> None:
    known = STUB.read_text(encoding="utf-8")
    public = [name for name in vars(tk.Tensor) if not name.startswith("_")]
    assert [name for name in public if f"def {name}(" not in known and f"    {name} = " not in known] == []


def test_the_modules_that_tests_name_have_operations() -> None:
    """One that was renamed would leave its operations untested, and nothing would be red."""
    homes = {record.function.__module__ for record in registry.values() if record.function is not None}
    assert (LINEAR | MODULES) - homes == set()
