"""Samplers: in which order a `DataLoader` takes the samples of a dataset, and how they are gathered into batches.

Source: names, random numbers and sentences follow https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.Sampler.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from tensorkit.dtypes import float64, int64
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.random.randint import randint
from tensorkit.ops.random.randperm import randperm
from tensorkit.ops.random.sampling import multinomial
from tensorkit.ops.shared.tensor_data import as_tensor
from tensorkit.random import Generator
from tensorkit.tensor import Tensor

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

_T_co = TypeVar("_T_co", covariant=True)


def __dir__() -> list[str]:
    return __all__


class Sampler(Generic[_T_co]):
    """What gives the indices of samples, one after the other; a subclass has ``__iter__``, and usually ``__len__``.

    >>> class Backwards(Sampler[int]):
    ...     def __init__(self, data_source):
    ...         self.data_source = data_source
    ...
    ...     def __iter__(self):
    ...         return iter(reversed(range(len(self.data_source))))
    >>> list(Backwards("abc"))
    [2, 1, 0]

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.Sampler
    """

    def __iter__(self) -> Iterator[_T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """All indices in their order.

    Args:
        data_source: what has a length.

    >>> list(SequentialSampler("abc"))
    [0, 1, 2]

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.SequentialSampler
    """

    data_source: Sized

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices at random: each once in a shuffled order, or drawn with replacement.

    Args:
        data_source: what has a length.
        replacement: whether an index may come again before all others have come.
        num_samples: how many indices; as many as there are samples where it is not given.
        generator: where the random numbers come from. Without one, each walk draws a seed from the default generator.

    Raises:
        TypeError: when `replacement` is not a bool.
        ValueError: when there would be an empty range of indices.

    >>> list(RandomSampler(range(5), generator=tk.Generator().manual_seed(0)))
    [4, 0, 1, 3, 2]

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.RandomSampler
    """

    data_source: Sized
    replacement: bool

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={self.num_samples}"
            )

    @property
    def num_samples(self) -> int:
        """How many indices a walk gives. Where it was not chosen, it follows the length of the source."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        size, generator = len(self.data_source), self.generator
        if generator is None:
            generator = Generator().manual_seed(int(empty((), dtype=int64).random_().item()))
        whole, rest = divmod(self.num_samples, 32 if self.replacement else size)
        if self.replacement:
            # As many at once as in PyTorch: others may draw from the same generator in between.
            for count in (*itertools.repeat(32, whole), rest):
                yield from randint(high=size, size=(count,), dtype=int64, generator=generator).tolist()
        else:
            for count in (*itertools.repeat(size, whole), rest):
                yield from randperm(size, generator=generator).tolist()[:count]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The members of a list of indices in a shuffled order, each once.

    Args:
        indices: which.
        generator: where the random numbers come from; the default one where it is not given.

    >>> list(SubsetRandomSampler([10, 20, 30, 40], generator=tk.Generator().manual_seed(1)))
    [20, 40, 30, 10]

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.SubsetRandomSampler
    """

    indices: Sequence[int]

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for place in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[place]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices at random, each as often as its weight says.

    Args:
        weights: of the indices from 0 on, in one dimension; they need not add up to 1.
        num_samples: how many indices.
        replacement: whether an index may come more than once.
        generator: where the random numbers come from; the default one where it is not given.

    Raises:
        ValueError: when `num_samples` is not a positive integer, `replacement` not a bool, or the weights
            not one-dimensional.

    >>> list(WeightedRandomSampler([0.0, 1.0, 2.0], 5, generator=tk.Generator().manual_seed(0)))
    [2, 2, 2, 2, 2]

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.WeightedRandomSampler
    """

    weights: Tensor
    num_samples: int
    replacement: bool

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        _positive("num_samples", num_samples)
        _boolean("replacement", replacement)
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.dim() != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """The indices of another sampler in lists.

    Args:
        sampler: any iterable.
        batch_size: how many indices a list has.
        drop_last: whether a last list that would be shorter is left out.

    Raises:
        ValueError: when `batch_size` is not a positive integer or `drop_last` not a bool.

    >>> list(BatchSampler(SequentialSampler(range(10)), batch_size=4, drop_last=False))
    [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.BatchSampler
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None:
        _positive("batch_size", batch_size)
        _boolean("drop_last", drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)  # type: ignore[arg-type]
        return whole + (rest > 0 and not self.drop_last)


def _positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def _boolean(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ValueError(f"{name} should be a boolean value, but got {name}={value}")
