"""Ctrl-C and the notebook's stop button: an operation that has begun ends before the interrupt is seen.

Python looks for an interrupt between any two of its own steps. Inside an operation that would leave a tensor half
written, an uncounted write, or a mode switched on for good. PyTorch's operations are C++, where Python does
not look. Here the handler of the signal looks where the program is: inside an operation it lets the outermost one
end, and raises `KeyboardInterrupt` as it returns; anywhere else it raises at once.

No operation does anything for this, so it costs nothing. Three things are interrupted at once, even inside an
operation: a function of the user's that the operation calls, as a hook or an emulated kernel; a wait for a device,
which may never end (`wait_for`); and what runs when a second interrupt comes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")

_KIT = __name__.partition(".")[0]
_HERE = os.path.dirname(os.path.dirname(__file__))
# These run what the user wrote, or one operation after another, for as long as it takes.
_PROGRAMS = tuple(
    f"{_KIT}.{name}"
    for name in (
        "autograd.functional",
        "autograd.gradcheck",
        "distributed.cluster",
        "kernels.cuda.host_cuda",
        "kernels.cuda.traced",
        "lab",
        "testing",
        "utils",
    )
)


def install(*_: object) -> None:
    """Handle SIGINT here, for as long as Python's own handler is in charge: a program's own stays.

    A kernel of Jupyter puts Python's back for each cell, so there this runs again before each cell.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # no other may ask
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, handle)
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        shell.events.register("pre_run_cell", install)


def handle(_number: int, frame: FrameType | None) -> None:
    """Raise `KeyboardInterrupt`: now, or when the operation that runs in `frame` returns."""
    operation = None if sys.getprofile() else _operation(frame)
    if operation is not None:
        sys.setprofile(_Ending(operation))
        return
    if isinstance(sys.getprofile(), _Ending):
        sys.setprofile(None)
    raise KeyboardInterrupt


def wait_for(ask: Callable[[], T]) -> T:
    """Call `ask`, which waits for another thread: the one place of an operation where an interrupt is seen at once."""
    return ask()


class _Ending:
    """Python calls this as functions begin and end, until the operation returns."""

    def __init__(self, operation: FrameType) -> None:
        self._operation: FrameType | None = operation

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        __tracebackhide__ = True
        if self._operation is None and event == "call" and _is_ours(frame):
            self._operation = frame
        if self._operation is not None:
            if event == "call" and frame.f_code is wait_for.__code__:
                self._raise()
            if frame is not self._operation or event != "return":
                return
        name = frame.f_code.co_name
        if (
            name == "__del__"
        ):  # Python swallows what is raised here: let the interrupt be seen at what comes next
            self._operation = None
            return
        if name == "__enter__":  # the block will not be entered, so this has to leave it
            with contextlib.suppress(Exception):
                frame.f_locals["self"].__exit__(None, None, None)
        self._raise()

    def _raise(self) -> NoReturn:
        __tracebackhide__ = True
        sys.setprofile(None)
        raise KeyboardInterrupt


def _operation(frame: FrameType | None) -> FrameType | None:
    """The outermost function of the kit between `frame` and the user's code; None where an interrupt may be seen."""
    found = None
    while frame is not None and frame.f_code is not wait_for.__code__:
        if _is_ours(frame):
            found = frame
        elif not _is_library(frame):
            return found
        frame = frame.f_back
    return found if frame is None else None


def _is_ours(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__"))
    if name == "contextlib":  # the frame around a function that `@contextmanager` made a block of
        made = getattr(frame.f_locals.get("self"), "gen", None)
        return made is not None and made.gi_code.co_filename.startswith(_HERE)
    return name.partition(".")[0] == _KIT and not name.startswith(_PROGRAMS)


def _is_library(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__"))
    return name.startswith("namedtuple_") or frame.f_code.co_filename.startswith(_libraries())


@cache
def _libraries() -> tuple[str, ...]:
    """Where the files of Python and of installed packages lie."""
    import sysconfig  # which takes milliseconds, and is needed at an interrupt

    places = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    return ("<frozen ", *{place + os.sep for place in places if place})
