"""How gradients find their way: a note of each operation, the order of the notes, and a sum at every tensor.

While tensors are computed, each operation notes its inputs and a formula (`note`). `backward` takes the notes from the
last to the first: when it comes to a tensor, all that used this tensor has had its turn, so its gradient is complete.

>>> w = plain.tensor([1.0, 2.0], requires_grad=True)
>>> (w * w).sum().backward()
>>> w.grad.tolist()
[2.0, 4.0]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from tensorkit.plain.tensors import FUNCTIONS, Tensor, full, offered

Formula = Callable[[Tensor], Iterable["Tensor | None"]]
"""From the gradient of a result to those of the inputs; None for one that has none."""

_noting = [True]


@dataclass
class Node:
    """A note of one operation.

    Attributes:
        name: of the operation.
        inputs: what it was called with.
        formula: how a gradient passes back to the inputs; None once it was used and what it kept is gone.
        keeps: whether the formula needs numbers of the inputs or of the result.
    """

    name: str
    inputs: tuple[Any, ...]
    formula: Formula | None
    keeps: bool

    def __repr__(self) -> str:
        return f"<{self.name.title().replace('_', '')}Backward0>"


def note(name: str, out: Tensor, inputs: tuple[Any, ...], formula: Formula, *, keeps: bool = False) -> Tensor:
    """Note how `out` was made, if some input wants a gradient."""
    wanted = any(isinstance(one, Tensor) and one.requires_grad for one in inputs)
    if _noting[-1] and wanted and out.dtype.is_floating_point:
        out.requires_grad, out.node = True, Node(name, inputs, formula, keeps)
    return out


@contextmanager
def no_grad() -> Iterator[None]:
    """A block in which nothing is noted."""
    _noting.append(False)
    try:
        yield
    finally:
        _noting.pop()


FUNCTIONS["no_grad"] = no_grad


def refuse_change(input: Tensor, viewed: bool = False) -> None:
    """Refuse to write into a tensor whose numbers a gradient needs; `viewed` if through a view of it."""
    viewed = viewed or (
        input.node is not None and getattr(input.node.inputs[0], "numbers", None) is input.numbers
    )
    if _noting[-1] and input.requires_grad:
        kind = "a leaf Variable that requires grad" if input.is_leaf or viewed else "a tensor with a history"
        kind = f"a view of {kind}" if viewed else kind
        raise RuntimeError(f"{kind} is being used in an in-place operation.")


def in_order(last: Tensor) -> list[Tensor]:
    """All that `last` was made of, each after what it was made of itself.

    >>> a = plain.tensor([2.0], requires_grad=True)
    >>> [one.node.name if one.node else "leaf" for one in in_order((a * a).sum())]
    ['leaf', 'mul', 'sum']
    """
    found: dict[int, Tensor] = {}
    waiting = [(last, _inputs(last))]
    while waiting:
        tensor, inputs = waiting[-1]
        other = next((one for one in inputs if id(one) not in found), None)
        if other is None:
            found[id(tensor)] = tensor
            waiting.pop()
        else:
            waiting.append((other, _inputs(other)))
    return list(found.values())


def _inputs(tensor: Tensor) -> Iterator[Tensor]:
    given = tensor.node.inputs if tensor.node else ()
    return iter([one for one in given if isinstance(one, Tensor) and one.requires_grad])


@offered("backward", function=False)
def backward(last: Tensor, gradient: Tensor | None = None, retain_graph: bool = False) -> None:
    """Add to the ``grad`` of every leaf that `last` was made of.

    Raises:
        RuntimeError: where nothing wants a gradient, where `last` has several elements and no `gradient` is given, and
            where an earlier walk has used up what a formula needs.
    """
    for tensor, g in walk(last, gradient, retain_graph):
        if tensor.node is None or tensor.keeps_grad:
            tensor.grad = g if tensor.grad is None else _sum(tensor.grad, g)


def walk(
    last: Tensor, gradient: Tensor | None = None, retain_graph: bool = False
) -> Iterator[tuple[Tensor, Tensor]]:
    """Each tensor that `last` was made of, and its gradient: results come before what they were made of."""
    arrived = {id(last): _first(last, gradient)}
    for tensor in reversed(in_order(last)):
        if id(tensor) not in arrived:  # an input for which the formula has no gradient
            continue
        g = arrived[id(tensor)]
        yield tensor, g
        if tensor.node is None:
            continue
        for one, share in zip(tensor.node.inputs, _shares(tensor.node, g, retain_graph), strict=True):
            if isinstance(one, Tensor) and one.requires_grad and share is not None:
                share = folded(share, one)
                arrived[id(one)] = _sum(arrived[id(one)], share) if id(one) in arrived else share


def _first(last: Tensor, gradient: Tensor | None) -> Tensor:
    if not last.requires_grad:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    if gradient is None and last.numel() != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    return full(last.shape, 1, dtype=last.dtype) if gradient is None else gradient


def _shares(node: Node, g: Tensor, retain_graph: bool) -> Iterable[Tensor | None]:
    """What goes on to each input; what the formula kept is let go of, unless `retain_graph`."""
    if node.formula is None:
        raise RuntimeError(
            "Trying to backward through the graph a second time (or directly access saved tensors after they have "
            "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
            "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if "
            "you need to access saved tensors after calling backward."
        )
    shares = node.formula(g)
    if node.keeps and not retain_graph:
        node.formula = None
    return shares


def grad(outputs: Tensor, inputs: Any, grad_outputs: Tensor | None = None) -> tuple[Tensor, ...]:
    """The gradients of some tensors alone: no ``grad`` changes.

    >>> x = plain.tensor([3.0], requires_grad=True)
    >>> plain.autograd.grad(x * x, x)
    (tensor([6.]),)
    """
    found = {id(tensor): g for tensor, g in walk(outputs, grad_outputs)}
    return tuple(found[id(one)] for one in ([inputs] if isinstance(inputs, Tensor) else inputs))


FUNCTIONS["autograd"] = SimpleNamespace(grad=grad)


def _sum(a: Tensor, b: Tensor) -> Tensor:
    return full(a.shape, 0, dtype=a.dtype).write(x + y for x, y in zip(a.values(), b.values(), strict=True))


def folded(g: Tensor, like: Tensor) -> Tensor:
    """A gradient added up along the dimensions that broadcasting stretched; of the dtype of `like`.

    >>> folded(plain.ones(2, 3), plain.ones(3)).tolist()
    [2.0, 2.0, 2.0]
    """
    out = full(like.shape, 0, dtype=like.dtype)
    if g.shape == like.shape:
        return out.write(g.values())
    return out.add_at(out.layout.expand(g.shape).slots(), g.values())
