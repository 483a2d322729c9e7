"""Files are written beside their place: what was there stays whole, whatever happens, and nothing is left over."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from tensorkit.process.whole_file import beside, is_regular


def write(target: Path, text: str, error: BaseException | None = None) -> None:
    with beside(target) as waiting:
        waiting.write_text(text)
        if error is not None:
            raise error


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError("no")]
)
def test_what_was_there_stays_when_writing_fails(tmp_path: Path, error: BaseException) -> None:
    target = tmp_path / "a.txt"
    target.write_text("before")
    with pytest.raises(type(error)) as raised:
        write(target, "half", error)
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    if isinstance(raised.value, OSError):
        assert (raised.value.errno, raised.value.filename) == (28, str(target))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_only_regular_files_are_replaced(tmp_path: Path) -> None:
    pipe, folder, spoken = tmp_path / "pipe", tmp_path / "folder", tmp_path / "spoken"
    os.mkfifo(pipe)
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(spoken))
        for target in (pipe, folder, spoken):
            kind = stat.S_IFMT(target.stat().st_mode)
            assert not is_regular(target)
            with pytest.raises(OSError, match="it is no regular file"):
                write(target, "mine")
            assert stat.S_IFMT(target.stat().st_mode) == kind
    assert len(list(tmp_path.iterdir())) == 3


def test_a_link_stays_a_link_and_a_mode_stays_too(tmp_path: Path) -> None:
    target, link = tmp_path / "a.txt", tmp_path / "link.txt"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    write(link, "after")
    assert link.is_symlink()
    assert target.read_text() == "after"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_file_that_may_not_be_written_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.txt"
    target.write_text("before")
    monkeypatch.setattr(os, "access", lambda *_: False)  # an administrator may write anywhere
    with pytest.raises(PermissionError):
        write(target, "after")
    assert target.read_text() == "before"


def test_a_name_as_long_as_names_may_be(tmp_path: Path) -> None:
    target = tmp_path / ("a" * 251 + ".txt")
    write(target, "all of it")
    assert target.read_text() == "all of it"
