"""Named graphs that the tests of GraphView share: programs that run on tensorkit and on PyTorch alike.

`python -m tests.widgets.graph_examples` writes the golden texts and the fixture of the JavaScript tests again;
look at the difference before committing it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tensorkit as tk
from tensorkit_widgets import GraphView
from tensorkit_widgets.widget.saved_page import numbered

GOLDEN = Path(__file__).parent / "golden"
FIXTURES = Path(__file__).resolve().parents[2] / "widgets" / "tests-js" / "fixtures"

Names = dict[str, Any]


def affine(lib: Any) -> tuple[Any, Names]:
    """A leaf, a broadcast leaf, a constant, a detached result, a result used twice."""
    w = lib.tensor([1.0, 2.0, 3.0], requires_grad=True)
    b = lib.tensor(0.5, requires_grad=True)
    x = lib.tensor([1.0, 1.0, 2.0])
    y = w * x + b
    d = y.detach()
    loss = (y * y * d).sum()
    return loss, {"w": w, "b": b, "x": x, "y": y, "d": d, "loss": loss}


def square(lib: Any) -> tuple[Any, Names]:
    """The smallest graph that saves something."""
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    return loss, {"w": w, "loss": loss}


def chain(lib: Any) -> tuple[Any, Names]:
    """A long run of the same two operations between two others."""
    w = lib.tensor([0.5, 1.0], requires_grad=True)
    b = lib.tensor([1.0, 2.0], requires_grad=True)
    y = w * b
    z = y
    for _ in range(60):
        z = z * w + b
    loss = (z * y).sum()
    return loss, {"w": w, "b": b, "y": y, "loss": loss}


def modified(lib: Any) -> tuple[Any, Names]:
    """A saved result that was written to in place."""
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    y = w * lib.tensor([3.0, 3.0])
    loss = (y * y).sum()
    with lib.no_grad():
        y.add_(1)
    return loss, {"w": w, "y": y, "loss": loss}


def freed(lib: Any) -> tuple[Any, Names]:
    """A graph that was walked before anybody looked."""
    loss, names = square(lib)
    loss.backward()
    return loss, names


def several(lib: Any) -> tuple[Any, Names]:
    """An operation with two results, and a result that keeps its gradient."""
    w = lib.tensor([[2.0, 1.0], [3.0, 4.0]], requires_grad=True)
    first, second = w.unbind(0)
    product = first * second
    product.retain_grad()
    loss = product.sum()
    return loss, {"w": w, "first": first, "second": second, "product": product, "loss": loss}


def numbers(lib: Any) -> tuple[Any, Names]:
    """Operations with a tensor and a number."""
    w = lib.tensor([2.0, 4.0], requires_grad=True)
    loss = (w * 3 / 2.5).sum()
    return loss, {"w": w, "loss": loss}


def inplace(lib: Any) -> tuple[Any, Names]:
    """A result that was written to through a view of it, and recorded."""
    w = lib.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = w * 1.5
    y[1:].mul_(3)
    loss = (y * y).sum()
    return loss, {"w": w, "y": y, "loss": loss}


def leaf(lib: Any) -> tuple[Any, Names]:
    """A leaf, with no graph behind it."""
    w = lib.tensor(2.0, requires_grad=True)
    return w, {"w": w}


def constant(lib: Any) -> tuple[Any, Names]:
    """A tensor for which nothing was recorded."""
    x = lib.tensor([2.0, 3.0])
    return x, {"x": x}


GRAPHS: dict[str, Callable[[Any], tuple[Any, Names]]] = {
    one.__name__: one
    for one in (affine, square, chain, modified, freed, several, numbers, inplace, leaf, constant)
}
STEPS: dict[str, tuple[int, ...]] = {
    "affine": (0, 3, 7),
    "square": (0, 3),
    "chain": (3,),
    "modified": (2,),
    "freed": (0,),
    "several": (4,),
    "numbers": (0,),
    "inplace": (5,),
    "leaf": (1,),
    "constant": (0,),
}
"""The steps of each that have a golden text."""


def view(name: str, lib: Any = tk) -> GraphView:
    """A GraphView of a named graph."""
    tensor, names = GRAPHS[name](lib)
    return GraphView(tensor, names=names)


def golden(name: str, step: int) -> Path:
    """Where the text of a step is."""
    return GOLDEN / f"graph_{name}_{step}.txt"


def fixture() -> str:
    """The frames of a rehearsal, as the browser gets them."""
    made = view("affine")
    frames = [made.frame]
    frames += [made.step().frame for _ in range(made.steps)]
    folded = view("chain")
    both = {"affine": frames, "chain": [folded.frame]}
    for frame in (*frames, folded.frame):
        frame["serial"] = None
        frame["svg"] = numbered(frame["svg"])
    made.close()
    folded.close()
    return json.dumps(both, separators=(",", ":"), ensure_ascii=False) + "\n"


def write() -> None:
    """Write goldens and fixture."""
    for name, steps in STEPS.items():
        for step in steps:
            made = view(name).step(step)
            golden(name, step).write_text(made.text() + "\n", encoding="utf-8")
            made.close()
    made = view("affine").step(3)
    (GOLDEN / "graph_affine_3.svg").write_text(made.svg(), encoding="utf-8")
    made.close()
    (FIXTURES / "graphs.json").write_text(fixture(), encoding="utf-8")


if __name__ == "__main__":
    write()
