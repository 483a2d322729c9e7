"""Workers killed at random moments in the middle of each kind of operation: right, or a sentence says what is lost.

``pytest -s`` prints what each kill did.
"""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import pytest

import tensorkit as tk
from tensorkit.distributed.device_mesh import DeviceMesh, init_device_mesh
from tensorkit.distributed.tensor import (
    Replicate,
    Shard,
    distribute_tensor,
    full,
    ones,
    randn,
    zeros,
)
from tests.distributed.cluster.aside import aside, killed, workers
from tests.distributed.cluster.conftest import until
from tests.distributed.inline import mesh as inline_mesh
from tests.distributed.test_values import PLACED, same

pytest.importorskip("distributed")

RANKS = 4
LIMIT_S = 120
SEED = random.SystemRandom().randrange(10**6)

Made = list[tuple[Any, Any]]
"""Sharded tensors, and what they are on one machine."""


def source() -> Any:
    return tk.arange(48.0).view(8, 6)


def placed(on: DeviceMesh, dim: int = 0) -> Any:
    return distribute_tensor(source(), on, [Shard(dim)])


def to(t: Any, *placements: Any) -> Any:
    for one in placements:
        t = t.redistribute(placements=[one])
    return t


def creation(on: DeviceMesh) -> Made:
    how: dict[str, Any] = {"device_mesh": on, "placements": [Shard(0)]}
    return [
        *((full((8, 6), float(k), **how), tk.full((8, 6), float(k))) for k in range(8)),
        (zeros(8, 6, **how), tk.zeros(8, 6)),
        (ones(8, 6, **how), tk.ones(8, 6)),
    ]


def distributed(on: DeviceMesh) -> Made:
    return [(distribute_tensor(source() + k, on, [PLACED[k % 3]]), source() + k) for k in range(12)]


def chains(on: DeviceMesh) -> Made:
    t, s = placed(on), source()
    return [(((t + k) * 2 - t).clamp(0, 40), ((s + k) * 2 - s).clamp(0, 40)) for k in range(12)]


def reductions(on: DeviceMesh) -> Made:
    t, s = placed(on), source()
    return [(getattr(t + k, name)(dim), getattr(s + k, name)(dim))
            for k in range(2) for name in ("sum", "mean", "amax") for dim in (0, 1)]  # fmt: skip


def matmul(on: DeviceMesh) -> Made:
    def sharded(t: tk.Tensor, one: Any) -> Any:
        return distribute_tensor(t, on, [one])

    s = source()
    return [(sharded(s, one) @ sharded(s.t(), other), s @ s.t()) for one, other in product(PLACED, repeat=2)]


def all_gather(on: DeviceMesh) -> Made:
    return [(to(placed(on) + k, Replicate(), Shard(0), Replicate()), source() + k) for k in range(6)]


def all_to_all(on: DeviceMesh) -> Made:
    return [(to(placed(on) + k, Shard(1), Shard(0), Shard(1)), source() + k) for k in range(4)]


def reduce_scatter(on: DeviceMesh) -> Made:
    t, s = placed(on, 1), source()
    return [(to((t + k) @ (t + k).t(), Shard(0)), (s + k) @ (s + k).t()) for k in range(5)]


def all_reduce(on: DeviceMesh) -> Made:
    t, s = placed(on), source()
    return [(to((t + k).sum(0), Replicate()), (s + k).sum(0)) for k in range(8)]


def slices(on: DeviceMesh) -> Made:
    t, s = placed(on), source()
    return [((t + k)[index], (s + k)[index])
            for k in range(2) for index in (0, slice(1, None, 2), slice(2, 7), (slice(None), 3))]  # fmt: skip


def reshapes(on: DeviceMesh) -> Made:
    t, s = placed(on), source()
    return [
        ((t + k).reshape(size), (s + k).reshape(size)) for k in range(3) for size in ((6, 8), (-1,), (16, 3))
    ]


def random_numbers(on: DeviceMesh) -> Made:
    found = []
    for k in range(8):
        tk.manual_seed(k)
        sharded = randn(8, 6, device_mesh=on, placements=[Shard(k % 2)])
        tk.manual_seed(k)
        found.append((sharded, randn(8, 6, device_mesh=inline_mesh(1)).full_tensor()))
    return found


def statistics(on: DeviceMesh) -> Made:
    t, s = placed(on), source()
    return [
        *(((t + k).softmax(dim), (s + k).softmax(dim)) for k in range(3) for dim in (0, 1)),
        *(((t + k).var(0), (s + k).var(0)) for k in range(2)),
    ]


def layers(on: DeviceMesh) -> Made:
    """Each from the one before: what is lost late is computed again from the beginning."""
    t, s = placed(on), source()
    weight: Any = tk.ones(6, 6) / 6
    for _ in range(6):
        t, s = (t @ distribute_tensor(weight, on, [Shard(0)])).relu() + t, (s @ weight).relu() + s
    return [(t, s), (t.mean(), s.mean())]


KINDS: tuple[Callable[[DeviceMesh], Made], ...] = (
    creation, distributed, chains, reductions, matmul, all_gather, all_to_all, reduce_scatter, all_reduce, slices,
    reshapes, random_numbers, statistics, layers,
)  # fmt: skip


class Outcome(NamedTuple):
    kind: str
    kills: int
    recomputed: int
    said_lost: int
    seconds: float


@pytest.fixture(scope="module")
def table() -> Iterator[list[Outcome]]:
    rows: list[Outcome] = []
    yield rows
    if not rows:
        return
    print(f"\nseed {SEED}\n{'kind':16}{'kills':>6}{'recomputed':>12}{'said lost':>11}{'seconds':>9}")
    for row in rows:
        print(f"{row.kind:16}{row.kills:6}{row.recomputed:12}{row.said_lost:11}{row.seconds:9.1f}")
    kills, recomputed, lost = (sum(column) for column in list(zip(*rows, strict=True))[1:4])
    print(f"{'':16}{kills:6}{recomputed:12}{lost:11}{max(row.seconds for row in rows):9.1f}")


def finished(made: Made) -> tuple[int, int]:
    """How many results were right, and how many were said to be lost; these are right when they are asked for again."""
    right = lost = 0
    for sharded, expected in made:
        try:
            same(sharded, expected)
            right += 1
        except RuntimeError as error:
            if "workers had died" not in str(error):
                raise
            lost += 1
            same(sharded, expected)
    return right, lost


def test_there_are_enough() -> None:
    assert len(KINDS) * RANKS >= 50


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_killed(four: Any, table: list[Outcome], kind: Callable[[DeviceMesh], Made]) -> None:
    """Each of the workers, at a moment of its own while the operations are begun, computed and fetched."""
    on, dice = init_device_mesh("cpu", (RANKS,)), random.Random(f"{SEED} {kind.__name__}")
    until(lambda: len(four.holders()) == RANKS)
    began = time.monotonic()
    finished(kind(on))
    lasts = time.monotonic() - began
    nannies = workers(four, nanny=True)
    moments = sorted((dice.uniform(0, lasts), rank) for rank in nannies)
    assert len(moments) == RANKS
    gone: list[Any] = []
    began = time.monotonic()
    result = aside(lambda: finished(kind(on)))
    for moment, rank in moments:
        time.sleep(max(0, began + moment - time.monotonic()))
        gone.append(until(functools.partial(killed, nannies[rank])))
    right, lost = result.result(LIMIT_S)
    seconds = time.monotonic() - began - moments[0][0]
    assert len(set(gone)) == RANKS
    table.append(Outcome(kind.__name__, len(gone), right, lost, seconds))
    until(lambda: not any(one.is_running() and one.status() != "zombie" for one in gone))
