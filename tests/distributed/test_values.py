"""What sharded tensors hold is what one machine would, however they are placed; and each byte sent was predicted."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor, rand, randn
from tensorkit.distributed.tensor.redistribute import transfers
from tests.distributed.inline import mesh

PLACED = (Replicate(), Shard(0), Shard(1))
MESHES = ((1,), (2,), (4,), (3,), (2, 2))
SIZES = ((7, 5), (4, 6), (1, 3), (5, 4), (8, 8))


def placements(shape: tuple[int, ...]) -> list[tuple[Any, ...]]:
    return list(product(PLACED, repeat=len(shape)))


def same(found: Any, expected: tk.Tensor) -> None:
    """Of equal size, dtype and elements; sums may be taken in another order."""
    made = found.full_tensor() if isinstance(found, DTensor) else found
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    assert tk.allclose(made.double(), expected.double(), rtol=1e-5, atol=1e-6, equal_nan=True)


ALONE: dict[str, Callable[[Any], Any]] = {
    **{f"{name}({dim}, {keep})": lambda t, name=name, dim=dim, keep=keep: getattr(t, name)(dim, keepdim=keep)
       for name in ("sum", "mean", "amax", "amin", "var") for dim in (0, 1, (0, 1)) for keep in (False, True)},
    **{f"{name}()": lambda t, name=name: getattr(t, name)() for name in ("sum", "mean", "prod", "max", "min", "var")},
    **{f"softmax({dim})": lambda t, dim=dim: t.softmax(dim) for dim in (0, 1)},
    "t": lambda t: t.t(),
    "permute": lambda t: t.permute(1, 0),
    "unsqueeze": lambda t: t.unsqueeze(1),
    "squeeze": lambda t: t.unsqueeze(0).squeeze(),
    "reshape to a row": lambda t: t.reshape(-1),
    "reshape": lambda t: t.reshape(t.shape[1], t.shape[0]),
    "compare": lambda t: t > 0,
    "1 - t": lambda t: 1 - t,
    "1 / t": lambda t: 1 / t,
    "chain": lambda t: ((t * 2 + 1).exp() - t).clamp(-3, 3).to(tk.float64),
    "t * its sums": lambda t: t * t.sum(0),
    **{f"[{index}]": lambda t, index=index: t[index]
       for index in (0, -1, slice(1, None), slice(None, None, 2), (slice(None), 0), (slice(None), slice(1, 3)),
                     (..., None, -1), (slice(1, None, 3), slice(0, None, 2)), (0, 0))},
}  # fmt: skip
TWO: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "chain": lambda a, b: (a * 2 + b).exp() - 1,
    "@": lambda a, b: a @ b.t(),
    "@ of a row": lambda a, b: a @ b[0],
    "transposed twice": lambda a, b: (a.t() + b.t()).t(),
}


@pytest.mark.parametrize("shape", MESHES, ids=str)
def test_operations(shape: tuple[int, ...]) -> None:
    on = mesh(*shape)
    tk.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # variances of one element
        for size in SIZES:
            t = tk.randn(*size)
            for placed in placements(shape):
                sharded = distribute_tensor(t, on, placed)
                same(sharded, t)
                for operation in ALONE.values():
                    same(operation(sharded), operation(t))


@pytest.mark.parametrize("shape", [(2,), (4,), (2, 2)], ids=str)
def test_operations_of_two(shape: tuple[int, ...]) -> None:
    on = mesh(*shape)
    tk.manual_seed(0)
    for size in SIZES[:3]:
        t, u = tk.randn(*size), tk.randn(*size)
        for one, other in product(placements(shape), repeat=2):
            a, b = distribute_tensor(t, on, one), distribute_tensor(u, on, other)
            for operation in TWO.values():
                same(operation(a, b), operation(t, u))


@pytest.mark.parametrize("shape", MESHES, ids=str)
def test_each_byte_that_is_sent_was_predicted(shape: tuple[int, ...]) -> None:
    on: Any = mesh(*shape)
    for size in SIZES:
        for one, other in product(placements(shape), repeat=2):
            t = distribute_tensor(tk.ones(size), on, one)
            predicted = sum(step.bytes(4) for step in transfers(t._layout, other))
            on.cluster.sent.clear()
            found = t.redistribute(placements=other)
            found._futures()
            assert sum(bytes for *_, bytes in on.cluster.sent) == predicted


def test_random_numbers_are_the_same_on_every_mesh() -> None:
    known: dict[Any, tk.Tensor] = {}
    for shape in MESHES:
        on = mesh(*shape)
        for placed, (draw, dtype) in product(placements(shape), ((rand, tk.float32), (randn, tk.float64))):
            tk.manual_seed(3)
            made = draw(7, 5, dtype=dtype, device_mesh=on, placements=placed).full_tensor()
            assert tk.equal(made, known.setdefault(dtype, made))


def test_placements_are_those_of_gloo() -> None:
    """Seen with PyTorch's own DTensor on two processes."""
    on = mesh(2)
    a, b = (distribute_tensor(tk.randn(4, 4), on, [Shard(dim)]) for dim in (0, 1))
    told = {
        "Shard(dim=0)": (a @ b, a + b, a.sum(1), a.view(-1), a.softmax(1)),
        "Shard(dim=1)": (a.t(),),
        "Partial(sum)": (b @ a, a.sum(), a.sum(0)),
        "Partial(avg)": (a.mean(),),
        "Partial(max)": (a.max(),),
        "Replicate()": (b.softmax(1),),
    }
    for placement, tensors in told.items():
        assert [repr(one.placements[0]) for one in tensors] == [placement] * len(tensors)


def test_a_chain_is_one_task() -> None:
    on: Any = mesh(2)
    t = distribute_tensor(tk.ones(4), on, [Shard(0)])
    on.cluster.tasks.clear()
    ((t + 1) * 2).exp().sqrt().full_tensor()
    assert on.cluster.tasks == ["compute"] * 2


def test_what_is_not_offered_is_refused_by_name() -> None:
    t = distribute_tensor(tk.ones(4, 4), mesh(2), [Shard(0)])
    with pytest.raises(
        NotImplementedError, match=r"Operator aten\.cumsum does not have a sharding strategy registered"
    ):
        t.cumsum(0)
    with pytest.raises(RuntimeError, match=r"got mixed tensorkit\.Tensor and DTensor"):
        t + tk.ones(4, 4)
    with pytest.raises(NotImplementedError, match="with list"):
        t[[0, 1]]
