"""The truth of an autograd graph: the library's own nodes, and what a real backward pass sends between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

OLD = {"input": "self", "out": "result"}


def nodes_of(tensors: Sequence[Any]) -> list[Any]:
    """Every node, those nearest to the tensors first."""
    out: list[Any] = []
    seen: set[int] = set()
    queue = [t.grad_fn if t.grad_fn is not None else gatherer(t) for t in tensors if t.requires_grad]
    while queue:
        node = queue.pop(0)
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        out.append(node)
        queue += [source for source, _ in node.next_functions]
    return out


def gatherer(leaf: Any) -> Any:
    """The node that fills a leaf's ``.grad``."""
    return leaf.view_as(leaf).grad_fn.next_functions[0][0]


def is_leaf(node: Any) -> bool:
    """Whether a node fills a leaf's ``.grad``."""
    return str(node.name()).endswith("AccumulateGrad")


def called(node: Any) -> str:
    """``MulBackward0`` is called Mul."""
    plain = node.name().rpartition("::")[2]
    return re.sub(r"(?<=.)Backward\d*$", "", plain)


def saved_under(node: Any, name: str) -> Any:
    """A saved tensor, by the name that is printed; raises what the library raises."""
    plain, _, at = name.partition("[")
    for attribute in (
        f"_saved_{plain}",
        f"_saved_{OLD.get(plain, plain)}",
        f"_saved_{plain}_tensors",
        "saved_tensors",
    ):
        if attribute == "saved_tensors" and plain != "saved":
            continue
        try:
            found = getattr(node, attribute)
        except AttributeError:
            continue
        return found[int(at.rstrip("]"))] if at else found
    raise AttributeError(f"{node.name()} saved no {name}")


@dataclass
class Pass:
    """A real backward pass: by node what arrived and what was sent on, the order, and what the leaves hold then."""

    order: list[int] = field(default_factory=list)
    arrived: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    sent: dict[tuple[int, int], Any] = field(default_factory=dict)
    filled: dict[int, Any] = field(default_factory=dict)
    error: str = ""


def really_walked(tensors: Sequence[Any], lib: Any) -> Pass:
    """Run backward, and listen."""
    nodes, out = nodes_of(tensors), Pass()

    def before(k: int) -> Callable[[Any], None]:
        def heard(grads: Any) -> None:
            out.order.append(k)
            out.arrived[k] = tuple(None if g is None else g.detach().clone() for g in grads)

        return heard

    def after(k: int) -> Callable[[Any, Any], None]:
        def heard(sent: Any, _: Any) -> None:
            for i, grad in enumerate(sent):
                if grad is not None:
                    out.sent[k, i] = grad.detach().clone()

        return heard

    for k, node in enumerate(nodes):
        node.register_prehook(before(k))
        if not is_leaf(node):
            node.register_hook(after(k))
    wanted = [t for t in tensors if t.requires_grad]
    try:
        lib.autograd.backward(wanted, [lib.ones_like(t) for t in wanted])
    except RuntimeError as error:
        out.error = str(error)
    out.filled = {k: n.variable.grad for k, n in enumerate(nodes) if is_leaf(n)}
    return out
