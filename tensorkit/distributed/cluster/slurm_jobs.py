"""Workers that Slurm begins, through dask-jobqueue, which writes a batch script for each job and submits it.

A job waits in Slurm's queue until there is room for it. Its workers join the scheduler, which runs in this program, and
get ranks. When a job ends before its time, killed or over its walltime, another is submitted for it.
"""

from __future__ import annotations

import contextlib
import getpass
import importlib
import shutil
import signal
import subprocess
import time
from typing import Any

import dask
from distributed import Client
from distributed.core import Status

from tensorkit.distributed.cluster.engine import Cluster
from tensorkit.distributed.cluster.joined import closed, wait_for_workers

ASK_S = 5.0
"""How often squeue is asked: its answer costs Slurm's controller something."""
ANSWER_S = 30.0
"""How long a command of Slurm's may take."""
DEFAULTS: dict[str, Any] = {"cores": 1, "processes": 1, "memory": "4GB"}
SCHEDULER: dict[str, Any] = {"dashboard": False, "dashboard_address": ":0"}


def _imported() -> Any:
    """dask-jobqueue; and Ctrl-C does what it did: from its import on it would end the program (0.9)."""
    before = signal.getsignal(signal.SIGINT)
    found = importlib.import_module("dask_jobqueue.slurm")
    if signal.getsignal(signal.SIGINT) is not before:
        signal.signal(signal.SIGINT, before)
    return found


jobqueue = _imported()


class Job(jobqueue.SLURMJob):  # type: ignore[name-defined]
    """A job that says when it is closed: dask checks that as a cluster ends, and leaves a thread where it is not so."""

    async def close(self) -> None:
        """Cancel it."""
        await super().close()
        self.status = Status.closed


class SlurmJobs(Cluster):
    """Workers in jobs of Slurm's. Those that end are submitted again while a caller waits for their ranks."""

    _asked = 0.0

    def find_workers(self) -> list[int]:
        """As every cluster does; and a rank is without a worker perhaps because its job has ended."""
        missing = super().find_workers()
        if missing and time.monotonic() - self._asked > ASK_S:
            self._asked = time.monotonic()
            _submit_again(self._owned)
        return missing


def of_slurm(workers: int, timeout: float, options: dict[str, Any]) -> Cluster:
    """Workers of jobs that are submitted now."""
    for command in ("sbatch", "squeue", "scancel"):
        if shutil.which(command) is None:
            raise RuntimeError(
                f"Slurm's command {command} is not on the PATH: run this program on a computer that submits jobs, as "
                "a login node does."
            )
    _queue()
    with contextlib.ExitStack() as stack:
        cluster = _begun(options)
        stack.callback(closed, cluster)
        for _ in range(-(-workers // cluster._dummy_job.worker_processes)):
            cluster.worker_spec.update(cluster.new_worker_spec())
        _submit(cluster)
        client = Client(cluster, timeout=ANSWER_S, set_as_default=False)
        stack.callback(closed, client)
        wait_for_workers(client, workers, timeout, _Look(cluster))
        made = SlurmJobs(client, workers, cluster)
        made.patience = max(timeout, made.patience)  # a job that is submitted again may wait as long
        made.find_workers()
        stack.pop_all()
    return made


def _begun(options: dict[str, Any]) -> Any:
    """A scheduler in this program, and no job yet."""
    # What those who keep the cluster have written into jobqueue.yaml comes before the defaults of the kit.
    unsaid = {
        name: one for name, one in DEFAULTS.items() if dask.config.get(f"jobqueue.slurm.{name}") is None
    }
    options = {**unsaid, **options}
    options["scheduler_options"] = {**SCHEDULER, **options.get("scheduler_options", {})}
    try:
        return jobqueue.SLURMCluster(job_cls=Job, **options)
    except ValueError as error:
        if not isinstance(error.__cause__, TypeError):
            raise
        word = str(error.__cause__).rpartition(" ")[2]
        raise TypeError(
            f"slurm() got an unexpected keyword argument {word}: its options are those of dask_jobqueue.SLURMCluster."
        ) from None


def _submit(cluster: Any) -> None:
    """Submit the jobs that are noted and not submitted. `SLURMCluster.scale` would say nothing of sbatch's errors."""
    try:
        cluster.sync(cluster._correct_state, callback_timeout=ANSWER_S)
    except TimeoutError:
        raise RuntimeError(f"Slurm took no job: sbatch has not answered for {ANSWER_S:g} seconds.") from None
    except RuntimeError as error:
        said = _words(str(error).partition("stderr:")[2])
        raise RuntimeError(f"Slurm took no job: {said}.") from None
    except ValueError as error:
        said = _words(str(error).partition("output is:")[2])
        raise RuntimeError(f"Slurm took no job; sbatch gave no number of it: {said!r}.") from None


def _submit_again(cluster: Any) -> None:
    """Submit a job for each that Slurm no longer has. It gets another name: dask may yet give up the old one."""
    try:
        queue = _queue()
    except RuntimeError:  # Slurm's controller is busy: it is asked again soon
        return
    lost = [name for name in cluster.worker_spec if _id(cluster, name) not in queue]
    for _ in lost:
        cluster.worker_spec.update(cluster.new_worker_spec())
    for name in lost:
        del cluster.worker_spec[name]
        cluster.workers.pop(name, None)
    if lost:
        _submit(cluster)


def _id(cluster: Any, name: str) -> str | None:
    job = cluster.workers.get(name)
    return None if job is None else job.job_id


def _queue() -> dict[str, tuple[str, str]]:
    """State and reason of each of this user's jobs that wait or run, by their ids."""
    command = ["squeue", "--noheader", f"--user={getpass.getuser()}", "--format=%i|%T|%r"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", timeout=ANSWER_S, check=True
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(
            f"Slurm does not answer: squeue has said nothing for {ANSWER_S:g} seconds."
        ) from None
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"Slurm does not answer: {_words(error.stderr)}.") from None
    rows = [line.split("|", 2) for line in done.stdout.splitlines() if line.count("|") >= 2]
    return {job: (state, reason) for job, state, reason in rows}


def _words(said: str) -> str:
    """What a command wrote, as a part of a sentence."""
    return (
        "; ".join(line.strip() for line in said.splitlines() if line.strip()).rstrip(".") or "it said nothing"
    )


class _Look:
    """Slurm's state of the jobs while their workers are awaited."""

    def __init__(self, cluster: Any) -> None:
        self.cluster, self.asked, self.said = cluster, 0.0, ""

    def __call__(self) -> str:
        if time.monotonic() - self.asked > ASK_S:
            self.asked = time.monotonic()
            self.said = self._ask()
        return self.said

    def _ask(self) -> str:
        try:
            queue = _queue()
        except RuntimeError as error:
            return str(error).rstrip(".")
        ids = [_id(self.cluster, name) for name in self.cluster.worker_spec]
        for job in ids:
            if job not in queue:
                where = self.cluster._dummy_job.log_directory or "."
                raise RuntimeError(
                    f"Slurm's job {job} ended before its workers had joined: see what it wrote, as a rule into "
                    f"slurm-{job}.out in the folder {where!r}."
                )
        waiting = [queue[job][1] for job in ids if job is not None and queue[job][0] == "PENDING"]
        return f"in Slurm's queue: {len(waiting)}, {', '.join(sorted(set(waiting)))}" if waiting else ""
