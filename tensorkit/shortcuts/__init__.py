"""What only saves time, for common operands of few elements: the engine gives the same results without it.

An operation asks its shortcut first where nobody listens; the shortcut returns None for what it does not know, and the
call goes on through the operation itself. Nothing below imports this folder: it fills in what is empty. With the
environment variable ``TENSORKIT_SHORTCUTS=0`` all stay empty, and every call can be followed along one path.
"""

from __future__ import annotations

import os

from tensorkit.shortcuts import pointwise


def fill() -> None:
    """Fill in all shortcuts, unless the environment says ``TENSORKIT_SHORTCUTS=0``."""
    if os.environ.get("TENSORKIT_SHORTCUTS") != "0":
        pointwise.fill()
