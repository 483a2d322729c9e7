"""OpenMP: not used.

Source: https://docs.pytorch.org/docs/stable/backends.html#module-torch.backends.openmp
"""

from __future__ import annotations

__all__ = ["is_available"]


def __dir__() -> list[str]:
    return __all__


def is_available() -> bool:
    """Whether the engine's threads are OpenMP's: they are its own (see ``tk.set_num_threads``).

    >>> is_available()
    False
    """
    return False
