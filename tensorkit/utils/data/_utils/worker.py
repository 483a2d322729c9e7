"""A worker: a copy of the dataset and random numbers of its own. It works in this process, when its batch is due.

PyTorch's workers are processes. What a dataset sees inside one is the same here: `get_worker_info`, the seed, and what
Python's, NumPy's and tensorkit's default generators give.

Source: names, seeds and sentences follow https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading.
"""

from __future__ import annotations

import contextlib
import io
import pickle
import random
import traceback
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy

from tensorkit.random import default_generator
from tensorkit.random.default_generators import DefaultGenerators
from tensorkit.tensor import Tensor
from tensorkit.utils.data._utils.fetch import _IterableDatasetFetcher

__all__ = ["Worker", "WorkerInfo", "caught", "copies", "get_worker_info"]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What a worker knows of itself.

    Attributes:
        id: its number, from 0 on.
        num_workers: how many there are.
        seed: that of its random numbers: the base seed of the loader's iterator and its number, added.
        dataset: its copy of the dataset.
        rng: always None.
        worker_method: always ``"multiprocessing"``, as with PyTorch's processes.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Which worker of a `DataLoader` is at work: its number, seed and dataset. None outside of one.

    Asked in ``__getitem__`` or ``__iter__`` of a dataset, in a `collate_fn` and in a `worker_init_fn`.

    >>> from tensorkit.utils.data import DataLoader
    >>> def which(batch):
    ...     return get_worker_info().id
    >>> list(DataLoader(range(4), num_workers=2, collate_fn=which))
    [0, 1, 0, 1]

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.get_worker_info
    """
    return _worker_info


class Worker:
    """One worker, from its start to the end of its iterator.

    Args:
        info: its number, its seed and its dataset.
        base_seed: the number that all seeds of the iterator begin with.
        worker_init_fn: called with the worker's number at the start, or None.
        fetcher: makes what turns indices into batches.
    """

    def __init__(
        self,
        info: WorkerInfo,
        base_seed: int,
        worker_init_fn: Callable[[int], Any] | None,
        fetcher: Callable[[], Any],
    ) -> None:
        self.ended = False
        self._info = info
        self._make_fetcher = fetcher
        self._where = f"in DataLoader worker process {info.id}"
        self._failed: Exception | None = None
        self._generators = DefaultGenerators(info.seed)
        self._states: tuple[Any, ...] = ()  # of Python's generator and NumPy's
        with self._at_work():
            random.seed(info.seed)
            numpy.random.seed(_numpys_seed(base_seed, info.id))
            try:
                if worker_init_fn is not None:
                    worker_init_fn(info.id)
                self._fetcher = fetcher()
            except Exception as error:
                self._failed = caught(error, self._where)

    def resume(self) -> None:
        """Begin another epoch with the same dataset."""
        self.ended = False
        with self._at_work():
            self._fetcher = self._make_fetcher()

    def fetch(self, index: Any) -> Any:
        """The batch of an index. At the end of a stream there is none, and `ended` is true from then on.

        Raises:
            Exception: what the worker met with, in the words of `caught`.
        """
        failed = self._failed
        if failed is None:
            with self._at_work():
                try:
                    return self._fetcher.fetch(index)
                except Exception as error:
                    self.ended = isinstance(error, StopIteration) and self._reads_a_stream
                    failed = caught(error, self._where)
        if self.ended:
            return None
        raise failed

    @property
    def _reads_a_stream(self) -> bool:
        return isinstance(self._fetcher, _IterableDatasetFetcher)

    @contextlib.contextmanager
    def _at_work(self) -> Iterator[None]:
        """While it lasts, the random numbers are the worker's, and `get_worker_info` speaks of it."""
        global _worker_info  # PyTorch's name of it, which programs read
        outside, pythons, numpys = _worker_info, random.getstate(), numpy.random.get_state()
        with self._generators:
            _worker_info = self._info
            try:
                if self._states:
                    random.setstate(self._states[0])
                    numpy.random.set_state(self._states[1])
                yield
            finally:
                self._states = random.getstate(), numpy.random.get_state()
                _worker_info = outside
                random.setstate(pythons)
                numpy.random.set_state(numpys)


def _numpys_seed(base_seed: int, number: int) -> Any:
    """Another one: of the same seed, NumPy's twister would give Python's numbers once more."""
    words = [number, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return numpy.random.SeedSequence(words).generate_state(4)


# -- a dataset for each worker ------------------------------------------------------------------------------------

#: What all workers share: data is not copied, nor what cannot be.
_SHARED = (Tensor, numpy.ndarray, io.IOBase, type, types.FunctionType, types.GeneratorType, types.ModuleType)


class _Writer(pickle.Pickler):
    """Writes all but what is shared, for which it leaves a number."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=5)
        self.shared: list[Any] = []
        # The default generators, which a worker's numbers are put into: a copy would be another generator.
        behind: Any = random.random, numpy.random.rand
        self._defaults = {id(default_generator), *(id(function.__self__) for function in behind)}

    def persistent_id(self, obj: Any) -> int | None:
        if not isinstance(obj, _SHARED) and id(obj) not in self._defaults:
            return None
        self.shared.append(obj)
        return len(self.shared) - 1


class _Reader(pickle.Unpickler):
    def __init__(self, data: bytes, shared: list[Any]) -> None:
        super().__init__(io.BytesIO(data))
        self.shared = shared

    def persistent_load(self, pid: Any) -> Any:
        return self.shared[pid]


def copies(thing: Any, count: int) -> list[Any]:
    """Copies of an object, which share tensors, arrays and functions. It is itself each copy where it has none.

    >>> one = {"data": tk.ones(2), "start": 0}
    >>> [copy] = copies(one, 1)
    >>> copy["data"] is one["data"], copy is one
    (True, False)
    """
    writer = _Writer(file := io.BytesIO())
    try:
        writer.dump(thing)
        return [_Reader(file.getvalue(), writer.shared).load() for _ in range(count)]
    except Exception:  # a class may do anything when it is copied
        return [thing] * count


# -- errors -------------------------------------------------------------------------------------------------------


class _KeyErrorMessage(str):
    """A text that a KeyError prints as it is, with its lines."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def caught(error: Exception, where: str) -> Exception:
    """What a loader raises for a worker's exception: one of the same class, whose text says where and shows the lines.

    >>> caught(KeyError("x"), "in DataLoader worker process 0")
    KeyError(Caught KeyError in DataLoader worker process 0.
    Original KeyError: 'x'
    )
    """
    kind = type(error)
    text = f"Caught {kind.__name__} {where}.\nOriginal {''.join(traceback.format_exception(error))}"
    if kind is KeyError:
        return KeyError(_KeyErrorMessage(text))
    made: Any = kind
    try:
        failed: Exception = made(message=text) if getattr(kind, "message", None) else made(text)
    except Exception:  # it wants other arguments
        return RuntimeError(text)
    return failed
