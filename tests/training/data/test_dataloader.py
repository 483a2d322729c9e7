"""The loader in one process, against PyTorch: options, batches, random numbers, sentences."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies

import tensorkit
from tests.torch_oracle import require_torch
from tests.training.data.both import Program, assert_same, said
from tests.training.data.test_dataset import at_once, squares, stream, tensors

pytestmark = pytest.mark.parity


def loads(make: Program | None = None, epochs: int = 2, **options: Any) -> Program:
    """Load all batches, twice. An option that is a function gets the library."""

    def program(lib: Any) -> Any:
        given = {name: value(lib) if callable(value) else value for name, value in options.items()}
        loader = lib.utils.data.DataLoader((make or squares)(lib), **given)
        length = None if isinstance(loader.dataset, lib.utils.data.IterableDataset) else len(loader)
        return [list(loader) for _ in range(epochs)], length, loader.batch_size, loader.drop_last

    return program


def seeded(lib: Any) -> Any:
    return lib.Generator().manual_seed(11)


def refuses_to_set(name: str) -> Program:
    return lambda lib: setattr(lib.utils.data.DataLoader([1]), name, 5)


def lengths(lib: Any) -> Any:
    makes: list[dict[str, Any]] = [
        {},
        {"batch_size": 3},
        {"batch_size": 3, "drop_last": True},
        {"batch_size": None},
    ]
    return [len(lib.utils.data.DataLoader(stream(lib), **made)) for made in makes]


def too_long(**options: Any) -> Program:
    """A stream that gives more than it said."""

    def program(lib: Any) -> Any:
        class Longer(lib.utils.data.IterableDataset):  # type: ignore[misc]
            def __iter__(self) -> Any:
                return iter(range(4))

            def __len__(self) -> int:
                return 1

            def __repr__(self) -> str:
                return "Longer()"

        loader = lib.utils.data.DataLoader(Longer(), **options)
        return len(loader), list(loader), loader._IterableDataset_len_called

    return program


def attributes(lib: Any) -> Any:
    loader = lib.utils.data.DataLoader(squares(lib), 2)
    seen = [
        "num_workers",
        "pin_memory",
        "timeout",
        "pin_memory_device",
        "prefetch_factor",
        "in_order",
        "generator",
    ]
    seen += ["worker_init_fn", "persistent_workers", "multiprocessing_context", "_dataset_kind", "_iterator"]
    kinds = [
        type(getattr(loader, name)).__name__ for name in ("sampler", "batch_sampler", "dataset", "collate_fn")
    ]
    walk = iter(loader)
    return [getattr(loader, name) for name in seen], kinds, said(repr(walk)), len(walk), iter(walk) is walk


def broken_off(lib: Any) -> Any:
    """The first batch of several epochs, as learners look at it."""
    loader = lib.utils.data.DataLoader(range(20), batch_size=4, shuffle=True)
    return [next(iter(loader)) for _ in range(3)] + [list(loader)]


def eager(lib: Any) -> Any:
    """A sampler that draws when it is first asked for its iterator, before the base seed."""

    class Eager(lib.utils.data.Sampler):  # type: ignore[misc]
        def __iter__(self) -> Any:
            return iter(lib.randperm(5).tolist())

    return Eager()


PROGRAMS: dict[str, Program] = {
    "in order": loads(),
    "in batches": loads(batch_size=4),
    "whole batches": loads(batch_size=4, drop_last=True),
    "no batches": loads(batch_size=None),
    "no batches of tensors": loads(tensors, batch_size=None, shuffle=True),
    "shuffled": loads(tensors, batch_size=4, shuffle=True),
    "shuffled with a generator": loads(batch_size=4, shuffle=True, generator=seeded),
    "a list": loads(lambda lib: [3, 1, 2], shuffle=True),
    "a tensor": loads(lambda lib: lib.arange(6.0).view(3, 2), batch_size=2),
    "text": loads(lambda lib: "abc", batch_size=2),
    "many at once": loads(at_once, batch_size=4),
    "a sampler": loads(sampler=[1, 5, 2], batch_size=2),
    "a random sampler": loads(
        sampler=lambda lib: lib.utils.data.SubsetRandomSampler([1, 5, 2]), batch_size=2
    ),
    "a weighted sampler": loads(
        sampler=lambda lib: lib.utils.data.WeightedRandomSampler([1, 2, 3], 5), batch_size=2
    ),
    "a sampler of one's own": loads(sampler=eager, batch_size=2),
    "a sampler of batches": loads(batch_sampler=[[0, 1], [5]]),
    "a batch as index": loads(
        tensors, sampler=lambda lib: lib.utils.data.BatchSampler(range(6), 4, False), batch_size=None
    ),
    "a function for batches": loads(collate_fn=lambda lib: sum, batch_size=4),
    "a function for samples": loads(collate_fn=lambda lib: str, batch_size=None),
    "a dict of samples": loads(lambda lib: {"a": 1, "b": 2}, sampler=["b", "a"], batch_size=2),
    "a dict without keys": loads(lambda lib: {"a": 1, "b": 2}),
    "a stream": loads(stream, batch_size=3),
    "a stream of whole batches": loads(stream, batch_size=3, drop_last=True),
    "a stream without batches": loads(stream, batch_size=None),
    "a stream not shuffled": loads(stream, shuffle=False),
    "a stream shuffled": loads(stream, shuffle=True),
    "a stream with a sampler": loads(stream, sampler=[1]),
    "a stream with a sampler of batches": loads(stream, batch_sampler=[[1]]),
    "longer than it said": too_long(),
    "longer than it said, in batches": too_long(batch_size=2),
    "lengths of streams": lengths,
    "broken off": broken_off,
    "attributes": attributes,
    "a class with a parameter": lambda lib: lib.utils.data.DataLoader[int].__name__,
    "pinned": loads(pin_memory=True, epochs=1),
    "pinned on a device": loads(pin_memory=True, pin_memory_device="cuda", epochs=1),
    "a device, not pinned": loads(pin_memory_device="cuda", epochs=1),
    "samples that make no batch": loads(lambda lib: [None, None]),
    "no length": lambda lib: lib.utils.data.DataLoader(iter([])),
    "no length, shuffled": lambda lib: lib.utils.data.DataLoader(iter([]), shuffle=True),
    "no length, asked for": lambda lib: len(lib.utils.data.DataLoader(lib.utils.data.Dataset())),
    "no samples": lambda lib: list(lib.utils.data.DataLoader([])),
    "no samples, shuffled": lambda lib: lib.utils.data.DataLoader([], shuffle=True),
    "workers below none": loads(num_workers=-1),
    "time below none": loads(timeout=-1),
    "time without workers": loads(timeout=1),
    "ahead without workers": loads(prefetch_factor=2),
    "ahead by less than none": loads(num_workers=1, prefetch_factor=-1),
    "ahead by none": lambda lib: iter(lib.utils.data.DataLoader([1], num_workers=1, prefetch_factor=0)),
    "staying without workers": loads(persistent_workers=True),
    "a context without workers": loads(multiprocessing_context="fork"),
    "a context of no such name": loads(multiprocessing_context="threads", num_workers=1),
    "a context of another class": loads(multiprocessing_context=3, num_workers=1),
    "a sampler and shuffled": loads(sampler=[1], shuffle=True),
    "a sampler of batches and a size": loads(batch_sampler=[[1]], batch_size=2),
    "a sampler of batches and shuffled": loads(batch_sampler=[[1]], shuffle=True),
    "a sampler of batches and a sampler": loads(batch_sampler=[[1]], sampler=[1]),
    "a sampler of batches and the rest": loads(batch_sampler=[[1]], drop_last=True),
    "no batches and the rest": loads(batch_size=None, drop_last=True),
    "no size": loads(batch_size=0),
    "a float for a size": loads(batch_size=2.0),
    "a number for the rest": loads(drop_last=1),
    "a walk is not pickled": lambda lib: pickle.dumps(iter(lib.utils.data.DataLoader([1]))),
    "a walk without data": lambda lib: next(
        lib.utils.data.dataloader._BaseDataLoaderIter(lib.utils.data.DataLoader([1]))
    ),
} | {
    f"{name} is set": refuses_to_set(name)
    for name in (
        "batch_size",
        "batch_sampler",
        "sampler",
        "drop_last",
        "dataset",
        "persistent_workers",
        "shuffle",
        "num_workers",
    )
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_loader_is_pytorchs(program: Program) -> None:
    assert_same(program)


@hypothesis.settings(max_examples=30)
@hypothesis.given(
    size=strategies.integers(1, 30),
    batch_size=strategies.none() | strategies.integers(1, 12),
    shuffle=strategies.booleans(),
    drop_last=strategies.booleans(),
    own=strategies.booleans(),
    taken=strategies.integers(0, 9),
)
def test_batches_of_any_size(
    size: int, batch_size: int | None, shuffle: bool, drop_last: bool, own: bool, taken: int
) -> None:
    """Of which an epoch is broken off and the next goes on to its end."""

    def program(lib: Any) -> Any:
        generator = lib.Generator().manual_seed(3) if own else None
        loader = lib.utils.data.DataLoader(
            range(size), batch_size, shuffle, drop_last=drop_last, generator=generator
        )
        begun = [batch for batch, _ in zip(loader, range(taken), strict=False)]
        return begun, list(loader), len(loader), lib.rand(1, generator=generator)

    assert_same(program)


def test_a_context_is_kept() -> None:
    for lib in (tensorkit, require_torch()):
        loader = lib.utils.data.DataLoader([1], num_workers=1, multiprocessing_context="spawn")
        assert loader.multiprocessing_context.get_start_method() == "spawn"
        loader.multiprocessing_context = multiprocessing.get_context("fork")
        assert loader.multiprocessing_context.get_start_method() == "fork"
        with pytest.raises(
            TypeError, match="multiprocessing_context option should be a valid context object"
        ):
            loader.multiprocessing_context = threading


def test_batches_are_pinned_where_there_is_a_device() -> None:
    with tensorkit.cuda.emulate():
        for workers in (0, 1):
            loader = tensorkit.utils.data.DataLoader(range(4), 2, pin_memory=True, num_workers=workers)
            assert [batch.is_pinned() for batch in loader] == [True, True]
