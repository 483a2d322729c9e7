"""Gradients of tensors on devices, and of what goes from one to another."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk

pytestmark = pytest.mark.usefixtures("memory")


@pytest.mark.parametrize(
    "call",
    [
        lambda w, x: ((w[0] * x + w[1] - x) ** 2).mean(),
        lambda w, x: (x + w.sum()).sum(),
        lambda w, x: (x[:2] * w).softmax(0).max(),
        lambda w, x: (w @ w + x.sum()).log(),
        lambda w, x: w[x.long() % 2].cumsum(0).norm(),
        lambda w, x: (w.cumprod(0) * w.prod()).max() + w.max(0)[0] + w.cummax(0)[0].sum(),
        lambda w, x: (
            tk.stack(w.expand(2, 2).split(1))
            .sort()[0]
            .gather(2, tk.zeros_like(x[:2].long()).view(2, 1, 1))
            .sum()
        ),
        lambda w, x: w.expand(3, 2).t().flip(0).var(),
    ],
)
def test_gradients_are_those_of_the_cpu(call: Any) -> None:
    grads = []
    for device in ("cpu", "cuda:1"):
        w = tk.tensor([1.5, 2.0], device=device, requires_grad=True)
        call(w, tk.arange(3.0, device=device)).backward()
        assert w.grad is not None
        assert w.grad.device == tk.device(device)
        grads.append(w.grad.tolist())
    assert grads[1] == pytest.approx(grads[0], rel=1e-5)


def test_a_gradient_goes_back_the_way_the_values_came() -> None:
    w = tk.ones(3, requires_grad=True)
    there = w.cuda()
    (there * 2).to("cuda:1").sum().cpu().backward()
    assert w.grad is not None
    assert (w.grad.tolist(), w.grad.device.type) == ([2, 2, 2], "cpu")
