"""Datasets, and loading them in batches: what PyTorch offers as ``torch.utils.data``.

A `Dataset` has the samples, a `Sampler` says in which order they are taken, and the `DataLoader` makes batches of them.
PyTorch's "datapipes" are not here.

>>> data = TensorDataset(tk.arange(6.0).view(3, 2), tk.tensor([0, 1, 0]))
>>> for inputs, targets in DataLoader(data, batch_size=2):
...     print(inputs.shape, targets)
tensorkit.Size([2, 2]) tensor([0, 1])
tensorkit.Size([1, 2]) tensor([0])

Source: https://docs.pytorch.org/docs/stable/data.html
"""

from __future__ import annotations

from tensorkit.utils.data.dataloader import DataLoader, default_collate, default_convert, get_worker_info
from tensorkit.utils.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from tensorkit.utils.data.distributed import DistributedSampler
from tensorkit.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]


def __dir__() -> list[str]:
    return __all__
