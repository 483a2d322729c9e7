"""The sign of a zero: what is computed of -0.0 shows it, or shows none, where PyTorch's does."""

from __future__ import annotations

import pytest

import tensorkit
from tensorkit.kernels.jit import compiler
from tests.parity.questions import disagreement, lines
from tests.torch_oracle import require_torch

FEW, SOME, MANY = "-tk.zeros(4, 4)", "-tk.zeros(40, 40)", "-tk.zeros(600, 400)[:, :400:2]"
#: What takes long of a large matrix, or makes more of it.
SLOW = (
    *("kron", "combin", "cartes", "block", "histc", "scatter", "diag", "cov", "corr", "det", "power", "dist"),
    *("gamma", "zeta", "quantile", "mode", "unique", "@", "mm"),
)


@pytest.mark.parity
@pytest.mark.parametrize("line", lines("zeros"))
def test_minus_zero_shows_where_pytorchs_shows(line: str) -> None:
    for size in (FEW, SOME, MANY):
        if size is not FEW and any(word in line for word in SLOW):
            continue
        question = f"(lambda z: {line})({size})"
        with compiler.at_once():
            assert disagreement(require_torch(), tensorkit, question) is None
        assert disagreement(require_torch(), tensorkit, question) is None
