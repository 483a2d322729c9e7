"""Samplers against PyTorch: the same indices, and the same random numbers left for what comes after."""

from __future__ import annotations

import itertools
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies

from tests.training.data.both import Program, assert_same

pytestmark = pytest.mark.parity


def walks(name: str, *args: Any, seed: int | None = None, **kwargs: Any) -> Program:
    """Make a sampler and walk through it twice."""

    def program(lib: Any) -> Any:
        if seed is not None:
            kwargs["generator"] = lib.Generator().manual_seed(seed)
        sampler = getattr(lib.utils.data, name)(*args, **kwargs)
        return list(sampler), list(sampler), len(sampler)

    return program


def batches(size: Any, drop_last: Any = False, sampler: Any = "abcdefg") -> Program:
    return lambda lib: (
        list(made := lib.utils.data.BatchSampler(sampler, size, drop_last)),
        list(made),
        len(made),
    )


def share(size: int, epoch: int = 0, **how: Any) -> Program:
    def program(lib: Any) -> Any:
        sampler = lib.utils.data.DistributedSampler(range(size), **how)
        sampler.set_epoch(epoch)
        return list(sampler), len(sampler), sampler.total_size

    return program


def grown(size: int, drop_last: bool, later: int) -> Program:
    def program(lib: Any) -> Any:
        data = list(range(size))
        sampler = lib.utils.data.DistributedSampler(data, 3, 0, drop_last=drop_last)
        data[:] = range(later)
        return list(sampler)

    return program


def interleaved(lib: Any) -> Any:
    """Two samplers draw from one generator in turn: how much each draws at once is seen."""
    generator = lib.Generator().manual_seed(3)
    samplers = [
        lib.utils.data.RandomSampler(range(5), replacement=True, num_samples=70, generator=generator),
        lib.utils.data.RandomSampler(range(5), num_samples=11, generator=generator),
        lib.utils.data.SubsetRandomSampler([5, 6, 7], generator),
    ]
    return [(*row, int(lib.randint(9, (), generator=generator))) for row in itertools.zip_longest(*samplers)]


PROGRAMS: dict[str, Program] = {
    "base class": lambda lib: iter(lib.utils.data.Sampler()),
    "base class takes nothing": lambda lib: lib.utils.data.Sampler([1]),
    "base class has no length": lambda lib: len(lib.utils.data.Sampler()),
    "sequential": walks("SequentialSampler", "abc"),
    "random": walks("RandomSampler", range(20)),
    "random with a seed": walks("RandomSampler", range(20), seed=5),
    "random with replacement": walks("RandomSampler", range(20), replacement=True),
    "random with replacement, many": walks(
        "RandomSampler", range(7), replacement=True, num_samples=64, seed=1
    ),
    "random, more than there are": walks("RandomSampler", range(5), num_samples=13),
    "random, fewer than there are": walks("RandomSampler", range(5), num_samples=2, seed=1),
    "random of nothing": walks("RandomSampler", []),
    "random of nothing, some": walks("RandomSampler", [], num_samples=3),
    "random of nothing with replacement": walks("RandomSampler", [], replacement=True, num_samples=3),
    "random without a length": walks("RandomSampler", iter([])),
    "random, no bool": walks("RandomSampler", range(3), replacement=1),
    "random, no number": walks("RandomSampler", range(3), num_samples=0),
    "random, no integer": walks("RandomSampler", range(3), num_samples=1.5),
    "interleaved": interleaved,
    "subset": walks("SubsetRandomSampler", [10, 20, 30]),
    "subset with a seed": walks("SubsetRandomSampler", "abcd", seed=2),
    "subset of nothing": walks("SubsetRandomSampler", []),
    "weighted": walks("WeightedRandomSampler", [0.1, 0.9, 3, 0], 8),
    "weighted with a seed": walks("WeightedRandomSampler", [0.1, 0.9, 3, 0], 8, seed=1),
    "weighted without replacement": walks("WeightedRandomSampler", [0.1, 0.9, 3, 0.4], 3, replacement=False),
    "weighted, too many": walks("WeightedRandomSampler", [0.1, 0.9], 3, False),
    "weighted in two dimensions": walks("WeightedRandomSampler", [[0.1, 0.9]], 3),
    "weighted by a number": walks("WeightedRandomSampler", 0.1, 3),
    "weighted, no number": walks("WeightedRandomSampler", [0.1], True),
    "weighted, none": walks("WeightedRandomSampler", [0.1], -1),
    "weighted, no bool": walks("WeightedRandomSampler", [0.1], 1, 0),
    "weights": lambda lib: lib.utils.data.WeightedRandomSampler(lib.tensor([1, 2]), 1).weights,
    "batches": batches(3),
    "whole batches": batches(3, True),
    "one batch": batches(9),
    "no whole batch": batches(9, True),
    "batches of none": batches(0),
    "batches of a bool": batches(True),
    "batches of a float": batches(2.0),
    "batches, no bool": batches(2, 1),
    "batches of an iterator": batches(2, True, iter(range(5))),
    "share": share(10, num_replicas=3, rank=1),
    "share, another epoch": share(10, 2, num_replicas=3, rank=1, seed=4),
    "share in order": share(10, num_replicas=3, rank=2, shuffle=False),
    "share, rest left out": share(10, num_replicas=3, rank=0, drop_last=True),
    "share of less than one each": share(2, num_replicas=7, rank=6, shuffle=False),
    "share of less, left out": share(2, num_replicas=7, rank=6, drop_last=True),
    "share of nothing": share(0, num_replicas=2, rank=1),
    "share of no such rank": share(10, num_replicas=3, rank=3),
    "share of a negative rank": share(10, num_replicas=3, rank=-1),
    "share without a group": share(10),
    "share without a rank": share(10, num_replicas=3),
    "share without replicas": share(10, rank=0),
    "share of what has grown": grown(10, False, 14),
    "share of what has grown, left out": grown(10, True, 14),
    "share of what has shrunk": grown(10, False, 2),
    "share of what has shrunk, left out": grown(10, True, 2),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_sampler_is_pytorchs(program: Program) -> None:
    assert_same(program)


sizes = strategies.integers(1, 40)


@hypothesis.settings(max_examples=25)
@hypothesis.given(
    sizes,
    strategies.none() | strategies.integers(1, 100),
    strategies.booleans(),
    sizes,
    strategies.booleans(),
)
def test_random_batches_of_any_size(
    size: int, count: int | None, replacement: bool, batch: int, drop_last: bool
) -> None:
    def program(lib: Any) -> Any:
        sampler = lib.utils.data.RandomSampler(range(size), replacement, count)
        return list(made := lib.utils.data.BatchSampler(sampler, batch, drop_last)), len(made)

    assert_same(program)
