"""Operations that reduce or scan dimensions: sums, products, extremes, spreads, softmax, cumulative sums.

Source: https://docs.pytorch.org/docs/stable/torch.html#reduction-ops
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorkit.old_names import attributes_from

__all__: list[str] = []

if not TYPE_CHECKING:
    __getattr__ = attributes_from(__name__, "arguments", "sum_mean", "prod", "any_all")
