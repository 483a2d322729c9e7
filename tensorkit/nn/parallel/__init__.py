"""Modules that compute a batch on several devices, each with a share of it, or in several processes.

`DataParallel` and its parts work with the CUDA devices that there are, emulated ones too; `DistributedDataParallel` in
a group of one process.

Source: https://docs.pytorch.org/docs/stable/nn.html#dataparallel-layers-multi-gpu-distributed
"""

from __future__ import annotations

from tensorkit.nn.parallel.data_parallel import (
    DataParallel,
    data_parallel,
    gather,
    parallel_apply,
    replicate,
    scatter,
)
from tensorkit.nn.parallel.distributed import DistributedDataParallel

__all__ = [
    "DataParallel",
    "DistributedDataParallel",
    "data_parallel",
    "gather",
    "parallel_apply",
    "replicate",
    "scatter",
]


def __dir__() -> list[str]:
    return __all__
