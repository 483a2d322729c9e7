"""What the samples cannot say of square brackets and their kin: errors that leave no trace, speed of the plain way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tensorkit.tracing import listen
from tests.parity.compare import Operand, compare
from tests.support.same_program import differing
from tests.torch_oracle import require_torch

Write = Callable[[Any], Any]

BROKEN: dict[str, Write] = {
    "t[[0, 5]] = 9": lambda t: t.__setitem__([0, 5], 9),
    "t[[0, 1], [0, 7]] = tensor": lambda t: t.__setitem__(([0, 1], [0, 7]), tk.tensor([1.0, 2.0])),
    "index_put_": lambda t: t.index_put_((tk.tensor([0, -4]),), tk.tensor(9.0)),
    "index_put_, accumulating": lambda t: t.index_put_((tk.tensor([0, 5]),), tk.tensor(9.0), accumulate=True),
    "scatter_": lambda t: t.scatter_(0, tk.tensor([[0], [5]]), 9),
    "scatter_ of a tensor": lambda t: t.scatter_(1, tk.tensor([[0, 4]]), tk.ones(1, 2)),
    "scatter_add_": lambda t: t.scatter_add_(0, tk.tensor([[0], [-1]]), tk.ones(2, 1)),
    "scatter_reduce_": lambda t: t.scatter_reduce_(
        0, tk.tensor([[0], [5]]), tk.ones(2, 1), "amax", include_self=False
    ),
    "index_add_": lambda t: t.index_add_(0, tk.tensor([0, 5]), tk.ones(2, 4)),
    "index_copy_": lambda t: t.index_copy_(0, tk.tensor([0, 5]), tk.ones(2, 4)),
    "index_fill_": lambda t: t.index_fill_(0, tk.tensor([0, 5]), 9),
    "put_": lambda t: t.put_(tk.tensor([0, 12]), tk.ones(2)),
    "masked_scatter_": lambda t: t.masked_scatter_(t >= 0, tk.ones(2)),
}


@pytest.mark.parametrize("write", BROKEN.values(), ids=BROKEN.keys())
def test_a_write_that_fails_has_written_nothing(write: Write) -> None:
    t = tk.arange(12.0).view(3, 4)
    with pytest.raises((IndexError, RuntimeError)):
        write(t)
    assert t.tolist() == np.arange(12.0).reshape(3, 4).tolist()
    assert t._version == 0


def _history(tk: Any) -> Any:
    leaf = tk.arange(6.0).view(2, 3).requires_grad_()
    t = leaf * 1
    view = t[1]
    t[tk.tensor([[True, False, True], [False, True, False]])] = 7
    view[[0, 2]] = leaf[0, :2] * 2
    out = t[[1, 0, 1]].sum() + view[[1, 1]].sum()
    return out, tk.autograd.grad(out, leaf)[0].tolist(), t.grad_fn.name().split("::")[-1], view.grad_fn.name()


def _written_index(tk: Any) -> Any:
    index = tk.tensor([0, 1])
    leaf = tk.ones(3, requires_grad=True)
    out = leaf[index]
    index[0] = 2
    return tk.autograd.grad(out.sum(), leaf)


def _freed(tk: Any) -> Any:
    leaf = tk.ones(3, requires_grad=True)
    out = leaf[[0, 1]].sum()
    out.backward()
    return out.backward()


def _second_order(tk: Any) -> Any:
    leaf = tk.tensor([1.0, 2.0, 3.0], requires_grad=True)
    picked = leaf[[2, 0, 2]] ** 3
    (first,) = tk.autograd.grad(picked.sum(), leaf, create_graph=True)
    return first.tolist(), first.grad_fn.name(), tk.autograd.grad(first[[0, 2]].prod(), leaf)


def _leaf_written(tk: Any) -> Any:
    leaf = tk.ones(3, requires_grad=True)
    leaf[[0]] = 1


def _no_grad_view(tk: Any) -> Any:
    leaf = tk.ones(3, requires_grad=True)
    with tk.no_grad():
        leaf[[0, 1]] = tk.tensor([5.0, 6.0])
    return leaf, leaf[leaf > 2]


def _double_zero(tk: Any) -> Any:
    source = tk.tensor([0.0, 0.0, 2.0], requires_grad=True)
    out = tk.ones(2).scatter_reduce(0, tk.tensor([0, 0, 1]), source, "prod")
    (first,) = tk.autograd.grad(out.sum(), source, create_graph=True)
    return tk.autograd.grad(first.sum(), source)


PROGRAMS = (_history, _written_index, _freed, _second_order, _leaf_written, _no_grad_view, _double_zero)


@pytest.mark.parity
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_history_through_picked_elements(program: Callable[[Any], Any]) -> None:
    assert differing(program, require_torch()) is None


@pytest.mark.parametrize("size", [(1000,), (50, 20), (5, 4, 50)])
def test_many_elements(size: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    array = rng.standard_normal(size)
    t = tk.from_numpy(array.copy())
    rows, mask = rng.integers(-size[0], size[0], 3000), rng.random(size) < 0.3
    assert np.array_equal(t[rows].numpy(), array[rows])
    assert np.array_equal(t[tk.from_numpy(mask)].numpy(), array[mask])
    np.add.at(array, rows, 1.0)
    t.index_put_((tk.from_numpy(rows),), tk.ones((), dtype=tk.float64), accumulate=True)
    assert np.array_equal(t.numpy(), array)


def test_picking_apart_from_what_was_picked_with_a_dimension_of_one() -> None:
    """NumPy gives such a dimension a stride of its own, which says nothing of where the others lie."""
    t = tk.arange(27).view(3, 3, 3)[:, [True, False, False]]
    assert t[[0, 1, 2], :, [2, 0, 1]].tolist() == [[2], [9], [19]]
    t[[0, 1, 2], :, [2, 0, 1]] = -1
    assert t.tolist() == [[[0, 1, -1]], [[-1, 10, 11]], [[18, -1, 20]]]


@pytest.mark.parity
def test_indices_of_32_bits_are_broadcast_before_they_are_copied() -> None:
    made = []
    for lib in (tk, require_torch()):
        index = lib.tensor([[0]], dtype=lib.int32).expand(2, 1)
        made.append(lib.ones(3, 3, 4).permute(2, 1, 0)[0:1, index].stride())
    assert made[0] == made[1]


@pytest.mark.parity
@pytest.mark.parametrize("call", ["t[[0, np.bool_(True)]]", "tk.tensor([np.float32(2)], dtype=tk.bool)"])
def test_numpys_numbers_that_do_not_count_are_refused(call: str) -> None:
    for lib in (tk, require_torch()):
        with pytest.raises(TypeError, match="object cannot be interpreted as an integer"):
            eval(call, {"tk": lib, "np": np, "t": lib.arange(3)})


def test_sizes_without_data() -> None:
    t = tk.empty(3, 4, device="meta")
    assert t[[0, 1, 1]].size() == (3, 4)
    assert t[:, tk.tensor([[0], [1]])].size() == (3, 2, 1)
    assert t.gather(0, tk.zeros(2, 4, dtype=tk.int64, device="meta")).size() == (2, 4)
    assert t.index_select(1, tk.zeros(7, dtype=tk.int64, device="meta")).size() == (3, 7)
    t[[0]] = 1


def test_a_trace_shows_the_brackets() -> None:
    seen: list[str] = []
    with listen(lambda event: seen.append(getattr(event, "name", ""))):
        t = tk.arange(3)
        t[[0, 1]] = t[[1, 2]]
    assert {"__getitem__", "__setitem__"} <= set(seen)


@pytest.mark.parity
@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
@pytest.mark.parametrize("layout", ["plain", "transposed"])
@pytest.mark.parametrize(
    "call",
    [
        "a.scatter_add(0, i, b)",
        "a.scatter_reduce(0, i, b, 'sum', include_self=False)",
        "a.scatter_reduce(0, i, b, 'mean')",
        "a.scatter_reduce(0, i, b, 'prod')",
        "a.scatter(0, i, 1.3, reduce='add')",
    ],
)
def test_what_is_scattered_onto_16_bits_is_rounded_once(call: str, kind: str, layout: str) -> None:
    operands = {"a": Operand((1, 3), kind, layout, seed=1), "b": Operand((20, 3), kind, seed=2)}
    torch = require_torch()
    call = (
        call.replace("i,", "tk.zeros(20, 3, dtype=tk.int64),").replace("b,", "b / 7,").replace("b)", "b / 7)")
    )
    assert (found := compare(torch, call, operands)) is None, found.text if found else ""
