"""How an operation is called: the registry, the forms of its call, what is refused, traced and recorded.

No operation itself, no mathematics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorkit.old_names import attributes_from

__all__: list[str] = []

if not TYPE_CHECKING:
    __getattr__ = attributes_from(__name__, "registry")
