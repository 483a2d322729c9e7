"""The kit's folder among the user's caches: what is in it can be made again, or fetched again."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_caches() -> Path:
    """``$TENSORKIT_CACHE_DIR``, or the kit's folder where the system keeps the user's caches.

    Raises:
        RuntimeError: when the user has no home, or there is no such user.

    Examples:
        >>> user_caches().is_absolute()
        True
    """
    if asked := os.environ.get("TENSORKIT_CACHE_DIR"):
        return Path(asked).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "tensorkit"
