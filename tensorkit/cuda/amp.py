"""The older names of `amp` for CUDA, with PyTorch's warning that names the new ones.

Source: https://docs.pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

from typing import Any

from tensorkit import amp
from tensorkit.cuda.devices import is_available
from tensorkit.dtypes import dtype as _dtype
from tensorkit.dtypes import float16
from tensorkit.errors import warn

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]


def __dir__() -> list[str]:
    return __all__


def _deprecated(name: str, now: str) -> None:
    warn(
        f"`tensorkit.cuda.amp.{name}(args...)` is deprecated. Please use `tensorkit.amp.{now}` instead.",
        FutureWarning,
    )


def amp_definitely_not_available() -> bool:
    """Whether there is no CUDA device."""
    return not is_available()


class autocast(amp.autocast):
    """`amp.autocast` for CUDA."""

    def __init__(self, enabled: bool = True, dtype: _dtype = float16, cache_enabled: bool = True) -> None:
        _deprecated("autocast", "autocast('cuda', args...)")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """`amp.GradScaler` for CUDA."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _deprecated("GradScaler", "GradScaler('cuda', args...)")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Any = None, *, cast_inputs: _dtype | None = None) -> Any:
    """`amp.custom_fwd` for CUDA."""
    _deprecated("custom_fwd", "custom_fwd(args..., device_type='cuda')")
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Any) -> Any:
    """`amp.custom_bwd` for CUDA."""
    _deprecated("custom_bwd", "custom_bwd(args..., device_type='cuda')")
    return amp.custom_bwd(bwd, device_type="cuda")
