"""The file in which a learner's answers are kept: on this machine, beside the notebooks, readable, deletable.

Where it is:

| the surroundings | the file |
|---|---|
| a notebook in a folder that `tensorkit lab` made, or below it | `.tensorkit/progress.json` in that folder |
| a notebook elsewhere | `.tensorkit/progress.json` beside the notebook |
| a script, a test, CI, nbval | none |
| `TENSORKIT_PROGRESS=0` | none |
| `TENSORKIT_PROGRESS=1` | as for a notebook, wherever this runs |
| `TENSORKIT_PROGRESS=some/where.json` | that file |

Several kernels may write at once: each reads the file again, changes its own entries, and swaps the file in one
step, under a lock where the file system has one. A damaged file is set aside, not overwritten.

>>> import tempfile
>>> kept = ProgressFile(Path(tempfile.mkdtemp()) / "progress.json")
>>> kept.write({"predict 03.size_one": {"answer": "A"}})
True
>>> kept.read()
{'predict 03.size_one': {'answer': 'A'}}
>>> kept.delete(), kept.read()
(True, {})
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from tensorkit.process.whole_file import beside, is_regular
from tensorkit_widgets.widget.host import shell

Record = dict[str, Any]

LARGEST = 8 * 2**20
"""Bytes that are read at all; a whole course of answers takes a few hundred thousand."""

MOST_EVENTS = 30
"""Answers of one card that are remembered; what nobody ever reads again need not be kept."""

VERSION = 1
_FOLDER, _NAME = ".tensorkit", "progress.json"
_DELIVERED = "delivered.json"  # what `tensorkit lab` leaves in the folders that it makes
_ABOUT = (
    "Your answers in the lessons of tensorkit. They are kept on this machine only. Delete this file whenever you "
    "like, or run tensorkit_widgets.forget() in a notebook; TENSORKIT_PROGRESS=0 keeps nothing."
)
_PATIENCE = 1.0  # seconds that a kernel waits for another one's writing


def place(surroundings: Mapping[str, str], notebook: bool) -> Path | None:
    """The file for these environment variables; None where nothing is kept.

    Args:
        surroundings: the environment variables.
        notebook: whether this process is a notebook's kernel.

    >>> place({"TENSORKIT_PROGRESS": "0"}, True) is None, place({"CI": "true"}, True) is None, place({}, False) is None
    (True, True, True)
    >>> place({"TENSORKIT_PROGRESS": "mine.json"}, False).name
    'mine.json'
    """
    wish = surroundings.get("TENSORKIT_PROGRESS", "").strip()
    if wish.lower() in ("0", "off", "no", "false"):
        return None
    if wish and wish.lower() not in ("1", "on", "yes", "true"):
        return Path(wish).expanduser().absolute()
    tested = surroundings.get("CI", "").lower() in ("1", "true") or "PYTEST_VERSION" in surroundings
    if not wish and (tested or not notebook):
        return None
    return _state_folder(_folder_of_notebook(surroundings)) / _NAME


def _folder_of_notebook(surroundings: Mapping[str, str]) -> Path:
    """Jupyter tells its kernels which notebook they serve; elsewhere a kernel starts in its notebook's folder."""
    session = Path(surroundings.get("JPY_SESSION_NAME", ""))
    with contextlib.suppress(OSError):
        if session.is_absolute() and session.parent.is_dir():
            return session.parent
    return Path.cwd()


def _state_folder(folder: Path) -> Path:
    with contextlib.suppress(OSError):
        for above in (folder, *folder.parents):
            if (above / _FOLDER / _DELIVERED).is_file():
                return above / _FOLDER
    return folder / _FOLDER


def _in_notebook() -> bool:
    return getattr(shell(), "kernel", None) is not None


def choose() -> ProgressFile:
    """The file of this process, as its environment says; none where that names no place."""
    try:
        return ProgressFile(place(os.environ, _in_notebook()))
    except (OSError, RuntimeError) as error:  # the folder is gone, or nobody's home is asked for
        nowhere = ProgressFile(None)
        wish = os.environ.get("TENSORKIT_PROGRESS") or "the folder of this notebook"
        nowhere.say(f"{wish} is no place for answers ({_reason(error)}): they last for this session.")
        return nowhere


class ProgressFile:
    """A file of records by name; with None for a path it keeps nothing, and everything still works."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.learner = "" if path is None else secrets.token_hex(8)
        """Stands for the learner, so that the options keep their order; drawn at random, and kept in the file."""
        self._warned = False
        self.trouble = ""
        """Why nothing is kept, or what was wrong with the file: a sentence, '' when all is well."""

    def say(self, trouble: str) -> None:
        """Say why nothing is kept: in `progress()`, and once in a warning."""
        self.trouble, first = trouble, not self._warned
        self._warned = True
        if first:
            with contextlib.suppress(UserWarning):  # who makes errors of warnings has `progress()`
                warnings.warn(trouble, UserWarning, stacklevel=2)

    def read(self) -> dict[str, Record]:
        """All records; a damaged file is set aside, which is said in a warning and in `trouble`."""
        return self._whole()[0]

    def _whole(self) -> tuple[dict[str, Record], bool]:
        """The records, and whether the file may be written."""
        if self.path is None:
            return {}, False
        try:
            _require_regular(self.path)
            if self.path.stat().st_size > LARGEST:
                raise ValueError("it is too large")
            found = json.loads(self.path.read_text(encoding="utf-8"))
            return self._understood(found)
        except FileNotFoundError:
            return {}, True
        except OSError as error:
            self.say(f"{self.path} cannot be read ({_reason(error)}): answers last for this session.")
            return {}, False
        except (ValueError, RecursionError):
            return {}, self._set_aside()

    def _understood(self, found: object) -> tuple[dict[str, Record], bool]:
        if not isinstance(found, dict) or not isinstance(found.get("cards"), dict):
            raise ValueError("it is no record of answers")
        if found.get("version") != VERSION:
            self.say(f"{self.path} is of another version of tensorkit: it is left as it is.")
            return {}, False
        if isinstance(found.get("learner"), str) and found["learner"]:
            self.learner = found["learner"]
        return {name: record for name, record in found["cards"].items() if isinstance(record, dict)}, True

    def _set_aside(self) -> bool:
        assert self.path is not None
        number = 1
        while (aside := self.path.with_name(f"{self.path.stem}.damaged-{number}.json")).exists():
            number += 1
        try:
            os.replace(self.path, aside)
        except FileNotFoundError:
            return True  # another kernel was quicker
        except OSError as error:
            self.say(f"{self.path} is damaged and cannot be set aside ({_reason(error)}).")
            return False
        self.trouble = f"{self.path} was damaged. It is now {aside.name}, and a new one is begun."
        warnings.warn(self.trouble, UserWarning, stacklevel=2)
        return True

    def write(self, changes: Mapping[str, Record | None]) -> bool:
        """Change these records (None takes one out) and leave all others as they are; whether that was possible."""
        if self.path is None:
            return False
        try:
            _require_regular(self.path)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path.with_suffix(".lock")):
                records, writable = self._whole()
                if not writable:
                    return False
                for name, record in changes.items():
                    if record is None:
                        records.pop(name, None)
                    else:
                        records[name] = _merged(record, records.get(name, {}))
                whole = {"about": _ABOUT, "version": VERSION, "learner": self.learner, "cards": records}
                self._swap(whole)
        except OSError as error:
            self.say(f"{self.path} cannot be written ({_reason(error)}): answers last for this session.")
            return False
        return True

    def _swap(self, whole: Record) -> None:
        """Replace the file in one step: a crash or a full disk leaves the old one whole."""
        assert self.path is not None
        text = json.dumps(whole, indent=1, ensure_ascii=False)
        # A lone surrogate that somebody typed is no UTF-8.
        with (
            beside(self.path) as waiting,
            waiting.open("w", encoding="utf-8", errors="backslashreplace") as file,
        ):
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())

    def delete(self) -> bool:
        """Delete the file; whether there was one. The folder stays: other things of the kit's are in it."""
        if self.path is None:
            return False
        try:
            _require_regular(self.path)
            with _locked(self.path.with_suffix(".lock")):
                self.path.unlink()
            with contextlib.suppress(OSError):
                self.path.with_suffix(".lock").unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            self.say(f"{self.path} cannot be deleted ({_reason(error)}).")
            return False
        return True


def _merged(mine: Record, theirs: Record) -> Record:
    """My record of a card, with what another kernel has added to its history."""
    both = [*_history(theirs), *_history(mine)]
    if not both:
        return mine
    once = {json.dumps(event, sort_keys=True): event for event in both}
    return {**mine, "history": sorted(once.values(), key=lambda event: str(event.get("at")))[-MOST_EVENTS:]}


def _history(record: Record) -> list[dict[str, Any]]:
    found = record.get("history")
    return [event for event in found if isinstance(event, dict)] if isinstance(found, list) else []


def _require_regular(path: Path) -> None:
    """Leave devices, pipes and folders alone: they are not ours to read, to rename or to delete."""
    if not is_regular(path):
        raise OSError(errno.EINVAL, "it is no regular file")


def _reason(error: Exception) -> str:
    words = error.strerror if isinstance(error, OSError) else str(error)
    return (words or type(error).__name__).lower().rstrip(".")


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the file's lock; where a file system has none, or another kernel hangs, go on without it."""
    with path.open("a+b") as file:
        held = _wait_for(file)
        try:
            yield
        finally:
            if held:
                _free(file)


def _wait_for(file: IO[bytes]) -> bool:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            _lock(file)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(0.01)
        except OSError:
            return False
        else:
            return True


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError from error

    def _free(file: IO[bytes]) -> None:
        file.seek(0)
        with contextlib.suppress(OSError):
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

elif sys.platform == "emscripten":

    def _lock(file: IO[bytes]) -> None:
        """Nothing: the Python of a page is alone with its file."""

    def _free(file: IO[bytes]) -> None:
        """Nothing."""

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _free(file: IO[bytes]) -> None:
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)
