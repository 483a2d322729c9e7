"""What a lesson shows besides values: printed tensors and storages, random numbers, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorkit as tk
from tensorkit import plain
from tests.plain.test_samples import as_plain

NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -2.0, 1e-5, 1e5, 12345678.0, float("inf"), float("nan"), 0.1]),
    st.floats(width=32),
)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=1, max_size=4), st.booleans())
def test_prints_as_the_engine(rows: list[list[float]], turned: bool) -> None:
    there = tk.tensor(rows, dtype=tk.float32)
    there = there.t() if turned else there
    assert repr(as_plain(there)) == repr(there)


@pytest.mark.parametrize(
    "call",
    [
        "tk.arange(24).view(2, 3, 4)",
        "tk.arange(3.0).view(3, 1, 1, 1)",
        "tk.tensor(3)",
        "tk.tensor(2.5)",
        "tk.tensor(-2.0)",
        "tk.tensor([True, False])",
        "tk.tensor([1, 20], dtype=tk.int8)",
        "tk.tensor([1.5], dtype=tk.float64)",
        "tk.zeros(0)",
        "tk.zeros(2, 0)",
        "tk.zeros(2, 0, dtype=tk.int64)",
        "tk.ones(2, requires_grad=True)",
        "tk.ones(2, requires_grad=True) * 2",
        "tk.arange(3.0).storage()",
        "tk.arange(6).view(2, 3).t().size()",
        "tk.arange(3).dtype",
        "tk.arange(6.0).view(2, 3).max(dim=1)",
        "tk.unique(tk.tensor([2, 1, 2]), return_counts=True)",
        "tk.broadcast_shapes((3, 1), (4,))",
    ],
)
def test_shows_the_same_text(call: str) -> None:
    assert repr(eval(call, {"tk": plain})) == repr(eval(call, {"tk": tk}))


@pytest.mark.parametrize("seed", [0, 1, 2**31, 12345])
def test_draws_the_same_numbers(seed: int) -> None:
    drawn: list[Any] = []
    for engine in (tk, plain):
        engine.manual_seed(seed)
        drawn.append(
            [
                engine.rand(3).tolist(),
                engine.randperm(10).tolist(),
                engine.rand(2, 9, dtype=engine.float64).tolist(),
                engine.rand(40).tolist(),
            ]
        )
    assert drawn[0] == drawn[1]


def test_views_have_one_storage() -> None:
    t = plain.arange(12.0).view(3, 4)
    u = t[1:, ::2]
    u[0, 0] = 99.0
    assert t[1, 0].item() == 99.0
    assert (
        u.untyped_storage().data_ptr()
        == t.untyped_storage().data_ptr()
        != u.clone().untyped_storage().data_ptr()
    )
    assert u.data_ptr() - t.data_ptr() == 16
    assert t.untyped_storage().nbytes() == 48
    t.storage()[0] = 7
    assert t[0, 0].item() == 7.0


@pytest.mark.parametrize(
    "call",
    [
        "tk.arange(12).view(3, 4).t().view(12)",
        "tk.arange(12).view(5, 2)",
        "tk.arange(3) + tk.arange(4)",
        "tk.arange(3)[3]",
        "tk.arange(6).view(2, 3)[0, 0, 0]",
        "tk.arange(3).expand(2, 2)",
        "tk.arange(20.0).as_strided((3, 2), (4, 1), 15)",
        "tk.arange(4).view(2, 2).sum(2)",
        "tk.ones(2, requires_grad=True).mul_(2)",
        "tk.ones(2, requires_grad=True).backward()",
        "tk.ones(2).sum().backward()",
        "tk.arange(3).mean()",
        "tk.arange(3).item()",
        "bool(tk.arange(3))",
        "len(tk.tensor(1))",
        "tk.ones(2, 3) @ tk.ones(2, 3)",
        "tk.arange(3).mul_(0.5)",
        "tk.arange(3.0).expand(4, 3).add_(1)",
        "tk.tensor([1], requires_grad=True)",
        "tk.zeros(0).max()",
        "tk.zeros(0).argmin()",
        "tk.zeros(0, 2).max(0)",
        "tk.zeros(0, 2).amin(0)",
        "tk.zeros(2, 0).median(1)",
        "tk.ones(2, requires_grad=True).__setitem__(0, 3)",
        "tk.ones(2, requires_grad=True).view(2, 1).zero_()",
        "tk.add(tk.ones(3), 1, out=tk.empty(3, dtype=tk.int64))",
    ],
)
def test_refuses_with_the_same_words(call: str) -> None:
    said = []
    for engine in (tk, plain):
        with pytest.raises(Exception) as refused:
            eval(call, {"tk": engine})
        said.append(str(refused.value).split(" (")[0].split("\n")[0][:40])
    assert said[0] == said[1]


def test_walks_back_as_the_engine() -> None:
    """What is kept is used up, `.grad` is added to, and only leaves have one, unless it is asked to stay."""
    for engine in (tk, plain):
        a, b = (engine.tensor([2.0, 3.0], requires_grad=True) for _ in range(2))
        loss = (a * a + b).sum()
        loss.backward()
        with pytest.raises(RuntimeError, match="a second time"):
            loss.backward()
        assert (a.grad.tolist(), b.grad.tolist()) == ([4.0, 6.0], [2.0, 2.0])
        (a + b).sum().backward(retain_graph=True)
        assert a.grad.tolist() == [5.0, 7.0]
        h = a * 2
        with pytest.warns(UserWarning, match="not a leaf"):
            assert h.grad is None
        h.retain_grad()
        (h * h).sum().backward()
        assert h.grad.tolist() == [8.0, 12.0]
        (only,) = engine.autograd.grad((a * 3).sum(), a)
        assert only.tolist() == [3.0, 3.0]
        with engine.no_grad():
            assert not (a * 2).requires_grad
            a.mul_(2)
        assert a.tolist() == [4.0, 6.0]


def test_a_later_write_does_not_change_a_gradient() -> None:
    x = plain.tensor([1.0, 2.0])
    w = plain.tensor([3.0, 4.0], requires_grad=True)
    y = (w * x).sum()
    x.zero_()
    y.backward()
    assert w.grad is not None
    assert w.grad.tolist() == [1.0, 2.0]
