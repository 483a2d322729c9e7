"""What the tests of widgets share: a shell of IPython without a browser, and the weight of a process."""

from __future__ import annotations

import builtins
import mmap
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest
from IPython.core.interactiveshell import InteractiveShell

import tensorkit as tk
from tensorkit_widgets.memory import magic
from tensorkit_widgets.namespace.cell_hook import hook
from tensorkit_widgets.widget import cell_hook
from tests.support.garbage import collect


@pytest.fixture(scope="module", autouse=True)
def closed() -> Iterator[None]:
    """A module's widgets look again after every change for as long as they live: they end with it."""
    yield
    for widget in list(cell_hook._alive):
        widget.close()


@pytest.fixture(autouse=True)
def closed_at_once(closed: None) -> Iterator[None]:
    """What a test opened ends with the test: it would be drawn again, and hear of every call, in all that follow."""
    before = weakref.WeakSet(cell_hook._alive)
    yield
    for widget in [widget for widget in cell_hook._alive if widget not in before]:
        widget.close()


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A real shell of IPython, with a namespace of its own."""
    for widget in list(cell_hook._alive):
        widget.close()
    cell_hook._hooked.clear()
    module, display = builtins.__dict__.get("_"), sys.displayhook
    made = InteractiveShell(user_ns={"tk": tk, "numpy": numpy})
    monkeypatch.setattr(cell_hook, "_shell", lambda: made)
    yield made
    magic.close_panel()
    hook.close()
    made.history_manager.end_session()
    sys.displayhook = display
    builtins.__dict__["_"] = module


def weight() -> tuple[int, int]:
    """Python's blocks of memory, and the bytes of the process (0 where the system does not tell)."""
    collect()
    statm = Path("/proc/self/statm")
    pages = int(statm.read_text().split()[1]) if statm.exists() else 0
    return sys.getallocatedblocks(), pages * mmap.PAGESIZE
