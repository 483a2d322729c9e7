"""``tensorkit run script.py``: a program that was written for PyTorch, run on tensorkit without a change.

Before it starts, its text is read, and every name of PyTorch's in it is looked up: a program that trains for an hour
should not end at its last line because that needs something which is not here.
"""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from tensorkit.lab.errors import LabError
from tensorkit.lab.scripts.names import Use, missing, needed_package
from tensorkit.torch import aliases
from tensorkit.version import __version__


def sentence(script: Path, lacking: Sequence[Use]) -> str:
    """Say in one sentence what a program needs and tensorkit lacks, with the lines.

    >>> sentence(Path("a.py"), [Use("torch.x", Path("a.py"), 3), Use("torch.x", Path("a.py"), 5)])
    'a.py needs what tensorkit 0.1.0 does not have: torch.x (lines 3, 5). ...
    """
    places: dict[str, dict[Path, list[int]]] = {}
    for use in lacking:
        lines = places.setdefault(use.name, {}).setdefault(use.file, [])
        if use.line not in lines:
            lines.append(use.line)
    told = ", ".join(
        f"{name}{_why(name)} ({'; '.join(_lines(file, lines, script) for file, lines in where.items())})"
        for name, where in places.items()
    )
    return (
        f"{script.name} needs what tensorkit {__version__} does not have: {told}. Nothing was run; "
        "`tensorkit run --anyway` runs it until it comes there."
    )


def _why(name: str) -> str:
    package = needed_package(name)
    return f", for which `pip install {package}`" if package else ""


def _lines(file: Path, lines: list[int], script: Path) -> str:
    numbers = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}"
    return numbers if file == script else f"{os.path.relpath(file, script.parent)}, {numbers}"


def run(script: Path, arguments: Sequence[str] = (), *, anyway: bool = False) -> int:
    """Run a program as Python would, with tensorkit in PyTorch's place, and return its exit status.

    Args:
        script: the file.
        arguments: what it finds in ``sys.argv`` behind its own name.
        anyway: run it although it needs names that tensorkit lacks.

    Raises:
        LabError: when the file is not there, or needs such names.
    """
    if not script.is_file():
        raise LabError(f"There is no file {script}; name the program that is to run.")
    try:
        lacking = [] if anyway else missing(script)
    except (SyntaxError, ValueError) as error:
        return _told(error, None)
    if lacking:
        raise LabError(sentence(script, lacking))
    with _as_python_begins(script, arguments), aliases():
        try:
            runpy.run_path(str(script), run_name="__main__")
        except SystemExit as left:
            return _status(left)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return _told(error, _own_frames(error.__traceback__, script))
    return 0


@contextmanager
def _as_python_begins(script: Path, arguments: Sequence[str]) -> Iterator[None]:
    """``sys.argv`` and ``sys.path[0]`` as ``python script.py`` sets them."""
    argv, path = sys.argv, list(sys.path)
    sys.argv = [str(script), *arguments]
    sys.path[:] = [str(script.resolve().parent), *path]
    try:
        yield
    finally:
        sys.argv, sys.path[:] = argv, path


def _own_frames(frame: TracebackType | None, script: Path) -> TracebackType | None:
    """A traceback from the program's first line on: how it was started is not its affair."""
    while frame and frame.tb_frame.f_code.co_filename != str(script):
        frame = frame.tb_next
    return frame


def _told(error: BaseException, frame: TracebackType | None) -> int:
    sys.stdout.flush()
    traceback.print_exception(type(error), error.with_traceback(frame), frame)
    return 1


def _status(left: SystemExit) -> int:
    """What Python makes of ``sys.exit(code)``: a number is the status, a text is printed."""
    if left.code is None or isinstance(left.code, int):
        return left.code or 0
    print(left.code, file=sys.stderr)
    return 1
