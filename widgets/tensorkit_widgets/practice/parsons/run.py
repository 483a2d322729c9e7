"""Running a puzzle's program: the author's own lines, in the learner's order, in a namespace of its own.

Nothing that comes from a browser gets here but the numbers of lines. A program that would run for ever is stopped,
its `print` writes into the answer rather than into the notebook, and the generators of random numbers are left as
they were.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from tensorkit_widgets.practice.markup import told

FILE = "<your program>"
MOST_STEPS = 100_000
"""Lines that a program may execute; what a puzzle asks for takes a few dozen."""

LONGEST_S = 3.0


@dataclass
class Ran:
    """What came of a program: its names, what it printed, and the line (from 1) and words of its error."""

    names: dict[str, Any]
    printed: str = ""
    error: str = ""
    line: int = 0
    raised: BaseException | None = field(default=None, repr=False)


class _TooLong(Exception):
    """The program has run for too long."""


def run(code: str, tk: Any, names: Mapping[str, Any]) -> Ran:
    """Run a program with these names and `tk`; whatever it raises is told, never raised.

    >>> import tensorkit
    >>> run("y = x + 1", tensorkit, {"x": 2}).names["y"]
    3
    >>> ran = run("x = 1" + chr(10) + "y = z", tensorkit, {})
    >>> ran.line, ran.error
    (2, "NameError: name 'z' is not defined")
    >>> run("while True:" + chr(10) + "    x = 1", tensorkit, {}).error
    'it runs for ever'
    """
    printed: list[str] = []

    def write(*values: object, sep: str = " ", end: str = "\n", **_others: object) -> None:
        if len(printed) < MOST_STEPS:
            printed.append(sep.join(map(str, values)) + end)

    space = {"__name__": "__puzzle__", "tk": tk, "print": write, **names}
    ran = Ran(space)
    try:
        program = compile(code, FILE, "exec", dont_inherit=True)
        with tk.random.fork_rng(devices=[]), tk.enable_grad():
            _within_limits(program, space)
    except SyntaxError as error:
        ran.raised, ran.error, ran.line = error, _syntax(error), error.lineno or 0
    except _TooLong as error:
        ran.raised, ran.error = error, "it runs for ever"
    except (Exception, SystemExit) as error:
        ran.raised, ran.error = error, told(error)
        places = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
        ran.line = (places[-1].lineno or 0) if places else 0
    ran.printed = "".join(printed)
    return ran


def _syntax(error: SyntaxError) -> str:
    return (error.msg or "this is not Python").partition(" after ")[0]


def _within_limits(program: Any, space: dict[str, Any]) -> None:
    """Execute, and count: Python calls back for every line of the program, in this thread alone."""
    until = time.thread_time() + LONGEST_S
    steps = 0

    def line(_frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps > MOST_STEPS or (steps % 256 == 0 and time.thread_time() > until):
            raise _TooLong
        return line

    def call(frame: FrameType, _event: str, _argument: Any) -> Any:
        return line if frame.f_code.co_filename == FILE else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        exec(program, space)  # noqa: S102  the author's own lines: the browser sends only their numbers
    finally:
        sys.settrace(before)
