"""A process of its own that compiles loops and leaves the machine code in Numba's cache on the disk.

While Numba compiles, it changes Python's filters of warnings, which belong to the whole process: what a program
catches meanwhile in another thread would be lost. So the program itself only loads what lies in the cache.

`Worker` is the program's end: it starts the process when there is something to compile and ends it when there has been
nothing for a while. `main` is what runs there, at low priority and without a word. When the program ends, so does the
pipe between them, and the process with it, once it has written what it is about to write.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from typing import Any

_START = "import sys; sys.path[:] = {path!r}; from tensorkit.kernels.jit.compile_worker import main; main()"
_LOWEST = 19


class Worker:
    """A process that compiles the loops it is sent, one after the other."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def compile(self, module: str, name: str) -> bool:
        """Whether the loop of that name is now in the cache; waits until it is known."""
        try:
            process = self._process or self._start()
            words, answers = _pipes(process)
            words.write(json.dumps([module, name]).encode() + b"\n")
            return bool(answers.readline() == b"yes\n")
        except (OSError, ValueError):  # no processes here, or it was ended from outside
            self.forget()
            self._process = None
            return False

    def _start(self) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-I", "-W", "ignore", "-c", _START.format(path=[p for p in sys.path if p])]
        self._process = subprocess.Popen(
            words,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TENSORKIT_COMPILED": "0"},
            creationflags=_quietly(),
        )
        return self._process

    def rest(self) -> None:
        """End the process: a later loop starts another."""
        process, self._process = self._process, None
        if process is not None:
            for pipe in _pipes(process):
                pipe.close()
            process.wait()

    def forget(self) -> None:
        """The process ends on its own: nothing waits for it, and Python must not warn of that."""
        if self._process is not None and self._process.poll() is None:
            self._process.returncode = 0


def _pipes(process: Any) -> tuple[Any, Any]:
    return process.stdin, process.stdout


def _quietly() -> int:
    """On Windows: no window, and low priority; elsewhere the process sees to that itself."""
    if sys.platform != "win32":
        return 0
    return subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS


def _found(module: str, name: str) -> Any:
    """The loop of that name, or None."""
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None


def main() -> None:
    """Compile the loops whose names come in, line by line, until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the program
    if hasattr(os, "nice"):
        os.nice(_LOWEST)
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    for line in sys.stdin.buffer:
        loop = _found(*json.loads(line))
        answers.write(b"yes\n" if loop is not None and loop.store() else b"no\n")
        answers.flush()
