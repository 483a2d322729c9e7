"""One walk through a `DataLoader`: it asks the sampler for indices and fetches their batches."""

from __future__ import annotations

import contextlib
import itertools
import warnings
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorkit.dtypes import int64
from tensorkit.kernels import cuda
from tensorkit.ops.creation.empty import empty
from tensorkit.utils.data._utils.fetch import _BaseDatasetFetcher, _IterableDatasetFetcher, _MapDatasetFetcher
from tensorkit.utils.data._utils.pin_memory import pin_memory
from tensorkit.utils.data._utils.worker import Worker, WorkerInfo, caught, copies

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__


class _DatasetKind:
    """Whether samples have indices or come as a stream, and what fetches them."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(
        kind: int, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> _BaseDatasetFetcher:
        """What fetches the batches of a dataset."""
        made = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return made(dataset, auto_collation, collate_fn, drop_last)


class _BaseDataLoaderIter:
    """What every walk does: it draws the base seed, asks the sampler, counts."""

    __module__ = "tensorkit.utils.data.dataloader"  # where PyTorch has it

    def __init__(self, loader: Any) -> None:
        self._dataset = loader.dataset
        self._dataset_kind = loader._dataset_kind
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._pin_memory = loader.pin_memory and cuda.is_available()
        _warn_of_pinning(loader)
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._sampler_iter = iter(self._index_sampler)
        # Drawn without workers too: so the random numbers after it are the same with and without them.
        self._base_seed = int(empty((), dtype=int64).random_(generator=loader.generator).item())
        self._persistent_workers = loader.persistent_workers
        self._num_yielded = 0

    def __iter__(self) -> _BaseDataLoaderIter:
        return self

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def _next_index(self) -> Any:
        return next(self._sampler_iter)

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        data = self._next_data()
        self._num_yielded += 1
        if (
            self._dataset_kind == _DatasetKind.Iterable
            and self._IterableDataset_len_called is not None
            and self._num_yielded > self._IterableDataset_len_called
        ):
            self._warn_of_length()
        return data

    def _warn_of_length(self) -> None:
        text = (
            f"Length of IterableDataset {self._dataset} was reported to be {self._IterableDataset_len_called}"
            f"(when accessing len(dataloader)), but {self._num_yielded} samples have been fetched. "
        )
        if self._num_workers > 0:
            text += (
                "For multiprocessing data-loading, this could be caused by not properly configuring the "
                "IterableDataset replica at each worker. Please see "
                "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
            )
        warnings.warn(text, stacklevel=3)

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", self.__class__.__name__)


def _warn_of_pinning(loader: Any) -> None:
    if loader.pin_memory and loader.pin_memory_device:
        warnings.warn(
            "pin_memory_device is deprecated, the current accelerator will be used as the device,"
            f"ignore pin_memory_device='{loader.pin_memory_device}'.",
            stacklevel=3,
        )
    if loader.pin_memory and not cuda.is_available():
        warnings.warn(
            "'pin_memory' argument is set as true but no accelerator is found, "
            "then device pinned memory won't be used.",
            stacklevel=3,
        )


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Without workers."""

    __module__ = "tensorkit.utils.data.dataloader"

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        if self._num_workers != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires num_workers == 0")
        self._dataset_fetcher = _DatasetKind.create_fetcher(
            self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last
        )

    def _next_data(self) -> Any:
        data = self._dataset_fetcher.fetch(self._next_index())
        return pin_memory(data) if self._pin_memory else data


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """With workers, which take turns. The name is PyTorch's: there are no processes."""

    __module__ = "tensorkit.utils.data.dataloader"

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if self._num_workers <= 0:
            raise AssertionError("num_workers must be greater than 0 for MultiProcessingDataLoaderIter")
        if loader.prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._tasks: deque[tuple[Worker, Any]] = deque()
        self._most_tasks = loader.prefetch_factor * self._num_workers
        parts = self._dataset, self._collate_fn, loader.worker_init_fn
        self._workers = [
            self._worker(number, *own) for number, own in enumerate(copies(parts, self._num_workers))
        ]
        self._reset(loader, first_iter=True)

    def _worker(self, number: int, dataset: Any, collate_fn: Any, worker_init_fn: Any) -> Worker:
        return Worker(
            WorkerInfo(number, self._num_workers, self._base_seed + number, dataset),
            self._base_seed,
            worker_init_fn,
            partial(
                _DatasetKind.create_fetcher,
                self._dataset_kind,
                dataset,
                self._auto_collation,
                collate_fn,
                self._drop_last,
            ),
        )

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        super()._reset(loader, first_iter)
        if not first_iter:
            # What was given out is done to its end, as PyTorch's workers do it: random numbers are drawn for it.
            for worker, index in self._tasks:
                with contextlib.suppress(Exception):
                    worker.fetch(index)
            self._tasks.clear()
            for worker in self._workers:
                worker.resume()
        self._turns = itertools.cycle(self._workers)
        for _ in range(self._most_tasks):
            self._give_a_task()

    def _give_a_task(self) -> None:
        """Ask the sampler for the next index, for the worker whose turn it is among those that have not ended."""
        try:
            index = self._next_index()
        except StopIteration:
            return
        turns = itertools.islice(self._turns, self._num_workers)
        if (worker := next((one for one in turns if not one.ended), None)) is not None:
            self._tasks.append((worker, index))

    def _next_data(self) -> Any:
        while self._tasks:
            worker, index = self._tasks.popleft()
            if worker.ended:
                continue
            try:
                data = worker.fetch(index)
            finally:
                self._give_a_task()
            if not worker.ended:
                return self._pinned(data)
        raise StopIteration

    def _pinned(self, data: Any) -> Any:
        try:
            return pin_memory(data) if self._pin_memory else data
        except Exception as error:
            failed = caught(error, f"in pin memory thread for device {cuda.current_device()}")
        raise failed
