"""Metal, Apple's GPUs: not here, and said so to those who ask before they compute there.

>>> "mps" if tk.backends.mps.is_available() else "cpu"
'cpu'

Source: https://docs.pytorch.org/docs/stable/backends.html#module-torch.backends.mps
"""

from __future__ import annotations

__all__ = ["is_available", "is_built", "is_macos13_or_newer", "is_macos_or_newer"]


def __dir__() -> list[str]:
    return __all__


def is_built() -> bool:
    """Whether the engine could compute on an Apple GPU if there was one: it could not."""
    return False


def is_available() -> bool:
    """Whether there is an Apple GPU to compute on."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """Which macOS Metal runs on.

    Raises:
        RuntimeError: always, as where PyTorch was built without it.
    """
    raise RuntimeError("Cannot execute isOnMacOSorNewer() without MPS backend.")


def is_macos13_or_newer(minor: int = 0) -> bool:
    """`is_macos_or_newer` of macOS 13."""
    return is_macos_or_newer(13, minor)
