"""Clusters that run already: who joins them, what they are told when they cannot, and that nobody disturbs another."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", exc_type=ImportError)

from distributed import Client, Scheduler, SpecCluster, Worker
from rich.console import Console

import tensorkit as tk
from tensorkit.distributed import cluster
from tensorkit.distributed.cluster import joined, progress
from tensorkit.distributed.device_mesh import init_device_mesh
from tensorkit.distributed.tensor import Shard, distribute_tensor

HOST = "127.0.0.1"


def running(workers: int, **options: Any) -> SpecCluster:
    """A cluster that somebody else has begun, in threads of this process."""
    spec = {"cls": Worker, "options": {"host": HOST, "dashboard": False, **options}}
    scheduler = {
        "cls": Scheduler,
        "options": {"host": HOST, "port": 0, "dashboard": False, "dashboard_address": ":0"},
    }
    return SpecCluster(dict.fromkeys(range(workers), spec), scheduler, silence_logs=logging.ERROR)


@pytest.fixture
def theirs() -> Iterator[SpecCluster]:
    """Two workers with two threads and a GPU each."""
    with running(2, nthreads=2, resources={"GPU": 1}) as there:
        yield there
        cluster.shutdown()


def ranks(client: Client) -> list[dict[str, float]]:
    return [one["resources"] for one in joined.workers_of(client).values()]


def product(workers: int) -> tk.Tensor:
    t = tk.arange(12.0).view(4, 3)
    sharded: Any = distribute_tensor(t, init_device_mesh("cpu", (workers,)), [Shard(0)])
    found: tk.Tensor = (sharded @ sharded.t()).full_tensor()
    return found


def test_ranks_come_to_what_workers_have_already_and_stay_when_the_program_leaves(
    theirs: SpecCluster,
) -> None:
    begun = cluster.connect(theirs.scheduler_address)
    assert begun.size == 2
    assert product(2).tolist() == (tk.arange(12.0).view(4, 3) @ tk.arange(12.0).view(4, 3).t()).tolist()
    with Client(theirs.scheduler_address) as client:
        given = [{"GPU": 1, "rank0": 1}, {"GPU": 1, "rank1": 1}]
        assert sorted(ranks(client), key=str) == given
        cluster.shutdown()
        assert sorted(ranks(client), key=str) == given
        assert client.submit(sum, [1, 2], resources={"GPU": 1}).result(timeout=30) == 3
    again = cluster.connect(theirs.scheduler_address, workers=1)
    assert (again.size, again.find_workers()) == (1, [])


class Meeting:
    """Two tasks, each of which says whether the other runs at the same time."""

    barrier = threading.Barrier(2)

    @classmethod
    def seen(cls, patience: float) -> bool:
        try:
            cls.barrier.wait(patience)
        except threading.BrokenBarrierError:
            return False
        return True


def test_a_worker_with_more_threads_does_one_thing_at_a_time_for_its_rank(theirs: SpecCluster) -> None:
    begun = cluster.connect(theirs.scheduler_address)
    apart = [begun.submit(rank, Meeting.seen, 30.0) for rank in (0, 1)]
    assert begun.results(apart) == [True, True]
    together = [begun.submit(0, Meeting.seen, 0.3) for _ in range(2)]
    assert begun.results(together) == [False, False]


OTHER = """
import sys, tensorkit as tk
from tensorkit.distributed import cluster
from tensorkit.distributed.device_mesh import init_device_mesh
from tensorkit.distributed.tensor import Shard, distribute_tensor
begun = cluster.connect(scheduler_file=sys.argv[1], workers=2)
t = distribute_tensor(tk.ones(6), init_device_mesh("cpu", (2,)), [Shard(0)])
for _ in range(5):
    t = t * 2
    print(int(t.sum().full_tensor()), begun.find_workers())
"""


def test_two_programs_share_workers_and_ranks_and_no_tensor(theirs: Any, tmp_path: Path) -> None:
    begun = cluster.connect(theirs.scheduler_address)
    given = begun.holders()
    t: Any = distribute_tensor(tk.arange(6.0), init_device_mesh("cpu", (2,)), [Shard(0)])
    t = t + 1
    before = t.full_tensor()
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": theirs.scheduler_address}))
    command = [sys.executable, "-c", OTHER, str(file)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as other:
        while other.poll() is None:
            assert tk.equal((t + 1).full_tensor(), before + 1)
        assert other.stdout is not None
        assert other.stdout.read().splitlines() == [f"{6 * 2**n} []" for n in range(1, 6)]
    assert tk.equal(t.full_tensor(), before)
    assert begun.holders() == given


def test_a_rank_whose_worker_is_gone_goes_to_a_spare_one_which_computes_what_waits() -> None:
    with running(3) as theirs:
        begun = cluster.connect(theirs.scheduler_address, workers=2)
        t: Any = distribute_tensor(tk.arange(6.0), init_device_mesh("cpu", (2,)), [Shard(0)])
        t = t + 1
        assert t.full_tensor().tolist() == [1, 2, 3, 4, 5, 6]
        gone = begun.holders()[1]
        (worker,) = (one for one in theirs.workers.values() if one.address == gone)
        theirs.sync(worker.close)
        assert (t * 2).full_tensor().tolist() == [2, 4, 6, 8, 10, 12]
        assert begun.holders()[1] != gone
        cluster.shutdown()


def test_a_rank_that_this_program_does_not_use_keeps_no_worker_from_it() -> None:
    with running(1, resources={"rank2": 1}) as theirs:
        assert cluster.connect(theirs.scheduler_address, timeout=30).find_workers() == []
        assert product(1).shape == (4, 4)
        cluster.shutdown()


def test_too_few_workers_are_counted_and_the_cluster_is_left(theirs: Any) -> None:
    said = "2 of 3 workers came within 0.5 seconds: begin more, ask for fewer, or wait longer (timeout=)."
    with pytest.raises(RuntimeError, match=f"^{re.escape(said)}$"):
        cluster.connect(theirs.scheduler_address, workers=3, timeout=0.5)
    theirs.scale(0)
    with Client(theirs.scheduler_address) as client:
        while joined.workers_of(client):
            pass
    with pytest.raises(RuntimeError, match=r"has no workers\. Begin some, or say how many to wait for"):
        cluster.connect(theirs.scheduler_address)
    assert not theirs.scheduler.clients.keys() - {"fire-and-forget"}


def test_what_is_no_scheduler_of_this_version_is_said(theirs: Any) -> None:
    worker = theirs.workers[0].address
    with pytest.raises(RuntimeError, match=f"^At {worker} is a Worker, and connect"):
        cluster.connect(worker)
    theirs.scheduler.handlers["versions"] = lambda **_: {"packages": {"distributed": "2023.1.0"}}
    with pytest.raises(
        RuntimeError, match=r"has dask.distributed 2023.1.0, and this program .* install the same on both"
    ):
        cluster.connect(theirs.scheduler_address)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (
            "10.0.0.1",
            r"^'10.0.0.1' is no address of a scheduler, .*: missing port number in address '10.0.0.1'\.$",
        ),
        (
            "http://10.0.0.1:80",
            r"^'http://10.0.0.1:80' is no address of a scheduler, .*unknown address scheme 'http'",
        ),
        (
            "tcp://127.0.0.1:9",
            "^No scheduler of dask.distributed answered at tcp://127.0.0.1:9 within 0.5 seconds",
        ),
        (
            "tcp://no.such.computer:8786",
            "^No scheduler of dask.distributed answered at tcp://no.such.computer:8786",
        ),
    ],
)
def test_a_wrong_address_is_one_sentence(address: str, said: str) -> None:
    with pytest.raises(RuntimeError, match=said):
        cluster.connect(address, timeout=0.5)


def test_a_stranger_that_listens_and_says_nothing_is_not_waited_for() -> None:
    with socket.create_server((HOST, 0)) as silent:
        address = f"tcp://{HOST}:{silent.getsockname()[1]}"
        with pytest.raises(
            RuntimeError, match=f"^No scheduler of dask.distributed answered at {address} within 0.5"
        ):
            cluster.connect(address, timeout=0.5)


def test_a_file_without_an_address_is_named(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    for text in (None, '{"addr', "[]"):
        if text is not None:
            file.write_text(text)
        with pytest.raises(
            RuntimeError, match=rf"^No scheduler wrote its address into {file} within 0.3 seconds"
        ):
            cluster.connect(scheduler_file=str(file), timeout=0.3)
    for arguments in ({}, {"address": "tcp://10.0.0.1:8786", "scheduler_file": str(file)}):
        with pytest.raises(TypeError, match=r"give connect\(\) one of address= and scheduler_file="):
            cluster.connect(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("terminal", "after", "interactive", "seen"),
    [(True, 0, "1", True), (True, 60, "1", False), (False, 0, "1", False), (True, 0, "0", False)],
)
def test_a_bar_shows_for_what_takes_long_where_somebody_looks(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, after: float, interactive: str, seen: bool
) -> None:
    monkeypatch.setattr(progress, "AFTER_S", after)
    monkeypatch.setenv("TTY_INTERACTIVE", interactive)
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, force_jupyter=False, color_system=None, width=100)
    with progress.shown(4, console=console) as tick:
        tick(1)
        tick(3, "one waits")
    assert ("3/4 tasks one waits" in out.getvalue()) is seen
    assert out.getvalue().endswith("\x1b[1A\x1b[2K") is seen
