"""Loops that train, as a notebook has them, and the views of them."""

from __future__ import annotations

from typing import Any

import tensorkit as tk
from tensorkit_widgets import TrainingView

__all__ = ["Small", "cross_entropy", "line", "nothing", "step", "stripes", "too_fast"]


class Small(tk.nn.Module):
    """Two layers; a filter that nobody uses."""

    def __init__(self, inputs: int, hidden: int, classes: int) -> None:
        super().__init__()
        numbers = tk.arange(float(hidden * (inputs + classes))).sin() / 4
        self.hidden = tk.nn.Parameter(numbers[: hidden * inputs].view(hidden, inputs))
        self.bias = tk.nn.Parameter(tk.zeros(hidden))
        self.out = tk.nn.Parameter(numbers[hidden * inputs :].view(classes, hidden))
        self.unused = tk.nn.Parameter(tk.arange(24.0).view(4, 1, 2, 3).repeat(1, 1, 2, 1) - 9)

    def forward(self, x: Any) -> Any:
        return (x.reshape(len(x), -1) @ self.hidden.t() + self.bias).relu() @ self.out.t()


def cross_entropy(scores: Any, labels: Any) -> Any:
    right = scores.gather(1, labels[:, None])[:, 0]
    return (scores.exp().sum(1).log() - right).mean()


def step(net: Any, loss: Any, rate: float) -> None:
    """One step down the gradient."""
    for parameter in net.parameters():
        parameter.grad = None
    loss.backward()
    with tk.no_grad():
        for parameter in net.parameters():
            if parameter.grad is not None:
                parameter -= rate * parameter.grad


def line() -> TrainingView:
    """A straight line through four points: numbers, each with its target."""
    net = tk.nn.ParameterDict({"slope": tk.tensor([[0.5, 0.0]]), "start": tk.zeros(1)})
    x = tk.tensor([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0], [4.0, 0.0]])
    y = tk.tensor([3.0, 3.0, 6.0, 4.0])
    view = TrainingView(net, name="net")
    for _ in range(4):
        said = (x @ net["slope"].t() + net["start"])[:, 0]
        loss = (said - y).square().mean()
        step(net, loss, 0.02)
        view.record(loss, x, said, y)
    return view


def stripes() -> TrainingView:
    """Pictures of a stripe, above, in the middle or below; the weights of the first layer are pictures too."""
    net = Small(36, 6, 3)
    labels = tk.arange(12) % 3
    images = tk.zeros(12, 1, 6, 6)
    for k in range(12):
        images[k, 0, 2 * (k % 3)] = 1 - k / 20
    view = TrainingView(net, name="net")
    for _ in range(6):
        scores = net(images)
        loss = cross_entropy(scores, labels)
        step(net, loss, 0.5)
        view.record(loss, images, scores, labels)
    return view


def too_fast() -> TrainingView:
    """A rate that is far too large: the loss is soon no number; no gradient where the loop did not ask for one."""
    net = Small(4, 3, 2)
    x, labels = tk.arange(20.0).view(5, 4), tk.arange(5) % 2
    view = TrainingView(net, name="net")
    for _ in range(5):
        scores = net(x)
        loss = cross_entropy(scores, labels)
        step(net, loss, 300.0)
        view.record(loss, x, scores, labels)
    return view.show("unused", gradients=True)


def nothing() -> TrainingView:
    return TrainingView(Small(4, 3, 2), name="net")
