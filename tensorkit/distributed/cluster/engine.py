"""A cluster of dask.distributed, as sharded tensors use it: tasks for one rank, and waits that come to an end.

Each rank is an abstract resource, ``rank0``, ``rank1`` and so on, of which one worker has one. A task asks for the
resource of its rank and for no worker by name: when that worker is killed, its successor has the resource, and what is
lost is computed again there. A task that is tied to a worker's address waits for ever.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import importlib
import logging
import platform
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import dask
import distributed
from distributed import Client, Future, WorkerPlugin, wait
from distributed.core import Status
from distributed.scheduler import KilledWorker

from tensorkit.distributed.cluster.progress import shown
from tensorkit.version import __version__

LOOK_S = 0.5
"""How often a wait looks whether it still makes sense."""
ANSWER_S = 10.0
"""How long the scheduler may take to say which workers there are."""
PATIENCE_S = 60.0
"""How long a rank may be without a worker that computes before a wait for it ends with an error."""


class Cluster:
    """Workers by their ranks, and tasks for them.

    Args:
        client: of dask.distributed.
        size: how many ranks there are.
        owned: what is to be closed besides when this is: a cluster that was begun for it.
    """

    patience = PATIENCE_S

    def __init__(self, client: Client, size: int, owned: Any = None) -> None:
        self.client, self.size, self.closed = client, size, False
        self.address = client.scheduler.address
        self._owned = owned
        self._since: dict[int, float] = {}
        _join(client)

    def __repr__(self) -> str:
        return f"Cluster({self.size} workers, {self.address!r}{', closed' if self.closed else ''})"

    def submit(self, rank: int, function: Callable[..., Any], *args: Any) -> Future:
        """Let a rank call a function; futures among the arguments stand for their results."""
        self._alive()
        # A tensor that is distributed goes with its task, however large, so that a successor can be given it again.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": sys.maxsize}):
            return self.client.submit(function, *args, resources={f"rank{rank}": 1}, pure=False)

    def wait(self, futures: Sequence[Future]) -> None:
        """Wait until all are computed.

        Raises:
            RuntimeError: when one cannot be: it says what was lost. Whatever a task itself raised.
        """
        self._alive()
        self._again(futures)
        self._since = {}
        left = list(futures)
        with shown(len(left)) as tick:
            while left:
                self._alive()
                not_yet = contextlib.suppress(TimeoutError, concurrent.futures.CancelledError)
                with not_yet, self.client.as_current():
                    wait(left, timeout=LOOK_S)
                # "lost" is what a worker had that is gone: it is computed again.
                left = [one for one in left if one.status in ("pending", "lost")]
                tick(len(futures) - len(left))
                if left:
                    self._held()
        for one in futures:
            if one.status == "error":
                raise _told(one.exception())
            if one.status == "cancelled":
                raise RuntimeError(LOST)

    def results(self, futures: Sequence[Future]) -> list[Any]:
        """What the tasks gave, here."""
        self.wait(futures)
        gathered = self.client.gather(list(futures), asynchronous=True)
        coming = asyncio.run_coroutine_threadsafe(gathered, self.client.loop.asyncio_loop)
        try:
            while not coming.done():
                concurrent.futures.wait([coming], LOOK_S)
                if not coming.done():  # its worker may have died since
                    self._alive()
                    self._held()
            found: list[Any] = coming.result()
        except concurrent.futures.CancelledError:
            raise RuntimeError(LOST) from None
        except KilledWorker as error:
            raise _told(error) from None
        except OSError as error:
            self.wait(futures)  # which tells if it was a task's own
            raise RuntimeError(f"A part of this tensor could not be fetched: {error}. Try again.") from None
        finally:
            coming.cancel()
        return found

    def _alive(self) -> None:
        if not self.closed and self.client.status == "connecting":
            raise RuntimeError(
                f"The scheduler at {self.address} is gone, and what was computed there is lost. Start a cluster again, "
                "make a mesh of it, and make the tensors again."
            )
        if self.closed or self.client.status != "running":
            raise RuntimeError(
                "The cluster of this mesh is closed, and its tensors with it. Make a mesh again, and the tensors again."
            )

    def _again(self, futures: Sequence[Future]) -> None:
        """Work given up because its workers died is tried again on the next request."""
        failed = [one for one in futures if one.status == "error"]
        given_up = [one for one in failed if isinstance(one.exception(), KilledWorker)]
        if given_up:
            self.client.retry(given_up)

    def _workers(self) -> dict[str, Any]:
        return workers_of(self.client)

    def holders(self) -> dict[int, str]:
        """The address of the worker that each rank has now."""
        found = {}
        for address, worker in self._workers().items():
            for name in worker["resources"]:
                if name.startswith("rank"):
                    found[int(name[4:])] = address
        return found

    def find_workers(self) -> list[int]:
        """Give each rank that has no worker one that has no rank; those that are still without."""
        held = {rank: address for rank, address in self.holders().items() if rank < self.size}
        missing = [rank for rank in range(self.size) if rank not in held]
        if missing:
            spare = sorted(set(self._workers()) - set(held.values()))
            give_ranks(self.client, dict(zip(missing, spare, strict=False)))
            missing = missing[len(spare) :]
        return missing

    def _held(self) -> None:
        """No rank has been for long without a worker that computes."""
        now, missing = time.monotonic(), self.find_workers()
        if missing and self._owned is not None:
            self._owned.scale(self.size)  # begins again what is gone with its nanny
        paused = [address for address, worker in self._workers().items() if worker["status"] == "paused"]
        full = [rank for rank, address in self.holders().items() if address in paused]
        self._since = {rank: self._since.get(rank, now) for rank in (*missing, *full)}
        for rank, since in self._since.items():
            if now - since > self.patience:
                what = (
                    "a worker that has stopped computing since its memory is full: let go of tensors, take more "
                    "workers, or give each more (memory_limit=)"
                    if rank in full
                    else "no worker, and no spare one is there: what it held is computed again once one joins"
                )
                raise RuntimeError(
                    f"For {self.patience:.0f} seconds rank {rank} of {self.size} has had {what}."
                )

    def close(self) -> None:
        """End what was begun for this cluster; an existing one goes on without it."""
        if not self.closed:
            self.closed = True
            _closed(self.client, self._owned)

    def forget(self) -> None:
        """In the child of a fork: it has none of the threads that speak with the cluster, which is its parent's."""
        self.closed, self.client.status = True, "closed"
        if self._owned is not None:
            self._owned.shutdown_on_close = False


LOST = (
    "A part of this tensor is lost: the scheduler that knew how to compute it is gone. Make a mesh again, and the "
    "tensor again from its source."
)


def _closed(*several: Any) -> None:
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # each end tells that the other one is gone
    try:
        for one in several:
            if one is not None:
                with contextlib.suppress(Exception):
                    one.close(timeout=10)
    finally:
        logger.setLevel(level)


def _told(error: BaseException) -> BaseException:
    if isinstance(error, KilledWorker):
        return RuntimeError(
            f"A task was given up after {error.allowed_failures + 1} workers had died under it, perhaps for want of "
            "memory: take more workers, or give each more (memory_limit=). It is tried again when asked for again."
        )
    return error


def workers_of(client: Client) -> dict[str, Any]:
    """What the scheduler knows of its workers, by their addresses; nothing where it is gone."""
    # The client's `scheduler_info` may give what it has just fetched for itself, in which there are no workers.
    with contextlib.suppress(OSError, TimeoutError, AttributeError):
        identity = client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=ANSWER_S)
        return dict(identity["workers"])
    return {}


Versions = dict[str, str]


def versions() -> Versions:
    """What has to be the same here and on the workers."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"tensorkit": __version__, "distributed": distributed.__version__, "Python": python}


def _prepare() -> Versions:
    """Let this process be sent tensors from now on; what versions it has."""
    importlib.import_module("tensorkit.distributed.cluster.wire")
    return versions()


class _Prepared(WorkerPlugin):
    """Workers that join later can be sent tensors too."""

    def setup(self, worker: Any) -> None:
        _prepare()


def _join(client: Client) -> None:
    own = _prepare()
    try:
        found = client.run(_prepare)
    except ImportError as error:
        raise RuntimeError(
            f"A worker at {client.scheduler.address} has no tensorkit {own['tensorkit']} that it could import: {error}."
        ) from None
    for address, there in found.items():
        for name, version in own.items():
            if there.get(name) != version:
                raise RuntimeError(
                    f"The worker {address} has {name} {there.get(name)}, and this program {version}: they cannot share "
                    "tensors. Install the same on both."
                )
    client.register_plugin(_Prepared(), name="tensorkit")


async def _take(resource: str, same: Versions, dask_worker: Any) -> None:
    if versions() == same:
        await dask_worker.set_resources(**{resource: 1})
        _wake(dask_worker)


def _wake(worker: Any) -> None:
    """Let the scheduler see a worker come: only then does it send the tasks that have waited for a rank."""
    if worker.status == Status.running:
        worker.status = Status.paused
        worker.status = Status.running


def give_ranks(client: Client, addresses: dict[int, str]) -> None:
    """Let workers have ranks from now on; one that has just died, or other versions, does not take it."""
    for rank, address in addresses.items():
        client.run(_take, f"rank{rank}", versions(), workers=[address], on_error="ignore")


def begun(cluster: Any, workers: int, timeout: float) -> Cluster:
    """A cluster whose workers have their ranks; nothing is left behind where it does not come up."""
    client, owned = None, None if isinstance(cluster, str) else cluster
    try:
        # The program's own dask computes where it did before.
        client = Client(cluster, timeout=timeout, set_as_default=False)
        client.wait_for_workers(workers, timeout=timeout)
        made = Cluster(client, workers, owned)
        made.find_workers()
    except BaseException as error:
        _closed(client, owned)
        if isinstance(error, TimeoutError | OSError):
            raise RuntimeError(
                f"{workers} workers were wanted, and did not come within {timeout:g} seconds: {error}"
            ) from None
        raise
    return made
