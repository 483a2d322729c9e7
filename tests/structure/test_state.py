"""What an import of the engine leaves alone: the state of the process belongs to the program that imports it."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import gc
calls = []
for name in ("enable", "disable", "freeze", "unfreeze", "collect", "set_threshold", "set_debug"):
    setattr(gc, name, lambda *args, name=name: calls.append(name))
state = lambda: (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.get_debug(), list(gc.callbacks))
before = state()
import tensorkit
assert state() == before, (before, state())
print(calls)
"""


def test_importing_the_engine_leaves_the_garbage_collector_alone() -> None:
    command = [sys.executable, "-c", _PROGRAM]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert finished.stderr == ""
    assert finished.stdout.strip() == "[]"
