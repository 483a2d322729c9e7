"""A few elements take ways of their own, whatever their strides along dimensions of one element: as in PyTorch."""

from __future__ import annotations

import itertools
from typing import Any

import numpy
import pytest

import tensorkit
from tests.support.warnings import recorded
from tests.torch_oracle import require_torch

pytestmark = pytest.mark.parity

# Size and stride; all but the last four count as contiguous, or dense, wherever a dimension of one element steps to.
LAYOUTS = (
    ((1, 1), (4, 1)),
    ((1, 1), (0, 0)),
    ((1, 3), (9, 1)),
    ((3, 1), (1, 7)),
    ((2, 1, 3), (3, 50, 1)),
    ((3, 1, 2), (1, 5, 3)),
    ((1,), (5,)),
    ((2, 2), (1, 2)),
    ((3, 1), (3, 2)),
    ((2, 2), (4, 1)),
    ((2, 2), (0, 1)),
    ((2, 3), (7, 2)),
)
CALLS = (
    "a.clone()",
    "a.long()",
    "a.half()",
    "a.to(tk.bool)",
    "a.flip(0)",
    "a.flip(-1)",
    "a.nan_to_num()",
    "(a / 0).nan_to_num()",
    "a.softmax(0)",
    "a.log_softmax(-1)",
    "a.cumsum(0)",
    "a.cumprod(-1)",
    "a.sigmoid()",
    "a.sign()",
    "a.logit(0.1)",
    "a.clamp(0, 0.5)",
    "tk.addcmul(a, a, a)",
    "tk.addcmul(a, a + 1, a, value=0.5)",
    "tk.lerp(a, a + 1, 0.3)",
    "tk.add(a, a + 1, alpha=0.5)",
    "tk.sub(a, a, alpha=2)",
    "tk.add(a, a, out=tk.zeros(a.size()))",
    "tk.add(a, a + 1, out=tk.zeros(9, 9, 9).as_strided(a.size(), (81, 9, 1)[-a.dim():]))",
    "a.clone().add_(a)",
    "tk.zeros(9, 9, 9).as_strided(a.size(), (81, 9, 1)[-a.dim():]).add_(a)",
    "tk.where(a > 0, a, a + 1)",
    "tk.where(a > 0, a, 1.5)",
    "tk.where(a > 0, 1, a)",
    "a.sum()",
    "(a * 0 - 0.0).sum(0)",
    "a.sum(-1, keepdim=True)",
    "a.mean(0)",
    "a.mean()",
    "a.max()",
    "a.std(0, correction=0)",
    "a.var(correction=0)",
    "(a > -0.6).any()",
    "(a > -0.6).all()",
    "a[None].tril()",
    "a[None].triu(-1)",
    "a.gather(0, (a * 0).long())",
    "a.gather(-1, (a * 0).long())",
    "a.scatter_add(0, (a * 0).long(), a)",
    "a.scatter_add(-1, (a * 0).long(), a)",
    "a.index_add(0, tk.zeros(a.size(0), dtype=tk.int64), a)",
    "a[a > -1]",
    "a[a > 9]",
    "(a > -0.6).nonzero()",
    "(a > 9).nonzero()",
    "tk.searchsorted(a.reshape(-1).contiguous(), a.contiguous())",
    "tk.searchsorted(a.reshape(-1).contiguous(), a.contiguous(), right=True)",
)  # fmt: skip


def told(tk: Any, call: str, size: tuple[int, ...], stride: tuple[int, ...]) -> Any:
    """What a call gives: size, stride, dtype, the strides of its array, and the numbers."""
    a = (tk.arange(60, dtype=tk.float32) / 30 - 0.7).as_strided(size, stride, 2)
    out = eval(call, {"tk": tk, "a": a})
    steps = out.numpy().strides if out.numel() else ()
    return tuple(out.size()), out.stride(), str(out.dtype).split(".")[1], steps, out.unsqueeze(0).numpy()


@pytest.mark.parametrize("call", CALLS)
def test_any_strides_give_what_pytorch_gives(call: str) -> None:
    torch = require_torch()
    for size, stride in LAYOUTS:
        theirs = told(torch, call, size, stride)
        for _ in range(2):  # the second time on the way that the first has found
            ours = told(tensorkit, call, size, stride)
            assert ours[:-1] == theirs[:-1], (size, stride)
            numpy.testing.assert_allclose(ours[-1], theirs[-1], rtol=2e-3, atol=2e-5)


ODD = (0.0, -0.0, 1.1, 2.7, -3.3, numpy.inf, -numpy.inf, numpy.nan, 1e38, 3.3e38)


@pytest.mark.parametrize(
    "call",
    [
        "z + {}",
        "o * {}",
        "o / {}",
        "tk.ones(3, 2)[:, 1] * {}",
        "z.clone().add_({})",
        "tk.addcmul(z, o, o, value={})",
        "tk.lerp(z, o, {})",
        "tk.add(z, o, alpha={})",
        "tk.sub(z, o, alpha={})",
        "tk.sub(z.half(), o.half(), alpha={}).float()",
        "(-o).clamp({})",
        "(-o).clamp({}, 2)",
        "o.clamp(-2, {})",
        "(-o).clamp_min({})",
        "o.clamp_max({})",
    ],
)
def test_a_number_that_was_0_is_not_taken_for_minus_0(call: str) -> None:
    torch = require_torch()
    for number in ("0.0", "-0.0", "0.0", "0"):
        ours, theirs = (
            eval(call.format(number), {"tk": tk, "z": tk.tensor([-0.0] * 3), "o": tk.ones(3)})
            for tk in (tensorkit, torch)
        )
        assert str(ours) == str(theirs), number


@pytest.mark.parametrize(
    "call", ["a.std(1)", "a.var(0)", "a.var()", "a.std(0, correction=3)", "a.softmax(0)", "a.log_softmax(1)"]
)
@pytest.mark.parametrize("number", [2.0, float("inf"), float("nan")])
def test_of_one_element_there_is_no_spread(call: str, number: float) -> None:
    torch = require_torch()
    ours, theirs = ([], [])
    for library, told in ((tensorkit, ours), (torch, theirs)):
        with recorded() as caught:
            told.append(str(eval(call, {"a": library.tensor([[number]])})))
        told.append([str(warning.message).split(" (Triggered")[0] for warning in caught])
    assert ours == theirs


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("repeats", [1, 50])
def test_places_among_odd_numbers_and_in_rows_out_of_order(right: bool, repeats: int) -> None:
    torch = require_torch()
    draw = numpy.random.default_rng(3)
    for turn in range(150):
        row = draw.choice(ODD[: draw.integers(2, 11)], draw.integers(1, 7)).astype(numpy.float32)
        row = numpy.sort(row) if turn % 2 else row
        asked = draw.choice(ODD, (repeats, 3)).astype(numpy.float32)
        found = [tk.searchsorted(tk.tensor(row), tk.tensor(asked), right=right) for tk in (tensorkit, torch)]
        assert found[0].tolist() == found[1].tolist(), (row, asked)


@pytest.mark.parametrize("largest", [False, True])
def test_the_one_largest_among_equal_and_odd_numbers(largest: bool) -> None:
    torch = require_torch()
    draw = numpy.random.default_rng(5)
    for turn in range(150):
        numbers = draw.standard_normal((draw.integers(1, 9), draw.integers(1, 90))).astype(numpy.float32)
        numbers = numbers if turn % 3 else numbers.round()
        if not turn % 4:
            numbers[0, draw.integers(numbers.shape[1])] = draw.choice(ODD)
        ours, theirs = (tk.from_numpy(numbers.copy()).topk(1, 1, largest) for tk in (tensorkit, torch))
        for mine, other in zip(ours, theirs, strict=True):
            numpy.testing.assert_array_equal(mine.numpy(), other.numpy())
            assert mine.stride() == other.stride()


def test_sums_at_places_are_rounded_one_by_one_and_wrap_around() -> None:
    torch = require_torch()
    draw = numpy.random.default_rng(4)
    for turn, kind in itertools.product(range(50), ("float32", "float64", "int64")):
        numbers = (1e8, 1.0, 0.3, 3.3e38, -1e-40) if kind[0] == "f" else (1, 2**62, -(2**62), 5)
        a, b = (draw.choice(numbers, (3, 4)).astype(kind) for _ in range(2))
        i, j = draw.integers(0, 3, 3), draw.integers(0, 3, (3, 4))
        for call in ("a.scatter_add(0, j, b)", "a.scatter_add(1, j, b)", "a.index_add(0, i, b)"):
            ours, theirs = (
                eval(call, {name: tk.tensor(value) for name, value in zip("abij", (a, b, i, j), strict=True)})
                for tk in (tensorkit, torch)
            )
            assert ours.tolist() == theirs.tolist(), (call, turn)


def test_an_index_out_of_range_is_refused_before_anything_is_added() -> None:
    torch = require_torch()
    for call in ("a.scatter_add(1, j, a)", "a.scatter_add(0, -j, a)", "a.index_add(0, j[0], a)"):
        refused = []
        for tk in (tensorkit, torch):
            with pytest.raises((IndexError, RuntimeError)) as error:
                eval(call, {"a": tk.ones(2, 2), "j": tk.tensor([[1, 2]])})
            refused.append((error.type, str(error.value).splitlines()[0]))
        assert refused[0] == refused[1]
