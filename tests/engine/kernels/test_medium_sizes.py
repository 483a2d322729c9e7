"""Some hundreds of elements take ways of their own: the same numbers, strides and refusals, every time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import tensorkit
from tensorkit.kernels.jit import compiler
from tests.support.warnings import recorded
from tests.torch_oracle import fused, require_torch

pytestmark = pytest.mark.parity

Make = Callable[[Any, Any], Any]
LAYOUTS: dict[str, Make] = {
    "row-major": lambda tk, x: x.contiguous(),
    "transposed": lambda tk, x: x.t().contiguous().t(),
    "rows apart": lambda tk, x: tk.cat((x, x), 1)[:, : x.shape[1]],
    "every second": lambda tk, x: tk.cat((x, x), 1)[:, ::2],
    "columns of a transposed one": lambda tk, x: tk.cat((x, x)).t().contiguous().t()[: x.shape[0]],
    "an offset": lambda tk, x: tk.cat((x, x))[1 : x.shape[0] + 1],
    "repeated rows": lambda tk, x: x[:1].expand(x.shape),
    "repeated columns": lambda tk, x: x[:, :1].expand(x.shape),
}
CALLS = (
    "a + b",
    "a - b",
    "a * 1.5",
    "3 * a",
    "a / b",
    "a ** 2",
    "a < b",
    "a == 0.5",
    "1.0 - a",
    "-a",
    "a.abs()",
    "a.sign()",
    "a.relu()",
    "a.sigmoid()",
    "a.rsqrt()",
    "a.erf()",
    "a.isnan()",
    "a.nan_to_num()",
    "a.double()",
    "a.long()",
    "a.clone()",
    "tk.maximum(a, b)",
    "tk.add(a, b, alpha=0.5)",
    "tk.sub(a, b, alpha=2)",
    "tk.where(a > 0, a, b)",
    "tk.where(a > b, a, 0.5)",
    "tk.where(a > b, 2, a)",
    "tk.where(a > 0, (9 * a).long(), (9 * b).long())",
    "tk.where(a > b, a, b.contiguous())",
    "tk.addcmul(a, b, a, value=0.5)",
    "tk.lerp(a, b, 0.3)",
    "a.clamp(-0.5, 0.5)",
    "a.clamp(0.5, -0.5)",
    "a.clamp(float('nan'), 1)",
    "a.clamp(0, max=float('nan'))",
    "a.clamp_min(float('nan'))",
    "a.clamp(min=-0.5)",
    "a.clamp(max=1)",
    "a.clamp_min(0)",
    "a.clamp_max(0.5)",
    "a.flip(0)",
    "a.flip(0, 1)",
    "a.roll(3, 0)",
    "a.roll(-4, 1)",
    "a.tril()",
    "a.triu(2)",
    "a.sum()",
    "a.sum(0)",
    "a.sum(1, keepdim=True)",
    "a.mean()",
    "a.mean(1)",
    "a.var()",
    "a.std(0, correction=0)",
    "a.norm()",
    "(a > 0).any()",
    "(a > -9).all()",
    "a.max()",
    "a.min()",
    "a.amax(0)",
    "a.amin(1)",
    "a.argmax()",
    "a.argmin(1)",
    "(a > 0).count_nonzero()",
    "(a > 0).nonzero()",
    "a.cumsum(0)",
    "a.cumsum(1)",
    "a.softmax(1)",
    "a.log_softmax(1)",
    "(200 * a).reshape(2, -1).softmax(1)",
    "a.sort(1)[1]",
    "a.sort(1, descending=True)[0]",
    "a.topk(3, 1)[1]",
    "a.topk(1, 1, False)[0]",
    "a.gather(1, j)",
    "a.gather(0, j % 3)",
    "a.reshape(-1).gather(0, 599 - 7 * j.reshape(-1))",
    "a.reshape(-1).gather(-1, j.reshape(-1)[:300])",
    "a.reshape(-1).gather(0, 30 * j.reshape(-1))",
    "a.reshape(-1).gather(0, 31 * j.reshape(-1) + 30)",
    "a.index_select(0, i)",
    "a.index_select(1, i)",
    "a[a > 0]",
    "a.masked_fill(b > 0, 2.0)",
    "a.masked_select(b > 0)",
    "(a > 0).nonzero()",
    "a[:, 3].nonzero()",
    "(a > 0).view(3, 10, 20).nonzero() if a.is_contiguous() else a.relu().nonzero()",
    "tk.cat((a, b))",
    "tk.cat((a, b, a), 1)",
    "tk.cat((a, b), 1)",
    "(a > 9).nonzero()",
    "(a == a.max()).nonzero()",
    "b.contiguous().scatter_add(1, j, a)",
    "b.reshape(-1).scatter_add(0, j.reshape(-1), a.reshape(-1))",
    "b.reshape(-1).repeat(10).scatter_add(0, 7 * tk.arange(6000) % 5999, a.reshape(-1).repeat(10))",
    "b.reshape(-1).scatter_add(-1, j.reshape(-1)[:300], a.reshape(-1))",
    "b.reshape(-1).scatter_add(0, j.reshape(-1), a.reshape(-1)[:300])",
    "b.reshape(-1).scatter_add(0, 31 * j.reshape(-1) + 30, a.reshape(-1))",
    "b.contiguous().index_add(0, i, a[: len(i)])",
    "tk.add(a, b, out=tk.zeros(30, 20))",
    "tk.mul(a, b, out=tk.zeros(20, 30).t())",
    "tk.exp(a, out=tk.zeros(7))",
)
CHANGES = (
    "a.add_(b)",
    "a.mul_(a)",
    "a.sub_(2.5)",
    "a.clamp_(-0.5, 0.5)",
    "a.__setitem__(b > 0, 1.5)",
    "a.relu_()",
    "a.sigmoid_()",
)


def numbers(tk: Any, layout: str, seed: int, special: bool = False) -> Any:
    x = numpy.random.default_rng(seed).standard_normal((30, 20)).astype(numpy.float32)
    x[3, 4] = x[5, 6]
    if special:
        x[0, :4] = numpy.nan, numpy.inf, -numpy.inf, -0.0
    return LAYOUTS[layout](tk, tk.from_numpy(x))


def outcome(tk: Any, call: str, layout: str, other: str, special: bool) -> Any:
    """What a call gives: numbers, size, stride, dtype; or the class of the error and its first line."""
    names = {
        "tk": tk,
        "a": numbers(tk, layout, 1, special),
        "b": numbers(tk, other, 2),
        "j": tk.arange(600).view(30, 20) * 7 % 20,
        "i": tk.arange(15) * 3 % 15,
    }
    with recorded() as caught:
        try:
            out = eval(call, names)
        except RuntimeError as error:
            return "RuntimeError", str(error).splitlines()[0]
    shown = names["a"] if out is None else out
    told = shown.shape, shown.stride(), str(shown.dtype).split(".")[1], names["a"]._version, len(caught)
    again = shown.clone().stride()  # what comes next goes by how the result says that it lies
    # By way of another view: so the numbers are read from where the strides say that they are.
    return tuple(told[0]), *told[1:], again, shown.unsqueeze(0).numpy()


def agree(call: str, layout: str, other: str, special: bool) -> None:
    torch = require_torch()
    theirs = outcome(torch, call, layout, other, special)
    for _ in range(2):  # the second time on the way that the first has found
        ours = outcome(tensorkit, call, layout, other, special)
        assert ours[:-1] == theirs[:-1]
        if isinstance(theirs[-1], str):
            assert ours[-1] == theirs[-1]
        else:
            numpy.testing.assert_allclose(ours[-1], theirs[-1], rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("call", [*CALLS, *CHANGES])
def test_every_layout_gives_what_pytorch_gives(call: str, layout: str) -> None:
    for other in (layout, "row-major", "transposed", "repeated rows"):
        agree(call, layout, other, special=False)


@pytest.mark.parametrize("call", [call for call in CALLS if "long" not in call])
def test_what_is_no_number_takes_the_same_ways(call: str) -> None:
    for layout in ("row-major", "transposed", "rows apart"):
        agree(call, layout, layout, special=True)


WANTED = (
    "tk.where(b > 0, a, b)",
    "tk.where(b > 0, b, a)",
    "tk.addcmul(a, b, b)",
    "tk.addcmul(b, b, a)",
    "tk.add(b, a, alpha=0.5)",
    "b.lerp(a, 0.3)",
    "a.clamp(-1, 1)",
    "a.nan_to_num()",
    "a.relu()",
    "a.double()",
    "a.softmax(1)",
    "a.log_softmax(1)",
    "a.sort(1)[0]",
    "a.topk(2, 1)[0]",
    "a.gather(1, j)",
    "b.scatter_add(1, j, a)",
    "tk.cat((b, a))",
    "a.max()",
    "a.min(1)[0]",
    "a.amax(0)",
    "a.cumsum(1)",
)


@pytest.mark.parametrize("call", WANTED)
def test_what_wants_a_gradient_gets_it(call: str) -> None:
    grads = []
    for tk in (tensorkit, require_torch()):
        leaf, b = numbers(tk, "row-major", 1).requires_grad_(), numbers(tk, "row-major", 2)
        with compiler.at_once():
            for a in (leaf, leaf, leaf[:30]):  # a view of what wants one, too
                (
                    eval(call, {"tk": tk, "a": a, "b": b, "j": tk.arange(600).view(30, 20) * 7 % 20}) * 2
                ).sum().backward()
        grads.append(leaf.grad.numpy())
    numpy.testing.assert_allclose(*grads, rtol=2e-5, atol=2e-5)


BY_LOOPS = ("gather", "scatter_add", "softmax", "[a >", "masked", "nonzero")


@pytest.mark.parametrize("call", [call for call in CALLS if any(name in call for name in BY_LOOPS)])
def test_the_compiled_loops_give_the_same(call: str) -> None:
    with compiler.at_once():
        for layout in ("row-major", "transposed", "every second"):
            agree(call, layout, layout, special=False)


@pytest.mark.parametrize("count", [16, 17, 600, 608, 4095, 5001, 70_003])
@pytest.mark.parametrize("name", ["rand", "randn", "randperm"])
def test_compiled_draws_are_pytorchs_to_the_last_bit(name: str, count: int) -> None:
    torch = require_torch()
    drawn = []
    with compiler.at_once():
        for tk in (tensorkit, torch):
            tk.manual_seed(count)
            drawn.append([getattr(tk, name)(count).numpy() for _ in range(2)])
    for ours, theirs in zip(*drawn, strict=True):
        if fused() or name != "randn":
            assert ours.tobytes() == theirs.tobytes()
        else:
            numpy.testing.assert_allclose(ours, theirs, rtol=4e-6, atol=4e-6)


@pytest.mark.parametrize(
    "call",
    [
        "a.add_(a.t())",
        "a[1:].add_(a[:-1])",
        "tk.add(a[1:], 1, out=a[:-1])",
        "a.t().add_(a.t())",
        "a.__setitem__(a > 0, 0.0)",
    ],
)
def test_memory_in_common_is_read_before_it_is_written_or_refused(call: str) -> None:
    torch = require_torch()

    def run(tk: Any) -> Any:
        a = tk.arange(900.0).view(30, 30) % 7 - 3
        try:
            eval(call, {"tk": tk, "a": a})
        except RuntimeError as error:
            return str(error).splitlines()[0]
        return a.tolist()

    assert run(tensorkit) == run(torch)


def test_a_layout_decided_for_one_dtype_is_not_taken_for_another() -> None:
    torch = require_torch()
    for name in ("float64", "float32", "int64", "float16", "bool", "int8"):
        for tk in (tensorkit, torch):
            a = (tk.arange(600).view(20, 30) % 5).to(getattr(tk, name)).t()
            found = (
                [a + a, a * 2, a + 0.5, a < a, a.abs(), tk.where(a > 0, a, a)] if name != "bool" else [a + a]
            )
            told = [(str(t.dtype).split(".")[1], t.stride(), t.float().sum().item()) for t in found]
            if tk is tensorkit:
                ours = told
        assert ours == told


@pytest.mark.parametrize("count", [64, 65, 1000, 4095, 4096])
def test_compiled_permutations_are_pytorchs(count: int) -> None:
    torch = require_torch()
    drawn = []
    with compiler.at_once():
        for tk in (tensorkit, torch):
            tk.manual_seed(count)
            drawn.append([tk.randperm(count).tolist(), tk.rand(3).tolist(), tk.randperm(count).tolist()])
    assert drawn[0] == drawn[1]
