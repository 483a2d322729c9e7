"""The plain engine against the engine: the same calls, the same values, sizes, strides and dtypes."""

from __future__ import annotations

import ast
import inspect
import math
from typing import Any

import pytest

import tensorkit as tk
from tensorkit import plain
from tensorkit.dispatch.registry import Sample
from tensorkit.lab.samples import HERE, read
from tensorkit.plain.tensors import FUNCTIONS, Dtype
from tensorkit.strides.layout import Layout
from tests.parity.compare import Operand, build

DTYPES = ("float32", "int64", "bool", "float64", "uint8")
LAYOUTS = ("plain", "transposed", "sliced", "offset", "expanded")
CHAPTERS = ("pointwise", "reduction", "views", "indexing", "matrix_products")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

#: Relative and absolute: sums are added up exactly here, and in some order there.
NEAR = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-12}


OTHERWISE = {"a.split(tk.tensor(2.5))", "2 ** a", "tk.var(a, correction=9)"}
"""A size that is a tensor of floats; a power of a number, which PyTorch puts row by row in memory; and infinities of
both signs, which are added up in another order."""


def as_plain(t: Any) -> Any:
    """A tensor of the engine, storage and layout alike, as one of the plain engine."""
    names: dict[str, Dtype] = {kind.name: kind for kind in vars(plain).values() if isinstance(kind, Dtype)}
    held = t.as_strided((t.untyped_storage().nbytes() // t.element_size(),), (1,), 0).tolist()
    return plain.Tensor(
        held, Layout(tuple(t.size()), tuple(t.stride()), t.storage_offset()), names[str(t.dtype)[10:]]
    )


def knows(call: str) -> bool:
    """Whether the plain engine has all that a call names: functions, methods and keywords."""
    for node in ast.walk(ast.parse(call, mode="eval")):
        if isinstance(node, ast.Attribute):
            on_module = isinstance(node.value, ast.Name) and node.value.id == "tk"
            if not (hasattr(plain, node.attr) if on_module else hasattr(plain.Tensor, node.attr)):
                return False
        if isinstance(node, ast.Constant) and isinstance(node.value, (complex, str)):
            return False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            known = FUNCTIONS.get(node.func.attr) or getattr(plain.Tensor, node.func.attr, None)
            taken = inspect.signature(known).parameters if known else {}
            if any(keyword.arg not in taken for keyword in node.keywords):
                return False
    return True


def _same(there: Any, here: Any) -> str:
    """What differs between a value of the engine and one of the plain engine; "" where nothing does."""
    if isinstance(there, (tuple, list)):
        return (
            "; ".join(filter(None, map(_same, there, here)))
            if len(there) == len(here)
            else "another number of results"
        )
    if not isinstance(there, tk.Tensor):
        return "" if there == here else f"{there} and {here}"
    for what in ("size", "stride", "storage_offset"):
        one, two = getattr(there, what)(), getattr(here, what)()
        if (tuple(one) if what != "storage_offset" else one) != two:
            return f"{what} {one} and {two}"
    if str(there.dtype) != repr(here.dtype):
        return f"{there.dtype} and {here.dtype!r}"
    near = NEAR.get(here.dtype.name, 0.0)
    for one, two in zip(there.flatten().tolist(), here.values(), strict=True):
        if not (
            one == two or (one != one and two != two) or math.isclose(one, two, rel_tol=near, abs_tol=near)
        ):
            return f"{one} and {two}"
    return ""


def differing(sample: Sample, dtype: str, layout: str) -> str:
    operands = [Operand(size, dtype, layout, seed) for seed, size in enumerate(sample.sizes.values())]
    given = {name: build(tk, one) for name, one in zip(sample.sizes, operands, strict=True)}
    mine = {name: as_plain(tensor) for name, tensor in given.items()}
    there: Any = None
    here: Any = None
    refused: list[BaseException | None] = [None, None]
    if sample.call in OTHERWISE:
        return ""
    try:
        there = eval(sample.call, {"tk": tk, **given})
    except Exception as error:
        refused[0] = error
    try:
        here = eval(sample.call, {"tk": plain, **mine})
    except Exception as error:
        refused[1] = error
    # The plain engine may take what PyTorch refuses, and says so where it has no such call.
    if refused[0] is not None or isinstance(refused[1], NotImplementedError):
        return ""
    return _same(there, here) if refused[1] is None else f"a value and {refused[1]!r}"


SAMPLES = [
    read(line)
    for chapter in CHAPTERS
    for path in sorted((HERE / chapter).glob("*.txt"))
    for line in path.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
KNOWN = [(name, sample) for name, sample in SAMPLES if knows(sample.call)]


def differing_gradient(sample: Sample, layout: str) -> str:
    """What differs between the gradients of the sum of a result, taken by both engines."""
    operands = [Operand(size, "float64", layout, seed) for seed, size in enumerate(sample.sizes.values())]
    given = {name: build(tk, one) for name, one in zip(sample.sizes, operands, strict=True)}
    mine = {name: as_plain(tensor) for name, tensor in given.items()}
    try:
        for tensor in (*given.values(), *mine.values()):
            tensor.requires_grad = True
        there = eval(sample.call, {"tk": tk, **given})
        if not isinstance(there, tk.Tensor) or not there.requires_grad:
            return ""
        weights = tk.arange(float(there.numel())).double().reshape(there.size()) + 1
        there.backward(weights)
    except (RuntimeError, IndexError, TypeError, ValueError, AttributeError, NotImplementedError):
        return ""
    try:
        here = eval(sample.call, {"tk": plain, **mine})
        here.backward(as_plain(weights))
    except NotImplementedError:
        return ""
    found = []
    for name in given:
        one, two = given[name].grad, mine[name].grad
        if one is None or two is None:
            found.append(
                ""
                if one is two or not any((two if one is None else as_plain(one)).values())
                else "a gradient and none"
            )
        else:
            pairs = zip(one.flatten().tolist(), two.values(), strict=True)
            near = all(
                x == y or (x != x and y != y) or math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12)
                for x, y in pairs
            )
            found.append("" if near else f"{name}: {one.flatten().tolist()} and {list(two.values())}")
    return "; ".join(filter(None, found))


def test_most_samples_are_known() -> None:
    """Rather a count that falls when a name is lost than a test that runs nothing."""
    assert len(KNOWN) >= 790


@pytest.mark.parametrize("name", sorted({name for name, _ in KNOWN}))
def test_every_gradient_is_the_same(name: str) -> None:
    wrong = [
        f"{sample.call}, {layout}: {found}"
        for own, sample in KNOWN
        if own == name and sample.sizes and sample.call not in OTHERWISE
        for layout in ("plain", "transposed", "sliced")
        if (found := differing_gradient(sample, layout))
    ]
    assert wrong == []


@pytest.mark.parametrize("name", sorted({name for name, _ in KNOWN}))
def test_every_sample_gives_the_same(name: str) -> None:
    wrong = [
        f"{sample.call} of {dtype}, {layout}: {found}"
        for own, sample in KNOWN
        if own == name
        for dtype in (DTYPES if sample.sizes else DTYPES[:1])
        for layout in (LAYOUTS if sample.sizes else LAYOUTS[:1])
        if (found := differing(sample, dtype, layout))
    ]
    assert wrong == []
