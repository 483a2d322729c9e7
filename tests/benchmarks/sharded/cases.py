"""What is measured of sharded tensors, in words that fit tensorkit's DTensor and PyTorch's alike.

A case is given a function that makes a random tensor, the package with `Shard` and `Replicate`, and how many workers
there are; it returns what is timed. Sizes grow with the workers (weak scaling): each has as much to do as one alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ROUNDS = 7
SIDE = 1000
"""Of the matrices."""
MEGABYTE = 1 << 18
"""Elements of float32."""

Case = Callable[[Any, Any, int], Callable[[], Any]]


def _tiny(make: Any, of: Any, workers: int) -> Callable[[], Any]:
    t = make(4 * workers, 4, placed=of.Shard(0))
    return lambda: t + 1


def _chain(make: Any, of: Any, workers: int) -> Callable[[], Any]:
    t = make(4 * workers, 4, placed=of.Shard(0))
    return lambda: ((((t + 1) * 2).exp() - 1) / 3).abs().sqrt().neg()


def _pointwise(make: Any, of: Any, workers: int) -> Callable[[], Any]:
    t = make(4 * workers, MEGABYTE, placed=of.Shard(0))
    return lambda: t + 1


def _sum(make: Any, of: Any, workers: int) -> Callable[[], Any]:
    t = make(4 * workers, MEGABYTE, placed=of.Shard(0))
    return lambda: t.sum().redistribute(placements=[of.Replicate()])


def _matmul(make: Any, of: Any, workers: int) -> Callable[[], Any]:
    a, b = make(SIDE * workers, SIDE, placed=of.Shard(0)), make(SIDE, SIDE, placed=of.Replicate())
    return lambda: a @ b


def _product_of_parts(make: Any, of: Any, workers: int) -> Callable[[], Any]:
    a, b = make(SIDE, SIDE * workers, placed=of.Shard(1)), make(SIDE * workers, SIDE, placed=of.Shard(0))
    return lambda: (a @ b).redistribute(placements=[of.Shard(0)])


def _moved(before: Callable[[Any], Any], after: Callable[[Any], Any]) -> Case:
    def case(make: Any, of: Any, workers: int) -> Callable[[], Any]:
        t = make(SIDE, SIDE, placed=before(of))
        return lambda: t.redistribute(placements=[after(of)])

    return case


CASES: dict[str, Case] = {
    "t + 1, 4 × 4 a worker": _tiny,
    "8 operations on elements, 4 × 4 a worker": _chain,
    "t + 1, 4 MB a worker": _pointwise,
    "sum, 4 MB a worker": _sum,
    "matmul, Shard(0) @ Replicate, 1000² a worker": _matmul,
    "matmul, Shard(1) @ Shard(0), 1000² a worker, added up": _product_of_parts,
    "redistribute 4 MB, Shard(0) to Shard(1)": _moved(lambda of: of.Shard(0), lambda of: of.Shard(1)),
    "redistribute 4 MB, Shard(0) to Replicate": _moved(lambda of: of.Shard(0), lambda of: of.Replicate()),
}
