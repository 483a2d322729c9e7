"""Kernels that follow indices: any grid gives the same, and an index out of range corrupts nothing."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tensorkit.errors import AcceleratorError
from tensorkit.kernels.cuda import EmulatedRunner, TracedRunner, using

RUNNERS = [EmulatedRunner(), EmulatedRunner(3, 4), EmulatedRunner(5, 7), TracedRunner(3, 4)]
INDEX = [[3, 0, 1], [2, 2, 0]]
CALLS = {
    "gather": lambda t, i: t.gather(1, i),
    "index_select": lambda t, i: t.index_select(0, i[1]),
    "index": lambda t, i: t[i[0], i[1]],
    "index around a slice": lambda t, i: t.view(4, 2, 2)[i[0], :, (i[1] - 2)],
    "mask": lambda t, i: t[t > 5],
    "index_put": lambda t, i: t.index_put((i[0],), t[:3] * 2),
    "accumulate": lambda t, i: t.index_put((i[1], i[1]), t[0, :3], accumulate=True),
    "scatter": lambda t, i: t.scatter(1, i, -t[:2, :3]),
    "scatter_add": lambda t, i: t.scatter_add(0, i, t[:2, :3]),
    "amin": lambda t, i: t.scatter_reduce(1, i, t[1:3, :3], "amin", include_self=False),
    "index_add": lambda t, i: t.index_add(1, i[1], t[:, :3], alpha=2),
    "index_fill": lambda t, i: t.index_fill(0, i[1] - 2, 7),
    "take": lambda t, i: t.take(i - 4),
    "put": lambda t, i: t.put(i, t[:2, :3]),
    "masked_scatter": lambda t, i: t.masked_scatter(t > 9, -t),
    "flip": lambda t, i: t.flip(0, 1),
    "roll": lambda t, i: t.roll((1, -2), (0, 1)),
    "tril": lambda t, i: t.tril(-1),
    "repeat": lambda t, i: t.repeat(2, 1, 3),
    "nonzero": lambda t, i: (t % 3).nonzero(),
}


@pytest.mark.parametrize("runner", RUNNERS, ids=["one thread", "3 x 4", "5 x 7", "traced"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_every_runner_gives_what_the_cpu_gives(call: Any, runner: Any) -> None:
    t, i = tk.arange(16.0).view(4, 4).t(), tk.tensor(INDEX)
    with tk.cuda.emulate(1), using(runner):
        assert call(t.cuda(), i.cuda()).tolist() == call(t, i).tolist()


@pytest.mark.parametrize(
    "call",
    [
        "t.gather(0, i)",
        "t.scatter_(0, i, 5.0)",
        "t.index_select(0, i)",
        "t[i]",
        "t.index_put_((i,), tk.tensor(5.0, device='cuda'))",
        "t.index_add_(0, i, t[:2].clone())",
    ],
)
def test_an_index_out_of_range_is_told_where_the_device_is_waited_for(call: str) -> None:
    with tk.cuda.emulate(1):
        t = tk.arange(6.0, device="cuda")
        neighbour = tk.full((600,), 3.0, device="cuda")
        i = tk.tensor([1, 99], device="cuda")
        eval(call, {"t": t, "i": i, "tk": tk})  # returns: the kernel has not been heard of yet
        with pytest.raises(
            AcceleratorError, match=r"device-side assert triggered\n.*index 99 is out of bounds"
        ):
            tk.cuda.synchronize()
        del neighbour
    with tk.cuda.emulate(1):  # an emulated device recovers
        assert tk.ones(2, device="cuda").tolist() == [1, 1]
