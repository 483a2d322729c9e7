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
    ],
)
def test_refuses_with_the_same_words(call: str) -> None:
    said = []
    for engine in (tk, plain):
        with pytest.raises(Exception) as refused:
            eval(call, {"tk": engine})
        said.append(str(refused.value).split(" (")[0].split("\n")[0][:40])
    assert said[0] == said[1]
