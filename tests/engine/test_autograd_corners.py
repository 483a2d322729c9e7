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


# -- tensors of integers -------------------------------------------------------------------------------------------

INTO_INTEGERS = (
    "c[0] = w.sum()",
    "c[:2] = w",
    "c[...] = w.sum()",
    "c[tk.tensor([0, 1])] = w",
    "c[tk.tensor([True, True, False])] = w",
    "c[tk.tensor([True, True, False])] = w.sum()",
    "c[0] = w[0]",
    "c.copy_(w.sum())",
    "c[:2].copy_(w)",
    "c.fill_(w.sum())",
    "c.masked_fill_(tk.tensor([True, True, False]), w.sum())",
    "c.eq_(w.sum())",
    "c.index_fill_(0, tk.tensor([0, 1]), w.sum())",
    "c.masked_scatter_(tk.tensor([True, True, False]), w)",
    "c.index_put_((tk.tensor([0, 1]),), w)",
    "c.index_copy_(0, tk.tensor([0, 1]), w)",
    "c.index_add_(0, tk.tensor([0, 1]), w)",
    "c.scatter_(0, tk.tensor([0, 1]), w)",
    "c.scatter_add_(0, tk.tensor([0, 1]), w)",
    "c.put_(tk.tensor([0, 1]), w)",
    "c.add_(w.sum())",
    "c.lerp_(w.sum(), 0.5)",
    "tk.add(tk.ones(3), w.sum(), out=c)",
    "tk.eq(tk.ones(3), w.sum(), out=c)",
)
THEN = (
    "c",
    "c._base",
    "c + 1",
    "c.eq(1)",
    "c.clone()",
    "c.sum()",
    "c.view(-1)",
    "c.unbind()",
    "c.sort()",
    "c % 2",
    "c // 2",
    "c.detach()",
    "tk.stack([c, c])",
    "c.argmax()",
    "c.split(1)",
    "c.float()",
)


@pytest.mark.parametrize("kind", ["int64", "int32", "bool", "float32"])
def test_what_is_written_into_integers_is_recorded_where_pytorch_records_it(kind: str) -> None:
    for write, (then, of) in itertools.product(
        INTO_INTEGERS,
        itertools.product(THEN, (f"tk.zeros(3, dtype=tk.{kind})", f"tk.zeros(2, 3, dtype=tk.{kind})[0]")),
    ):
        _same(f"w = tk.full((2,), 2.0, requires_grad=True)\nc = {of}\n{write}\nanswer = {then}")
