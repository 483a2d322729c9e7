"""Datasets: where the samples come from, by number or one after the other, and how datasets are put together.

Source: names, behaviour and sentences follow https://docs.pytorch.org/docs/stable/data.html.
"""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from tensorkit.ops.random.randperm import randperm
from tensorkit.random import Generator, default_generator
from tensorkit.tensor import Tensor

__all__ = [
    "Dataset",
    "IterableDataset",
    "TensorDataset",
    "StackDataset",
    "ConcatDataset",
    "ChainDataset",
    "Subset",
    "random_split",
]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


def __dir__() -> list[str]:
    return __all__


class Dataset(Generic[_T_co]):
    """A collection of samples, each found by its index.

    A subclass has ``__getitem__``, and ``__len__``, which most samplers need. It may have ``__getitems__`` too, which
    takes a list of indices and gives the list of their samples, where that is faster.

    >>> class Squares(Dataset[int]):
    ...     def __len__(self):
    ...         return 5
    ...
    ...     def __getitem__(self, index):
    ...         return index**2
    >>> Squares()[3]
    9

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.Dataset
    """

    def __getitem__(self, index: Any) -> _T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[_T_co]) -> ConcatDataset[_T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    """A stream of samples: a subclass has ``__iter__``, and no sample has a number.

    With `num_workers`, each worker of a `DataLoader` reads a copy of its own, so every sample comes once for each
    worker. To share them out, ``__iter__`` (or the `worker_init_fn` of the loader) calls `get_worker_info`.

    >>> from tensorkit.utils.data import DataLoader, get_worker_info
    >>> class Numbers(IterableDataset[int]):
    ...     def __iter__(self):
    ...         info = get_worker_info()
    ...         return iter(range(4)) if info is None else iter(range(info.id, 4, info.num_workers))
    >>> list(DataLoader(Numbers(), batch_size=2))
    [tensor([0, 1]), tensor([2, 3])]
    >>> list(DataLoader(Numbers(), batch_size=2, num_workers=2))
    [tensor([0, 2]), tensor([1, 3])]

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset
    """

    def __add__(self, other: Dataset[_T_co]) -> ChainDataset[_T_co]:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors side by side: a sample is a tuple with a row of each.

    Args:
        tensors: of any dtypes and shapes, all of one size in the first dimension.

    Raises:
        AssertionError: when the sizes differ.

    >>> TensorDataset(tk.arange(4).view(2, 2), tk.tensor([5, 6]))[1]
    (tensor([2, 3]), tensor(6))

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.TensorDataset
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].size(0))


class StackDataset(Dataset[Any]):
    """Datasets side by side: a sample is a tuple, or a dict, with a sample of each.

    Args:
        args: datasets of one length; samples are tuples.
        kwargs: the same by name; samples are dicts.

    Raises:
        ValueError: for both at once, for none, and when the lengths differ.

    >>> StackDataset([1, 2], ["a", "b"])[1]
    (2, 'b')
    >>> StackDataset(number=[1, 2], letter=["a", "b"])[1]
    {'number': 2, 'letter': 'b'}

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.StackDataset
    """

    datasets: tuple[Any, ...] | dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or"
                "``dict``- (via ``kwargs``) like input/output, but both types are given."
            )
        given = args or tuple(kwargs.values())
        if not given:
            raise ValueError("At least one dataset should be passed")
        self._length = len(given[0])
        if any(self._length != len(dataset) for dataset in given):
            raise ValueError("Size mismatch between datasets")
        self.datasets = args or kwargs

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        """The samples of several indices at once."""
        if isinstance(self.datasets, dict):
            columns = [_samples(dataset, indices) for dataset in self.datasets.values()]
            return [dict(zip(self.datasets, row, strict=True)) for row in zip(*columns, strict=True)]
        return list(zip(*(_samples(dataset, indices) for dataset in self.datasets), strict=True))

    def __len__(self) -> int:
        return self._length


def _samples(dataset: Any, indices: list[Any]) -> Any:
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[index] for index in indices]
    samples = dataset.__getitems__(indices)
    if len(samples) != len(indices):
        raise ValueError(
            f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(samples)}"
        )
    return samples


class ConcatDataset(Dataset[_T_co]):
    """Datasets one after the other, as one long dataset. Adding two datasets with ``+`` makes one, too.

    Args:
        datasets: at least one, each with a length.

    Raises:
        AssertionError: without datasets, and for an `IterableDataset`.

    >>> both = ConcatDataset([[1, 2, 3], [40, 50]])
    >>> len(both), both[2], both[3], both[-1]
    (5, 3, 40, 50)

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.ConcatDataset
    """

    datasets: list[Any]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Where each dataset ends."""
        return list(itertools.accumulate(len(dataset) for dataset in sequence))

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> _T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[which - 1] if which else 0
        sample: _T_co = self.datasets[which][idx - start]
        return sample

    @property
    def cummulative_sizes(self) -> list[int]:
        """`cumulative_sizes` as it was once spelled."""
        warnings.warn(
            "`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning, stacklevel=2
        )
        return self.cumulative_sizes


class ChainDataset(IterableDataset[_T_co]):
    """Streams one after the other, as one long stream. Adding two of them with ``+`` makes one, too.

    Args:
        datasets: each an `IterableDataset`.

    Raises:
        AssertionError: for another kind of dataset, when its turn comes.

    >>> class Letters(IterableDataset[str]):
    ...     def __iter__(self):
    ...         return iter("ab")
    >>> list(ChainDataset([Letters(), Letters()]))
    ['a', 'b', 'a', 'b']

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.ChainDataset
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def _streams(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self) -> Iterator[_T_co]:
        for dataset in self._streams():
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self._streams())


class Subset(Dataset[_T_co]):
    """Some samples of a dataset, in the order of a list of indices.

    Args:
        dataset: the whole.
        indices: which samples.

    Raises:
        NotImplementedError: for a subclass with a ``__getitem__`` of its own and no ``__getitems__``.

    >>> part = Subset("abcdef", [4, 0])
    >>> len(part), part[0]
    (2, 'e')

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.Subset
    """

    dataset: Any
    indices: Sequence[int]

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{kind.__name__} overrides __getitem__ but not __getitems__. "
                "When subclassing Subset and overriding __getitem__, you must also override "
                "__getitems__ to ensure DataLoader works correctly with your custom logic. "
                "A simple implementation:\n\n"
                "def __getitems__(self, indices):\n"
                "    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any) -> _T_co:
        index = [self.indices[one] for one in idx] if isinstance(idx, list) else self.indices[idx]
        sample: _T_co = self.dataset[index]
        return sample

    def __getitems__(self, indices: list[int]) -> list[_T_co]:
        """The samples of several indices at once."""
        wanted = [self.indices[index] for index in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            samples: list[_T_co] = self.dataset.__getitems__(wanted)
            return samples
        return [self.dataset[index] for index in wanted]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[_T], lengths: Sequence[int | float], generator: Generator | None = default_generator
) -> list[Subset[_T]]:
    """Divide a dataset at random into parts that have no sample in common.

    Args:
        dataset: what is divided; it needs a length.
        lengths: how many samples each part has; or fractions that add up to 1, each rounded down, and what then
            remains is given to the parts in turn.
        generator: where the random numbers come from.

    Raises:
        ValueError: when the lengths do not add up to that of the dataset, or a fraction is not between 0 and 1.

    >>> parts = random_split(range(10), [0.7, 0.3], generator=tk.Generator().manual_seed(42))
    >>> [list(part) for part in parts]
    [[2, 6, 1, 8, 4, 5, 0], [9, 3, 7]]

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.random_split
    """
    size = len(dataset)  # type: ignore[arg-type]
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _lengths_of(lengths, size)
        for index, length in enumerate(lengths):
            if length == 0:
                warnings.warn(
                    f"Length of split at index {index} is 0. This might result in an empty dataset.",
                    stacklevel=2,
                )
    if sum(lengths) != size:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(sum(lengths), generator=generator).tolist()
    ends: Any = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


def _lengths_of(fractions: Sequence[float], size: int) -> list[int]:
    for index, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {index} is not between 0 and 1")
    lengths = [math.floor(size * fraction) for fraction in fractions]
    for extra in range(size - sum(lengths)):
        lengths[extra % len(lengths)] += 1
    return lengths
