"""A tensor where Python wants a number, an index, a truth value, a row of things, a text."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tests.parity.compare import compare
from tests.torch_oracle import require_torch

pytestmark = pytest.mark.parity

CONVERSIONS = (
    "int(tk.tensor(2.7))",
    "float(tk.tensor(2))",
    "bool(tk.tensor(0))",
    "bool(tk.tensor([]))",
    "bool(tk.zeros(2))",
    "bool(tk.tensor([[3]]))",
    "int(tk.zeros(2))",
    "float(tk.zeros(2))",
    "int(tk.zeros(0))",
    "float(tk.tensor([2.5]))",
    "int(tk.tensor([[3]]))",
    "complex(tk.tensor(2))",
    "complex(tk.zeros(2))",
    "int(tk.tensor(1+2j))",
    "float(tk.tensor(1+0j))",
    "int(tk.tensor(float('nan')))",
    "int(tk.tensor(float('inf')))",
    "[1,2,3][tk.tensor(1)]",
    "[1,2,3][tk.tensor(1.0)]",
    "[1,2,3][tk.tensor([1])]",
    "[1,2,3][tk.tensor(True)]",
    "range(tk.tensor(3))",
    "list(range(tk.tensor(3)))",
    "hex(tk.tensor(255))",
    "tk.tensor(3).__index__()",
    "tk.tensor([1,2]).__index__()",
    "list(tk.tensor(3))",
    "list(tk.tensor([1,2]))",
    "list(tk.zeros(2,0))",
    "[x.size() for x in tk.zeros(2,3)]",
    "tuple(tk.zeros(0))",
    "len(tk.tensor(3))",
    "len(tk.zeros(0,3))",
    "len(tk.zeros(4))",
    'f"{tk.tensor(3.14159):.2f}"',
    'f"{tk.tensor(3)}"',
    'f"{tk.tensor(3):5d}"',
    'f"{tk.tensor([1.5])}"',
    'f"{tk.tensor([1.5]):.1f}"',
    'f"{tk.zeros(2)}"',
    'f"{tk.zeros(2):.2f}"',
    '"%d" % tk.tensor(3)',
    '"%.1f" % tk.tensor(3.0)',
    '"{}".format(tk.tensor(2.5))',
    '"{:>8}".format(tk.tensor(2.5))',
    '"{:>8}".format(tk.tensor([2.5, 1]))',
    "str(tk.tensor(2))",
    'f"{tk.tensor(True)}"',
    'f"{tk.tensor(2.0)!r}"',
    'format(tk.tensor(1+2j), ".1f")',
    'f"{tk.tensor(2.5):d}"',
    "2 in tk.tensor([1,2])",
    "5 in tk.tensor([1,2])",
    "tk.tensor(1) in tk.tensor([1,2])",
    "'x' in tk.tensor([1,2])",
    "2 in tk.tensor(2)",
    "None in tk.zeros(2)",
    "[1] in tk.zeros(2)",
    "(lambda a, b: hash(a) == hash(b))(tk.zeros(1), tk.zeros(1))",
    "tk.zeros(2) == None",
    "tk.zeros(2) != None",
    "tk.zeros(2) == 'x'",
    "tk.zeros(2) == [0,0]",
    "not tk.tensor(0)",
    "tk.zeros(2) is None",
    "tk.zeros(2) and 1",
    "tk.tensor(2) and 1",
    "round(tk.tensor(2.5))",
    "abs(tk.tensor(-2))",
    "-tk.tensor(2)",
    "+tk.tensor(2)",
    "tk.tensor(5) // 2",
    "divmod(tk.tensor(5), 2)",
    "sum(tk.ones(3))",
    "max(tk.tensor([1,3,2]))",
    "sorted(tk.tensor([3,1]))",
    "pow(tk.tensor(2), 3)",
    "all(tk.ones(2))",
    "tk.zeros(2).item()",
    "tk.tensor([[5]]).item()",
    "tk.zeros(0).item()",
    "tk.tensor(True).item()",
    "tk.tensor(2+1j).item()",
    "tk.tensor(1.5,dtype=tk.bfloat16).item()",
    "tk.tensor(7,dtype=tk.uint64).item()",
    "tk.zeros(0).tolist()",
    "tk.zeros(2,0).tolist()",
    "tk.tensor(3).tolist()",
)


@pytest.mark.parametrize("call", CONVERSIONS)
def test_python_gets_what_pytorch_gives(call: str) -> None:
    found = compare(require_torch(), call, {})
    assert found is None or found.respect == "warnings", found


@pytest.mark.parity
@pytest.mark.parametrize("size", [1000, 200_000])
def test_a_number_between_two_of_float16_is_rounded_as_pytorch_rounds_it(size: int) -> None:
    torch = require_torch()
    low = np.random.default_rng(size).normal(size=size).astype(np.float16)
    high = np.nextafter(low, np.float16(np.inf))
    between = (
        (low.astype(float) + high.astype(float)) / 2 * (1 + 1e-12)
    )  # float32 does not see on which side it lies
    for make in (
        lambda lib: lib.tensor(between).to(lib.float16),
        lambda lib: lib.tensor(between.tolist(), dtype=lib.float16),
        lambda lib: lib.zeros(size, dtype=lib.float16).copy_(lib.tensor(between)),
    ):
        ours, theirs = (make(lib).float().numpy() for lib in (tk, torch))
        assert np.array_equal(ours, theirs)


@pytest.mark.parity
@pytest.mark.parametrize(
    "code",
    [
        "a.cfloat()",
        "a * (1 + 1j)",
        "tk.zeros(3, dtype=tk.complex64).copy_(a)",
        "a.type_as(z)",
        "tk.cat((a, z))",
    ],
)
def test_the_way_back_from_complex_to_real_is_taken_without_a_warning(code: str) -> None:
    def slope(library: Any) -> Any:
        a = library.arange(3.0, requires_grad=True)
        eval(
            code, {"tk": library, "a": a, "z": library.ones(3, dtype=library.complex64)}
        ).abs().sum().backward()
        return a.grad.numpy()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(slope(tk), slope(require_torch()))
