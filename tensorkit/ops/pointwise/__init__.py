"""Operations on each element: arithmetic, comparison, logic, rounding, exponentials, angles.

Source: https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations
