"""What a learner types, and the sentence that they get when something is in the way."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tensorkit import cli
from tensorkit.lab import report as report_module
from tensorkit.lab import server
from tensorkit.lab.report import Row, report


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """JupyterLab's command lines, instead of JupyterLab."""
    lines: list[list[str]] = []
    monkeypatch.setattr(server, "serve", lambda line: lines.append(list(line)))
    return lines


@pytest.fixture(autouse=True)
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two small lessons in place of the kit's."""
    source = tmp_path / "kit"
    source.mkdir()
    (source / "00_setup_check.ipynb").write_text("zero")
    (source / "02_storage.ipynb").write_text("two")
    monkeypatch.setattr("tensorkit.lab.lessons.lesson_source", lambda: source)
    return source


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The exit code of `tensorkit` with these words."""
    monkeypatch.setattr(sys, "argv", ["tensorkit", *words])
    with pytest.raises(SystemExit) as left:
        cli.main()
    code = left.value.code
    return code if isinstance(code, int) else 0


def test_the_first_start_lands_on_the_first_lesson_and_the_next_does_not(
    monkeypatch: pytest.MonkeyPatch, started: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, "lab") == 0
    assert f"--ServerApp.root_dir={tmp_path / 'tensorkit-lessons'}" in started[0]
    assert "--LabApp.default_url=/lab/tree/00_setup_check.ipynb" in started[0]
    assert "--ServerApp.open_browser=True" in started[0]
    said = capsys.readouterr().out
    assert "2 files copied." in said
    assert "/lab (stop with Ctrl-C)" in said

    assert run(monkeypatch, "lab", "--no-browser") == 0
    assert not any("default_url" in part for part in started[1])
    assert "--ServerApp.open_browser=False" in started[1]
    assert "copied" not in capsys.readouterr().out


def test_reset_restores_says_where_the_old_file_is_and_starts_nothing(
    monkeypatch: pytest.MonkeyPatch, started: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mine"
    assert run(monkeypatch, "lab", str(folder)) == 0
    (folder / "02_storage.ipynb").write_text("my work")
    assert run(monkeypatch, "lab", str(folder), "--reset", "02") == 0
    assert "your version is now 02_storage.mine-1.ipynb" in capsys.readouterr().out
    assert (folder / "02_storage.ipynb").read_text() == "two"
    assert (folder / "02_storage.mine-1.ipynb").read_text() == "my work"
    assert len(started) == 1


def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line on standard error of a command that must fail without a traceback."""
    assert run(monkeypatch, *words) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    [line] = captured.err.splitlines()
    return line


def test_what_is_in_the_way_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, started: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    folder = str(tmp_path / "mine")
    with socket.socket() as listener:
        listener.bind((server.HOST, 0))
        listener.listen()
        port = str(listener.getsockname()[1])
        assert told(monkeypatch, capsys, "lab", folder, "--port", port).startswith(f"Port {port} is already in use;")
    assert "is a file, not a folder" in told(monkeypatch, capsys, "lab", str(tmp_path / "file"))
    assert "There is no lesson called 'x'" in told(monkeypatch, capsys, "lab", folder, "--reset", "x")
    assert "is no Jupyter setting" in told(monkeypatch, capsys, "lab", folder, "--set", "x")
    assert started == []


def test_without_jupyterlab_the_way_to_get_it_is_told(
    monkeypatch: pytest.MonkeyPatch, started: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "jupyterlab" else find(name))
    line = told(monkeypatch, capsys, "lab", str(tmp_path / "mine"))
    assert line == 'jupyterlab is not installed; run: pip install "tensorkit[lab]"'
    assert not (tmp_path / "mine").exists()


@pytest.mark.skipif(os.name != "posix", reason="exit codes of a process")
def test_the_process_says_the_sentence_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    command = [sys.executable, "-m", "tensorkit.cli", "lab", str(tmp_path / "file"), "--no-browser"]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == 1
    assert "Traceback" not in finished.stderr
    assert len(finished.stderr.splitlines()) == 1


def test_check_reports_and_is_content(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "report", lambda: [Row("Python", "Python", "3.12"), Row("devices", "cpu", "2 threads")])
    assert run(monkeypatch, "check") == 0
    said = capsys.readouterr().out
    assert "2 threads" in said
    assert "This machine is ready." in said


def test_check_fails_with_advice_when_something_needed_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(report_module, "_LAB", ("jupyterlab", "no-such-package"))
    assert run(monkeypatch, "check") == 1
    said = capsys.readouterr().out
    assert 'no-such-package: not installed. Run: pip install "tensorkit[lab]"' in said
    assert "ready" not in said


def test_the_report_knows_this_machine() -> None:
    rows: dict[str, Row] = {row.name: row for row in report()}
    assert rows["Python"].found.startswith(".".join(map(str, sys.version_info[:3])))
    assert rows["numpy"].state == "ok"
    assert rows["cpu"].found.endswith(("thread", "threads"))
    assert rows["cuda"].state in ("ok", "optional")
    assert rows["JupyterLab part"].found == "widget manager and anywidget found"
    assert "browser scripts" in rows["tensorkit_widgets"].found


def test_an_old_python_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "OLDEST_PYTHON", (99, 0))
    [row, *_] = report()
    assert (row.state, row.advice) == ("missing", "Install Python 99.0 or newer.")


def test_bench_runs_the_benchmarks_of_the_checkout_with_its_words(
    monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    seen: dict[str, Any] = {}

    def record(command: list[str], *, cwd: Path, check: bool) -> subprocess.CompletedProcess[bytes]:
        seen.update(command=command, cwd=cwd)
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr(subprocess, "run", record)
    monkeypatch.setattr(Path, "is_dir", lambda self: True)
    assert run(monkeypatch, "bench", "--quick") == 3
    assert seen == {"command": [sys.executable, "-m", "tests.benchmarks", "--quick"], "cwd": root}


def test_bench_without_a_checkout_says_where_the_benchmarks_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Path, "is_dir", lambda self: False)
    assert "in the repository, not in the installed package" in told(monkeypatch, capsys, "bench")
