"""How every command ends: what it says, and its exit status, are decided here and nowhere else.

| what happened | what is said | exit status |
|---|---|---|
| something is in the way (`LabError`), or the system refuses a file (`OSError`) | one line | 1 |
| Ctrl-C | one line | 130 |
| the reader of the output has gone (``| head -1``) | nothing | 1 |
| anything else is a fault of ours | where it happened, and how to report it | 1 |
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TextIO

from .console import speak_plainly
from .errors import LabError, refused

P = ParamSpec("P")

_OURS = (
    "This is a fault of tensorkit, not of yours. Please report it to its authors: send what you typed, "
    "the lines above, and what `tensorkit check` says."
)


def command(run: Callable[P, int]) -> Callable[P, int]:
    """Let the function behind a command end as the table of this module says; it returns the exit status.

    Examples:
        >>> @command
        ... def main(words):
        ...     raise LabError("Port 80 is taken; choose another.")
        >>> main([])
        1
    """

    @wraps(run)
    def ended(*args: P.args, **kwargs: P.kwargs) -> int:
        speak_plainly()
        status = 1
        try:
            status = _status(lambda: run(*args, **kwargs))
            if sys.stdout:
                sys.stdout.flush()  # while a full disk can still be reported
        except LabError as error:
            status = _told(str(error), 1)
        except KeyboardInterrupt:
            echoed = sys.stderr and sys.stderr.isatty()  # the terminal has written ^C
            status = _told("\n" * bool(echoed) + "Stopped by Ctrl-C.", 130)
        except BrokenPipeError:
            status = 1
        except Exception as error:
            network = isinstance(error, (ConnectionError, TimeoutError))
            if isinstance(error, OSError) and not network:
                status = _told(refused(error), 1)
            else:
                status = _told("".join(traceback.format_exception(error)) + _OURS, 1)
        for stream in (sys.stdout, sys.stderr):
            _let_go(stream)
        return status

    return ended


def _status(run: Callable[[], int]) -> int:
    """What a command returns, or leaves with, as an exit status."""
    try:
        return run()
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)


def _told(text: str, status: int) -> int:
    with contextlib.suppress(OSError):  # who reads nothing hears nothing
        print(text, file=sys.stderr, flush=True)
    return status


def _let_go(stream: TextIO | None) -> None:
    """Drop what cannot be written: Python would try it once more at the very end, and complain."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        with contextlib.suppress(OSError), open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
