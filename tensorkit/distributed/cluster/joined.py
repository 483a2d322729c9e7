"""A scheduler that runs already and may serve other programs too: its workers get ranks, and outlive this program.

Ranks belong to the cluster: where another program has given rank 0 to a worker, it is rank 0 here too. Tensors belong
to the program that made them, as their futures do.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import distributed
from distributed import Client
from distributed.core import rpc
from distributed.security import Security
from distributed.utils import LoopRunner

from tensorkit.distributed.cluster.engine import Cluster, workers_of
from tensorkit.distributed.cluster.progress import shown

LOOK_S = 0.2


def connected(
    address: str | None, workers: int | None, timeout: float, scheduler_file: str | None = None
) -> Cluster:
    """The workers of a scheduler that runs already."""
    if (address is None) == (scheduler_file is None):
        raise TypeError(
            "A scheduler is found by its address or by its file: give connect() one of address= and scheduler_file=."
        )
    if address is None:
        address = _written(Path(str(scheduler_file)), timeout)
    _greet(address, timeout)
    with contextlib.ExitStack() as stack:
        client = Client(address, timeout=timeout, set_as_default=False)  # the program has its own dask
        stack.callback(closed, client)
        if workers is None:
            workers = len(workers_of(client))
            if not workers:
                raise RuntimeError(
                    f"The scheduler at {address} has no workers. Begin some, or say how many to wait for (workers=)."
                )
        wait_for_workers(client, workers, timeout)
        made = Cluster(client, workers)
        made.find_workers()
        stack.pop_all()
    return made


def closed(one: Any) -> None:
    """Leave or end something within ten seconds, whatever state it is in."""
    with contextlib.suppress(Exception):
        one.close(timeout=10)


def _written(file: Path, timeout: float) -> str:
    """The address in a scheduler's file, which the scheduler writes as it begins."""
    end = time.monotonic() + timeout
    while True:
        # It may not be there yet, or not all of it.
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            return str(json.loads(file.read_text(encoding="utf-8"))["address"])
        if time.monotonic() > end:
            raise RuntimeError(
                f"No scheduler wrote its address into {file} within {timeout:g} seconds: begin one with "
                f"'dask scheduler --scheduler-file {file}', in a folder that all computers share."
            )
        time.sleep(LOOK_S)


def _greet(address: str, timeout: float) -> None:
    """A scheduler of this version answers. (A client waits for ever for the answer of a program of another kind.)"""

    async def ask() -> tuple[Any, Any]:
        arguments = Security().get_connection_args("client")
        async with rpc(address, timeout=timeout, connection_args=arguments) as there:
            return await there.identity(), await there.versions()

    try:
        identity, versions = LoopRunner(asynchronous=False).run_sync(ask, callback_timeout=timeout)
        kind, version = identity["type"], versions["packages"]["distributed"]
    except ValueError as error:
        raise RuntimeError(
            f"{address!r} is no address of a scheduler, which looks like 'tcp://10.0.0.1:8786': {error}."
        ) from None
    except Exception:  # whatever a stranger's answer leads to
        raise RuntimeError(
            f"No scheduler of dask.distributed answered at {address} within {timeout:g} seconds: see that one runs "
            "there, and that this computer can reach it."
        ) from None
    if kind != "Scheduler":
        raise RuntimeError(f"At {address} is a {kind}, and connect() takes the address of the scheduler.")
    if version != distributed.__version__:
        raise RuntimeError(
            f"The scheduler at {address} has dask.distributed {version}, and this program {distributed.__version__}, "
            "which may not understand each other: install the same on both."
        )


def wait_for_workers(
    client: Client, workers: int, timeout: float, look: Callable[[], str] = lambda: ""
) -> None:
    """Wait until all workers have joined.

    Args:
        client: of dask.distributed.
        workers: how many.
        timeout: in seconds.
        look: says why they are late, or raises when they cannot come.

    Raises:
        RuntimeError: when they have not come in time: it says how many have.
    """
    end = time.monotonic() + timeout
    with shown(workers, "workers") as tick:
        while (there := len(workers_of(client))) < workers:
            why = look()
            tick(there, why)
            if time.monotonic() > end:
                raise RuntimeError(
                    f"{there} of {workers} workers came within {timeout:g} seconds{why and f' ({why})'}: begin more, "
                    "ask for fewer, or wait longer (timeout=)."
                )
            try:
                client.wait_for_workers(there + 1, timeout=LOOK_S)
            except TimeoutError:
                continue
            except OSError:
                raise RuntimeError(f"The scheduler went away while {workers} workers were awaited.") from None
