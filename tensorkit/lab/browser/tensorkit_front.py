"""tensorkit in a browser: the engine in plain Python. The whole engine needs NumPy, and runs in Jupyter."""

from __future__ import annotations

from typing import Any

from tensorkit import plain
from tensorkit.plain import Tensor
from tensorkit.plain.tensors import Dtype as dtype
from tensorkit.size import Size

__all__ = ["Size", "Tensor", "dtype", "from_numpy"]


def from_numpy(ndarray: Any) -> Tensor:
    """The numbers of the photo that a page's `imread` gives: a page has no other arrays."""
    tensor = getattr(ndarray, "tensor", None)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return tensor


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(plain, name)


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(plain)})
