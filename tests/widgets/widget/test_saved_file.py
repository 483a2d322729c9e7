"""What is saved is saved whole: a disk that is full leaves the picture that was there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import tensorkit as tk
from tensorkit_widgets import Predict, StrideExplorer, plot_bits
from tests.widgets.practice_helpers import blank_memory

resource = pytest.importorskip("resource", reason="the size of files cannot be limited here")

__all__ = ["blank_memory"]  # a fixture

SAVERS: dict[str, Callable[[Path], Any]] = {
    "x.svg": lambda path: StrideExplorer(tk.arange(6)).save(path),
    "x.html": lambda path: StrideExplorer(tk.arange(6)).save(path),
    "x.txt": lambda path: StrideExplorer(tk.arange(60).view(2, 30)).save(path),
    "card.svg": lambda path: Predict("What?", answer=1).save(path),
    "card.html": lambda path: Predict("What?", answer=1).save(path),
    "plot.svg": lambda path: plot_bits(1.5).figure.savefig(path),
    "plot.png": lambda path: plot_bits(1.5).figure.savefig(str(path)),
}


@contextmanager
def full_disk() -> Iterator[None]:
    """No file grows beyond 64 bytes: the system refuses as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("name", list(SAVERS))
def test_a_full_disk_leaves_what_was_there(name: str, tmp_path: Path) -> None:
    target = tmp_path / name
    SAVERS[name](target)
    before = target.read_bytes()
    with full_disk(), pytest.raises(OSError, match="nothing was saved, and what was there is as it was"):
        SAVERS[name](target)
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "x.svg"
    os.mkfifo(target)  # opened to be written, it would wait for a reader
    with pytest.raises(OSError, match="it is no regular file"):
        SAVERS["x.svg"](target)
    assert target.is_fifo()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no_such_folder"):
        SAVERS["x.svg"](tmp_path / "no_such_folder" / "x.svg")
