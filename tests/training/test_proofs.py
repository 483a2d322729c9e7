"""Small programs of the kinds that PyTorch's beginner tutorials teach, run in both libraries from one seed.

The printed losses are the same: over ten steps to one part in a million, over a hundred to one in ten thousand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tensorkit as tk
from tests.torch_oracle import require_torch

pytestmark = pytest.mark.parity

Losses = Iterator[float]
Program = Callable[[Any], Losses]


def steps(lib: Any, net: Any, optimiser: Any, loss_of: Callable[[], Any], count: int) -> Losses:
    for _ in range(count):
        optimiser.zero_grad()
        loss = loss_of()
        loss.backward()
        optimiser.step()
        yield loss.item()


def blobs(lib: Any, count: int = 60) -> tuple[Any, Any]:
    """Points around three centres, and which centre each is around."""
    centres = lib.tensor([[0.0, 2.0], [2.0, -1.0], [-2.0, -1.0]])
    labels = lib.randint(0, 3, (count,))
    return centres[labels] + lib.randn(count, 2), labels


def logistic_regression(lib: Any) -> Losses:
    """The lessons' first classifier: a linear layer, batches that are shuffled, plain SGD."""
    nn, F = lib.nn, lib.nn.functional
    lib.manual_seed(0)
    x, labels = blobs(lib)
    data = lib.utils.data.TensorDataset(x, (labels == 1).float()[:, None])
    loader = lib.utils.data.DataLoader(data, batch_size=20, shuffle=True)
    net = nn.Linear(2, 1)
    optimiser = lib.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for _ in range(34):
        for batch, wanted in loader:
            optimiser.zero_grad()
            loss = F.binary_cross_entropy_with_logits(net(batch), wanted)
            loss.backward()
            optimiser.step()
            yield loss.item()


def mlp(lib: Any) -> Losses:
    """Three layers with dropout, Adam, and a learning rate that falls."""
    nn = lib.nn
    lib.manual_seed(1)
    x, labels = blobs(lib)
    net = nn.Sequential(
        nn.Linear(2, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 3)
    )
    optimiser = lib.optim.AdamW(net.parameters(), lr=1e-3)
    schedule = lib.optim.lr_scheduler.CosineAnnealingLR(optimiser, 100)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    for loss in steps(lib, net, optimiser, lambda: criterion(net(x), labels), 100):
        schedule.step()
        yield loss


class _ConvNet:
    @staticmethod
    def of(lib: Any) -> Any:
        nn, F = lib.nn, lib.nn.functional

        class ConvNet(nn.Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
                self.norm = nn.BatchNorm2d(8)
                self.conv2 = nn.Conv2d(8, 8, 3)
                self.pool = nn.MaxPool2d(2)
                self.drop = nn.Dropout2d(0.1)
                self.fc = nn.Linear(8 * 3 * 3, 4)

            def forward(self, x: Any) -> Any:
                x = self.pool(F.relu(self.norm(self.conv1(x))))
                x = self.drop(F.leaky_relu(self.conv2(x)))
                x = F.adaptive_avg_pool2d(x, 3)
                return F.log_softmax(self.fc(lib.flatten(x, 1)), dim=1)

        return ConvNet()


def conv_net(lib: Any) -> Losses:
    """Convolution, batch norm, pooling, dropout of channels."""
    lib.manual_seed(2)
    x, labels = lib.randn(16, 1, 12, 12), lib.randint(0, 4, (16,))
    net = _ConvNet.of(lib)
    optimiser = lib.optim.RMSprop(net.parameters(), lr=1e-3)
    yield from steps(lib, net, optimiser, lambda: lib.nn.functional.nll_loss(net(x), labels), 40)


def lstm(lib: Any) -> Losses:
    """A character model: embedding, two layers of LSTM, gradients clipped."""
    nn, F = lib.nn, lib.nn.functional
    lib.manual_seed(3)
    text = lib.randint(0, 11, (6, 13))
    embedding, cells, head = (
        nn.Embedding(11, 8),
        nn.LSTM(8, 16, num_layers=2, batch_first=True, dropout=0.1),
        nn.Linear(16, 11),
    )
    net = nn.ModuleList([embedding, cells, head])
    optimiser = lib.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(60):
        optimiser.zero_grad()
        hidden, _ = cells(embedding(text[:, :-1]))
        loss = F.cross_entropy(head(hidden).transpose(1, 2), text[:, 1:])
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        yield loss.item()


def transformer(lib: Any) -> Losses:
    """A small language model: positions, causal attention, layer norm, AdamW."""
    nn, F = lib.nn, lib.nn.functional
    lib.manual_seed(4)
    text = lib.randint(0, 11, (4, 9))

    class Model(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(11, 16), nn.Embedding(8, 16)
            layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1, batch_first=True, norm_first=True)
            self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 11, bias=False)

        def forward(self, words: Any) -> Any:
            x = self.tokens(words) + self.places(lib.arange(words.shape[1]))
            mask = nn.Transformer.generate_square_subsequent_mask(words.shape[1])
            return self.head(self.norm(self.blocks(x, mask=mask, is_causal=True)))

    net = Model()
    optimiser = lib.optim.AdamW(net.parameters(), lr=3e-3)
    loss_of = lambda: F.cross_entropy(net(text[:, :-1]).reshape(-1, 11), text[:, 1:].reshape(-1))  # noqa: E731
    yield from steps(lib, net, optimiser, loss_of, 40)


PROGRAMS: list[Program] = [logistic_regression, mlp, conv_net, lstm, transformer]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_prints_pytorchs_losses(program: Program) -> None:
    torch = require_torch()
    ours, theirs = list(program(tk)), list(program(torch))
    assert len(ours) == len(theirs)
    assert theirs[-1] < theirs[0], "it learns"
    for step, (own, other) in enumerate(zip(ours, theirs, strict=True)):
        assert math.isclose(own, other, rel_tol=1e-6 if step < 10 else 1e-4), (step, own, other)
