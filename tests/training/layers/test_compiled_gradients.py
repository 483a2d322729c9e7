"""The compiled gradient of `log_softmax` does what the one of NumPy does."""

from __future__ import annotations

import pytest

import tensorkit as tk
from tensorkit.kernels.cpu import softmax_compiled


@pytest.mark.parametrize("size", [(3, 5), (70, 90), (2, 3, 40)], ids=str)
def test_the_compiled_gradient_of_log_softmax(size: tuple[int, ...]) -> None:
    pytest.importorskip("numba")
    loop = softmax_compiled.log_softmax_back
    numbers = tk.randn(size, generator=tk.Generator().manual_seed(3))
    g = tk.randn(size, generator=tk.Generator().manual_seed(4))
    before, patience = loop.ready, loop._patience
    found: list[tk.Tensor] = []
    try:
        for ready in (True, False):
            loop.compile() if ready else setattr(loop, "ready", None)
            loop._patience = 10**6
            loop.asked = True
            leaf = numbers.clone().requires_grad_()
            leaf.log_softmax(-1).backward(g)
            assert leaf.grad is not None
            found.append(leaf.grad)
    finally:
        loop.ready, loop._patience = before, patience
    assert tk.allclose(found[0], found[1], rtol=1e-5, atol=1e-6)
    chances = numbers.double().softmax(-1)
    assert tk.allclose(found[0].double(), g.double() - chances * g.double().sum(-1, keepdim=True), atol=1e-5)
