"""What training a network is made of, forward and backward, and whole steps of small networks, on one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import tensorkit
from tests.benchmarks.measure import Row, benchmark, codes, on_threads, require_torch

CONVOLUTIONS = {
    "32 × 3 × 32 × 32, 16 of 5 × 5": ((32, 3, 32, 32), (16, 3, 5, 5), 0, 1.0, 1.2),
    "32 × 64 × 16 × 16, 64 of 3 × 3": ((32, 64, 16, 16), (64, 64, 3, 3), 1, 1.6, 2.0),
    "32 × 64 × 32 × 32, 64 of 3 × 3": ((32, 64, 32, 32), (64, 64, 3, 3), 1, 1.6, 2.0),
}
_BACK = "grad({}, retain_graph=True)"
#: Code by what it is called, and the goal.
CODES: dict[str, tuple[str, float | None]] = {
    "max_pool2d, 32 × 16 × 32 × 32": ("F.max_pool2d(images, 2)", 1.0),
    "max_pool2d, backward": (_BACK.format("pooled, images, pooled_g"), 1.0),
    "layer_norm, 512 × 256": ("norm(rows)", 1.0),
    "layer_norm, backward": (_BACK.format("normed, [rows, *norm.parameters()], rows_g"), 1.0),
    "cross_entropy, 512 × 256, forward and backward": ("grad(F.cross_entropy(rows, classes), rows)", 1.0),
    "embedding, 512 of 1000 × 256, backward": (_BACK.format("found, table.weight, rows_g"), None),
    "attention, 8 × 4 × 64 × 16, forward and backward": (
        "grad(F.scaled_dot_product_attention(q, q, q, is_causal=True), q, q_g)",
        None,
    ),
    "LSTM, 32 × 20 × 64, forward": ("lstm(steps)", None),
    "GRU, 32 × 20 × 64, forward": ("gru(steps)", None),
    "AdamW, step of 200,000": ("adamw.step()", 1.0),
    "SGD, step of 200,000": ("sgd.step()", 1.0),
    "MLP 784-256-10, step of 64": ("mlp_step()", 1.3),
    "GPT of 2 layers, step of 8 × 64": ("gpt_step()", 1.5),
}


def _trained(library: Any, network: Any, given: Any, classes: Any) -> Callable[[], None]:
    """A step of training."""
    optimizer = library.optim.AdamW(network.parameters(), lr=1e-4)

    def step() -> None:
        optimizer.zero_grad()
        library.nn.functional.cross_entropy(network(given), classes).backward()
        optimizer.step()

    return step


def _gpt(library: Any, kinds: int, wide: int, heads: int, layers: int, most: int) -> Any:
    """A language model that sees what came before."""
    nn, functional = library.nn, library.nn.functional

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.before, self.after = nn.LayerNorm(wide), nn.LayerNorm(wide)
            self.asked, self.told = nn.Linear(wide, 3 * wide), nn.Linear(wide, wide)
            self.up, self.down = nn.Linear(wide, 4 * wide), nn.Linear(4 * wide, wide)

        def forward(self, x: Any) -> Any:
            asked = self.asked(self.before(x)).view(*x.shape[:2], 3, heads, wide // heads)
            q, k, v = asked.permute(2, 0, 3, 1, 4).unbind(0)
            seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.told(seen.transpose(1, 2).reshape(x.shape))
            return x + self.down(functional.gelu(self.up(self.after(x))))

    class Model(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.words, self.places = nn.Embedding(kinds, wide), nn.Embedding(most, wide)
            self.blocks = nn.Sequential(*(Block() for _ in range(layers)), nn.LayerNorm(wide))
            self.head = nn.Linear(wide, kinds)

        def forward(self, words: Any) -> Any:
            placed = self.words(words) + self.places(library.arange(words.shape[1]))
            return self.head(self.blocks(placed)).flatten(0, 1)

    return Model()


def _names(library: Any) -> dict[str, Any]:
    nn, optim = library.nn, library.optim
    library.manual_seed(0)
    images = library.randn(32, 16, 32, 32, requires_grad=True)
    rows = library.randn(512, 256, requires_grad=True)
    norm, table, classes = nn.LayerNorm(256), nn.Embedding(1000, 256), library.randint(256, (512,))
    pooled, q = nn.functional.max_pool2d(images, 2), library.randn(8, 4, 64, 16, requires_grad=True)
    weights = [library.randn(200_000, requires_grad=True) for _ in range(2)]
    for one in weights:
        one.grad = library.randn(200_000)
    mlp = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    words = library.randint(65, (8, 65))
    return {
        "F": nn.functional,
        "grad": library.autograd.grad,
        "images": images,
        "pooled": pooled,
        "pooled_g": library.randn(*pooled.shape),
        "rows": rows,
        "rows_g": library.randn(512, 256),
        "norm": norm,
        "normed": norm(rows),
        "classes": classes,
        "table": table,
        "found": table(classes),
        "q": q,
        "q_g": library.randn(*q.shape),
        "steps": library.randn(32, 20, 64),
        "lstm": nn.LSTM(64, 64, batch_first=True),
        "gru": nn.GRU(64, 64, batch_first=True),
        "adamw": optim.AdamW(weights[:1]),
        "sgd": optim.SGD(weights[1:], lr=1e-3, momentum=0.9),
        "mlp_step": _trained(library, mlp, library.randn(64, 784), library.randint(10, (64,))),
        "gpt_step": _trained(
            library, _gpt(library, 65, 64, 4, 2, 64), words[:, :-1], words[:, 1:].reshape(-1)
        ),
    }


def _convolution(library: Any, size: tuple[int, ...], of: tuple[int, ...], padding: int) -> dict[str, Any]:
    library.manual_seed(0)
    x, weight, bias = library.randn(size), library.randn(of), library.randn(of[0])
    parameters = [weight.requires_grad_(), bias.requires_grad_()]
    conv2d, far = library.nn.functional.conv2d, library.randn(size, requires_grad=True)
    first, later = (conv2d(one, weight, bias, 1, padding) for one in (x, far))
    return {
        "conv2d": lambda: conv2d(x, weight, bias, 1, padding),
        "grad": library.autograd.grad,
        "first": first,
        "later": later,
        "parameters": parameters,
        "far": far,
        "g": library.randn(*first.shape),
    }


@benchmark("Networks")
def networks() -> Iterator[Row]:
    torch = require_torch()
    with on_threads(torch, 1):
        for name, (size, of, padding, forward, backward) in CONVOLUTIONS.items():
            ours, theirs = (_convolution(library, size, of, padding) for library in (tensorkit, torch))
            kinds: dict[str, tuple[str, float | None]] = {
                "": ("conv2d()", forward),
                ", backward": (_BACK.format("first, parameters, g"), backward),
                ", backward to the images too": (_BACK.format("later, [*parameters, far], g"), None),
            }
            yield from _rows({f"conv2d, {name}{kind}": code for kind, code in kinds.items()}, ours, theirs)
        yield from _rows(CODES, _names(tensorkit), _names(torch))


def _rows(
    table: dict[str, tuple[str, float | None]], ours: dict[str, Any], theirs: dict[str, Any]
) -> Iterator[Row]:
    for name, (code, goal) in table.items():
        pair = codes(code, code, ours, theirs)
        yield Row(name, pair.ratio, "× PyTorch", pair.told("tensorkit", "PyTorch"), goal)
