"""A page's Python: the kit unpacked into a folder, and a process that has that folder and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tensorkit.lab.browser.bundle import write_bundle
from tests.widgets.practice_helpers import blank_memory

# Options in the order of nobody in particular, as a page without a record has them.
__all__ = ["blank_memory"]

PROGRAM = Path(__file__).with_name("kit_program.py")
LESSONS = ("02", "03", "04", "05", "09", "10", "11", "13", "18")


class Kit:
    """The process."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def ask(self, **request: Any) -> Any:
        """The answer to one request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline())
        assert "error" not in found, found["error"]
        return found["answer"]

    def close(self) -> None:
        """End it."""
        self._process.communicate(timeout=60)


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kit as a page gets it."""
    return write_bundle(tmp_path_factory.mktemp("bundle") / "kit.zip", LESSONS)


@pytest.fixture(scope="session")
def command(bundle: Path) -> list[str]:
    """A Python whose path is the kit, unpacked, and the standard library."""
    with ZipFile(bundle) as kit:
        kit.extractall(bundle.parent / "kit")
    return [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(PROGRAM), str(bundle.parent / "kit")]


@pytest.fixture(scope="module")
def shared(command: list[str]) -> Iterator[Kit]:
    """A page's Python for all tests of a file."""
    made = Kit(command)
    yield made
    made.close()


@pytest.fixture
def kit(command: list[str]) -> Iterator[Kit]:
    """A page's Python that has run nothing yet."""
    made = Kit(command)
    yield made
    made.close()
