"""The browser code's own checks: types and unit tests, run where Node is found and always in CI.

Nobody needs Node to install or run the kit; `widgets/tests-js` is for those who change the browser code.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
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


@pytest.fixture(scope="module")
def installed() -> None:
    """The development packages, installed once, of the versions that package.json names.

    There is no lock file: npm writes the packages of the platform that it runs on, and refuses such a file elsewhere.
    """
    if shutil.which("npm") is None:
        if IN_CI:
            pytest.fail("npm is needed with CI=true")
        pytest.skip("npm is not installed")
    if not (FOLDER / "node_modules" / ".package-lock.json").is_file():
        finished = npm("install", "--no-package-lock", "--no-audit", "--no-fund")
        if finished.returncode and not IN_CI:
            pytest.skip(f"npm install failed (no network?): {finished.stderr.strip().splitlines()[-1:]}")
        assert finished.returncode == 0, finished.stderr


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("script", ["check", "test"])
def test_the_browser_code(script: str) -> None:
    assert script in json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["scripts"]
    finished = npm("run", script)
    assert finished.returncode == 0, finished.stdout + finished.stderr
