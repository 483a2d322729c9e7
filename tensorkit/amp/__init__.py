"""Mixed precision: `autocast` and `GradScaler`, for programs that train in 16 bits where a GPU is fast at it.

`autocast` is accepted, and keeps its state as PyTorch does, but no operation is computed in another dtype: results are
float32 where PyTorch's would be float16 or bfloat16, and more exact. `GradScaler` scales.

>>> import tensorkit as tk
>>> with tk.autocast("cpu", dtype=tk.bfloat16):
...     (tk.ones(2, 2) @ tk.ones(2, 2)).dtype
tensorkit.float32

Source: https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

from tensorkit.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from tensorkit.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]


def __dir__() -> list[str]:
    return __all__
