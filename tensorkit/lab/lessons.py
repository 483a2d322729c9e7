"""Copying the lessons into the learner's folder, and never over the learner's work.

A hidden file in the folder remembers the fingerprint of every file as it was delivered. From it follows:

| in the learner's folder | what `deliver` does |
|---|---|
| missing | copies it |
| as it was delivered, and the kit has a newer one | replaces it: nothing of the learner's is lost |
| changed by the learner (or never delivered) | keeps it; a newer lesson does not arrive until `reset` |

`reset` puts the kit's version back and keeps the learner's file beside it as `NAME.mine-1.ipynb`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tensorkit.process.whole_file import beside

from .errors import LabError, installing, refused
from .files import require_file

_STATE = ".tensorkit"
_RECORD = "delivered.json"
_SKIPPED = {"__pycache__", "ERRATA.md", "README.md", "screenshots"}  # for readers of the repository


@dataclass
class Delivery:
    """What `deliver` did, each a list of paths relative to the learner's folder (with forward slashes).

    Examples:
        >>> Delivery(copied=["00_setup_check.ipynb"]).summary()
        '1 file copied.'
        >>> Delivery(kept=["a.ipynb"], outdated=["a.ipynb"]).summary()
        'a.ipynb has your changes and was kept; the kit has a newer one (--reset a.ipynb brings it).'
    """

    copied: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    outdated: list[str] = field(default_factory=list)

    def summary(self) -> str:
        """One line for each thing worth telling; empty when nothing happened."""
        lines = []
        if self.copied:
            lines.append(f"{_files(len(self.copied))} copied.")
        if self.updated:
            lines.append(f"{_files(len(self.updated))} brought up to date: {', '.join(self.updated)}.")
        lines += [
            f"{name} has your changes and was kept; the kit has a newer one (--reset {name} brings it)."
            for name in self.outdated
        ]
        return "\n".join(lines)


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def lesson_source() -> Path:
    """The folder with the kit's own lessons: `notebooks/` in a checkout, else the copy inside the package.

    Raises:
        LabError: when there are none, which a broken installation explains.

    Examples:
        >>> lesson_source().is_dir()
        True
    """
    package = Path(__file__).resolve().parent
    checkout = package.parents[1]
    for folder in (checkout / "notebooks", package / "lessons"):
        in_place = folder.name == "lessons" or (checkout / "pyproject.toml").is_file()
        if in_place and any(folder.glob("*.ipynb")):
            return folder
    raise LabError(f"The lessons are missing from this installation. {installing()}")


def state_folder(folder: Path) -> Path:
    """Where `tensorkit lab` keeps its own notes inside the learner's folder.

    Examples:
        >>> state_folder(Path("lessons")).as_posix()
        'lessons/.tensorkit'
    """
    return folder / _STATE


def deliver(folder: Path, source: Path | None = None) -> Delivery:
    """Bring the lessons into a learner's folder; the table of this module says what happens to each file.

    Args:
        folder: the learner's folder; it is made if there is none.
        source: the lessons; by default `lesson_source()`.

    Returns:
        What was done.

    Raises:
        LabError: when the folder cannot be made or written, in one sentence.

    Examples:
        >>> import tempfile
        >>> source, folder = Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp()) / "mine"
        >>> _ = (source / "00_a.ipynb").write_text("the lesson")
        >>> deliver(folder, source).copied
        ['00_a.ipynb']
        >>> _ = (folder / "00_a.ipynb").write_text("my notes")
        >>> deliver(folder, source).kept
        ['00_a.ipynb']
    """
    source = lesson_source() if source is None else source
    done = Delivery()
    with _told_in_a_sentence(folder):
        if folder.exists() and folder.samefile(source):
            return done
        folder.mkdir(parents=True, exist_ok=True)
        record = _read_record(folder)
        try:
            for name in _names(source):
                _deliver_one(name, source, folder, record, done)
        finally:
            _write_record(folder, record)
    return done


def reset(name: str, folder: Path, source: Path | None = None) -> tuple[Path, Path | None]:
    """Put the kit's version of one lesson back; the learner's file is kept beside it.

    Args:
        name: a lesson's file name, its name without `.ipynb`, or its number (`"02"`, `"2"`).
        folder: the learner's folder.
        source: the lessons; by default `lesson_source()`.

    Returns:
        The restored file, and the file that now holds the learner's version
        (None when there was none, or when it was the same).

    Raises:
        LabError: when no lesson, or more than one, has that name, or the folder cannot be written.

    Examples:
        >>> import tempfile
        >>> source, folder = Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())
        >>> _ = (source / "00_a.ipynb").write_text("the lesson")
        >>> _ = (folder / "00_a.ipynb").write_text("my notes")
        >>> restored, mine = reset("00", folder, source)
        >>> restored.name, restored.read_text(), mine.name, mine.read_text()
        ('00_a.ipynb', 'the lesson', '00_a.mine-1.ipynb', 'my notes')
    """
    source = lesson_source() if source is None else source
    relative = _find(name, source)
    target, fresh = folder / relative, (source / relative).read_bytes()
    with _told_in_a_sentence(folder):
        if target.exists() and target.samefile(source / relative):
            raise LabError(
                f"{target} is the kit's own lesson, not a copy; restore it with: git restore {relative}"
            )
        require_file(target)
        folder.mkdir(parents=True, exist_ok=True)
        record = _read_record(folder)
        mine = None
        if target.exists() and _fingerprint(target.read_bytes()) != _fingerprint(fresh):
            mine = _set_aside(target)
        _replace(target, fresh)
        record[relative] = _fingerprint(fresh)
        _write_record(folder, record)
    return target, mine


def companions(folder: Path, source: Path | None = None) -> list[str]:
    """What the kit delivers beside its lessons (figures, data), as far as `folder` has it; relative names.

    Examples:
        >>> import tempfile
        >>> source = Path(tempfile.mkdtemp())
        >>> _ = (source / "00_a.ipynb").write_text("the lesson"), (source / "a.csv").write_text("1,2")
        >>> companions(source, source)
        ['a.csv']
    """
    source = lesson_source() if source is None else source
    return [name for name in _names(source) if not name.endswith(".ipynb") and (folder / name).is_file()]


def find(name: str, source: Path | None = None) -> str:
    """The file name of a lesson, from its name or number.

    Raises:
        LabError: when no lesson, or more than one, has that name.

    Examples:
        >>> find("02")
        '02_storage_and_strides.ipynb'
    """
    return _find(name, lesson_source() if source is None else source)


def _deliver_one(name: str, source: Path, folder: Path, record: dict[str, str], done: Delivery) -> None:
    target, fresh = folder / name, (source / name).read_bytes()
    print_of_fresh = _fingerprint(fresh)
    if _create(target, fresh):
        record[name] = print_of_fresh
        done.copied.append(name)
        return
    present = _fingerprint(target.read_bytes()) if target.is_file() else ""
    if present == print_of_fresh:
        record[name] = print_of_fresh
    elif present and present == record.get(name):
        _replace(target, fresh)
        record[name] = print_of_fresh
        done.updated.append(name)
    else:
        done.kept.append(name)
        if record.get(name) != print_of_fresh:
            done.outdated.append(name)


def _names(source: Path) -> Iterator[str]:
    """The files that a learner gets, relative to the source, in a fixed order."""
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        hidden = any(part.startswith(".") or part in _SKIPPED for part in relative.parts)
        if path.is_file() and not hidden:
            yield relative.as_posix()


def _find(name: str, source: Path) -> str:
    """The one lesson that a learner means by `name`."""
    lessons = [path.name for path in sorted(source.glob("*.ipynb"))]
    wanted = Path(name).name.removesuffix(".ipynb")
    wanted = wanted.zfill(2) if wanted.isdigit() else wanted
    exact = [lesson for lesson in lessons if lesson.removesuffix(".ipynb") == wanted]
    found = exact or [lesson for lesson in lessons if wanted and lesson.startswith(f"{wanted}_")]
    if len(found) != 1:
        raise LabError(f"There is no lesson called {name!r}; choose one of: {', '.join(lessons)}.")
    return found[0]


def _create(target: Path, content: bytes) -> bool:
    """Write a new file; False, and nothing touched, when there already is one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        target.open("xb").close()  # the name is reserved: no other file can be overwritten
        _replace(target, content)
    except FileExistsError:
        return False
    except BaseException:
        # What is not whole would be taken for the learner's work next time.
        with contextlib.suppress(OSError):
            target.unlink(missing_ok=True)
        raise
    return True


def _replace(target: Path, content: bytes) -> None:
    """Swap a file's content in one step: a full disk leaves the old file whole."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with beside(target) as path:
        path.write_bytes(content)


def _set_aside(target: Path) -> Path:
    """Keep a copy of the learner's file as the first free of `NAME.mine-1.ipynb`, `NAME.mine-2.ipynb` ..."""
    number = 1
    while True:
        mine = target.with_name(f"{target.stem}.mine-{number}{target.suffix}")
        if _create(mine, target.read_bytes()):
            shutil.copystat(target, mine)
            return mine
        number += 1


def _fingerprint(content: bytes) -> str:
    """What tells two versions of a file apart; of a notebook, its cells with their outputs.

    JupyterLab writes the kernel's version into a notebook that was only opened: that is not the learner's work.
    """
    with contextlib.suppress(
        ValueError, KeyError, TypeError, RecursionError
    ):  # no notebook: every byte counts
        content = json.dumps(json.loads(content)["cells"], sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()


def _read_record(folder: Path) -> dict[str, str]:
    """What was delivered; a damaged record counts as empty, so that every file in the folder is kept."""
    path = state_folder(folder) / _RECORD
    require_file(path)
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _write_record(folder: Path, record: dict[str, str]) -> None:
    text = json.dumps(record, indent=1, sort_keys=True) + "\n"
    _replace(state_folder(folder) / _RECORD, text.encode())


@contextlib.contextmanager
def _told_in_a_sentence(folder: Path) -> Iterator[None]:
    """Turn what the file system refuses into a sentence with a way out."""
    try:
        yield
    except OSError as error:
        raise LabError(refused(error, folder, "give another: tensorkit lab FOLDER")) from error
