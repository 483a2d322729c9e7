"""Where sharded tensors are computed: worker processes on this computer, or a Dask cluster that is there already.

`start` begins workers on this computer, `connect` goes to a scheduler by its address, `slurm` asks Slurm for them. A
mesh that is made before any of these begins as many workers as it needs. `shutdown` ends what was begun here.
"""

from __future__ import annotations

import atexit
import importlib
from typing import TYPE_CHECKING, Any

from tensorkit.process import forks

if TYPE_CHECKING:
    from tensorkit.distributed.cluster.engine import Cluster

__all__ = ["connect", "current", "shutdown", "slurm", "start"]


def __dir__() -> list[str]:
    return __all__


_now: list[Cluster] = []  # the cluster that was started, if one was


def _module(name: str) -> Any:
    try:
        return importlib.import_module(f"tensorkit.distributed.cluster.{name}")
    except ModuleNotFoundError as error:
        if error.name not in ("distributed", "dask", "dask_jobqueue"):
            raise
        raise ModuleNotFoundError(
            "Sharded tensors are computed by dask.distributed, which is not installed: "
            "pip install 'tensorkit[distributed]'.",
            name=error.name,
        ) from None


def _become(cluster: Cluster) -> Cluster:
    shutdown()
    _now.append(cluster)
    # At exit what was registered last is called first: before dask ends what it knows of.
    atexit.unregister(shutdown)
    atexit.register(shutdown)
    return cluster


def start(workers: int, *, memory_limit: str = "auto") -> Cluster:
    """Begin worker processes on this computer, each with one thread. A cluster that was started before ends.

    Args:
        workers: how many.
        memory_limit: of each, as "1GB"; "auto" shares what the computer has. A worker that takes more is ended, and
            begun again.

    Raises:
        ValueError: for fewer workers than 1, or memory in which none can work.
        RuntimeError: where they do not come up.
    """
    return _become(_module("local").local(workers, memory_limit))


def connect(
    address: str | None = None,
    workers: int | None = None,
    *,
    scheduler_file: str | None = None,
    timeout: float = 30,
) -> Cluster:
    """Use the workers of a scheduler that runs already, and may serve other programs too; it goes on after this one.

    Args:
        address: as ``"tcp://10.0.0.1:8786"``.
        workers: how many are waited for; by default those that are there.
        scheduler_file: in place of the address: the file that ``dask scheduler --scheduler-file`` writes.
        timeout: in seconds, for the scheduler and for the workers.

    Raises:
        TypeError: without an address and a file, or with both.
        RuntimeError: when no scheduler answers, or one of another version, or fewer workers come.
    """
    return _become(_module("joined").connected(address, workers, timeout, scheduler_file))


def slurm(workers: int, *, timeout: float = 600, **options: Any) -> Cluster:
    """Ask Slurm for workers, by ``dask_jobqueue.SLURMCluster``: each is a job with one core and 4 GB, unless told.

    The scheduler runs in this program, and the jobs end with it. A job that ends earlier is submitted again.

    Args:
        workers: how many.
        timeout: in seconds, for which jobs may wait in the queue; then all are cancelled.
        options: of `SLURMCluster`: queue, cores, memory, walltime, account, job_extra_directives, and so on.

    Raises:
        TypeError: for an option that `SLURMCluster` does not have.
        RuntimeError: when Slurm's commands are not there or refuse, and when fewer workers come: it says how many.
    """
    return _become(_module("slurm_jobs").of_slurm(workers, timeout, options))


def current(workers: int) -> Cluster:
    """The cluster that was started, or a new one with this number of workers."""
    return start(workers) if not _now or _now[0].closed else _now[0]


def shutdown() -> None:
    """End the workers that were begun here, and leave a cluster that was there before."""
    for one in _now:
        one.close()
    _now.clear()


@forks.after_fork
def _in_a_child() -> None:
    """The cluster is the parent's."""
    for one in _now:
        one.forget()
    _now.clear()
