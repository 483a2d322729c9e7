"""On a real cluster: the values of one machine, and each byte where it was predicted to go."""

from __future__ import annotations

import warnings
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.distributed.device_mesh import init_device_mesh
from tensorkit.distributed.tensor import Partial, Replicate, Shard, distribute_tensor, full, rand, randn
from tensorkit.distributed.tensor.redistribute import transfers
from tests.distributed.inline import mesh as inline_mesh
from tests.distributed.test_values import ALONE, PLACED, TWO, same

pytest.importorskip("distributed")

#: One or two of each kind; all of them are computed within one process in test_values.py.
SOME = (
    "sum(0, False)", "mean((0, 1), True)", "amax(1, False)", "var()", "softmax(0)", "t", "reshape", "chain",
    "t * its sums", f"[{(slice(1, None, 3), slice(0, None, 2))}]",
)  # fmt: skip


def test_the_readmes_example_is_true(four: Any) -> None:
    readme = Path(__file__).parents[3] / "README.md"
    block = readme.read_text(encoding="utf-8").split("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {"tk": tk}
    exec(block, names)
    assert names["mesh"].cluster is four
    assert names["total"].placements == (Partial("sum"),)
    assert repr(names["total"].full_tensor()) in block
    assert [names["t"].to_local(rank).shape[0] for rank in range(4)] == [2, 2, 2, 0]


@pytest.mark.parametrize(
    ("shape", "placements"), [((4,), [[one] for one in PLACED]), ((2, 2), [[Shard(1), Shard(0)]])], ids=str
)
def test_operations(four: Any, shape: tuple[int, ...], placements: list[Any]) -> None:
    on = init_device_mesh("cpu", shape)
    tk.manual_seed(0)
    t = tk.randn(7, 5)
    for placed in placements:
        sharded = distribute_tensor(t, on, placed)
        for operation in (ALONE[name] for name in SOME):
            same(operation(sharded), operation(t))


def test_operations_of_two(four: Any) -> None:
    on = init_device_mesh("cpu", (4,))
    tk.manual_seed(0)
    t, u = tk.randn(4, 6), tk.randn(4, 6)
    for one, other in product(PLACED, repeat=2):
        a, b = distribute_tensor(t, on, [one]), distribute_tensor(u, on, [other])
        for operation in (TWO["@"], TWO["chain"]):
            same(operation(a, b), operation(t, u))


def test_random_numbers_are_those_of_any_mesh(four: Any) -> None:
    for draw in (rand, randn):
        found = []
        for on in (init_device_mesh("cpu", (4,)), inline_mesh(1)):
            tk.manual_seed(3)
            found.append(draw(7, 5, device_mesh=on, placements=[Shard(0)]).full_tensor())
        assert tk.equal(*found)


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int16", "int64", "float16", "bfloat16", "float32", "complex64"]
)
def test_each_dtype_goes_there_and_back(four: Any, dtype: str) -> None:
    t = tk.arange(40).view(8, 5).to(getattr(tk, dtype))
    sharded = distribute_tensor(t, init_device_mesh("cpu", (4,)), [Shard(0)])
    found = sharded.redistribute(placements=[Shard(1)]).full_tensor()
    assert found.dtype == t.dtype
    assert tk.equal(found, t)


def traffic(cluster: Any) -> list[tuple[str | None, str, int]]:
    """All that workers have sent, oldest first: to whom, from whom, and how many bytes of tensors."""

    def sent(dask_worker: Any) -> list[tuple[str | None, int]]:
        return [(one["who"], one["total"]) for one in dask_worker.transfer_outgoing_log]

    return [(to, by, n) for by, several in cluster.client.run(sent).items() for to, n in several]


STEPS = [
    (Shard(0), Replicate()), (Shard(0), Shard(1)), (Shard(1), Shard(0)), (Replicate(), Shard(0)),
    (Partial("sum"), Replicate()), (Partial("sum"), Shard(0)), (Partial("max"), Replicate()),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), STEPS, ids=str)
def test_each_byte_goes_from_worker_to_worker(four: Any, old: Any, new: Any) -> None:
    on = init_device_mesh("cpu", (4,))
    size = (64, 96)
    if isinstance(old, Partial):
        whole: Any = full((4, *size), 2.0, device_mesh=on, placements=[Shard(0)])
        t = whole.sum(0) if old.reduce_op == "sum" else whole.amax(0)
    else:
        t = full(size, 2.0, device_mesh=on, placements=[old])
    assert t.placements == (old,)
    t.wait()
    before, ranks = traffic(four), {address: rank for rank, address in four.holders().items()}
    made = t.redistribute(placements=[new]).wait()
    sent = Counter(traffic(four)) - Counter(before)
    found, predicted = Counter[int](), Counter[int]()
    for (to, _, n), times in sent.items():
        assert to is not None, "something went to the client"
        found[ranks[to]] += n * times  # from any worker that has it by now: dask asks one that is less busy
    for step in transfers(t._layout, [new]):
        for _, target, n in step.messages(4):
            predicted[target] += n
    assert found == predicted
    value = 8.0 if old == Partial("sum") else 2.0
    assert tk.equal(made.full_tensor(), tk.full(size, value))


def test_a_large_tensor_is_distributed_without_a_warning(four: Any) -> None:
    t = tk.rand(12_000_000)  # 48 MB; dask would warn of a graph of more than 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sharded = distribute_tensor(t, init_device_mesh("cpu", (4,)), [Shard(0)])
    assert tk.equal(sharded.full_tensor(), t)
