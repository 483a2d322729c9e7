"""How an operation is called: the registry, the forms of its call, what is refused, traced and recorded.

No operation itself, no mathematics.
"""

from __future__ import annotations
