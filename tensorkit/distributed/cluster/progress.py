"""A progress bar for what takes long."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

AFTER_S = 2.0
"""What takes no longer shows no bar."""


@contextmanager
def shown(
    total: int, what: str = "tasks", *, console: Console | None = None
) -> Iterator[Callable[..., None]]:
    """A bar on stderr, or in a notebook, that shows after two seconds and is gone at the end.

    A file gets none, nor does anything with the environment variable ``TTY_INTERACTIVE=0``, which is rich's own.

    Args:
        total: how many there are.
        what: their name.
        console: of rich; by default stderr.

    Yields:
        A function that is called with how many are done, and with a note to be shown behind the bar if there is one.

    >>> with shown(3) as tick:
    ...     for done in range(3):
    ...         tick(done + 1)
    """
    since = time.monotonic()
    bar: Progress | None = None

    def tick(done: int, note: str = "") -> None:
        nonlocal bar
        if bar is None and time.monotonic() - since >= AFTER_S:
            bar = _bar(console or Console(stderr=True))
            bar.add_task(what, total=total, note="")
            bar.start()
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done, note=note)

    try:
        yield tick
    finally:
        if bar is not None:
            bar.stop()


def _bar(console: Console) -> Progress:
    seen = (console.is_terminal or console.is_jupyter) and os.environ.get("TTY_INTERACTIVE") != "0"
    columns = (
        SpinnerColumn(),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description} {task.fields[note]}"),
    )
    return Progress(*columns, console=console, transient=True, disable=not seen)
