"""What a learner types, and the sentence that they get when something is in the way."""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import io
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

import tensorkit as tk
from tensorkit import cli
from tensorkit.lab import lessons as lessons_module
from tensorkit.lab import report as report_module
from tensorkit.lab import server
from tensorkit.lab.console import speak_plainly
from tensorkit.lab.errors import installing
from tensorkit.lab.report import Row, report
from tensorkit_widgets.practice import progress_report


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """JupyterLab's command lines, instead of JupyterLab."""
    lines: list[list[str]] = []
    monkeypatch.setattr(server, "serve", lambda line: lines.append(list(line)))
    return lines


@pytest.fixture(autouse=True)
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two small lessons and an index in place of the kit's."""
    source = tmp_path / "kit"
    source.mkdir()
    (source / "00_setup_check.ipynb").write_text("zero")
    (source / "02_storage.ipynb").write_text("two")
    (source / "index.ipynb").write_text("all")
    monkeypatch.setattr("tensorkit.lab.lessons.lesson_source", lambda: source)
    return source


@dataclass(frozen=True)
class Said:
    """What one command printed and returned."""

    code: int
    out: str
    err: str

    def sentence(self) -> str:
        """The one line of a command that failed without a traceback."""
        assert (self.code, self.out) == (1, "")
        [line] = self.err.splitlines()
        return line


Tensorkit = Callable[..., Said]


@pytest.fixture
def tensorkit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Tensorkit:
    """`tensorkit("lab", "--port", "80")` as at the command line."""

    def run(*words: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["tensorkit", *words])
        with pytest.raises(SystemExit) as left:
            cli.main()
        code = left.value.code
        return Said(code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


@pytest.mark.parametrize(("wished", "kept"), [(None, "0"), ("mine.json", "mine.json")])
def test_the_polls_of_a_talk_begin_open(
    wished: str | None, kept: str, tensorkit: Tensorkit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENSORKIT_PROGRESS", wished or "")
    if wished is None:
        monkeypatch.delenv("TENSORKIT_PROGRESS")
    found: list[str | None] = []
    monkeypatch.setattr(server, "serve", lambda *_: found.append(os.environ.get("TENSORKIT_PROGRESS")))
    tensorkit("present", "02", str(tmp_path / "mine"), "--no-rehearsal", "--no-browser")
    assert found == [kept]


def test_a_newcomer_lands_on_the_index_and_who_comes_back_does_not(
    tensorkit: Tensorkit, started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = tensorkit("lab")
    assert f"--ServerApp.root_dir={tmp_path / 'tensorkit-lessons'}" in started[0]
    assert "--LabApp.default_url=/lab/tree/index.ipynb" in started[0]
    assert "--ServerApp.open_browser=True" in started[0]
    assert said.code == 0
    assert "3 files copied." in said.out
    assert "/lab (stop with Ctrl-C)" in said.out

    said = tensorkit("lab", "--no-browser")  # nobody has opened the page yet
    assert "--LabApp.default_url=/lab/tree/index.ipynb" in started[1]
    assert "--ServerApp.open_browser=False" in started[1]
    assert "copied" not in said.out

    workspaces = tmp_path / "tensorkit-lessons" / ".tensorkit" / "workspaces"
    workspaces.mkdir()
    (workspaces / "default-37a8.jupyterlab-workspace").write_text("{}")  # as JupyterLab leaves it
    tensorkit("lab")
    assert not any("default_url" in part for part in started[2])


def test_reset_restores_says_where_the_old_file_is_and_starts_nothing(
    tensorkit: Tensorkit, started: list[list[str]], tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    tensorkit("lab", str(folder))
    (folder / "02_storage.ipynb").write_text("my work")
    said = tensorkit("lab", str(folder), "--reset", "02")
    assert said.code == 0
    assert "your version is now 02_storage.mine-1.ipynb" in said.out
    assert (folder / "02_storage.ipynb").read_text() == "two"
    assert (folder / "02_storage.mine-1.ipynb").read_text() == "my work"
    assert len(started) == 1


def test_what_is_in_the_way_is_told_in_one_sentence(
    tensorkit: Tensorkit, started: list[list[str]], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    folder = str(tmp_path / "mine")
    with socket.socket() as listener:
        listener.bind((server.HOST, 0))
        listener.listen()
        port = str(listener.getsockname()[1])
        sentence = tensorkit("lab", folder, "--port", port).sentence()
    assert sentence.startswith(f"Port {port} is already in use;")
    assert "is a file, not a folder" in tensorkit("lab", str(tmp_path / "file")).sentence()
    assert "There is no lesson called 'x'" in tensorkit("lab", folder, "--reset", "x").sentence()
    assert "is no Jupyter setting" in tensorkit("lab", folder, "--set", "x").sentence()
    assert started == []


def test_without_jupyterlab_the_way_to_get_it_is_told(
    tensorkit: Tensorkit, started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec

    def find_all_but_jupyterlab(name: str) -> ModuleSpec | None:
        return None if name == "jupyterlab" else find(name)

    monkeypatch.setattr(importlib.util, "find_spec", find_all_but_jupyterlab)
    sentence = tensorkit("lab", str(tmp_path / "mine")).sentence()
    assert sentence == f"jupyterlab is not installed. {installing()}"
    assert not (tmp_path / "mine").exists()


@pytest.mark.skipif(os.name != "posix", reason="exit codes of a process")
def test_the_process_says_the_sentence_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    command = [sys.executable, "-m", "tensorkit.cli", "lab", str(tmp_path / "file"), "--no-browser"]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == 1
    assert "Traceback" not in finished.stderr
    assert len(finished.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name != "posix", reason="homes are named otherwise")
def test_a_home_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    command = [sys.executable, "-m", "tensorkit.cli", "lab", str(tmp_path / "mine"), "--no-browser"]
    homeless = {name: value for name, value in os.environ.items() if not name.startswith(("XDG", "JUPYTER"))}
    finished = subprocess.run(
        command,
        env=homeless | {"HOME": str(tmp_path / "file" / "home")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.returncode == 1
    [line] = finished.stderr.splitlines()
    assert line.startswith(f"Jupyter cannot write to {tmp_path / 'file' / 'home'}")
    assert line.endswith("name another home: HOME=FOLDER tensorkit lab")


COMMANDS: dict[str, tuple[Callable[[], Any], int, list[str]]] = {
    "check": (cli.main, 0, ["check"]),
    "help": (cli.main, 0, ["--help"]),
    "help of a command": (cli.main, 0, ["present", "--help"]),
    "a wrong word": (cli.main, 2, ["lab", "--prot", "3"]),
    "in the way": (cli.main, 1, ["lab", "mine", "--reset", "×…"]),
    "progress": (progress_report.main, 0, ["nothing"]),
}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_ends_for_want_of_a_letter(
    command: str, encoding: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run, code, words = COMMANDS[command]
    rows = [Row("Python", "✓", "3 × ü"), Row("widgets", "…", "ア", "optional")]
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "report", lambda: rows)
    monkeypatch.setattr(sys, "argv", ["tensorkit", *words])
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", stream)
    with pytest.raises(SystemExit) as left:
        raise SystemExit(run())
    stream.flush()
    said = stream.detach().getvalue().decode(encoding)  # type: ignore[attr-defined]
    assert (left.value.code or 0, bool(said)) == (code, True)
    times, name = ("×" if encoding == "latin-1" else "x"), ("u" if encoding == "ascii" else "ü")
    if command == "check":
        lines = [line.split() for line in said.splitlines()]
        assert ["+", "+", "3", times, name] in lines
        assert ["-", "...", "\\u30a2"] in lines
    if command == "in the way":
        assert said.startswith(f"There is no lesson called '{times}...'")


@pytest.mark.skipif(os.name != "posix", reason="exit codes of a process")
def test_the_process_prints_on_a_console_of_few_letters() -> None:
    few = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "tensorkit.cli", "check"]
    finished = subprocess.run(command, env=few, capture_output=True, timeout=120, check=False)
    assert b"Traceback" not in finished.stderr
    assert finished.stdout.isascii()
    assert b"numpy" in finished.stdout


def test_a_console_that_has_the_letters_shows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {}
    for encoding in ("utf-8", "latin-1"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        speak_plainly()
        print("✓ 2 × … é \udcff", end="", flush=True)
        shown[encoding] = stream.detach().getvalue().decode(encoding)  # type: ignore[attr-defined]
    assert shown == {"utf-8": "✓ 2 × … é \\udcff", "latin-1": "+ 2 × ... é \\udcff"}


def test_what_is_wrong_is_said_before_anything_is_copied(tensorkit: Tensorkit, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert "no lesson called 'nosuch'" in tensorkit("present", "nosuch", str(folder)).sentence()
    assert "is no Jupyter setting" in tensorkit("present", "02", str(folder), "--set", "x").sentence()
    assert "is no Jupyter setting" in tensorkit("lab", str(folder), "--set", "x").sentence()
    assert not folder.exists()


def test_check_reports_and_is_content(tensorkit: Tensorkit, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Row("Python", "Python", "3.12"), Row("devices", "cpu", "2 [threads]")]
    monkeypatch.setattr(cli, "report", lambda: rows)
    said = tensorkit("check")
    assert said.code == 0
    assert "2 [threads]" in said.out
    assert "This machine is ready." in said.out


def test_check_fails_with_advice_when_something_needed_is_missing(
    tensorkit: Tensorkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_module, "_LAB", ("jupyterlab", "no-such-package"))
    said = tensorkit("check")
    assert said.code == 1
    assert f"no-such-package: not installed. {installing()}" in said.out
    assert "ready" not in said.out


def test_an_engine_that_runs_from_its_folder_is_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    rows = {row.name: row for row in report()}
    assert (rows["tensorkit"].state, rows["tensorkit"].found) == (
        "ok",
        f"{tk.__version__}, run from its folder",
    )
    assert rows["numpy"].state == "missing"


def test_the_advice_is_the_readmes_command_for_the_python_that_runs(
    monkeypatch: pytest.MonkeyPatch, root: Path, tmp_path: Path
) -> None:
    command = installing().partition("run: ")[2]
    assert command.startswith(sys.executable)
    assert f"python{command.removeprefix(sys.executable)}" in (root / "README.md").read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "executable", r"C:\My Kit\python.exe")
    assert r'run: "C:\My Kit\python.exe" -m pip' in installing()
    monkeypatch.setattr(lessons_module, "__file__", str(tmp_path / "tensorkit" / "lab" / "lessons.py"))
    [row] = [row for row in report() if row.name == "lessons"]
    assert row.advice == f"The lessons are missing from this installation. {installing()}"
    assert row.state == "missing"


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
    tensorkit: Tensorkit, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    seen: dict[str, Any] = {}

    class Program(contextlib.nullcontext[Any]):
        def __init__(self, command: list[str], *, cwd: Path) -> None:
            super().__init__(self)
            seen.update(command=command, cwd=cwd)

        def wait(self) -> int:
            return 3

    monkeypatch.setattr(subprocess, "Popen", Program)
    monkeypatch.setattr(Path, "is_dir", lambda self: True)
    assert tensorkit("bench", "--quick").code == 3
    assert seen == {"command": [sys.executable, "-m", "tests.benchmarks", "--quick"], "cwd": root}


@pytest.mark.skipif(os.name != "posix", reason="exit codes of a process")
@pytest.mark.parametrize(("ends", "status"), [("os._exit(130)", 130), ("os.kill(os.getpid(), 2)", 130)])
def test_bench_stopped_by_ctrl_c_is_waited_for_and_says_it_once(
    ends: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """The key reaches both programs; this one has nothing to add."""
    lines = f"import os, signal; signal.signal(2, signal.SIG_DFL); {ends}"
    with subprocess.Popen([sys.executable, "-c", lines]) as program:
        wait, asked = program.wait, list[float | None]()

        def interrupted(timeout: float | None = None) -> int:
            asked.append(timeout)
            if len(asked) == 1:
                raise KeyboardInterrupt
            return wait(timeout)

        program.wait = interrupted  # type: ignore[method-assign]
        assert cli._waited(program) == status
    assert capsys.readouterr() == ("", "")


def test_bench_without_a_checkout_says_where_the_benchmarks_are(
    tensorkit: Tensorkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "is_dir", lambda self: False)
    assert "in the repository, not in the installed package" in tensorkit("bench").sentence()
