"""From indices to a batch: the samples are taken from the dataset and handed to `collate_fn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__


class _BaseDatasetFetcher:
    """What knows a dataset and how its samples become a batch.

    Args:
        dataset: where samples come from.
        auto_collation: whether an index is a list of them, for a batch.
        collate_fn: makes a batch of a list of samples, or converts a single one.
        drop_last: whether the rest of a stream that makes no whole batch is left out.
    """

    def __init__(
        self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> None:
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last

    def fetch(self, possibly_batched_index: Any) -> Any:
        """The batch of these indices."""
        raise NotImplementedError


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """Fetches from a stream: the indices only say how many samples a batch has."""

    def __init__(
        self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter = iter(dataset)
        self.ended = False

    def fetch(self, possibly_batched_index: Any) -> Any:
        """The next batch; StopIteration after the last."""
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        samples = []
        for _ in possibly_batched_index:
            try:
                samples.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not samples or (self.drop_last and len(samples) < len(possibly_batched_index)):
            raise StopIteration
        return self.collate_fn(samples)


class _MapDatasetFetcher(_BaseDatasetFetcher):
    """Fetches from a dataset whose samples have indices."""

    def fetch(self, possibly_batched_index: Any) -> Any:
        """The batch of these indices."""
        dataset, index = self.dataset, possibly_batched_index
        if not self.auto_collation:
            samples = dataset[index]
        elif hasattr(dataset, "__getitems__") and dataset.__getitems__:
            samples = dataset.__getitems__(index)
        else:
            samples = [dataset[one] for one in index]
        return self.collate_fn(samples)
