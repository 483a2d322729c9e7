"""Operations that order, count or search: `sort`, `topk`, `unique`, `median`, histograms, `searchsorted`.

Source: https://docs.pytorch.org/docs/stable/torch.html#comparison-ops
"""

from __future__ import annotations
