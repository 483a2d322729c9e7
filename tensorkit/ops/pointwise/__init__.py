"""Operations on each element: arithmetic, comparison, logic, rounding, exponentials, angles.

Source: https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorkit.old_names import attributes_from

__all__: list[str] = []

if not TYPE_CHECKING:
    __getattr__ = attributes_from(__name__, "arithmetic", "comparison", "power", "where")
