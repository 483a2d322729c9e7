"""Programs with graphs that are hard to draw: they run on tensorkit and on PyTorch alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Names = dict[str, Any]
Program = Callable[[Any], tuple[Any, Names]]


def rising(lib: Any, *size: int, **options: Any) -> Any:
    """0, 1, 2, … as a leaf."""
    count = 1
    for n in size:
        count *= n
    return lib.arange(float(count), **options).view(*size).requires_grad_()


def views(lib: Any) -> tuple[Any, Names]:
    w, x = rising(lib, 3, 4), lib.arange(4.0).view(2, 2)
    y = w.t()[1:3, ::2]
    loss = (y * x.t()).sum()
    return loss, {"w": w, "x": x, "y": y, "loss": loss}


def broadcast(lib: Any) -> tuple[Any, Names]:
    a, b, c = rising(lib, 3, 1), rising(lib, 1, 4), lib.tensor(0.5, requires_grad=True)
    loss = (a * b + c).mean()
    return loss, {"a": a, "b": b, "c": c, "loss": loss}


def stride0(lib: Any) -> tuple[Any, Names]:
    w, k = rising(lib, 3, 1), lib.tensor(2.0).expand(3, 4)
    wide = w.expand(3, 4)
    loss = (wide * k * wide).sum(0).sum()
    return loss, {"w": w, "k": k, "wide": wide, "loss": loss}


def reductions(lib: Any) -> tuple[Any, Names]:
    w = rising(lib, 2, 3)
    top, places = w.max(dim=1)
    loss = (w.mean(0) * w.amax(0)).sum() + top.prod()
    return loss, {"w": w, "top": top, "places": places, "loss": loss}


def empty(lib: Any) -> tuple[Any, Names]:
    w = lib.zeros(0, 3, requires_grad=True)
    y = w * 2.0
    loss = (y * w).sum()
    return loss, {"w": w, "y": y, "loss": loss}


def one(lib: Any) -> tuple[Any, Names]:
    w = lib.tensor(-0.0, requires_grad=True)
    loss = w * w * 3
    return loss, {"w": w, "loss": loss}


def doubles(lib: Any) -> tuple[Any, Names]:
    w = lib.tensor([0.1, 1e-9, 1e12], dtype=lib.float64, requires_grad=True)
    loss = (w.exp().log() * w).sum()
    return loss, {"w": w, "loss": loss}


def halves(lib: Any) -> tuple[Any, Names]:
    w = lib.tensor([0.1, 2.0], dtype=lib.bfloat16, requires_grad=True)
    h = lib.tensor([1.5, 65504.0], dtype=lib.float16, requires_grad=True)
    loss = (w.to(lib.float32) * h.to(lib.float32)).sum()
    return loss, {"w": w, "h": h, "loss": loss}


def complexes(lib: Any) -> tuple[Any, Names]:
    z = lib.tensor([1 + 2j, -0.5j], requires_grad=True)
    loss = (z * z.conj()).real.sum()
    return loss, {"z": z, "loss": loss}


def shared(lib: Any) -> tuple[Any, Names]:
    w, v = rising(lib, 2), rising(lib, 2)
    y = w * v
    z = y + y
    loss = (z * y * w + z).sum()
    return loss, {"w": w, "v": v, "y": y, "z": z, "loss": loss}


def retained(lib: Any) -> tuple[Any, Names]:
    w = rising(lib, 2, 2)
    y = w * w
    y.retain_grad()
    z = y.t() * 3.0
    z.retain_grad()
    loss = (z * y).sum()
    return loss, {"w": w, "y": y, "z": z, "loss": loss}


def kept_graph(lib: Any) -> tuple[Any, Names]:
    w = rising(lib, 3)
    y = w * w
    loss = (y * w).sum()
    loss.backward(retain_graph=True)
    return loss, {"w": w, "y": y, "loss": loss}


def kept_and_retained(lib: Any) -> tuple[Any, Names]:
    w = rising(lib, 3)
    y = w * w
    y.retain_grad()
    loss = (y * w).sum()
    loss.backward(retain_graph=True)
    return loss, {"w": w, "y": y, "loss": loss}


def half_walked(lib: Any) -> tuple[Any, Names]:
    """What two losses share was let go by the first."""
    w = rising(lib, 3)
    y = w * w
    (y * 2.0).sum().backward()
    loss = (y * y).sum()
    return loss, {"w": w, "y": y, "loss": loss}


def in_place(lib: Any) -> tuple[Any, Names]:
    w, x = rising(lib, 4), lib.arange(4.0)
    y = w * 2.0
    y += x
    y[::2].mul_(w[:2])
    y.clamp_(min=1.0)
    loss = (y * x).sum()
    return loss, {"w": w, "x": x, "y": y, "loss": loss}


def written(lib: Any) -> tuple[Any, Names]:
    w, x = rising(lib, 2), lib.ones(2)
    loss = (w * x).exp().sum() + (w * x).sum()
    x.mul_(2)
    x.add_(1)
    return loss, {"w": w, "x": x, "loss": loss}


def many_leaves(lib: Any) -> tuple[Any, Names]:
    leaves = [lib.full((2,), float(k), requires_grad=True) for k in range(12)]
    both = lib.cat(leaves)
    loss = (both * both).sum()
    return loss, {"leaves": leaves, "both": both, "loss": loss}


def three_leaves(lib: Any) -> tuple[Any, Names]:
    b, x, w = rising(lib, 2), rising(lib, 3, 4), rising(lib, 4, 2)
    loss = lib.addmm(b, x, w).relu().sum()
    return loss, {"b": b, "x": x, "w": w, "loss": loss}


def large(lib: Any) -> tuple[Any, Names]:
    w = rising(lib, 60, 40)
    loss = (w * w.detach()).sum()
    return loss, {"w": w, "loss": loss}


def gathered(lib: Any) -> tuple[Any, Names]:
    w = rising(lib, 3, 2)
    y = w[lib.tensor([0, 2, 2])]
    loss = lib.where(y > 1, y, y * 2).log_softmax(1)[:, 0].sum()
    return loss, {"w": w, "y": y, "loss": loss}


def odd_numbers(lib: Any) -> tuple[Any, Names]:
    w = lib.tensor([0.0, -0.0, float("inf"), float("nan"), -1e-45], requires_grad=True)
    loss = (1 / w).sum() + w.abs().sqrt().sum()
    return loss, {"w": w, "loss": loss}


def two_losses(lib: Any) -> tuple[Any, Names]:
    a, b = rising(lib, 2), rising(lib, 2)
    first, second = (a * a).sum(), (a * b).sum()
    return [first, second], {"a": a, "b": b, "first": first, "second": second}


def not_one_number(lib: Any) -> tuple[Any, Names]:
    w = rising(lib, 2, 3)
    y = w * w
    return y, {"w": w, "y": y}


def runs(lib: Any) -> tuple[Any, Names]:
    w, b = rising(lib, 2), rising(lib, 2)
    y = w
    for _ in range(5):
        y = (y * 0.5 + b).sin()
    z = y.exp()
    for _ in range(6):
        z = z.relu()
    loss = (z * w).sum()
    return loss, {"w": w, "b": b, "loss": loss}


def far_apart(lib: Any) -> tuple[Any, Names]:
    """A leaf used at the beginning and at the end: its wire becomes a reference."""
    w = rising(lib, 2)
    y = (w * 2.0).exp()
    y = (y.sin() + 1.0).sqrt().cos().abs().log1p()
    loss = (y * w).sum()
    return loss, {"w": w, "loss": loss}


def own_function(lib: Any) -> tuple[Any, Names]:
    class Cube(lib.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, k: Any) -> Any:
            ctx.save_for_backward(x, k)
            return x**3 * k

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            x, k = ctx.saved_tensors
            return 3 * x**2 * k * grad, None

    w, k = rising(lib, 3), lib.tensor(2.0)
    y = Cube.apply(w, k)
    loss = y.sum()
    return loss, {"w": w, "k": k, "y": y, "loss": loss}


def filled_before(lib: Any) -> tuple[Any, Names]:
    w = rising(lib, 3)
    (w * 3).sum().backward()
    loss = (w * w).sum()
    return loss, {"w": w, "loss": loss}


def views_of_a_leaf(lib: Any) -> tuple[Any, Names]:
    w = rising(lib, 2, 3)
    first, rest = w.split([1, 2], dim=1)
    loss = (first * rest.flip(1)).sum() + rest[:, 1].sum()
    return loss, {"w": w, "first": first, "rest": rest, "loss": loss}


PROGRAMS: dict[str, Program] = {
    made.__name__: made
    for made in (
        views, broadcast, stride0, reductions, empty, one, doubles, halves, complexes, shared, retained, kept_graph,
        kept_and_retained, half_walked, in_place, written, many_leaves, three_leaves, large, gathered, odd_numbers,
        two_losses, not_one_number, runs, far_apart, own_function, filled_before, views_of_a_leaf,
    )
}  # fmt: skip
