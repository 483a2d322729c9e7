"""The packages of `widgets/tests-js`, which the tests of JavaScript and of Pyodide need: development only."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "widgets" / "tests-js"
IN_CI = os.environ.get("CI") == "true"


def npm(*words: str) -> subprocess.CompletedProcess[str]:
    """Run npm in the folder of the JavaScript tests."""
    program = shutil.which("npm")
    assert program is not None
    return subprocess.run(
        [program, *words],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=600,
    )


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """One of several test processes at a time: the others find what it has installed."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with (Path(tempfile.gettempdir()) / "tensorkit-node-packages.lock").open("w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def install() -> None:
    """Have the development packages there, of the versions that package.json names; or skip, and in CI fail.

    There is no lock file: npm writes the packages of the platform that it runs on, and refuses such a file elsewhere.
    """
    if shutil.which("npm") is None:
        if IN_CI:
            pytest.fail("npm is needed with CI=true")
        pytest.skip("npm is not installed")
    wanted = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    with _alone():
        _install(wanted)


def _install(wanted: Iterable[str]) -> None:
    if not all((FOLDER / "node_modules" / name).is_dir() for name in wanted):
        finished = npm("install", "--no-package-lock", "--no-audit", "--no-fund")
        if finished.returncode and not IN_CI:
            pytest.skip(f"npm install failed (no network?): {finished.stderr.strip().splitlines()[-1:]}")
        assert finished.returncode == 0, finished.stderr
