"""Worker processes on this computer, each with its rank from the beginning, and a nanny that begins it again.

The nanny ends a worker that takes more memory than it may, and both end by themselves when the program is gone.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from typing import Any

from dask.utils import parse_bytes
from distributed import Nanny, Scheduler, SpecCluster
from distributed.deploy.subprocess import SubprocessWorker

from tensorkit.distributed.cluster.engine import Cluster, begun

HOST = "127.0.0.1"
TIMEOUT_S = 60
LEAST_MEMORY = 200_000_000
"""In bytes: a worker takes about half of it for itself, and computes nothing above 80 % of its limit."""


class Process(SubprocessWorker):
    """A nanny in a process of its own, and the program needs no guard around its main part."""

    async def _start(self) -> None:
        # By its name the cluster finds out which one is gone, and has to be begun again.
        spec = json.dumps({"cls": self.worker_class, "opts": {**self.worker_kwargs, "name": self.name}})
        # It imports what this program does, and an interrupt is the program's alone: Ctrl-C would end the workers too.
        path = os.pathsep.join(one or os.getcwd() for one in sys.path)
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "dask", "spec", self.scheduler, "--spec", spec),
            env={**os.environ, "PYTHONPATH": path, "DASK_LOGGING__DISTRIBUTED": "critical"},
            stdin=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )


def local(workers: int, memory_limit: str) -> Cluster:
    """Begin workers on this computer.

    Raises:
        ValueError: for fewer than one, and for memory in which none can work.
    """
    if workers < 1:
        raise ValueError(f"A cluster has at least 1 worker, and {workers} were wanted.")
    if memory_limit != "auto" and parse_bytes(memory_limit) < LEAST_MEMORY:
        raise ValueError(
            f"memory_limit={memory_limit!r} is less than a worker needs: {LEAST_MEMORY // 10**6} MB at the least."
        )
    scheduler = {
        "cls": Scheduler,
        "options": {"host": HOST, "port": 0, "dashboard": False, "dashboard_address": f"{HOST}:0"},
    }
    ranks = {rank: _spec(rank, memory_limit) for rank in range(workers)}
    cluster = SpecCluster(workers=ranks, scheduler=scheduler, silence_logs=logging.CRITICAL)
    return begun(cluster, workers, TIMEOUT_S)


def _spec(rank: int, memory_limit: str) -> dict[str, Any]:
    options: dict[str, Any] = {
        "nthreads": 1,
        "resources": {f"rank{rank}": 1},
        "memory_limit": memory_limit,
        "host": HOST,
        "dashboard": False,
        "death_timeout": TIMEOUT_S,
    }
    if sys.platform == "win32":  # where dask begins no process of this kind
        return {"cls": Nanny, "options": options}
    return {"cls": Process, "options": {"worker_kwargs": options}}
