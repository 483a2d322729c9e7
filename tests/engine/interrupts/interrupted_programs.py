"""Pieces of programs of all kinds that `test_interrupts` interrupts: what they work on, and what they do with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorkit as tk
from tensorkit_widgets import StrideExplorer

Program = tuple[Callable[[], Sequence[Any]], Callable[[Any], object]]


def _given() -> list[Any]:
    """A matrix that is not contiguous, a vector, indices, a mask, a leaf, and a place for results."""
    x = tk.arange(1.0, 13.0).view(3, 4).t()
    return [
        x,
        tk.tensor([3.0, 1.0, 2.0]),
        tk.tensor([2, 0, 1]),
        x > 5,
        tk.ones(3, requires_grad=True),
        tk.zeros(4, 3),
        tk.empty(0),
    ]


def _set(index: Callable[[Any], Any], value: Any) -> Callable[[Any], object]:
    return lambda e: e[0].__setitem__(index(e), value)


def _backward(e: Any) -> object:
    return ((e[4] * e[0]).exp().sum() + (e[4] ** 2).sum()).backward()


def _step(e: Any) -> None:
    _backward(e)
    with tk.no_grad():
        e[4] -= 0.1 * e[4].grad
        e[4].grad = None


OPERATIONS: dict[str, Callable[[Any], object]] = {
    "add_": lambda e: e[0].add_(e[1]),
    "add_ alpha": lambda e: e[0].add_(e[1], alpha=2),
    "mul_ number": lambda e: e[0].mul_(3),
    "+=": lambda e: e[0].__iadd__(1),
    "div_ rounded": lambda e: e[0].div_(2, rounding_mode="floor"),
    "clamp_": lambda e: e[0].clamp_(2, 5),
    "exp_": lambda e: e[1].exp_(),
    "relu_": lambda e: e[0].relu_(),
    "lerp_": lambda e: e[0].lerp_(e[0] + 1, 0.5),
    "addcmul_": lambda e: e[0].addcmul_(e[0], e[1]),
    "masked_fill_": lambda e: e[0].masked_fill_(e[3], 0),
    "masked_scatter_": lambda e: e[0].masked_scatter_(e[3], tk.zeros(12)),
    "fill_": lambda e: e[0].fill_(3.0),
    "zero_": lambda e: e[0].zero_(),
    "copy_": lambda e: e[0].copy_(e[1]),
    "copy_ of a view": lambda e: e[0].copy_(e[0].flip(0)),
    "x[1] = number": _set(lambda e: 1, 7.0),
    "x[1:, ::2] = number": _set(lambda e: (slice(1, None), slice(None, None, 2)), 7.0),
    "x[mask] = number": _set(lambda e: e[3], 7.0),
    "x[:, indices] = number": _set(lambda e: (slice(None), e[2]), 7.0),
    "index_add_": lambda e: e[0].index_add_(1, e[2], tk.ones(4, 3)),
    "index_copy_": lambda e: e[0].index_copy_(1, e[2], tk.ones(4, 3)),
    "index_fill_": lambda e: e[0].index_fill_(1, e[2], 0),
    "index_put_": lambda e: e[0].index_put_((e[2],), e[1]),
    "scatter_": lambda e: e[1].scatter_(0, e[2], tk.zeros(3)),
    "scatter_add_": lambda e: e[1].scatter_add_(0, e[2], tk.ones(3)),
    "put_": lambda e: e[0].put_(e[2], e[1]),
    "cumsum_": lambda e: e[0].cumsum_(0),
    "tril_": lambda e: e[0].tril_(),
    "fill_diagonal_": lambda e: e[0].fill_diagonal_(0),
    "resize_": lambda e: e[1].resize_(5).fill_(0),
    "set_": lambda e: e[1].set_(e[0]),
    "t_": lambda e: e[0].t_(),
    "unsqueeze_": lambda e: e[1].unsqueeze_(0),
    "normal_": lambda e: (tk.manual_seed(0), e[0].normal_()),
    "uniform_": lambda e: (tk.manual_seed(0), e[0].uniform_()),
    "randperm out=": lambda e: (tk.manual_seed(0), tk.randperm(3, out=e[2])),
    "add out=": lambda e: tk.add(e[0], e[1], out=e[5]),
    "sum out=": lambda e: tk.sum(e[0], 0, out=e[1]),
    "max out=": lambda e: tk.max(e[0], 0, out=(e[1], e[2])),
    "cat out=": lambda e: tk.cat([e[1], e[1]], out=e[6]),
    "sort out=": lambda e: tk.sort(e[1], out=(e[1], e[2])),
    "where out=": lambda e: tk.where(e[3], e[0], e[1], out=e[5]),
    "matmul out=": lambda e: tk.matmul(e[0], tk.ones(3, 3), out=e[5]),
    "addmm_": lambda e: e[0].addmm_(e[0], tk.ones(3, 3)),
    "arange out=": lambda e: tk.arange(3.0, out=e[1]),
    "gather out=": lambda e: tk.gather(e[1], 0, e[2], out=e[6]),
    "pointwise": lambda e: (e[0] * 2 + e[1]).sqrt(),
    "views": lambda e: e[0].t()[1:].unfold(0, 2, 1).reshape(-1),
    "reduce": lambda e: (e[0].sum(), e[0].softmax(0), e[0].argmax(), e[0].std(1)),
    "linalg": lambda e: tk.linalg.solve(tk.eye(3) + 1, e[1]),
    "in place on a leaf's child": lambda e: (e[4] * 2).add_(1).mul_(e[4]).sum().backward(),
    "backward": _backward,
    "a step": _step,
    "grad": lambda e: tk.autograd.grad((e[4] * e[0]).sum(), e[4]),
    "requires_grad_": lambda e: e[1].requires_grad_(),
    "detach_": lambda e: (e[4] * 2).detach_(),
}


def _within(context: Callable[[], Any]) -> Callable[[Any], object]:
    def act(e: Any) -> None:
        with context():
            e[0].add_(e[1])

    return act


def _timed(e: Any) -> None:
    tk.utils.benchmark.Timer("x.fill_(1)", globals={"x": e[0]}, num_threads=2).timeit(1)


CONTEXTS: dict[str, Callable[[Any], object]] = {
    "no_grad": _within(tk.no_grad),
    "enable_grad": _within(tk.enable_grad),
    "inference_mode": _within(tk.inference_mode),
    "device": _within(lambda: tk.device("meta")),
    "record": _within(tk.tracing.record),
    "listen": _within(lambda: tk.tracing.listen(lambda event: None, calls=True)),
    "silence": _within(tk.tracing.silence),
    "paused": _within(tk.tracing.paused),
    "saved_tensors_hooks": _within(lambda: tk.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)),
    "save_on_cpu": _within(tk.autograd.graph.save_on_cpu),
    "disable_saved_tensors_hooks": _within(lambda: tk.autograd.graph.disable_saved_tensors_hooks("no")),
    "fork_rng": _within(lambda: tk.random.fork_rng(devices=[])),
    "Timer": _timed,
}


def _on_device() -> list[Any]:
    return [tk.arange(6.0, device="cuda").view(2, 3), tk.ones(3, device="cuda"), tk.zeros(2, 3).pin_memory()]


def _streams(e: Any) -> None:
    side, event = tk.cuda.Stream(), tk.cuda.Event()
    side.wait_stream(tk.cuda.current_stream())
    with tk.cuda.stream(side):
        e[0].add_(e[1])
        event.record()
    tk.cuda.current_stream().wait_event(event)
    tk.cuda.synchronize()


def _second(e: Any) -> None:
    with tk.cuda.device(1):
        e[0].add_(1)


def _queued(e: Any) -> None:
    e[2].copy_(e[0], non_blocking=True)
    tk.cuda.synchronize()


ON_DEVICES: dict[str, Callable[[Any], object]] = {
    "cuda add_": lambda e: e[0].add_(e[1]),
    "cuda matmul": lambda e: e[0] @ tk.ones(3, 3, device="cuda"),
    "cuda sum": lambda e: e[0].sum(0).cpu(),
    "cuda sort": lambda e: e[0].sort(1).values,
    "cuda item": lambda e: e[0][0, 1].item(),
    "cuda allocate": lambda e: [tk.empty(1000, device="cuda") for _ in range(3)],
    "cuda streams": _streams,
    "cuda device": _second,
    "cuda queued copy": _queued,
}

WIDGETS: dict[str, Callable[[Any], object]] = {
    "StrideExplorer": lambda e: StrideExplorer(e[0]).text(),
}


def given_to(name: str) -> Callable[[], Sequence[Any]]:
    """What a program works on."""
    return _on_device if name in ON_DEVICES else _given
