"""Workers, which are processes in PyTorch and take turns here: batches, copies, random numbers, errors are the same."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import tensorkit
from tests.training.data.both import Program, assert_same, plain
from tests.training.data.test_dataloader import eager, loads, seeded, too_long
from tests.training.data.test_dataset import at_once, tensors


def noted(lib: Any) -> list[Any]:
    """What a worker knows, and the next number of each generator in it."""
    info = lib.utils.data.get_worker_info()
    known = (info.id, info.num_workers, info.seed, info.rng, info.worker_method, lib.initial_seed())
    return [
        *known,
        lib.rand(1).item(),
        lib.randn(1).item(),
        random.random(),
        random.gauss(),
        *numpy.random.randn(3).tolist(),
    ]


def as_they_are(samples: Any) -> Any:
    return samples


def knowing(lib: Any) -> Any:
    """A dataset that counts what it was asked for."""

    class Knowing(lib.utils.data.Dataset):  # type: ignore[misc]
        def __init__(self) -> None:
            self.asked: list[int] = []
            self.extra = 0
            self.own = random.Random(5)

        def __len__(self) -> int:
            return 11

        def __getitem__(self, index: int) -> Any:
            self.asked.append(index)
            info = lib.utils.data.get_worker_info()
            assert info.dataset is self
            return index, list(self.asked), self.extra, self.own.random(), noted(lib)

    return Knowing()


def knows(epochs: int = 2, taken: int = 99, **options: Any) -> Program:
    def program(lib: Any) -> Any:
        given = {name: value(lib) if callable(value) else value for name, value in options.items()}
        dataset = knowing(lib)
        loader = lib.utils.data.DataLoader(dataset, collate_fn=as_they_are, **given)
        found = []
        for _ in range(epochs):
            found.append([(batch, lib.rand(1)) for batch, _ in zip(loader, range(taken), strict=False)])
        return found, dataset.asked, lib.utils.data.get_worker_info(), lib.rand(1, generator=loader.generator)

    return program


def uneven(**options: Any) -> Program:
    """Streams of which each worker's ends at another place."""

    def program(lib: Any) -> Any:
        class Uneven(lib.utils.data.IterableDataset):  # type: ignore[misc]
            walks = 0

            def __iter__(self) -> Any:
                self.walks += 1
                info = lib.utils.data.get_worker_info()
                for index in range(lengths[info.id]):
                    yield 1000 * self.walks + 100 * info.id + index, lib.rand(1).item()

        lengths = options.get("lengths", (2, 7, 0, 4))
        given = {name: value for name, value in options.items() if name != "lengths"}
        loader = lib.utils.data.DataLoader(
            Uneven(), num_workers=len(lengths), collate_fn=as_they_are, **given
        )
        return list(loader), [batch for batch, _ in zip(loader, range(2), strict=False)], list(loader)

    return program


def shared_out(lib: Any) -> Any:
    """PyTorch's own example: each worker reads its part."""

    class Numbers(lib.utils.data.IterableDataset):  # type: ignore[misc]
        def __init__(self, start: int, end: int) -> None:
            self.start, self.end = start, end

        def __iter__(self) -> Any:
            return iter(range(self.start, self.end))

    def begin(worker_id: int) -> None:
        dataset = lib.utils.data.get_worker_info().dataset
        each = -(-(dataset.end - dataset.start) // lib.utils.data.get_worker_info().num_workers)
        dataset.start += worker_id * each
        dataset.end = min(dataset.start + each, dataset.end)

    numbers = Numbers(3, 14)
    parted = lib.utils.data.DataLoader(numbers, num_workers=3, worker_init_fn=begin, batch_size=2)
    return list(parted), list(lib.utils.data.DataLoader(numbers, num_workers=2)), vars(numbers)


class Two(Exception):
    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} and {other}")


class Worded(Exception):
    message = "class"

    def __init__(self, message: str) -> None:
        super().__init__(f"worded: {message}")


def fails(error: Callable[[], BaseException], **options: Any) -> Program:
    """One sample is missing; the loader goes on with the batch after it."""

    def program(lib: Any) -> Any:
        class Failing(lib.utils.data.Dataset):  # type: ignore[misc]
            def __len__(self) -> int:
                return 5

            def __getitem__(self, index: int) -> int:
                if index == 2:
                    raise error()
                return index

        walk = iter(lib.utils.data.DataLoader(Failing(), num_workers=2, **options))
        found: list[Any] = []
        for _ in range(6):
            try:
                found.append(plain(next(walk)))
            except Exception as failed:
                text = str(failed).splitlines()
                found.append((type(failed).__name__, text[:2], text[-2:]))
        return found

    return program


def batch_of(*samples: Program, **options: Any) -> Program:
    """The one batch of a worker. The walk goes on to its end: else PyTorch waits for its process for five seconds."""

    def program(lib: Any) -> Any:
        made = [one(lib) for one in samples]
        walk = iter(lib.utils.data.DataLoader(made, len(samples), num_workers=1, **options))
        try:
            return next(walk)
        finally:
            assert next(walk, None) is None

    return program


def begin_badly(number: int) -> None:
    raise ValueError(f"worker {number} does not begin")


class Counting:
    """A function for batches that counts them."""

    def __init__(self) -> None:
        self.batches = 0

    def __call__(self, samples: Any) -> Any:
        self.batches += 1
        return self.batches, samples


def counting(lib: Any) -> Any:
    count = Counting()
    return list(lib.utils.data.DataLoader(range(5), num_workers=2, collate_fn=count)), count.batches


def drawing(begin: Callable[[int], Any]) -> Program:
    """A dataset that holds functions of the default generators, and a worker that begins with one of them."""

    def program(lib: Any) -> Any:
        class Drawing(lib.utils.data.Dataset):  # type: ignore[misc]
            def __init__(self) -> None:
                self.draws = [random.random, numpy.random.rand]
                self.generator = lib.default_generator

            def __len__(self) -> int:
                return 3

            def __getitem__(self, index: int) -> Any:
                return (
                    [draw() for draw in self.draws],
                    lib.rand(1, generator=self.generator).item(),
                    noted(lib),
                )

        loader = lib.utils.data.DataLoader(
            Drawing(), num_workers=2, collate_fn=as_they_are, worker_init_fn=begin
        )
        return list(loader)

    return program


PROGRAMS: dict[str, Program] = {
    "seeding Python's numbers": drawing(random.seed),
    "seeding NumPy's numbers": drawing(numpy.random.seed),
    "in order": knows(num_workers=2, batch_size=2),
    "shuffled": knows(num_workers=3, shuffle=True),
    "shuffled with a generator": knows(
        num_workers=2, batch_size=3, shuffle=True, generator=seeded, drop_last=True
    ),
    "broken off": knows(num_workers=2, batch_size=2, shuffle=True, taken=2),
    "staying": knows(3, num_workers=2, batch_size=2, shuffle=True, persistent_workers=True),
    "staying, broken off": knows(
        3, num_workers=2, taken=3, shuffle=True, persistent_workers=True, prefetch_factor=1
    ),
    "asked ahead": knows(
        num_workers=2,
        taken=2,
        sampler=lambda lib: lib.utils.data.SubsetRandomSampler([1, 5, 2, 7, 8, 9]),
        prefetch_factor=1,
    ),
    "a sampler of one's own": knows(num_workers=1, sampler=eager, taken=3),
    "more workers than samples": loads(lambda lib: [1], num_workers=2),
    "no batches": loads(tensors, num_workers=2, batch_size=None, shuffle=True),
    "many at once": loads(at_once, num_workers=2, batch_size=4),
    "with time": loads(num_workers=1, timeout=60, in_order=False, multiprocessing_context="fork"),
    "no samples": loads(lambda lib: [], num_workers=1),
    "uneven streams": uneven(),
    "uneven streams in batches": uneven(batch_size=3),
    "uneven streams in whole batches": uneven(batch_size=3, drop_last=True),
    "uneven streams, staying": uneven(persistent_workers=True, lengths=(1, 5), prefetch_factor=3),
    "uneven streams without batches": uneven(batch_size=None, lengths=(0, 3)),
    "shared out": shared_out,
    "longer than it said": too_long(num_workers=1, batch_size=2),
    "a function that counts": counting,
    "a ValueError": fails(lambda: ValueError("bad")),
    "a KeyError": fails(lambda: KeyError("bad"), batch_size=2),
    "a StopIteration": fails(lambda: StopIteration("bad")),
    "an error of two arguments": fails(lambda: Two("a", "b")),
    "an error with a message": fails(lambda: Worded("bad")),
    "a bad beginning": batch_of(lambda lib: 1, worker_init_fn=begin_badly),
    "tensors of two dtypes": batch_of(lambda lib: lib.ones(2, dtype=lib.int64), lambda lib: lib.ones(2)),
    "tensors that get shorter": batch_of(lambda lib: lib.ones(4), lambda lib: lib.ones(3)),
    "tensors that get longer": batch_of(lambda lib: lib.ones(3), lambda lib: lib.ones(4)),
    "tensors with a graph": batch_of(
        lambda lib: lib.ones(3, requires_grad=True) * 2, lambda lib: lib.ones(3)
    ),
    "shared memory": lambda lib: batch_of(lambda lib: lib.ones(3))(lib).is_shared(),
}


@pytest.mark.parity
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_workers_are_pytorchs(program: Program) -> None:
    assert_same(program)


def test_the_programs_own_random_numbers_go_on() -> None:
    random.seed(1), numpy.random.seed(1), tensorkit.manual_seed(1)
    loader = tensorkit.utils.data.DataLoader(knowing(tensorkit), num_workers=1, collate_fn=as_they_are)
    wanted = random.random(), numpy.random.rand(), tensorkit.rand(1).item()
    random.seed(1), numpy.random.seed(1), tensorkit.manual_seed(1)
    walk = iter(loader)
    tensorkit.manual_seed(1)
    for _ in range(3):
        next(walk)
    assert wanted == (random.random(), numpy.random.rand(), tensorkit.rand(1).item())


@pytest.mark.parametrize("held", [threading.Lock(), open], ids=["lock", "function"])
def test_a_dataset_that_cannot_be_copied_is_read_by_all(held: Any) -> None:
    dataset = knowing(tensorkit)
    dataset.held = held
    assert len(list(tensorkit.utils.data.DataLoader(dataset, num_workers=2, collate_fn=as_they_are))) == 11
    assert len(dataset.asked) == (0 if held is open else 11)


def test_data_is_not_copied() -> None:
    data = tensorkit.arange(4), numpy.arange(4)
    loader = tensorkit.utils.data.DataLoader([data], num_workers=1, collate_fn=as_they_are)
    [[found]] = list(loader)
    assert found[0] is data[0]
    assert found[1] is data[1]
    assert found is not data


def test_a_worker_draws_on_a_device_and_leaves_no_trace() -> None:
    with tensorkit.cuda.emulate():
        tensorkit.manual_seed(3)
        wanted = tensorkit.rand(2, device="cuda").tolist()
        tensorkit.manual_seed(3)
        tensorkit.rand(1)
        loader = tensorkit.utils.data.DataLoader(
            [tensorkit.ones(1, device="cuda")],
            num_workers=1,
            collate_fn=lambda batch: batch[0] + tensorkit.rand(1, device="cuda"),
        )
        assert next(iter(loader)).is_cuda
        assert tensorkit.rand(2, device="cuda").tolist() == wanted
        plain_loader = tensorkit.utils.data.DataLoader(
            [tensorkit.ones(1, device="cuda")] * 2, 2, num_workers=1
        )
        assert next(iter(plain_loader)).device.type == "cuda"
