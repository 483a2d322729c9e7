"""What `use_deterministic_algorithms` does to uninitialised memory.

>>> tk.use_deterministic_algorithms(True)
>>> tk.ones(1).resize_(3)
tensor([1., nan, nan])
>>> tk.utils.deterministic.fill_uninitialized_memory
True
>>> tk.use_deterministic_algorithms(False)

Source: https://docs.pytorch.org/docs/stable/deterministic.html
"""

from __future__ import annotations

import sys
import types

from tensorkit.ops.shared.uninitialized import chosen

__all__: list[str] = []


def __dir__() -> list[str]:
    return [*__all__, *(name for name in vars(_Deterministic) if not name.startswith("_"))]


class _Deterministic(types.ModuleType):
    """The module, with its one setting."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether new memory is filled, with nan or the greatest integer, in deterministic mode."""
        return chosen.fill

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise RuntimeError(f"expected a bool, but got {type(mode).__name__}")
        chosen.fill = mode


sys.modules[__name__].__class__ = _Deterministic
