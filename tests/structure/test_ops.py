"""One op, one place: every registered operation brings its samples and a docstring whose example runs."""

from __future__ import annotations

import ast
import builtins
import inspect
import operator
from collections.abc import Collection
from pathlib import Path

import tensorkit as tk
from tensorkit.dispatch.registry import Op, registry, unlisted
from tensorkit.lab.stubs import NAMESPACE, STUB, namespace_text, tensor_stub
from tensorkit.ops.kit import INNER
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


def reached(name: str) -> object:
    """What stands in tensorkit under a name with dots, or None."""
    try:
        return operator.attrgetter(name)(tk)
    except AttributeError:
        return None


def lacking(op: Op) -> list[str]:
    """What an operation is registered without."""
    found = [] if op.samples or op.name in NEED_A_DEVICE else [f"{op.name} has no samples to test it with"]
    found += [] if ">>>" in documented(op) else [f"the docstring of {op.name} has no example"]
    offered = [name for name in op.functions if not name.startswith(f"{INNER}.")]
    found += [f"tensorkit.{name} is missing" for name in offered if not callable(reached(name))]
    return found + [f"Tensor.{name} is missing" for name in op.methods if name not in vars(tk.Tensor)]


def test_every_operation_is_whole() -> None:
    assert [words for op in OPS for words in lacking(op)] == []


def undescribed(call: str, sizes: Collection[str]) -> set[str]:
    """The operands of a call that have no size."""
    tree = ast.parse(call, mode="eval")
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used -= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}  # a lambda's own
    return used - {"tk", *dir(builtins)} - set(sizes)


def test_every_sample_has_a_size_for_each_operand() -> None:
    samples = [(op.name, sample) for op in OPS for sample in op.samples]
    assert len(samples) > len(OPS)
    assert [(name, one.call) for name, one in samples if undescribed(one.call, one.sizes)] == []


def test_the_stub_for_editors_is_fresh() -> None:
    assert STUB.is_file(), "run `make stubs`"
    assert STUB.read_text(encoding="utf-8") == tensor_stub(), "run `make stubs`"


def test_the_namespace_has_every_operation() -> None:
    assert NAMESPACE.read_text(encoding="utf-8") == namespace_text(), "run `make stubs`"


def test_the_stub_knows_every_public_member() -> None:
    known = STUB.read_text(encoding="utf-8")
    public = [name for name in vars(tk.Tensor) if not name.startswith("_") and name not in unlisted]
    assert [name for name in public if f"def {name}(" not in known and f"    {name} = " not in known] == []


def test_the_modules_that_tests_name_have_operations() -> None:
    """One that was renamed would leave its operations untested, and nothing would be red."""
    homes = {record.function.__module__ for record in registry.values() if record.function is not None}
    assert (LINEAR | MODULES) - homes == set()


#: Names of operations that mean something else below them: dtypes, devices, kinds of results, arguments, settings.
WORDS = {
    *("all", "any", "bfloat16", "bool", "complex", "cpu", "cuda", "double", "float", "half", "int", "long"),
    *("matmul", "numpy", "real", "t", "tensor", "to", "type", "view"),
}
#: What may name an operation all the same, and why.
NAMED_BELOW = {
    ("autograd/graph/saved_mutation.py", "__setitem__"): "which writes, though its name does not end with _",
    ("autograd/tensor_methods.py", "detach_"): "which is made there",
    ("dispatch/shown.py", "max"): "the parameter of clamp",
    ("dispatch/shown.py", "min"): "the parameter of clamp",
    ("elementwise/binary.py", "add"): "whose operands may change places",
    ("elementwise/binary.py", "mul"): "whose operands may change places",
}


def _names_in(path: Path) -> set[str]:
    """The names of operations among a module's literals; what it exports and what it asks the registry for aside."""
    tree, left_out = ast.parse(path.read_text(encoding="utf-8")), set()
    for node in ast.walk(tree):
        named = isinstance(node, (ast.Assign, ast.AnnAssign)) and "__" in ast.unparse(node).partition("=")[0]
        if named or (isinstance(node, ast.Subscript) and ast.unparse(node.value) == "registry"):
            left_out |= {id(part) for part in ast.walk(node)}
    literals = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in left_out]
    return {value for value in literals if isinstance(value, str) and value in registry} - WORDS


def test_nothing_below_the_operations_names_one() -> None:
    """What there is to say of an operation is a field of its block: no table elsewhere has its name."""
    root = Path(tk.__file__).parent
    below = [root / "tensor.py"]
    below += [
        p for f in ("autograd", "backends", "dispatch", "elementwise") for p in (root / f).rglob("*.py")
    ]
    found = {(path.relative_to(root).as_posix(), name) for path in below for name in _names_in(path)}
    assert found == set(NAMED_BELOW)
