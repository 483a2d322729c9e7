"""The sampler of a training that several processes share.

Source: names, behaviour and sentences follow
https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from typing import Any, TypeVar

from tensorkit.ops.random.randperm import randperm
from tensorkit.random import Generator
from tensorkit.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]

_T_co = TypeVar("_T_co", covariant=True)


def __dir__() -> list[str]:
    return __all__


class DistributedSampler(Sampler[_T_co]):
    """Every so-many-th index: the share of one process, the others have theirs.

    Each process makes one with its own `rank`, all with the same seed, and tells it the number of the epoch before each
    walk: else the order is that of the walk before.

    Args:
        dataset: what has a length.
        num_replicas: how many processes there are; by default those of the process group.
        rank: which of them this one is, from 0 on; by default as the process group says.
        shuffle: whether the order is shuffled.
        seed: of the shuffling; the number of the epoch is added to it.
        drop_last: whether the last indices are left out so that all shares have one length; if not, the first ones
            come again.

    Raises:
        ValueError: without `num_replicas` or `rank`, where no process group knows them; and for a `rank`
            that is not below `num_replicas`.

    >>> sampler = DistributedSampler(range(10), num_replicas=3, rank=1, shuffle=False)
    >>> list(sampler)
    [1, 4, 7, 0]

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            group = importlib.import_module("tensorkit.distributed")  # few programs need it
            num_replicas = group.get_world_size() if num_replicas is None else num_replicas
            rank = group.get_rank() if rank is None else rank
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        whole, rest = divmod(len(dataset), num_replicas)
        self.num_samples = whole + (rest > 0 and not drop_last)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[_T_co]:
        size = len(self.dataset)
        indices: list[Any] = list(range(size))
        if self.shuffle:
            generator = Generator().manual_seed(self.seed + self.epoch)
            indices = randperm(size, generator=generator).tolist()
        if self.drop_last:
            indices = indices[: self.total_size]
        else:
            missing = self.total_size - size
            indices += (indices * math.ceil(missing / size) if missing > size else indices)[:missing]
        if len(indices) != self.total_size:  # the dataset has another length than at first
            raise AssertionError(
                f"Number of indices ({len(indices)}) does not match total_size ({self.total_size})"
            )
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch begins: each is shuffled in another way, the same one in all processes."""
        self.epoch = epoch
