"""Operations that draw random numbers.

The generators themselves are `tensorkit.random`.

Source: https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorkit.old_names import attributes_from

__all__: list[str] = []

if not TYPE_CHECKING:
    __getattr__ = attributes_from(__name__, "draw", "rand", "randint", "randperm")
