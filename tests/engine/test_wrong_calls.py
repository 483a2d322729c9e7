"""A call that cannot have been meant is refused in PyTorch's words, and changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tests.oracle import require_torch
from tests.parity.compare import Operand, compare

CALLS = (
    # as many arguments as no form takes
    *("tk.narrow(a)", "tk.scatter(a, 0)", "tk.linalg.pinv()", "tk.randint()", "tk.fill(a)", "tk.sqrt()"),
    *("tk.sqrt(a, 3)", "tk.sqrt(a, 3, out=a)", "tk.abs_()", "a.diag(0, 1)", "tk.eye()", "tk.arange()"),
    *("tk.linspace(0, 1)", "tk.movedim(a, 0)", "tk.max(a, a, a)", "tk.clamp(a, 1, 2, 3)"),
    # names that no form knows, and names given twice
    *("a.narrow(0, 0, 1, foo=1)", "tk.abs_(a, foo=1)", "tk.sum(a, foo=1)", "tk.randn(2, foo=1)"),
    *("tk.sum(a, 0, dim=1)", "tk.linalg.cond(a, 2, p=2)"),
    # what is no tensor, no integer, no bool
    *("tk.fill('x', 1)", "tk.narrow([1], 0, 0, 1)", "tk.linalg.matrix_rank(None)", "tk.mm(a, 'x')"),
    *("a.flatten(a)", "a.unbind(True)", "a.narrow(1.5, 0, 1)", "a.sum(True)", "a.unfold(1.5, 1, 1)"),
    *("a.narrow(0, 0, 1.5)", "a.narrow(0, tk.tensor(0.5), 1)", "a.unfold(0, 1.5, 1)", "a.unfold(0, 1, True)"),
    *("a.diagonal(1.5)", "a.diagonal(tk.tensor(1.5))", "tk.cat(a, a)", "tk.triu_indices(4, a)"),
    *("tk.linalg.cholesky(a, upper=a)", "a.argmax(0, keepdim=a)", "tk.full((2,), a)"),
    # what is no sequence of integers
    *("a.amax(['x'])", "a.amax([0, 'x'])", "a.sum([1.5])", "a.permute('x', 1)", "a.permute(1, 'x')"),
    *("tk.zeros('x', 3)", "tk.zeros(['x'])", "tk.zeros(3, 'x')", "tk.rand('x', 2)", "a.expand(1.5, 2)"),
    # integers of more than 64 bits
    *("a.flatten(2**70)", "a.sum(2**70)", "a.transpose(0, 2**70)"),
)


@pytest.mark.parity
@pytest.mark.parametrize("call", CALLS)
def test_what_cannot_be_meant_is_refused_in_pytorchs_words(call: str) -> None:
    torch = require_torch()
    difference = compare(torch, call, {"a": Operand((2, 2), "float32")})
    assert difference is None, difference.text if difference else ""
    assert _raises(call)


def _raises(call: str) -> bool:
    with pytest.raises(Exception):  # noqa: B017 - which, the comparison has asked
        eval(call, {"tk": tk, "a": tk.ones(2, 2)})
    return True


#: Calls that fail after they have begun to look, each on a tensor ``t`` of six numbers.
HALVES = (
    *("t.add_(tk.ones(4))", "t[tk.tensor([0, 9])].add_(1)", "t.index_add_(0, tk.tensor([0, 9]), tk.ones(2))"),
    *("t.index_copy_(0, tk.tensor([0, 9]), tk.ones(2))", "t.index_fill_(0, tk.tensor([0, 9]), 7)"),
    *("t.scatter_(0, tk.tensor([0, 9]), 7.)", "t.scatter_add_(0, tk.tensor([0, 9]), tk.ones(2))"),
    *("t.put_(tk.tensor([0, 9]), tk.ones(2))", "t.index_put_((tk.tensor([0, 9]),), tk.ones(2))"),
    *("t.masked_scatter_(t < 9, tk.ones(2))", "t.masked_fill_(tk.ones(4) > 0, 1)", "t.copy_(tk.ones(4))"),
    *("t.__setitem__([0, 9], 7.)", "t.__setitem__(slice(0, 3), tk.ones(2))", "t.__setitem__(0, 'x')"),
    *(
        "t.fill_('x')",
        "t.clamp_('x')",
        "t.pow_('x')",
        "t.uniform_(3, 2)",
        "t.normal_(0, -1)",
        "t.lerp_(t, 'x')",
    ),
    *("t.resize_(-1)", "t.transpose_(0, 3)", "t.unsqueeze_(4)", "t.squeeze_('x')", "t.exponential_(-1)"),
    *(
        "tk.add(t, tk.ones(4), out=t)",
        "tk.cat([t, tk.ones(2, 2)], out=t)",
        "t.addmm_(tk.ones(2), tk.ones(2))",
    ),
)


@pytest.mark.parametrize("call", HALVES)
def test_a_refused_write_changes_nothing(call: str) -> None:
    t = tk.arange(6.0)
    kept: tuple[Any, ...] = (t.clone().tolist(), t.size(), t.stride(), t._version)
    with pytest.raises((RuntimeError, TypeError, IndexError, ValueError)):
        eval(call, {"tk": tk, "t": t})
    assert (t.tolist(), t.size(), t.stride(), t._version) == kept
