"""How commands end: a line for what a user did, 130 for Ctrl-C, and nothing half-done."""

from __future__ import annotations

import errno
import importlib
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.core import TyperGroup

from tensorkit import cli
from tensorkit.lab.ending import command
from tensorkit.lab.errors import LabError, refused
from tensorkit.process.whole_file import beside
from tests.structure.source import of

FULL = OSError(errno.ENOSPC, "No space left on device")
ENDINGS: dict[str, tuple[BaseException, int, str]] = {
    "in the way": (LabError("Port 80 is taken."), 1, "Port 80 is taken.\n"),
    "a file": (
        PermissionError(errno.EACCES, "Permission denied", "/a"),
        1,
        "Cannot write to /a (permission denied); name a place that is yours.\n",
    ),
    "a full disk": (FULL, 1, f"{refused(FULL)}\n"),
    "Ctrl-C": (KeyboardInterrupt(), 130, "Stopped by Ctrl-C.\n"),
    "a closed pipe": (BrokenPipeError(errno.EPIPE, "Broken pipe"), 1, ""),
}
COMMANDS = {(one.callback and one.callback.__name__) or "": one for one in cli.app.registered_commands}


def raising(error: BaseException, name: str = "fail") -> Callable[[], int]:
    def fail() -> int:
        raise error

    fail.__name__ = name
    return fail


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_ends_in_the_same_way(
    name: str, ending: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error, status, said = ENDINGS[ending]
    monkeypatch.setattr(COMMANDS[name], "callback", raising(error, name))
    monkeypatch.setattr(sys, "argv", ["tensorkit", name])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert (left.value.code, *capsys.readouterr()) == (status, "", said)


@pytest.mark.parametrize("ending", ["Ctrl-C", "a full disk", "a closed pipe"])
def test_so_does_the_help(
    ending: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error, status, said = ENDINGS[ending]
    monkeypatch.setattr(TyperGroup, "get_help", lambda *_: raising(error)())
    monkeypatch.setattr(TyperGroup, "format_help", lambda *_: raising(error)())
    monkeypatch.setattr(sys, "argv", ["tensorkit", "--help"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert (left.value.code, *capsys.readouterr()) == (status, "", said)


def test_a_fault_of_ours_says_that_it_is_and_how_to_report_it(capsys: pytest.CaptureFixture[str]) -> None:
    for error in (ZeroDivisionError("ours"), TimeoutError("ours")):
        assert command(raising(error))() == 1
        said = capsys.readouterr().err
        assert (
            f"{type(error).__name__}: ours\nThis is a fault of tensorkit, not of yours. Please report it"
            in said
        )


def test_all_that_can_be_run_is_a_command() -> None:
    run = [
        module.name
        for package in ("tensorkit", "tensorkit_widgets")
        for module in of(package)
        if 'if __name__ == "__main__"' in module.path.read_text(encoding="utf-8")
    ]
    assert len(run) > 5
    loose = {name for name in run if not hasattr(importlib.import_module(name).main, "__wrapped__")}
    assert loose == {"tensorkit.cli"}, "decorate its main with tensorkit.lab.ending.command"
    assert hasattr(cli._main, "__wrapped__")


class Full(io.StringIO):
    """A console on a disk that is full."""

    def flush(self) -> None:
        raise FULL


def test_what_cannot_be_printed_is_told_on_the_other_stream(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", Full())
    assert command(lambda: 0)() == 1
    assert capsys.readouterr().err == f"{refused(FULL)}\n"
    monkeypatch.setattr(sys, "stderr", Full())
    assert command(lambda: 0)() == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize(("words", "unbuffered"), [(["--help"], ""), (["lab", "mine", "--reset", "00"], "1")])
def test_a_full_disk_costs_a_line_and_no_more(words: list[str], unbuffered: str, tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        finished = subprocess.run(
            [sys.executable, "-m", "tensorkit.cli", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert (finished.returncode, finished.stderr) == (1, f"{refused(FULL)}\n")


@pytest.mark.skipif(os.name != "posix", reason="signals of a terminal")
def test_ctrl_c_in_a_rehearsal_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    from tests.lab.test_rehearsal import notebook

    pid = tmp_path / "pid"
    sleep = (
        f"import os, pathlib, time\npathlib.Path({str(pid)!r}).write_text(str(os.getpid()))\ntime.sleep(60)"
    )
    (tmp_path / "temporary").mkdir()
    notebook(tmp_path / "mine.ipynb", sleep)
    started = subprocess.Popen(
        [sys.executable, "-m", "tensorkit.cli", "present", "mine", str(tmp_path), "--rehearse-only"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
    )
    until = time.monotonic() + 60
    while not (pid.exists() and pid.read_text()):
        assert started.poll() is None, started.communicate()
        assert time.monotonic() < until
        time.sleep(0.05)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert (started.returncode, said) == (130, "Stopped by Ctrl-C.\n")
    assert list((tmp_path / "temporary").iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


# ---- files


def test_what_is_no_file_is_not_written_to(tmp_path: Path) -> None:
    with pytest.raises(OSError) as told, beside(tmp_path):
        pass
    assert refused(told.value) == f"Cannot write to {tmp_path} (it is no regular file); name another."


def test_a_file_in_place_of_a_folder_is_named_itself(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError) as told:
        (tmp_path / "file" / "in").mkdir(parents=True)
    assert refused(told.value) == f"{tmp_path / 'file'} is a file, not a folder; name another."
