"""Datasets and how they are put together, against PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.training.data.both import Program, assert_same

pytestmark = pytest.mark.parity


def squares(lib: Any) -> Any:
    class Squares(lib.utils.data.Dataset):  # type: ignore[misc]
        def __len__(self) -> int:
            return 6

        def __getitem__(self, index: int) -> int:
            return index**2

        def __repr__(self) -> str:
            return "Squares()"

    return Squares()


def at_once(lib: Any, too_few: int = 0) -> Any:
    class AtOnce(lib.utils.data.Dataset):  # type: ignore[misc]
        def __len__(self) -> int:
            return 6

        def __getitem__(self, index: Any) -> Any:
            return f"one {index}"

        def __getitems__(self, indices: list[int]) -> list[str]:
            return [f"many {index}" for index in indices[too_few:]]

    return AtOnce()


def stream(lib: Any, members: Any = range(4)) -> Any:
    class Stream(lib.utils.data.IterableDataset):  # type: ignore[misc]
        def __iter__(self) -> Any:
            return iter(members)

        def __len__(self) -> int:
            return len(members)

    return Stream()


def tensors(lib: Any) -> Any:
    return lib.utils.data.TensorDataset(lib.arange(12.0).view(6, 2), lib.arange(6))


def subclass(lib: Any, **methods: Any) -> Any:
    return type("Mine", (lib.utils.data.Subset,), methods)([1, 2, 3], [2, 0])


def split(lengths: Any, dataset: Any = range(10), **how: Any) -> Program:
    def program(lib: Any) -> Any:
        if "seed" in how:
            parts = lib.utils.data.random_split(dataset, lengths, lib.Generator().manual_seed(how["seed"]))
        else:
            parts = lib.utils.data.random_split(dataset, lengths)
        return [(type(part).__name__, part.indices, list(part)) for part in parts]

    return program


PROGRAMS: dict[str, Program] = {
    "dataset without samples": lambda lib: lib.utils.data.Dataset()[0],
    "dataset has no length": lambda lib: len(lib.utils.data.Dataset()),
    "dataset of something": lambda lib: lib.utils.data.Dataset[int].__name__,
    "stream is abstract": lambda lib: lib.utils.data.IterableDataset(),
    "sum": lambda lib: (
        type(both := squares(lib) + tensors(lib)).__name__,
        list(map(both.__getitem__, [0, 5, 6, -1])),
    ),
    "sum of streams": lambda lib: (type(both := stream(lib) + stream(lib)).__name__, list(both), len(both)),
    "sum of a stream and another": lambda lib: list(stream(lib) + squares(lib)),
    "length of a stream and another": lambda lib: len(stream(lib) + squares(lib)),
    "sum of another and a stream": lambda lib: squares(lib) + stream(lib),
    "tensors": lambda lib: (tensors(lib)[1], tensors(lib)[2:4], tensors(lib)[[0, 5]], len(tensors(lib))),
    "tensors out of range": lambda lib: tensors(lib)[6],
    "tensors of two lengths": lambda lib: lib.utils.data.TensorDataset(lib.ones(2), lib.ones(3)),
    "no tensors": lambda lib: lib.utils.data.TensorDataset()[0],
    "length of no tensors": lambda lib: len(lib.utils.data.TensorDataset()),
    "tensor without dimensions": lambda lib: lib.utils.data.TensorDataset(lib.tensor(1)),
    "stack": lambda lib: (
        (both := lib.utils.data.StackDataset(squares(lib), tensors(lib)))[3],
        both.__getitems__([1, 0]),
        both.__getitems__([]),
        len(both),
    ),
    "stack by name": lambda lib: (
        (both := lib.utils.data.StackDataset(a=squares(lib), b=at_once(lib)))[3],
        both.__getitems__([1, 0]),
        both.__getitems__([]),
        len(both),
    ),
    "stack of too few": lambda lib: lib.utils.data.StackDataset(squares(lib), at_once(lib, 1)).__getitems__(
        [1, 0]
    ),
    "stack by name of too few": lambda lib: lib.utils.data.StackDataset(a=at_once(lib, 1)).__getitems__(
        [1, 0]
    ),
    "stack of both": lambda lib: lib.utils.data.StackDataset(squares(lib), a=squares(lib)),
    "stack of none": lambda lib: lib.utils.data.StackDataset(),
    "stack of two lengths": lambda lib: lib.utils.data.StackDataset(squares(lib), [1]),
    "stack by name of two lengths": lambda lib: lib.utils.data.StackDataset(a=squares(lib), b=[1]),
    "concat": lambda lib: (
        (all_three := lib.utils.data.ConcatDataset([[1, 2], [], squares(lib)]))[2],
        len(all_three),
        all_three[-8],
        all_three.cumulative_sizes,
        all_three.cumsum(["ab", "c"]),
    ),
    "concat, once spelled otherwise": lambda lib: lib.utils.data.ConcatDataset([[1], [2]]).cummulative_sizes,
    "concat too far back": lambda lib: lib.utils.data.ConcatDataset([[1], [2]])[-3],
    "concat too far": lambda lib: lib.utils.data.ConcatDataset([[1], [2]])[2],
    "concat of none": lambda lib: lib.utils.data.ConcatDataset([]),
    "subset": lambda lib: (
        (part := lib.utils.data.Subset(tensors(lib), [4, 0, 3]))[1],
        part[[0, 2]],
        part.__getitems__([2, 0]),
        len(part),
    ),
    "subset of many at once": lambda lib: lib.utils.data.Subset(at_once(lib), [4, 0, 3]).__getitems__([2, 0]),
    "subset of a subset": lambda lib: list(
        lib.utils.data.Subset(lib.utils.data.Subset("abcdef", [4, 0, 3]), [2, 0])
    ),
    "subclass of subset": lambda lib: subclass(lib, __getitem__=lambda self, index: 5),
    "subclass of subset with both": lambda lib: subclass(
        lib, __getitem__=lambda self, index: 5, __getitems__=lambda self, indices: [6]
    ).__getitems__([0]),
    "split": split([3, 7]),
    "split with a seed": split([3, 3, 4], seed=42),
    "split in fractions": split([0.35, 0.35, 0.3], range(11), seed=1),
    "split in uneven fractions": split([0.28, 0.34, 0.38]),
    "split in one": split([1.0]),
    "split in one part of one": split([1], range(1)),
    "split with nothing for one": split([0.9, 0.1], range(2), seed=3),
    "split in fractions that give too little": split([0.5, 0.4]),
    "split in fractions that give too much": split([0.5, 0.6]),
    "split in a negative fraction": split([1.5, -0.5]),
    "split in the wrong lengths": split([3, 8]),
    "split in a negative length": split([12, -2], seed=0),
    "split of nothing": split([0, 0], []),
    "split of a stream": lambda lib: lib.utils.data.random_split(lib.utils.data.Dataset(), [1, 2]),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_dataset_is_pytorchs(program: Program) -> None:
    assert_same(program)
