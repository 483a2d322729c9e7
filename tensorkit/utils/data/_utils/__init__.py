"""The parts of a `DataLoader`, most in the files in which PyTorch has them: fetching, making batches, pinning, workers.

Here belongs what one batch needs. Which batches there are, and in which order, is `sampler` and `dataloader`.
"""

from __future__ import annotations

from tensorkit.utils.data._utils import collate, fetch, pin_memory, worker

__all__ = ["collate", "fetch", "pin_memory", "worker"]


def __dir__() -> list[str]:
    return __all__
