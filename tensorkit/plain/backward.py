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
from typing import Any, NamedTuple

from tensorkit.plain.tensors import FUNCTIONS, Tensor, full, offered

Formula = Callable[[Tensor], Iterable["Tensor | None"]]
"""From the gradient of a result to those of the inputs; None for one that has none."""

_noting = [True]


class Node(NamedTuple):
    """A note of one operation: its name, its inputs, and how a gradient passes back to them."""

    name: str
    inputs: tuple[Any, ...]
    formula: Formula

    def __repr__(self) -> str:
        return f"<{self.name.title().replace('_', '')}Backward0>"


def note(name: str, out: Tensor, inputs: tuple[Any, ...], formula: Formula) -> Tensor:
    """Note how `out` was made, if some input wants a gradient."""
    wanted = any(isinstance(one, Tensor) and one.requires_grad for one in inputs)
    if _noting[-1] and wanted and out.dtype.is_floating_point:
        out.requires_grad, out.node = True, Node(name, inputs, formula)
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


@offered("requires_grad_", function=False)
def requires_grad_(input: Tensor, requires_grad: bool = True) -> Tensor:
    input.requires_grad = requires_grad
    return input


def refuse_change(input: Tensor) -> None:
    """Refuse to write into a tensor whose numbers a gradient needs."""
    if _noting[-1] and input.requires_grad:
        kind = "a leaf Variable that requires grad" if input.node is None else "a tensor with a history"
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
def backward(last: Tensor, gradient: Tensor | None = None) -> None:
    """Add to the ``grad`` of every leaf that `last` was made of.

    Raises:
        RuntimeError: where nothing wants a gradient, or `last` has several elements and no `gradient` is given.
    """
    if not last.requires_grad:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    if gradient is None:
        if last.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        gradient = full(last.shape, 1, dtype=last.dtype)
    arrived: dict[int, Tensor] = {id(last): gradient}
    for tensor in reversed(in_order(last)):
        g = arrived.pop(id(tensor), None)
        if g is None:  # it was an input for which no formula has a gradient
            continue
        if tensor.node is None or tensor.keeps_grad:
            tensor.grad = folded(g, tensor) if tensor.grad is None else _sum(tensor.grad, g)
        if tensor.node is None:
            continue
        for one, share in zip(tensor.node.inputs, tensor.node.formula(g), strict=True):
            if isinstance(one, Tensor) and one.requires_grad and share is not None:
                share = folded(share, one)
                arrived[id(one)] = _sum(arrived[id(one)], share) if id(one) in arrived else share


def _sum(a: Tensor, b: Tensor) -> Tensor:
    return full(a.shape, 0, dtype=a.dtype).write(x + y for x, y in zip(a.values(), b.values(), strict=True))


def folded(g: Tensor, like: Tensor) -> Tensor:
    """A gradient added up along the dimensions that broadcasting stretched; of the dtype of `like`.

    >>> folded(plain.ones(2, 3), plain.ones(3)).tolist()
    [2.0, 2.0, 2.0]
    """
    out = full(like.shape, 0, dtype=like.dtype)
    return out.add_at(out.layout.expand(g.shape).slots(), g.values())
