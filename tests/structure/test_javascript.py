"""The browser code's own checks: types and unit tests, run where Node is found and always in CI.

Nobody needs Node to install or run the kit; `widgets/tests-js` is for those who change the browser code.
"""

from __future__ import annotations

import json

import pytest

from tests.support.node_packages import FOLDER, install, npm


@pytest.fixture(scope="module")
def installed() -> None:
    """The development packages."""
    install()


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("script", ["check", "test"])
def test_the_browser_code(script: str) -> None:
    assert script in json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["scripts"]
    finished = npm("run", script)
    assert finished.returncode == 0, finished.stdout + finished.stderr
