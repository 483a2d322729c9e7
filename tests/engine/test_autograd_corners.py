"""Corners of autograd, put to PyTorch as little programs: what each leaves in ``answer`` must be the same.

Compared are numbers, dtype, size, version, place in the graph, error and warning (`tests.twins`); strides where a
program names them.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.oracle import require_torch
from tests.twins import differing

pytestmark = pytest.mark.parity


def _same(program: str) -> None:
    """Run a program under both libraries, which it knows as ``tk``.

    Raises:
        AssertionError: where they part.
    """

    def run(lib: Any) -> Any:
        names: dict[str, Any] = {"tk": lib, "numpy": __import__("numpy")}
        exec(program, names)
        return names.get("answer")

    assert differing(run, require_torch()) is None


# -- operators that write into their first operand -----------------------------------------------------------------

OPERATORS = ("+=", "-=", "*=", "/=", "//=", "%=", "**=", "<<=", ">>=", "&=", "|=", "^=", "@=")
TARGETS = (
    "tk.full((2,), 3.0, requires_grad=True) * 2",
    "tk.full((2,), 3.0)",
    "tk.full((2,), 3.0, requires_grad=True)",
    "(tk.full((2, 2), 3.0, requires_grad=True) * 2)[0]",
    "tk.full((2, 2), 3.0)[0]",
    "tk.tensor([3, 2])",
    "(tk.ones(2, requires_grad=True) * 2).to(tk.complex64)",
)
OPERANDS = (
    "2",
    "2.5",
    "True",
    "1j",
    "tk.tensor(2.0, requires_grad=True)",
    "tk.tensor([2.0, 0.5], requires_grad=True)",
    "tk.tensor([2.0, 0.5])",
    "tk.tensor([2, 1])",
    "None",
)


@pytest.mark.parametrize("operator", OPERATORS)
def test_what_an_operator_writes_is_recorded(operator: str) -> None:
    for target, operand in itertools.product(TARGETS, OPERANDS):
        begin = f"b, a = {target}, {operand}\nbefore = b\nb {operator} a\n"
        _same(f"{begin}answer = [repr(b), b.dtype.itemsize, b._version, b is before, b._base is None]")
        _same(f"{begin}(abs(b) if b.is_complex() else b).sum().backward()\nanswer = getattr(a, 'grad', None)")
