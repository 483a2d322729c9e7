"""The warnings of a piece of code, to compare them with PyTorch's."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator


@contextlib.contextmanager
def recorded() -> Iterator[list[warnings.WarningMessage]]:
    """Every warning that is given in the block, each time that it is given.

    Not what an earlier test left open (a process, a file): Python says so whenever its garbage is collected.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)
        yield caught
