"""The `DataLoader`: the samples of a dataset, batch by batch.

Source: names, behaviour, random numbers and sentences follow https://docs.pytorch.org/docs/stable/data.html.
"""

from __future__ import annotations

import math
import multiprocessing
import multiprocessing.context
import os
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from tensorkit.random import Generator
from tensorkit.utils.data._utils.collate import default_collate, default_convert
from tensorkit.utils.data._utils.iterators import (
    _BaseDataLoaderIter,
    _DatasetKind,
    _MultiProcessingDataLoaderIter,
    _SingleProcessDataLoaderIter,
)
from tensorkit.utils.data._utils.worker import get_worker_info
from tensorkit.utils.data.dataset import Dataset, IterableDataset
from tensorkit.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

_T_co = TypeVar("_T_co", covariant=True)
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


def __dir__() -> list[str]:
    return __all__


class _InfiniteConstantSampler(Sampler[None]):
    """The sampler of a stream, which has no indices: None, without an end."""

    def __iter__(self) -> Any:
        while True:
            yield None


class DataLoader(Generic[_T_co]):
    """The samples of a dataset in batches, in order or shuffled; each ``for`` over it is one epoch.

    No processes are started: with `num_workers`, too, each batch is loaded here, on demand. The batches,
    their order and all random numbers are those of PyTorch's processes: the workers take turns, and each has its own
    copy of the dataset and its own seed. Three things differ. Nothing is loaded while the program does something else.
    Tensors and arrays of the dataset, and global variables, are not copied: what a worker writes there, the program
    and the other workers see. And where Python cannot copy a dataset (it holds a lock, say), all have the same one.

    Args:
        dataset: a `Dataset`, or anything with indices and a length; or an `IterableDataset`.
        batch_size: how many samples a batch has. None: no batches, each sample by itself.
        shuffle: whether the order is another one in each epoch.
        sampler: an iterable that gives the indices, in place of `shuffle`.
        batch_sampler: an iterable that gives lists of indices, in place of `batch_size`, `shuffle`, `sampler` and
            `drop_last`.
        num_workers: how many workers share the batches. 0: none, and the dataset itself is read.
        collate_fn: makes a batch of a list of samples; `default_collate` where it is not given.
        pin_memory: whether batches are copied into pinned memory. Without a device it warns, and does nothing.
        drop_last: whether a last batch that would be smaller is left out.
        timeout: checked, and not needed.
        worker_init_fn: called with its number when a worker begins.
        multiprocessing_context: checked, and not needed.
        generator: where the random numbers come from: the base seed of the workers first, then the order.
        prefetch_factor: for how many batches of each worker the sampler is asked ahead; 2 where it is not given.
        persistent_workers: whether the workers, with their datasets and random numbers, are kept for the next epoch.
        pin_memory_device: no longer used.
        in_order: not needed: batches always come in their order.

    Raises:
        ValueError: for options that exclude each other, or are out of range.
        TypeError: for a `multiprocessing_context` of another class.

    >>> _ = tk.manual_seed(0)
    >>> loader = DataLoader(range(8), batch_size=3, shuffle=True)
    >>> list(loader)
    [tensor([2, 0, 5]), tensor([3, 1, 4]), tensor([7, 6])]
    >>> len(loader)
    3

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    """

    dataset: Any
    batch_size: int | None
    num_workers: int
    pin_memory: bool
    drop_last: bool
    timeout: float
    sampler: Any
    pin_memory_device: str
    prefetch_factor: int | None
    _iterator: _BaseDataLoaderIter | None
    __initialized = False

    def __init__(
        self,
        dataset: Dataset[_T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        stream = isinstance(dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if stream else _DatasetKind.Map
        _check_order(stream, batch_size, shuffle, sampler, batch_sampler, drop_last)
        if sampler is None:
            sampler = _sampler_of(dataset, stream, shuffle, generator)
        if batch_sampler is not None:
            batch_size = None
        elif batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called: int | None = None  # what `len` of a stream said, once it was asked
        self._iterator = None
        self.check_worker_number_rationality()

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    @property
    def multiprocessing_context(self) -> Any:
        """A way to start processes; none is started."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, multiprocessing_context: Any) -> None:
        if multiprocessing_context is not None:
            multiprocessing_context = _context(multiprocessing_context, self.num_workers)
        self.__multiprocessing_context = multiprocessing_context

    def __setattr__(self, attr: str, val: Any) -> None:
        if self.__initialized and attr in _FIXED:
            raise ValueError(
                f"{attr} attribute should not be set after {self.__class__.__name__} is initialized"
            )
        super().__setattr__(attr, val)

    def __iter__(self) -> _BaseDataLoaderIter:
        if not (self.persistent_workers and self.num_workers > 0):
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn, in PyTorch's words, of more workers than this computer has processors."""
        if not self.num_workers:
            return
        of_this_process = hasattr(os, "sched_getaffinity")
        most = len(os.sched_getaffinity(0)) if of_this_process else os.cpu_count()
        if most is not None and self.num_workers <= most:
            return
        suggested = "DataLoader is not able to compute a suggested max number of worker in current system."
        if most is not None:
            suggested = (
                f"Our suggested max number of worker in current system is {most}"
                f"{'' if of_this_process else ' (`cpuset` is not taken into account)'}, which is smaller "
                "than what this DataLoader is going to create."
            )
        warnings.warn(
            f"This DataLoader will create {self.num_workers} worker processes in total. {suggested} "
            "Please be aware that excessive worker creation might get DataLoader running slow or even freeze, "
            "lower the worker number to avoid potential slowness/freeze if necessary.",
            stacklevel=2,
        )


def _check_workers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool
) -> None:
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_order(
    stream: bool, batch_size: int | None, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: bool
) -> None:
    """Refuse options that say twice what the order is, or say it of a stream."""
    unwanted = "DataLoader with IterableDataset: expected unspecified {0} option, but got {0}={1}"
    if stream and shuffle not in {False, None}:
        raise ValueError(unwanted.format("shuffle", shuffle))
    if stream and sampler is not None:
        raise ValueError(unwanted.format("sampler", sampler))
    if stream and batch_sampler is not None:
        raise ValueError(unwanted.format("batch_sampler", batch_sampler))
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
        raise ValueError(
            "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
        )
    if batch_sampler is None and batch_size is None and drop_last:
        raise ValueError(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
        )


def _sampler_of(dataset: Any, stream: bool, shuffle: Any, generator: Generator | None) -> Sampler[Any]:
    if stream:
        return _InfiniteConstantSampler()
    return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)


def _context(given: Any, num_workers: int) -> Any:
    """The context for starting processes that was given, or named."""
    if num_workers == 0:
        raise ValueError(
            "multiprocessing_context can only be used with "
            f"multi-process loading (num_workers > 0), but got num_workers={num_workers}"
        )
    if isinstance(given, str):
        known = multiprocessing.get_all_start_methods()
        if given not in known:
            raise ValueError(
                "multiprocessing_context option "
                f"should specify a valid start method in {known!r}, but got multiprocessing_context={given!r}"
            )
        given = multiprocessing.get_context(given)
    if not isinstance(given, multiprocessing.context.BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the "
            f"start method, but got multiprocessing_context={given}"
        )
    return given
