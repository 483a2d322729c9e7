"""Layers of activations are PyTorch's: text, parameters, values, gradients, warnings, refusals."""

from __future__ import annotations

import pytest

from tests.training.layers.nearly import differing

LAYERS = """
nn.ReLU() | nn.ReLU(True) | nn.ReLU6() | nn.ReLU6(inplace=True) | nn.Threshold(0.1, 2) | nn.Threshold(0.1, 0.0, True)
nn.RReLU() | nn.RReLU().eval() | nn.RReLU(0.1, 0.4, True) | nn.RReLU(0.4, 0.1) | nn.Hardtanh()
nn.Hardtanh(-2, 2, True)
nn.Hardtanh(min_value=-0.5, max_value=0.5) | nn.Hardtanh(1, 1) | nn.Hardsigmoid() | nn.Hardsigmoid(True)
nn.Hardswish() | nn.Hardswish(inplace=True) | nn.Hardshrink() | nn.Hardshrink(1) | nn.Softshrink() | nn.Softshrink(0.25)
nn.LeakyReLU() | nn.LeakyReLU(0.2) | nn.LeakyReLU(0.3, inplace=True) | nn.PReLU() | nn.PReLU(4, 0.1) | nn.PReLU(3)
nn.PReLU(device="meta").weight.device | nn.Sigmoid() | nn.Tanh() | nn.SiLU() | nn.SiLU(True) | nn.Mish() | nn.Mish(True)
nn.GELU() | nn.GELU("tanh") | nn.GELU(approximate="x") | nn.ELU() | nn.ELU(0.5, True) | nn.CELU() | nn.CELU(2.0, True)
nn.SELU() | nn.SELU(True) | nn.Softplus() | nn.Softplus(2, 1) | nn.LogSigmoid() | nn.Softsign() | nn.Tanhshrink()
nn.GLU() | nn.GLU(0) | nn.GLU(dim=1) | nn.Softmax(dim=1) | nn.Softmax() | nn.Softmin(dim=0) | nn.Softmin()
nn.LogSoftmax(dim=-1) | nn.LogSoftmax() | nn.Softmax2d() | nn.Threshold(1) | nn.PReLU(-1)
"""
NUMBERS = [
    [[-1.5, 2.0, 0.25, -0.75], [7.0, -4.0, 0.5, 3.5]],
    [[0.125, -0.3, 1.0, -2.0], [-3.5, 5.0, -0.0625, 0.75]],
]
FUNCTIONS = """
F.gumbel_softmax(x) | F.gumbel_softmax(x, 0.5, hard=True, dim=0) | F.gumbel_softmax(x, eps=1e-3) | F.rrelu(x)
F.softmin(x)
F.rrelu(x, 0.1, 0.2, training=True) | F.rrelu_(x * 1, training=True) | F.softmax(x, -1, dtype=tk.float64)
F.softmax(x, 5)
F.log_softmax(x, 0) | F.softmin(x, 1, dtype=tk.float64) | F.softmin(x[0, 0]) | F.softmax(x[0]) | F.tanhshrink(x)
F.relu6(x)
F.threshold(x, 0.1, 20) | F.hardtanh(x, 2, 1) | F.glu(x, 2) | F.logsigmoid(x) | F.softsign(x) | F.sigmoid(x) | F.tanh(x)
"""


def _split(table: str) -> list[str]:
    return [one.strip() for line in table.strip().split("\n") for one in line.split(" | ")]


@pytest.mark.parity
def test_layers_of_activations_are_pytorchs() -> None:
    wrong = [text for made in _split(LAYERS) for text in differing(made, "layer(x * 1)", x=NUMBERS)]
    wrong += differing("nn.Softmax2d()", "layer(x)", x=[[1.0, 2.0]])
    assert not wrong, "\n".join(wrong)


@pytest.mark.parity
def test_functions_of_activations_are_pytorchs() -> None:
    wrong = [text for called in _split(FUNCTIONS) for text in differing("None", called, x=NUMBERS)]
    assert not wrong, "\n".join(wrong)
