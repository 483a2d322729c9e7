"""Resizing."""

# Operations give whatever their bodies plan, which to a checker of types is anything.
# mypy: disable-error-code="no-any-return, no-untyped-call, has-type"

from __future__ import annotations

from typing import Any

from tensorkit.errors import warn
from tensorkit.ops.nn.resizing import interpolate
from tensorkit.tensor import Tensor

__all__ = ["interpolate", "upsample", "upsample_bilinear", "upsample_nearest"]


def _deprecated(name: str) -> None:
    warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.")


def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: Any = None,
) -> Tensor:
    """The older name of `interpolate`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.upsample.html
    """
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """The older name of `interpolate` with the nearest elements.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.upsample_nearest.html
    """
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """The older name of `interpolate` in two directions, with the corners where they are.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.upsample_bilinear.html
    """
    _deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
