"""Operations that reduce or scan dimensions: sums, products, extremes, spreads, softmax, cumulative sums.

Source: https://docs.pytorch.org/docs/stable/torch.html#reduction-ops
"""

from __future__ import annotations
