"""Mixed precision: `autocast` and `GradScaler`, for programs that train in 16 bits where a GPU is fast at it.

In an `autocast` region products and convolutions are computed in 16 bits, and losses in float32; the weights stay
float32. `GradScaler` keeps small gradients from becoming zero there.

>>> with tk.autocast("cpu", dtype=tk.bfloat16):
...     (tk.ones(2, 2) @ tk.ones(2, 2)).dtype
tensorkit.bfloat16

Source: https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

from tensorkit.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from tensorkit.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]


def __dir__() -> list[str]:
    return __all__
