"""What the checks of lesson 23 run: functions that a learner may write, right and wrong, and the cases they meet."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from tensorkit_widgets.lessons.lesson23.tiles import DOWN, for_training
from tensorkit_widgets.practice.checking.checks_autograd import Leaf, numbers_of
from tensorkit_widgets.practice.checking.functions import alike
from tensorkit_widgets.practice.facts import Verdict, is_tensor, read
from tensorkit_widgets.practice.markup import quoted, shown

Function = Callable[..., Any]


def library_of(t: Any) -> Any:
    """The library that a tensor is of."""
    return sys.modules[type(t.detach()).__module__.partition(".")[0]]


# -- the mean loss of a data set


def _mean_loss(net: Any, x: Any, y: Any, weigh: bool, divide: str, recorded: bool = False) -> Any:
    tk = library_of(x)
    loader = tk.utils.data.DataLoader(tk.utils.data.TensorDataset(x, y), batch_size=8)
    total: Any = 0.0
    with tk.set_grad_enabled(recorded):
        for a, b in loader:
            loss = ((net(a) - b) ** 2).mean()
            total = total + (loss * len(a) if weigh else loss)
    total = total / (len(x) if divide == "patients" else len(loader))
    return total if recorded else float(total)


def mean_of_all(net: Any, x: Any, y: Any) -> Any:
    return _mean_loss(net, x, y, True, "patients")


def mean_of_means(net: Any, x: Any, y: Any) -> Any:
    return _mean_loss(net, x, y, False, "batches")


def sum_of_means(net: Any, x: Any, y: Any) -> Any:
    return _mean_loss(net, x, y, False, "patients")


def means_per_patient(net: Any, x: Any, y: Any) -> Any:
    return _mean_loss(net, x, y, True, "batches")


def keeps_its_graph(net: Any, x: Any, y: Any) -> Any:
    return _mean_loss(net, x, y, True, "patients", recorded=True)


def _losses_of(function: Function, leaf: Leaf, count: int) -> Verdict | None:
    """The mean loss of a line through 0 whose data are further and further away from it."""
    w = leaf(2.0)
    x = leaf(*range(count)).detach()[:, None]
    got = function(lambda a: a * w, x, x)
    want = sum(k * k for k in range(count)) / count
    if got is None:
        return Verdict(False, "your function returned nothing. Is a `return` missing?")
    if is_tensor(got) and got.requires_grad:
        return Verdict(
            False,
            "the number is computed with recording on: it requires grad, and keeps the graphs of all batches. "
            "Compute it under `no_grad`, or add up `loss.item()`.",
            "a loss keeps its graph",
        )
    values = numbers_of(got)
    number = values[0] if values else got
    if isinstance(number, (int, float)) and alike(float(number), float(want)):
        return None
    return Verdict(False, f"for {count} patients it should give {want:.4g}; yours gave {quoted(number)}.")


def full_batches(function: Function, leaf: Leaf) -> Verdict | None:
    return _losses_of(function, leaf, 16)


def two_batches(function: Function, leaf: Leaf) -> Verdict | None:
    return _losses_of(function, leaf, 20)


# -- a convolution by hand, two steps at a time


def by_unfold(x: Any, kernel: Any) -> Any:
    rows, columns = kernel.size()
    return (x.unfold(0, rows, 2).unfold(1, columns, 2) * kernel).sum((2, 3))


def _windows(x: Any, kernel: Any, down: int, across: int, step: int = 2) -> Any:
    rows, columns = kernel.size()
    size = ((x.size(0) - rows) // step + 1, (x.size(1) - columns) // step + 1, rows, columns)
    start = x.storage_offset()
    return (x.as_strided(size, (step * down, step * across, down, across), start) * kernel).sum((2, 3))


def by_windows(x: Any, kernel: Any) -> Any:
    return _windows(x, kernel, *x.stride())


def every_row(x: Any, kernel: Any) -> Any:
    """One step at a time, as the lesson has it."""
    down, across = x.stride()
    return _windows(x, kernel, down, across, step=1)


def strides_by_size(x: Any, kernel: Any) -> Any:
    """As if a row always began where the one before it ended."""
    return _windows(x, kernel, x.size(1), 1)


def side_by_side(x: Any, kernel: Any) -> Any:
    """Windows that do not overlap."""
    return (x.unfold(0, 3, 3).unfold(1, 3, 3) * kernel).sum((2, 3))


def turned_kernel(x: Any, kernel: Any) -> Any:
    return by_unfold(x, kernel.flip(0, 1))


def one_case(says: str, rows: int, columns: int, transposed: bool = False) -> Function:
    """A trial of a convolution by hand, on an image of this size."""

    def trial(function: Function, leaf: Leaf) -> Verdict | None:
        x = leaf(*((k * k) % 11 for k in range(rows * columns))).detach().view(rows, columns)
        kernel = leaf(1, 2, 0, -1, 3, 1, 0, -2, 4).detach().view(3, 3)
        x = x.t() if transposed else x
        got = function(x, kernel)
        want = by_unfold(x, kernel)
        if got is None:
            return Verdict(False, f"{says}: your function returned nothing. Is a `return` missing?")
        if not is_tensor(got):
            return Verdict(False, f"{says}: {quoted(got)} is not a tensor.")
        facts, wanted = read(got), read(want)
        if facts.size != wanted.size:
            return Verdict(False, f"{says}: the size is {facts.size}; it should be {wanted.size}.")
        if alike(facts.values, wanted.values):
            return None
        first = next(
            place
            for place, pair in enumerate(zip(facts.values, wanted.values, strict=True))
            if not alike(*pair)
        )
        return Verdict(
            False,
            f"{says}: the size is right, but number {first} of the result is {shown(facts.values[first])}; it should "
            f"be {shown(wanted.values[first])}.",
        )

    return trial


# -- nets that tell the tiles apart


def by_differences(x: Any) -> Any:
    """Pixels that were smeared along a diagonal lie between their neighbours on it."""
    tk = library_of(x)
    down = x[..., 2:, 2:] - 2 * x[..., 1:-1, 1:-1] + x[..., :-2, :-2]
    up = x[..., 2:, :-2] - 2 * x[..., 1:-1, 1:-1] + x[..., :-2, 2:]
    return tk.stack([up.abs().mean((1, 2, 3)), down.abs().mean((1, 2, 3))], dim=1)


def by_kernels(x: Any) -> Any:
    """The same, as a convolution."""
    tk = library_of(x)
    down = x.new_tensor([[1.0, 0.0, 0.0], [0.0, -2.0, 0.0], [0.0, 0.0, 1.0]])
    kernels = tk.stack([down.flip(1), down])[:, None]
    return tk.nn.functional.conv2d(x, kernels).abs().mean((2, 3))


@cache
def trained(tk: Any) -> Any:
    """A small convolutional net after a few epochs."""
    x = for_training(tk)
    y = tk.arange(2).repeat_interleave(DOWN)
    nn = tk.nn
    with tk.random.fork_rng(devices=[]):
        tk.manual_seed(1)
        net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(7), nn.Flatten(), nn.Linear(32, 2))
        optimiser = tk.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
        for _ in range(8):
            for rows in tk.randperm(len(x)).split(32):
                optimiser.zero_grad()
                nn.functional.cross_entropy(net(x[rows]), y[rows]).backward()
                optimiser.step()
    return net


# -- the bug hunt


def script(
    given: str = "permute", *, softmax: bool = False, empty: str = "before", column: bool = False
) -> Function:
    """The script of the bug hunt, with the bugs that are asked for; by itself it is right."""

    def train(net: Any, pictures: Any, labels: Any, steps: int) -> tuple[list[float], float]:
        tk = library_of(pictures)
        if given == "permute":
            batch = pictures.permute(0, 3, 1, 2)
        elif given == "view":
            batch = pictures.view(len(pictures), 3, *pictures.size()[1:3])
        else:
            batch = pictures.transpose(1, 3)
        optimiser = tk.optim.SGD(net.parameters(), lr=0.1)
        losses = []
        for _ in range(steps):
            scores = net(batch)
            if softmax:
                scores = scores.softmax(dim=1)
            loss = tk.nn.functional.cross_entropy(scores, labels)
            if empty == "before":
                optimiser.zero_grad()
            loss.backward()
            if empty == "between":
                optimiser.zero_grad()
            optimiser.step()
            if empty == "after":
                optimiser.zero_grad()
            losses.append(loss.item())
        said = net(batch).argmax(dim=1, keepdim=column)
        return losses, (said == labels).float().mean().item()

    return train


def seen_through(function: Function, net: Any, *given: Any) -> tuple[Any, list[Any]]:
    """What the function gives, and every batch that it gave to the net."""
    seen: list[Any] = []
    hook = net.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].detach().clone()))
    try:
        return function(net, *given), seen
    finally:
        hook.remove()


def without_a_step(losses: list[float]) -> bool:
    """Did nothing change, from step to step?"""
    return len(losses) > 1 and max(losses) - min(losses) < 1e-7
