"""What may hang runs beside the test, which waits for it within bounds; and workers that are killed, by their ranks."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import psutil


def aside(function: Callable[[], Any]) -> Future[Any]:
    """Call a function in a thread of its own, which does not keep the tests from ending."""
    made: Future[Any] = Future()

    def run() -> None:
        try:
            made.set_result(function())
        except BaseException as error:
            made.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return made


def killed(nanny: psutil.Process) -> psutil.Process | None:
    """Kill the worker that a nanny has now; None where it has none just then."""
    with contextlib.suppress(psutil.NoSuchProcess):
        for child in nanny.children():
            if "spawn_main" in " ".join(child.cmdline()):
                child.kill()
                return child
    return None


def workers(cluster: Any, nanny: bool = False) -> dict[int, psutil.Process]:
    """By its rank, the process of each worker, or of its nanny."""
    pids = cluster.client.run(os.getpid)
    held = cluster.holders()
    found = {rank: psutil.Process(pids[address]) for rank, address in held.items() if address in pids}
    return {rank: one.parent() or one for rank, one in found.items()} if nanny else found
