"""Operations that draw random numbers.

The generators themselves are `tensorkit.random`.

Source: https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations
