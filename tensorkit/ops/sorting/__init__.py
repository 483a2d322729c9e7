"""Operations that order, count or search: `sort`, `topk`, `unique`, `median`, histograms, `searchsorted`.

Source: https://docs.pytorch.org/docs/stable/torch.html#comparison-ops
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorkit.old_names import attributes_from

__all__: list[str] = []

if not TYPE_CHECKING:
    __getattr__ = attributes_from(__name__, "values_and_indices", "sort", "topk")
